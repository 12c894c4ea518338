"""Asks verifiers for their votes on a candidate that has passed the machine checks.

A verifier is a model (`ask_verifier`), an offline check (`ask_rule`) or a function of the user (`ask_function`). Each
gives a `Verdict`, which is its vote: it passes or fails the candidate, abstains, or is unscored if it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from perturb.building.offline.checked_item import NO_OPINION
from perturb.building.offline.judge import judge_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.errors import ConfigError, fault_line
from perturb.llm.functions import OwnFunction, error_line
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import FoundObject, ReplyError, find_object
from perturb.records import CHECK_NAMES, BaseInstance, Candidate, Verdict, VerdictState
from perturb.text.wording import why_not_read_offline

# The keys that a reply must have, and all keys that the prompt asks for.
_REQUIRED_KEYS = frozenset({"verdict", "checks", "predicted_rag_behavior"})
_ASKED_KEYS = _REQUIRED_KEYS | {"issues"}
# The words, in lower case, that models write for a verdict or a check.
_FLAG_OF_WORD = {"true": True, "yes": True, "pass": True, "false": False, "no": False, "fail": False}

# The result of an offline check, or what a function of the user returns → the state of the vote.
_STATE_OF_RESULT: Mapping[bool | str | None, VerdictState] = {
    True: VerdictState.PASS,
    False: VerdictState.FAIL,
    None: VerdictState.ABSTAIN,
    "pass": VerdictState.PASS,
    "fail": VerdictState.FAIL,
}

# Text beside the object may state another verdict than the object. These patterns find "Verdict: FAIL", "**verdict** is
# pass" and the like. `replies` has put the text into lower case.
_BETWEEN_WORDS = r"[\W_]{0,12}"
_SAYS_FAIL = re.compile(rf"(?<![a-z])verdict{_BETWEEN_WORDS}(?:is|was)?{_BETWEEN_WORDS}fail")
_SAYS_PASS = re.compile(rf"(?<![a-z])verdict{_BETWEEN_WORDS}(?:is|was)?{_BETWEEN_WORDS}(?:pass|true|yes)")


@dataclass(frozen=True, slots=True)
class _Reply:
    """What a verifier's reply says."""

    passed: bool
    checks: dict[str, bool]
    predicted_behavior: str
    issues: tuple[str, ...]


async def ask_verifier(
    client: ModelClient,
    prompts: Prompts,
    verifier: str,
    version: str,
    instance: BaseInstance,
    candidate: Candidate,
) -> Verdict:
    """A model's vote. It is unscored if the call failed for good, or if no verdict could be read after a retry.

    `version` identifies model, settings and prompt. Raises `BudgetSpent` if the call could overspend.
    """
    # The blind decision comes first: the verifier makes it before it has seen the claim.
    blind = await _decide_blind(client, prompts, verifier, instance, candidate)
    request = prompts.verification(instance, candidate)
    answer = await client.ask(
        verifier,
        request,
        lambda text: read_verdict(text, prompts.catalogue.codes, request.messages[-1].content),
        purpose="verify",
        subject=candidate.id,
    )
    make_verdict = partial(Verdict, candidate.id, verifier, prompt_version=version, blind=blind)
    reply = answer.value
    if reply is None:
        # If no reply arrived, the error is stored as the raw text too. `Verdict.is_unread` tells the cases apart by it.
        raw = answer.raw if answer.status == "unread" else answer.error
        return make_verdict(VerdictState.UNSCORED, issues=(answer.error,), raw=raw)
    state, issues = _state_and_issues(reply, candidate.expected_behavior)
    return make_verdict(
        state,
        checks=reply.checks,
        predicted_behavior=reply.predicted_behavior,
        issues=issues,
        raw=answer.raw,
    )


async def _decide_blind(
    client: ModelClient, prompts: Prompts, verifier: str, instance: BaseInstance, candidate: Candidate
) -> Mapping[str, Any]:
    """The verifier's decision about a deep item before it sees the claim; empty for other items.

    It is also empty if the decision cannot be read. Then the verifier votes all the same.
    """
    if candidate.depth != "deep":
        return {}
    answer = await client.ask(
        verifier,
        prompts.blind_decision(instance, candidate),
        lambda text: read_blind(text, prompts.catalogue.codes),
        purpose="blind",
        subject=candidate.id,
    )
    return answer.value or {}


def read_blind(text: str, codes: Mapping[str, str]) -> dict[str, str]:
    """Read a blind decision: `code`, and `answer`, `why` and `certainty` as given. Raises `ReplyError`."""
    content = find_object(text, frozenset({"decision"})).value
    code = _read_code(content, "decision", codes)
    texts = {name: str(content.get(name) or "") for name in ("answer", "why", "certainty")}
    return {"code": code, **texts}


def _read_code(content: Mapping[str, Any], field: str, codes: Mapping[str, str]) -> str:
    """The code in a field of a reply. `codes` maps each name that a reply may use to its code."""
    name = str(content[field]).strip().upper()
    if name not in codes:
        raise ReplyError(f"field '{field}' must be one of {', '.join(sorted(set(codes.values())))}")
    return codes[name]


def ask_rule(
    catalogue: Catalogue,
    verifier: str,
    check: str,
    version: str,
    instance: BaseInstance,
    candidate: Candidate,
) -> Verdict:
    """The vote of an offline check. It is unscored if the check raises an error, which it would do again.

    The check abstains if it has no opinion, for instance on deep items and on other languages than English.
    """
    make_verdict = partial(Verdict, candidate.id, verifier, prompt_version=version)
    target = catalogue.classes[candidate.cell.perturbation_class].target
    try:
        is_readable = why_not_read_offline(instance.language) is None and candidate.depth != "deep"
        result = judge_by_rule(check, instance, candidate, target) if is_readable else NO_OPINION
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001  (no text may stop a run)
        fault = fault_line(error, f"the check '{check}', lever '{candidate.lever}'")
        return make_verdict(VerdictState.UNSCORED, issues=(fault,), raw=fault)
    return make_verdict(
        _STATE_OF_RESULT[result.passed],
        checks=result.checks,
        predicted_behavior=result.predicted_behavior,
        issues=result.issues,
    )


def read_verdict(text: str, codes: Mapping[str, str], material: str = "") -> _Reply:
    """Read a verifier's reply. `material` is the message with the texts that the verifier saw.

    Raises `ReplyError` that says what is missing or unknown, or why the verdict may come from the material.
    """
    reply = find_object(text, _REQUIRED_KEYS)
    # A passage may try to pass for a verdict, so the object must be the verifier's own and stand alone.
    reply.must_not_hold_thinking()
    reply.must_not_stand_in(material)
    content = reply.value
    passed = _as_bool(content["verdict"], "verdict")
    # A wrong PASS publishes a bad item, and a wrong FAIL only loses a good one. So a PASS must come without any other
    # text, while a FAIL may come with remarks that do not contradict it.
    if passed:
        _pass_must_stand_alone(reply)
    else:
        reply.must_not_be_denied(_SAYS_PASS)
    checks = _read_checks(content["checks"])
    predicted_behavior = _read_code(content, "predicted_rag_behavior", codes)
    issues = content.get("issues") or []
    # Some models write a single issue as a text.
    if not isinstance(issues, list):
        issues = [issues]
    texts = tuple(str(issue) for issue in issues if str(issue).strip())
    return _Reply(passed, checks, predicted_behavior, issues=texts)


def _read_checks(values: Any) -> dict[str, bool]:
    """The eight checks of a reply by name. Raises `ReplyError` if one is missing or cannot be read."""
    if not isinstance(values, dict):
        raise ReplyError("field 'checks' must be an object with the eight checks")
    for name in CHECK_NAMES:
        if name not in values:
            raise ReplyError(f"field 'checks' lacks '{name}'")
    return {name: _as_bool(values[name], f"checks.{name}") for name in CHECK_NAMES}


def _pass_must_stand_alone(reply: FoundObject) -> None:
    """Raise `ReplyError` if a PASS comes with further text. No word list covers every way of taking a PASS back."""
    reply.must_be_all(_SAYS_FAIL)
    # A key of the model's own, such as "but", may take the PASS back as well.
    unknown_keys = reply.value.keys() - _ASKED_KEYS
    checks = reply.value["checks"]
    if isinstance(checks, dict):
        unknown_keys |= checks.keys() - set(CHECK_NAMES)
    if unknown_keys:
        raise ReplyError(
            f"a PASS with the unknown key '{min(unknown_keys)}': give only the keys that were asked for"
        )


def _as_bool(value: Any, field: str) -> bool:
    """A verdict or check as a flag. Models also write it as a word, see `_FLAG_OF_WORD`."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _FLAG_OF_WORD:
        return _FLAG_OF_WORD[value.strip().lower()]
    allowed = "PASS or FAIL" if field == "verdict" else "true or false"
    raise ReplyError(f"field '{field}' must be {allowed}")


def _state_and_issues(reply: _Reply, expected: str) -> tuple[VerdictState, tuple[str, ...]]:
    """The state of a vote and its issues. A PASS counts only if nothing else in the reply contradicts it."""
    if not reply.passed:
        return VerdictState.FAIL, reply.issues
    # Models sometimes answer PASS although they fail a check. Then the check counts.
    failed = [name for name in CHECK_NAMES if not reply.checks[name]]
    if failed:
        return VerdictState.FAIL, (*reply.issues, f"said PASS with failed checks: {', '.join(failed)}")
    # A verifier that predicts another behaviour does not believe in the label that it passed.
    if reply.predicted_behavior != expected:
        contradiction = f"said PASS but predicts {reply.predicted_behavior}, expected is {expected}"
        return VerdictState.FAIL, (*reply.issues, contradiction)
    return VerdictState.PASS, reply.issues


VERIFIER_PARAMETERS = ("candidate", "instance")
"""The parameters that a verifier function may declare."""


async def ask_function(
    function: OwnFunction, verifier: str, version: str, instance: BaseInstance, candidate: Candidate
) -> Verdict:
    """The vote of a function of the user; unscored if it raises or returns something else than a vote.

    The next run asks again only if the function raised.
    """
    make_verdict = partial(Verdict, candidate.id, verifier, prompt_version=version)
    raw = ""
    try:
        returned = await function.call({"candidate": candidate, "instance": instance})
        # The stored text shows what an unusable vote looked like.
        raw = repr(returned)[:2000]
        vote = read_vote(returned)
    except ReplyError as error:
        return make_verdict(VerdictState.UNSCORED, issues=(str(error),), raw=raw)
    except Exception as error:  # noqa: BLE001 - a function of the user may raise anything
        fault = error_line(error)
        return make_verdict(VerdictState.UNSCORED, issues=(fault,), raw=fault)
    return make_verdict(vote.state, checks=vote.checks, issues=vote.issues, raw=raw)


class ReturnedVote(NamedTuple):
    """A vote that a function of the user returned."""

    state: VerdictState
    checks: dict[str, bool]
    issues: tuple[str, ...]
    """The reason, if the function gave one."""


def read_vote(returned: Any) -> ReturnedVote:
    """Read what a function returned as its vote. Raises `ReplyError` if it is not a vote.

    >>> read_vote({"verdict": False, "reason": "reads badly"})
    ReturnedVote(state=<VerdictState.FAIL: 'fail'>, checks={}, issues=('reads badly',))
    """
    content = returned if isinstance(returned, Mapping) else {"verdict": returned}
    verdict, checks = content.get("verdict", returned), content.get("checks", {})
    if not isinstance(verdict, bool | str | None) or verdict not in _STATE_OF_RESULT:
        raise ReplyError(
            f"returned {returned!r:.80}: return True, False, None or a dictionary with 'verdict'"
        )
    unknown = [key for key in content if key not in ("verdict", "checks", "reason")]
    if unknown:
        raise ReplyError(f"unknown key '{unknown[0]}': return verdict, checks, reason")
    if not isinstance(checks, Mapping) or not set(checks) <= set(CHECK_NAMES):
        raise ReplyError(f"'checks' must map some of {', '.join(CHECK_NAMES)} to True or False")
    reason = content.get("reason")
    return ReturnedVote(
        state=_STATE_OF_RESULT[verdict],
        checks={str(name): bool(value) for name, value in checks.items()},
        issues=(str(reason),) if reason else (),
    )
