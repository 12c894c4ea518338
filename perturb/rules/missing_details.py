"""Rules of P-MissingInfo at LOW: a detail leaves the context that the question does not need."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.bases import answers_plainly
from perturb.rules.drafts import DANGLING, kept_both, with_text
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import Sentence
from perturb.rules.words import capitalise, content_stems, has_word, is_common, plain, tokens, word_list

LOW = Cell(PerturbationClass.MISSING_INFO, Intensity.LOW)

Edit = tuple[int, int, str]
"""Start and end in a passage's text, and what comes in their place."""
Finder = Callable[[Analysis, Sentence], Iterator[Edit]]

_STATES = "|".join(re.escape(place) for place in (*pools.COUNTRIES, *pools.US_STATES))
_CITY = re.compile(rf"\b(?:in|from|near)\s+(?P<cut>[A-Z][a-z]+(?: [A-Z][a-z]+)?, )(?:{_STATES})\b")
_MONTH = "|".join(pools.MONTHS)
_FULL_DATE = re.compile(
    rf"\b(?P<on>[Oo]n )?(?:(?:{_MONTH}) \d{{1,2}}, |\d{{1,2}} (?:{_MONTH}) )(?P<year>\d{{4}})\b"
    rf"|\b(?P<in>[Ii]n )(?:{_MONTH}) (?P<month_year>\d{{4}})\b"
)
_BRACKET = re.compile(r"\s*\([^()]{3,90}\)")
_DASHED = re.compile(r"\s*—[^—.;]{8,90}—\s*|\s–\s[^–.;]{8,90}\s–\s")
_INTRO = re.compile(
    r"(?:In|On|At|During|After|Before|Since|Following|By|While|Although|Throughout|Until|Under|Despite|"
    r"Along with|Prior to|According to|Upon|Because of|Due to|Owing to|Thanks to|As of|For|From|With|Among|Between|"
    r"Originally|Initially|Historically|Traditionally|Typically|Generally|Today|Currently|Previously|Later|"
    r"Eventually)\b[^,.;:()]{0,70}, "
)
_SYNONYM = re.compile(
    r",? (?:also|commonly|sometimes|often|formerly|informally|popularly) (?:known|called|referred to)"
    r"(?: (?:locally|simply))?(?: as)? "
    r"[^,;.()]{2,50}(?P<end>,|(?=\)))|\s*\((?:also|commonly|sometimes) (?:known|called)[^()]{2,60}\)"
)
_STATISTIC = re.compile(
    r", (?:with|including|having|covering|selling|earning|grossing|reaching|averaging) "
    r"[^,.;()]*(?<!\d)(?!(?:1[0-9]|20)\d\d\b)\d[\d,.]*[^,.;()]*(?=\.(?:\s|$))"
)
_COLOUR = re.compile(
    r"\b(?:a|the|its|his|her|their|with|of|in|bright|dark|large|small)\s"
    rf"(?P<cut>(?:{'|'.join(sorted(pools.COLOURS))}) )(?P<noun>[a-z]{{3,}})"
)
_EXAMPLE = re.compile(
    r"^(?:For|As an?) (?:example|instance)\b|^(?:One|An|Another|Some|Other|Notable|Typical|Common) (?:\w+ )?examples?\b"
    r"|^(?:The )?[Ee]xamples? |^One such\b|^In one (?:case|instance)\b|, for (?:example|instance),|\be\.g\."
)
"""What marks a sentence as an example of the more general one before it."""
_FIXED = frozenset(
    word_list(
        "blood comedy hole carpet card house light lights humor humour people man men woman women dwarf market "
        "belt matter noise screen wolf wolves hair eyes and or with "
        "panther metal magic medal medals age fleece star stars flag cross"
    )
)
"""Nouns with which a colour often forms a name."""


_LEANS_ON_TIME = re.compile(
    r"\b(?:until|earlier|later|still|then|again|by then|same|began|started|continued|himself|herself|ha(?:s|ve) been)\b"
    r"|\banother\b|, the \w+ "
)
"""What needs the time or place that an opening phrase gives."""
_RELATIVE = re.compile(
    r"\b(?:earlier|later|until|between|then|same|following)\b"
    r"|\bdays?\b|\d:?\d\d ?(?:hrs|hours|[ap]\.?m\b|GMT|UTC)|\bo'clock\b|\bbegan\b"
)
"""Words that hang on a full date beside them."""


def _harmless(analysis: Analysis, removed: str, rest: str) -> bool:
    """Whether a removal takes neither answer nor any word of the question that is not said elsewhere."""
    if any(has_word(removed, alias) for alias in analysis.instance.answers):
        return False
    asked = content_stems(analysis.instance.query)
    answers = content_stems(" ".join(analysis.instance.answers))
    return not (asked | answers) & content_stems(removed) and bool(rest.strip())


def _edited(analysis: Analysis, rng: random.Random, finder: Finder, reasoning: str) -> Draft | None:
    """One edit out of those found in complete sentences, if it is harmless and leaves a sound text."""
    found: list[tuple[int, Edit]] = []
    for sentence in analysis.sentences:
        if sentence.complete:
            found += [(sentence.passage, edit) for edit in finder(analysis, sentence)]
    rng.shuffle(found)
    for passage, (start, end, new) in found:
        text = analysis.instance.passages[passage].text
        changed = text[:start] + new + text[end:]
        if _harmless(analysis, _lost(text[start:end], new), changed) and _sound(
            changed[max(0, start - 30) : start + 40]
        ):
            return with_text(analysis, passage, changed, reasoning)
    return None


def _lost(old: str, new: str) -> str:
    kept = set(tokens(new))
    return " ".join(token for token in tokens(old) if token not in kept)


def _sound(text: str) -> bool:
    return not re.search(r",,|, ,| ,| \.(?!\.)|\(\)|\b(?:the|a|an) [,.]|\ba [aeiou]|\ban [^aeioh\W]", text)


def _within(sentence: Sentence, match: re.Match[str], new: str, group: str | int = 0) -> Edit:
    return sentence.start + match.start(group), sentence.start + match.end(group), new


def _examples(analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    """The sentence itself, when it says that it gives an example and nothing refers back to it."""
    own = analysis.sentences_in(sentence.passage)
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    place = own.index(sentence)
    following = own[place + 1] if place + 1 < len(own) else None
    if sentence in held or place == 0 or _EXAMPLE.search(sentence.text) is None:
        return
    if following is None:
        yield own[place - 1].end, sentence.end, ""
    elif not DANGLING.match(following.text) and following not in held:
        yield sentence.start, following.start, ""


def _brackets(analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    titles = " ".join(p.title for p in analysis.instance.passages)
    named = re.search(r"\b(?:names?|called|mean\w*)\b", analysis.instance.query.lower()) is not None
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    for match in (*_BRACKET.finditer(sentence.text), *_DASHED.finditer(sentence.text)):
        inner = match.group().strip(" ()—–")
        before = sentence.text[: match.start()]
        if before.count("(") > before.count(")") or (named and sentence in held):
            continue
        if sentence.text.count("(") > 1 and re.match(r"[A-Z][a-z]+$|\d{4}$", inner):
            continue
        short = re.search(r"\b[A-Z][A-Z&.]+s?\b", inner)
        if short and analysis.text.count(short.group().rstrip("s")) > 1:
            continue
        if any(before.endswith(alias) for alias in analysis.instance.answers):
            continue
        after = sentence.text[match.end() : match.end() + 1]
        if (
            inner in titles
            or after in ('"', "”", "'")
            or match.start() == 0
            or sentence.text[match.start() - 1] in '"“'
        ):
            continue
        dashed = match.group().lstrip()[:1] in "—–"
        yield _within(sentence, match, " " if dashed else "")


def _intros(analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    match = _INTRO.match(sentence.text)
    if match is None:
        return
    end = match.end()
    extended = re.match(r"(?:\d{4}|[A-Z]\w+(?: [A-Z]\w+)?), ", sentence.text[end:])
    if extended:
        end += extended.end()
    rest = sentence.text[end:]
    place = analysis.sentences_in(sentence.passage).index(sentence)
    opens_well = re.match(
        r"(?:the|a|an|he|she|it|they|his|her|its|their|this|there|many|some|most|all)\b|[A-Z][a-z]+ ", rest
    )
    named = re.search(r"\b[A-Z]", sentence.text[1:end]) and re.match(
        r"(?:he|she|it|they|his|her|its|their|this|there)\b", rest
    )
    if (
        opens_well is None
        or (re.search(r"\d{4}", sentence.text[:end]) and re.search(rf"\b(?:{_MONTH})\b", rest))
        or named
        or _LEANS_ON_TIME.search(rest)
        or (place > 0 and re.search(r"\b(?:game|match|event|ceremony|show)\b", sentence.text[:end]))
        or re.search(r"^[^.,]{0,40}, (?!which|who)", rest)
        or len(rest.split()) < 5
    ):
        return
    if analysis.instance.query.lower().startswith("when") and any(
        analysis.sentences[i] == sentence for i in analysis.answer_sentences
    ):
        return
    yield sentence.start, sentence.start + end + 1, capitalise(rest[:1])


def _colours(_analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    for match in _COLOUR.finditer(sentence.text):
        metal = match.group("cut").strip() in ("gold", "golden", "silver")
        if not metal and match.group("noun") not in _FIXED and is_common(match.group("noun")):
            yield _within(sentence, match, "", "cut")


def _cities(analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    if analysis.answer_type is not AnswerType.PLACE and not analysis.instance.query.lower().startswith(
        "where"
    ):
        for match in _CITY.finditer(sentence.text):
            city = match.group("cut").rstrip(", ")
            before, after = sentence.text[: match.start()], sentence.text[match.end() :]
            paired = re.search(r"\b(?:and|or)\s*$", before) or re.match(r",? (?:and|or) [A-Z]", after)
            whole = city in (*pools.COUNTRIES, *pools.US_STATES)
            if analysis.text.count(city) == 1 and not paired and not whole:
                yield _within(sentence, match, "", "cut")


def _dates(analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    if analysis.instance.query.lower().startswith(("when", "what day", "what date")) and sentence in held:
        return
    for match in _FULL_DATE.finditer(sentence.text):
        before, after = sentence.text[: match.start()], sentence.text[match.end() :]
        if re.search(r"(?:[–-]|\bto|\bfrom|\bof|the)\s*$", before) or re.match(r"\s*[–-]", after):
            continue
        near = f"{before} {after}"
        beyond = analysis.text.replace(sentence.text, "")
        if (
            _RELATIVE.search(near)
            or re.search(r"\b(?:1[0-9]|20)\d\d\b", near)
            or match.group()[-4:] in beyond
            or re.search(r"\b(?:days?|hours|weeks|months) (?:earlier|later|before|after)\b", beyond)
        ):
            continue
        on = match.group("on") or match.group("in")
        if not on and not re.search(r"(?:\(|born|since|until|by) $|\($", before):
            continue
        lead = {"O": "In ", "o": "in "}.get((on or " ")[0], on or "")
        yield _within(sentence, match, lead + (match.group("year") or match.group("month_year")))


def _synonyms(_analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    for match in _SYNONYM.finditer(sentence.text):
        yield _within(sentence, match, "")


def _statistics(_analysis: Analysis, sentence: Sentence) -> Iterator[Edit]:
    for match in _STATISTIC.finditer(sentence.text):
        yield _within(sentence, match, "")


def _rule(lever: str, precondition: str, finder: Finder, reasoning: str) -> Rule:
    def applies(analysis: Analysis) -> bool:
        where = analysis.instance.query.lower().startswith("where")
        return (
            analysis.single_answer
            and answers_plainly(analysis)
            and (not where or analysis.answer_type is AnswerType.PLACE)
        )

    def apply(analysis: Analysis, rng: random.Random) -> Draft | None:
        return _edited(analysis, rng, finder, reasoning)

    return Rule(lever, LOW, precondition, applies, apply, _still_answered)


def _still_answered(analysis: Analysis, draft: Draft) -> str | None:
    """Question, answers and every word of the question that the context held are still there."""
    text = "\n".join(p.text for p in draft.passages)
    lost = (content_stems(analysis.instance.query) & content_stems(analysis.text)) - content_stems(text)
    if lost:
        return f"the context lost {sorted(lost)[0]!r}, a word of the question"
    if not any(plain(token) for token in tokens(text)):
        return "nothing is left"
    return kept_both(analysis, draft)


LOW_RULES: tuple[Rule, ...] = (
    _rule("Drop Example Sentence", "a sentence that says it is an example, and that nothing refers back to", _examples,
          "A sentence that only gives an example is dropped."),
    _rule("Parenthetical Excise", "a bracket without answer or question word", _brackets,
          "A remark in brackets beside the question is deleted."),
    _rule("Intro Clause Removal", "an opening phrase without answer or question word", _intros,
          "An opening phrase that is mere background is deleted."),
    _rule("Delete Color Adjective", "a colour word beside the question", _colours,
          "A colour word beside the question is deleted."),
    _rule("Remove City Phrase", "a city with its country or state, beside the question", _cities,
          "The city is deleted from a place phrase, its country or state stays."),
    _rule("Trim Month but Keep Year", "a full date that is not the answer", _dates,
          "A full date beside the question is shortened to its year."),
    _rule("Redundant Synonym Skipped", "a second name after 'also known as'", _synonyms,
          "A second name of something already named is deleted."),
    _rule("Strip Non-queried Statistic", "a closing phrase with a figure that is not asked for", _statistics,
          "A figure that is not asked for is deleted with its phrase."),
)  # fmt: skip
"""The rules of the cell."""
