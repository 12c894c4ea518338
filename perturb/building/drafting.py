"""Drafts a perturbation class from a sentence, and tries each of its levers.

The draft is a class file as docs/levers.md describes it, for a person to edit. A *lever* of the class is one
instruction for changing an instance so that it gets the flaw.

`draft_class` works in three steps. A model writes the class (`_write_class`). The loader of builds checks it, and if it
finds a fault, the model gets the message and tries once more (`read_class`). Then the model carries out each lever on
some instances, as a generator of a build would (`Trial`).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from perturb.building.generate import GenerationResult, generate_by_model
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts, data_request, object_schema, system_message
from perturb.curation.base_sets import BaseSet
from perturb.errors import CatalogueError, ConfigError, TransientModelError
from perturb.evaluation.models_under_test import ModelSet
from perturb.evaluation.run import open_session
from perturb.evaluation.session import RunOptions, Session
from perturb.files.resources import digest, fraction_of, writing_errors
from perturb.ledger.evaluations import EvaluationLedger
from perturb.llm.budget import Progress
from perturb.llm.replies import ReplyError, read_object
from perturb.records import ANSWER_CORRECTLY, BaseInstance, Intensity, Job, JobOutcome, JsonObject, Lever
from perturb.runtime import gather_all, run_sync
from perturb.text.passages import mark_change

TRIED_ON = 3
"""How many instances of the demo set each lever is tried on."""
# The fields of the model's reply: of the class, and of each of its levers.
_CLASS_FIELDS = ("class", "summary", "target", "refusal_code", "refuse_when", "example", "criteria", "levers")
_LEVER_FIELDS = ("name", "intensity", "instruction", "query", "context", "why")
# A text in the JSON schema that the reply must follow.
_TEXT = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one lever on one instance."""

    lever: str
    intensity: str
    instance: str
    outcome: JobOutcome
    detail: str
    """The reason if there is no candidate; empty otherwise."""
    query: str = ""
    context: str = ""
    """The texts after the change: additions stand between `{+` and `+}`, and removals between `[-` and `-]`."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A class file that was written, and the trials of its levers."""

    file: Path
    perturbation_class: str
    refusal_code: str
    trials: tuple[Trial, ...]

    def to_dict(self) -> JsonObject:
        """The draft in the form that `perturb levers draft --json` prints."""
        return {**asdict(self), "file": str(self.file)}


def draft_class(sentence: str, models: ModelSet, out: Path, options: RunOptions) -> Draft:
    """Let the only model of `models` draft a class for the flaw that a sentence describes, and try its levers.

    The class file and `trials.md` are written into the folder `out`. The ledger of the calls lies beside it, so that
    stopped work can resume. Raises `ConfigError` if `out` holds lever files, if the draft cannot be used, or for a
    model that cannot be called. Raises `BudgetSpent` before the budget is overspent.
    """
    if any(out.glob("*.y*ml")) or (out.exists() and not out.is_dir()):
        raise ConfigError(f"{out}: holds lever files already: choose another folder for the draft")
    if not sentence.strip():
        raise ConfigError("the description of the class is empty: describe the flaw in a sentence")
    models.check(in_batches=options.batch is not None)
    # The ledger is beside the folder and not in it, since every YAML file of the folder is read as levers.
    ledger_folder = out.with_name(f"{out.name}.draft")
    with EvaluationLedger(ledger_folder) as ledger:
        text, trials = run_sync(_draft(sentence, models, options, ledger))
    entry = _load(text).own_classes[0]
    # The class `P-Two-Dates` gives the file `two-dates.yaml`.
    name = re.sub(r"[^a-z0-9]+", "-", entry.name.removeprefix("P-").lower()).strip("-")
    with writing_errors(out, ConfigError):
        out.mkdir(parents=True, exist_ok=True)
        # The class file comes last, so that a folder with a class file is complete.
        (out / "trials.md").write_text("\n".join(_describe(trials)), encoding="utf-8")
        (out / f"{name}.yaml").write_text(text, encoding="utf-8")
    return Draft(out / f"{name}.yaml", str(entry.name), entry.refusal_code, trials)


async def _draft(
    sentence: str, models: ModelSet, options: RunOptions, ledger: EvaluationLedger
) -> tuple[str, tuple[Trial, ...]]:
    """The text of the class file, and the trials of its levers."""
    # `draft_class` takes a set of models, since sessions do, but with a single model.
    (model,) = models.under_test
    # A session needs a progress bar, which is not shown here.
    with Progress(1, "lever", shown=False) as progress:
        async with open_session(models, ledger, options, progress=progress) as session:
            text = await _write_class(session, model, sentence)
            catalogue = _load(text)
            name = catalogue.own_classes[0].name
            levers = [lever for lever in catalogue.levers if lever.cell.perturbation_class == name]
            prompts = Prompts(catalogue)

            async def attempt(lever: Lever, instance: BaseInstance) -> Trial:
                # A corrected draft has other levers, and gets new calls for them.
                key = digest("draft", catalogue.cell_digest(lever.cell), lever.name, instance.id, model)
                job = Job(
                    id=key,
                    instance_id=instance.id,
                    cell=lever.cell,
                    generator=model,
                    replicate=0,
                    round="draft",
                    offers=((lever.name,),),
                )
                result = await generate_by_model(session.client, prompts, job, instance, seed=0)
                return _trial(lever, instance, result)

            trials = await gather_all(
                attempt(lever, instance) for lever in levers for instance in _instances(lever)
            )
    return text, tuple(trials)


async def _write_class(session: Session, model: str, sentence: str) -> str:
    """The text of a class file that loads. Raises `ConfigError` if the model does not write one."""
    classes = Catalogue.load().classes.values()
    existing = [
        {"class": str(entry.name), "code": entry.refusal_code, "summary": entry.summary} for entry in classes
    ]
    schema = object_schema(
        {
            # All fields are texts, apart from those below.
            **dict.fromkeys(_CLASS_FIELDS, _TEXT),
            "target": {"type": "array", "items": _TEXT},
            "criteria": object_schema(dict.fromkeys(map(str, Intensity), _TEXT)),
            "levers": {"type": "array", "items": object_schema(dict.fromkeys(_LEVER_FIELDS, _TEXT))},
        }
    )
    request = data_request(system_message("write/class"), {"flaw": sentence, "classes": existing}, schema)
    answer = await session.client.ask(model, request, read_class, purpose="write", subject=digest(sentence))
    if answer.value is not None:
        return answer.value
    if answer.transient:
        raise TransientModelError(f"model '{model}': {answer.error}: run the same command again")
    raise ConfigError(f"model '{model}': no class file comes of its reply: {answer.error}: try another model")


def read_class(text: str) -> str:
    """The class file that a reply describes. Raises `ReplyError` if it would not load."""
    content = read_object(text, frozenset(_CLASS_FIELDS))
    levers = content["levers"]
    if not isinstance(levers, list) or not all(isinstance(lever, dict) for lever in levers):
        raise ReplyError("'levers' must be a list of objects")
    written = {name: content[name] for name in _CLASS_FIELDS}
    written["levers"] = [_lever_entry(lever, content["refusal_code"]) for lever in levers]
    try:
        file = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=110)
        catalogue = _load(file)
    except CatalogueError as error:
        raise ReplyError(str(error)) from None
    if not catalogue.own_classes:
        raise ReplyError("'class' is the name of an existing class: give another one")
    # A class needs levers for all of its intensities. The loader accepts a class without, for users who add them later.
    for cell in catalogue.cells:
        if cell.perturbation_class == catalogue.own_classes[0].name and not catalogue.levers_of(cell):
            raise ReplyError(f"'levers' holds none for {cell.intensity}")
    return file


def _lever_entry(lever: Mapping[str, Any], code: Any) -> dict[str, Any]:
    """A lever of the reply as an entry of a class file; `code` is the refusal code of the class."""
    for name in _LEVER_FIELDS:
        if not isinstance(lever.get(name), str):
            raise ReplyError(f"a lever has no '{name}'")
    # The loader checks that the illustration begins with the right code. Models often leave it out.
    expected = ANSWER_CORRECTLY if lever["intensity"] == Intensity.LOW else code
    return {
        "name": " ".join(lever["name"].split()),
        "intensity": lever["intensity"],
        "needs": [],
        "instruction": lever["instruction"],
        "illustration": {
            "query": lever["query"],
            "context": lever["context"],
            "expected": f"{expected}: {lever['why']}",
        },
    }


def _load(text: str) -> Catalogue:
    """The catalogue with a class file of this text. Raises `CatalogueError` whose message names no temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "class.yaml")
        file.write_text(text, encoding="utf-8")
        try:
            return Catalogue.load([Path(folder)])
        except CatalogueError as error:
            # The model gets this message, so it must not change from run to run with the name of the temporary folder.
            raise CatalogueError(str(error).replace(f"{folder}/", "")) from None


def _instances(lever: Lever) -> Sequence[BaseInstance]:
    """The instances of the demo set that a lever is tried on: a draw by hashes, which is the same in every run."""
    demo = BaseSet.read("demo").instances
    return sorted(demo, key=lambda instance: fraction_of("draft", lever.name, instance.id))[:TRIED_ON]


def _trial(lever: Lever, instance: BaseInstance, result: GenerationResult) -> Trial:
    """The result of a lever on an instance, with the changes marked in its texts."""
    trial = Trial(lever.name, str(lever.cell.intensity), instance.id, result.outcome, result.detail)
    # A rejected candidate is not shown, only the reason for its rejection.
    if result.candidate is None or result.outcome is not JobOutcome.CANDIDATE:
        return trial
    return replace(
        trial,
        detail="",
        query=_marked(instance.query, result.candidate.query),
        context=_marked(instance.context, result.candidate.context),
    )


def _marked(before: str, after: str) -> str:
    """The new text with what was taken out and put in, as `Trial.context` describes it."""
    # In a format, doubled braces stand for one brace.
    marks = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
    return "".join(marks[piece.kind].format(piece.text) for piece in mark_change(before, after))


def _describe(trials: Sequence[Trial]) -> Iterator[str]:
    """The lines of `trials.md`: the result of each lever, so that a person sees which instruction needs work."""
    yield "# What the drafted levers made"
    for trial in trials:
        yield f"\n## {trial.lever} ({trial.intensity}), instance {trial.instance}\n"
        if trial.outcome is not JobOutcome.CANDIDATE:
            yield f"Nothing: {trial.outcome.value}: {trial.detail}"
        else:
            yield f"Question: {trial.query}\n\nPassage: {trial.context}"
    yield ""
