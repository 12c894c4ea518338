"""The data set card: a YAML header for `datasets` and the Hub, and a page for people.

Every value is escaped when it is printed, so that neither a name nor the text of the example can format or forge a part
of the page. The facts that card and manifest take from a run are here too.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from perturb.curation.hub import licence_header
from perturb.files.resources import data_folder
from perturb.files.templating import environment
from perturb.ledger.plans import PlanFacts
from perturb.records import ANSWER_CORRECTLY, PUBLISHED_CLASSES, Facts, Intensity, JsonObject, taxonomy_place
from perturb.snapshots.harness import CONFIG
from perturb.snapshots.rows import DEFAULT, PART_COLUMNS, SEVERAL_COLUMNS, SnapshotRow, all_columns
from perturb.snapshots.select import SelectionPlan, Shortfall
from perturb.text.passages import split_sentences
from perturb.text.wording import ENGLISH, certificate_line, language_with_code, one_line

# The size categories of the Hub, each with the number of rows below which it applies.
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))
# Characters that Markdown or GitHub may format; `://` would become a link.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&$!@]|:(?=//))")


class _Verbatim(str):
    """Text of this package, or text that is already escaped: it goes into the page as it is."""


@dataclass(frozen=True, slots=True)
class ExportedReplies:
    """A file with the replies of a run's models."""

    file: Path
    sha256: str
    """Digest of the content of the file, before compression."""
    replies: int
    """Number of replies."""


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """Facts for the manifest and the card that come from the run, not from the rows."""

    run: PlanFacts
    """The plan: name, round, panel, generators and so on."""
    stages: Mapping[str, int]
    """Counts of the run by stage: jobs, candidates, unparsed, votes, accepted and the like."""
    plan: SelectionPlan
    shortfalls: tuple[Shortfall, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    """Tokens used by kind, for example `prompt` and `completion`."""
    cost_usd: float | None = None
    """None if the price of a model is unknown."""
    agreement: Facts | None = None
    """Agreement of the verifiers, from `perturb.auditing.audit_report`; None leaves it out."""
    certificate: Facts | None = None
    """The share of wrong labels, from `perturb.auditing.certificate`; None without planted items."""
    people: Facts | None = None
    """The share of the reviewed items that people pass, with its interval; None without reviews."""
    shortcuts: Facts | None = None
    """The scores of baselines that see a part of an item; None if they were not measured."""
    note: str | None = None
    """Remarks on the origin of the rows: the note of the configuration, and unfinished jobs."""
    replies: ExportedReplies | None = None
    """The file from which the rows can be made again."""
    created: datetime | None = None
    """An aware date-time; None leaves it out, for example to compare manifests."""


@dataclass(frozen=True, slots=True)
class CardFiles:
    """The data files that the card's header names, relative to the snapshot's folder."""

    data: Mapping[str, str]
    """`default` and the name of each part → its file."""
    controls: Mapping[str, str] = field(default_factory=dict)
    """Name of each set of control rows → its file."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Split of the prompts for other harnesses → its file."""

    def configs(self) -> list[JsonObject]:
        """The configurations for `datasets` and the Hub.

        `datasets` caches by configuration and path, not by content. The digest in a path tells it that content is new.
        """
        splits = {name: {"test": path} for name, path in {**self.data, **self.controls}.items()}
        if self.prompts:
            splits[CONFIG] = dict(self.prompts)
        return [
            {
                "config_name": name,
                "data_files": [{"split": split, "path": path} for split, path in files.items()],
                **({"default": True} if name == DEFAULT else {}),
            }
            for name, files in splits.items()
        ]


def render_card(
    rows: Sequence[SnapshotRow],
    facts: SnapshotFacts,
    content_digest: str,
    files: CardFiles,
    texts: Iterable[SnapshotRow] = (),
) -> str:
    """The text of `README.md` for a snapshot. The example comes from `texts`, the first rows with their texts."""
    languages = count_languages(rows)
    named_languages = {language_with_code(code): number for code, number in languages.items()}
    n_several = sum("grounding" in row for row in rows)
    part_sizes = {
        name: n_several if PART_COLUMNS[name] is SEVERAL_COLUMNS else len(rows) - n_several
        for name in files.data
        if name != DEFAULT
    }
    text = _card_template().render(
        header=_Verbatim(yaml.safe_dump(_header(rows, facts, files), sort_keys=False, allow_unicode=True)),
        facts=facts,
        certified=facts.certificate and certificate_line(facts.certificate, len(facts.run.verifiers)),
        n_rows=len(rows),
        made=count_values(rows, "generator_model"),
        intensities=list(Intensity),
        by_class=_class_table(rows),
        behaviors=_behavior_table(rows),
        columns=all_columns(rows),
        parts=part_sizes,
        controls=list(files.controls),
        prompts=list(files.prompts),
        licences=count_licences(rows),
        sources=count_values(rows, "source"),
        # A card in English alone needs no line about languages.
        languages={} if list(languages) == [ENGLISH] else named_languages,
        canary=_Verbatim(canary(content_digest)),
        content_digest=content_digest,
        example=_example(texts),
        key=_Verbatim(_slug(f"{facts.run.name}-{facts.run.round}")),
        bar=_bar,
        share=_share,
    )
    return str(text)


def count_cells(rows: Sequence[SnapshotRow]) -> dict[str, int]:
    """Cell, as `class/intensity` → number of rows, in the order of the taxonomy; empty cells are left out."""
    counts = Counter(f"{row['perturbation_class']}/{row['intensity']}" for row in rows)
    return {cell: counts[cell] for cell in sorted(counts, key=taxonomy_place)}


def count_values(rows: Sequence[SnapshotRow], name: str) -> dict[str, int]:
    """Value of the text field `name` → number of rows, in alphabetical order."""
    return dict(sorted(Counter(row[name] for row in rows).items()))


def count_languages(rows: Sequence[SnapshotRow]) -> dict[str, int]:
    """Code of a language → number of rows."""
    return count_values([{"language": ENGLISH, **row} for row in rows], "language")


def count_licences(rows: Sequence[SnapshotRow]) -> dict[str | None, int]:
    """Licence in the words of its source, or None → number of rows, the most frequent licence first."""
    counts = Counter(row["licence"] for row in rows)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or "")))


def canary(content_digest: str) -> str:
    """A GUID that identifies the content, to find the data set in training corpora.

    >>> canary("00ff") == canary("00ff") != canary("00fe")
    True
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"perturb:snapshot:{content_digest}"))


@cache
def _card_template() -> Any:
    # the card is Markdown, for which Jinja has no escaping
    card = environment(data_folder("templates") / "card", finalize=escape)
    card.filters |= {"code": _code, "bibtex": _bibtex}
    return card.get_template("README.md.j2")


def escape(value: Any) -> str:
    """A value for the page, with Markdown's special characters escaped."""
    if isinstance(value, _Verbatim):
        return value
    return _MARKDOWN.sub(r"\\\1", one_line(str(value)))


def _code(text: str) -> _Verbatim:
    """The text as a span of code, without backticks that would end it."""
    return _Verbatim("`" + one_line(text).replace("`", "'").replace("|", r"\|") + "`")


def _bibtex(text: Any) -> _Verbatim:
    """The text inside a field of a BibTeX entry, in a block of code."""
    return _Verbatim(re.sub(r"[{}\\<>`#$%&~^@]", "", one_line(str(text))))


def _share(estimate: Facts) -> _Verbatim:
    """A share with its interval, in percent."""
    if estimate["value"] is None:
        return _Verbatim("NA")
    low, high = 100 * estimate["low"], 100 * estimate["high"]
    return _Verbatim(f"{100 * estimate['value']:.1f} % ({low:.1f} … {high:.1f})")


def _bar(share: float | None) -> _Verbatim:
    """A value from 0 to 1 as a bar of ten blocks.

    >>> _bar(0.75), _bar(None)
    ('████████░░', '')
    """
    full = 0 if share is None else round(10 * min(1.0, max(0.0, share)))
    return _Verbatim("" if share is None else "█" * full + "░" * (10 - full))


def _example(rows: Iterable[SnapshotRow]) -> JsonObject | None:
    """The shortest item with a single passage that must be refused; None if there is none."""
    candidates = [
        row for row in rows if "grounding" not in row and row["expected_rag_behavior"] != ANSWER_CORRECTLY
    ]
    if not candidates:
        return None
    row = min(candidates, key=lambda row: len(row["perturbed_query"]) + len(row["perturbed_context"]))
    return {
        "class": row["perturbation_class"],
        "intensity": row["intensity"],
        "lever": row["lever_selected"],
        "query": _change(row, "query"),
        "context": _change(row, "context"),
        "answer": next(iter(row["original_answers"]), ""),
        "expected": row["expected_rag_behavior"],
    }


def _change(row: SnapshotRow, name: str) -> JsonObject:
    """The perturbed text with its new sentences in bold, and the original sentences that it no longer has."""
    before = [sentence.text for sentence in split_sentences(row[f"original_{name}"])]
    now = [sentence.text for sentence in split_sentences(row[f"perturbed_{name}"])]
    removed = [escape(text) for text in before if text not in now]
    marked = [escape(text) if text in before else f"**{escape(text)}**" for text in now]
    return {"before": _Verbatim(" ".join(removed)), "now": _Verbatim(" ".join(marked))}


def _slug(text: str) -> str:
    """The text in the form of a tag of the Hub.

    >>> _slug("NQ open (2019)")
    'nq-open-2019'
    """
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-") or "unnamed"


def _header(rows: Sequence[SnapshotRow], facts: SnapshotFacts, files: CardFiles) -> JsonObject:
    """The YAML header of the card."""
    return {
        "language": list(count_languages(rows)),
        **licence_header(row["licence"] for row in rows),
        "pretty_name": one_line(f"{facts.run.name} ({facts.run.round})"),
        "size_categories": [next((name for limit, name in _SIZES if len(rows) < limit), "1M<n<10M")],
        "source_datasets": [f"extended|other-{_slug(source)}" for source in count_values(rows, "source")],
        "task_categories": ["question-answering"],
        "tags": ["rag", "refusal", "selective-refusal", "abstention", "benchmark", "synthetic"],
        "configs": files.configs(),
    }


def _class_table(rows: Sequence[SnapshotRow]) -> dict[str, list[int]]:
    """Class → the number of rows of each intensity. All published classes are in it, so that gaps show."""
    counts = Counter((row["perturbation_class"], row["intensity"]) for row in rows)
    used_classes = (name for name, _ in counts)
    classes = sorted({*PUBLISHED_CLASSES, *used_classes}, key=taxonomy_place)
    return {name: [counts[name, str(intensity)] for intensity in Intensity] for name in classes}


def _behavior_table(rows: Sequence[SnapshotRow]) -> Mapping[str, tuple[list[str], int]]:
    """Expected behaviour → the classes in which it occurs, and the number of its rows."""
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        classes[row["expected_rag_behavior"]].add(row["perturbation_class"])
    counts = count_values(rows, "expected_rag_behavior")
    return {code: (sorted(classes[code]), number) for code, number in counts.items()}
