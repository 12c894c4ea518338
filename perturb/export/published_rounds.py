"""What the manifests of published rounds say of each other: their list, and whether two are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perturb.export.manifest import CARD
from perturb.export.snapshot import REPLIES


def round_entry(tag: str, manifest: Mapping[str, Any], former: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the list of rounds; `changed` names what went in and is not as it was before."""
    old, new = former.get("digests", {}), manifest["digests"]
    changed = [name for name in sorted(new) if old and old.get(name) != new[name]]
    if former and _names(former) != _names(manifest):
        changed.append("generators")
    return {
        "round": manifest["round"],
        "tag": tag,
        "created": manifest["created"],
        "rows": manifest["counts"]["rows"],
        "content_digest": manifest["content_digest"],
        "changed": changed,
    }


def config_names(manifest: Mapping[str, Any]) -> list[str]:
    """The configurations of a published round, controls and prompts included."""
    beside = (manifest.get("controls") or {}).get("configs", ())
    prompts = (manifest.get("harness") or {}).get("config")
    return [*manifest.get("configs", ()), *beside, *([prompts] if prompts else [])]


def _names(manifest: Mapping[str, Any]) -> list[Any]:
    return [(entry.get("name"), entry.get("model")) for entry in manifest.get("generators", ())]


def paths(manifest: Mapping[str, Any]) -> set[str]:
    """The files that a manifest lists, and the replies that may lie beside them."""
    return {*(str(entry["path"]) for entry in manifest.get("files", ())), *([REPLIES] if manifest else [])}


def identity(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What makes two published rounds the same: every file but the card, which is merged."""
    files = manifest.get("files", ())
    return sorted((entry["path"], entry["sha256"]) for entry in files if entry["path"] != CARD)
