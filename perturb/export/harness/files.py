"""The task files of a snapshot: `eval.yaml` and an Inspect task, lm-evaluation-harness tasks, lighteval tasks.

They are made of our own texts: nothing of a data set passes through a template here, and a harness that renders
templates is given no more than the name of a column.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from perturb.export.harness.patterns import code_pattern, mark_pattern, refusal_spellings
from perturb.export.harness.prompts import CONFIG, SPLITS, PromptSet
from perturb.llm.replies import END_OF_THINKING, START_OF_THINKING
from perturb.templating import environment

MAX_TOKENS = 1024
"""Tokens that a harness lets a model reply with, unless its user says otherwise."""

_ANSWERABLE, _UNANSWERABLE = SPLITS
_TEMPLATES = {
    "harness/inspect_task.py": "inspect_task.py.j2",
    "harness/lighteval_task.py": "lighteval_task.py.j2",
    "harness/lm_eval/utils.py": "lm_eval_utils.py.j2",
}
_LM_EVAL = {_UNANSWERABLE: "perturb_refusal", _ANSWERABLE: "perturb_answer"}
"""Split -> its task in lm-evaluation-harness."""
_GROUP = "harness/lm_eval/perturb.yaml"


def task_files(prompts: PromptSet, title: str, codes: Mapping[str, str]) -> dict[str, str]:
    """Path in the snapshot -> text, for every task file; `title` names the data set, `codes` are `Catalogue.codes`."""
    values = {
        "digest": prompts.digest,
        "splits": list(prompts.splits),
        "spellings": refusal_spellings(codes),
        "pattern": json.dumps(code_pattern(codes)),
        "end_of_thinking": END_OF_THINKING,
        "start_of_thinking": START_OF_THINKING,
        "max_tokens": MAX_TOKENS,
    }
    names = {**_TEMPLATES, **{_task_path(split): f"{_LM_EVAL[split]}.yaml.j2" for split in prompts.splits}}
    return {
        "eval.yaml": _yaml(_inspect_yaml(list(prompts.splits), title, mark_pattern(codes))),
        _GROUP: _yaml({"group": "perturb", "task": [_LM_EVAL[split] for split in prompts.splits]}),
        **{
            path: environment().get_template(f"harness/{name}").render(values) for path, name in names.items()
        },
    }


def task_paths(splits: Sequence[str]) -> tuple[str, ...]:
    """The paths that `task_files` gives for prompts of these splits."""
    return ("eval.yaml", _GROUP, *_TEMPLATES, *map(_task_path, splits))


def _task_path(split: str) -> str:
    return f"harness/lm_eval/{_LM_EVAL[split]}.yaml"


def _inspect_yaml(splits: Sequence[str], title: str, pattern: str) -> dict[str, Any]:
    """What Inspect reads from the Hub; it knows no scorers but its own, so only two figures can be had."""
    scorers = {
        _UNANSWERABLE: ("refusal", {"name": "pattern", "args": {"pattern": pattern}}),
        _ANSWERABLE: ("answer", {"name": "includes"}),
    }
    return {
        "name": title,
        "description": "Selective refusal: answer when the context allows it, refuse with the right code when not.",
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": scorers[split][0],
                "config": CONFIG,
                "split": split,
                "field_spec": {
                    "input": "prompt",
                    "target": "match",
                    "metadata": ["id", "source_id", "expected_rag_behavior", "intensity"],
                },
                "solvers": [{"name": "generate"}],
                "scorers": [scorers[split][1]],
            }
            for split in splits
        ],
    }


def _yaml(content: dict[str, Any]) -> str:
    return yaml.safe_dump(content, sort_keys=False, width=10_000)
