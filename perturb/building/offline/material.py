"""What operators take out of passages, and what they put in from passages of donors.

A *cutter* yields one passage with less text at a time, the best cut first. `CUTTERS` has them by name. A *donor* is
another instance of the base set that lends a passage. It may replace the passages of the instance, or join them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from perturb.building.offline.answers import Cut, cut_agent, cut_answer, cut_time, leak
from perturb.building.offline.facts import InstanceFacts, facts_of
from perturb.building.offline.gaps import Filling
from perturb.building.offline.subject import Subject
from perturb.building.offline.words import capitalise, compiled, content_stems, has_word, without_span
from perturb.catalogue.features import word_bank, word_pattern
from perturb.records import BaseInstance, Passage
from perturb.text.passages import split_sentences


def may_be_cut(facts: InstanceFacts, piece: str) -> bool:
    """Whether a piece of a passage is beside the point: it holds no answer and no content word of the question.

    A piece that is a part of an answer may not be cut either.
    """
    if any(has_word(piece, answer) or has_word(answer, piece.strip()) for answer in facts.answers):
        return False
    return content_stems(piece).isdisjoint(content_stems(facts.query))


class _Piece(NamedTuple):
    """A piece of a passage that matches a pattern, with the text around it."""

    passage: int
    """Index of the passage."""
    before: str
    match: re.Match[str]
    after: str

    @property
    def text(self) -> str:
        return self.match[0]

    def followed_by(self, text: str) -> Cut:
        """The passage up to the piece, followed by this text."""
        return Cut(self.passage, self.before + text)


def _pieces(facts: InstanceFacts, pattern: re.Pattern[str]) -> Iterator[_Piece]:
    """Yield each match of a pattern that lies within one complete sentence of a passage."""
    for index, passage in enumerate(facts.passages):
        for match in pattern.finditer(passage.text):
            start, end = match.span()
            if any(
                sentence.passage == index
                and sentence.start <= start
                and end <= sentence.end
                and sentence.complete
                for sentence in facts.sentences
            ):
                yield _Piece(index, passage.text[:start], match, passage.text[end:])


# "(a village in Kent)", "– a village in Kent –"
_BRACKET = re.compile(r" ?\([^()]{4,160}\)| [–—] [^–—.()]{8,150} [–—](?= [a-z])")


def _bracket(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a remark in brackets or between dashes."""
    for piece in _pieces(facts, _BRACKET):
        remark = piece.text.strip(" ()–—")
        # A bracket that begins with a number stays: it may hold the dates from which the answer can be worked out.
        begins_with_word = re.match(r"[^\d]*[a-z]{3}", remark)
        # At the end of a text nothing follows, and the empty text counts as fitting.
        if begins_with_word and piece.after[:1] in " ,.;" and may_be_cut(facts, remark):
            yield Cut(piece.passage, without_span(piece.match.string, *piece.match.span()))


def _opening(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the phrase before the main clause of a sentence: "In the summer of 1901, the bridge was closed"."""
    for sentence in facts.sentences:
        match = word_pattern("opening").search(sentence.text)
        if match is None or not sentence.complete or not may_be_cut(facts, match[0]):
            continue
        # The pattern ends with the first letter of the main clause.
        main_clause = sentence.text[match.end() - 1 :]
        if not _needs_opening(match[0], main_clause):
            text = facts.passages[sentence.passage].text
            text = text[: sentence.start] + capitalise(main_clause) + text[sentence.end :]
            yield Cut(sentence.passage, text)


# By the next patterns, `_needs_opening` finds sentences that must stay whole. Each has an example of such a sentence.

# "Because of a fire, the bridge was closed": the main clause may make no sense without its cause.
_CAUSE = re.compile(r"(?:After|Following|Because|Since|Due|Thanks)\b")
# "In the year that it opened, the bridge …": a clause with its own subject, to which the main clause may refer.
_CLAUSE_WITH_SUBJECT = re.compile(r"(?:In|On|At|During|By|From|For|With|Along)\b.* (?:it|he|she|they) ")
# "In the house of John Bell, Jr., …", "On the bridge, built in 1901, …": the comma did not end the opening.
_OPENING_GOES_ON = re.compile(r"(?:Jr|Sr)\b|[a-z]+ed\b|(?:built|made|held|known|led|set|won|written) ")
# "Unlike Ann Bell, she …": the pronoun may stand for the name in the opening.
_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|that)\b")
# "On the island of Skye, the largest of the group, …": the text after the comma may describe the last name.
_DESCRIPTION = re.compile(r"(?:(?:the|an?) [^,.]{2,60}|[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,3}), ")
# "In spring, the river then rises": the word refers to the opening.
_REFERS_BACK = re.compile(r"\b(?:then|too|also|instead|therefore)\b")
# "In Japan, the film was released in 1984": the year may not hold for other countries.
_IN_PLACE = re.compile(r"In (?:the )?[A-Z]")
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


def _needs_opening(opening: str, main_clause: str) -> bool:
    """Whether a sentence would be wrong or unclear without the phrase before its main clause."""
    if _CAUSE.match(opening) or _CLAUSE_WITH_SUBJECT.match(opening):
        return True
    if _OPENING_GOES_ON.match(main_clause) or _DESCRIPTION.match(main_clause):
        return True
    # The first word has a capital in any case, so the search begins after its first letter.
    has_name = re.search(r"\b[A-Z]\w+", opening[1:])
    if has_name and _PRONOUN.match(main_clause):
        return True
    if _IN_PLACE.match(opening) and _YEAR.search(main_clause):
        return True
    # Such a word refers to the opening only if it stands near the beginning.
    return _REFERS_BACK.search(main_clause[:60]) is not None


def _city(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a city before its region: "in Paris, Texas" becomes "in Texas"."""
    for piece in _pieces(facts, word_pattern("city_phrase")):
        # A preposition just before the city shows that city and region are a place and not, say, two items of a list.
        is_place = re.search(r"\b(?:in|at|from|near|of|to) $", piece.before)
        # "In Paris, Texas held an election": the comma ends an opening phrase, and the region is the subject.
        region_is_subject = re.match(r"[A-Z][\w.]*(?: [A-Z][\w.]*)* [a-z]+(?:s|ed)\b", piece.after)
        if is_place and not region_is_subject and may_be_cut(facts, piece.match[1]):
            yield piece.followed_by(piece.after)


def _colour(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the colour before a noun."""
    for piece in _pieces(facts, word_pattern("colour_use")):
        if re.search(r"\b(?:and|or|[a-z]+ish|dark|light|bright|pale|,) $", piece.before):
            continue  # "dark green", "red and green": a part of a longer description
        if re.search(r"\ban $", piece.before):
            continue  # the article may have to change: "an orange door" to "a door"
        noun = re.match(r" ([a-z]+)", piece.after)
        if noun is None or not may_be_cut(facts, f"{piece.text} {noun[1]}"):
            continue
        if piece.before.endswith(" a ") and noun[1][0] in "aeiou":
            continue  # the article would have to change: "a red apple" to "an apple"
        yield piece.followed_by(piece.after.lstrip())


def _example(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a sentence that only gives an example."""
    for sentence in facts.sentences:
        is_example = re.match(r"For (?:example|instance)\b", sentence.text)
        if not is_example or not sentence.complete or not may_be_cut(facts, sentence.text):
            continue
        text = facts.passages[sentence.passage].text
        if len(split_sentences(text)) <= 2:
            continue  # a passage of one sentence would say too little
        next_sentence = facts.sentence_after(sentence)
        if next_sentence is not None and word_pattern("leans").match(next_sentence.text):
            continue  # a sentence that begins with "It" or "However" would lose what it refers to
        yield Cut(sentence.passage, without_span(text, sentence.start, sentence.end))


def _figure(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the number in a phrase such as "its 12 rooms"."""
    # Longer words come first, so that "seventeen" is not read as "seven".
    number_words = sorted(word_bank("number_words"), key=len, reverse=True)
    number = rf"(?:\d[\d,]*|{'|'.join(number_words)})"
    # The noun is a plural. "the 12 rooms of" and "the 12 rooms and" may need the number for what follows.
    pattern = compiled(
        rf"\b((?:the|its|his|her|their|these|those) )({number} )(?=[a-z]{{3,}}s\b(?! (?:of|and|or|to)\b))"
    )
    for piece in _pieces(facts, pattern):
        determiner, number_and_blank = piece.match.groups()
        noun = re.match(r"[a-z]+", piece.after)
        # Without its number, a measure or a share such as "the 12 miles" or "the two halves" means nothing.
        if noun is None or noun[0] in word_bank("counted_closely"):
            continue
        if may_be_cut(facts, number_and_blank + noun[0]):
            yield piece.followed_by(determiner + piece.after)


def _month(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut day and month of a date, so that only the year remains."""
    if any(word_pattern("month").search(answer) for answer in facts.answers):
        return  # the question asks for a date, and any other date may matter to it
    month = word_pattern("month").pattern
    day = rf"(?:\d{{1,2}} {month}|{month}(?: \d{{1,2}})?),?"
    # A date that begins a span ("on May 4, 1818 to …", "in May 1818 and June 1820") stays whole.
    pattern = compiled(
        rf"\b((?:[Oo]n|[Ii]n) (?:the )?{day} )((?:1\d|20)\d\d)\b(?!\s*(?:[–-]|to\b|until\b|and \w+ \d))"
    )
    for piece in _pieces(facts, pattern):
        day_and_month, year = piece.match.groups()
        if not may_be_cut(facts, day_and_month):
            continue
        text_after = piece.after
        # The second comma goes with the day, unless one of these words begins a clause, which keeps it.
        if _comma_closes_date(piece.before, day_and_month) and re.match(
            r", (?!and|but|which|who|with|when|where|after|before|it|he|she|they)[a-z]", text_after
        ):
            text_after = text_after[1:]
        preposition = "In" if day_and_month[0].isupper() else "in"
        yield piece.followed_by(f"{preposition} {year}{text_after}")


def _comma_closes_date(text_before: str, day_and_month: str) -> bool:
    """Whether a comma after the year would belong to the date.

    After an earlier comma of the sentence, it may close more than the date. In an opening phrase, which has at most two
    words before the date, it may end the phrase.

    >>> _comma_closes_date("The bridge opened ", "on May 4, ")  # "… on May 4, 1818, in Rome"
    True
    >>> _comma_closes_date("", "On May 4, ")  # "On May 4, 1818, the bridge opened"
    False
    """
    *_, sentence_before = re.split(r"[.!?\n]", text_before)
    is_opening = len(sentence_before.split()) <= 2
    return "," in day_and_month and "," not in sentence_before and not is_opening


# ", also known as the Old Bridge,": the last comma is a group.
_ALIAS = re.compile(
    r",? (?:also|sometimes|commonly|better|popularly|formerly|originally|previously|often) "
    r"(?:known (?:simply )?as|called|spelled|abbreviated|nicknamed|termed|referred to as)"
    r" (?:the |an? )?[^,.;()]{2,50}(,)"
)


def _alias(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut another name, as in ", also known as …,"."""
    for piece in _pieces(facts, _ALIAS):
        # Only a name between two commas is a remark that can go with both.
        is_between_commas = piece.text.startswith(",")
        more_names_follow = re.match(r" (?:or|and) ", piece.after)
        if is_between_commas and not more_names_follow and may_be_cut(facts, piece.text):
            yield piece.followed_by(piece.after)


def _companion(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a person beside the subject, as in "together with …", unless the text mentions the person again."""
    name = r"[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){1,2}"
    pattern = compiled(rf",? {word_pattern('companion').pattern} {name}(?=[,.])")
    for piece in _pieces(facts, pattern):
        surname = piece.text.rsplit(maxsplit=1)[-1]
        # "alongside Ann Lee, who …", "alongside Ann Lee, the singer": the rest would describe somebody else.
        is_described = re.match(r",? (?:who|whom|whose|which|the|an?)\b", piece.after)
        if is_described or has_word(piece.after, surname) or not may_be_cut(facts, piece.text):
            continue
        is_aside = piece.text.startswith(",")
        # The second comma of a pair goes with the first.
        yield piece.followed_by(piece.after.removeprefix(",") if is_aside else piece.after)


CUTTERS: Mapping[str, Callable[[InstanceFacts], Iterator[Cut]]] = {
    "bracket": _bracket,
    "opening": _opening,
    "city": _city,
    "colour": _colour,
    "example": _example,
    "figure": _figure,
    "month": _month,
    "alias": _alias,
    "companion": _companion,
    "answer": cut_answer,
    "time": cut_time,
    "agent": cut_agent,
}
TAKES_ANSWER = ("answer", "time", "agent")
"""The cutters that remove the answer."""


# A donor's passage may be this many times longer or shorter than the passage that it joins or replaces.
_MOST_TIMES = 2.5
# Words that credit a person with a work.
_CREDIT = re.compile(
    r"\b(?:writ\w+|wrote|compos\w+|author\w*|poe[mt]\w*|music\w*|lyric\w*|songs?|songwriter|sing(?:s|er|ers)?|sang|sung|record\w*|play(?:s|ed)"
    r"|starr?(?:s|ed|ing)|portray\w*|voice[sd]?|direct\w+)\b",
    re.IGNORECASE,
)


def unrelated_passages(filling: Filling) -> tuple[Passage, ...] | None:
    """Passages of donors that share no word with the question, one for each passage of the instance.

    Each takes the role of the passage that it replaces. None if the donors do not have enough such passages.
    """
    facts = filling.facts
    chosen: dict[str, Passage] = {}
    waiting = list(facts.passages)
    for donor in filling.donors:
        if not waiting:
            break
        passage = facts_of(donor).passages[0]
        if _is_unrelated(facts, donor, passage) and _fits_beside(passage.text, waiting[0].text):
            text = re.sub(r" {2,}", " ", passage.text)
            chosen[donor.id] = replace(passage, text=text, role=waiting.pop(0).role)
    if waiting:
        return None
    filling.used.update(chosen)
    return tuple(chosen.values())


def _is_unrelated(facts: InstanceFacts, donor: BaseInstance, passage: Passage) -> bool:
    """Whether the passage of a donor gives no answer to the question, not even a wrong one."""
    if facts_of(donor).kind == facts.kind:
        return False  # a reader might take the donor's answer for an answer to the question
    if _CREDIT.search(facts.cased_query) and _CREDIT.search(donor.passages[0].text):
        return False  # the donor may credit another person with the work that the question asks about
    titled_text = f"{passage.title} {passage.text}"
    shares_word = not content_stems(titled_text).isdisjoint(content_stems(facts.query))
    return not shares_word and leak(facts, titled_text) is None


def _fits_beside(text: str, other: str) -> bool:
    """Whether a text is made of whole sentences, and not much longer or shorter than another."""
    is_alike_in_length = len(text) <= len(other) * _MOST_TIMES and len(other) <= len(text) * _MOST_TIMES
    return is_alike_in_length and _has_whole_sentences(text)


# "Later, but not at once …": the passage begins within a sentence.
_BEGINS_WITHIN = re.compile(r"[A-Z]\w*(?: \w+){0,2}, (?:but|and|where|which)\b")
# "( born 1901 )": words and marks were separated by a program, and the text reads badly.
_TOKENISED = re.compile(r"\(\s|\s\)")


def _has_whole_sentences(text: str) -> bool:
    """Whether a passage begins and ends with whole sentences."""
    if _BEGINS_WITHIN.match(text) or _TOKENISED.search(text):
        return False
    begins_with_capital = re.match(r"[\"“(]?[A-Z]", text)
    ends_with_mark = re.search(r"[.!?][\"”)]?\s*$", text)
    return begins_with_capital is not None and ends_with_mark is not None


class JoinedPassage(NamedTuple):
    """A passage on two things of the same kind."""

    noun: str
    """The noun that both things share: "film"."""
    text: str


def joined_passages(filling: Filling, subject: Subject) -> Iterator[JoinedPassage]:
    """Join the passage with the answer and the passage of each donor that asks the same of another thing.

    `subject` is the subject of the instance. The other thing must be of the same kind.
    """
    facts = filling.facts
    own_text = facts.passages[facts.home].text
    if subject.kind == "person" or not _has_whole_sentences(own_text):
        return
    for donor in filling.donors:
        other = facts_of(donor)
        if other.unfit is not None or not other.one_answer:
            continue
        if other.subject is None or other.subject.kind != subject.kind or _asked(other) != _asked(facts):
            continue
        other_text = other.passages[other.home].text
        if has_word(other_text, facts.answer) or has_word(own_text, other.answer):
            continue  # the joined passage would give one answer for both things
        if not _fits_beside(other_text, own_text):
            continue
        filling.used.add(donor.id)
        # A ballad and an anthem are both called by their kind, "song"; two ballads keep their noun.
        noun = subject.noun if subject.noun == other.subject.noun else subject.kind
        yield JoinedPassage(noun, f"{own_text.rstrip()}\n\n{other_text.strip()}")


def _asked(facts: InstanceFacts) -> frozenset[str]:
    """The stems of what the question asks about its subject, without the subject's name and noun.

    "who wrote the film Jaws" asks "who wrote".
    """
    question = facts.query.lower()
    if facts.subject is not None:
        name = re.sub(r"^the ", "", facts.subject.name.lower())
        question = question.replace(name, " ").replace(facts.subject.noun, " ")
    return content_stems(question) - content_stems("song movie film book novel show series lyrics")
