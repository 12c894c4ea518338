"""The generating rules of the false premise, granularity and epistemic classes."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from perturb.curate import load_base_set
from perturb.digests import seed_of
from perturb.records import BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules import engine, epistemic_mismatch, false_premise, granularity_mismatch
from perturb.rules.analyse import analyse
from perturb.rules.answer_person import answer_person_of
from perturb.rules.engine import Abstention, RuleCandidate, perturb_by_rule
from perturb.rules.rule import Rule
from perturb.rules.subjects import anchor_of, subject_of
from perturb.rules.words import has_word

RULES: tuple[Rule, ...] = (*false_premise.RULES, *granularity_mismatch.RULES, *epistemic_mismatch.RULES)
CELLS = tuple(dict.fromkeys(rule.cell for rule in RULES))
NQ = Path(__file__).resolve().parents[1] / "data" / "nq-400.jsonl.gz"


def instance(
    query: str, title: str, text: str, *answers: str, more: tuple[Passage, ...] = ()
) -> BaseInstance:
    return BaseInstance(query, "test", query, (Passage(text, title), *more), answers)


FILM = instance(
    "who played shmuel in the boy in the striped pyjamas",
    "The Boy in the Striped Pyjamas (film)",
    "The Boy in the Striped Pyjamas is a 2008 British drama film directed by Mark Herman. Jack Scanlon played "
    "Shmuel in the film. It was shot in Budapest. The camp was built on a field outside the city.",
    "Jack Scanlon",
)
SONG = instance(
    "who wrote the song copper morning",
    "Copper Morning",
    "Copper Morning is a folk song released in 1974. It was written by Henry Selick. The song has three verses.",
    "Henry Selick",
)
BODY = instance(
    "when was the lupus foundation of america founded",
    "Lupus Foundation of America",
    "The Lupus Foundation of America is an organization devoted to research on lupus. It was founded in 1977. "
    "Its offices are in the capital.",
    "1977",
)
CITY = instance(
    "when did the blue tram start in chicago",
    "Blue Tram",
    "The Blue Tram started in Chicago in 1984. Citizens used it daily. Fares stayed low for a long time.",
    "1984",
)
BRITON = instance(
    "who plays meredith quill in guardians of the galaxy 2",
    "Laura Haddock",
    "Laura Jane Haddock (born 21 August 1985) is an English actress. Laura Jane Haddock plays Meredith Quill in the "
    "film Guardians of the Galaxy 2. She lives in London.",
    "Laura Jane Haddock",
)
COACH = instance(
    "who is the coach for the ottawa senators",
    "Ottawa Senators",
    "The Ottawa Senators are a hockey team. Guy Boucher is the current coach for the Ottawa Senators. "
    "He came in 2016.",
    "Guy Boucher",
)
FIRST = instance(
    "who invented the first home video security system",
    "Home security",
    "Albert Brown invented the first home video security system. The patent was filed in 1966. "
    "It used four peepholes.",
    "Albert Brown",
)
SERIES = instance(
    "how many seasons of the bastard executioner are there",
    "The Bastard Executioner",
    "The Bastard Executioner is an American drama television series. It was cancelled after one season. "
    "The show was filmed in Wales.",
    "one season",
)
OPENING = instance(
    "when did the harbour resort open",
    "Harbour Resort",
    "The Harbour Resort is a large resort near the sea. The Harbour Resort opened on May 31, 2012. "
    "Guests come from afar.",
    "May 31, 2012",
)
BRIDGE = instance(
    "who designed the golden gate bridge",
    "Golden Gate Bridge",
    "The Golden Gate Bridge is a suspension bridge. Joseph Strauss designed the Golden Gate Bridge. "
    "Ships pass below it.",
    "Joseph Strauss",
)
TOWER = instance(
    "where is the lantern tower located",
    "Lantern Tower",
    "The Lantern Tower is a tall tower. The Lantern Tower is located in Marlow Square. It has a clock on each side.",
    "Marlow Square",
)
PARKS = instance(
    "how many national parks are present in india",
    "National parks",
    "There are 103 national parks in India. The oldest one was founded in 1936.",
    "103",
)
EXAMPLES = (FILM, SONG, BODY, CITY, BRITON, COACH, FIRST, SERIES, OPENING, BRIDGE, TOWER, PARKS)


@pytest.fixture(autouse=True)
def all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are switched off are tested as well."""
    monkeypatch.setattr(engine, "_RULES", engine._ALL_RULES)


def drafted(rule: Rule, base: BaseInstance, seed: int) -> RuleCandidate | None:
    found = perturb_by_rule(base, rule.cell, rule.lever, seed)
    return found if isinstance(found, RuleCandidate) else None


def normal(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def check_targets(cell: Cell, base: BaseInstance, made: RuleCandidate) -> None:
    """Nothing but what the class may change is changed, and a LOW item keeps its question and its answer."""
    assert len(made.passages) == len(base.passages)
    changed = [i for i, (old, new) in enumerate(zip(base.passages, made.passages, strict=True)) if old != new]
    if cell.perturbation_class is PerturbationClass.FALSE_PREMISE:
        assert changed == []
    assert len(changed) <= 1
    for i in changed:
        old, new = base.passages[i], made.passages[i]
        assert (old.title, old.role, old.role) == (new.title, new.role, "signal")
        assert len(new.text) > len(old.text)
    assert made.query.strip() == made.query != base.query
    assert "{" not in made.query or "{" in base.query + base.context
    if cell.intensity is Intensity.LOW:
        assert any(has_word(p.text, answer) for p in made.passages for answer in base.answers)
        assert not any(has_word(made.query, a) for a in base.answers if not has_word(base.query, a))
    else:
        assert normal(made.query) != normal(base.query)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.cell}: {rule.lever}")
def test_every_lever_serves_an_example(rule: Rule) -> None:
    made = [(base, drafted(rule, base, seed)) for base in EXAMPLES for seed in range(8)]
    served = [(base, candidate) for base, candidate in made if candidate is not None]
    assert served
    for base, candidate in served:
        check_targets(rule.cell, base, candidate)
    assert rule.precondition


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.cell}: {rule.lever}")
def test_every_lever_has_many_wordings(rule: Rule) -> None:
    def shape(base: BaseInstance, candidate: RuleCandidate) -> str:
        text = candidate.query + candidate.passages[0].text.replace(base.passages[0].text, "")
        return " ".join(word for word in re.findall(r"[a-z]+", text.lower()) if len(word) < 12)

    most = 0
    for base in EXAMPLES:
        shapes = {shape(base, c) for seed in range(60) if (c := drafted(rule, base, seed)) is not None}
        most = max(most, len(shapes))
    assert most >= 6


def test_every_cell_has_three_levers() -> None:
    assert len(CELLS) == 9
    for cell in CELLS:
        assert len({rule.lever for rule in RULES if rule.cell == cell}) >= 3


def test_the_same_seed_makes_the_same_draft() -> None:
    for base in EXAMPLES:
        analysis = analyse(base)
        for rule in RULES:
            if rule.applies(analysis):
                first = rule.apply(analysis, random.Random(seed_of(rule.lever, 3)))
                again = rule.apply(analyse(base), random.Random(seed_of(rule.lever, 3)))
                assert first == again


def test_a_subject_is_named_with_its_noun_or_article() -> None:
    names = [subject.full for base in (FILM, SONG, BODY, BRIDGE) if (subject := subject_of(analyse(base)))]
    assert names == [
        "the film The Boy in the Striped Pyjamas",
        "the song Copper Morning",
        "the Lupus Foundation of America",
        "the Golden Gate Bridge",
    ]


def test_the_doer_is_told_with_the_deed() -> None:
    doer = answer_person_of(analyse(FILM))
    assert doer is not None
    assert doer.relative == "Jack Scanlon, who played Shmuel in The Boy in the Striped Pyjamas"
    villain = instance(
        "who is the real killer in dark harbour", "Dark Harbour", "Emma Lee is the real killer.", "Emma Lee"
    )
    assert answer_person_of(analyse(villain)) is None


def test_false_premises_clash_with_the_passage() -> None:
    cell = Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM)
    for seed in range(12):
        ended = perturb_by_rule(BODY, cell, "Stopped vs. Never Started", seed)
        assert isinstance(ended, RuleCandidate)
        years = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", ended.query)]
        assert years
        assert max(years) < 1977
        denied = perturb_by_rule(FILM, cell, "Factive Verb Contradiction", seed)
        assert isinstance(denied, RuleCandidate)
        assert re.search(r" (?:never|not|other than) ", denied.query)


def test_a_border_is_asked_for_only_where_a_land_stands_on_its_own() -> None:
    cell = Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM)
    made = perturb_by_rule(PARKS, cell, "Impossible Geography", 3)
    assert isinstance(made, RuleCandidate)
    assert re.search(r"\bIndia\b.*\b(?:Paraguay|Bolivia|Chile|Uruguay|Ecuador|Guatemala)\b", made.query)
    within_a_name = instance(
        "who runs the bank of england", "Banks", "Ann Lee runs the Bank of England in London.", "Ann Lee"
    )
    assert not isinstance(perturb_by_rule(within_a_name, cell, "Impossible Geography", 3), RuleCandidate)


def test_an_invented_body_is_not_made_the_source_of_the_figure() -> None:
    cell = Cell(PerturbationClass.FALSE_PREMISE, Intensity.LOW)
    for seed in range(12):
        made = perturb_by_rule(PARKS, cell, "Non-existent Committee", seed)
        assert isinstance(made, RuleCandidate)
        assert made.query != PARKS.query
        assert not re.search(r", as\b|according to", made.query)


def test_a_true_total_and_a_median_that_is_missing() -> None:
    low = Cell(PerturbationClass.GRANULARITY, Intensity.LOW)
    for seed in range(12):
        made = perturb_by_rule(SONG, low, "Explicit Total Line", seed)
        assert isinstance(made, RuleCandidate)
        added = made.passages[0].text.replace(SONG.passages[0].text, "")
        numbers = sorted(int(number) for number in re.findall(r"\d+", added))
        parts = numbers[:3]
        assert set(numbers[3:]) == {sum(parts)}
        assert str(sum(parts)) in made.query


def test_only_the_first_signal_passage_with_an_answer_is_edited() -> None:
    noise = tuple(
        Passage(f"Hill number {i} is green. It has a tree.", f"Hill {i}", "noise") for i in range(4)
    )
    signal = Passage(
        "Copper Morning was written by Henry Selick too. The song has three verses.", "Copper Morning (song)"
    )
    wide = BaseInstance(
        "wide", "test", SONG.query, (*noise[:2], *SONG.passages, *noise[2:], signal), SONG.answers
    )
    edited = 0
    for cell in CELLS:
        for seed in range(6):
            made = perturb_by_rule(wide, cell, None, seed)
            if isinstance(made, RuleCandidate):
                changed = [i for i, p in enumerate(made.passages) if p != wide.passages[i]]
                assert changed in ([], [2])
                edited += bool(changed)
    assert edited


ODD = (
    instance("who wrote  emma?", "", "Emma was written by Jane Austen", "Jane Austen"),
    instance("من كتب رواية زقاق المدق", "زقاق المدق", "كتب نجيب محفوظ رواية زقاق المدق.", "نجيب محفوظ"),
    instance("who sang {{ topic }} in {city}", "{{ topic }}", "Anna Lee sang {{ topic }} in {city}. {%", "Anna Lee"),
    instance("who played {name} in the film {full}", "{full} (film)", "{full} is a film. Ann Ray: {name}.", "Ann Ray"),
    instance("who painted 🎨 the “blue” café", "Café 🎨", "Zoë Müller painted the café. \u202eabc\u202c", "Zoë Müller"),
    instance("?", "T", "x", "x"),
    instance("who who who who who", "Who", "Who? The Who. Who who.", "The Who"),
    instance("when did the song x\ncome out", "X", "\n\nX came out in 1999.\n\n* 1999\n", "1999"),
    BaseInstance("empty", "test", "who wrote emma woodhouse's diary", (Passage(""),), ("Jane",)),
)  # fmt: skip


@pytest.mark.parametrize("base", ODD, ids=lambda base: ascii(base.query))
def test_odd_inputs_do_no_harm(base: BaseInstance) -> None:
    analysis = analyse(base)
    anchor_of(analysis)
    for rule in RULES:
        if rule.applies(analysis):
            for seed in range(6):
                draft = rule.apply(analysis, random.Random(seed))
                if draft is not None and rule.postcondition(analysis, draft) is None:
                    assert "\n" not in draft.query
    for cell in CELLS:
        made = perturb_by_rule(base, cell, None, 1)
        if isinstance(made, RuleCandidate):
            check_targets(cell, base, made)


def test_targets_and_answers_over_real_questions() -> None:
    loaded = load_base_set(NQ, "nq")
    counts = dict.fromkeys(CELLS, 0)
    for number, base in enumerate(loaded.instances):
        for cell in CELLS:
            made = perturb_by_rule(base, cell, None, number)
            if isinstance(made, RuleCandidate):
                check_targets(cell, base, made)
                counts[cell] += 1
    assert min(counts.values()) >= 50


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("who wrote emma lee", "Emma Lee is a song. It was possibly written by Ann Price in the north."),
        ("when was emma lee recorded", "Emma Lee is a song. It was released on 3 May 1984 by a small label."),
        (
            "who was the first doctor of the valley",
            "Ann Price was the first trained doctor of the valley, a doctor of wide fame.",
        ),
    ],
)
def test_no_denial_where_the_passage_says_less_than_the_question(query: str, told: str) -> None:
    answer = "3 May 1984" if "1984" in told else "Ann Price"
    base = BaseInstance(
        "i", "t", query, (Passage(told, "Emma Lee" if "Emma" in told else "Ann Price"),), (answer,)
    )
    for seed in range(5):
        made = perturb_by_rule(
            base, Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM), "Factive Verb Contradiction", seed
        )
        assert isinstance(made, Abstention)


def test_nobody_retires_before_birth() -> None:
    told = "Ann Price (born 3 May 1970) is a Welsh singer. She wrote the song Emma Lee for the choir of her valley."
    base = BaseInstance(
        "i", "t", "who wrote the song emma lee", (Passage(told, "Ann Price"),), ("Ann Price",)
    )
    made = perturb_by_rule(
        base, Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM), "Stopped vs. Never Started", 3
    )
    assert isinstance(made, RuleCandidate)
    year = re.search(r"\b(19\d\d)\b", made.query)
    assert year is not None
    assert int(year.group()) < 1970
