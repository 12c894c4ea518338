"""Reads questions: restores the letter case of names, and turns "who wrote Emma" into the claim "… wrote Emma".

Many data sets write their questions in small letters, so `recase` finds names again with the help of the passages.
`parse_question` then takes the recased question apart. It supports a few frequent forms only:

- "who wrote Emma", "who is the author of Emma": the answer is the subject of the claim;
- "when did Rome fall", "where was Emma filmed": the answer stands at the end of the claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from perturb.building.offline.words import (
    TOKEN,
    inflected,
    is_common,
    is_function_word,
    plain,
    spans_of,
    tokens,
)
from perturb.catalogue.features import word_bank
from perturb.records import Passage


def is_cased(query: str) -> bool:
    """Whether a question writes names with capitals. Its first word has a capital anyway and does not count."""
    return any(word[0].isupper() for word in tokens(query)[1:])


def bare_title(title: str) -> str:
    """A title without a bracketed addition: "Rocky (film)" is "Rocky"."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", title).strip()


def recase(query: str, passages: tuple[Passage, ...]) -> str:
    """The question with its names written as in the titles and passages; a question with capitals stays as it is.

    >>> recase("who wrote pride and prejudice", (Passage("Pride and Prejudice is a novel.", "Pride and Prejudice"),))
    'who wrote Pride and Prejudice'
    """
    if is_cased(query):
        return query
    titles: dict[str, list[str]] = {}
    for passage in passages:
        if passage.title:
            for form in (passage.title, bare_title(passage.title)):
                # Questions write "and" where titles have "&".
                titles[form] = [plain(word) for word in tokens(form.replace("&", "and"))]
    # Titles come first, since they write names as their owners do.
    sources = [*titles, *(passage.text for passage in passages)]
    query_tokens = list(TOKEN.finditer(query))
    recased, token_index, copied_to = "", 0, 0
    while token_index < len(query_tokens):
        longest = _longest_name(query, query_tokens[token_index:], titles, sources)
        if longest is None:
            token_index += 1  # no name begins with this token
            continue
        recased += query[copied_to : query_tokens[token_index].start()] + longest.name
        token_index += longest.tokens
        copied_to = query_tokens[token_index - 1].end()
    return recased + query[copied_to:]


class _NameInQuery(NamedTuple):
    """A name in its proper spelling, and the number of tokens that it has in the question."""

    name: str
    tokens: int


# Words of the longest name that is looked for. Longer titles hardly occur in questions.
_MOST_NAME_WORDS = 8


def _longest_name(
    query: str, query_tokens: list[re.Match[str]], titles: dict[str, list[str]], sources: list[str]
) -> _NameInQuery | None:
    """The longest name at the first of these tokens of the question; None if no name begins with it."""
    # The longest phrase first, so that "new york times" is not read as "New York" and "times".
    for length in range(min(_MOST_NAME_WORDS, len(query_tokens)), 0, -1):
        phrase = query[query_tokens[0].start() : query_tokens[length - 1].end()]
        # "us" is nearly always a pronoun, but not after "the" or "in".
        if phrase == "us":
            name = "US" if re.search(r"\b(?:the|in) us\b", query) else None
        else:
            name = _as_title(phrase, titles) or _as_in_sources(phrase, sources)
        if name is not None:
            return _NameInQuery(name, length)
    return None


def _as_title(phrase: str, titles: dict[str, list[str]]) -> str | None:
    """The phrase as a title writes it; None if no title has these words. `titles` has the plain words of each title."""
    words = phrase.split()
    # A common word in a question may be a title by chance, such as "it".
    if len(words) == 1 and is_common(phrase):
        return None
    bare = [plain(word) for word in tokens(phrase)]
    for title, title_words in titles.items():
        if title_words not in (bare, ["the", *bare]):
            continue
        # Only the first letter is a capital, as at the start of a sentence: a common noun, such as "Safety pin".
        if len(words) > 1 and title[1:].islower() and is_common(plain(words[0])):
            return phrase
        return title if title_words == bare else title[len("The ") :]
    return None


def _as_in_sources(phrase: str, sources: list[str]) -> str | None:
    """The phrase as a passage or title writes it inside a sentence; None if it is not a name."""
    words = phrase.split()
    if len(words) == 1:
        return _cased_word(phrase, sources)
    # A phrase such as "to be" is a name only in quotation marks.
    needs_quotes = is_function_word(words[0]) or is_function_word(words[-1])
    forms = [
        source[start:end]
        for source in sources
        for start, end in spans_of(source, phrase)
        if not needs_quotes or _is_quoted(source, start, end)
    ]
    # If a source writes the phrase in small letters, it is not a name.
    if not forms or phrase in forms:
        return None
    # Inside a name, words such as "of" have small letters, but its first and last word have capitals.
    form_words = forms[0].split()
    is_name = form_words[0][:1].isupper() and form_words[-1][:1].isupper()
    return " ".join(form_words) if is_name else None


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether the span of a text stands directly between quotation marks."""
    return text[max(0, start - 1) : start] in ('"', "“") and text[end : end + 1] in ('"', "”")


def _cased_word(word: str, sources: list[str]) -> str | None:
    """A single word with a capital if it is not a common word; None if nothing shows that it is a name."""
    key = plain(word)
    if is_function_word(word) or len(key) < 3 or is_common(key):
        return None
    forms = [source[start:end] for source in sources for start, end in spans_of(source, word)]
    if forms:
        return forms[0] if all(form[:1].isupper() for form in forms) else None
    # No passage has the word, so only the lists of names can tell.
    capital = word.capitalize()
    is_name = any(capital in word_bank(bank) for bank in ("first_name", "city", "region"))
    return capital if is_name else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the parts of a claim. The answer completes the claim as its subject or at its end."""

    question_word: str
    """`who`, `when` or `where`."""
    subject: str
    """Empty if the answer is the subject."""
    verb: str
    """The finite verb, which may be an auxiliary."""
    after_verb: str

    @property
    def action_verb(self) -> str:
        """The verb that says what was done: "wrote", "filmed"; empty if the question asks about a state."""
        if self.verb not in _BE:
            return self.verb
        # "was first filmed": the adverb stands before the participle.
        words_after = self.after_verb.removeprefix("first ").removeprefix("last ")
        next_word = words_after.split(" ", 1)[0]
        return next_word if _is_participle(next_word) else ""

    def claim(self, value: str) -> str:
        """The claim with a value in the gap, without an end mark.

        >>> parse_question("who wrote Emma").claim("Jane Austen")
        'Jane Austen wrote Emma'
        """
        return self._statement(value, f"{self.verb} {self.after_verb}".strip())

    def denial(self, value: str) -> str | None:
        """The claim with a negation; None if the plain form of its verb is unknown.

        >>> parse_question("who wrote Emma").denial("Jane Austen")
        'Jane Austen did not write Emma'
        """
        negated = self._negated_predicate()
        return None if negated is None else self._statement(value, negated)

    def _statement(self, value: str, predicate: str) -> str:
        if self.question_word == "who":
            return f"{value} {predicate}"
        return f"{self.subject} {predicate} {self._with_preposition(value)}"

    def as_participle(self) -> str | None:
        """The predicate as a participle: "written Emma"; None for a state."""
        form = None if self.verb in _BE else inflected(self.verb, "VBN")
        return f"{form} {self.after_verb}".strip() if form else None

    def _negated_predicate(self) -> str | None:
        if self.verb in _BE:
            return f"{self.verb} not {self.after_verb}"
        base = inflected(self.verb, "VB")
        if base is None:
            return None
        auxiliary = "does" if self.verb == inflected(self.verb, "VBZ") else "did"
        return f"{auxiliary} not {base} {self.after_verb}".strip()

    def _with_preposition(self, value: str) -> str:
        """The value with the preposition that the claim needs: "in 1984", "on 3 May 1984"."""
        words = tokens(value)
        if words and plain(words[0]) in _PREPOSITIONS:
            return value
        # A number that is not a year shows a day, which takes another preposition than a month.
        without_year = re.sub(r"\b\d{3,4}\b", "", value)
        is_day = self.question_word == "when" and re.search(r"\b\d{1,2}\b", without_year)
        return f"on {value}" if is_day else f"in {value}"


# Forms of "to be", which take "not" without an auxiliary.
_BE = ("is", "was", "are", "were")
# Prepositions with which an answer may already begin.
_PREPOSITIONS = ("in", "on", "at", "by", "after", "before", "during", "around", "since", "near", "from")
# Signs of a question that would read badly as a statement
_UNFIT_FOR_CLAIM = re.compile(
    r"""
      \b(?:last|next)\ (?:year|season)                         # a time that depends on the day of asking
    | \bthis\b
    | ,                                                        # a clause or a list
    | \blyrics$ | \b\d{4}$                                    # keywords: "who sang hello lyrics"
    | \b(?:and|or|of|by|with|from|when|where|what)$           # a dangling end
    | \bin\ Olympics\b | \b(?:game|in)\ NBA\b                # a missing article
    """,
    re.VERBOSE,
)

# Shorter and longer questions are rarely of a form that is supported.
_LEAST_WORDS, _MOST_WORDS = 3, 16


def parse_question(query: str) -> Question | None:
    """Parse a question whose names have their capitals; None if its form is not supported."""
    words = query.split()
    has_odd_mark = any(mark in query for mark in ';|{}[]\n"')
    if not _LEAST_WORDS <= len(words) <= _MOST_WORDS or has_odd_mark or _UNFIT_FOR_CLAIM.search(query):
        return None
    question_word, auxiliary = words[0].lower(), words[1].lower()
    if question_word == "who":
        return _who_question(words)
    following = words[2:]
    # "when did rome fall": without its capital or an article, the subject cannot be printed.
    if question_word not in ("when", "where") or not _begins_like_object(" ".join(following)):
        return None
    if auxiliary == "did":
        return _did_question(question_word, following)
    return _be_question(question_word, auxiliary, following) if auxiliary in _BE else None


# Words after the verb of a who-question that do not begin an object.
_NO_OBJECT = ("did", "does", "do", "at", "for", "in", "on")


def _who_question(words: list[str]) -> Question | None:
    """Parse "who is the …" and "who wrote …"."""
    _, verb, object_start, *following = [word.lower() for word in words]
    after_verb = " ".join(words[2:])
    if verb in ("is", "was") and following and object_start == "the":
        # A relative clause has another verb, which the negation of the claim would not touch.
        has_clause = "that" in following or "who" in following
        return None if has_clause else Question("who", "", verb, after_verb)
    if verb not in word_bank("made_verb") or object_start in _NO_OBJECT:
        return None
    if inflected(verb, "VB") == verb:
        return None  # "who write": a typing error, or a question about several people
    # Search queries leave the article out: "who sang song Hello".
    object_text = re.sub(r"^((?:theme )?(?:song|movie|film|book)s?\b)", r"the \1", after_verb)
    # An object in small letters needs an article: "who wrote constitution" cannot be printed.
    is_common_noun = words[2].islower() and object_start not in ("the", "a", "an", "to", "that")
    is_song = object_start == "song" or following[:1] == ["song"]
    if is_common_noun and not is_song and not _begins_like_object(object_text):
        return None
    return Question("who", "", verb, object_text)


def _begins_like_object(text: str) -> bool:
    """Whether the text begins with an article, a name or a number, as a correct sentence does after its verb."""
    return re.match(r"(?:the|a|an|[A-Z]\S*|\d\S*) ", f"{text} ") is not None


def _did_question(question_word: str, words: list[str]) -> Question | None:
    """Parse "when did Rome fall …", of which `words` are those from the subject on."""
    lowered = [word.lower() for word in words]
    # The subject stands before the main verb and has at least one word.
    for index in range(1, len(words)):
        if lowered[index] in word_bank("event_verb") and not _is_noun(lowered, index):
            past = inflected(lowered[index], "VBD")
            after_verb = lowered[index + 1 :]
            # "rise and fall" has a second verb, and "from" begins a span of time.
            if past is None or after_verb[:1] == ["and"] or "from" in after_verb:
                return None
            return Question(question_word, " ".join(words[:index]), past, " ".join(words[index + 1 :]))
    return None


def _be_question(question_word: str, auxiliary: str, words: list[str]) -> Question | None:
    """Parse "where was Emma filmed …", of which `words` are those from the subject on."""
    lowered = [word.lower() for word in words]
    for index in range(1, len(words)):
        if _is_participle(lowered[index]):
            # "was first filmed": the adverb belongs to the verb.
            has_adverb = lowered[index - 1] in ("first", "last", "originally", "finally")
            end = index - 1 if has_adverb else index
            if end == 0 or is_function_word(lowered[end - 1]):
                return None
            return Question(question_word, " ".join(words[:end]), auxiliary, " ".join(words[end:]))
    return None


def _is_noun(words: list[str], index: int) -> bool:
    """Whether a word that may be a verb is a noun, as "start" is in "the start"."""
    return words[index - 1] in ("the", "a", "an", "of", "to", "first", "last", "new")


def _is_participle(word: str) -> bool:
    """Whether a word is a past participle, as "filmed" is."""
    base = inflected(word, "VB")
    return base is not None and base != word and inflected(word, "VBN") == word and not word.endswith("ing")
