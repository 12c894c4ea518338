"""GaRAGe records: what is read, what each malformed one falls for, and how contexts are cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perturb.curation.base_sets import load_base_set
from perturb.curation.curation import Curation, curate, cut_context
from perturb.curation.garage import ANSWERS, RELATED
from perturb.curation.source import PassageBudget, SourceRequest, load_recipe
from perturb.curation.source_rows import SkippedRow
from perturb.errors import SourceError
from perturb.records import BaseInstance, Passage, render_context
from tests.building import write_rows

SHAPED = Path(__file__).resolve().parents[1] / "data" / "garage-shaped.jsonl.gz"
TEN = PassageBudget(count=10, max_signal=5)


def record(identifier: str = "g1", **changes: Any) -> dict[str, Any]:
    """A good record: 12 passages, the third answers, the fifth is on the topic."""
    labels = ["UNKNOWN"] * 12
    labels[2], labels[4] = ANSWERS, RELATED
    return {
        "sample_id": identifier,
        "question": "who built the mill",
        "question_valid": "YES",
        "question_false_premise": "NO",
        "question_type": "",
        "question_complexity": "Simple",
        "question_category": "Science",
        "grounding": [{f"cite_{n}": f"[{n}] Mill {n}: Text {n}.", "age": ""} for n in range(1, 13)],
        "evidence_correct": labels,
        "evidence_cited": ["YES" if n == 2 else "NO" for n in range(12)],
        "answer_generate": "Ada Stone [3], in 1810 [3][4].",
        "answer_validate": "YES",
        **changes,
    }


def write(path: Path, *records: dict[str, Any]) -> Path:
    return write_rows(path, records)


def read(tmp_path: Path, **changes: Any) -> BaseInstance:
    (instance,) = load_base_set(write(tmp_path / "garage.jsonl", record(**changes))).instances
    return instance


def curated(tmp_path: Path, *records: dict[str, Any]) -> Curation:
    path = write(tmp_path / "garage.jsonl", record("good"), *records)
    return curate(SourceRequest(path, "garage", load_recipe("garage")))


def fallen(curation: Curation) -> dict[str, list[str]]:
    return {entry["reason"]: entry["ids"] for entry in curation.report["left_out"] if entry["count"]}


# --- reading ----------------------------------------------------------------------------------------


def test_a_record_is_read_with_labels_and_without_markers(tmp_path: Path) -> None:
    instance = read(tmp_path)
    assert (instance.id, instance.query, instance.domain) == ("g1", "who built the mill", "Science")
    assert instance.passages[2] == Passage("Text 3.", title="Mill 3", role="signal")
    assert [p.role for p in instance.passages].count("noise") == 11
    assert instance.answers == ("Ada Stone, in 1810.",)
    assert instance.reference_answer == "Ada Stone, in 1810."
    assert instance.metadata["evidence"][4] == RELATED
    assert instance.metadata["cited"] == [n == 2 for n in range(12)]


def test_rendering_numbers_the_passages_anew(tmp_path: Path) -> None:
    instance = read(tmp_path)
    assert render_context(instance.passages[2:4]) == "[1] Mill 3: Text 3.\n\n[2] Mill 4: Text 4."


def test_a_passage_without_a_title_is_kept_whole(tmp_path: Path) -> None:
    texts = [
        "[1] No title here.",
        "[2] It stands by a river. The wheel: oak.",
        "No marker: but a title",
        "[4] A:b",
    ]
    grounding = [{f"cite_{n}": text} for n, text in enumerate(texts, start=1)]
    marks = {"evidence_correct": [ANSWERS] * 4, "evidence_cited": ["NO"] * 4}
    passages = read(tmp_path, grounding=grounding, **marks).passages
    assert [(p.title, p.text) for p in passages] == [
        ("", "No title here."),
        ("", "It stands by a river. The wheel: oak."),
        ("No marker", "but a title"),
        ("", "A:b"),
    ]


def test_columns_of_other_passages_may_be_null(tmp_path: Path) -> None:
    grounding = [{f"cite_{n}": f"[{n}] T: x{n}" if n == own else None for n in (1, 2)} for own in (1, 2)]
    marks = {"evidence_correct": [ANSWERS] * 2, "evidence_cited": ["NO"] * 2}
    assert [p.text for p in read(tmp_path, grounding=grounding, **marks).passages] == ["x1", "x2"]


def test_empty_and_repeated_passages_are_dropped_and_counted(tmp_path: Path) -> None:
    grounding = record()["grounding"]
    grounding[0] = {"cite_1": ""}
    grounding[1] = {"cite_2": "[2] "}
    grounding[11] = {"cite_12": "[12] Mill 5:  Text\n5."}
    labels = [*record()["evidence_correct"][:11], ANSWERS]
    cited = ["NO"] * 11 + ["YES"]
    instance = read(tmp_path, grounding=grounding, evidence_correct=labels, evidence_cited=cited)
    assert instance.metadata["cited"] == [place == 2 for place in range(9)]
    assert instance.metadata["dropped_passages"] == {"empty": 2, "repeated": 1}
    assert len(instance.passages) == len(instance.metadata["evidence"]) == 9
    # The copy that answers the question decides the role, the first copy the place.
    assert instance.passages[2] == Passage("Text 5.", title="Mill 5", role="signal")
    curation = curated(tmp_path, record("short", grounding=grounding))
    assert fallen(curation)["fewer than 10 passages"] == ["short"]
    assert curation.report["passages_dropped"]["empty"] == {"passages": 2, "records": 1}
    assert curation.report["passages_dropped"]["repeated"] == {"passages": 1, "records": 1}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"evidence_correct": [ANSWERS] * 11}, "evidence_correct is not as long as 'grounding'"),
    ({"evidence_cited": ["NO"] * 13}, "evidence_cited is not as long as 'grounding'"),
    ({"evidence_cited": None}, "evidence_cited must be a list of labels, one for each passage"),
    ({"evidence_correct": [None] * 12}, "evidence_correct must be a list of labels, one for each passage"),
    ({"grounding": [{"text": "x"}] * 12}, "grounding[] has no 'cite_' key"),
    ({"grounding": ["x"] * 12}, "grounding[] must be an object, got a string"),
    ({"grounding": []}, "grounding must be a list of passages, got an empty list"),
    ({"grounding": None}, "grounding must be a list of passages, got null"),
    ({"grounding": [{"cite_1": 7}] * 12}, "grounding[] must be a string, got a number"),
    (
        {"grounding": [{"cite_1": "x" * 60_000}] * 12},
        "grounding[] has too many characters, the limit is 50,000",
    ),
    ({"grounding": [{"cite_1": ""}] * 12}, "every passage is empty"),
    ({"question": None}, "question is missing"),
    ({"question": "  "}, "question is empty"),
    ({"answer_generate": ""}, "answer_generate holds no answer"),
    ({"answer_generate": "[1][2]"}, "answer_generate holds no answer"),
    ({"sample_id": "good"}, "the id repeats that of an earlier record"),
    ({"sample_id": ["a"]}, "sample_id must be a string, got a list"),
]


@pytest.mark.parametrize(("changes", "reason"), BAD)
def test_a_malformed_record_is_left_out_and_counted(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    curation = curated(tmp_path, record("bad", **changes))
    assert [instance.id for instance in curation.instances] == ["good"]
    assert list(fallen(curation)) == [reason]


def test_a_line_that_is_no_json_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "garage.jsonl", record())
    path.write_text(path.read_text() + '{"sample_id": \n')
    with pytest.raises(SourceError, match=":2: not JSON"):
        curate(SourceRequest(path, "garage", load_recipe("garage")))


# --- the filters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"answer_validate": "NO"}, "answer_validate is not YES"),
        ({"answer_validate": None}, "answer_validate is not YES"),
        ({"question_valid": "NO"}, "question_valid is NO"),
        ({"question_false_premise": "yes"}, "question_false_premise is YES"),
        ({"question_type": "FAST-CHANGING"}, "question_type is not SLOW-CHANGING or empty"),
        ({"question_complexity": "Multi-Hop"}, "question_complexity is not Simple or"),
        ({"question_category": "Travel"}, "the domain is not one of the recipe's"),
        ({"question_category": ""}, "the domain is not one of the recipe's"),
        ({"question_category": None}, "the domain is not one of the recipe's"),
        ({"evidence_correct": ["UNKNOWN"] * 12}, "no passage answers the question"),
        ({"evidence_correct": [ANSWERS] * 8 + [RELATED] * 4}, "too few noise passages for 10"),
    ],
)
def test_each_filter_names_its_reason(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    (found,) = fallen(curated(tmp_path, record("bad", **changes))).items()
    assert found[0].startswith(reason)
    assert found[1] == ["bad"]


@pytest.mark.parametrize(
    "changes",
    [
        {"question_type": None},
        {"question_type": " slow-changing "},
        {"question_valid": ""},
        {"question_complexity": "simple w. condition"},
        {"question_category": "science"},
    ],
)
def test_spellings_that_pass(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert len(curated(tmp_path, record("other", **changes)).instances) == 2


# --- the context ------------------------------------------------------------------------------------


def instance_with(labels: str, cited: str) -> BaseInstance:
    """One passage per letter: a(nswers), r(elated), u(nknown); `cited` has an x at each cited one."""
    names = {"a": ANSWERS, "r": RELATED, "u": "UNKNOWN"}
    passages = tuple(Passage(str(i), role="signal" if c == "a" else "noise") for i, c in enumerate(labels))
    metadata = {"evidence": [names[c] for c in labels], "cited": [c == "x" for c in cited]}
    return BaseInstance("i", "s", "q", passages, ("0",), metadata=metadata)


@pytest.mark.parametrize(
    ("labels", "cited", "kept"),
    [
        ("auuuuuuuuuuu", "x           ", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("uuuuuuurruua", "           x", [0, 1, 2, 3, 4, 5, 6, 7, 8, 11]),
        ("aaaaaaauuuuuu", "     xx      ", [0, 1, 2, 5, 6, 7, 8, 9, 10, 11]),
        ("aaaaaauuuurr", "            ", [0, 1, 2, 3, 4, 6, 7, 8, 10, 11]),
    ],
)
def test_ten_passages_in_their_old_order(labels: str, cited: str, kept: list[int]) -> None:
    cut = cut_context(instance_with(labels, cited), TEN)
    assert isinstance(cut, BaseInstance)
    assert [int(p.text) for p in cut.passages] == kept
    assert cut.metadata["cited"] == [cited[i] == "x" for i in kept]
    assert sum(p.role == "signal" for p in cut.passages) == min(5, labels.count("a"))


@pytest.mark.parametrize("labels", ["a" * 10, "a" * 6 + "u" * 4, "a" + "u" * 8, "u" * 12])
def test_a_context_that_cannot_give_ten_is_left_out(labels: str) -> None:
    assert isinstance(cut_context(instance_with(labels, " " * len(labels)), TEN), SkippedRow)


# --- the shaped file --------------------------------------------------------------------------------

REJECTED = {
    "rej-length-mismatch": "evidence_correct is not as long as 'grounding'",
    "rej-not-validated": "answer_validate is not YES",
    "rej-not-valid": "question_valid is NO",
    "rej-false-premise": "question_false_premise is YES",
    "rej-fast-changing": "question_type is not SLOW-CHANGING or empty",
    "rej-complex": "question_complexity is not Simple or Simple w. condition or Comparison or Set",
    "rej-other-domain": "the domain is not one of the recipe's",
    "rej-no-signal": "no passage answers the question",
    "rej-few-passages": "fewer than 10 passages",
}


def test_without_a_recipe_a_record_that_nothing_answers_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "garage.jsonl", record("good"), record("dumb", evidence_correct=["UNKNOWN"] * 12))
    curation = curate(SourceRequest(path, "garage"))
    assert [instance.id for instance in curation.instances] == ["good"]
    assert fallen(curation) == {"no passage answers the question": ["dumb"]}


def test_the_nine_fall_each_for_its_reason() -> None:
    curation = curate(
        SourceRequest(SHAPED, "garage", load_recipe("garage").model_copy(update={"per_domain": 5}))
    )
    assert fallen(curation) == {reason: [identifier] for identifier, reason in REJECTED.items()}
    assert (curation.report["records"], curation.report["pool"]) == (39, 30)
    assert set(curation.report["domains"].values()) == {5}
    assert curation.licence == "CC-BY-NC-4.0"
    for instance in curation.instances:
        assert len(instance.passages) == 10
        signal = [p.text for p in instance.passages if p.role == "signal"]
        assert len(signal) == 1
