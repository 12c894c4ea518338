"""Licence names as sources word them, as identifiers of the Hugging Face Hub."""

from __future__ import annotations

import re
from collections.abc import Iterable

_STRICTNESS: tuple[tuple[str, ...], ...] = (
    ("cc0-1.0", "pddl", "unlicense", "wtfpl"),
    (
        *("mit", "apache-2.0", "bsd-2-clause", "bsd-3-clause", "isc", "ms-pl", "odc-by", "c-uda"),
        *("cdla-permissive-1.0", "cdla-permissive-2.0"),
        *("cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0"),
    ),
    (
        *("cdla-sharing-1.0", "odbl", "gfdl", "gpl-2.0", "gpl-3.0", "lgpl-3.0", "agpl-3.0"),
        *("cc-by-sa-3.0", "cc-by-sa-4.0"),
    ),
    ("cc-by-nd-4.0",),
    ("cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0"),
    ("cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"),
    ("cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0"),
)
"""Identifiers by what they ask of a user, the least first."""

_RANKS = {licence: rank for rank, group in enumerate(_STRICTNESS) for licence in group}

_ALIASES = {
    "apache": "apache-2.0",
    "apache-2": "apache-2.0",
    "apache-license-2.0": "apache-2.0",
    "cc0": "cc0-1.0",
    "mit-license": "mit",
    "odc-by-1.0": "odc-by",
    "odbl-1.0": "odbl",
}


def hub_licence(stated: str) -> str | None:
    """The Hub's identifier for a licence, or None if it has none that we know.

    >>> hub_licence("CC BY-SA 4.0"), hub_licence("House rules")
    ('cc-by-sa-4.0', None)
    """
    slug = _slug(stated)
    slug = _ALIASES.get(slug, slug)
    return slug if slug in _RANKS else None


def licence_header(stated: Iterable[str | None]) -> dict[str, str]:
    """The licence fields of a card's YAML header for rows under the `stated` licences.

    The strictest wins, among equals the newest version. One that is unknown to the Hub cannot be ranked: it makes
    the whole `other`, with all licences in the name. Rows without a licence make it `other` too, or `unknown` if no
    row has one.

    >>> licence_header(["MIT", "CC-BY-SA-3.0"])
    {'license': 'cc-by-sa-3.0'}
    >>> licence_header(["House rules", None])
    {'license': 'other', 'license_name': 'house-rules-and-unstated'}
    """
    named = set(stated)
    if named == {None}:
        return {"license": "unknown"}
    known = {hub_licence(licence) for licence in named if licence is not None}
    if None in known or None in named:
        slugs = sorted({_slug(licence) or "unnamed" for licence in named if licence is not None})
        return {"license": "other", "license_name": "-and-".join(slugs + ["unstated"] * (None in named))}
    return {"license": max(filter(None, known), key=lambda licence: (_RANKS[licence], licence))}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
