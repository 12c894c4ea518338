"""A run with a panel's votes, made straight in a ledger: small, quick, and with texts that try to break pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perturb.catalogue.levers import Catalogue
from perturb.ledger.plans import Ledger
from perturb.records import (
    ALL_CELLS,
    Acceptance,
    BaseInstance,
    Candidate,
    Cell,
    Decision,
    Job,
    JobOutcome,
    Passage,
    Verdict,
    VerdictState,
)
from tests.building import plan_facts

VERIFIERS = ("birch", "cedar")
NASTY = "</script><script>document.title='broken'</script> {{ 7 * 7 }} <b>&amp; $x^2$"
"""A text that would show in the page if it were taken for markup, a template or a formula."""


def make_run(
    folder: Path,
    *,
    per_cell: int = 2,
    cells: Sequence[Cell] = ALL_CELLS,
    several: bool = False,
    text: str = "",
) -> Path:
    """Candidates in every cell; each third is failed by cedar and so rejected, the others are accepted."""
    catalogue = Catalogue.load()
    passages = [Passage(f"The bridge over the Sike was opened in 1968 by Ann Reed. {text}")]
    if several:
        passages += [Passage("A ferry ran there before.", "Ferry"), Passage("Toll was paid.", role="noise")]
    bases = [
        BaseInstance(f"b{i}", "made", "When was the bridge opened?", tuple(passages), ("1968",))
        for i in range(3)
    ]
    facts = plan_facts(
        {"digest": "p1", "members": dict.fromkeys(VERIFIERS, "f")},
        generators=[{"name": name, "model": f"maker/{name}"} for name in ("birch", "dune")],
        verifiers=[{"name": name, "model": f"maker/{name}"} for name in VERIFIERS],
        cells=[str(cell) for cell in cells],
    )
    jobs = [
        Job(f"{c:02}-{i}", f"b{i % 3}", cell, ("birch", "dune")[i % 2], i, "r1")
        for c, cell in enumerate(cells)
        for i in range(per_cell)
    ]
    with Ledger(folder) as ledger:
        plan = ledger.start_plan("d1", "name: made\n", facts)
        ledger.add_jobs(plan, jobs, {base.id: base for base in bases})
        for number, job in enumerate(jobs):
            changed = Passage(passages[0].text.replace("1968", "June 1969"), passages[0].title)
            ledger.record_candidate(
                Candidate(
                    id=job.id,
                    instance_id=job.instance_id,
                    generator=job.generator,
                    cell=job.cell,
                    lever=catalogue.levers_of(job.cell)[0].name,
                    query="When was the old bridge opened?",
                    passages=(changed, *passages[1:]),
                    reasoning="made for a test",
                    expected_behavior=catalogue.expected_behavior(job.cell),
                )
            )
            ledger.record_outcome(job.id, JobOutcome.CANDIDATE, "")
            failed = number % 3 == 2
            for verifier in VERIFIERS:
                state = VerdictState.FAIL if failed and verifier == "cedar" else VerdictState.PASS
                issues = (f"secret issue of {verifier}",)
                ledger.record_vote(
                    Verdict(job.id, verifier, state, issues=issues, raw="secret vote", prompt_version="f")
                )
            word = Acceptance.REJECTED if failed else Acceptance.ACCEPTED
            ledger.record_decision(
                Decision(job.id, word, "failed by cedar" if failed else "all passed"), "p1"
            )
    return folder
