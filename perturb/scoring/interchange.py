"""Writes scores and replies in other formats: Every Eval Ever 0.3, and `.eval_results` of the Hub.

Every Eval Ever (https://github.com/evaleval/every_eval_ever) takes one record for each model, with its replies in a
file beside it. `.eval_results` lies in the repository of a model (https://huggingface.co/docs/hub/eval-results).
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from perturb.catalogue.prompts import render_template
from perturb.errors import LedgerError
from perturb.evaluation.results import EvaluationRun, Result, is_current, run_of
from perturb.files.resources import code_version, writing_errors
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_items, read_responses
from perturb.metrics.outcomes import UNSCORED, ReplyOutcome, is_correct, reply_outcome
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from perturb.records import Item, JsonObject, Response
from perturb.scoring.model_scores import ModelScores
from perturb.scoring.score_report import ScoreReport
from perturb.snapshots.harness_files import HEADLINE
from perturb.snapshots.settings import in_setting, setting_of, split_sample

SCHEMA_VERSION = "0.3.0"
HUB_TASKS = {"refusal": "refusal_accuracy", "answer": "answer_accuracy"}
"""Task of a snapshot's `eval.yaml`, and the metric that is its value."""

_NAME = "perturb.selective_refusal"
_RIGHT = (ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.CORRECT_REFUSAL)


def write_every_eval_ever(run: Path, report: ScoreReport, out: Path, now: float | None = None) -> list[Path]:
    """Write a record for each model of an evaluation, and its scored replies; returns the files.

    They lie where the datastore has them: `data/COLLECTION/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`. `now`
    is the time of the record in seconds, the clock's if it is None. A reply that could not be scored has no row; the
    record says how many there are.

    Raises `LedgerError` if the folder holds no evaluation, or a file cannot be written.
    """
    with reading(run) as db:
        evaluation = run_of(db, run)
        items = {name: Item.from_payload(name, payload) for name, payload in read_items(db)}
        models = evaluation.facts["models"]
        texts = {
            _reply_key(
                response,
                setting_of(models[response.model], response.variant).name,
                split_sample(response.variant)[1],
            ): response.text
            for response in read_responses(db)
            if is_current(response, models)
        }
    paths = []
    for scores in report.models:
        results = [
            result
            for result in evaluation.results
            if scores.model in (result.model, in_setting(result.model, result.prompt or ""))
        ]
        record = _record(scores, evaluation, results[0].model, now or time.time())
        rows = list(_samples(record, results, items, texts))
        paths += _write(out, record, rows, len(results) - len(rows))
    return paths


def write_eval_results(
    report: ScoreReport, out: Path, dataset: str, revision: str | None = None
) -> list[Path]:
    """Write a file for the repository of each model: its values on the tasks of a published snapshot.

    `dataset` is the snapshot's repository on the Hub. Raises `LedgerError` if a file cannot be written.
    """
    paths = []
    for scores in report.models:
        values = {task: scores.metrics[name].value for task, name in HUB_TASKS.items()}
        headline = scores.metrics[HEADLINE].value
        notes = {} if headline is None else {"notes": f"calibrated refusal score {100 * headline:.2f}"}
        place = {"id": dataset, **({"revision": revision} if revision else {})}
        entries = [
            {"dataset": {**place, "task_id": task}, "value": round(100 * value, 2), **notes}
            for task, value in values.items()
            if value is not None
        ]
        path = out / _file_name(scores.model) / ".eval_results" / f"{_file_name(dataset)}.yaml"
        text = yaml.safe_dump(entries, sort_keys=False)
        paths.append(_write_text(path, text))
    return paths


def _record(scores: ModelScores, run: EvaluationRun, model: str, now: float) -> JsonObject:
    facts, snapshot = run.facts["models"][model], run.facts["snapshot"]
    full_name = str(facts.get("model") or model)
    developer, _, short = full_name.rpartition("/")
    collection = f"perturb-{snapshot['name']}-{snapshot['round']}"
    stamp = str(int(now))
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{collection}/{scores.model}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "perturb",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "perturb", "version": code_version()},
        "model_info": _model_info(full_name, developer or "unknown", short),
        "evaluation_results": [
            _result(name, scores, facts, snapshot)
            for name in REFUSAL_METRICS
            if name in scores.metrics and scores.metrics[name].value is not None
        ],
    }


def _model_info(full_name: str, developer: str, short: str) -> JsonObject:
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {"name": short, "id": full_name, "developer": developer, "additional_details": unknown}


def _result(
    name: str, scores: ModelScores, facts: Mapping[str, Any], snapshot: Mapping[str, Any]
) -> JsonObject:
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
        judge_name = str(judge.get("model") or judge["name"])
        info = _model_info(
            judge_name, judge_name.rpartition("/")[0] or "unknown", judge_name.rpartition("/")[2]
        )
        config["llm_scoring"] = {
            "judges": [{"model_info": info}],
            "input_prompt": render_template("judge/classify"),
        }
    uncertainty: JsonObject = {"num_samples": estimate.n}
    if estimate.low is not None and estimate.high is not None:
        ends = {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": 0.95,
            "method": "bootstrap",
        }
        uncertainty["confidence_interval"] = ends
    return {
        "evaluation_result_id": name,
        "evaluation_name": _NAME,
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
    texts: Mapping[tuple[Any, ...], str],
) -> Iterator[JsonObject]:
    """A row for each scored reply."""
    for result in results:
        item = items[result.item_id]
        correct = is_correct(result.quality, result.eligible, result.factual_signal)
        outcome = reply_outcome(result.expected_rag_behavior, result.predicted, correct)
        text = texts[_reply_key(result, result.prompt, result.sample)]
        if outcome in UNSCORED:
            continue
        reference = list(item.answers) if item.answerable else [item.expected_behavior]
        raw = f"{item.query}\n\n{item.context}"
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": _NAME,
            "sample_id": result.item_id if result.sample == 1 else f"{result.item_id}/{result.sample}",
            "sample_hash": hashlib.sha256((raw + "".join(reference)).encode()).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": raw, "reference": reference},
            "output": {"raw": [text]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": str(result.predicted),
                    "extraction_method": "llm_judge",
                    "is_terminal": True,
                }
            ],
            "evaluation": {"score": float(outcome in _RIGHT), "is_correct": outcome in _RIGHT},
            "metadata": {
                "class": result.perturbation_class,
                "intensity": result.intensity,
                "outcome": outcome.value,
                "base_instance": result.base_id,
            },
        }


def _reply_key(reply: Result | Response, setting: str | None, sample: int) -> tuple[Any, ...]:
    return reply.item_id, reply.model, setting, sample


def _write(out: Path, record: JsonObject, rows: list[JsonObject], unscored: int) -> list[Path]:
    info, collection = record["model_info"], record["evaluation_id"].partition("/")[0]
    name = str(uuid.UUID(bytes=hashlib.sha256(record["evaluation_id"].encode()).digest()[:16], version=4))
    place = Path("data", *map(_file_name, (collection, info["developer"], info["name"])))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": (place / f"{name}_samples.jsonl").as_posix(),
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "total_rows": len(rows),
        "additional_details": {"unscored_replies": str(unscored)},
    }
    return [
        _write_text(out / place / f"{name}.json", json.dumps(record, ensure_ascii=False, indent=1) + "\n"),
        _write_text(out / place / f"{name}_samples.jsonl", text),
    ]


def _write_text(path: Path, text: str) -> Path:
    with writing_errors(path, LedgerError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
    return path


def _file_name(text: str) -> str:
    """A text as the name of a folder: nothing in it leads elsewhere."""
    return (
        "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in text).strip(".")
        or "unnamed"
    )
