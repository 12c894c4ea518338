"""Asks one verifier for its verdict and reads it into one of three states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from perturb.catalogue import Catalogue
from perturb.errors import ConfigError, fault_line
from perturb.languages import unread_offline
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError, find_object
from perturb.prompts import Prompts
from perturb.records import CHECK_NAMES, BaseInstance, Candidate, Verdict, VerdictState
from perturb.rules.checks import judge_by_rule
from perturb.rules.checks.verdicts import NO_OPINION

_NEEDED = frozenset({"verdict", "checks", "predicted_rag_behavior"})
_WORDS = {"true": True, "yes": True, "pass": True, "false": False, "no": False, "fail": False}

_RULE_STATES = {True: VerdictState.PASS, False: VerdictState.FAIL, None: VerdictState.ABSTAIN}

_BLANK = r"[\W_]{0,12}"
_SAYS_FAIL = re.compile(
    r"(?<![a-z])f[\W_]{0,3}a[\W_]{0,3}i[\W_]{0,3}l|(?<![a-z])reject|[❌✗✘]"
    r"|(?:\b(?:not?|never|cannot)|n['’]t)\b[\W_]+(?:\w+[\W_]+){0,2}(?:pass|accept|publish)"
    rf"|(?<![a-z])(?:verdict|overall|decision){_BLANK}(?:is|was)?{_BLANK}(?:false|not?)\b"
    rf"|(?<![a-z])(?:{'|'.join(CHECK_NAMES).replace('_', '[_ ]')}){_BLANK}(?:is|was)?{_BLANK}(?:false|no)\b(?! ?\w)"
)
_SAYS_PASS = re.compile(rf"(?<![a-z])verdict{_BLANK}(?:is|was)?{_BLANK}(?:pass|true|yes)")
_ONLY_FAIL = re.compile(r"\W*(?:verdict\W*)?(?:fail(?:ed|s)?|reject(?:ed)?)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A verifier's reply, read."""

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
    """One model's vote; unscored when the call failed for good or no verdict could be read after the retry.

    `version` identifies model, settings and prompt. Raises `BudgetSpent` when the call could overspend.
    """
    request = prompts.verification(instance, candidate)
    answer = await client.ask(
        verifier,
        request,
        lambda text: read_verdict(text, prompts.catalogue.codes, request.messages[-1].content),
        purpose="verify",
        subject=candidate.id,
    )
    vote = partial(Verdict, candidate.id, verifier, prompt_version=version)
    if (reply := answer.value) is None:
        raw = answer.raw if answer.status == "unread" else answer.error
        return vote(VerdictState.UNSCORED, issues=(answer.error,), raw=raw)
    state, issues = _state(reply, candidate.expected_behavior)
    return vote(state, reply.checks, reply.predicted_behavior, issues, answer.raw)


def ask_rule(
    catalogue: Catalogue,
    verifier: str,
    check: str,
    version: str,
    instance: BaseInstance,
    candidate: Candidate,
) -> Verdict:
    """One offline verifier's vote; unscored, and for good, if the check stumbles over the texts.

    It abstains where the check has no opinion on the candidate, as on texts that are not English.
    """
    vote = partial(Verdict, candidate.id, verifier, prompt_version=version)
    target = catalogue.classes[candidate.cell.perturbation_class].target
    try:
        read = unread_offline(instance.language) is None
        result = judge_by_rule(check, instance, candidate, target) if read else NO_OPINION
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001  (no text may stop a run)
        fault = fault_line(error, f"the check '{check}', lever '{candidate.lever}'")
        return vote(VerdictState.UNSCORED, issues=(fault,), raw=fault)
    return vote(_RULE_STATES[result.passed], result.checks, result.predicted_behavior, result.issues)


def read_verdict(text: str, codes: Mapping[str, str], material: str = "") -> _Reply:
    """Read a verifier's reply; `material` is the message with the texts it was asked about.

    Raises `ReplyError` that says what is missing or unknown, or why the verdict may not be the verifier's own.
    """
    found = find_object(text, _NEEDED)
    found.must_not_hold_thinking()
    found.must_not_stand_in(material)
    content = found.value
    passed = _as_bool(content["verdict"], "verdict")
    found.must_not_be_denied(_SAYS_FAIL if passed else _SAYS_PASS)
    given = content["checks"]
    if not isinstance(given, dict):
        raise ReplyError("field 'checks' must be an object with the eight checks")
    if missing := [name for name in CHECK_NAMES if name not in given]:
        raise ReplyError(f"field 'checks' lacks '{missing[0]}'")
    checks = {name: _as_bool(given[name], f"checks.{name}") for name in CHECK_NAMES}
    others = {name: value for name, value in given.items() if name not in checks}
    if passed and any(_fails({**content, "checks": others})):
        raise ReplyError("the verdict is PASS, and another field says FAIL")
    code = str(content["predicted_rag_behavior"]).strip().upper()
    if code not in codes:
        raise ReplyError(
            f"field 'predicted_rag_behavior' must be one of {', '.join(sorted(set(codes.values())))}"
        )
    issues = content.get("issues") or []
    if not isinstance(issues, list):
        issues = [issues]
    return _Reply(passed, checks, codes[code], tuple(str(issue) for issue in issues if str(issue).strip()))


def _fails(value: Any) -> Iterator[bool]:
    """Whether each of the values in an object says FAIL as a whole; a sentence with the word in it does not."""
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _fails(member)
    else:
        yield value is False or (isinstance(value, str) and _ONLY_FAIL.fullmatch(value) is not None)


def _as_bool(value: Any, field: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    raise ReplyError(
        f"field '{field}' must be PASS or FAIL"
        if field == "verdict"
        else f"field '{field}' must be true or false"
    )


def _state(reply: _Reply, expected: str) -> tuple[VerdictState, tuple[str, ...]]:
    """PASS counts only if nothing inside the reply speaks against it."""
    if not reply.passed:
        return VerdictState.FAIL, reply.issues
    failed = [name for name in CHECK_NAMES if not reply.checks[name]]
    if failed:
        return VerdictState.FAIL, (*reply.issues, f"said PASS with failed checks: {', '.join(failed)}")
    if reply.predicted_behavior != expected:
        return VerdictState.FAIL, (
            *reply.issues,
            f"said PASS but predicts {reply.predicted_behavior}, expected is {expected}",
        )
    return VerdictState.PASS, reply.issues
