"""The panel of verifiers: whom to ask, when to stop, and what the votes decide.

`gather_votes` asks the members of a `Panel` about a candidate, and `decide` says what their votes mean. If two of three
verifiers must pass a candidate, for example, two fails reject it, and the third vote is not needed.

The *economy* schedule saves such votes, while the full schedule asks all verifiers. A verifier judges all perturbation
classes, those that the configuration names, or those of its offline check (`classes_judged`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from perturb.catalogue.classes import Judges
from perturb.config import BuildConfig, VerifierEntry
from perturb.errors import FAULT, ConfigError
from perturb.files.resources import fraction_of
from perturb.records import (
    PUBLISHED_CLASSES,
    Acceptance,
    ClassRule,
    Decision,
    PerturbationClass,
    Verdict,
    VerdictState,
)
from perturb.runtime import gather_all
from perturb.text.wording import counted

ALL_ABSTAINED = "every verifier abstained"
"""Why a candidate stays undecided although all verifiers were asked."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The verifiers of a run and the rule by which their votes decide."""

    name: str
    judges: Judges
    needed: int
    """How many passes accept a candidate. If fewer members judge the candidate, all of them must pass it."""
    economy: bool
    """Whether members vote in turn until the decision is certain."""
    audit_fraction: float
    """Share of candidates, in [0, 1], that get every vote under the economy schedule."""
    seed: int
    digest: str
    """Digest of all fields above. Decisions of a panel with another digest do not count."""
    target: float | None = None
    """The highest share of wrong labels that the rule of a class may allow, under `consensus: certified`."""
    rules: Mapping[str, ClassRule] = field(default_factory=dict)
    """Class → the rule that the votes on planted items chose. In other classes, all verifiers decide."""

    @property
    def members(self) -> Mapping[str, str]:
        """Verifier name → fingerprint, in voting order."""
        return self.judges.fingerprints

    def of_class(self, perturbation_class: PerturbationClass) -> Panel:
        """The panel for candidates of one class: only the members that judge the class."""
        judging = self.judges.of(perturbation_class)
        rule = self.rules.get(perturbation_class)
        # Without a rule from planted items, all verifiers that judge the class vote.
        if rule is None:
            return replace(self, judges=Judges(judging))
        voting = {name: version for name, version in judging.items() if name in rule.verifiers}
        return replace(self, judges=Judges(voting), needed=rule.needed)

    def is_audited(self, candidate_id: str) -> bool:
        """Whether every verifier votes on this candidate, even if the first votes decide.

        A hash of the candidate's id draws the share, so that the draw does not depend on the votes.
        """
        return not self.economy or fraction_of("audit", self.seed, candidate_id) < self.audit_fraction


def decide(panel: Panel, candidate_id: str, votes: Mapping[str, Verdict]) -> Decision:
    """Decide about a candidate. Unscored and missing votes count neither as passes nor as fails.

    A verifier that abstains counts as if it were not on the panel. A candidate is accepted if `needed` verifiers pass
    it, or all of them if they are fewer. It is rejected once so many fail it that it can no longer be accepted. In all
    other cases it is undecided: votes are missing or unscored, or every verifier abstained.
    """
    states: dict[str, VerdictState | None] = {}
    for name in panel.members:
        state = votes[name].state if name in votes else None  # no vote yet
        if state is not VerdictState.ABSTAIN:
            states[name] = state
    passed = [name for name, state in states.items() if state is VerdictState.PASS]
    failed = [name for name, state in states.items() if state is VerdictState.FAIL]
    audited = panel.is_audited(candidate_id)
    if not states:
        return Decision(candidate_id, Acceptance.UNDECIDED, ALL_ABSTAINED, audited)
    # Abstentions lower the number of passes that are needed, or else a unanimous panel could no longer accept.
    needed = min(panel.needed, len(states))
    if len(passed) >= needed:
        reason = f"{len(passed)} of {len(states)} verifiers passed it"
        return Decision(candidate_id, Acceptance.ACCEPTED, reason, audited)
    # So many fails that the remaining votes cannot reach `needed` passes.
    if len(failed) > len(states) - needed:
        return Decision(candidate_id, Acceptance.REJECTED, f"failed by {', '.join(failed)}", audited)
    open_votes = [name for name, state in states.items() if state in (None, VerdictState.UNSCORED)]
    return Decision(candidate_id, Acceptance.UNDECIDED, f"no vote from {', '.join(open_votes)}", audited)


async def gather_votes(
    panel: Panel, candidate_id: str, stored: Mapping[str, Verdict], ask: Callable[[str], Awaitable[Verdict]]
) -> dict[str, Verdict]:
    """Ask the verifiers whose vote is missing or whose call failed. Returns the stored and the new votes.

    Under the full schedule, and for the audited share, all verifiers vote at once. Under the economy schedule they vote
    in turn until the decision is certain.
    """
    votes = dict(stored)
    missing = [name for name in panel.members if not is_final(votes.get(name))]
    # In the audited share, all votes are needed to measure the verifiers, not only those that decide.
    if panel.is_audited(candidate_id):
        new_votes = await gather_all(map(ask, missing))
        return votes | {vote.verifier: vote for vote in new_votes}
    for name in missing:
        if decide(panel, candidate_id, votes).acceptance is not Acceptance.UNDECIDED:
            break
        votes[name] = await ask(name)
    return votes


def is_final(vote: Verdict | None) -> bool:
    """Whether a verifier need not be asked again: False if its vote is missing or its call failed.

    A faulty check would fail again with the same code. An unreadable reply has been paid for.
    """
    if vote is None:
        return False
    if vote.state is not VerdictState.UNSCORED or vote.is_unread:
        return True
    # The issue of a faulty check comes from `fault_line`, which begins it with these words.
    return bool(vote.issues) and vote.issues[0].startswith(FAULT)


def classes_judged(
    entry: VerifierEntry, all_classes: Sequence[PerturbationClass]
) -> tuple[PerturbationClass, ...]:
    """The classes that a verifier judges, in the order of `all_classes`."""
    judged: Collection[PerturbationClass]
    if entry.classes is not None:
        judged = entry.classes
    elif entry.check is not None:
        judged = _classes_of_check(entry.check)
    else:
        judged = all_classes
    return tuple(perturbation_class for perturbation_class in all_classes if perturbation_class in judged)


def _classes_of_check(check: str) -> Collection[PerturbationClass]:
    """The classes on which an offline check has an opinion. They are never classes of the user."""
    from perturb.building.offline.judge import CLASSES_JUDGED

    return CLASSES_JUDGED.get(check, PUBLISHED_CLASSES)


def refuse_unknown_checks(config: BuildConfig, all_classes: Sequence[PerturbationClass]) -> None:
    """Raise `ConfigError` for an offline check that does not exist, or for a class on which it has no opinion."""
    offline = [(entry, entry.check) for entry in config.verifiers if entry.check is not None]
    if not offline:
        return
    from perturb.building.offline.judge import CHECKS

    for entry, check in offline:
        if check not in CHECKS:
            raise ConfigError(
                f"verifier '{entry.name}': unknown offline check '{check}': choose from {', '.join(CHECKS)}"
            )
        judgeable = [name for name in all_classes if name in _classes_of_check(check)]
        not_judged = [name for name in entry.classes or () if name not in judgeable]
        if not_judged:
            raise ConfigError(
                f"verifier '{entry.name}': the check '{check}' has no opinion on {not_judged[0]}: name no other"
                f" 'classes' than {', '.join(judgeable)}, or leave them out"
            )


def refuse_unjudged_classes(config: BuildConfig, all_classes: Sequence[PerturbationClass]) -> None:
    """Raise `ConfigError` if fewer verifiers judge a class than the panel needs."""
    panel = config.resolved_panel
    for perturbation_class in dict.fromkeys(cell.perturbation_class for cell in config.chosen_cells):
        judges = [
            entry for entry in panel.verifiers if perturbation_class in classes_judged(entry, all_classes)
        ]
        if len(judges) < (panel.k or 1):
            problem = f"no verifier judges {perturbation_class}"
            if judges:
                problem = (
                    f"only {counted(len(judges), 'verifier')} for {perturbation_class}, but 'k' is {panel.k}"
                )
            raise ConfigError(
                f"panel '{panel.name}': {problem}: add it to a verifier's 'classes', or leave its cells out"
            )
