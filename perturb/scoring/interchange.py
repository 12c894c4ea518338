"""Scores and replies in other formats: Every Eval Ever 0.3, and `.eval_results` of the Hub.

Every Eval Ever (https://github.com/evaleval/every_eval_ever) has one record for each model, with its replies in a
second file. `.eval_results` is a folder in the repository of a model (https://huggingface.co/docs/hub/eval-results).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from perturb.catalogue.prompts import render_template
from perturb.errors import LedgerError
from perturb.evaluation.results import EvaluationRun, Result, is_current, outcome_of, run_of
from perturb.files.resources import code_version, writing_errors
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_items, read_responses
from perturb.metrics.outcomes import UNSCORED
from perturb.metrics.refusal import RIGHT
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from perturb.records import Facts, Item, JsonObject, Response
from perturb.scoring.model_scores import ModelScores
from perturb.scoring.score_report import ScoreReport
from perturb.snapshots.harness_files import HEADLINE
from perturb.snapshots.settings import name_with_prompt, setting_of, split_sample

# The version of Every Eval Ever that the records follow.
SCHEMA_VERSION = "0.3.0"
# Task of a snapshot's `eval.yaml` → the metric that is its value.
HUB_TASKS = {"refusal": "refusal_accuracy", "answer": "answer_accuracy"}

# The name of the evaluation in every record.
_EVALUATION_NAME = "perturb.selective_refusal"

# What a stored reply and its result have in common: item, model, name of the setting, number of the sample.
_ReplyKey = tuple[str, str, str | None, int]


def write_every_eval_ever(run: Path, report: ScoreReport, out: Path, now: float | None = None) -> list[Path]:
    """Write a record for each model of an evaluation, and its scored replies; return the paths of the files.

    The paths are those of the datastore: `data/COLLECTION/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`. `now` is
    the time of the record in seconds; None means the clock. An unscored reply has no row; the record has their number.

    Raises `LedgerError` if the folder has no evaluation, or if a file cannot be written.
    """
    with reading(run) as db:
        evaluation = run_of(db, run)
        items = {name: Item.from_payload(name, payload) for name, payload in read_items(db)}
        texts = _reply_texts(db, evaluation.facts["models"])
    paths = []
    for scores in report.models:
        results = [result for result in evaluation.results if _is_scored_as(result, scores.model)]
        record = _record(scores, evaluation, results[0].model, now or time.time())
        rows = list(_samples(record, results, items, texts))
        paths += _write_record(out, record, rows, unscored=len(results) - len(rows))
    return paths


def _reply_texts(db: sqlite3.Connection, models: Mapping[str, Facts]) -> dict[_ReplyKey, str]:
    """Key of a reply → its text. A reply under earlier settings of its model has no result and is left out."""
    texts = {}
    for response in read_responses(db):
        if is_current(response, models):
            setting = setting_of(models[response.model], response.variant).name
            _, sample = split_sample(response.variant)
            texts[_reply_key(response, setting, sample)] = response.text
    return texts


def _is_scored_as(result: Result, name: str) -> bool:
    """Whether the scores under this name count the result. A model has one name for each setting it was asked in."""
    return name in (result.model, name_with_prompt(result.model, result.prompt or ""))


def write_eval_results(report: ScoreReport, out: Path, dataset: str) -> list[Path]:
    """Write a file for the repository of each model, with its values on the tasks of a published snapshot.

    `dataset` is the snapshot's repository on the Hub. Raises `LedgerError` if a file cannot be written.
    """
    paths = []
    for scores in report.models:
        values = {task: scores.metrics[name].value for task, name in HUB_TASKS.items()}
        headline = scores.metrics[HEADLINE].value
        notes = {} if headline is None else {"notes": f"calibrated refusal score {100 * headline:.2f}"}
        entries = [
            {"dataset": {"id": dataset, "task_id": task}, "value": round(100 * value, 2), **notes}
            for task, value in values.items()
            if value is not None
        ]
        path = out / _file_name(scores.model) / ".eval_results" / f"{_file_name(dataset)}.yaml"
        paths.append(_write_text(path, yaml.safe_dump(entries, sort_keys=False)))
    return paths


def _record(scores: ModelScores, run: EvaluationRun, model: str, now: float) -> JsonObject:
    """The record of a model; `model` is its name without the setting, by which the run stores its facts."""
    facts, snapshot = run.facts["models"][model], run.facts["snapshot"]
    full_name = str(facts.get("model") or model)
    collection = f"perturb-{snapshot['name']}-{snapshot['round']}"
    timestamp = str(int(now))
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{collection}/{scores.model}/{timestamp}",
        "retrieved_timestamp": timestamp,
        "source_metadata": {
            "source_name": "perturb",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "perturb", "version": code_version()},
        "model_info": _model_info(full_name),
        "evaluation_results": [
            _result(name, scores, facts, snapshot)
            for name in REFUSAL_METRICS
            if name in scores.metrics and scores.metrics[name].value is not None
        ],
    }


def _model_info(full_name: str) -> JsonObject:
    """The entry about a model; the part of its name before the last slash is the developer."""
    developer, _, name = full_name.rpartition("/")
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {"name": name, "id": full_name, "developer": developer or "unknown", "additional_details": unknown}


def _result(name: str, scores: ModelScores, facts: Facts, snapshot: Facts) -> JsonObject:
    """The entry of a record on one metric."""
    metric, estimate = REFUSAL_METRICS[name], scores.metrics[name]
    config: JsonObject = {
        "metric_id": f"perturb.{name}",
        "metric_name": name.replace("_", " "),
        "metric_unit": "proportion",
        "lower_is_better": metric.higher_is_better is False,
        "score_type": "continuous",
        "min_score": 0,
        "max_score": metric.maximum,
    }
    if judge := facts.get("judge"):
        config["llm_scoring"] = {
            "judges": [{"model_info": _model_info(str(judge.get("model") or judge["name"]))}],
            "input_prompt": render_template("judge/classify"),
        }
    uncertainty: JsonObject = {"num_samples": estimate.n}
    if estimate.low is not None and estimate.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": 0.95,
            "method": "bootstrap",
        }
    return {
        "evaluation_result_id": name,
        "evaluation_name": _EVALUATION_NAME,
        "source_data": {
            "dataset_name": f"{snapshot['name']}, round {snapshot['round']}",
            "source_type": "other",
            "additional_details": {"snapshot_digest": str(snapshot["digest"])},
        },
        "metric_config": config,
        "score_details": {"score": estimate.value, "uncertainty": uncertainty},
        "generation_config": {"additional_details": {"system": str(facts.get("system", ""))}},
    }


def _samples(
    record: JsonObject,
    results: list[Result],
    items: Mapping[str, Item],
    texts: Mapping[_ReplyKey, str],
) -> Iterator[JsonObject]:
    """A row for each scored reply."""
    for result in results:
        item = items[result.item_id]
        outcome = outcome_of(result.expected_rag_behavior, result.to_dict())
        if outcome in UNSCORED:
            continue
        # To an item that has no answer, the right reply is its refusal code.
        reference = list(item.answers) if item.answerable else [item.expected_behavior]
        question = f"{item.query}\n\n{item.context}"
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": _EVALUATION_NAME,
            # The format has no field for the number of a sample, and ids must be unique.
            "sample_id": result.item_id if result.sample == 1 else f"{result.item_id}/{result.sample}",
            "sample_hash": hashlib.sha256((question + "".join(reference)).encode()).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": question, "reference": reference},
            "output": {"raw": [texts[_reply_key(result, result.prompt, result.sample)]]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": str(result.predicted),
                    "extraction_method": "llm_judge",
                    "is_terminal": True,
                }
            ],
            "evaluation": {"score": float(outcome in RIGHT), "is_correct": outcome in RIGHT},
            "metadata": {
                "class": result.perturbation_class,
                "intensity": result.intensity,
                "outcome": outcome.value,
                "base_instance": result.base_id,
            },
        }


def _reply_key(reply: Result | Response, setting: str | None, sample: int) -> _ReplyKey:
    return reply.item_id, reply.model, setting, sample


def _write_record(out: Path, record: JsonObject, rows: list[JsonObject], unscored: int) -> list[Path]:
    """Write the two files of a model. The folder is named after the collection, the first part of the record's id."""
    info, evaluation_id = record["model_info"], record["evaluation_id"]
    collection, _, _ = evaluation_id.partition("/")
    # The format wants a UUID of version 4. One from a digest gives the same files when they are written again.
    name = str(uuid.UUID(bytes=hashlib.sha256(evaluation_id.encode()).digest()[:16], version=4))
    folder = Path("data", *map(_file_name, (collection, info["developer"], info["name"])))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    details = {
        "format": "jsonl",
        "file_path": (folder / f"{name}_samples.jsonl").as_posix(),
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "total_rows": len(rows),
        "additional_details": {"unscored_replies": str(unscored)},
    }
    complete = {**record, "detailed_evaluation_results": details}
    return [
        _write_text(out / folder / f"{name}.json", json.dumps(complete, ensure_ascii=False, indent=1) + "\n"),
        _write_text(out / folder / f"{name}_samples.jsonl", text),
    ]


def _write_text(path: Path, text: str) -> Path:
    """Write a file with its folders; return its path."""
    with writing_errors(path, LedgerError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
    return path


def _file_name(text: str) -> str:
    """A text as the name of a file or folder, without separators and without dots at its ends."""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in text)
    return safe.strip(".") or "unnamed"
