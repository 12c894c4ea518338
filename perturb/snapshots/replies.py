"""The export of a run's replies as a file of recorded replies, and the verification of a snapshot.

A recording has a header and then rows: the items of the run, and the replies about each (`perturb.llm.recording`). A
replay asks again in the order of the rows. About a deep item, a verifier is asked twice: it decides blind, before it
has seen what the item claims, and then it votes. The calls of the two are the blind and the open calls.

`check_snapshot` finds damage and edits. `verify_snapshot` also finds rows that were wrong from the start, or that were
edited together with their digests: a lever of another cell, a change outside of the target, a label that does not fit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from perturb.catalogue.levers import Catalogue, embedded_levers
from perturb.config import load_config
from perturb.errors import PerturbError, RecordingError, SnapshotError
from perturb.files.resources import Spool, digest
from perturb.ledger import queries
from perturb.ledger.calls import AnsweredCalls, last_pass, reading
from perturb.ledger.ends import planned_jobs
from perturb.ledger.evaluations import (
    PANEL_FACT,
    PLANTED_FACT,
    PLANTED_MODEL,
    read_facts,
    read_items,
    read_judge_votes,
    read_judgements,
    read_responses,
)
from perturb.ledger.plans import CurrentPlan, current_plan, key_variables_of
from perturb.ledger.planted import planted_items, planted_votes, solver_replies
from perturb.llm.recording import Kind, RecordedJob, RecordedReply, judged_part, record_row, write_recording
from perturb.llm.redaction import show_key
from perturb.records import (
    EXPECTED_ANSWER,
    Cell,
    Facts,
    Intensity,
    Job,
    JsonObject,
    PerturbationClass,
    Verdict,
)
from perturb.snapshots.card import ExportedReplies
from perturb.snapshots.rows import SnapshotRow
from perturb.snapshots.settings import PromptSetting, samples_by_variant, settings_by_variant
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot

# The fields that a recorded reply has in common with a call of the ledger.
_CALL_FIELDS = ("model", "prompt_tokens", "completion_tokens", "seconds", "finish_reason", "problem")


def export_replies(run: Path, file: Path) -> ExportedReplies:
    """Write the replies that gave the results of a build or an evaluation.

    Neither keys nor the texts of errors are written. Raises `RecordingError` if there are no replies or the file
    cannot be written, `LedgerError` if the folder has no run.
    """
    if "".join(file.suffixes[-2:]) != ".jsonl.gz":
        raise RecordingError(f"{file}: recorded replies are gzipped JSON Lines: call the file NAME.jsonl.gz")
    checked_rows = Spool()
    n_replies = 0
    with reading(run) as db:
        facts = read_facts(db)  # only evaluations have facts
        header, rows = _of_evaluation(db, facts) if facts else _of_build(db, current_plan(db, run))
        key_names = key_variables_of(db)
        _refuse_key(run, header, key_names)
        for row in rows:
            _refuse_key(run, row, key_names)
            checked_rows.append(row)
            n_replies += row["kind"] == "reply"
    if not n_replies:
        raise RecordingError(f"{run}: has no reply of a model: there is nothing to export")
    return ExportedReplies(file, write_recording(file, header, checked_rows), n_replies)


def holds_evaluation(run: Path) -> bool:
    """Whether the run is an evaluation, rather than a build."""
    with reading(run) as db:
        return bool(read_facts(db))


def _refuse_key(run: Path, content: Facts, key_names: set[str]) -> None:
    """Raise `RecordingError` if a row or the header contains what looks like a key."""
    if masked_key := show_key(content, key_names):
        raise RecordingError(
            f"{run}: not exported, since {content['kind']} {content.get('id', '')!r} holds what looks like a key"
            f" ({masked_key}): revoke the key, and take it out where it comes from"
        )


def _of_build(db: sqlite3.Connection, plan: CurrentPlan) -> tuple[JsonObject, Iterator[JsonObject]]:
    """Header and rows of the recording of a build."""
    facts = plan.facts
    header = {
        **_header(
            "build",
            facts.code_version,
            [entry.model_dump() for entry in (*facts.generators, *facts.verifiers)],
        ),
        "name": facts.name,
        "round": facts.round,
        "seed": facts.seed,
        "config": digest(plan.config),
        "digests": facts.digests,
    }
    return header, _build_rows(db, plan)


def _build_rows(db: sqlite3.Connection, plan: CurrentPlan) -> Iterator[JsonObject]:
    """The instances, jobs, planted items and replies of a build. Rules need no replies: a replay runs them again."""
    # The order is that in which a replay asks: an instance, its jobs, the generator's replies, then the verifiers'.
    calls = AnsweredCalls(db)
    model_generators = {entry.name for entry in plan.facts.generators if entry.model != "rules"}
    model_verifiers = [entry.name for entry in plan.facts.verifiers if entry.model != "rules"]
    written_instances: set[str] = set()
    for planned in planned_jobs(db, plan.number):
        job = planned.job
        # Many jobs share an instance, which is written once, before its first job.
        if planned.instance_key not in written_instances:
            written_instances.add(planned.instance_key)
            content = queries.instance(db, planned.instance_key).to_payload()
            yield {"kind": "instance", "key": planned.instance_key, "content": content}
        groups = _calls_by_offer(calls, job) if job.generator in model_generators else []
        if groups:
            yield _job_row(planned)
        for number, rows in enumerate(groups):
            yield from _replies(job.id, str(number), rows)
        votes = queries.votes_of(db, job.id, plan.judges)
        # On a deep item, all verifiers first decide blind.
        calls_of_votes = list(_calls_of_votes(calls, job.id, votes, model_verifiers))
        for blind_calls, _ in calls_of_votes:
            yield from _replies(job.id, "", blind_calls)
        for _, open_calls in calls_of_votes:
            yield from _replies(job.id, "", open_calls)
    yield from _solver_rows(db, plan, calls)
    yield from _planted_rows(db, plan, calls, model_verifiers)


def _calls_by_offer(calls: AnsweredCalls, job: Job) -> list[list[sqlite3.Row]]:
    """The calls of a job, in a group for each offer of levers to the generator.

    If a reply to an offer could not be read, the generator is asked about the same offer in the next group. So an
    unreadable group is left out unless it is the last.
    """
    groups = calls.of(job.id, job.generator, ["generate"])
    readable = [rows for rows in groups[:-1] if rows[-1]["status"] == "read"]
    return [last_pass(rows) for rows in (*readable, *groups[-1:])]


def _job_row(planned: queries.PlannedJob) -> JsonObject:
    """The row of a job in a recording."""
    job = planned.job
    recorded_job = RecordedJob(
        id=job.id,
        instance=planned.instance_key,
        perturbation_class=str(job.cell.perturbation_class),
        intensity=str(job.cell.intensity),
        generator=job.generator,
        replicate=job.replicate,
        offers=None if job.offers is None else [list(offer) for offer in job.offers],
        depth=job.depth,
        constructions=job.constructions,
        hardens=job.hardens or "",
    )
    return record_row("job", recorded_job)


def _calls_of_votes(
    calls: AnsweredCalls, subject: str, votes: Mapping[str, Verdict], verifiers: Sequence[str]
) -> Iterator[tuple[list[sqlite3.Row], list[sqlite3.Row]]]:
    """The calls of each verifier that voted: first for its blind decision, if it made one, then for its open vote."""
    for name in verifiers:
        if name in votes and (open_calls := calls.behind(subject, name, ["verify"], votes[name].raw)):
            groups = calls.of(subject, name, ["blind"])
            yield last_pass(groups[-1]) if groups else [], open_calls


def _solver_rows(db: sqlite3.Connection, plan: CurrentPlan, calls: AnsweredCalls) -> Iterator[JsonObject]:
    """The replies of solvers to accepted items, and the replies of their judge."""
    judge = plan.facts.solver_judge
    for reply in solver_replies(db, plan.facts.solvers):
        subject = reply.candidate_id
        if reply.raw:
            rows = calls.behind(subject, reply.solver, ["solve"], reply.raw)
            yield from _replies(subject, str(reply.sample), rows)
        for purpose, raw in reply.judged:
            if raw:
                rows = calls.behind(subject, judge, [purpose], raw)
                yield from _replies(subject, f"{reply.solver}/{reply.sample}", rows)


def _planted_rows(
    db: sqlite3.Connection, plan: CurrentPlan, calls: AnsweredCalls, verifiers: Sequence[str]
) -> Iterator[JsonObject]:
    """The planted items, and the replies of the verifiers to them."""
    votes = planted_votes(db, plan.judges.fingerprints)
    for item in planted_items(db):
        yield {"kind": "planted", "content": item.to_payload()}
        for blind_calls, open_calls in _calls_of_votes(calls, item.id, votes.get(item.id, {}), verifiers):
            yield from _replies(item.id, "", open_calls)
            yield from _replies(item.id, "", blind_calls)


def _of_evaluation(db: sqlite3.Connection, facts: Facts) -> tuple[JsonObject, Iterator[JsonObject]]:
    """Header and rows of the recording of an evaluation, or of a run with questions."""
    header = _refusalbench_header(facts) if "snapshot" in facts else _questions_header(facts)
    return header, _evaluation_rows(db)


def _refusalbench_header(facts: Facts) -> JsonObject:
    """The header of an evaluation on a snapshot."""
    entries, snapshot = facts["models"], facts["snapshot"]
    judge = None
    if not facts.get(PANEL_FACT):  # the judges of a panel are in `_panel`
        judge = next((entry["judge"] for entry in entries.values() if entry.get("judge")), None)
    own_classes = snapshot.get("classes")
    n_planted = facts.get(PLANTED_FACT, {}).get("number")
    # The order of the keys enters the digest of the file.
    return {
        **_header("evaluation", None, [{"name": name, **entry} for name, entry in entries.items()]),
        "items": snapshot["digest"],
        "name": snapshot["name"],
        "round": snapshot["round"],
        **({"classes": own_classes} if own_classes else {}),
        **_prompt_facts(entries),
        "judge": judge and {key: judge[key] for key in ("name", "model", "params")},
        **_panel(facts),
        **({"planted_judgements": n_planted} if n_planted else {}),
    }


def _questions_header(facts: Facts) -> JsonObject:
    """The header of a run of the Refusal Index or of the Behavioral Alignment Score."""
    kind: Kind = "refusal-index" if "two_pass" in facts else "bas"
    task = facts["two_pass"] if kind == "refusal-index" else facts["confidence"]
    called = task["called"]  # name → settings of each model that was called
    judge = task["judge"]
    return {
        **_header(kind, task["code_version"], [{"name": name, **called[name]} for name in task["models"]]),
        "items": task["questions"]["digest"],
        "name": task["questions"]["name"],
        "judge": _settings({"name": judge, **called[judge]}) if judge in called else None,
        **_panel(facts),
        "ways": {key: task[key] for key in ("settings", "samples", "elicitations", "k") if key in task},
        "templates": task["templates"],
    }


def _prompt_facts(entries: Facts) -> JsonObject:
    """The variant of the setting `codes`. Also the settings and the number of samples, if they are not the defaults."""
    settings: dict[str, PromptSetting] = {}
    n_samples = 1
    for entry in entries.values():
        settings |= settings_by_variant(entry)
        n_samples = max([n_samples, *samples_by_variant(entry).values()])
    variants_of_codes = (variant for variant, setting in settings.items() if not setting.is_free_form)
    content: JsonObject = {"variant": next(variants_of_codes, "plain")}
    if any(setting.is_free_form for setting in settings.values()):
        content["prompts"] = [
            {"name": setting.name, "source": setting.source} for setting in settings.values()
        ]
    if n_samples > 1:
        content["samples"] = n_samples
    return content


def _evaluation_rows(db: sqlite3.Connection) -> Iterator[JsonObject]:
    """The items of an evaluation, and the replies of its models and judges to them."""
    calls = AnsweredCalls(db)
    item_ids: set[str] = set()
    for item_id, content in read_items(db):
        item_ids.add(item_id)
        yield {"kind": "item", "id": item_id, "content": content}
    for response in read_responses(db):
        # A ledger keeps replies to items of an earlier form of the snapshot.
        if response.item_id not in item_ids:
            continue
        # A call is stored under one of these purposes: the first two in an evaluation with a snapshot, the name of the
        # setting in a run with questions.
        purposes = ["respond", "confidence", response.variant.partition("/")[0]]
        rows = calls.behind(response.item_id, response.model, purposes, response.text)
        yield from _replies(response.item_id, response.variant, rows)
    for judgement in chain(read_judgements(db), read_judge_votes(db)):
        if judgement.item_id not in item_ids:
            continue
        rows = calls.behind(
            judgement.item_id, judgement.judge, [judgement.kind, f"judge {judgement.kind}"], judgement.raw
        )
        yield from _replies(judgement.item_id, judged_part(judgement.model, judgement.variant), rows)
    for planted in read_facts(db).get(PLANTED_FACT, {}).get("entries", ()):
        for part in planted["judged"]:
            rows = calls.behind(planted["item"], planted["judge"], [part["purpose"]], part["raw"])
            yield from _replies(planted["item"], judged_part(PLANTED_MODEL, planted["variant"]), rows)


def _panel(facts: Facts) -> JsonObject:
    """The entry of the header for several judges and their rule; empty for a single judge."""
    panel = facts.get(PANEL_FACT)
    if not panel:
        return {}
    members = [_settings({"name": name, **judge}) for name, judge in panel["judges"].items()]
    return {"judges": {"rule": panel["rule"], "members": members}}


def _replies(subject: str, part: str, rows: Sequence[sqlite3.Row]) -> Iterator[JsonObject]:
    """The replies of some calls about one subject: an item or a job; `part` tells apart groups of its calls."""
    for attempt, row in enumerate(rows, start=1):
        recorded_reply = RecordedReply(
            id=subject,
            role=row["purpose"],
            part=part,
            attempt=attempt,
            prompt=row["key"],
            text=row["reply"],
            **{name: row[name] for name in _CALL_FIELDS},
        )
        yield record_row("reply", recorded_reply)


def _header(kind: Kind, version: str | None, models: Iterable[Facts]) -> JsonObject:
    """What the headers of all recordings begin with. Models that are offline rules are left out."""
    return {
        "kind": kind,
        "code_version": version,
        "models": {model["name"]: _settings(model) for model in models if model["model"] != "rules"},
    }


def _settings(entry: Facts) -> JsonObject:
    """The settings of a model, without its address."""
    prompt = {"system": entry["system"]} if entry.get("system") else {}
    return {"name": entry["name"], "model": entry["model"], "params": entry.get("params") or {}, **prompt}


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify_snapshot`."""

    rows: int
    problems: tuple[str, ...]
    """One line for each; empty if the snapshot is valid."""
    notes: tuple[str, ...] = ()
    """Limits of the check, one line for each."""


def verify_snapshot(folder: Path, levers: Sequence[Path] = ()) -> Verification:
    """Compare a snapshot with its manifest, and every row with the catalogue (`levers` are folders with a user's own).

    Raises `SnapshotError` if the folder is not a snapshot, `CatalogueError` if a lever folder cannot be read.
    """
    snapshot = read_snapshot(folder)
    problems = list(check_snapshot(folder))
    try:
        rows = snapshot.read_rows()
    except SnapshotError:  # `check_snapshot` has already reported the damaged file
        return Verification(0, tuple(problems))
    catalogue = Catalogue.load(levers or _embedded_levers(snapshot)).with_classes(snapshot.classes)
    notes = []
    if snapshot.manifest["digests"].get("catalogue") != catalogue.digest:
        notes.append(
            "the snapshot was built with another catalogue of levers than this one: if it has levers of its own, give"
            " their folder with --levers"
        )
    for number, row in enumerate(rows):
        name = f"row {number} (id {row.get('id')!r})"
        problems += [f"{name}: {fault}" for fault in _row_faults(row, catalogue, snapshot.manifest)]
    return Verification(len(rows), tuple(problems), tuple(notes))


def _embedded_levers(snapshot: Snapshot) -> list[Path]:
    """Lever folders of the package that the build named, such as `levers/side-clause`.

    Empty for a configuration of another version, which cannot be read. A user's own folders have to be given.
    """
    with suppress(PerturbError):
        return [path for path in load_config(snapshot.folder / "build.yaml").levers if embedded_levers(path)]
    return []


def _row_faults(row: SnapshotRow, catalogue: Catalogue, manifest: Facts) -> Iterator[str]:
    """All faults of a row, one line each."""
    try:
        cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
    except (KeyError, ValueError):
        yield f"no such cell as {row.get('perturbation_class')}/{row.get('intensity')}"
        return
    if cell.perturbation_class not in catalogue.classes:
        yield f"there is no class {cell.perturbation_class}"
        return
    yield from _label_faults(row, cell, catalogue)
    yield from _target_faults(row, cell, catalogue)
    if row.get("round") != manifest["round"]:
        yield f"is of round '{row.get('round')}', the manifest says '{manifest['round']}'"
    yield from _vote_faults(row, cell, manifest)


def _vote_faults(row: SnapshotRow, cell: Cell, manifest: Facts) -> Iterator[str]:
    """Votes of verifiers that do not judge the class, and votes with which a unanimous panel does not accept."""
    verdicts = {vote["verifier"]: vote["verdict"] for vote in row.get("verifier_votes") or ()}
    # A verifier without `classes` judges all of them.
    classes_of = {verifier["name"]: verifier.get("classes") for verifier in manifest["verifiers"]}
    for name in verdicts:
        if classes_of.get(name) and cell.perturbation_class not in classes_of[name]:
            yield f"has a vote of {name}, which does not judge {cell.perturbation_class}"
    if manifest["panel"]["consensus"] == "unanimous":
        against = [name for name, verdict in verdicts.items() if verdict not in ("pass", "abstain")]
        if against or "pass" not in verdicts.values():
            yield f"the panel must be unanimous, but there is no pass from {', '.join(against) or 'any verifier'}"


def _label_faults(row: SnapshotRow, cell: Cell, catalogue: Catalogue) -> Iterator[str]:
    """A label that does not fit the cell, or a lever that does not exist or does not fit."""
    expected = catalogue.expected_behavior(cell)
    if row.get("expected_rag_behavior") != expected:
        yield f"expects {row.get('expected_rag_behavior')}, but {cell} calls for {expected}"
    lever = catalogue.find(str(row.get("lever_selected")))
    if lever is None:
        yield f"the catalogue has no lever '{str(row.get('lever_selected'))[:80]}'"
    elif lever.cell != cell:
        yield f"its lever '{lever.name}' belongs to {lever.cell}, not to {cell}"
    elif (row.get(EXPECTED_ANSWER) or "") != lever.answer:
        yield f"its {EXPECTED_ANSWER} is {row.get(EXPECTED_ANSWER)!r}, its lever has {lever.answer or None!r}"


def _target_faults(row: SnapshotRow, cell: Cell, catalogue: Catalogue) -> Iterator[str]:
    """Changes of a text that the class must not change, and texts that are empty or unchanged."""
    target = catalogue.classes[cell.perturbation_class].target
    texts = ("query", "context")
    changed = [text for text in texts if row.get(f"perturbed_{text}") != row.get(f"original_{text}")]
    if not changed:
        yield "neither query nor context was changed"
    for text in changed:
        # A deep item has more passages than its original, which by itself is not a flaw.
        is_deep_context = text == "context" and row.get("depth") == "deep"
        if text not in target and not is_deep_context:
            yield f"the {text} was changed, which {cell.perturbation_class} does not allow"
    for text in texts:
        if not str(row.get(f"perturbed_{text}") or "").strip():
            yield f"the {text} is empty"
