"""Real persons who answer a who-question, with their deeds, and whether a question can stand in print."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.question_parsing import inflected
from perturb.rules.words import is_common, plain, spans_of, tokens, word_list


@dataclass(frozen=True, slots=True)
class AnswerPerson:
    """A real person who answers a who-question, with what the person did."""

    name: str
    did: str
    """The finite verb with its objects: "wrote Emma"."""
    verb: str
    gender: str | None

    @property
    def relative(self) -> str:
        """The name with the deed: "Jane Austen, who wrote Emma"; the name alone where the deed is not fit to print."""
        return f"{self.name}, who {self.did}" if self.did else self.name


_MADE = frozenset(
    word_list(
        """
    plays played play voices voiced portrays portrayed wrote writes composed designed directed invented discovered
    produced created sings sang sung recorded founded won wins scored coined painted built hosts hosted narrated
    introduced sculpted patented performed drew made changed
    """
    )
)
_POSTS = re.compile(
    r"^(?:is|was) the (?:original |current |head |lead |main |first |new |present )*"
    r"(?:singer|director|writer|author|composer|producer|coach|ceo|president|host|lyricist|architect|designer|inventor|"
    r"founder|drummer|guitarist|narrator|\w+ president|(?:first )?signatory|speaker|leader)\b",
    re.IGNORECASE,
)  # fmt: skip


def answer_person_of(a: Analysis) -> AnswerPerson | None:
    """The answer as a real person who did what the question asks about; None in doubt, and for fictional persons."""
    q, name = a.question, a.answer
    words = name.split()
    verbs = [word for word in a.query.lower().split()[1:4] if word in _MADE]
    posted = re.match(r"who (.*)", a.query)
    if not 2 <= len(words) <= 4 or not a.query.lower().startswith("who "):
        return None
    if not (verbs or (posted and _POSTS.match(posted.group(1)))) or not _names_person(
        a, verbs[0] if verbs else ""
    ):
        return None
    if not a.single_answer and (not verbs or verbs[0] in ("won", "wins")):
        return None
    did = _deed(a) if q is not None and q.wh == "who" and q.gap == "subject" else ""
    return AnswerPerson(name, did, q.verb.lower() if q is not None else "", a.gender)


def done_of(doer: AnswerPerson | None) -> str | None:
    """What the person did, as a participle with its objects: "written Emma"; None for "is the director of Emma"."""
    if doer is None:
        return None
    verb, _, rest = doer.did.partition(" ")
    participle = inflected(verb.lower(), "VBN") if rest else None
    return (
        None
        if participle is None or verb.lower() in ("is", "was", "become", "became")
        else f"{participle} {rest}"
    )


def _deed(a: Analysis) -> str:
    """The claim's predicate if it can stand in print, else nothing."""
    if a.question is None or not is_clean(a):
        return ""
    did = re.sub(r"^(\w+) ((?:theme )?(?:song|movie|film|book)s?\b)", r"\1 the \2", a.question.after)
    if re.search(
        r"\b(?:this|last|next) (?:year|season)|\b[a-z]+ and [a-z]+\b|,|\b[A-Z]\w+ lyrics$|\b\d{4}$", did
    ):
        return ""
    return did


def _names_person(a: Analysis, verb: str) -> bool:
    """Whether the answer is a person, by its type or because nobody else can have played a part."""
    if a.answer_type is AnswerType.PERSON:
        return True
    words = a.answer.split()
    return (
        not re.match(r"who \w+ (?:at|for|in|on|with) ", a.query.lower())
        and verb in ("plays", "played", "portrayed", "portrays", "voiced", "voices")
        and 2 <= len(words) <= 3
        and all(word[0].isupper() and word.isalpha() for word in words)
        and words[0] not in ("The", "A")
    )


_NO_NAME = re.compile(
    r"\b(?:team|family|band|company|party|court|university|church|army|government|senate|congress|empire|club|states?|"
    r"council|group|emperor|house|company|association|society|committee|ministry|parliament)\b",
    re.IGNORECASE,
)


def maybe_person(a: Analysis) -> bool:
    """Whether the answer to a who-question of a maker or player can be a person: beside it an invented one may stand.

    It is a person by its type, or else a name of one to three plain words; a band passes too.
    """
    words, asked = a.answer.split(), a.query.lower().split()
    if re.match(r"who \w+ (?:at|for|in|on|with) ", a.query.lower()):
        return False
    if asked[:1] != ["who"] or (
        a.answer_type is not AnswerType.PERSON and asked[1] in ("won", "wins", "founded")
    ):
        return False
    if a.answer_type is AnswerType.PERSON:
        return True
    posted = re.match(
        r"who (?:is|was) the (?:\w+ ){0,2}(?:singer|writer|author|speaker|wife|husband)\b", a.query
    )
    return (
        (asked[1] in _MADE or posted is not None)
        and 1 <= len(words) <= 3
        and all(word[0].isupper() and word.replace("-", "").isalpha() for word in words)
        and words[0] not in ("The", "A", "An")
        and not _NO_NAME.search(a.answer)
    )


_ALWAYS_NAMES = frozenset(
    word_list(
        """
    joker batman superman bible olympics olympic google netflix hulu disney friends jessie drake arsenal woody
    us uk la dc jo mca ppf dr disco monday tuesday thursday friday saturday sunday july august
    """
    )
)


_SLIPS = re.compile(
    r"^who become\b|"
    r"\b(?:does|is|was) (?:the )?(?:new |last |first )?(?:episodes|seasons|movies|songs|games|comics|members)\b|"
    r"\b(?:wrote|sings|sang|said) I [a-z]|\bphrase [a-z]|\bcome out [A-Z]|\bas [a-z]+ of\b|\bin US\b|"
    r"\bthis years\b|[a-zA-Z] lyrics$|"
    r"\b[A-Z]\w+ (?:one|two|three|i{1,3})\b|\b(?<!how )(?:one|two|three) (?!of )[A-Z]\w+ [A-Z]|"
    r"^who (?:sings|sang|sung) .*\b[A-Z](?!.*\b(?:in|on|from|for|by|with) ).* "
    r"(?!(?:song|album|version|theme|music)$)[a-z]+$|"
    r"\bWorld War (?:one|two)\b|\b(?:on|in) [A-Z][\w'’]*(?: [a-z]+){3}$|\b(?:finished being|started to be) \w+$"
)
"""Slips of a question that print would show: a verb that does not agree, a word that is missing or out of place."""


def is_clean(a: Analysis) -> bool:
    """Whether the recased question can stand in print: no name in small letters, no word unknown, a known wh-form."""
    if not is_well_formed(a):
        return False
    for word in tokens(a.query)[1:]:
        known = (
            is_common(plain(word))
            or plain(word) in _PLAIN
            or _ORDINAL.match(word)
            or (len(word) > 3 and is_small_word(word, a.text))
        )
        if word.islower() and (not known or plain(word) in _ALWAYS_NAMES or _only_a_name(a, word)):
            return False
    return True


def is_well_formed(a: Analysis) -> bool:
    """Whether the question is sound but for names in small letters: a known wh-form, no slip, whole titles."""
    words = tokens(a.query)
    if not words or plain(words[0]) not in ("who", "when", "where", "what", "which", "how", "in", "why"):
        return False
    if re.search(
        r"^who'?s\b|\b(?:did|does) .*\b(?:emerges|changed|created|became)\b|\bdo we\b|\.\.\.", a.query
    ):
        return False
    if re.match(r"(?:when|where|who) did .*\b(?:grew|went|came)\b", a.query) or _SLIPS.search(a.query):
        return False
    return not _holds_more_of_a_title(a)


_PLAIN = frozenset(
    (
        *word_list(
            "during against among between throughout despite toward towards within upon across behind below"
        ),
        *pools.SMALL_NUMBERS,
        *pools.ORDINALS,
    )
)
"""Words that are no names, though the dictionary of nouns and verbs has them not."""
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$")


_LEADING_IN = re.compile(
    r"\b(?:song|movie|film|book|novel|show|story) "
    r"(?:(?!by|of|about|in|from|for|called|named|with|the|is|was|are|were|do|does|did)[\w'’]+ ){1,4}$",
    re.IGNORECASE,
)


_LEADING_WORDS = re.compile(
    r"who (?:sings|sang|sung|wrote) (?!the )"
    r"(?:(?!song|theme|lyrics|music|text|words|book|movie|by|for|to|of|from)\w+ ){1,3}$",
    re.IGNORECASE,
)
"""What stands before a title where more of it is in the query: "who wrote hit me Baby One More Time"."""


def _holds_more_of_a_title(a: Analysis) -> bool:
    """Whether words in small letters beside the topic belong to its name: "the song I want to Go Outside"."""
    bracket = re.search(r"\(([A-Z][^()]*)\)\s*$", "|".join(p.title for p in a.instance.passages))
    if bracket and len(bracket.group(1).split()) > 2 and bracket.group(1).lower() in a.query.lower():
        return True
    if a.topic is None or not a.topic.whole_title:
        return False
    before, after = a.query[: a.topic.start], a.query[a.topic.end :].lower().strip("? ").split()
    sung = re.match(r"who (?:sings|sang|sung|wrote)\b", a.query)
    foreign = bool(sung and after and after[0] in ("is", "are", "was", "to", "you", "me", "my", "so", "and"))
    return foreign or bool(_LEADING_IN.search(before) or _LEADING_WORDS.match(before))


def _only_a_name(a: Analysis, word: str) -> bool:
    """Whether the passages write a word of the question with a capital only, within sentences."""
    if word in ("the", "a", "an"):
        return False
    found = [
        text[s:e]
        for text in (a.text,)
        for s, e in spans_of(text, word)
        if s > 1 and text[s - 2] not in '.!?\n"'
    ]
    return bool(found) and all(form[:1].isupper() for form in found)


def is_small_word(name: str, text: str) -> bool:
    """Whether a name of one word is a common noun, which the passage writes small."""
    return " " not in name and any(text[start:end].islower() for start, end in spans_of(text, name))


_ASSERTING = {
    "coin": r"coin|origin|invent",
    "invent": r"invent|patent|devis|creat|develop",
    "discover": r"discover|found|identif|propos",
    "write": r"writ|wrote|compos|author|pen|lyric|novel|book|song|poem|play|\bby\b",
    "found": r"found|establish|start|creat",
}
"""Makings, with the beginnings of words that tell of them."""


def asserts_deed(a: Analysis) -> bool:
    """Whether the passage near an answer says that the deed of a who-question was done, where the deed is a making."""
    verb = (
        inflected(a.question.verb.lower(), "VB")
        if a.question is not None and a.question.wh == "who"
        else None
    )
    signs = _ASSERTING.get(verb or "")
    if signs is None:
        return True
    near = (a.sentences[j].text for i in a.answer_sentences for j in (i - 1, i) if j >= 0)
    return any(re.search(rf"\b(?:{signs})", text, re.IGNORECASE) for text in near)


_LIKE_A_SEARCH = re.compile(
    r"\b(?!in\b|of\b|by\b|since\b|until\b|before\b|after\b|for\b)[A-Za-z][\w'’]* (?:19|20)\d\d$|\ba \w+ [A-Z]{2,}\b|"
    r"\bthe (?:Tallest|Largest|Longest|Biggest|Highest|Oldest|Smallest|Fastest|Richest|Best|Most)\b|"
    r"\bthe new (?:movie|film|show|series|season)\b|\b(?:in|at) Olympics\b|\bin the world\b|"
    r"^who (?:\w+ )?(?:took part|takes part|participated|fought|shot first)\b|\bpurpose\b"
)
"""Searchers' shorthand, and questions whose answer is one of many or a definition that the passage repeats."""


def like_a_search(a: Analysis) -> bool:
    """Whether the question is worded as people type, so that its words cannot stand in print.

    A year after a month and a day is no such wording.
    """
    return _LIKE_A_SEARCH.search(re.sub(r" \w+ \d{1,2},? ((?:19|20)\d\d)$", r" in \1", a.query)) is not None
