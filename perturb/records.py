"""The nouns of the project: frozen records that all packages share.

The first part is about building a benchmark, the second about evaluating models on it. This module imports nothing
else of the package, reads no file and makes no call.
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
"""What a manifest, a ledger or a report states, by name. It is only read."""

JsonObject: TypeAlias = dict[str, Any]
"""An object with the values of JSON, while it is being made."""

ANSWER_CORRECTLY = "ANSWER_CORRECTLY"
"""The ground truth of LOW items: the flaw can be resolved, so the question must be answered."""

REFUSE_OTHER = "REFUSE_OTHER"
"""A code that a model may answer with; never a ground truth."""

NO_INTENSITY = "NONE"
"""The intensity of what was not perturbed."""

NEAR_DUPLICATE = "near duplicate of"
"""How the reason begins that a candidate is stored with if it repeats an item of an earlier round."""

Target = Literal["query", "context"]
Role = Literal["signal", "noise"]

LeverChoice = Literal["covering", "generator", "assigned"]
"""Which levers a generator is offered of those that may fit: the three that were offered least so far; all of the
cell's; or one."""


Depth = Literal["open", "quiet", "deep"]
"""How well a flaw is hidden: `open`, as in the paper; `quiet`, in one place and unannounced; `deep`, over several
passages, so that it shows only to a reader who puts them together."""


class PerturbationClass(str):
    """The name of a class of perturbations: one of RefusalBench's six (section 2.2), or a user's own.

    Equal names are one object.
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
        """The class of that name, whether or not a catalogue has it."""
        return cls._names.setdefault(name, super().__new__(cls, name))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> CoreSchema:
        """In a file: a text in the form of such a name."""
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
    """How severe the flaw is; LOW can be resolved, MEDIUM and HIGH call for a refusal."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A class at an intensity: one of RefusalBench's 18, or of a user-defined class."""

    perturbation_class: PerturbationClass
    intensity: Intensity

    def __str__(self) -> str:
        return f"{self.perturbation_class}/{self.intensity}"

    @classmethod
    def read(cls, text: str) -> Cell:
        """The cell that `str` gave. Raises `ValueError` if the intensity is unknown."""
        name, _, intensity = text.partition("/")
        return cls(PerturbationClass(name), Intensity(intensity))


ALL_CELLS: tuple[Cell, ...] = tuple(Cell(c, i) for c in PUBLISHED_CLASSES for i in Intensity)
"""The 18 cells of RefusalBench; each user-defined class has three more."""

_PLACES = {str(name): place for place, name in enumerate((*PUBLISHED_CLASSES, *Intensity))}


def taxonomy_place(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts classes, intensities and cells as the taxonomy has them, a user's own after them by name.

    >>> sorted(["P-Own/HIGH", "P-Own/LOW", "P-MissingInfo/LOW"], key=taxonomy_place)
    ['P-MissingInfo/LOW', 'P-Own/LOW', 'P-Own/HIGH']
    """
    parts = name.split("/") if name.startswith("P-") else [name]
    return tuple((_PLACES.get(part, len(_PLACES)), part) for part in parts)


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
    """Hash of the content, or the id the source gave."""
    source: str
    """Where it comes from: a file or data set name."""
    query: str
    passages: tuple[Passage, ...]
    answers: tuple[str, ...]
    """Accepted answers, the preferred one first; at least one."""
    reference_answer: str | None = None
    """A long-form answer, where the source has one."""
    domain: str | None = None
    licence: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    language: str = "en"
    """Code of the language that question, passages and answers are in, see `perturb.text.wording`."""

    @property
    def context(self) -> str:
        """The text a model sees: the passage alone, or numbered passages."""
        return render_context(self.passages)

    def to_payload(self) -> dict[str, Any]:
        """As plain values; English is not said, as in ledgers and recordings from before there were languages."""
        content = {**asdict(self), "metadata": dict(self.metadata)}
        if self.language == "en":
            del content["language"]
        return content

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> BaseInstance:
        """Read back what a ledger keeps."""
        passages = tuple(Passage(**passage) for passage in payload["passages"])
        return cls(**{**payload, "passages": passages, "answers": tuple(payload["answers"])})


def render_context(passages: tuple[Passage, ...]) -> str:
    """Join passages as a model sees them; a single passage stands alone, without its title.

    >>> render_context((Passage("One."), Passage("Two.", title="T")))
    '[1] One.\\n\\n[2] T: Two.'
    """
    if len(passages) == 1:
        return passages[0].text
    numbered = []
    for number, passage in enumerate(passages, start=1):
        head = f"{passage.title}: " if passage.title else ""
        numbered.append(f"[{number}] {head}{passage.text}")
    return "\n\n".join(numbered)


@dataclass(frozen=True, slots=True)
class Illustration:
    """A worked example of a lever on an invented topic, so that a generator cannot copy it."""

    query: str
    context: str
    expected: str
    """Begins with the behaviour code, then says why in a few words."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What the offline engine does for a lever: an operator and its data, see `perturb.catalogue.levers`."""

    do: str
    what: str | None
    say: tuple[str, ...]
    words: tuple[tuple[str, tuple[str, ...]], ...]
    needs: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Lever:
    """One way to perturb an instance."""

    name: str
    cell: Cell
    instruction: str
    illustration: Illustration
    needs: tuple[str, ...] = ()
    """What an instance must offer for the lever to fit, as `features.Need` reads it; empty: it fits all."""
    rule: Rule | None = None
    """What the offline engine does; None where it can do nothing."""
    answer: str = ""
    """The accepted answer to the perturbed question where the lever asks another one than the original; else empty."""


@dataclass(frozen=True, slots=True)
class Construction:
    """One way to hide a deep flaw: a lever says what the flaw is, a construction how it is laid."""

    name: str
    instruction: str
    query: str
    passages: tuple[str, ...]
    """With `query` and `expected`, an illustration on an invented topic."""
    expected: str
    """Begins with the behaviour code, then says why in a few words."""
    classes: tuple[PerturbationClass, ...] = ()
    """The classes that it suits; empty: all."""
    intensities: tuple[Intensity, ...] = ()
    """The intensities that it suits; empty: all."""
    needs: tuple[str, ...] = ()
    """What an instance must offer, as for a lever."""

    def suits(self, cell: Cell) -> bool:
        """Whether it can lay a flaw of the cell."""
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
    """The levers to choose from, offer after offer: the next one when a generator declines the last. Empty: none of
    the cell fits the instance. None: the generator has an order of its own, as the rule engine does."""
    depth: Depth = "open"
    constructions: tuple[str, ...] = ()
    """Of a deep job: the constructions to choose from."""
    hardens: str | None = None
    """Of a quieter attempt: the accepted item that all solvers mastered, and that it replaces once it is accepted."""


EXPECTED_ANSWER = "expected_answer"
"""Under this name a candidate and a row hold the answer of a lever that asks another question."""


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
    """The whole context after the perturbation, unchanged passages copied by us."""
    reasoning: str
    expected_behavior: str
    """`ANSWER_CORRECTLY` or the refusal code of the class, from the catalogue, never from the reply."""
    stated: Mapping[str, Any] = field(default_factory=dict)
    """What the generator claimed: intensity achieved, answer constraint, expected behaviour. Of a deep or quiet item
    also `depth`; of a deep one `construction`, `proof`, `trap` and `control`, the passages without the flaw."""

    @property
    def depth(self) -> Depth:
        """How well the flaw is hidden."""
        depth: Depth = self.stated.get("depth", "open")
        return depth

    @property
    def construction(self) -> str | None:
        """How a deep flaw is laid."""
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
        """The perturbed text a model sees."""
        return render_context(self.passages)


class JobOutcome(StrEnum):
    """How a job ended."""

    CANDIDATE = "candidate"
    """A readable candidate that passed the machine checks and goes to the panel."""
    REJECTED = "rejected_by_checks"
    """A readable candidate that a machine check refused."""
    UNPARSED = "unparsed"
    """No readable reply, even after it was asked for once more."""
    NOT_APPLICABLE = "not_applicable"
    """No lever of the cell fits the instance, or the generator declined every offer."""
    ABSTAINED = "abstained"
    """The rule engine has no lever of the cell that fits the instance."""
    ERROR = "error"
    """The call failed for good, which is tried again when the run is resumed; or a rule had a fault, which is not."""


class VerdictState(StrEnum):
    """What a verifier said; what could not be read is unscored, never pass or fail."""

    PASS = "pass"
    FAIL = "fail"
    ABSTAIN = "abstain"
    """An offline verifier has no opinion on the item: it counts as if it were not on the panel."""
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
    """The eight checks by name; empty when unscored, partial for an offline verifier."""
    predicted_behavior: str | None = None
    issues: tuple[str, ...] = ()
    raw: str = ""
    """The reply as it came, or the error that stood in its place."""
    prompt_version: str = ""
    """Digest of the template and settings the vote was asked with."""
    blind: Mapping[str, Any] = field(default_factory=dict)
    """What the verifier decided of a deep item before it saw the claim: `code`, `answer`, `why`; empty for other items
    and where no decision could be read."""

    @property
    def is_unread(self) -> bool:
        """Whether a reply arrived and could not be read; of a failed call, `raw` is the error."""
        return self.state is VerdictState.UNSCORED and self.raw != "".join(self.issues[:1])


PlantedKind = Literal["class", "behaviour", "nothing", "undone", "lever", "degree", "written", "right"]
"""What is known of a planted item: which fault it has, or that it is right."""

LABEL_FAULTS: tuple[PlantedKind, ...] = ("class", "behaviour", "nothing", "undone", "written")
"""The kinds of planted items whose label is wrong."""


@dataclass(frozen=True, slots=True)
class PlantedItem:
    """An item about which the truth is known; a panel votes on it as on any candidate."""

    kind: PlantedKind
    instance: BaseInstance
    candidate: Candidate
    """What verifiers are shown. Its id looks like that of a job."""
    proof: tuple[str, ...] = ()
    """The exact sentences that make the label of a written item wrong."""
    way: str = ""
    """How a written item is wrong, by the name of the instruction."""

    @property
    def id(self) -> str:
        """The id of the candidate."""
        return self.candidate.id

    def to_payload(self) -> dict[str, Any]:
        """As plain values, for a ledger or a recording."""
        candidate = asdict(self.candidate)
        cell = candidate.pop("cell")
        content = {"kind": self.kind, "way": self.way, "proof": list(self.proof)}
        return {**content, "instance": self.instance.to_payload(), "candidate": {**candidate, **cell}}

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> PlantedItem:
        """Read back what `to_payload` gave."""
        content = dict(payload["candidate"])
        kind, intensity = content.pop("perturbation_class"), content.pop("intensity")
        passages = tuple(Passage(**passage) for passage in content.pop("passages"))
        cell = Cell(PerturbationClass(kind), Intensity(intensity))
        instance = BaseInstance.from_payload(payload["instance"])
        candidate = Candidate(**content, cell=cell, passages=passages)
        return cls(payload["kind"], instance, candidate, tuple(payload["proof"]), payload["way"])


@dataclass(frozen=True, slots=True)
class ClassRule:
    """How a panel decides on the candidates of one class, chosen by its planted votes."""

    verifiers: tuple[str, ...]
    """Who votes."""
    needed: int
    """How many passes accept a candidate."""
    bound: float
    """Upper bound of the share of wrong labels, measured on planted items that took no part in the choice."""


class Acceptance(StrEnum):
    """What the panel decided."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"
    """Votes are missing or unscored. Missing votes and failed calls are asked again when the run is resumed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The panel's decision on one candidate."""

    candidate_id: str
    acceptance: Acceptance
    reason: str
    """In words: who failed it, who left it unscored, or that all passed."""
    audited: bool = False
    """True when every verifier was asked whatever the earlier votes (the audit share)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item that models are evaluated on: a question with its passages, and what a good system does with it."""

    id: str
    base_id: str
    """The base instance; items that share it are not independent."""
    cell: Cell
    expected_behavior: str
    """`ANSWER_CORRECTLY` or a refusal code."""
    query: str
    passages: tuple[Passage, ...]
    """As a model is shown them, in order; `signal` ones bear on the question."""
    answers: tuple[str, ...]
    """Accepted answers to the question before it was perturbed, the preferred one first."""
    reference_answer: str | None = None
    domain: str | None = None
    language: str = "en"
    lever: str = ""
    generator: str = ""
    """Who made the item."""
    control: bool = False
    """An unperturbed original beside an item; its cell's class is the item's, and it must be answered."""
    construction: str | None = None
    """Of a deep item: how its flaw is laid."""
    original_query: str | None = None
    """The question before it was perturbed, where the source says; no model is shown this or the next."""
    original_passages: tuple[str, ...] = ()
    """The texts of the passages before; empty where the source does not say, or passages cannot be told apart."""

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
        """The passage alone, or numbered passages."""
        return render_context(self.passages)

    @property
    def signal_numbers(self) -> tuple[int, ...]:
        """Numbers, from 1, of the passages that bear on the question."""
        return tuple(number for number, one in enumerate(self.passages, start=1) if one.role == "signal")

    def to_payload(self) -> dict[str, Any]:
        """What the ledger keeps under the item's id; originals that are not known, and English, are left out."""
        content = asdict(self)
        del content["id"], content["cell"]
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
        """Read back what `to_payload` gave; raises `ValueError` for anything else."""
        return _ITEM.validate_python({"id": item_id, "cell": payload, **payload})


_ITEM = TypeAdapter(Item)


class ResponseStatus(StrEnum):
    """Whether a model under test answered at all."""

    ANSWERED = "answered"
    """There is a reply, be it empty."""
    ERROR = "error"
    """The call failed for good; asked again when the run is resumed."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a model under test replied to one item."""

    item_id: str
    model: str
    variant: str
    """How it was asked: the name of the prompt or the elicitation."""
    status: ResponseStatus
    text: str
    """The reply as it came."""
    error: str = ""
    fingerprint: str = ""
    """Digest of the model, its settings and the prompt: a response with another one is out of date."""


class JudgementStatus(StrEnum):
    """Whether a judgement could be read; unreadable is unscored, never right or wrong."""

    READ = "read"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge, or an exact rule, says of one response in one respect."""

    item_id: str
    model: str
    variant: str
    kind: str
    """What is judged: `classification`, `quality`, `eligibility`, `factuality`, `grade`, …"""
    judge: str
    """The name of the judge, or `rule` where no call was needed."""
    status: JudgementStatus
    value: Mapping[str, Any] = field(default_factory=dict)
    """The judgement, by the names of its kind; empty when unscored."""
    raw: str = ""
    """The judge's reply as it came, or the error that stood in its place."""
    fingerprint: str = ""
    """Digest of the judge, its prompt and the response judged."""
