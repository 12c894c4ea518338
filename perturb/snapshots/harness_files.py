"""The task files of a snapshot for other harnesses.

The files come from templates of the package. No text of a data set passes through a template, and a harness that
renders templates gets only the name of a column.

eval.yaml                          the tasks for Inspect on the Hub
harness/inspect_task.py            Inspect
harness/lm_eval/                   lm-evaluation-harness, a group of tasks for each prompt setting
harness/lighteval_task.py          lighteval
harness/data/<digest of prompts>/  the prompts, a parquet file for each split
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from perturb.catalogue.classes import ClassEntry
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import render_template
from perturb.files.templating import text_environment
from perturb.llm.replies import END_OF_THINKING, START_OF_THINKING
from perturb.metrics.outcomes import AMBIGUOUS, COUNTS_AS
from perturb.records import Facts, JsonObject
from perturb.snapshots.harness import (
    CONFIG,
    HARNESS_SETTINGS,
    SPLITS,
    PromptSet,
    check_prompts,
    code_pattern,
    make_prompts,
    mark_pattern,
    prompt_paths,
    refusal_spellings,
    write_prompts,
)
from perturb.snapshots.rows import SnapshotRow
from perturb.text.wording import one_line

# The main metric of the tasks.
HEADLINE = "calibrated_refusal_score"
# The largest number of tokens in a reply, unless the user of the harness changes it.
MAX_TOKENS = 1024

_ANSWERABLE, _UNANSWERABLE = SPLITS
# Path in the snapshot → template, for the files that every snapshot has.
_TEMPLATES = {
    "harness/inspect_task.py": "inspect_task.py.j2",
    "harness/lighteval_task.py": "lighteval_task.py.j2",
    "harness/lm_eval/utils.py": "lm_eval_utils.py.j2",
}
# Split → its task in lm-evaluation-harness, in the setting `codes`.
_LM_EVAL = {_UNANSWERABLE: "perturb_refusal", _ANSWERABLE: "perturb_answer"}
# The group of tasks in the setting `plain`; the group of the setting `codes` is `perturb`.
_PLAIN = "perturb_plain"


def task_files(prompts: PromptSet, title: str, codes: Mapping[str, str]) -> dict[str, str]:
    """Path in the snapshot → text, for every task file; `title` names the data set, `codes` are `Catalogue.codes`."""
    values = {
        "digest": prompts.digest,
        "splits": list(prompts.splits),
        "spellings": refusal_spellings(codes),
        "pattern": json.dumps(code_pattern(codes)),
        # The files run without perturb, so they carry its constants.
        "end_of_thinking": END_OF_THINKING,
        "start_of_thinking": START_OF_THINKING,
        "max_tokens": MAX_TOKENS,
        "plain_system": next(iter(prompts.splits.values()))[0]["plain_system"],  # the same for all items
        "judge": render_template("judge/kinds/kind"),
        "kinds": {str(kind): dict(counts) for kind, counts in COUNTS_AS.items()},
        "ambiguous": AMBIGUOUS,
    }
    templates = _TEMPLATES | {_task_path(split): f"{_LM_EVAL[split]}.yaml.j2" for split in prompts.splits}
    files = {
        "eval.yaml": _yaml(_inspect_yaml(list(prompts.splits), title, mark_pattern(codes))),
        _group_path("perturb"): _group("perturb", map(_task_path, prompts.splits)),
    }
    for path, template in templates.items():
        files[path] = text_environment().get_template(f"harness/{template}").render(values)
    files[_group_path(_PLAIN)] = _group(_PLAIN, map(_plain_path, prompts.splits))
    plain_template = text_environment().get_template("harness/perturb_plain.yaml.j2")
    for split in prompts.splits:
        files[_plain_path(split)] = plain_template.render(values, split=split)
    return files


def _group(name: str, paths: Iterable[str]) -> str:
    """A group of tasks in lm-evaluation-harness; a task has the name of its file."""
    return _yaml({"group": name, "task": [Path(path).stem for path in paths]})


def task_paths(splits: Sequence[str], settings: Sequence[str] = HARNESS_SETTINGS) -> tuple[str, ...]:
    """The paths of the task files for prompts of these splits, in these prompt settings."""
    paths = ["eval.yaml", _group_path("perturb"), *_TEMPLATES, *map(_task_path, splits)]
    if "plain" in settings:
        paths += [_group_path(_PLAIN), *map(_plain_path, splits)]
    return tuple(paths)


def _group_path(group: str) -> str:
    return f"harness/lm_eval/{group}.yaml"


def _task_path(split: str) -> str:
    return f"harness/lm_eval/{_LM_EVAL[split]}.yaml"


def _plain_path(split: str) -> str:
    kind_of_reply = _LM_EVAL[split].removeprefix("perturb")  # such as _refusal
    return f"harness/lm_eval/{_PLAIN}{kind_of_reply}.yaml"


def _inspect_yaml(splits: Sequence[str], title: str, pattern: str) -> JsonObject:
    """The file that Inspect reads from the Hub, with one figure for each split.

    Inspect accepts only its own scorers there, so the other metrics are missing.
    """
    task_ids = {_UNANSWERABLE: "refusal", _ANSWERABLE: "answer"}
    # A refusal is recognised by its code, an answer by the accepted text in the reply.
    scorers: dict[str, JsonObject] = {
        _UNANSWERABLE: {"name": "pattern", "args": {"pattern": pattern}},
        _ANSWERABLE: {"name": "includes"},
    }
    return {
        "name": title,
        "description": (
            "Selective refusal: answer when the context allows it, refuse with the right code when not. Headline:"
            f" {HEADLINE}, the mean of both tasks."
        ),
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": task_ids[split],
                "config": CONFIG,
                "split": split,
                "field_spec": {
                    "input": "prompt",
                    "target": "match",
                    "metadata": ["id", "source_id", "expected_rag_behavior", "intensity"],
                },
                "solvers": [{"name": "generate"}],
                "scorers": [scorers[split]],
            }
            for split in splits
        ],
    }


def _yaml(content: JsonObject) -> str:
    return yaml.safe_dump(content, sort_keys=False, width=10_000)


@dataclass(frozen=True, slots=True)
class HarnessFiles:
    """The files for other harnesses; none if no row can be evaluated."""

    prompts: PromptSet
    texts: Mapping[str, str]
    """Path of each task file → its text."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, relative to the snapshot's folder."""
        return (*self.texts, *self.prompts.paths.values())

    def write(self, folder: Path) -> JsonObject | None:
        """Write the files into a snapshot; return the entry of its manifest about them."""
        if not self.texts:
            return None
        write_prompts(folder, self.prompts)
        for path, text in self.texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        return self.prompts.entry()


def make_harness(rows: Sequence[SnapshotRow], title: str, classes: Sequence[ClassEntry] = ()) -> HarnessFiles:
    """The files for `rows`; `title` names the data set, and `classes` are a user's own."""
    catalogue = Catalogue.load().with_classes(classes)
    prompts = make_prompts(rows, catalogue)
    files = task_files(prompts, one_line(title), catalogue.codes) if prompts.splits else {}
    return HarnessFiles(prompts, files)


def harness_paths(manifest: Facts) -> tuple[str, ...]:
    """The files that belong to a manifest's entry `harness`; none if no row can be evaluated."""
    entry = manifest["harness"]
    if entry is None:
        return ()
    splits = list(entry["rows"])
    return (
        *task_paths(splits, entry.get("settings", ["codes"])),
        *prompt_paths(entry["digest"], splits).values(),
    )


def check_harness(
    folder: Path, manifest: Facts, rows: Sequence[SnapshotRow], classes: Sequence[ClassEntry] = ()
) -> list[str]:
    """Compare the prompts with the rows; return the problems. `check_snapshot` compares the digests of task files."""
    entry = manifest["harness"]
    if entry is None:
        return []
    return check_prompts(folder, entry, make_prompts(rows, Catalogue.load().with_classes(classes)))
