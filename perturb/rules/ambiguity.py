"""Rules of P-Ambiguity: question and context come to allow a second reading."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import (
    answer_kept,
    answer_sentence,
    both_values_stand,
    fill,
    in_style,
    statement,
    with_replacement,
)
from perturb.rules.questions import inflected, is_verb, parse_question
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import inserted_after
from perturb.rules.subjects import WORKS, Subject, subject_of
from perturb.rules.words import capitalise, content_stems, has_word

LOW = Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)
MEDIUM = Cell(PerturbationClass.AMBIGUITY, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.AMBIGUITY, Intensity.HIGH)

_BEFORE_NAME = re.compile(
    r"(?:\bthe\s+)?(?:\b(?:tv\s+|television\s+)?(?:song|movie|film|show|book|novel|series|play|album|single|game|hymn|poem|"
    r"musical|city|river|country)\s+)?$",
    re.IGNORECASE,
)


_AUXILIARIES = frozenset(("did", "does", "do", "is", "was", "are", "were", "has", "have"))
_PREPOSITIONS = frozenset(
    ("of", "in", "on", "for", "at", "from", "to", "with", "about", "by", "into", "during", "after")
)


@dataclass(frozen=True, slots=True)
class _Gap:
    """The question with its subject taken out."""

    subject: Subject
    left: str
    right: str
    possessive: bool

    def filled(self, words: str) -> str:
        """The question with other words in the place of the subject."""
        return f"{self.left}{words}{self.right}"


def _gap(analysis: Analysis) -> _Gap | None:
    """The question around its subject; None if it has none, or one that a pronoun would give away."""
    subject = subject_of(analysis)
    if subject is None or subject.span is None or subject.sort == "person":
        return None
    start, end = subject.span
    left, right = analysis.query[:start], analysis.query[end:]
    found = _BEFORE_NAME.search(left)
    left = left[: found.start()] if found else left
    possessive = right.startswith(("'s", "’s"))
    if not possessive and not _stands_free(left, right):
        return None
    if (
        not left.strip()
        or has_word(left + right, subject.name)
        or re.match(r"['’-]?\w", right[2:] if possessive else right)
    ):
        return None
    return _Gap(subject, left, right[2:] if possessive else right, possessive)


def _stands_free(left: str, right: str) -> bool:
    """Whether a pronoun or another noun phrase could stand between the two pieces of a question."""
    before, after = left.lower().split(), right.lower().strip(" ?.").split()
    if not before or not (before[-1] in _AUXILIARIES | _PREPOSITIONS or is_verb(before[-1])):
        return False
    return not after or after[0] in _PREPOSITIONS or (before[-1] in _AUXILIARIES and is_verb(after[0]))


def _work_gap(analysis: Analysis) -> _Gap | None:
    gap = _gap(analysis)
    return gap if gap and gap.subject.sort in WORKS and gap.subject.noun and not gap.possessive else None


def _sibling(analysis: Analysis, rng: random.Random) -> str:
    free = [
        t
        for t in pools.SIBLING_TITLES
        if not content_stems(t) & content_stems(f"{analysis.text} {analysis.query}")
    ]
    return rng.choice(free) if free else rng.choice(pools.SIBLING_TITLES)


def _sibling_claim(gap: _Gap, words: str, value: str) -> str | None:
    """The question's claim about something else, with a value."""
    question = parse_question(gap.filled(words))
    return None if question is None else question.claim(value)


def _added(analysis: Analysis, query: str, addition: str, reasoning: str) -> Draft | None:
    sentence = answer_sentence(analysis)
    if sentence is None:
        return None
    text = analysis.instance.passages[sentence.passage].text
    return Draft(
        query, analysis.with_passage(sentence.passage, inserted_after(text, sentence, addition)), reasoning
    )


# LOW: a second reading that falls away.


def _pronoun_fits(analysis: Analysis) -> bool:
    gap = _gap(analysis)
    return (
        gap is not None
        and answer_sentence(analysis) is not None
        and gap.subject.noun not in ("band", "team", "club", "group")
        and not gap.subject.name.lower().endswith("s")
        and len(analysis.query.split()) - len(gap.subject.name.split()) >= 2
        and re.match(r"(?:who|when|where|how|what|which)\b", gap.left.lower()) is not None
        and not re.search(
            r"\b(?:a|an|this|that|his|her|its|their|\w+'s|my|first|last|of the|new|old)\s+$",
            gap.left,
            re.IGNORECASE,
        )
    )


def _pronoun(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap = _gap(analysis)
    if gap is None:
        return None
    subject = gap.subject
    if subject.sort in WORKS and subject.noun:
        decoy = rng.choice(say.WORK_DECOYS).format(noun=subject.noun, sibling=_sibling(analysis, rng))
    else:
        decoy = rng.choice(say.THING_DECOYS)
    if content_stems(decoy) & content_stems(analysis.query):
        return None
    question = re.sub(r"\s+", " ", gap.filled("its" if gap.possessive else "it")).strip()
    query = rng.choice(say.FRONTS).format(full=subject.full, question=question)
    return _added(
        analysis, in_style(analysis, query), fill(rng, say.DECOYS, decoy=decoy),
        "The question uses a pronoun that could mean a decoy but plainly means the topic it names first.",
    )  # fmt: skip


def _sense_fits(analysis: Analysis) -> bool:
    question = analysis.question
    return (
        analysis.answer_type is AnswerType.PERSON
        and question is not None
        and question.wh == "who"
        and question.verb not in ("is", "was")
        and answer_sentence(analysis) is not None
    )


def _sense(analysis: Analysis, rng: random.Random) -> Draft | None:
    if analysis.question is None:
        return None
    verb = analysis.question.verb.lower()
    family = next(
        (f for f in ("sing", "play", "write") if verb in (f, inflected(f, "VBD"), inflected(f, "VBZ"))),
        "other",
    )
    sense = rng.choice(say.SENSES[family])
    if has_word(f"{analysis.query} {analysis.text}", sense):
        return None
    query = in_style(
        analysis, rng.choice(say.SENSE_QUESTIONS).format(sense=sense, did=analysis.question.after)
    )
    return Draft(
        query,
        analysis.instance.passages,
        f"The word {sense!r} has several senses, of which the context leaves one.",
    )


def _epithet_fits(analysis: Analysis) -> bool:
    gap = _gap(analysis)
    return (
        gap is not None
        and bool(gap.subject.noun)
        and not gap.possessive
        and answer_sentence(analysis) is not None
    )


def _epithet(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap = _gap(analysis)
    if gap is None:
        return None
    first, second = rng.sample(pools.EPITHETS, 2)
    noun = gap.subject.noun
    name = rng.choice(say.EPITHET_NAMES).format(noun=noun, epithet=first)
    note = fill(rng, say.EPITHET_NOTES, full=gap.subject.full, epithet=first, other=second, noun=noun)
    return _added(
        analysis, in_style(analysis, gap.filled(name)), note,
        "The topic is called by an epithet that the context ties to it alone.",
    )  # fmt: skip


# MEDIUM and HIGH: two readings or more, each with its own answer.


def _rival_work(analysis: Analysis) -> bool:
    gap = _work_gap(analysis)
    if (
        gap is None
        or analysis.alternative is None
        or not analysis.single_answer
        or answer_sentence(analysis) is None
    ):
        return False
    return analysis.question is not None and _sibling_claim(gap, "“X”", "Y") is not None


def _deictic(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival = _work_gap(analysis), analysis.alternative
    if gap is None or rival is None:
        return None
    sibling = f"“{_sibling(analysis, rng)}”"
    claim = _sibling_claim(gap, sibling, rival)
    if claim is None:
        return None
    note = fill(
        rng,
        say.DEICTIC_NOTES,
        noun=gap.subject.noun,
        name=f"“{gap.subject.name}”",
        sibling=sibling,
        claim=capitalise(claim),
    )
    query = in_style(analysis, gap.filled(f"{rng.choice(('this', 'that'))} {gap.subject.noun}"))
    return _added(
        analysis, query, note, "'This' may point to either of two works, which have different answers."
    )


def _sluice_fits(analysis: Analysis) -> bool:
    gap, question = _gap(analysis), analysis.question
    if gap is None or question is None or analysis.alternative is None or not analysis.single_answer:
        return False
    if answer_sentence(analysis) is None or "first" in analysis.query.lower().split():
        return False
    who = (
        question.wh == "who"
        and question.verb not in ("is", "was")
        and analysis.answer_type is AnswerType.PERSON
    )
    when = question.gap == "date" and analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR)
    return who or (when and not re.search(r"\btime\b|\b(?:does|do|is|are)\b", analysis.query.lower()))


def _sluice(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, question, rival = _gap(analysis), analysis.question, analysis.alternative
    if gap is None or question is None or rival is None:
        return None
    if question.wh == "who":
        clause, note = rng.choice(say.SLUICED_WHO)
        query = f"someone {question.after} and {clause}, but who"
    else:
        clause, note = rng.choice(say.SLUICED_WHEN)
        query = f"{question.before} and {clause}, but when"
        rival = parse_question(f"when was {gap.subject.name} made").claim(rival).split("made ", 1)[-1]  # type: ignore[union-attr]
    return _added(
        analysis, in_style(analysis, query), capitalise(note.format(rival=rival, full=gap.subject.full)),
        "The bare question word may be completed from either of two clauses, which have different answers.",
    )  # fmt: skip


def _couple_fits(analysis: Analysis) -> bool:
    question = analysis.question
    return (
        analysis.answer_type is AnswerType.PERSON
        and analysis.gender is not None
        and analysis.alternative is not None
        and question is not None
        and question.wh == "who"
        and question.verb not in ("is", "was")
        and statement(analysis) is not None
    )


def _couple(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str
) -> Draft | None:
    """The answering sentence gives way to wording in which a pronoun may mean the answer or a rival."""
    sentence, question, rival = statement(analysis), analysis.question, analysis.alternative
    if sentence is None or question is None or rival is None:
        return None
    people = [analysis.answer, rival]
    rng.shuffle(people)
    subject, object_, possessive = ("he", "him", "his") if analysis.gender == "m" else ("she", "her", "her")
    new = fill(
        rng, wordings, first=people[0], second=people[1], subject=subject, Subject=subject.capitalize(),
        object=object_, possessive=possessive, did=question.after,
    )  # fmt: skip
    return with_replacement(analysis, sentence, new, analysis.instance.query, reasoning)


def _dual(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.DUAL, "One pronoun may mean the answer or a rival of the same gender.")


def _chain(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.CHAINS, "A chain of pronouns never tells which of two people is meant.")


def _braid(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.BRAIDS, "Three pronouns or more may each mean either of two people.")


def _homonym_fits(analysis: Analysis) -> bool:
    gap = _work_gap(analysis)
    if gap is None or not _rival_work(analysis) or gap.subject.sort not in say.HOMONYM_NOUNS:
        return False
    rest = content_stems(f"{gap.left} {gap.right}")
    return len(rest) <= 1 and not re.search(
        r"\b(?:sings?|sang|plays?|played|film\w*|star\w*|air\w*)\b", gap.left.lower()
    )


def _homonym(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival = _work_gap(analysis), analysis.alternative
    if gap is None or rival is None:
        return None
    name = f"“{gap.subject.name}”"
    claim = _sibling_claim(gap, name, rival)
    if claim is None:
        return None
    note = fill(
        rng, say.HOMONYMS, name=name, noun=rng.choice(say.HOMONYM_NOUNS[gap.subject.sort]), claim=claim
    )
    return _added(
        analysis, in_style(analysis, gap.filled(gap.subject.name)), note,
        "Two unrelated works share the title that the question uses bare.",
    )  # fmt: skip


def _respectively_fits(analysis: Analysis) -> bool:
    question = analysis.question
    return (
        _rival_work(analysis)
        and statement(analysis) is not None
        and question is not None
        and question.gap in ("subject", "date")
        and (question.wh != "who" or question.verb not in ("is", "was"))
    )


def _respectively(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival, sentence = _work_gap(analysis), analysis.alternative, statement(analysis)
    if gap is None or rival is None or sentence is None:
        return None
    second = _sibling(analysis, rng)
    third = next(t for t in rng.sample(pools.SIBLING_TITLES, len(pools.SIBLING_TITLES)) if t != second)
    names = [f"“{name}”" for name in (gap.subject.name, second, third)]
    rng.shuffle(names)
    values = [analysis.answer, rival]
    rng.shuffle(values)
    claim = _sibling_claim(gap, f"{names[0]}, {names[1]} and {names[2]}", " and ".join(values))
    if claim is None:
        return None
    if analysis.question is not None and analysis.question.gap == "date":
        claim = re.sub(r"(?<=” )was\b", "were", re.sub(r"(?<=” )is\b", "are", claim))
        if re.search(r"” \w+s\b(?<!was)", claim):
            return None
    new = fill(rng, say.RESPECTIVELY, claim=claim)
    return with_replacement(
        analysis,
        sentence,
        new,
        analysis.instance.query,
        "Three works share two values, so the one asked about fits either.",
    )


def _both(analysis: Analysis, draft: Draft) -> str | None:
    """Both answers stand, the rival in the context alone."""
    if analysis.alternative and has_word(draft.query, analysis.alternative):
        return "the rival stands in the question"
    return both_values_stand(analysis, draft)


RULES: tuple[Rule, ...] = (
    Rule("Dominant-sense Polysemy", LOW, "a who-question with a verb; the answer is a person",
         _sense_fits, _sense, answer_kept),
    Rule("Salient-antecedent Pronoun", LOW, "the question names its topic, which is no person or group",
         _pronoun_fits, _pronoun, answer_kept),
    Rule("Resolvable Appositive Ambiguity", LOW, "the question names a topic of known kind",
         _epithet_fits, _epithet, answer_kept),
    Rule("Ambiguous Deictic Reference", MEDIUM, "the question names a work and parses; a value of the answer's type",
         _rival_work, _deictic, _both),
    Rule("Sluiced-Wh Ambiguity", MEDIUM, "a who- or when-question about a named topic; a value of the answer's type",
         _sluice_fits, _sluice, _both),
    Rule("Dual-eligible Pronoun", MEDIUM, "a who-question; a person of known gender in the one sentence that answers",
         _couple_fits, _dual, _both),
    Rule("Multi-Sentence Coreference Chain", MEDIUM, "as the dual-eligible pronoun", _couple_fits, _chain, _both),
    Rule("Pure Homonymy Clash", HIGH, "a bare work title is all that the question says of its topic",
         _homonym_fits, _homonym, _both),
    Rule("Multi-pronoun Braid", HIGH, "as the dual-eligible pronoun", _couple_fits, _braid, _both),
    Rule("Ambiguous 'Respectively' Mapping", HIGH, "a who- or when-question on a work, answered in one sentence",
         _respectively_fits, _respectively, _both),
)  # fmt: skip
