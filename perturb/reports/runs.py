"""The reports that commands print when they end or are asked for a status.

Each function makes one report: on a build, an estimate, an evaluation, a curation, a draft or levers. `facts` and
`status` are the mappings that the command prints with `--json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perturb.records import Cell, Facts, Lever
from perturb.reports.model import COUNT, TEXT, Report, Section, Table, show
from perturb.reports.words import describe_certificate, describe_replay
from perturb.text.wording import counted, listed

if TYPE_CHECKING:
    from pathlib import Path

    from perturb.building.drafting import Draft
    from perturb.building.estimate import CostEstimate, ModelEstimate, RunEstimate
    from perturb.catalogue.classes import ClassEntry


def make_status_report(status: Facts) -> Report:
    """Where a run stands; `status` is what `perturb status --json` gives."""
    if status["kind"] == "evaluation":
        return _evaluation_status(status)
    counts = "jobs: count | candidates: count | accepted: count"
    by_cell = _with_keys("cell", status["cells"])
    by_depth = _with_keys("depth", status.get("depths", {}))
    reasons = _with_keys("lever", status["declined"])
    # A section drops tables without rows, so that a run without depths prints no table of them.
    tables = [
        _stage_table(status["stages"]),
        Table.of("cells", "", f"cell | {counts}", by_cell),
        Table.of("depths", "", f"depth | {counts}", by_depth),
        Table.of("declined", "", "declined lever = lever | jobs: count | one reason = reason", reasons),
        *_reply_tables(status, "job"),
        Table.of("unread", "Unreadable replies", "model | items: count | cause", status["unread"]),
    ]
    remaining = f"{status['left']:,} of {counted(status['jobs'], 'job')} left"
    quota = describe_quota(status["quota"]) if "quota" in status else []
    return _terminal_report(f"Run {status['name']}, round {status['round']}: {remaining}", quota, tables)


def _evaluation_status(status: Facts) -> Report:
    from perturb.ledger.evaluations import Stop

    models = status["under_test"]
    # Every model has the same states, so the first gives the columns.
    first_states: Mapping[str, int] = next(iter(models.values()), {})
    columns = {"model": TEXT, **{state.replace("_", " "): COUNT for state in first_states}}
    rows = [(name, *states.values()) for name, states in models.items()]
    sentences = [f"Batches still open: {status['batches']['open']}"] if status["batches"]["open"] else []
    for name, fields in status["until"].items():
        stop = Stop(**fields)
        sentences.append(f"{name} {stop}." if stop.early else f"{name} is asked until '{stop.rule}'.")
    remaining = f"{status['left']:,} of {counted(status['replies'], 'reply', 'replies')} left"
    tables = [Table("models", "", columns, rows), *_reply_tables(status, "item")]
    return _terminal_report(f"Evaluation {status['name']}: {remaining}", sentences, tables)


def _reply_tables(status: Facts, subject: str) -> tuple[Table, ...]:
    """Replies that a recording lacks, calls by model, and failed calls; `subject` is "job" or "item"."""
    columns = f"reply not on record = {subject} | role | model"
    missing = Table.of("missing", "", columns, status["missing_replies"])
    failures = Table.of("failures", "Failed calls", "model | calls: count | cause", status["failures"])
    return missing, call_table(status["models"]), failures


def describe_quota(quota: Facts) -> list[str]:
    """The items that the quota of a build still lacks, as a sentence."""
    target = f"{counted(quota['per_cell'], 'accepted item')} in each cell of each generator"
    if not quota["missing"]:
        return [f"Quota: {target}: filled"]
    by_cell: dict[str, list[str]] = {}
    for entry in quota["missing"]:
        by_cell.setdefault(entry["cell"], []).append(f"{entry['generator']} {entry['missing']}")
    total = sum(entry["missing"] for entry in quota["missing"])
    missing = "; ".join(f"{cell}: {', '.join(names)}" for cell, names in by_cell.items())
    return [f"Quota: {target}: {total:,} missing: {missing}"]


def make_build_report(facts: Facts, snapshot: Path | None) -> Report:
    """How a build ended; `facts` is what `perturb build --json` gives."""
    certificate = facts["certificate"]
    stage_names = ["jobs", "candidates", "abstained", "unparsed", "not_applicable", "rejected_by_checks"]
    stage_names += ["near_duplicates", "errors", "faults", "votes", "accepted", "repeats", "rows"]
    # These are rare, and a line with 0 would only raise questions.
    hidden_if_zero = ("not_applicable", "near_duplicates", "faults", "repeats")
    stages = {name: facts[name] for name in stage_names if facts[name] or name not in hidden_if_zero}
    sentences: list[str] = []
    if facts["votes"]:  # without votes there is no panel to certify
        n_verifiers = len(certificate.get("by_verifier", ())) if certificate else 0
        sentences += describe_certificate(certificate, n_verifiers)
    sentences += [f"Cells with accepted items: {facts['cells_filled']}", describe_work(facts)]
    if "rules" in facts:
        sentences.append(_describe_panel_rules(facts["rules"], facts["votes_saved"]))
    sentences += describe_quota(facts["quota"]) if "quota" in facts else []
    sentences += _describe_model_cells(facts["cells_without_rule"])
    if snapshot is not None:
        sentences.append(f"Snapshot: {snapshot}")
    return _terminal_report("", sentences, [_stage_table(stages)])


def _describe_panel_rules(rules: Facts, votes_saved: int) -> str:
    """Which classes got a cheaper rule of acceptance than unanimity, since votes on planted items allow it."""
    if not rules:
        return "Planted votes chose no cheaper rule than unanimity: plant more items, or raise 'target'"
    names = listed([f"{name} ({', '.join(rule['verifiers'])})" for name, rule in rules.items()])
    return f"Planted votes chose cheaper rules for {names}: {counted(votes_saved, 'vote')} saved"


def _describe_model_cells(cells: Sequence[str]) -> list[str]:
    return [f"Cells that only a model can fill (no offline rule): {', '.join(cells)}"] if cells else []


def make_estimate_report(
    estimate: CostEstimate, replicates: int, generators: int, *, verbose: bool = False
) -> Report:
    """What a build would do and cost; `verbose` also names levers that fit no instance."""
    factors = [counted(estimate.instances, "instance"), counted(estimate.cells, "cell")]
    factors += [counted(replicates, "replicate"), counted(generators, "generator")]
    asks_generators = any(model.role == "generator" for model in estimate.models)
    sentences: list[str] = []
    # What the user should change in the configuration comes before all numbers.
    if asks_generators:
        sentences += _describe_idle_levers(estimate.levers, verbose=verbose)
    sentences += _describe_model_cells(estimate.cells_without_rule)
    sentences.append(f"{' × '.join(factors)} = {counted(estimate.jobs, 'job')}")
    calls, cost = counted(estimate.calls, "call"), show(estimate.cost_usd, "usd")
    sentences.append(f"At most {calls} to models, estimated cost {cost}")
    sentences += _describe_jobs_of_quota(estimate)
    if estimate.planted:
        share = estimate.planted / (estimate.jobs + estimate.planted)
        items = counted(estimate.planted, "planted item")
        sentences.append(f"The estimate includes {items} to test the panel, {share:.1%} of all votes")
    if estimate.audit_fraction is not None and estimate.jobs:
        sentences.append(_describe_audit_share(estimate.jobs, estimate.audit_fraction))
    sentences += estimate.obstacles
    tables = [_estimate_table(estimate.models)]
    if asks_generators:
        tables.append(_lever_table(estimate.levers))
    return _terminal_report("", sentences, tables)


def make_run_estimate_report(estimate: RunEstimate) -> Report:
    """The estimate of a run that asks models: calls, cost and obstacles."""
    calls = f"At most {counted(estimate.calls, 'call')} to models"
    sentence = (
        f"{calls} about {counted(estimate.items, 'item')}, estimated cost {show(estimate.cost_usd, 'usd')}"
    )
    return _terminal_report("", (sentence, *estimate.obstacles), [_estimate_table(estimate.models)])


def _estimate_table(models: Sequence[ModelEstimate]) -> Table:
    return Table.of(
        "estimate",
        "",
        (
            "model = name | role | calls: count | prompt tokens = prompt_tokens: count"
            " | reply tokens = completion_tokens: count | cost = cost_usd: usd"
        ),
        models,
    )


def _priced_jobs(estimate: CostEstimate, jobs: int) -> str:
    """A number of jobs with its part of the whole cost, as if all jobs cost the same."""
    cost = estimate.cost_usd
    return counted(jobs, "job") + ("" if cost is None else f" ({show(cost * jobs / estimate.jobs, 'usd')})")


def _describe_jobs_of_quota(estimate: CostEstimate) -> Iterator[str]:
    if estimate.least_jobs is None or not estimate.jobs:
        return
    yield f"Filling the quota takes at least {_priced_jobs(estimate, estimate.least_jobs)}"
    if estimate.jobs_to_go is not None:
        to_go = _priced_jobs(estimate, estimate.jobs_to_go)
        yield f"At the acceptance rates so far, about {to_go} more, if there are enough instances"


def _describe_audit_share(candidates: int, share: float) -> str:
    """How precise κ of two verifiers will be, and what share of fully voted candidates brings it to ±0.10.

    The half-width of an interval falls with the root of the number of candidates. So the needed share of them is the
    square of the half-width with all candidates, over that of the target.
    """
    from perturb.metrics.agreement import kappa_half_width

    audited = round(candidates * share)
    needed = (kappa_half_width(candidates) / 0.10) ** 2
    width = f"κ of a pair to about ±{kappa_half_width(audited):.2f}" if audited else "no κ"
    precision = f"±0.10 needs {needed:.2f}" if needed <= 1 else "±0.10 takes more candidates than there are"
    return (
        f"With {counted(candidates, 'candidate')}, an audit share of {share:.2f} gives {audited:,} fully voted"
        f" {'one' if audited == 1 else 'ones'}: {width}; {precision}"
    )


def _lever_table(levers: Mapping[Cell, Mapping[str, int]]) -> Table:
    """How many jobs the levers of each cell may have; only models are offered levers."""
    rows = []
    for cell, jobs in levers.items():
        counts = [count for count in jobs.values() if count]
        fewest, most = min(counts, default=0), max(counts, default=0)
        span = f"{fewest} to {most}" if fewest < most else str(most or "none")
        rows.append((str(cell), f"{len(counts)} of {len(jobs)}", span))
    return Table("levers", "", "cell | levers that may fit | jobs per lever", rows)


def _describe_idle_levers(levers: Mapping[Cell, Mapping[str, int]], *, verbose: bool) -> Iterator[str]:
    """Cells in which no lever fits an instance; with `verbose` also the single levers of other cells."""
    names_left_out = False
    for cell, jobs in levers.items():
        idle = [name for name, count in jobs.items() if not count]
        if len(idle) == len(jobs):
            yield f"No instance fits a lever of {cell}: its jobs end as not applicable, without a call"
        elif idle and verbose:
            yield f"No instance fits, in {cell}: {', '.join(idle)}"
        elif idle:
            names_left_out = True
    if names_left_out:
        yield "Levers that fit no instance are named with --verbose"


def make_evaluation_report(facts: Facts) -> Report:
    """How an evaluation ended; `facts` is what `perturb evaluate --json` gives."""
    models = Table.of(
        "models",
        "",
        "model | replies: count | answers: count | refusals: count | unscored: count | errors: count | missing: count",
        facts["models"],
    )
    sentences = [describe_work(facts)]
    batches = facts["batches"]
    if batches["submitted"]:
        requests = counted(batches["rows"], "request")
        sentences.append(f"Batches: {batches['submitted']} with {requests} together")
    sentences.append(f"Run: {facts['run']} (scores: perturb score {facts['run']})")
    title = f"{counted(facts['items'], 'item')} of {facts['snapshot']['name']}"
    return _terminal_report(title, sentences, [models])


def make_curation_report(report: Facts, written: Sequence[str]) -> Report:
    """What a curation kept and left out, from the report in its manifest; `written` names the files."""
    columns = "step | left out because | records: count | first ones"
    rows = [
        (step["step"], step["reason"], step["count"], ", ".join(step["ids"])) for step in report["left_out"]
    ]
    by_domain = ", ".join(f"{domain} {number}" for domain, number in report["domains"].items())
    n_drawn = f"{report['instances']} ({by_domain})" if by_domain else str(report["instances"])
    stages = f"Records: {report['records']}, past the filters: {report['pool']}, drawn: {n_drawn}"
    return _terminal_report("", (stages, *written), [Table("left-out", "", columns, rows)])


def call_table(models: Mapping[str, Facts]) -> Table:
    """Calls, tokens and cost of each model, as `queries.call_totals` gives them."""
    columns = (
        "model | calls: count | tries: count | errors: count | prompt tokens = prompt_tokens: count"
        " | reply tokens = completion_tokens: count | cost = cost_usd: usd"
    )
    return Table.of("cost", "Calls by model", columns, _with_keys("model", models))


def _with_keys(field: str, entries: Mapping[str, Facts]) -> list[Facts]:
    """The entries, each with its key in a further field.

    >>> _with_keys("cell", {"P-Own/LOW": {"jobs": 3}})
    [{'jobs': 3, 'cell': 'P-Own/LOW'}]
    """
    return [{**entry, field: key} for key, entry in entries.items()]


def describe_work(facts: Facts) -> str:
    """Calls, tokens, cost and seconds in one line."""
    if facts.get("recorded_replies"):  # no model was called, so there is no cost
        return f"{describe_replay(facts['recorded_replies'])}; seconds: {facts['seconds']}"
    if not facts["calls"]:
        return f"Seconds: {facts['seconds']}"
    cost = show(facts["cost_usd"], "usd")
    return (
        f"Calls: {facts['calls']:,}, tokens: {facts['tokens']:,}, cost: {cost}, seconds: {facts['seconds']}"
    )


def _stage_table(stages: Mapping[str, int]) -> Table:
    rows = [(name.replace("_", " "), n) for name, n in stages.items()]
    return Table("stages", "", "stage | count: count", rows)


def _terminal_report(title: str, sentences: Sequence[str] = (), tables: Sequence[Table] = ()) -> Report:
    """A report for the terminal: tables first, so that the sentences with the conclusion end next to the prompt."""
    return Report(title, "", (Section("tables", "", tables=tables), Section("words", "", sentences)))


def make_levers_report(levers: Sequence[Lever], without_rule: Sequence[Cell] | None = None) -> Report:
    """Levers by class and intensity.

    `without_rule` lists the cells in which no lever has an offline rule; None leaves rules out of the report.
    """
    rows_by_class: dict[str, list[tuple[str, str, str]]] = {}
    for lever in levers:
        rule = ""  # a column that is empty in all rows is not shown
        if without_rule is not None:
            rule = " ".join(filter(None, (lever.rule.do, lever.rule.what))) if lever.rule else "-"
        row = (str(lever.cell.intensity), lever.name, rule)
        rows_by_class.setdefault(str(lever.cell.perturbation_class), []).append(row)
    notes = [counted(len(levers), "lever")]
    if without_rule:
        notes.append(f"no rule, a model is needed: {', '.join(map(str, without_rule))}")
    tables = [
        Table(name, name, "intensity | lever | rule", rows, shown=len(rows))
        for name, rows in rows_by_class.items()
    ]
    return Report("", "", (Section("levers", "", tables=tables), Section("notes", "", notes)))


def make_draft_report(draft: Draft) -> Report:
    """The drafted class and the trials of its levers; the texts of the trials are in `trials.md`."""
    rows = []
    for lever in dict.fromkeys(trial.lever for trial in draft.trials):
        trials = [trial for trial in draft.trials if trial.lever == lever]
        failed = [trial for trial in trials if trial.detail]  # only a failed trial has a detail
        why_not = f"{failed[0].outcome.value}: {failed[0].detail}" if failed else ""
        rows.append((trials[0].intensity, lever, f"{len(trials) - len(failed)} of {len(trials)}", why_not))
    sentences = (
        f"Class {draft.perturbation_class}, code {draft.refusal_code}: {draft.file}",
        f"What its levers made: {draft.file.parent / 'trials.md'}",
        f"Edit the file, then name the folder under `levers`: perturb levers --levers {draft.file.parent}"
        f" --class {draft.perturbation_class}",
    )
    return _terminal_report("", sentences, [Table("trials", "", "intensity | lever | made | why not", rows)])


def make_lever_report(lever: Lever, entry: ClassEntry, expected: str) -> Report:
    """One lever of the class `entry`; `expected` is what a model should do."""
    from perturb.catalogue.features import Need, vocabulary

    facts = [
        f"May change: {', '.join(sorted(entry.target))}",
        f"Expected: {expected}{f', {lever.answer}' if lever.answer else ''}",
    ]
    if entry.refuse_when:
        facts.append(f"Its code means: {entry.refuse_when}")
    facts.append(f"Needs: {'; '.join(lever.needs) or 'nothing: it fits every instance'}")
    features = {feature for need in lever.needs for feature in Need.read(need).features}
    for feature in sorted(features):
        group, _, name = feature.partition(":")
        facts.append(f"  {feature}: {vocabulary()[group][name]}")
    facts.append(f"Intensity: {entry.criteria[lever.cell.intensity]}")
    example = (
        f"Query: {lever.illustration.query}",
        f"Context: {lever.illustration.context}",
        f"Expected: {lever.illustration.expected}",
    )
    texts = (facts, (lever.instruction,), example)
    return Report(f"{lever.name} ({lever.cell})", "", [Section("", "", text) for text in texts])
