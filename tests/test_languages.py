"""Base sets in other languages than English: what is read, asked, offered, and passed over offline."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.api.functions import curate
from perturb.building.generate import generate_by_rule
from perturb.building.jobs import PlanSettings, plan_jobs
from perturb.building.plan import plan_build
from perturb.building.verify import ask_rule
from perturb.catalogue.features import Need
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.config import default_config, load_config, recorded_config, resolve
from perturb.curation.base_sets import BaseSet, load_base_set
from perturb.curation.source import load_recipe
from perturb.errors import ConfigError, SourceError
from perturb.files.resources import data_folder, demo_recording
from perturb.ledger.plans import instance_key
from perturb.llm.recording import Replay, read_recording
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Job, JobOutcome, Lever, Passage, VerdictState
from perturb.text.wording import LANGUAGES, VARIETY, language_with_code, read_language, why_not_read_offline
from tests.building import write_rows

CATALOGUE = Catalogue.load()
GERMAN = BaseInstance(
    "muehle",
    "test",
    "Wann öffnete die Mühle?",
    (Passage("Die Mühle öffnete 1984."),),
    ("1984",),
    language="de",
)
ENGLISH = BaseInstance(
    "mill", "test", "When did the mill open?", (Passage("The mill opened in 1984."),), ("1984",)
)
ROW = {"query": GERMAN.query, "context": GERMAN.context, "answers": ["1984"]}


def write(path: Path, *rows: Any) -> Path:
    return write_rows(path, rows)


def offers(cell: Any, instance: BaseInstance) -> set[str]:
    settings = PlanSettings("r", 7, (cell,), 1, {"a": "fa"}, "generator", language_version=("w",))
    (job,) = plan_jobs(settings, [(instance_key(instance), instance)], CATALOGUE)
    return {name for offer in job.offers or () for name in offer}


def test_the_language_nearest_to_a_row_holds(tmp_path: Path) -> None:
    header = {"base_set": {"name": "s", "language": "fr"}}
    path = write(
        tmp_path / "s.jsonl", {**ROW, "id": 1}, header, {**ROW, "id": 2}, {**ROW, "id": 3, "language": "de"}
    )
    read = load_base_set(path, language="it")
    assert [one.language for one in read] == ["it", "fr", "de"]
    assert read.languages == ("de", "fr", "it")
    assert load_base_set(read.write(tmp_path / "t.jsonl")).instances == read.instances
    assert [one.language for one in load_base_set(path)] == ["en", "fr", "de"]


def test_a_column_of_a_table_and_a_record_state_it_too(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text(
        "id,query,context,answers,language\n1,Wann?,1984.,1984,de\n2,When?,1984.,1984,\n", encoding="utf-8"
    )
    assert [one.language for one in load_base_set(table)] == ["de", "en"]
    assert BaseSet.from_records([ROW], language="de").languages == ("de",)
    assert BaseSet.from_records([GERMAN]).instances[0].language == "de"


def test_a_recipe_states_the_language_of_a_source(tmp_path: Path) -> None:
    recipe = tmp_path / "r.yaml"
    recipe.write_text("name: r\nlanguage: no\n")
    assert load_recipe(str(recipe)).language == "no"  # which YAML takes for false
    recipe.write_text("name: r\nlanguage: de\n")
    rows = [{**ROW, "id": 1}, {**ROW, "id": 2, "language": "en"}, {**ROW, "id": 3, "language": "fr"}]
    source = write(tmp_path / "s.jsonl", *rows)
    made = curate(source, tmp_path / "out.jsonl", recipe=recipe)
    assert [one.language for one in made] == ["de", "en", "fr"]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (
            [{**ROW, "language": "ger"}],
            "s.jsonl:1: field 'language' is an unknown language 'ger': did you mean 'de' (German)?",
        ),
        (
            [{**ROW, "language": "Deutsch"}],
            "s.jsonl:1: field 'language' is an unknown language 'Deutsch': did you mean 'de' (German)?",
        ),
        (
            [{"base_set": {"language": "jp"}}, ROW],
            "s.jsonl:1: field 'base_set.language' is an unknown language 'jp': did you mean 'ja' (Japanese)?",
        ),
        (
            [{**ROW, "language": "xx"}],
            "s.jsonl:1: field 'language' is an unknown language 'xx': use a code of ISO 639, such as 'de'",
        ),
        (
            [{**ROW, "language": 4}],
            "s.jsonl:1: field 'language' must be a string, got a number: write it in double quotes",
        ),
    ],
)
def test_an_unknown_language_is_one_line_that_suggests_another(
    tmp_path: Path, rows: list[Any], line: str
) -> None:
    with pytest.raises(SourceError) as raised:
        load_base_set(write(tmp_path / "s.jsonl", *rows))
    assert str(raised.value).removeprefix(f"{tmp_path}/") == line


def test_the_same_of_a_build_file(tmp_path: Path) -> None:
    text = (data_folder("base_sets") / "demo.build.yaml").read_text("utf-8")
    path = tmp_path / "build.yaml"
    path.write_text(text.replace("{demo: demo}", "{demo: demo, language: German}"), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"build.yaml:5: .*unknown language 'German': did you mean 'de'"
    ) as raised:
        load_config(path)
    assert "\n" not in str(raised.value)


@given(st.text(max_size=12))
def test_whatever_is_no_code_is_refused_in_one_line(text: str) -> None:
    if text in LANGUAGES or (re.fullmatch(VARIETY, text) and text.partition("-")[0] in LANGUAGES):
        assert read_language(text) == text
        return
    with pytest.raises(ValueError, match=r"^unknown language '") as raised:
        read_language(text)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("code", ["zh-Hant", "pt-BR", "sr-Latn-RS", "es-419"])
def test_a_language_has_a_script_or_a_region(tmp_path: Path, code: str) -> None:
    [instance] = load_base_set(write(tmp_path / "s.jsonl", {**ROW, "language": code})).instances
    assert instance.language == code
    cell = ALL_CELLS[0]
    asked = Prompts(CATALOGUE).generation(cell, instance).messages[0].content
    assert f"in {language_with_code(code)} too" in asked


def test_english_of_a_region_is_read_as_english() -> None:
    british = replace(ENGLISH, language="en-GB")
    cell = ALL_CELLS[0]
    asked = [Prompts(CATALOGUE).generation(cell, one).messages for one in (ENGLISH, british)]
    assert asked[0] == asked[1]
    assert why_not_read_offline("en-GB") is None
    for wrong in ("xx-Hant", "pt-Brazil", "zh-hant", "en_GB"):
        with pytest.raises(ValueError, match="unknown language"):
            read_language(wrong)


def test_codes_and_names_are_well_formed() -> None:
    assert len(LANGUAGES) > 200
    assert all(code.isascii() and code.islower() and len(code) in (2, 3) for code in LANGUAGES)
    assert len(set(LANGUAGES.values())) == len(LANGUAGES)
    assert language_with_code("de") == "German (de)"


def test_prompts_ask_for_texts_in_the_language_and_say_nothing_of_it_in_english() -> None:
    prompts, cell = Prompts(CATALOGUE), ALL_CELLS[0]
    lever = CATALOGUE.levers_of(cell)[0].name
    asked = {
        "Write every text of the item in German too": [
            prompts.generation(cell, one) for one in (GERMAN, ENGLISH)
        ],
        "soundness is soundness in German": [
            prompts.verification(one, item(one, lever)) for one in (GERMAN, ENGLISH)
        ],
    }
    for rule, requests in asked.items():
        german, english = (request.messages[0].content for request in requests)
        assert rule in german
        assert german.startswith(english)
        assert "LANGUAGE" not in english


def item(instance: BaseInstance, lever: str, text: str = "?") -> Candidate:
    return Candidate("c", instance.id, "g", ALL_CELLS[0], lever, text, instance.passages, "r", "e")


def test_texts_in_another_language_change_no_job_in_english() -> None:
    english = (instance_key(ENGLISH), ENGLISH)
    plain = PlanSettings("r", 7, ALL_CELLS, 1, {"a": "fa"}, "generator")
    both = replace(plain, language_version=("w",))
    german = (instance_key(GERMAN), GERMAN)
    ids = [job.id for job in plan_jobs(plain, [english], CATALOGUE)]
    assert [job.id for job in plan_jobs(both, [english, german], CATALOGUE)][: len(ids)] == ids
    reworded = [job.id for job in plan_jobs(replace(both, language_version=("v",)), [german], CATALOGUE)]
    assert not set(reworded) & {job.id for job in plan_jobs(both, [german], CATALOGUE)}


def test_the_recorded_round_knows_nothing_of_languages() -> None:
    recording = read_recording(demo_recording("recorded") or Path())
    plan = plan_build(recorded_config(), Replay(recording))
    assert plan.facts["digests"]["base_set"] == recording.header["digests"]["base_set"]
    assert {job.id for job in plan.jobs()} >= {job.id for job in recording.jobs.values()}


def test_a_lever_is_ruled_out_by_nothing_that_is_read_as_english() -> None:
    def of_english(lever: Lever) -> bool:
        needs = [Need.read(need) for need in lever.needs]
        return any(not name.startswith("passages:") for need in needs for name in need.features)

    for cell in ALL_CELLS:
        levers = CATALOGUE.levers_of(cell)
        assert {lever.name for lever in levers if of_english(lever) or not lever.needs} <= offers(
            cell, GERMAN
        )
    assert sum(len(offers(cell, ENGLISH)) for cell in ALL_CELLS) < sum(
        len(offers(cell, GERMAN)) for cell in ALL_CELLS
    )


def test_rules_abstain_from_what_they_cannot_read() -> None:
    job = Job("j", GERMAN.id, ALL_CELLS[-1], "rules", 0, "r")
    made = generate_by_rule(CATALOGUE, job, GERMAN, 7)
    assert made.outcome is JobOutcome.ABSTAINED
    assert made.detail == "in German (de): the offline engine reads English only"
    lever = CATALOGUE.levers_of(ALL_CELLS[0])[0].name
    vote = ask_rule(CATALOGUE, "v", "fluency", "1", GERMAN, item(GERMAN, lever, "Wann wann wann die die?"))
    assert vote.state is VerdictState.ABSTAIN


def test_offline_builds_say_in_a_line_what_they_cannot_do(tmp_path: Path) -> None:
    german = BaseSet.from_records([GERMAN]).write(tmp_path / "german.jsonl")
    config = default_config()
    entry = config.base_set.model_copy(update={"demo": None, "path": german})
    line = "base set 'german': the offline engine reads English only, not German (de): name a model under 'generators'"
    with pytest.raises(ConfigError) as raised:
        plan_build(config.model_copy(update={"base_set": entry.model_copy(update={"path": german})}))
    assert str(raised.value) == line.replace("german'", f"{load_base_set(german).name}'")
    both = BaseSet.from_records([GERMAN, ENGLISH], name="both").write(tmp_path / "both.jsonl")
    plan = plan_build(config.model_copy(update={"base_set": entry.model_copy(update={"path": both})}))
    passed = (
        "base set 'both': the offline engine reads English only, not German (de): rules under 'generators'"
    )
    assert plan.base_set.warnings[0].startswith(passed)
    assert [one.id for group in plan.donors.groups.values() for one in group if one.language != "en"] == []


def test_the_build_file_states_the_language_of_a_set_that_states_none(tmp_path: Path) -> None:
    write(tmp_path / "s.jsonl", ROW)
    config = load_config(data_folder("base_sets") / "languages.build.yaml")
    entry = config.base_set.model_copy(update={"demo": None, "path": Path("s.jsonl"), "language": "de"})
    plan = plan_build(resolve(config.model_copy(update={"base_set": entry}), tmp_path))
    assert plan.base_set.languages == ("de",)
    assert plan.job_settings.language_version
