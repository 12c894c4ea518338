"""The frozen records that all packages share: instances, levers, jobs, candidates, verdicts, items, responses.

The first part is about building a benchmark, the second about evaluating models on it. This module imports nothing
else from the package, reads no file and makes no call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

Facts: TypeAlias = Mapping[str, Any]
"""Named values of a manifest, a ledger or a report. They are only read."""

JsonObject: TypeAlias = dict[str, Any]
"""An object with values of JSON. Code that makes one may change it."""

ANSWER_CORRECTLY = "ANSWER_CORRECTLY"
"""The ground truth of LOW items. A reader can resolve their flaw, so the question must be answered."""

REFUSE_OTHER = "REFUSE_OTHER"
"""A refusal code for other reasons. A model may answer with it, but it is never a ground truth."""

NO_INTENSITY = "NONE"
"""The intensity of an item that was not perturbed."""

CONTROL_SUFFIX = "-control"
"""The end of a control's id. A control is the unperturbed original of an item, whose id stands before it."""

NEAR_DUPLICATE = "near duplicate of"
"""The beginning of the stored reason if a candidate is rejected because it repeats an item of an earlier round."""

Target = Literal["query", "context"]
"""A part of an instance that a perturbation may change."""
Role = Literal["signal", "noise"]
"""Whether a passage bears on the question."""

LeverChoice = Literal["covering", "generator", "assigned"]
"""Which of the fitting levers a generator is offered: the three that were offered least so far, all of them, or one."""


Depth = Literal["open", "quiet", "deep"]
"""How well a flaw is hidden.

An `open` flaw is as in the paper. A `quiet` flaw lies in one place without any sign. A `deep` flaw is spread over
several passages, so that only a reader who combines them sees it.
"""


class PerturbationClass(str):
    """The name of a perturbation class: one of RefusalBench's six (section 2.2), or one of the user's.

    Two equal names are the same object, so `is` compares them too.
    """

    __slots__ = ()
    _names: ClassVar[dict[str, PerturbationClass]] = {}
    AMBIGUITY: ClassVar[PerturbationClass]
    CONTRADICTION: ClassVar[PerturbationClass]
    MISSING_INFO: ClassVar[PerturbationClass]
    FALSE_PREMISE: ClassVar[PerturbationClass]
    GRANULARITY: ClassVar[PerturbationClass]
    EPISTEMIC: ClassVar[PerturbationClass]

    def __new__(cls, name: str) -> PerturbationClass:
        """The class of that name. A catalogue need not have such a class."""
        # `setdefault` is atomic, so two threads cannot make two objects for a name.
        return cls._names.setdefault(name, super().__new__(cls, name))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> CoreSchema:
        """Validate texts of files as names of classes."""
        from pydantic_core import core_schema

        name = core_schema.str_schema(pattern=r"^P-[A-Za-z][A-Za-z0-9-]{0,40}$")
        return core_schema.no_info_after_validator_function(cls, name)


PerturbationClass.AMBIGUITY = PerturbationClass("P-Ambiguity")
PerturbationClass.CONTRADICTION = PerturbationClass("P-Contradiction")
PerturbationClass.MISSING_INFO = PerturbationClass("P-MissingInfo")
PerturbationClass.FALSE_PREMISE = PerturbationClass("P-FalsePremise")
PerturbationClass.GRANULARITY = PerturbationClass("P-GranularityMismatch")
PerturbationClass.EPISTEMIC = PerturbationClass("P-EpistemicMismatch")

PUBLISHED_CLASSES: tuple[PerturbationClass, ...] = tuple(PerturbationClass._names.values())
"""The six kinds of informational uncertainty of RefusalBench, in its order."""


class Intensity(StrEnum):
    """The severity of a flaw. LOW can be resolved by the reader, MEDIUM and HIGH call for a refusal."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A perturbation class at an intensity: one of RefusalBench's 18 cells, or a cell of a user-defined class."""

    perturbation_class: PerturbationClass
    intensity: Intensity

    def __str__(self) -> str:
        return f"{self.perturbation_class}/{self.intensity}"

    @classmethod
    def read(cls, text: str) -> Cell:
        """Read a cell from the text that `str` returns for it. Raises `ValueError` if the intensity is unknown."""
        name, _, intensity = text.partition("/")
        return cls(PerturbationClass(name), Intensity(intensity))


ALL_CELLS: tuple[Cell, ...] = tuple(Cell(c, i) for c in PUBLISHED_CLASSES for i in Intensity)
"""The 18 cells of RefusalBench. Each user-defined class has three more."""

# The rank of each published class and each intensity, for sorting.
_RANKS = {str(name): rank for rank, name in enumerate((*PUBLISHED_CLASSES, *Intensity))}


def taxonomy_place(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts classes, intensities and cells by the taxonomy. User-defined classes come last, by name.

    >>> sorted(["P-Own/HIGH", "P-Own/LOW", "P-MissingInfo/LOW"], key=taxonomy_place)
    ['P-MissingInfo/LOW', 'P-Own/LOW', 'P-Own/HIGH']
    """
    # Only cells have a slash: class and intensity are compared one after the other.
    names = name.split("/") if name.startswith("P-") else [name]
    return tuple((_RANKS.get(single_name, len(_RANKS)), single_name) for single_name in names)


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of a context."""

    text: str
    title: str = ""
    role: Role = "signal"
    """`signal` passages bear on the question; `noise` passages do not."""


@dataclass(frozen=True, slots=True)
class BaseInstance:
    """An answerable question with the passages that answer it."""

    id: str
    """Hash of the content, or the id from the source."""
    source: str
    """The name of the file or data set that it comes from."""
    query: str
    passages: tuple[Passage, ...]
    answers: tuple[str, ...]
    """Accepted answers, at least one. The preferred answer comes first."""
    reference_answer: str | None = None
    """A long-form answer, if the source has one."""
    domain: str | None = None
    licence: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    language: str = "en"
    """Code of the language of question, passages and answers, see `perturb.text.wording`."""

    @property
    def context(self) -> str:
        """The text that a model sees: the passage alone, or numbered passages."""
        return render_context(self.passages)

    def to_payload(self) -> dict[str, Any]:
        """Plain values, for a ledger or a recording."""
        content = {**asdict(self), "metadata": dict(self.metadata)}
        # Ledgers and recordings that are older than this field have only English texts. Without the field, the digests
        # of English instances stay as they were.
        if self.language == "en":
            del content["language"]
        return content

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> BaseInstance:
        """The instance with these stored values."""
        passages = tuple(Passage(**passage) for passage in payload["passages"])
        return cls(**{**payload, "passages": passages, "answers": tuple(payload["answers"])})


def render_context(passages: tuple[Passage, ...]) -> str:
    """Join passages as a model sees them. A single passage has no number and no title.

    >>> render_context((Passage("One."), Passage("Two.", title="T")))
    '[1] One.\\n\\n[2] T: Two.'
    """
    if len(passages) == 1:
        return passages[0].text
    numbered = []
    for number, passage in enumerate(passages, start=1):
        heading = f"{passage.title}: " if passage.title else ""
        numbered.append(f"[{number}] {heading}{passage.text}")
    return "\n\n".join(numbered)


@dataclass(frozen=True, slots=True)
class Illustration:
    """A worked example of a lever on an invented topic, so that a generator cannot copy it."""

    query: str
    context: str
    expected: str
    """The behaviour code, then the reason in a few words."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of the offline engine for a lever: an operator and its data, see `perturb.catalogue.levers`."""

    do: str
    """The name of the operator."""
    what: str | None
    """The part of the text that the operator works on, if it has a choice."""
    say: tuple[str, ...]
    """Wordings with gaps, of which one is drawn."""
    words: tuple[tuple[str, tuple[str, ...]], ...]
    """Words of the question, as patterns, each with its replacements."""
    needs: tuple[str, ...]
    """Features that an instance must have for this rule, besides those of the lever."""
    why: str
    """The reasoning of the item, with gaps."""


@dataclass(frozen=True, slots=True)
class Lever:
    """A way to perturb an instance."""

    name: str
    cell: Cell
    instruction: str
    illustration: Illustration
    needs: tuple[str, ...] = ()
    """Features that an instance must have, as `features.Need` reads them. If empty, the lever fits every instance."""
    rule: Rule | None = None
    """The rule of the offline engine; None if it cannot apply this lever."""
    answer: str = ""
    """The accepted answer if the lever asks a new question; otherwise empty."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A way to hide a deep flaw. The lever says what the flaw is, and the construction says how it is hidden."""

    name: str
    instruction: str
    query: str
    passages: tuple[str, ...]
    """The passages of an illustration on an invented topic, which `query` and `expected` complete."""
    expected: str
    """The behaviour code, then the reason in a few words."""
    classes: tuple[PerturbationClass, ...] = ()
    """The classes that it suits. If empty, it suits all classes."""
    intensities: tuple[Intensity, ...] = ()
    """The intensities that it suits. If empty, it suits all intensities."""
    needs: tuple[str, ...] = ()
    """Features that an instance must have, as for a lever."""

    def suits(self, cell: Cell) -> bool:
        """Whether it can hide a flaw of the cell."""
        fits_class = not self.classes or cell.perturbation_class in self.classes
        return fits_class and (not self.intensities or cell.intensity in self.intensities)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of generation work: base instance × cell × generator × replicate, in a round."""

    id: str
    """Hash of everything that decides the result."""
    instance_id: str
    cell: Cell
    generator: str
    replicate: int
    round: str
    offers: tuple[tuple[str, ...], ...] | None = None
    """Offers of levers to choose from. A generator that declines an offer gets the next one.

    If empty, no lever of the cell fits the instance. None means that the generator has its own order of levers, as the
    rule engine does.
    """
    depth: Depth = "open"
    constructions: tuple[str, ...] = ()
    """The constructions that a deep job may choose from."""
    hardens: str | None = None
    """The accepted item that all solvers mastered, if this job is a quieter attempt to replace it."""


EXPECTED_ANSWER = "expected_answer"
"""The key of the answer in candidates and rows whose lever asks a new question."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A perturbed instance as a generator made it, before the panel has voted."""

    id: str
    """The id of its job."""
    instance_id: str
    generator: str
    cell: Cell
    lever: str
    query: str
    passages: tuple[Passage, ...]
    """The whole context after the perturbation. Unchanged passages are copies of the original."""
    reasoning: str
    expected_behavior: str
    """`ANSWER_CORRECTLY` or the refusal code of the class. It comes from the catalogue, never from the reply."""
    stated: Mapping[str, Any] = field(default_factory=dict)
    """The generator's claims: intensity achieved, answer constraint, expected behaviour.

    Deep and quiet items also have `depth`. Deep items have `construction`, `proof`, `trap`, and `control`, which holds
    the passages without the flaw.
    """

    @property
    def depth(self) -> Depth:
        """How well the flaw is hidden."""
        depth: Depth = self.stated.get("depth", "open")
        return depth

    @property
    def construction(self) -> str | None:
        """The name of the construction that hides a deep flaw; None for other items."""
        return self.stated.get("construction")

    @property
    def proof(self) -> tuple[str, ...]:
        """The exact sentences that show a deep flaw when they are compared."""
        return tuple(self.stated.get("proof", ()))

    @property
    def control(self) -> tuple[Passage, ...]:
        """The context of a deep item without its flaw; empty for other items."""
        return tuple(Passage(**passage) for passage in self.stated.get("control", ()))

    @property
    def context(self) -> str:
        """The perturbed text that a model sees."""
        return render_context(self.passages)


class JobOutcome(StrEnum):
    """How a job ended."""

    CANDIDATE = "candidate"
    """A readable candidate that passed the machine checks and goes to the panel."""
    REJECTED = "rejected_by_checks"
    """A readable candidate that a machine check refused."""
    UNPARSED = "unparsed"
    """No readable reply, even after a second request."""
    NOT_APPLICABLE = "not_applicable"
    """No lever of the cell fits the instance, or the generator declined every offer."""
    ABSTAINED = "abstained"
    """The rule engine has no lever of the cell that fits the instance."""
    ERROR = "error"
    """The call failed for good, or a rule had a fault. A resumed run repeats failed calls but not faults of rules."""


class VerdictState(StrEnum):
    """The verdict of a verifier. An unreadable reply is unscored, never pass or fail."""

    PASS = "pass"
    FAIL = "fail"
    ABSTAIN = "abstain"
    """An offline verifier has no opinion on the item. It counts as if it were not on the panel."""
    UNSCORED = "unscored"


CHECK_NAMES: tuple[str, ...] = (
    "lever_fidelity",
    "intensity",
    "target_compliance",
    "uncertainty_induction",
    "linguistic_soundness",
    "answer_constraint",
    "predicted_behavior",
    "refusal_class",
)
"""The eight checks of a verifier (spec, section 4)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verifier's vote on one candidate."""

    candidate_id: str
    verifier: str
    state: VerdictState
    checks: Mapping[str, bool] = field(default_factory=dict)
    """The eight checks by name; empty if unscored, and incomplete for an offline verifier."""
    predicted_behavior: str | None = None
    issues: tuple[str, ...] = ()
    raw: str = ""
    """The raw reply, or the error if no reply came."""
    prompt_version: str = ""
    """Digest of the template and the settings of the request."""
    blind: Mapping[str, Any] = field(default_factory=dict)
    """The verifier's decision about a deep item before it saw the claim: `code`, `answer`, `why`.

    Empty for other items, and if no decision could be read.
    """

    @property
    def is_unread(self) -> bool:
        """Whether a reply arrived that could not be read."""
        # If no reply arrived, `raw` is the error, which is also the only issue.
        return self.state is VerdictState.UNSCORED and self.raw != "".join(self.issues[:1])


PlantedKind = Literal["class", "behaviour", "nothing", "undone", "lever", "degree", "written", "right"]
"""The fault of a planted item, or `right`."""

LABEL_FAULTS: tuple[PlantedKind, ...] = ("class", "behaviour", "nothing", "undone", "written")
"""The kinds of planted items whose label is wrong."""


@dataclass(frozen=True, slots=True)
class PlantedItem:
    """An item whose label is known to be right or wrong. A panel votes on it as on any candidate."""

    kind: PlantedKind
    instance: BaseInstance
    candidate: Candidate
    """The candidate that verifiers see. Its id looks like that of a job."""
    proof: tuple[str, ...] = ()
    """The exact sentences that make the label of a written item wrong."""
    way: str = ""
    """How a written item is wrong: the name of its instruction."""

    @property
    def id(self) -> str:
        """The id of the candidate."""
        return self.candidate.id

    def to_payload(self) -> dict[str, Any]:
        """Plain values, for a ledger or a recording."""
        candidate = asdict(self.candidate)
        # `asdict` turned the cell into a mapping, whose fields are stored beside the others.
        cell = candidate.pop("cell")
        content = {"kind": self.kind, "way": self.way, "proof": list(self.proof)}
        return {**content, "instance": self.instance.to_payload(), "candidate": {**candidate, **cell}}

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> PlantedItem:
        """Read an item from the values that `to_payload` returns. Raises `ValueError` for anything else."""
        candidate = payload["candidate"]
        return _PLANTED_ITEM.validate_python({**payload, "candidate": {**candidate, "cell": candidate}})


# Checks the types of stored planted items.
_PLANTED_ITEM = TypeAdapter(PlantedItem)


@dataclass(frozen=True, slots=True)
class ClassRule:
    """The rule by which a panel decides on the candidates of a class. Votes on planted items have chosen it."""

    verifiers: tuple[str, ...]
    """The verifiers that vote."""
    needed: int
    """How many passes accept a candidate."""
    bound: float
    """Upper bound of the share of wrong labels, measured on planted items that took no part in the choice."""


class Acceptance(StrEnum):
    """The decision of the panel."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"
    """Votes are missing or unscored. A resumed run asks again for missing votes and after failed calls."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The panel's decision on one candidate."""

    candidate_id: str
    acceptance: Acceptance
    reason: str
    """For example the verifiers that failed the candidate, or those that left it unscored."""
    audited: bool = False
    """Whether every verifier was asked even if the first votes decided (the audited share)."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item for the evaluation of models: a question with its passages, and the behaviour of a good system."""

    id: str
    base_id: str
    """The base instance. Items that share it are not independent."""
    cell: Cell
    expected_behavior: str
    """`ANSWER_CORRECTLY` or a refusal code."""
    query: str
    passages: tuple[Passage, ...]
    """The passages in the order in which models see them."""
    answers: tuple[str, ...]
    """Accepted answers to the question before the perturbation. The preferred answer comes first."""
    reference_answer: str | None = None
    domain: str | None = None
    language: str = "en"
    lever: str = ""
    generator: str = ""
    """The name of the generator."""
    control: bool = False
    """Whether this is the unperturbed original of an item. It has the class of that item, and it must be answered."""
    construction: str | None = None
    """The construction of a deep item."""
    original_query: str | None = None
    """The question before the perturbation, if the source has it. No model sees this or `original_passages`."""
    original_passages: tuple[str, ...] = ()
    """The texts of the passages before the perturbation; empty if the source does not have them separately."""

    @property
    def several(self) -> bool:
        """Whether the context has several passages, which decides prompt and judge."""
        return len(self.passages) > 1

    @property
    def intensity(self) -> str:
        """The intensity of the item; NONE for a control."""
        return NO_INTENSITY if self.control else str(self.cell.intensity)

    @property
    def answerable(self) -> bool:
        """Whether the question must be answered: LOW items, and controls, whose cell says LOW."""
        return self.cell.intensity is Intensity.LOW

    @property
    def context(self) -> str:
        """The text that a model sees: the passage alone, or numbered passages."""
        return render_context(self.passages)

    @property
    def signal_numbers(self) -> tuple[int, ...]:
        """The numbers, from 1, of the passages that bear on the question."""
        return tuple(
            number for number, passage in enumerate(self.passages, start=1) if passage.role == "signal"
        )

    def to_payload(self) -> dict[str, Any]:
        """The values that a ledger stores under the item's id. Unknown originals and English are left out."""
        content = asdict(self)
        del content["id"], content["cell"]
        # Empty values are left out, as in ledgers that are older than these fields.
        for name in ("original_query", "original_passages", "construction"):
            if not content[name]:
                del content[name]
        if self.language == "en":
            del content["language"]
        return {
            "perturbation_class": str(self.cell.perturbation_class),
            "intensity": str(self.cell.intensity),
            **content,
        }

    @classmethod
    def from_payload(cls, item_id: str, payload: Mapping[str, Any]) -> Item:
        """Read an item from the values that `to_payload` returns. Raises `ValueError` for anything else."""
        # The names of class and intensity stand beside the other fields; those of a cell are picked from them.
        return _ITEM.validate_python({"id": item_id, "cell": payload, **payload})


# Checks the types of stored items.
_ITEM = TypeAdapter(Item)


class ResponseStatus(StrEnum):
    """Whether a model under test answered at all."""

    ANSWERED = "answered"
    """There is a reply, which may be empty."""
    ERROR = "error"
    """The call failed for good. A resumed run asks again."""


@dataclass(frozen=True, slots=True)
class Response:
    """The reply of a model under test to one item."""

    item_id: str
    model: str
    variant: str
    """The name of the prompt or the elicitation."""
    status: ResponseStatus
    text: str
    """The raw reply."""
    error: str = ""
    fingerprint: str = ""
    """Digest of the model, its settings and the prompt. A response with another digest is out of date."""


class JudgementStatus(StrEnum):
    """Whether a judgement could be read. An unreadable judgement is unscored, never right or wrong."""

    READ = "read"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one response in one respect, by a judge or an exact rule."""

    item_id: str
    model: str
    variant: str
    kind: str
    """The respect in which the response is judged: `classification`, `quality`, `factuality`, `grade`, …"""
    judge: str
    """The name of the judge, or `rule` if no call was needed."""
    status: JudgementStatus
    value: Mapping[str, Any] = field(default_factory=dict)
    """The values of the judgement, whose names depend on its kind; empty if unscored."""
    raw: str = ""
    """The raw reply of the judge, or the error if no reply came."""
    fingerprint: str = ""
    """Digest of the judge, its prompt and the response judged."""
