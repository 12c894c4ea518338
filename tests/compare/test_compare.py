"""Comparing rounds: copies, near duplicates, drift, scores, and what cannot be compared."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import ConfigError, SnapshotError, SourceError
from perturb.scoring.round_comparison import check_gate, compare, compare_scores, read_scores, shift_of
from perturb.snapshots.freshness import BaseIndex, FreshnessIndex, RoundItem, measure_freshness, read_set
from perturb.snapshots.snapshot import write_snapshot
from tests.building import perturb, write_rows
from tests.compare.reworded import recall, reworded
from tests.scoring.tables import items as table_items
from tests.scoring.tables import right, wrong
from tests.snapshots.test_snapshot import facts, rows_of

PASSAGE = (
    "The Brannock Weir was finished in 1884 by the Hollin Water Board. It holds back the upper lake and feeds two mills"
    " on the eastern bank. A footbridge crosses it, and in dry summers the old village road can be seen below it."
    " The mills stopped in 1931, after which the board sold the land to the county, which keeps a small museum there."
)


def item(number: int = 0, context: str = PASSAGE, query: str = "When was the weir finished?") -> RoundItem:
    return RoundItem(
        id=f"item-{number}",
        base_id="weir",
        query=query,
        context=context,
        original_query="When was the weir finished?",
        original_context=PASSAGE,
        perturbation_class="P-Contradiction",
        intensity="HIGH",
        lever="Clash of dates",
        generator="g",
    )


ADDED = item(1, PASSAGE + " According to its plaque, the weir was not finished before the spring of 1902.")


def found(old: RoundItem, new: RoundItem) -> tuple[bool, bool]:
    """Whether `new` repeats `old` at all, and exactly."""
    match = FreshnessIndex([old]).find(new)
    return match is not None, match is not None and match.exact


def test_a_copy_is_exact_whatever_its_case_blanks_and_punctuation() -> None:
    copy = replace(
        ADDED, context=ADDED.context.upper().replace(". ", " ;\n\n"), query="when was THE weir finished"
    )
    assert found(ADDED, copy) == (True, True)


def test_an_edited_copy_is_a_near_duplicate() -> None:
    edited = replace(ADDED, context=ADDED.context.replace("the spring of 1902", "the spring of 1903"))
    assert found(ADDED, edited) == (True, False)


@pytest.mark.parametrize("words", [1, 2])
def test_a_reworded_repeat_is_found_while_the_texts_are_alike(words: int) -> None:
    """60 changes of one passage, each repeated with other words here and there; other changes stay fresh."""
    kinds, things = ("letter", "ledger", "survey", "map", "diary"), ("floods", "ice", "war")
    clauses = [f"a {kinds[i % 5]} of {1840 + i} gives {things[i % 3]} as the cause" for i in range(60)]
    changed = [item(number, f"{PASSAGE} However, {clause}.") for number, clause in enumerate(clauses)]
    near, hits = recall(changed, words, seed=words)
    print(f"{words} other words: {near} of {len(changed)} repeats alike, {hits} found")
    assert near > 30
    assert hits >= 0.95 * near
    other = item(99, PASSAGE.replace("two mills", "a single forge and its bellows"))
    assert FreshnessIndex(changed).find(other) is None


@pytest.mark.parametrize(("words", "least"), [(5, 0.85), (8, 0.7)])
def test_a_repeat_with_many_other_words_is_found_and_unrelated_items_are_not(
    words: int, least: float
) -> None:
    """216 items: on each second one the passage is its own, on the others they share one."""
    rng = random.Random(0)
    nouns = (
        "river",
        "mill",
        "ledger",
        "survey",
        "map",
        "diary",
        "storm",
        "bridge",
        "toll",
        "ferry",
        "abbot",
        "barge",
    )
    items = []
    for number in range(216):
        own = " ".join(f"{rng.choice(nouns)}{rng.randint(1, 400)}" for _ in range(60))
        passage = PASSAGE if number % 2 else own
        clause = " ".join(rng.choice(nouns) for _ in range(9))
        items.append(replace(item(number, f"{passage} However, {clause}."), original_context=passage))
    index = FreshnessIndex(items)
    repeats = [reworded(original, words, rng) for original in items]
    assert sum(index.find(repeat) is not None for repeat in repeats) >= least * len(items)
    for part in range(
        6
    ):  # each item against five sixths of the others, with its own kind of passage among them
        inside = [item for number, item in enumerate(items) if number // 2 % 6 == part]
        rest = FreshnessIndex([item for number, item in enumerate(items) if number // 2 % 6 != part])
        assert not any(rest.find(item) for item in inside)


def test_another_change_of_the_same_passage_is_fresh() -> None:
    other = item(2, PASSAGE.replace("finished in 1884", "finished by the board's own masons"))
    assert found(ADDED, other) == (False, False)
    again = item(3, PASSAGE + " A letter in the county archive still calls it unfinished in June 1890.")
    assert found(ADDED, again) == (False, False)


def test_another_question_about_an_unchanged_passage_is_fresh() -> None:
    one = item(1, query="When was the weir of King Oswin, who never lived, finished?")
    other = item(2, query="Why did the emperor's nephew blow the second weir up at night?")
    assert found(one, other) == (False, False)


def test_without_the_originals_the_texts_decide() -> None:
    old, new = (replace(one, original_query="", original_context="") for one in (ADDED, item(2)))
    assert found(old, new)[0]
    assert not found(old, replace(new, context=PASSAGE[:120]))[0]


def test_one_unchanged_word_too_few_for_a_shingle() -> None:
    tiny = replace(ADDED, query="", context="Yes", original_context="No", original_query="?")
    assert found(tiny, tiny) == (True, True)
    assert not found(tiny, replace(tiny, context="Maybe"))[0]


def test_shares_are_counted_by_lever_and_cell() -> None:
    lake = "A lake, far away, that nobody has ever written about."
    fresh = replace(item(9, lake), base_id="lake", original_query="Where?", original_context=lake)
    measured = measure_freshness([ADDED], [replace(ADDED, id="new"), item(8, PASSAGE[::-1]), fresh])
    assert (measured.items, measured.exact, measured.near) == (3, 1, 1)
    assert (measured.same_base_and_lever, measured.same_base) == (2, 2)
    assert measured.by_lever == {"Clash of dates": (3, 1, 2)}
    assert measured.by_cell == {"P-Contradiction/HIGH": (3, 1, 2)}
    assert [(new, match.id, match.exact) for new, match in measured.pairs] == [("new", "item-1", True)]


def test_no_pair_above_the_threshold_is_missed() -> None:
    """Every near duplicate among many items is found, as if each pair had been looked at."""
    words = PASSAGE.split()
    old, new = [], []
    for number in range(150):
        text = " ".join(f"{word}{(number * 7 + place) % 13}" for place, word in enumerate(words))
        old.append(item(number, text))
        new.append(item(1000 + number, text.replace(text.split()[30], "otherwise")))
    measured = measure_freshness(old, new)
    assert measured.near == 150


def test_drift_is_the_share_that_moved() -> None:
    shift = shift_of(["a"] * 3 + ["b"], ["a", "c", "c", "c"])
    assert shift.distance == pytest.approx(0.75)
    assert [(share.name, share.change) for share in shift.shares] == [("c", 0.75), ("a", -0.5), ("b", -0.25)]


def snapshot(folder: Path, text: str, count: int = 6) -> Path:
    return write_snapshot(folder, rows_of(count, text=text), facts(), "").folder


def test_snapshots_tables_and_folders_are_read_alike(tmp_path: Path) -> None:
    rows = rows_of(6)
    folder = write_snapshot(tmp_path / "s", rows, facts(), "").folder
    table = tmp_path / "rows.jsonl"
    write_rows(table, rows)
    data = next((folder / "data").rglob("*.parquet"))
    sets = [read_set(source) for source in (folder, table, data)]
    assert sets[0].items == sets[1].items == sets[2].items
    assert {one.round for one in sets} == {"2026-Q4"}
    assert compare(folder, table).freshness.exact == 6


def test_rows_of_several_passages_are_read(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path / "s", rows_of(3, several=True), facts(), "").folder
    assert compare(folder, folder).freshness.exact == 3


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.jsonl", "", "no items"),
        ("a.jsonl", "[1]\n", "line 1|:1"),
        ("a.jsonl", '{"source_id": "x"}\n', "no text in 'perturbed_query'"),
        ("a.parquet", "not parquet", "not a Parquet table"),
        ("a.txt", "text", "not a set of items"),
    ],
)
def test_what_is_no_set_of_items_is_refused(tmp_path: Path, name: str, content: str, problem: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match=problem) as caught:
        read_set(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_manifest_and_nothing_at_all(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no readable manifest"):
        read_set(tmp_path)
    with pytest.raises(SnapshotError, match="no such snapshot"):
        read_set(tmp_path / "absent")


def scored(value: float | None, margin: float | None = 0.06) -> dict[str, Any]:
    if value is None:
        return {"value": None, "low": None, "high": None, "reason": "no items"}
    ends = (None, None) if margin is None else (value - margin, value + margin)
    return {"value": value, "low": ends[0], "high": ends[1], "reason": None}


def test_scores_of_the_same_models_are_compared() -> None:
    old = {
        name: {"crs": scored(value)} for name, value in (("a", 0.6), ("b", 0.5), ("c", 0.4), ("gone", 0.1))
    }
    new = {
        name: {"crs": scored(value, 0.08)}
        for name, value in (("a", 0.7), ("b", 0.4), ("c", 0.5), ("new", 0.9))
    }
    changes, (ranking,) = compare_scores(old, new)
    assert [change.model for change in changes] == ["a", "b", "c"]
    assert (changes[0].difference, changes[0].low, changes[0].high) == pytest.approx(
        (0.1, 0.0, 0.2), abs=1e-9
    )
    assert ranking.models == 3
    assert ranking.tau == pytest.approx(1 / 3)


def test_a_rate_of_0_has_an_interval_that_is_not_empty() -> None:
    # 0 of 60 and 0 of 60: Wilson's interval of each is [0, .060], a normal one would be [0, 0].
    rate = {"value": 0.0, "low": 0.0, "high": 0.0602, "se": 0.0, "reason": None}
    (change,), _ = compare_scores({"m": {"false_refusal_rate": rate}}, {"m": {"false_refusal_rate": rate}})
    assert (change.difference, change.low, change.high) == pytest.approx((0.0, -0.0602, 0.0602))


def test_an_undefined_score_has_no_difference_but_a_reason() -> None:
    changes, (ranking,) = compare_scores({"a": {"crs": scored(None)}}, {"a": {"crs": scored(0.5)}})
    assert (changes[0].difference, changes[0].reason) == (None, "no items")
    assert (ranking.tau, ranking.reason) == (None, "a ranking takes at least 3 models in both rounds")
    (change,), _ = compare_scores({"a": {"crs": scored(0.4, None)}}, {"a": {"crs": scored(0.5)}})
    assert (change.low, change.reason) == (None, "no interval in one round")
    assert change.difference == pytest.approx(0.1)


def test_scores_are_read_in_every_form_the_command_prints(tmp_path: Path) -> None:
    one, other = ({"model": name, "metrics": {"crs": scored(0.5)}} for name in "ab")
    path = tmp_path / "scores.json"
    for text in (
        json.dumps([one, other]),
        json.dumps({"models": [one, other]}),
        f"{json.dumps(one)}\n{json.dumps(other)}\n",
    ):
        path.write_text(text, encoding="utf-8")
        assert list(read_scores(path)) == ["a", "b"]
    for text in ("[1]", "{", '{"metrics": {"a": 1}}', '"text"'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(SourceError, match="perturb score --json"):
            read_scores(path)


def test_results_are_scored_when_they_are_given_in_place_of_scores(tmp_path: Path) -> None:
    some = table_items(36)
    for name, replies in (
        ("old", [right(one, "m") for one in some]),
        ("new", [wrong(one, "m") for one in some]),
    ):
        text = "".join(json.dumps(reply) + "\n" for reply in replies)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    changes, _ = compare_scores(read_scores(tmp_path / "old.jsonl"), read_scores(tmp_path / "new.jsonl"))
    found = {change.metric: change.difference for change in changes}
    assert found["refusal_accuracy"] == -1
    assert found["false_refusal_rate"] == 1


def test_scores_belong_to_the_round_they_are_given_for(tmp_path: Path) -> None:
    sets, evaluations = [], []
    for name in ("old", "new"):
        replies = [right(one, "m") | {"item_id": f"{name}-{n}"} for n, one in enumerate(table_items(36))]
        rows = [
            {
                "id": reply["item_id"],
                "source_id": "b",
                "perturbed_query": "Who?",
                "perturbed_context": reply["item_id"],
            }
            | {"perturbation_class": reply["perturbation_class"], "intensity": reply["intensity"]}
            for reply in replies
        ]
        for path, lines in ((tmp_path / f"{name}.jsonl", rows), (tmp_path / f"{name}-scores.jsonl", replies)):
            write_rows(path, lines)
        sets.append(tmp_path / f"{name}.jsonl")
        evaluations.append(tmp_path / f"{name}-scores.jsonl")
    old, new = evaluations
    assert compare(sets[0], sets[1], (old, new)).score_changes
    for pair in ((old, old), (new, old), (new, new)):
        with pytest.raises(SourceError, match="is not an evaluation of"):
            compare(sets[0], sets[1], pair)
    stored = tmp_path / "scores.json"
    stored.write_text(json.dumps({"model": "m", "metrics": {"crs": {"value": 1}}}), encoding="utf-8")
    with pytest.raises(SourceError, match="the same scores are given for two rounds"):
        compare(sets[0], sets[1], (stored, stored))


def test_the_command_compares_and_says_what_is_wrong(tmp_path: Path) -> None:
    old, new = snapshot(tmp_path / "a", "plain"), snapshot(tmp_path / "b", "other words entirely")
    done = perturb("compare", old, new, "--json")
    assert done.returncode == 0, done.stderr
    content = done.json
    assert content["freshness"]["same_base_and_lever"] == {"items": 6, "share": 1.0}
    assert content["freshness"]["exact"]["items"] == 0
    against = perturb("compare", new, "--against", old)
    assert "same lever on the same base instance" in against.stdout
    for arguments in ((old,), (old, new, "--against", old)):
        wrong = perturb("compare", *arguments)
        assert wrong.returncode == 2, wrong.stderr


def test_a_repetition_is_found_where_no_blanks_part_the_words() -> None:
    text = "西汉时已经有了用麻做成的粗纸，但这种纸不便于书写。东汉的蔡伦用树皮、麻头、破布和旧渔网作原料，改进了造纸。"
    first, again = (
        replace(item(n, text, "谁改进了纸？"), original_query="", original_context="") for n in (1, 2)
    )
    assert found(first, replace(again, context=text.replace("粗纸", "草纸"))) == (True, False)
    assert found(first, replace(again, context=text.replace("，", "、"))) == (True, True)
    assert found(first, replace(again, context=text[::-1])) == (False, False)


OTHER_WORDS = (
    "Herons nest in the reeds. Trains stop twice a day, and a mayor is elected every five years by the town."
)
DISGUISES: dict[str, Callable[[str], str]] = {
    "another id": lambda text: text,
    "cut to 60 %": lambda text: " ".join(text.split()[: int(0.6 * len(text.split()))]),
    "one paragraph added": lambda text: f"{text}\n\n{OTHER_WORDS}",
    "one paragraph before": lambda text: f"{OTHER_WORDS}\n\n{text}",
    "a word after every eighth": lambda text: re.sub(r"((?:\S+ ){8})", r"\1indeed ", text),
    "soft hyphens": lambda text: re.sub(r"(\w\w)(?=\w\w)", "\\1\u00ad", text),
    "joiners and marks": lambda text: text.replace("e", "e\u2060").replace("i", "i\u200b\ufe0f"),
    "other separators": lambda text: text.replace(" ", "_").replace(".", "\u2028"),
    "Cyrillic letters": lambda text: text.translate(
        str.maketrans("aeocpBTH", "\u0430\u0435\u043e\u0441\u0440\u0412\u0422\u041d")
    ),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_a_base_instance_in_disguise_is_known_again(disguise: Callable[[str], str]) -> None:
    """By its passage under another question, and a repeated change of it is a near duplicate."""
    other = replace(
        item(1, OTHER_WORDS, "Who?"), base_id="other", original_query="Who?", original_context=OTHER_WORDS
    )
    hidden = replace(
        ADDED,
        base_id="elsewhere",
        query="Who paid?",
        original_query="Who paid?",
        context=disguise(ADDED.context),
        original_context=disguise(PASSAGE),
    )
    assert BaseIndex([ADDED]).find(hidden) == {"weir"}
    assert BaseIndex([hidden]).find(ADDED) == {"elsewhere"}
    measured = measure_freshness([ADDED], [hidden, other])
    assert (measured.same_base, measured.same_base_and_lever) == (1, 1)
    assert (measured.old_items, measured.old_bases) == (1, 1)


@pytest.mark.parametrize(
    "question", ["WHEN was the weir\u00ad finished", "When_was the w\u0435ir fin\u200bished ?"]
)
def test_an_equal_question_is_the_same_base_instance_and_another_is_not(question: str) -> None:
    far = replace(ADDED, base_id="elsewhere", original_query=question, original_context=OTHER_WORDS)
    assert BaseIndex([ADDED]).find(far) == {"weir"}
    assert BaseIndex([ADDED]).find(replace(far, original_query="When was the mill finished?")) == set()


@pytest.mark.parametrize("name", ["one paragraph added", "soft hyphens", "Cyrillic letters", "full width"])
def test_a_repeat_in_disguise_is_a_near_duplicate(name: str) -> None:
    disguise = DISGUISES[name]
    hidden = replace(ADDED, context=disguise(ADDED.context), original_context=disguise(PASSAGE))
    assert found(ADDED, hidden)[0]


def write_round(folder: Path, number: int, cells: list[tuple[str, str]]) -> Path:
    """A run folder with a table in place of its snapshot's rows; no item repeats one of another number."""
    folder.mkdir()
    rows = [
        {
            "id": f"{number}-{place}",
            "source_id": f"{number}-{place}",
            "perturbed_query": f"Question {number} about {place}?",
            "perturbed_context": " ".join(f"word{number}x{place}x{n}" for n in range(30)),
            "perturbation_class": name,
            "intensity": intensity,
        }
        for place, (name, intensity) in enumerate(cells)
    ]
    path = folder / "items.jsonl"
    return write_rows(path, rows)


EVEN = [("P-Ambiguity", "LOW"), ("P-Contradiction", "HIGH")] * 40


@pytest.mark.parametrize(
    ("number", "cells", "verdict", "code"),
    [
        (2, EVEN, "fresh", 0),
        (1, EVEN, "repeats found", 1),
        (2, [("P-Ambiguity", "LOW")] * 80, "drifted", 3),
        (2, EVEN[:3], "fresh", 0),
    ],
)
def test_a_comparison_ends_in_a_verdict(
    tmp_path: Path, number: int, cells: list[tuple[str, str]], verdict: str, code: int
) -> None:
    old, new = write_round(tmp_path / "a", 1, EVEN), write_round(tmp_path / "b", number, cells)
    ended = perturb("compare", old, new, "--check")
    assert (ended.returncode, ended.stderr) == (code, "")
    assert ended.stdout.endswith(f"{verdict.capitalize()}.\n")
    told = perturb("compare", old, new, "--json")
    assert (told.returncode, told.json["verdict"]) == (0, verdict)


def test_run_folders_are_compared_by_their_snapshots(tmp_path: Path) -> None:
    build = ("build", "--demo", "rules", "--limit", 3, "--out", tmp_path, "--name", "run")
    assert perturb(*build).returncode == 0
    ended = perturb("compare", tmp_path / "run", tmp_path / "run" / "snapshot", "--check")
    assert ended.returncode == 1, ended.stderr


def stored(value: float, half: float, model: str = "m") -> dict[str, Any]:
    return {model: {"crs": {"value": value, "low": value - half, "high": value + half, "n": 100}}}


@pytest.mark.parametrize(
    ("rule", "value", "passed"),
    [
        ("crs >= against - 0.02", 0.70, True),
        ("crs >= against", 0.50, False),
        ("crs >= against + 0.01", 0.61, None),
        ("crs <= against", 0.50, True),
        ("crs >= 0.5", 0.56, True),
        ("crs >= .9", 0.56, False),
        ("crs <= 0.55", 0.56, None),
    ],
)
def test_a_gate_holds_or_not_or_is_undecided(rule: str, value: float, passed: bool | None) -> None:
    [decision] = check_gate(rule, stored(value, 0.03), stored(0.6, 0.03, "other"))
    assert decision.passed is passed
    assert decision.margin.low is not None
    assert decision.more_items is None or decision.more_items > 0


def test_so_many_more_items_decide_a_gate() -> None:
    """The interval shrinks with the root of the items: 100 + 125 are needed for it to end at the gate."""
    [decision] = check_gate("crs >= 0.5", stored(0.52, 0.03), None)
    assert (decision.passed, decision.more_items) == (None, 125)


@pytest.mark.parametrize(
    "rule", ["crs > 0.5", "crs >= x", "crs >= 1.2.3", "crs >= .", "nope >= 0.5", "crs >= against"]
)
def test_a_gate_that_cannot_be_read_is_refused(rule: str) -> None:
    with pytest.raises(ConfigError):
        check_gate(rule, stored(0.5, 0.1), None)
