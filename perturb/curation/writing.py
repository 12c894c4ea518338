"""Writes a curated base set: JSON Lines of our form with a header line, and a manifest beside it."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from perturb.curation.base_sets import load_base_set
from perturb.curation.curation import Curation
from perturb.curation.jsonl import render
from perturb.curation.source_rows import Header
from perturb.errors import SourceError
from perturb.files.resources import digest
from perturb.files.text_files import writing_errors


def check_name(out: Path) -> None:
    """Raise `SourceError` unless a base set can have this name."""
    if out.suffix != ".jsonl":
        raise SourceError(f"{out}: a base set is JSON Lines: give it a name that ends in .jsonl")


def check_place(out: Path, force: bool = False) -> None:
    """Raise `SourceError` if it can be told before the reading that `out` cannot be written.

    A base set that is there already is only replaced with `force`.
    """
    if out.is_dir():
        raise SourceError(f"{out}: is a folder: give the name of a file in it")
    if out.exists() and not force:
        raise SourceError(f"{out}: already exists: choose another name, or give --force to replace it")
    above = next(folder for folder in out.absolute().parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise SourceError(f"{out}: cannot be written, because of {above}: choose another place")


def manifest_path(out: Path) -> Path:
    """Where the manifest of a base set lies."""
    return out.with_suffix(".manifest.json")


def write_base_set(curation: Curation, out: Path, code_version: str) -> str:
    """Write `out` and its manifest beside it, each whole or not at all; returns the digest of the instances.

    Raises `SourceError` if the folder cannot be written to.
    """
    text = render(Header(curation.name, curation.licence, curation.attribution), curation.instances)
    with writing_errors(out, SourceError):
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".curate-") as folder:
            base_set, manifest = Path(folder, out.name), Path(folder, manifest_path(out).name)
            base_set.write_text(text, encoding="utf-8")
            content_digest = load_base_set(base_set, form="jsonl").digest
            manifest.write_text(_manifest(curation, content_digest, code_version), encoding="utf-8")
            base_set.replace(out)
            manifest.replace(manifest_path(out))
    return content_digest


def _manifest(curation: Curation, content_digest: str, code_version: str) -> str:
    content = {
        "name": curation.name,
        "licence": curation.licence,
        "attribution": curation.attribution,
        "digest": content_digest,
        "recipe_digest": digest(curation.report["recipe"]),
        **curation.report,
        "code_version": code_version,
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
