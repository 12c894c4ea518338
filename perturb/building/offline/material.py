"""Cutters take material out of passages, and donors lend material to put in.

A cutter yields passages with less text, the best first. A donor is another instance of the base set that lends a second
referent or a passage. The table of donors keeps those with the smallest digests, a few for each kind of answer and
question. So it hardly changes when the base set grows, and an instance always gets the same donors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from perturb.building.offline.answers import Cut, cut_agent, cut_answer, cut_time, leak
from perturb.building.offline.facts import InstanceFacts, facts_of
from perturb.building.offline.gaps import Filling
from perturb.building.offline.words import Span, capitalise, compiled, content_stems, has_word, without_span
from perturb.catalogue.features import word_bank, word_pattern
from perturb.files.resources import digest, fraction_of, seed_of
from perturb.records import BaseInstance, Passage
from perturb.text.matching import beyond_reading


def beside_answer(facts: InstanceFacts, piece: str) -> bool:
    """Whether a piece of a passage may be cut: it holds no answer and no content word of the question."""
    answers = facts.instance.answers
    if any(has_word(piece, answer) or has_word(answer, piece.strip()) for answer in answers):
        return False
    return not content_stems(piece) & content_stems(facts.instance.query)


def _matches(facts: InstanceFacts, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, re.Match[str]]]:
    """Yield index and text of a passage with each match that lies within one complete sentence of it."""
    for index, passage in enumerate(facts.passages):
        for match in pattern.finditer(passage.text):
            if _stands_whole(facts, index, match.span()):
                yield index, passage.text, match


def _stands_whole(facts: InstanceFacts, index: int, span: Span) -> bool:
    """Whether the span lies within one complete sentence."""
    start, end = span
    return any(
        sentence.passage == index and sentence.start <= start and end <= sentence.end and sentence.complete
        for sentence in facts.sentences
    )


def _bracket(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a remark in brackets or between dashes."""
    for index, text, match in _matches(
        facts, compiled(r" ?\([^()]{4,160}\)| [–—] [^–—.()]{8,150} [–—](?= [a-z])")
    ):
        inner = match[0].strip(" ()–—")
        # A bracket that begins with a number stays: it may hold the dates from which the answer can be worked out.
        if (
            re.match(r"[^\d]*[a-z]{3}", inner)
            and beside_answer(facts, inner)
            and text[match.end() : match.end() + 1] in " ,.;"
        ):
            yield index, without_span(text, *match.span())


def _opening(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the phrase before the main clause of a sentence."""
    for sentence in facts.sentences:
        match = word_pattern("opening").search(sentence.text)
        if match is None or not sentence.complete or not beside_answer(facts, match[0]):
            continue
        if re.match(r"(?:After|Following|Because|Since|Due|Thanks)\b", match[0]):
            continue  # the main clause may make no sense without its cause
        if re.match(r"(?:In|On|At|During|By|From|For|With|Along)\b.* (?:it|he|she|they) ", match[0]):
            continue  # a clause with its own subject, to which the main clause may refer
        # The pattern ends with the first letter of the main clause.
        main_clause = sentence.text[match.end() - 1 :]
        if re.match(r"(?:Jr|Sr)\b|[a-z]+ed\b|(?:built|made|held|known|led|set|won|written) ", main_clause):
            continue  # the comma did not end the phrase: a title such as "Jr", or a participle clause
        names = re.findall(r"\b[A-Z]\w+", match[0][1:])
        if names and re.match(r"(?:he|she|it|they|his|her|its|their|this|these|that)\b", main_clause):
            continue  # the pronoun would lose the name that it stands for
        if re.match(r"(?:(?:the|an?) [^,.]{2,60}|[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,3}), ", main_clause):
            continue  # the text after the comma may merely describe the last name of the opening
        if re.search(r"\b(?:then|too|also|instead|therefore)\b", main_clause[:60]):
            continue  # the word refers to the opening
        if re.match(r"In (?:the )?[A-Z]", sentence.text) and re.search(r"\b(?:1\d|20)\d\d\b", main_clause):
            continue  # the year of a release in one country may not hold for another
        text = facts.passages[sentence.passage].text
        yield sentence.passage, text[: sentence.start] + capitalise(main_clause) + text[sentence.end :]


def _city(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a city before its region: "in Paris, Texas" becomes "in Texas"."""
    for index, text, match in _matches(facts, word_pattern("city_phrase")):
        text_before, text_after = text[: match.start()], text[match.end() :]
        # A preposition just before the city shows that city and region are a place and not, say, two items of a list.
        is_place = re.search(r"\b(?:in|at|from|near|of|to) $", text_before)
        # "In Paris, Texas held an election": the comma ends an opening phrase, and the region is the subject.
        region_is_subject = re.match(r"[A-Z][\w.]*(?: [A-Z][\w.]*)* [a-z]+(?:s|ed)\b", text_after)
        if is_place and not region_is_subject and beside_answer(facts, match[1]):
            yield index, text_before + text_after


def _colour(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the colour before a noun."""
    for index, text, match in _matches(facts, word_pattern("colour_use")):
        text_before, text_after = text[: match.start()], text[match.end() :]
        if re.search(r"\b(?:and|or|[a-z]+ish|dark|light|bright|pale|,) $", text_before):
            continue  # "dark green", "red and green": a part of a longer description
        if re.search(r"\ban $", text_before):
            continue  # the article may have to change: "an orange door" to "a door"
        noun = re.match(r" ([a-z]+)", text_after)
        if noun and beside_answer(facts, f"{match[0]} {noun[1]}"):
            if text_before.endswith(" a ") and noun[1][0] in "aeiou":
                continue  # the article would have to change: "a red apple" to "an apple"
            yield index, text_before + text_after.lstrip()


def _example(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a sentence that only gives an example."""
    for index, sentence in enumerate(facts.sentences):
        same_passage = [other for other in facts.sentences if other.passage == sentence.passage]
        # A next sentence that begins with "It" or "However" would lose what it refers to.
        next_refers_back = any(
            following.passage == sentence.passage and word_pattern("leans").match(following.text)
            for following in facts.sentences[index + 1 : index + 2]
        )
        if (
            len(same_passage) > 2  # a passage of one sentence would say too little
            and sentence.complete
            and not next_refers_back
            and re.match(r"For (?:example|instance)\b", sentence.text)
            and beside_answer(facts, sentence.text)
        ):
            text = facts.passages[sentence.passage].text
            yield sentence.passage, without_span(text, sentence.start, sentence.end)


def _figure(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the number in a phrase such as "its 12 rooms"."""
    # Longer words come first, so that "seventeen" is not read as "seven".
    number = rf"(?:\d[\d,]*|{'|'.join(sorted(word_bank('number_words'), key=len, reverse=True))})"
    # The noun is a plural. "the 12 rooms of" and "the 12 rooms and" may need the number for what follows.
    pattern = compiled(
        rf"\b(?:the|its|his|her|their|these|those) ({number} )(?=[a-z]{{3,}}s\b(?! (?:of|and|or|to)\b))"
    )
    for index, text, match in _matches(facts, pattern):
        noun = re.match(r"[a-z]+", text[match.end() :])
        # Without its number, a measure or a share such as "the 12 miles" or "the two halves" means nothing.
        if noun and noun[0] not in word_bank("counted_closely") and beside_answer(facts, match[1] + noun[0]):
            yield index, text[: match.start(1)] + text[match.end(1) :]


def _month(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut day and month of a date, so that only the year remains."""
    month = word_pattern("month").pattern
    day = rf"(?:\d{{1,2}} {month}|{month}(?: \d{{1,2}})?),?"
    # A date that begins a span ("on May 4, 1818 to …", "in May 1818 and June 1820") stays whole.
    pattern = compiled(
        rf"\b([Oo]n|[Ii]n) (?:the )?{day} ((?:1\d|20)\d\d)\b(?!\s*(?:[–-]|to\b|until\b|and \w+ \d))"
    )
    if any(word_pattern("month").search(answer) for answer in facts.instance.answers):
        return  # the question asks for a date, and any other date may matter to it
    for index, text, match in _matches(facts, pattern):
        text_before, text_after, year = text[: match.start()], text[match.end() :], match[2]
        cut_text = text[match.start() : match.start(2)]  # from "On" to the blank before the year
        if not beside_answer(facts, cut_text):
            continue
        sentence_before = re.split(r"[.!?\n]", text_before)[-1]
        # "The bridge opened on May 4, 1818, in Rome": the second comma closes the date and goes with the day. After an
        # earlier comma, or in an opening phrase of at most two words and the date, it may close more than the date.
        comma_closes_date = (
            "," in cut_text and "," not in sentence_before and len(sentence_before.split()) > 2
        )
        # These words begin a clause, which keeps the comma.
        if comma_closes_date and re.match(
            r", (?!and|but|which|who|with|when|where|after|before|it|he|she|they)[a-z]", text_after
        ):
            text_after = text_after[1:]
        yield index, f"{text_before}{'In' if cut_text[0].isupper() else 'in'} {year}{text_after}"


def _alias(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut another name, as in ", also known as …,"."""
    pattern = compiled(
        r",? (?:also|sometimes|commonly|better|popularly|formerly|originally|previously|often) "
        r"(?:known (?:simply )?as|called|spelled|abbreviated|nicknamed|termed|referred to as)"
        r" (?:the |an? )?[^,.;()]{2,50}(,)"
    )
    for index, text, match in _matches(facts, pattern):
        text_before, text_after = text[: match.start()], text[match.end() :]
        if (
            match[0][0] == ","  # only a name between two commas is a remark that can go with both
            and beside_answer(facts, match[0])
            and not re.match(r" (?:or|and) ", text_after)  # more names follow
        ):
            yield index, text_before + text_after


def _companion(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut a person beside the subject, as in "together with …", unless the text mentions the person again."""
    name = r"[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){1,2}"
    pattern = compiled(rf",? {word_pattern('companion').pattern} {name}(?=[,.])")
    for index, text, match in _matches(facts, pattern):
        text_after = text[match.end() :]
        surname = match[0].rsplit(maxsplit=1)[-1]
        # "alongside Ann Lee, who …", "alongside Ann Lee, the singer": the rest would describe somebody else.
        is_described = re.match(r",? (?:who|whom|whose|which|the|an?)\b", text_after)
        if beside_answer(facts, match[0]) and not has_word(text_after, surname) and not is_described:
            if match[0][0] == ",":
                text_after = text_after.removeprefix(",")  # the second comma of the pair goes with the first
            yield index, text[: match.start()] + text_after


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


# How many donors the table keeps for each kind of answer and each way of asking.
_IN_TABLE = 24
# How many donors of each group are lent to an instance.
_LENT = 10
# A donor's passage has at most this many characters.
_LONGEST = 4_000


@dataclass(frozen=True, eq=False)
class DonorTable:
    """A few instances of a base set for each kind of answer and each way of asking."""

    groups: Mapping[str, tuple[BaseInstance, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, instances: Iterable[BaseInstance]) -> DonorTable:
        """Draw the table of a base set."""
        lenders = (
            instance
            for instance in instances
            if not beyond_reading(instance.query, instance.passages)
            and sum(len(passage.text) for passage in instance.passages[:1]) <= _LONGEST
        )
        groups: dict[str, list[BaseInstance]] = {}
        # Drawn by the hash of the id and not by position, so that a longer base set keeps most of the table.
        for lender in sorted(lenders, key=lambda lender: (fraction_of("donor", lender.id), lender.id)):
            for group in _groups_of(lender.query, "".join(lender.answers[:1])):
                groups.setdefault(group, []).append(lender)
        return cls({name: tuple(members[:_IN_TABLE]) for name, members in sorted(groups.items())})

    @cached_property
    def digest(self) -> str:
        """Digest of the table, which enters the identity of rule jobs, since their items depend on the donors."""
        return digest([[name, [lender.id for lender in lenders]] for name, lenders in self.groups.items()])

    def lent_to(self, instance: BaseInstance) -> tuple[BaseInstance, ...]:
        """The donors for an instance: some with its kind of answer, some with its way of asking, and a few others."""
        return _lent(self, instance.id, instance.query, "".join(instance.answers[:1]))


@lru_cache(maxsize=256)
def _lent(table: DonorTable, borrower: str, query: str, answer: str) -> tuple[BaseInstance, ...]:
    donors: dict[str, BaseInstance] = {}
    # Each borrower starts at another place of the group, so that not all of them get the same donors. One more than
    # needed is taken, since the borrower itself may be among them.
    first = seed_of("lend", borrower)
    for group in _groups_of(query, answer):
        lenders = table.groups.get(group, ())
        order = (lenders[(first + n) % len(lenders)] for n in range(min(len(lenders), _LENT + 1)))
        donors |= {donor.id: donor for donor in order if donor.id != borrower}
    return tuple(donors.values())


def _groups_of(query: str, answer: str) -> list[str]:
    """The groups that an instance belongs to, judged by the wording of its question and of its first answer."""
    words = query.lower().split()
    way_of_asking = " ".join(words[:2]) if words[:1] == ["who"] else next(iter(words), "")
    if word_pattern("dated").search(answer):
        kind = "date"
    elif re.search(r"\d", answer):
        kind = "number"
    elif any(word in word_bank("first_name") for word in answer.split()):
        kind = "person"
    elif answer in word_bank("city") | word_bank("region"):
        kind = "place"
    else:
        kind = "other"
    return [f"answer {kind}", f"asked {way_of_asking}", "any"]


# A donor's passage may be this many times longer or shorter than the passage that it joins or replaces.
_MOST_TIMES = 2.5
# Words that credit a person with a work.
_CREDIT = re.compile(
    r"\b(?:writ\w+|wrote|compos\w+|author\w*|poe[mt]\w*|music\w*|lyric\w*|songs?|songwriter|sing(?:s|er|ers)?|sang|sung|record\w*|play(?:s|ed)"
    r"|starr?(?:s|ed|ing)|portray\w*|voice[sd]?|direct\w+)\b",
    re.IGNORECASE,
)


def unrelated(filling: Filling) -> Iterator[tuple[Passage, ...]]:
    """Yield passages of donors that share no word with the question, as many as there are signal passages."""
    query_stems = content_stems(filling.facts.instance.query)
    passages = filling.facts.passages
    chosen: list[tuple[str, Passage]] = []
    for donor in filling.donors:
        if len(chosen) == len(passages):
            break
        if facts_of(donor).kind == filling.facts.kind:
            continue  # a reader might take the donor's answer for an answer to the question
        if _CREDIT.search(filling.facts.query) and _CREDIT.search(donor.passages[0].text):
            continue  # the donor may credit another person with the work that the question asks about
        for passage in facts_of(donor).passages[:1]:
            donor_text = f"{passage.title} {passage.text}"
            if (
                _alike_in_length(passage.text, passages[len(chosen)].text)
                and _begins_and_ends(passage.text)
                and not content_stems(donor_text) & query_stems
                and leak(filling.facts, donor_text) is None
            ):
                chosen.append((donor.id, replace(passage, text=re.sub(r" {2,}", " ", passage.text))))
    if len(chosen) < len(passages):
        return
    filling.used |= {name for name, _ in chosen}
    yield tuple(replace(new, role=old.role) for old, (_, new) in zip(passages, chosen, strict=True))


def _alike_in_length(text: str, other: str) -> bool:
    return len(text) <= len(other) * _MOST_TIMES and len(other) <= len(text) * _MOST_TIMES


def _begins_and_ends(text: str) -> bool:
    """Whether a passage begins and ends with whole sentences."""
    if re.match(r"[A-Z]\w*(?: \w+){0,2}, (?:but|and|where|which)\b", text) or re.search(r"\(\s|\s\)", text):
        return False
    return re.match(r"[\"“(]?[A-Z]", text) is not None and re.search(r"[.!?][\"”)]?\s*$", text) is not None


def joined(filling: Filling) -> Iterator[tuple[str, str]]:
    """For each donor that asks the same of another thing, yield a noun for both and their passages in one text."""
    facts = filling.facts
    own_text = facts.passages[facts.home].text
    for donor in filling.donors:
        other = facts_of(donor)
        if other.unfit is not None or other.subject is None or facts.subject is None or not other.one_answer:
            continue
        donor_text = other.passages[other.home].text
        kind = other.subject.kind
        if kind != facts.subject.kind or kind == "person" or _asked(other) != _asked(facts):
            continue
        if has_word(donor_text, facts.answer) or has_word(own_text, other.answer):
            continue
        if not (
            _begins_and_ends(own_text)
            and _begins_and_ends(donor_text)
            and _alike_in_length(donor_text, own_text)
        ):
            continue
        filling.used.add(donor.id)
        # A ballad and an anthem are both called by their kind, "song"; two ballads keep their noun.
        noun = facts.subject.noun if facts.subject.noun == other.subject.noun else kind
        yield noun, f"{own_text.rstrip()}\n\n{donor_text.strip()}"


def _asked(facts: InstanceFacts) -> frozenset[str]:
    """The stems of what the question asks about its subject, without the subject's name and noun."""
    subject = facts.subject
    question = facts.instance.query.lower()
    if subject is not None:
        question = question.replace(re.sub(r"^the ", "", subject.name.lower()), " ").replace(
            subject.noun, " "
        )
    return content_stems(question) - content_stems("song movie film book novel show series lyrics")
