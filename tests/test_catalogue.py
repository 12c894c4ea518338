"""The lever catalogue: what it holds, and what it refuses."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from perturb.catalogue.levers import Catalogue
from perturb.errors import CatalogueError
from perturb.files.resources import data_folder
from perturb.records import ALL_CELLS, ANSWER_CORRECTLY, PUBLISHED_CLASSES, Cell, Intensity, PerturbationClass

NAMES = Path(__file__).resolve().parent / "data" / "lever-names.csv"

COUNTS = {
    "P-Ambiguity": (10, 9, 10),
    "P-Contradiction": (8, 10, 10),
    "P-MissingInfo": (9, 11, 10),
    "P-FalsePremise": (10, 10, 10),
    "P-GranularityMismatch": (10, 10, 10),
    "P-EpistemicMismatch": (9, 10, 10),
}
"""Levers by class at LOW, MEDIUM and HIGH."""

CODES = {
    "P-Ambiguity": ("REFUSE_AMBIGUOUS_QUERY", {"query", "context"}),
    "P-Contradiction": ("REFUSE_CONTRADICTORY_CONTEXT", {"context"}),
    "P-MissingInfo": ("REFUSE_INFO_MISSING_IN_CONTEXT", {"context"}),
    "P-FalsePremise": ("REFUSE_FALSE_PREMISE_IN_QUERY", {"query"}),
    "P-GranularityMismatch": ("REFUSE_GRANULARITY_MISMATCH", {"query", "context"}),
    "P-EpistemicMismatch": ("REFUSE_NONFACTUAL_QUERY", {"query", "context"}),
}

OWN = """class: P-Ambiguity
levers:
  - name: Own Lever
    intensity: LOW
    instruction: Give the question a second reading that the passage rules out.
    illustration:
      query: Which key opens it?
      context: The brass key opens it.
      expected: ANSWER_CORRECTLY because only one key opens it
"""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


def load_own(folder: Path, text: str | bytes = OWN, name: str = "own.yaml") -> Catalogue:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Catalogue.load([folder])


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(CatalogueError) as caught:
        load_own(folder, text)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(folder), "FOLDER")


def test_there_are_176_levers_in_18_cells(catalogue: Catalogue) -> None:
    assert len(catalogue.levers) == 176
    found = Counter(lever.cell for lever in catalogue.levers)
    assert {
        str(c): tuple(found[Cell(c, intensity)] for intensity in Intensity) for c in PUBLISHED_CLASSES
    } == COUNTS
    assert sum(len(catalogue.levers_of(cell)) for cell in ALL_CELLS) == 176


def test_every_published_name_is_in_its_cell(catalogue: Catalogue) -> None:
    with NAMES.open(encoding="utf-8", newline="") as file:
        listed = {(row["perturbation_class"], row["intensity"], row["lever"]) for row in csv.DictReader(file)}
    held = {
        (str(lever.cell.perturbation_class), str(lever.cell.intensity), lever.name)
        for lever in catalogue.levers
    }
    assert held == listed


def test_each_class_has_its_code_and_target(catalogue: Catalogue) -> None:
    assert {str(name): (e.refusal_code, set(e.target)) for name, e in catalogue.classes.items()} == CODES
    for cell in ALL_CELLS:
        low = cell.intensity is Intensity.LOW
        code = CODES[str(cell.perturbation_class)][0]
        assert catalogue.expected_behavior(cell) == (ANSWER_CORRECTLY if low else code)
        assert catalogue.classes[cell.perturbation_class].criteria[cell.intensity].endswith(".")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("REFUSE_AMBIGUOUS", "REFUSE_AMBIGUOUS_QUERY"),
        ("REFUSE_CONTRADICTORY", "REFUSE_CONTRADICTORY_CONTEXT"),
        ("REFUSE_CONTRADICT", "REFUSE_CONTRADICTORY_CONTEXT"),
        ("REFUSE_MISSING", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("REFUSE_INFO_MISSING", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("REFUSE_FALSE_PREMISE", "REFUSE_FALSE_PREMISE_IN_QUERY"),
        ("REFUSE_GRANULARITY", "REFUSE_GRANULARITY_MISMATCH"),
        ("REFUSE_NONFACTUAL", "REFUSE_NONFACTUAL_QUERY"),
        ("REFUSE_OTHER", "REFUSE_OTHER"),
        ("ANSWER_CORRECTLY", "ANSWER_CORRECTLY"),
    ],
)
def test_short_forms_of_codes_are_understood(catalogue: Catalogue, said: str, meant: str) -> None:
    assert catalogue.codes[said] == meant


def test_levers_are_found_whatever_their_case_and_blanks(catalogue: Catalogue) -> None:
    lever = catalogue.levers[0]
    assert catalogue.find(f"  {lever.name.upper().replace(' ', '  ')} ") == lever
    assert catalogue.find("no such lever") is None


def test_illustrations_and_instructions_are_whole(catalogue: Catalogue) -> None:
    for lever in catalogue.levers:
        assert lever.instruction.rstrip().endswith((".", ")")), lever.name
        assert lever.illustration.expected.startswith(catalogue.expected_behavior(lever.cell)), lever.name
        assert lever.illustration.query != lever.illustration.context


# -- a folder of the user's own --------------------------------------------------------------------------------


def test_a_folder_adds_levers(tmp_path: Path, catalogue: Catalogue) -> None:
    own = load_own(tmp_path)
    lever = own.find("own lever")
    assert lever is not None
    assert lever.cell == Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)
    assert own.levers_of(lever.cell)[-1] == lever
    assert len(own.levers) == 177
    assert own.classes == catalogue.classes


def test_a_lever_changes_the_digest_of_its_cell_only(tmp_path: Path, catalogue: Catalogue) -> None:
    own = load_own(tmp_path)
    changed = [cell for cell in ALL_CELLS if own.cell_digest(cell) != catalogue.cell_digest(cell)]
    assert changed == [Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)]
    assert own.digest != catalogue.digest
    reworded = load_own(tmp_path, OWN.replace("brass", "iron"))
    assert reworded.cell_digest(changed[0]) != own.cell_digest(changed[0])
    assert Catalogue.load().digest == catalogue.digest


def test_a_name_that_exists_is_refused_with_both_places(tmp_path: Path, catalogue: Catalogue) -> None:
    message = refusal(tmp_path, OWN.replace("Own Lever", catalogue.levers[0].name.upper()))
    assert message.startswith("FOLDER/own.yaml:3: lever")
    assert "ambiguity.yaml:" in message


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("    intensity: LOW", "    intensity: LOW\n    colour: red", ":5", "unknown key 'levers[0].colour'"),
        ("    intensity: LOW", "    intensity: MILD", ":4", "field 'levers[0].intensity'"),
        ("      query: Which key opens it?\n", "", ":6", "field 'levers[0].illustration.query' is missing"),
        (
            "P-Ambiguity",
            "P-Ambiguities",
            ":1",
            "there is no class P-Ambiguities: did you mean 'P-Ambiguity'?",
        ),
        ("levers:\n", "target: [query]\nlevers:\n", ":2", "'target' of P-Ambiguity is fixed"),
        ("levers:\n", "refusal_code: REFUSE_X\nlevers:\n", ":2", "'refusal_code' of P-Ambiguity is fixed"),
        ("ANSWER_CORRECTLY because", "REFUSE_OTHER because", ":9", "must begin with ANSWER_CORRECTLY"),
        (
            "    intensity: LOW",
            "    intensity: LOW\n    intensity: HIGH",
            ":5",
            "appears twice (first in line 4)",
        ),
        ("name: Own Lever", "name: 'Own  Lever'", ":3", "one line without extra spaces"),
        ("instruction: Give", "instruction: [Give", ":6", "not valid YAML"),
        (
            "instruction: Give the question a second reading that the passage rules out.",
            "instruction: x",
            ":5",
            "",
        ),
    ],
)
def test_a_malformed_lever_file_is_refused_at_its_line(
    tmp_path: Path, old: str, new: str, place: str, words: str
) -> None:
    assert old in OWN
    message = refusal(tmp_path, OWN.replace(old, new))
    assert message.startswith(f"FOLDER/own.yaml{place}: ")
    assert words in message


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words\n"])
def test_a_file_without_a_mapping_is_refused(tmp_path: Path, text: str) -> None:
    assert "must hold a mapping" in refusal(tmp_path, text)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    assert "not UTF-8 text at byte 26" in refusal(tmp_path, OWN.encode()[:26] + b"\xff\xfe")


def test_a_folder_that_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no such lever folder"):
        Catalogue.load([tmp_path / "none"])
    with pytest.raises(CatalogueError, match=r"holds no \.yaml file"):
        Catalogue.load([tmp_path])


def test_an_embedded_class_file_must_be_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (data_folder("levers") / "ambiguity.yaml").read_text()
    monkeypatch.setattr("perturb.catalogue.levers.data_folder", lambda name: tmp_path)
    (tmp_path / "ambiguity.yaml").write_text(text)
    with pytest.raises(CatalogueError, match="lacks P-Contradiction"):
        Catalogue.load()
    (tmp_path / "ambiguity.yaml").write_text(text.replace("refusal_code:", "#"))
    with pytest.raises(CatalogueError, match="class P-Ambiguity has no 'refusal_code'"):
        Catalogue.load()


def test_needs_are_read_and_an_unknown_one_is_named_with_its_line(tmp_path: Path) -> None:
    needs = "    needs: [has:colour, not question:when]\n    instruction"
    (lever,) = [
        one
        for one in load_own(tmp_path, OWN.replace("    instruction", needs)).levers
        if one.name == "Own Lever"
    ]
    assert lever.needs == ("has:colour", "not question:when")
    message = refusal(tmp_path, OWN.replace("    instruction", needs.replace("colour", "smell")))
    assert message.startswith("FOLDER/own.yaml:5: need 'has:smell' of lever 'Own Lever': unknown feature")
    assert Catalogue.load().digest != load_own(tmp_path).digest
