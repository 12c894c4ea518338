"""The data set card: a YAML header that `datasets` and the Hub read, and a page that people read.

Everything put into the page is escaped as it is printed, so that a name can neither format nor forge a part of it.
Texts of the items themselves never reach the template.
"""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jinja2
import yaml

from perturb.export.facts import SnapshotFacts, count_licences, count_values
from perturb.export.licences import licence_header
from perturb.export.parts import PART_COLUMNS
from perturb.export.rows import SnapshotRow, columns_of
from perturb.records import Intensity, PerturbationClass
from perturb.resources import data_folder

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&$!@]|:(?=//))")


class _Verbatim(str):
    """Text of our own making that goes into the page as it is."""


def render_card(
    rows: Sequence[SnapshotRow],
    facts: SnapshotFacts,
    content_digest: str,
    data_paths: Mapping[str, str],
    control_paths: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The text of `README.md` for a snapshot.

    Its parts lie in the files `data_paths` (relative to the folder), its control rows, if any, in `control_paths`.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(data_folder("templates") / "card"),
        autoescape=False,  # noqa: S701 - the page is Markdown; `finalize` escapes it
        finalize=_escape,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _code
    return environment.get_template("README.md.j2").render(
        header=_Verbatim(
            yaml.safe_dump(
                _header(rows, facts, data_paths, control_paths), sort_keys=False, allow_unicode=True
            )
        ),
        facts=facts,
        n_rows=len(rows),
        made=count_values(rows, "generator_model"),
        intensities=list(Intensity),
        by_class=_class_table(rows),
        behaviors=_behavior_table(rows),
        columns=max((columns_of(row) for row in rows), key=len),
        parts={name: len([row for row in rows if _is_of(row, name)]) for name in data_paths},
        controls=list(control_paths),
        licences=count_licences(rows),
        sources=count_values(rows, "source"),
        canary=_Verbatim(canary(content_digest)),
        content_digest=content_digest,
    )


def canary(content_digest: str) -> str:
    """A GUID that stands for the content, to find the data set in training corpora.

    >>> canary("00ff") == canary("00ff") != canary("00fe")
    True
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"perturb:snapshot:{content_digest}"))


def one_line(text: str) -> str:
    """The text on one line, without control characters and marks that turn the direction of writing.

    >>> one_line(" a\\n---\\tb\\u202e ")
    'a --- b'
    """
    return " ".join("".join(" " if unicodedata.category(char)[0] == "C" else char for char in text).split())


def _escape(value: Any) -> str:
    """What a value looks like in the page: Markdown's special characters lose their meaning."""
    if isinstance(value, _Verbatim):
        return value
    return _MARKDOWN.sub(r"\\\1", one_line(str(value)))


def _code(text: str) -> _Verbatim:
    """The text as a span of code, which nothing in it can end."""
    return _Verbatim("`" + one_line(text).replace("`", "'").replace("|", r"\|") + "`")


def _slug(text: str) -> str:
    """The text as the Hub takes it in a tag.

    >>> _slug("NQ open (2019)")
    'nq-open-2019'
    """
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-") or "unnamed"


def _is_of(row: SnapshotRow, part: str) -> bool:
    return columns_of(row) is PART_COLUMNS[part]


def _header(
    rows: Sequence[SnapshotRow],
    facts: SnapshotFacts,
    data_paths: Mapping[str, str],
    control_paths: Mapping[str, str],
) -> dict[str, Any]:
    # with control rows beside a single part, the part is what loads without a name
    main = {"default": True} if control_paths and len(data_paths) == 1 else {}
    return {
        "language": ["en"],
        **licence_header(row["licence"] for row in rows),
        "pretty_name": one_line(f"{facts.name} ({facts.round})"),
        "size_categories": [next((name for limit, name in _SIZES if len(rows) < limit), "1M<n<10M")],
        "source_datasets": [f"extended|other-{_slug(source)}" for source in count_values(rows, "source")],
        "task_categories": ["question-answering"],
        "tags": ["rag", "refusal", "selective-refusal", "abstention", "benchmark", "synthetic"],
        # datasets caches by configuration and not by content: the digest in the path makes new content new.
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": "test", "path": path}],
                **(main if name in data_paths else {}),
            }
            for name, path in {**data_paths, **control_paths}.items()
        ],
    }


def _class_table(rows: Sequence[SnapshotRow]) -> dict[str, list[int]]:
    """Counts by class, one number for each intensity; all classes, so that a gap is seen."""
    counts = Counter((row["perturbation_class"], row["intensity"]) for row in rows)
    return {str(c): [counts[str(c), str(i)] for i in Intensity] for c in PerturbationClass}


def _behavior_table(rows: Sequence[SnapshotRow]) -> Mapping[str, tuple[list[str], int]]:
    """For each expected behaviour: the classes it occurs in and the number of rows."""
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        classes[row["expected_rag_behavior"]].add(row["perturbation_class"])
    counts = count_values(rows, "expected_rag_behavior")
    return {code: (sorted(classes[code]), number) for code, number in counts.items()}
