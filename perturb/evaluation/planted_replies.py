"""Planted replies: replies whose behaviour is known by construction, which the judges of an evaluation also read.

They are judged with the same prompts as real replies, are stored separately, and no score counts them. The share that a
judge reads rightly shows how reliable its other judgements are. Replies of real models may be harder to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

from perturb.catalogue.levers import Catalogue
from perturb.evaluation.reading import ANSWER
from perturb.evaluation.results import judge_rubric, judgement_kinds
from perturb.evaluation.session import FAILED_CALL, Session
from perturb.files.resources import digest
from perturb.ledger.evaluations import PLANTED_MODEL
from perturb.metrics.intervals import wilson_interval
from perturb.metrics.outcomes import is_correct
from perturb.records import Facts, Item, JsonObject, JudgementStatus, Response, ResponseStatus
from perturb.runtime import gather_all
from perturb.snapshots.settings import PromptSetting
from perturb.text.matching import holds_answer
from perturb.text.wording import listed

# The default number of planted replies, and the number of real replies with which an evaluation plants them.
AUTO_NUMBER, AUTO_FROM = 24, 200

# A code with a reason, a refusal in words without a code, the right answer, or the answer to another question.
Form = Literal["code", "refusal", "answer", "another answer"]
FORMS: tuple[Form, ...] = ("code", "refusal", "answer", "another answer")
# The answer of the form `another answer` if the answers to all other questions are accepted answers too.
_NEVER_ACCEPTED = "a heron on the mill pond"


@dataclass(frozen=True, slots=True)
class PlantedReply:
    """A reply to an item whose behaviour is known."""

    item: Item
    setting: PromptSetting
    form: Form
    code: str
    """The refusal code that a reply of the form `code` gives."""
    answer: str
    """The answer in a reply that answers."""

    @property
    def text(self) -> str:
        """The text of the reply. A code has a reason with it: a bare code is read by rule, so no judge sees it."""
        if self.form == "code":
            return f"{self.code}. The passages do not settle this question."
        if self.form == "refusal":
            return "I am sorry, but I cannot answer this question from the passages that I was given."
        return f"The answer is {self.answer}."

    def reads_rightly(self, values: Facts) -> bool | None:
        """Whether judgements of the reply are right; None if one of them could not be read."""
        predicted = values.get("predicted")
        if predicted is None:
            return None
        # A refusal in words names no code, and a judge of free replies knows no codes. Then any refusal is right.
        if self.form == "refusal" or (self.form == "code" and self.setting.is_free_form):
            return bool(predicted != ANSWER)
        if self.form == "code":
            return bool(predicted == self.code)
        # In the other forms the reply is an answer.
        if predicted != ANSWER:
            return False
        if not self.item.answerable:
            return True  # nobody judges the quality of an answer to an unanswerable item
        correct = is_correct(values.get("quality"), values.get("eligible"), values.get("factual_signal"))
        return None if correct is None else correct == (self.form == "answer")


def plant_replies(
    items: Sequence[Item], settings: Sequence[PromptSetting], number: int
) -> Iterator[PlantedReply]:
    """Make this number of replies, with all forms and settings in turn; the same items always give the same replies."""
    # By a digest, so that the choice does not depend on the order of the items.
    ordered = sorted(
        (item for item in items if item.answers), key=lambda item: digest("planted reply", item.id)
    )
    if not ordered:
        return
    chosen = cycle(ordered)
    codes = sorted({item.expected_behavior for item in ordered if not item.answerable}) or ["REFUSE_OTHER"]
    # The form changes with each reply, the setting after all forms.
    for position in range(number):
        form, item = FORMS[position % len(FORMS)], next(chosen)
        setting = settings[position // len(FORMS) % len(settings)]
        code = codes[position % len(codes)] if item.answerable else item.expected_behavior
        yield PlantedReply(item, setting, form, code, _answer(item, form, ordered))


def _answer(item: Item, form: Form, items: Sequence[Item]) -> str:
    """An accepted answer or, for the form `another answer`, one to another question that the item does not accept."""
    if form != "another answer":
        return item.answers[0]
    texts = [other_item.answers[0] for other_item in items if other_item.base_id != item.base_id]
    return next((text for text in texts if not holds_answer(text, *item.answers)), _NEVER_ACCEPTED)


async def judge_planted(
    session: Session,
    planted: Sequence[PlantedReply],
    catalogue: Catalogue,
    entries: Sequence[Facts],
) -> list[JsonObject]:
    """The judgements of each planted reply by each judge; judgements in `entries` are not asked for again.

    Raises `BudgetSpent`.
    """
    judges = [judge.name for judge in session.models.judges]
    # Judge and position in `planted` → entry. Failed calls are repeated, and a judge with other settings judges again.
    # Entries of judges that are not asked any more stay.
    current = {}
    for entry in entries:
        judge = entry["judge"]
        is_changed = judge in judges and entry["print"] != session.fingerprints[judge]
        if not entry["failed"] and not is_changed:
            current[judge, entry["place"]] = dict(entry)
    new_entries = await gather_all(
        _judge_reply(session, judge, catalogue, position, reply)
        for judge in judges
        for position, reply in enumerate(planted)
        if (judge, position) not in current
    )
    return [*current.values(), *new_entries]


async def _judge_reply(
    session: Session, judge: str, catalogue: Catalogue, position: int, reply: PlantedReply
) -> JsonObject:
    """The entry with a judge's judgements of a reply; the names of its keys are stored in ledgers."""
    item, fingerprint = reply.item, session.fingerprints[judge]
    response = Response(
        item_id=item.id,
        model=PLANTED_MODEL,
        variant=f"{reply.setting.name} {position}",
        status=ResponseStatus.ANSWERED,
        text=reply.text,
    )
    values: JsonObject = {}
    judged_kinds = []
    for kind in judgement_kinds(item):
        rubric = judge_rubric(kind, item, response, fingerprint, catalogue, free=reply.setting.is_free_form)
        judgement = await session.ask_judge(judge, response, rubric)
        judged_kinds.append({"purpose": rubric.purpose, "raw": judgement.raw})
        values |= judgement.value
        # Only what the judge takes for an answer gets a grade, as with real replies.
        if judgement.status is JudgementStatus.UNSCORED or values.get("predicted") != ANSWER:
            break
    return {
        "judge": judge,
        "print": fingerprint,
        "place": position,
        "item": item.id,
        "variant": response.variant,
        "form": reply.form,
        "judged": judged_kinds,
        "right": reply.reads_rightly(values),
        "failed": judgement.fingerprint == FAILED_CALL,
    }


def describe_planted(entries: Sequence[Facts]) -> Iterator[str]:
    """One line for each judge: how many planted replies it read rightly, in total and by form.

    >>> entry = {"judge": "j", "form": "code", "right": True}
    >>> next(describe_planted([entry, {**entry, "right": False}]))
    'j read 1 of 2 planted replies rightly (50 %, 95 % interval 9 to 91 %): code 1 of 2'
    """
    for judge in dict.fromkeys(entry["judge"] for entry in entries):
        of_judge = [entry for entry in entries if entry["judge"] == judge]
        scored = [entry for entry in of_judge if entry["right"] is not None]
        right = sum(entry["right"] for entry in scored)
        if not scored:
            continue
        low, high = wilson_interval(right / len(scored), len(scored))
        by_form = []
        for form in FORMS:
            of_form = [entry["right"] for entry in scored if entry["form"] == form]
            if of_form:
                by_form.append(f"{form} {sum(of_form)} of {len(of_form)}")
        unread = len(of_judge) - len(scored)
        yield (
            f"{judge} read {right} of {len(scored)} planted replies rightly ({100 * right / len(scored):.0f} %, 95 %"
            f" interval {100 * low:.0f} to {100 * high:.0f} %): {listed(by_form)}"
            + (f"; {unread} of its judgements could not be read" if unread else "")
        )
