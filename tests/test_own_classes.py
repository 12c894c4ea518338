"""User-defined classes: from a file of levers to prompts, votes, snapshot, evaluation, scores and harness files."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import perturb
from perturb.auditing.audit_report import audit
from perturb.auditing.judged_replies import draw_replies, read_judged_replies
from perturb.building.plan import plan_build
from perturb.building.results import BuildReport
from perturb.building.run import check_replay
from perturb.building.verify import read_verdict
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts, render_template
from perturb.errors import CatalogueError, ConfigError, PerturbError, SourceError
from perturb.evaluation.loading import ItemSource, load_items
from perturb.evaluation.results import read_run
from perturb.evaluation.training_export import make_examples
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import ReviewLedger
from perturb.ledger.plans import current_plan
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Cell, Intensity, Lever, PerturbationClass
from perturb.scoring.score_report import score
from perturb.scoring.table import read_results
from perturb.snapshots.items import render_prompt
from perturb.snapshots.replies import export_replies, verify_snapshot
from perturb.snapshots.snapshot import check_snapshot, read_snapshot
from tests.building import configure, content_of, run_build
from tests.evaluation.rows import run as run_evaluation
from tests.loopback import LoopbackServer
from tests.loopback.players import GeneratorPlayer, RolePlayer, VerifierPlayer
from tests.loopback.responders import Responders

LEVERS = Path(__file__).parents[1] / "docs" / "examples" / "stale-info" / "levers"
TEXT = (LEVERS / "stale_info.yaml").read_text(encoding="utf-8")
NAME, CODE = "P-StaleInfo", "REFUSE_STALE_CONTEXT"
CELLS = [
    *({"class": NAME, "intensity": str(one)} for one in Intensity),
    {"class": "P-MissingInfo", "intensity": "HIGH"},
]
BASE_SET = {"path": str(LEVERS.parent / "base.jsonl"), "limit": 4}
OWN = Catalogue.load([LEVERS])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuildReport]:
    """A build over the loopback provider of the class and one published cell, controls beside the rows."""
    folder = tmp_path_factory.mktemp("own")
    player = RolePlayer(GeneratorPlayer(catalogue=OWN), VerifierPlayer({}, catalogue=OWN))
    with LoopbackServer(player) as server:
        content = content_of(server.url, generators=["g1"], cells=CELLS, levers=[str(LEVERS)])
        content |= {"base_set": BASE_SET, "select": {"strategy": "natural", "controls": True}}
        yield run_build(folder, content)


@pytest.fixture(scope="module")
def evaluated(built: BuildReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluated")
    assert built.snapshot is not None
    items = load_items(ItemSource(str(built.snapshot))).items
    with LoopbackServer(Responders(items, own_codes=OWN.own_codes)) as server:
        report = run_evaluation(folder, built.snapshot, server.url, ("sixty", "refuse"))
    assert report.warnings == ()
    return folder / "run"


def test_the_class_adds_three_cells_and_a_code_and_leaves_the_published_ones_alone() -> None:
    plain = Catalogue.load()
    assert OWN.cells == (*ALL_CELLS, *(Cell(PerturbationClass(NAME), one) for one in Intensity))
    assert all(OWN.cell_digest(cell) == plain.cell_digest(cell) for cell in ALL_CELLS)
    assert OWN.digest != plain.digest
    assert {OWN.codes[one] for one in ("REFUSE_STALE", CODE)} == {CODE}
    assert plain.own_codes == ()


def test_every_prompt_that_lists_codes_lists_it_in_its_place_with_its_meaning() -> None:
    judged = render_template("judge/classify", OWN.own_codes)
    responded = render_template("respond/single", OWN.own_codes, confidence=False)
    plain, own = Prompts(Catalogue.load()), Prompts(OWN)
    cell = Cell(PerturbationClass("P-MissingInfo"), Intensity.HIGH)
    names = tuple(lever.name for lever in OWN.levers_of(cell))
    generate, verify = (own._system(one, "single", cell, names) for one in ("generate", "verify"))
    for text in (generate, verify, judged, responded):
        listed = re.findall(r"^- (REFUSE_\w+):", text, re.MULTILINE)
        assert listed[4:6] == [CODE, "REFUSE_GRANULARITY_MISMATCH"]
        assert len(listed) == 8
        assert " ".join(OWN.classes[PerturbationClass(NAME)].refuse_when.split()) in " ".join(text.split())
        assert ("who ran it then" in text) == (text in (judged, responded)), "examples are for these alone"
    without = plain._system("generate", "single", cell, names)
    start, end = generate.index(f"- {CODE}"), generate.index("- REFUSE_GRANULARITY")
    assert generate[:start] + generate[end:] == without, "nothing else of the prompt differs"
    assert all(own.version(one) != plain.version(one) for one in ("generate", "verify"))


def test_a_build_carries_the_class_through_panel_audit_card_and_manifest(built: BuildReport) -> None:
    assert built.facts["unparsed"] == built.facts["errors"] == 0
    assert built.facts["accepted"] == built.facts["rows"] == 16
    with reading(built.run) as db:
        plan = current_plan(db, built.run)
    assert [str(cell) for cell in plan.cells][1:] == [f"{NAME}/{one}" for one in Intensity]
    assert [rate.name for rate in audit(built.run).pass_rates["class"]] == ["P-MissingInfo", NAME]
    assert built.snapshot is not None
    snapshot = read_snapshot(built.snapshot)
    assert snapshot.classes == OWN.own_classes
    assert check_snapshot(built.snapshot) == ()
    card = " ".join((built.snapshot / "README.md").read_text(encoding="utf-8").split())
    assert "one of 7 kinds of flaw" in card
    assert "P-StaleInfo is not a class of RefusalBench" in card
    assert verify_snapshot(built.snapshot, [LEVERS]).problems == ()
    unknown = verify_snapshot(built.snapshot)
    assert {"the catalogue has no lever" in one for one in unknown.problems} == {True}
    assert len(unknown.notes) == 1


def test_texts_of_a_class_are_data_and_no_template() -> None:
    entry = OWN.own_classes[0]
    hostile = replace(entry, refuse_when="{{ 7 * 7 }} {% raw %} {{ own_codes }}", example="{% include 'x' %}")
    text = render_template("judge/classify", OWN.with_classes([hostile]).own_codes)
    assert (
        "- REFUSE_STALE_CONTEXT: {{ 7 * 7 }} {% raw %} {{ own_codes }}\n  Example: {% include 'x' %}\n"
        in text
    )


def test_models_are_asked_scored_and_confused_by_its_code(built: BuildReport, evaluated: Path) -> None:
    table = read_results(evaluated)
    assert CODE in table.codes
    report = score(table, resamples=20)
    (refuse, sixty) = report.models
    assert sixty.groups["class"].keys() == {"P-MissingInfo", NAME}
    assert sum(sixty.confusion[CODE].values()) == 8
    assert sixty.confusion[CODE][CODE] + sixty.confusion[CODE]["REFUSE_OTHER"] == 8
    assert refuse.confusion[CODE]["REFUSE_INFO_MISSING_IN_CONTEXT"] == 8
    rows = [json.loads(line) for line in (evaluated / "results.jsonl").read_text().splitlines()]
    pd.DataFrame(rows).to_csv(evaluated / "results.csv", index=False)
    with pytest.raises(
        SourceError, match=r"results.csv:2: 'perturbation_class' holds 'P-StaleInfo', which is not one of"
    ):
        read_results(evaluated / "results.csv")
    assert read_results(evaluated / "results.csv", [LEVERS]).codes == table.codes
    assert built.snapshot is not None


def test_people_who_check_its_judge_choose_from_the_codes_that_the_judge_had(
    evaluated: Path, tmp_path: Path
) -> None:
    run = shutil.copytree(evaluated, tmp_path / "run")
    with ReviewLedger.of_run(run) as ledger:
        ledger.replace_sample(*draw_replies(ledger.db, 5, 0, ["classification"]))
        sample = read_judged_replies(ledger.db, run)
    assert {CODE in one.questions[0].choices and CODE in one.instructions for one in sample} == {True}


def test_an_evaluation_is_made_again_from_its_replies(evaluated: Path, tmp_path: Path) -> None:
    export_replies(evaluated, tmp_path / "replies.jsonl.gz")
    again = perturb.evaluate(replay=tmp_path / "replies.jsonl.gz", out=tmp_path / "again", progress=False)
    assert again.warnings == ()
    assert [one.predicted for one in again.results] == [one.predicted for one in read_run(evaluated).results]


def test_other_harnesses_send_the_same_prompts_and_know_the_code(built: BuildReport, evaluated: Path) -> None:
    assert built.snapshot is not None
    manifest = read_snapshot(built.snapshot).manifest
    folder = built.snapshot / "harness" / "data" / manifest["harness"]["digest"]
    prompts = pd.read_parquet(folder / "unanswerable.parquet").set_index("id")
    stale = prompts[prompts.perturbation_class == NAME]
    assert (stale.match == "REFUSE_STALE").all()
    items = {one.id: one for one in load_items(ItemSource(str(built.snapshot))).items}
    for name, prompt in prompts.prompt.items():
        assert prompt == render_prompt(items[str(name)], own_codes=OWN.own_codes)
    pattern = yaml.safe_load((built.snapshot / "eval.yaml").read_text())["tasks"][1]["scorers"][0]["args"][
        "pattern"
    ]
    assert [one for one in re.findall(pattern, "**refuse_stale_context**")[0] if one] == ["refuse_stale"]
    assert CODE in (built.snapshot / "harness" / "inspect_task.py").read_text()


def test_training_examples_teach_its_code(built: BuildReport) -> None:
    assert built.snapshot is not None
    snapshot = read_snapshot(built.snapshot)
    originals = {row["source_id"]: row for row in snapshot.read_controls()}
    made = list(make_examples("sft", snapshot.read_rows(), originals, {}, snapshot.classes))
    said = {one["completion"][0]["content"] for one in made if one["perturbation_class"] == NAME}
    assert CODE in said
    assert all("REFUSE_STALE_CONTEXT: the question asks" in one["prompt"][0]["content"] for one in made)


def test_the_run_goes_on_being_read_when_the_folder_of_levers_is_gone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "stale.yaml").write_text(TEXT, encoding="utf-8")
    parts = {
        "generators": [{"name": "g", "kind": "python", "function": "tests.test_own_classes:write"}],
        "panel": {"verifiers": [{"name": "v", "kind": "python", "function": "tests.test_own_classes:agree"}]},
    }
    content = {**content_of(""), **parts, "base_set": BASE_SET, "cells": CELLS[:3], "levers": ["mine"]}
    report = run_build(tmp_path, content)
    assert report.facts["rows"] == 12
    (tmp_path / "mine" / "stale.yaml").unlink()
    (tmp_path / "mine").rmdir()
    with reading(report.run) as db:
        plan = current_plan(db, report.run)
    assert plan.load_catalogue().codes["REFUSE_STALE"] == CODE
    run = perturb.Run(report.run)
    assert {one.expected_behavior for one in run.items} == {"ANSWER_CORRECTLY", CODE}


def write(instance: BaseInstance, levers: tuple[Lever, ...]) -> dict[str, str]:
    """A generator."""
    return {"context": f"{instance.passages[0].text} It was so long ago.", "lever": levers[0].name}


def agree(candidate: Candidate) -> bool:
    """A verifier."""
    return candidate.cell.perturbation_class == NAME


def test_all_cells_are_those_of_the_class_too_and_floors_are_checked_before_a_call(tmp_path: Path) -> None:
    content = {**content_of("http://127.0.0.1:9"), "levers": [str(LEVERS)]}
    assert len(plan_build(configure(tmp_path, content)).config.chosen_cells) == 21
    content["select"] = {"strategy": "balanced", "per_generator": 400, "min_per_cell": 22}
    with pytest.raises(
        ConfigError, match="select: the floors of all cells need 462 rows, but per_generator is 400"
    ):
        plan_build(configure(tmp_path, content))


def test_offline_checks_have_no_opinion_on_it(tmp_path: Path) -> None:
    content = {**content_of("http://127.0.0.1:9"), "levers": [str(LEVERS)], "panel": "verifiers/offline.yaml"}
    with pytest.raises(ConfigError, match="panel 'offline': no verifier judges P-StaleInfo"):
        plan_build(configure(tmp_path, content))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("refusal_code: REFUSE_STALE_CONTEXT\n", "", ":2: class P-StaleInfo has no 'refusal_code'"),
        ("refuse_when: >-", "summary2: >-", ":6: unknown key 'summary2'"),
        ("target: [query, context]\n", "", ":2: class P-StaleInfo has no 'target'"),
        ("  HIGH: >-\n", "", ":15: field 'criteria.HIGH' is missing"),
        (
            "REFUSE_STALE_CONTEXT\nshort",
            "REFUSE_OTHER\nshort",
            ":4: the code REFUSE_OTHER is that of every class",
        ),
        ("[REFUSE_STALE]", "[REFUSE_AMBIGUOUS]", ":5: the code REFUSE_AMBIGUOUS is that of P-Ambiguity"),
        ("[REFUSE_STALE]", "[stale]", ":5: field 'short_forms[0]'"),
        ("class: P-StaleInfo", "class: Stale Info", ":2: field 'class'"),
        ("class: P-StaleInfo", "class: P-Stale/Info", ":2: field 'class'"),
        ("class: P-StaleInfo", "class: P-Stale Info", ":2: field 'class'"),
        ("before: P-Gran", "before: P-Grand", ":11: 'before' is P-Grand"),
    ],
)
def test_what_is_wrong_with_a_class_is_said_with_file_and_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in TEXT
    (tmp_path / "own.yaml").write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CatalogueError) as caught:
        Catalogue.load([tmp_path])
    assert str(caught.value).startswith(f"{tmp_path / 'own.yaml'}{message}")
    assert "\n" not in str(caught.value)


def test_two_classes_with_one_code_and_a_class_that_there_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TEXT, encoding="utf-8")
    other = (
        TEXT.replace(NAME, "P-Second").replace("[REFUSE_STALE]", "[]").replace("- name: ", "- name: Second ")
    )
    (tmp_path / "b.yaml").write_text(other, encoding="utf-8")
    with pytest.raises(
        CatalogueError, match=r"b.yaml:4: the code REFUSE_STALE_CONTEXT is that of P-StaleInfo"
    ):
        Catalogue.load([tmp_path])
    levers = "class: P-StaleInf\nlevers:" + TEXT.partition("levers:")[2]
    (tmp_path / "b.yaml").write_text(levers, encoding="utf-8")
    with pytest.raises(
        CatalogueError, match=r"b.yaml:1: there is no class P-StaleInf: did you mean 'P-StaleInfo'\?"
    ):
        Catalogue.load([tmp_path])


def test_a_class_may_have_levers_in_a_file_that_comes_before_its_own(tmp_path: Path) -> None:
    lever = (
        TEXT.partition("levers:")[2].partition("  - name: Old Date")[0].replace("Former State", "Other State")
    )
    (tmp_path / "a.yaml").write_text(f"class: {NAME}\nlevers:{lever}", encoding="utf-8")
    (tmp_path / "b.yaml").write_text(TEXT, encoding="utf-8")
    assert len(Catalogue.load([tmp_path]).levers) == len(OWN.levers) + 1


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"cells": [CELLS[3], {"class": "P-Stale", "intensity": "LOW"}]}, r"class: P-Stale$"),
        ({"panel": {"verifiers": [{"name": "v", "model": "m", "classes": ["P-Stale"]}]}}, r"- P-Stale$"),
    ],
)
def test_an_unknown_class_of_a_configuration_is_named_with_its_line(
    tmp_path: Path, changes: dict[str, object], line: str
) -> None:
    content = {**content_of("http://127.0.0.1:9"), "levers": [str(LEVERS)], **changes}
    with pytest.raises(ConfigError) as caught:
        configure(tmp_path, content)
    place = re.match(
        r".*build\.yaml:(\d+): .*there is no class P-Stale: did you mean 'P-StaleInfo'\?", str(caught.value)
    )
    assert place
    assert re.search(line, (tmp_path / "build.yaml").read_text().splitlines()[int(place[1]) - 1])


def test_an_unknown_class_of_a_panel_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "panel.yaml").write_text("verifiers:\n - {name: v, model: m,\n    classes: [P-Nothing]}\n")
    content = {**content_of("http://127.0.0.1:9"), "panel": "panel.yaml"}
    with pytest.raises(
        PerturbError, match=r"panel\.yaml:3: field 'verifiers\[0\].classes\[0\]': there is no class"
    ):
        configure(tmp_path, content)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the documentation, copied, and its benchmark made from the replies on record."""
    folder = tmp_path_factory.mktemp("example") / "stale-info"
    shutil.copytree(LEVERS.parent, folder)
    run = perturb.build(folder / "build.yaml", replay=folder / "replies.jsonl.gz", out=folder, progress=False)
    assert all("earlier version of the prompts" in warning for warning in run.warnings), (
        "the wording of prompts plays no part"
    )
    return run.folder


def test_the_example_of_the_documentation_is_made_from_recorded_replies(example: Path) -> None:
    snapshot = read_snapshot(example / "snapshot")
    rows = snapshot.read_rows()
    assert snapshot.manifest["counts"]["cells"] == {f"{NAME}/{one}": 6 for one in Intensity}
    assert {row["lever_selected"] for row in rows} == {one.name for one in OWN.levers[-6:]}
    replies = example.parent / "replies.jsonl.gz"
    assert check_replay(example / "snapshot", replies, [example.parent / "levers"]) == ()
    assert verify_snapshot(example / "snapshot", [LEVERS]).problems == ()
    measured = audit(example)
    assert (measured.n_candidates, measured.n_votes) == (18, 36)
    assert [(rate.name, rate.rate) for rate in measured.pass_rates["class"]] == [(NAME, 1.0)]


def test_a_bare_table_of_items_needs_the_folder_of_the_class(example: Path, tmp_path: Path) -> None:
    rows = read_snapshot(example / "snapshot").to_pandas()
    rows.to_json(tmp_path / "items.jsonl", orient="records", lines=True, default_handler=str)
    with pytest.raises(
        SourceError, match=r"items.jsonl:1: .*'perturbation_class' is 'P-StaleInfo', which is not one of"
    ):
        perturb.evaluate(tmp_path / "items.jsonl", [say_stale], out=tmp_path / "a", progress=False)
    done = perturb.evaluate(
        tmp_path / "items.jsonl", [say_stale], levers=[LEVERS], out=tmp_path / "a", progress=False
    )
    assert {one.predicted for one in done.results} == {CODE}
    table = perturb.score(done.folder / "results.jsonl", levers=[LEVERS], resamples=20)
    assert table.to_dict()["models"][0]["metrics"]["refusal_accuracy"]["value"] == 1.0


def say_stale(query: str) -> str:
    """A model under test that knows one code."""
    return "REFUSE_STALE" if query else ""


def test_the_examples_evaluation_is_made_from_recorded_replies(example: Path, tmp_path: Path) -> None:
    replies = example.parent / "evaluate.replies.jsonl.gz"
    done = perturb.evaluate(example / "snapshot", replay=replies, out=tmp_path / "tested", progress=False)
    assert done.warnings == ()
    (model,) = score(done.folder, resamples=20).models
    assert model.confusion[CODE] == dict.fromkeys(model.confusion[CODE], 0) | {CODE: 12}
    assert model.metrics["answer_accuracy"].value == 1.0
    card = (example / "snapshot" / "README.md").read_text(encoding="utf-8")
    assert "`REFUSE_STALE_CONTEXT`" in card
    assert (example / "snapshot" / "harness" / "lm_eval" / "perturb_refusal.yaml").is_file()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"name": PerturbationClass("P-Ambiguity")},
            "a class of RefusalBench is stored as a class of the user",
        ),
        ({"refusal_code": "REFUSE_FALSE_PREMISE"}, "the code REFUSE_FALSE_PREMISE is that of P-FalsePremise"),
        ({"before": PerturbationClass("P-Nothing")}, "'before' is P-Nothing: name one of P-Ambiguity"),
        ({"criteria": {}}, r"field 'criteria.LOW' is missing"),
    ],
)
def test_a_snapshot_cannot_change_what_other_classes_mean(
    example: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    shutil.copytree(example / "snapshot", tmp_path / "snapshot")
    manifest = json.loads((tmp_path / "snapshot" / "manifest.json").read_text())
    manifest["classes"] = [replace(OWN.own_classes[0], **changes).to_payload()]
    (tmp_path / "snapshot" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(PerturbError, match=message) as caught:
        load_items(ItemSource(str(tmp_path / "snapshot")))
    assert "\n" not in str(caught.value)


def test_a_lever_with_a_rule_works_offline_beside_a_verifier_that_judges_the_class(tmp_path: Path) -> None:
    rule = (
        "    rule: {do: add, what: answer, say: ['This was written down many years ago.'], why: It is old.}\n"
    )
    (tmp_path / "levers").mkdir()
    (tmp_path / "levers" / "own.yaml").write_text(
        TEXT.replace("    needs:", f"{rule}    needs:"), encoding="utf-8"
    )
    content = {**content_of(""), "base_set": BASE_SET, "cells": CELLS[:3], "levers": ["levers"]}
    content["generators"] = [{"name": "rules", "kind": "rules"}]
    verifier = {"name": "v", "kind": "python", "function": "tests.test_own_classes:agree"}
    content["panel"] = {"verifiers": [verifier, {"name": "fluent", "kind": "rules", "check": "fluency"}]}
    report = run_build(tmp_path, content)
    assert report.facts["rows"] == 12
    assert report.facts["votes"] == 12, "the offline check is absent"


def test_both_verifiers_failed_what_was_planted_among_their_prompts() -> None:
    file = Path(__file__).parent / "recorded" / "own-class-planted.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    said = [read_verdict(row["reply"], OWN.codes, json.dumps(row["material"])) for row in rows]
    assert Counter(row["verifier"] for row in rows) == {"reader-a": 6, "reader-b": 6}
    assert {one.passed for one in said} == {False}
    assert all(not one.checks["intensity"] for one in said)
