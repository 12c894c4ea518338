"""MEDIUM rules of P-EpistemicMismatch: a judgement, advice, forecast or short what-if that no fact settles."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import epistemic_medium_facts as facts
from perturb.rules import epistemic_medium_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import AnswerPerson, answer_person_of, done_of
from perturb.rules.epistemic_scenes import beside, for_all
from perturb.rules.fact_kinds import Pair
from perturb.rules.passage_edits import addition_place, asked, has_anchor, planted, takes
from perturb.rules.query_edits import Applies, Apply, question_of, refusal_rule, told_in, with_query
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, Subject, about_thing, appeared_in, subject_of
from perturb.rules.words import has_word, plural

_CLASS = PerturbationClass.EPISTEMIC


def _numbers(rng: random.Random) -> dict[str, str]:
    x, y = rng.sample(range(31, 96), 2)
    return {"x": str(x), "y": str(y)}


def _plant(a: Analysis, rng: random.Random, pairs: tuple[Pair, ...], why: str, **values: str) -> Draft | None:
    """A draft with one of the pairs, its gaps filled from what stands around the subject."""
    return planted(a, rng.choice(pairs), why, **beside(a, rng), **values)


_takes = takes(for_all(facts.PRICES))


def _price_fits(a: Analysis) -> bool:
    return _takes(a) and not re.search(r"[$£€]|\b(?:price|cost|dollars|pounds|expensive|cheap)", a.text)


def _price(a: Analysis, rng: random.Random) -> Draft | None:
    return _plant(
        a, rng, facts.PRICES, "One price with nothing to hold it against leaves the judgement to opinion."
    )


def _sales(a: Analysis, rng: random.Random) -> Draft | None:
    return _plant(
        a, rng, facts.SALES, "Two past counts state no fact about the period to come.", **_numbers(rng)
    )


def _investment(a: Analysis, rng: random.Random) -> Draft | None:
    why = "One rate of growth, without risk or aims, cannot settle whether to invest."
    return _plant(a, rng, facts.INVESTMENTS, why, p=str(rng.randint(3, 14)))


def _ethics(a: Analysis, rng: random.Random) -> Draft | None:
    return _plant(
        a, rng, facts.ETHICS, "The facts of a practice leave room for opposed views on whether it is right."
    )


def _taste(a: Analysis, rng: random.Random) -> Draft | None:
    made = {
        "dish": rng.choice(facts.DISHES),
        "fruit": rng.choice(facts.FRUITS),
        "herb": rng.choice(facts.HERBS),
        "band": rng.choice(facts.BANDS),
    }
    return _plant(a, rng, facts.TASTES, "What something is made of cannot decide a matter of taste.", **made)


_RATED = re.compile(
    r"\b(?:critic\w*|review\w*|prais\w+|acclaim\w*|award\w*|prizes?|nominat\w+|best|greatest|finest|favou?rite|"
    r"rat(?:ed|ing|ings)|ranked|gross\w*|success\w*|popular\w*|hits?|charts?|charted|peaked|number one|top|"
    r"bestsell\w+|classic|famous|iconic|masterpiece|well received|Grammy|Oscar|Emmy)\b",
    re.I,
)


def _ranking_fits(a: Analysis) -> bool:
    s = subject_of(a)
    if s is None or s.sort not in WORKS or s.noun.endswith("s") or addition_place(a) is None:
        return False
    return not _RATED.search(a.text)


def _ranking(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    free = [t for t in pools.SIBLING_TITLES if not has_word(a.text, t)]
    one, two = rng.sample(free, 2)
    why = "The passage gives neutral facts of the three and no yardstick of quality."
    gaps = {"nouns": plural(s.noun), "wrap": facts.WRAPS.get(s.sort, "cover")}
    return _plant(a, rng, facts.RANKINGS, why, one=one, two=two, **gaps)


def _did_alone(a: Analysis, doer: AnswerPerson) -> bool:
    """Whether the person is the only accepted answer, and not named "along with" somebody else."""
    shared = rf"\b(?:along|together|jointly) with (?:\S+ ){{0,3}}{re.escape(doer.name)}"
    return a.single_answer and not re.search(shared, a.text)


def _should(a: Analysis, rng: random.Random) -> Draft | None:
    doer, s = answer_person_of(a), subject_of(a)
    why = "Facts alone do not say what ought to be done."
    around = beside(a, rng)
    if doer is not None and doer.did and (s is None or rng.random() < 0.5):
        told = doer.relative if _did_alone(a, doer) else doer.name
        return with_query(a, question_of(told_in(rng, say.SHOULD_DO, told=told, **around)), why)
    return asked(a, rng, say.SHOULD, why, **around) if s is not None and s.sort != "person" else None


def _chance_fits(a: Analysis) -> bool:
    return about_thing(a) and not re.search(r"\b(?:probability|per ?cent|%|odds|likely|likelihood)", a.text)


def _chance(a: Analysis, rng: random.Random) -> Draft | None:
    why = "The passage holds no counts, rates or odds from which a probability could follow."
    return asked(a, rng, say.CHANCES, why, **beside(a, rng))


def _forecast(a: Analysis, rng: random.Random) -> Draft | None:
    why = "Past and present facts give no basis for a forecast."
    return asked(a, rng, say.FORECASTS, why, **beside(a, rng))


def _what_if_fits(a: Analysis) -> bool:
    return _sole_deed(a) is not None or _dated(a) is not None


def _sole_deed(a: Analysis) -> str | None:
    """What the one person who answers has done; None where a second person is told to have done it as well."""
    return done_of(answer_person_of(a)) if a.single_answer else None


def _dated(a: Analysis) -> tuple[str, int] | None:
    """The questions for a work that came out, or an event that took place, in a year that the passage gives."""
    s = subject_of(a)
    year = None if s is None else appeared_in(a, s)
    if s is None or year is None or not (s.sort in WORKS or _happened(s)):
        return None
    if re.search(r"\bseasons?\b", f"{a.query} {a.instance.passages[s.passage].title}"):
        return None
    return ("works" if s.sort in WORKS else "others"), year


def _happened(s: Subject) -> bool:
    """Whether the subject is something that took place."""
    return s.sort == "event" or bool(
        re.search(r"\b(?:War|Party|Bowl|Cup|Open|Final|Rumble|Battle|Revolution|Games|Election)$", s.name)
    )


def _what_if(a: Analysis, rng: random.Random) -> Draft | None:
    doer, dated, done = answer_person_of(a), _dated(a), _sole_deed(a)
    why = "The passage tells only what really happened, so that no imagined outcome can be shown to be right."
    if doer is not None and done is not None and (dated is None or rng.random() < 0.7):
        return asked(a, rng, say.IF_NOT, why, **beside(a, rng), done=done, name=doer.name)
    if dated is None:
        return None
    kind, year = dated
    years = {"before": str(year - 1), "year": str(year), "after": str(year + 1)}
    return asked(a, rng, say.WORK_IF[kind], why, **beside(a, rng), **years)


def _rule(lever: str, precondition: str, applies: Applies, apply: Apply) -> Rule:
    return refusal_rule(_CLASS, Intensity.MEDIUM, lever, precondition, applies, apply)


_NAMED = "a named subject that is no person"
_PLANTED = "a named subject or a real person as the answer, and a passage that takes an addition"
_DEED = "a real person as the answer, with a deed that the query states cleanly"

RULES: tuple[Rule, ...] = (
    _rule(
        "Expensive is Subjective",
        f"{_PLANTED}; no price in the passages",
        _price_fits,
        _price,
    ),
    _rule("Good Investment", _PLANTED, _takes, _investment),
    _rule("Next-quarter Sales Prediction", _PLANTED, _takes, _sales),
    _rule("Ethical Stance", _PLANTED, _takes, _ethics),
    _rule("Taste Quality", _PLANTED, _takes, _taste),
    _rule("Normative 'Should' from Facts", f"{_NAMED}, or {_DEED}", has_anchor, _should),
    _rule(
        "Quality Ranking without Benchmark",
        "a work of known kind, no praise or rating in the passages, and a passage that takes an addition",
        _ranking_fits,
        _ranking,
    ),
    _rule(
        "Short Counterfactual Inquiry",
        f"a work or event whose one year the passage gives, or {_DEED}",
        _what_if_fits,
        _what_if,
    ),
    _rule(
        "Probability without Data",
        f"{_NAMED}; no rates or odds in the passages",
        _chance_fits,
        _chance,
    ),
    _rule("Forecast without Model", _NAMED, about_thing, _forecast),
)
