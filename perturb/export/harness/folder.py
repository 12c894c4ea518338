"""The harness files of a snapshot as a whole: made, written, listed and checked.

eval.yaml                          what Inspect runs from the Hub
harness/inspect_task.py            Inspect
harness/lm_eval/                   lm-evaluation-harness
harness/lighteval_task.py          lighteval
harness/data/<digest of prompts>/  the prompts, a parquet file for each split
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.catalogue import Catalogue
from perturb.classes import ClassEntry
from perturb.export.card import one_line
from perturb.export.harness.files import task_files, task_paths
from perturb.export.harness.prompts import PromptSet, check_prompts, make_prompts, prompt_paths, write_prompts
from perturb.export.snapshot_rows import SnapshotRow


@dataclass(frozen=True, slots=True)
class HarnessFiles:
    """What is written for other harnesses; nothing at all where no row can be evaluated."""

    prompts: PromptSet
    texts: Mapping[str, str]
    """Path of each task file -> its text."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, relative to the snapshot's folder."""
        return (*self.texts, *self.prompts.paths.values())

    def write(self, folder: Path) -> dict[str, Any] | None:
        """Write the files into a snapshot and return what its manifest says of them."""
        if not self.texts:
            return None
        write_prompts(folder, self.prompts)
        for path, text in self.texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        return self.prompts.entry()


def make_harness(rows: Sequence[SnapshotRow], title: str, classes: Sequence[ClassEntry] = ()) -> HarnessFiles:
    """The files for `rows`; `title` names the data set, and `classes` are a user's own."""
    catalogue = Catalogue.load().with_classes(classes)
    prompts = make_prompts(rows, catalogue)
    files = task_files(prompts, one_line(title), catalogue.codes) if prompts.splits else {}
    return HarnessFiles(prompts, files)


def harness_paths(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that a manifest's entry `harness` calls for; none for rows that no evaluation takes."""
    entry = manifest["harness"]
    if entry is None:
        return ()
    splits = list(entry["rows"])
    return (*task_paths(splits), *prompt_paths(entry["digest"], splits).values())


def check_harness(
    folder: Path, manifest: Mapping[str, Any], rows: Sequence[SnapshotRow], classes: Sequence[ClassEntry] = ()
) -> list[str]:
    """Compare the prompts with the rows; returns the problems. The task files are compared by their digests only."""
    entry = manifest["harness"]
    if entry is None:
        return []
    return check_prompts(folder, entry, make_prompts(rows, Catalogue.load().with_classes(classes)))
