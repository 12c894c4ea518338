"""Asks a function of a user's own for its vote."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from perturb.functions import OwnFunction, error_line
from perturb.llm.redaction import redact
from perturb.llm.replies import ReplyError
from perturb.records import CHECK_NAMES, BaseInstance, Candidate, Verdict, VerdictState

OFFERED = ("candidate", "instance")
"""What the parameters of a verifier may be called."""
_STATES: dict[bool | str | None, VerdictState] = {
    True: VerdictState.PASS,
    False: VerdictState.FAIL,
    None: VerdictState.ABSTAIN,
    "pass": VerdictState.PASS,
    "fail": VerdictState.FAIL,
}


async def ask_function(
    function: OwnFunction, verifier: str, version: str, instance: BaseInstance, candidate: Candidate
) -> Verdict:
    """One vote; unscored if the function raises, or returns something that is not a vote.

    The next run asks again only if the function raised.
    """
    vote = partial(Verdict, candidate.id, verifier, prompt_version=version)
    raw = ""
    try:
        said = await function.call({"candidate": candidate, "instance": instance})
        raw = repr(said)[:2000]
        state, checks, issues = read_vote(said)
    except ReplyError as error:
        return vote(VerdictState.UNSCORED, issues=(str(error),), raw=raw)
    except Exception as error:  # noqa: BLE001 - the function is not ours
        fault = redact(error_line(error))
        return vote(VerdictState.UNSCORED, issues=(fault,), raw=fault)
    return vote(state, checks, issues=issues, raw=raw)


def read_vote(said: Any) -> tuple[VerdictState, dict[str, bool], tuple[str, ...]]:
    """A vote as a function states it: state, checks, and the reason. Raises `ReplyError`.

    >>> read_vote({"verdict": False, "reason": "reads badly"})
    (<VerdictState.FAIL: 'fail'>, {}, ('reads badly',))
    """
    content = said if isinstance(said, Mapping) else {"verdict": said}
    verdict, checks = content.get("verdict", said), content.get("checks", {})
    if not isinstance(verdict, bool | str | None) or verdict not in _STATES:
        raise ReplyError(f"returned {said!r:.80}: return True, False, None or a dictionary with 'verdict'")
    if unknown := [key for key in content if key not in ("verdict", "checks", "reason")]:
        raise ReplyError(f"unknown key '{unknown[0]}': return verdict, checks, reason")
    if not isinstance(checks, Mapping) or not set(checks) <= set(CHECK_NAMES):
        raise ReplyError(f"'checks' must map some of {', '.join(CHECK_NAMES)} to True or False")
    reason = content.get("reason")
    passed = {str(name): bool(value) for name, value in checks.items()}
    return _STATES[verdict], passed, (str(reason),) if reason else ()
