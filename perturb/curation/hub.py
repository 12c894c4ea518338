"""Reads rows of data sets on the Hugging Face Hub, or of a local folder that `datasets` can load.

`licence_header` gives the licence fields of a card. Only this module of the package imports `datasets`, and only when
it is needed, since the import takes seconds.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Self

from perturb.curation.source_rows import Header, SourceRow, check_columns
from perturb.errors import SourceError
from perturb.files.tables import plain_value
from perturb.text.wording import ENGLISH

PREFIX = "hub:"
"""The prefix of a source on the Hub: `hub:OWNER/NAME` or `hub:OWNER/NAME@REVISION`."""
TIMEOUT = 10
"""If the Hub does not answer within this number of seconds, it counts as out of reach."""

_DEFAULT_ENDPOINT = "https://huggingface.co"
# The values of a variable that switch it on, as the client of the Hub reads them.
_ON = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True)
class HubSource:
    """The name of a data set, and the part of it that is read."""

    name: str
    """`OWNER/NAME`, or the path of a local folder."""
    revision: str | None = None
    """A branch, a tag or a commit; None for the newest commit of the main branch."""
    subset: str | None = None
    """The configuration, for a data set with several configurations."""
    split: str | None = None
    """The split, which is needed if there are several."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Our field → the column with another name, see `SourceRow.of_table`."""

    @classmethod
    def named(
        cls, source: str, subset: str | None, split: str | None, columns: Mapping[str, str] | None = None
    ) -> Self:
        """The part of `hub:OWNER/NAME[@REVISION]`, with the prefix or without it. Raises `SourceError`.

        >>> HubSource.named("hub:owner/name@v1", None, "test").revision
        'v1'
        """
        name, _, revision = source.removeprefix(PREFIX).partition("@")
        if not name:
            raise SourceError(f"'{source}' names no data set: write {PREFIX}OWNER/NAME")
        return cls(name, revision or None, subset, split, columns or {})

    @property
    def folder(self) -> Path | None:
        """The local folder if the name is the path of a folder; None otherwise."""
        path = Path(self.name)
        return path if path.is_dir() else None


@dataclass(frozen=True, slots=True)
class HubRows:
    """The rows of a data set, read one by one, with its revision and licence."""

    rows: Iterator[SourceRow]
    revision: str | None
    """The commit that is read; None if the Hub does not name it."""
    licence: str | None
    """The licence that its card states."""


def open_hub(source: HubSource, language: str = ENGLISH) -> HubRows:
    """Begin to read a data set. Rows that state no language are in `language`.

    Raises `SourceError` at once if the Hub is switched off or out of reach, and if the data set, the split or a column
    does not exist.
    """
    commit = licence = None
    if source.folder is None:
        commit, licence = _ask_hub(source)
    # The download counter would be a further request. The client of the Hub gets the same time-outs as our own request,
    # for its question about a file (ETAG) and for the download.
    os.environ.setdefault("HF_UPDATE_DOWNLOAD_COUNTS", "0")
    os.environ.setdefault("HF_HUB_ETAG_TIMEOUT", str(TIMEOUT))
    os.environ.setdefault("HF_HUB_DOWNLOAD_TIMEOUT", str(TIMEOUT))
    import datasets

    revision = commit or source.revision
    failures = (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError)
    try:
        split = source.split or _only_split(source, revision)
        # Streamed, because the cache of `datasets` goes by name and may hold rows of an older copy.
        loaded = datasets.load_dataset(
            source.name, source.subset, split=split, revision=revision, streaming=True
        )
        later_rows = iter(loaded)
        # The first row is read at once, so that errors of loading appear here and not in the middle of the work.
        first_row = next(later_rows, None)
    except failures as error:
        raise _loading_error(source, error) from error
    if first_row is None:
        raise SourceError(f"{source.name}: split '{split}' holds no rows: choose another split")
    check_columns(Path(source.name), first_row, source.columns)
    header = Header(Path(source.name).name, language=language)

    def rows() -> Iterator[SourceRow]:
        try:
            for number, row in enumerate(chain([first_row], later_rows), start=1):
                cells = {str(name): plain_value(cell) for name, cell in row.items()}
                yield SourceRow.of_table(Path(source.name), number, cells, header, source.columns)
        except failures as error:
            raise _loading_error(source, error) from error

    return HubRows(rows(), revision, licence)


def _ask_hub(source: HubSource) -> tuple[str | None, str | None]:
    """The commit and the licence of a data set. The request also shows early whether the Hub can be reached.

    If the Hub refuses (a private set, an unknown name), both are None. Then `datasets` tries with the user's token.
    """
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        if os.environ.get(name, "").lower() in _ON:
            raise SourceError(
                f"{source.name}: {name} is set, so the Hub is not asked: unset it, or give a file"
            )
    # Mirrors of the Hub have the same interface.
    endpoint = os.environ.get("HF_ENDPOINT") or _DEFAULT_ENDPOINT
    if not endpoint.startswith(("https://", "http://")):
        raise SourceError(f"HF_ENDPOINT: '{endpoint}' is not an address: begin it with https://")
    address = f"{endpoint.rstrip('/')}/api/datasets/{urllib.parse.quote(source.name)}"
    if source.revision:
        address += f"/revision/{urllib.parse.quote(source.revision, safe='')}"
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as answer:  # noqa: S310 - the scheme is checked
            description = json.loads(answer.read())
    except urllib.error.HTTPError as error:
        error.close()
        return None, None
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", error))
        raise SourceError(
            f"{source.name}: the Hub is out of reach ({reason}): check the network, or give a file"
        ) from error
    if not isinstance(description, dict):
        return None, None
    card = description.get("cardData")
    licence = card.get("license") if isinstance(card, dict) else None
    return _text(description.get("sha")), _text(licence)


def _text(value: Any) -> str | None:
    """The value if it is a text that is not empty. A card may hold anything."""
    return value if isinstance(value, str) and value else None


def _only_split(source: HubSource, revision: str | None) -> str:
    """The split of a data set that has a single one. Raises `SourceError` if there are several."""
    import datasets

    names = datasets.get_dataset_split_names(source.name, source.subset, revision=revision)
    if len(names) != 1:
        raise SourceError(f"{source.name}: has the splits {', '.join(names)}: choose one with --split")
    return str(names[0])


def _loading_error(source: HubSource, error: Exception) -> SourceError:
    reason = " ".join(str(error).split())[:300]
    return SourceError(
        f"{source.name}: cannot be loaded ({reason}): check name, revision, --subset and --split"
    )


# Groups of licences by the Hub's identifiers, from the most permissive to the strictest: public domain, attribution,
# share alike, no derivatives, non-commercial, and combinations of these.
_STRICTNESS = (
    "cc0-1.0 pddl unlicense wtfpl",
    "mit apache-2.0 bsd-2-clause bsd-3-clause isc ms-pl odc-by c-uda cdla-permissive-1.0 cdla-permissive-2.0"
    " cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0",
    "cdla-sharing-1.0 odbl gfdl gpl-2.0 gpl-3.0 lgpl-3.0 agpl-3.0 cc-by-sa-3.0 cc-by-sa-4.0",
    "cc-by-nd-4.0",
    "cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0",
    "cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0",
    "cc-by-nc-nd-3.0 cc-by-nc-nd-4.0",
)
_RANKS = {licence: rank for rank, group in enumerate(_STRICTNESS) for licence in group.split()}
# Other spelling → the Hub's identifier.
_ALIASES = {
    "apache": "apache-2.0",
    "apache-2": "apache-2.0",
    "apache-license-2.0": "apache-2.0",
    "cc0": "cc0-1.0",
    "mit-license": "mit",
    "odc-by-1.0": "odc-by",
    "odbl-1.0": "odbl",
}


def hub_licence(licence: str) -> str | None:
    """The Hub's identifier for a licence; None if it has none, or one that is not listed here.

    >>> hub_licence("CC BY-SA 4.0"), hub_licence("House rules")
    ('cc-by-sa-4.0', None)
    """
    slug = _slug(licence)
    slug = _ALIASES.get(slug, slug)
    return slug if slug in _RANKS else None


def licence_header(licences: Iterable[str | None]) -> dict[str, str]:
    """The licence fields of a card's YAML header for rows under these licences.

    The strictest licence counts, and among equals the newest version. A licence that the Hub does not know cannot be
    ranked: the result is then `other`, with all licences in the name. It is `other` too if some rows have no licence,
    and `unknown` if no row has one.

    >>> licence_header(["MIT", "CC-BY-SA-3.0"])
    {'license': 'cc-by-sa-3.0'}
    >>> licence_header(["House rules", None])
    {'license': 'other', 'license_name': 'house-rules-and-unstated'}
    """
    wordings = set(licences)
    if wordings == {None}:
        return {"license": "unknown"}
    identifiers = {hub_licence(licence) for licence in wordings if licence is not None}
    if None in identifiers or None in wordings:
        names = sorted({_slug(licence) or "unnamed" for licence in wordings if licence is not None})
        if None in wordings:
            names.append("unstated")
        return {"license": "other", "license_name": "-and-".join(names)}
    return {"license": max(filter(None, identifiers), key=lambda licence: (_RANKS[licence], licence))}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
