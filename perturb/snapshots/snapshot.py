"""The snapshot folder: write one, read one, and check one against its manifest (spec, section 6).

README.md                        the data set card; its header names the data files
data/<content digest>/test.parquet
manifest.json                    the origin of the rows, and a digest of every file and row
build.yaml                       the configuration, redacted
croissant.json                   the metadata in the Croissant format
eval.yaml, harness/              prompts and task files for other harnesses

Rows of both layouts make two parts, `nq` and `garage`, each in its own folder. `test.parquet` then has the rows of
both, with null for a column that a row does not have.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from perturb.catalogue.classes import ClassEntry, read_classes
from perturb.errors import SnapshotError
from perturb.files.resources import RowSelection, atomic_directory, digest
from perturb.records import Facts, JsonObject
from perturb.snapshots.card import CardFiles, SnapshotFacts, render_card
from perturb.snapshots.croissant import CROISSANT, describe_snapshot, render_croissant
from perturb.snapshots.harness_files import check_harness, harness_paths, make_harness
from perturb.snapshots.items import check_controls, control_paths, write_controls
from perturb.snapshots.manifest import (
    CARD,
    MANIFEST,
    counts_of,
    manifest_of,
    parse_manifest,
    render_manifest,
    states_digest,
    with_digest,
)
from perturb.snapshots.rows import (
    DEFAULT,
    Column,
    Parts,
    SnapshotRow,
    all_columns,
    columns_of,
    data_paths,
    part_rows,
    read_part,
    read_rows_of,
    row_digest,
    schema_of,
    whole_path,
    write_part,
    write_rows,
)
from perturb.text.wording import counted, html_table

if TYPE_CHECKING:
    import datasets
    import pandas

# Number of rows in the display of a notebook.
_NOTEBOOK_ROWS = 5
# Number of rows among which the card looks for an example.
_EXAMPLES = 200
# The configuration of the run, redacted.
_CONFIG = "build.yaml"
# The replies that gave the rows, if they were published too.
REPLIES = "replies.jsonl.gz"
# Files that a download from the Hub adds to a snapshot.
_LEFT_BY_THE_HUB = (".gitattributes", ".cache")
# The columns that are counted or digested; an outline of a row has the values of these alone.
_OUTLINE_COLUMNS = (
    "id",
    "generator_model",
    "perturbation_class",
    "intensity",
    "expected_rag_behavior",
    "licence",
    "source",
    "language",
    "row_digest",
)


@dataclass(frozen=True, slots=True, repr=False)
class Snapshot:
    """A snapshot folder and its manifest."""

    folder: Path
    manifest: Facts

    @property
    def content_digest(self) -> str:
        """The digest of the rows, their fields and their order."""
        return str(self.manifest["content_digest"])

    @property
    def classes(self) -> tuple[ClassEntry, ...]:
        """The user's own classes that the rows have."""
        return read_classes(self.manifest.get("classes", ()))

    @property
    def configs(self) -> tuple[str, ...]:
        """The names under which `datasets` loads the parts: one, or `nq` and `garage`."""
        return tuple(self.manifest["configs"])

    @property
    def data_files(self) -> dict[str, Path]:
        """Name of each part → the parquet file with its rows."""
        return self._in_folder(data_paths(self.content_digest, self.configs))

    @property
    def data_file(self) -> Path:
        """The first of the parquet files; it is the only one unless the snapshot has two parts."""
        return next(iter(self.data_files.values()))

    @property
    def whole_file(self) -> Path | None:
        """The parquet file that `datasets` loads without a name: all rows, with the columns of all parts.

        None for an old snapshot of two parts, which does not have this file.
        """
        path = whole_path(self.content_digest)
        listed = any(entry["path"] == path for entry in self.manifest["files"])
        return self.folder / path if listed else None

    @property
    def control_files(self) -> dict[str, Path]:
        """Name of each set of control rows → its parquet file; empty unless control rows were exported."""
        if not self.manifest["controls"]:
            return {}
        return self._in_folder(control_paths(self.content_digest, self.configs))

    def _in_folder(self, paths: Mapping[str, str]) -> dict[str, Path]:
        return {name: self.folder / path for name, path in paths.items()}

    def read_controls(self) -> tuple[SnapshotRow, ...]:
        """The control rows, if there are any; raises `SnapshotError` as `read_rows` does."""
        return _read_files(self.control_files)

    def read_rows(self) -> tuple[SnapshotRow, ...]:
        """The rows of all parts, in the order of the manifest.

        Raises `SnapshotError` if a data file is missing or damaged.
        """
        return _read_files(self.data_files)

    def check(self) -> tuple[str, ...]:
        """The differences from the manifest, one line for each; empty if there are none. See `check_snapshot`."""
        return check_snapshot(self.folder)

    def to_pandas(self, config: str | None = None) -> pandas.DataFrame:
        """The rows as a data frame: all of them, or those of the part `config` (`nq` or `garage`)."""
        frame: pandas.DataFrame = read_part(self._file_of_part(config)).to_pandas()
        return frame

    def to_dataset(self, config: str | None = None) -> datasets.Dataset:
        """The rows as `datasets` loads them from the Hub; `config` as in `to_pandas`."""
        import datasets

        return datasets.Dataset(read_part(self._file_of_part(config)))

    def _file_of_part(self, config: str | None) -> Path:
        files = {DEFAULT: self.whole_file, **self.data_files}
        if (file := files.get(config or DEFAULT)) is None:
            names = ", ".join(name for name, path in files.items() if path)
            raise SnapshotError(f"{self.folder} has the parts {names}: name one of them")
        return file

    def __repr__(self) -> str:
        return f"Snapshot({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        counts = self.manifest["counts"]
        title = f"Snapshot {self.manifest['name']}, round {self.manifest['round']}: {counted(counts['rows'], 'item')}"
        columns = ("perturbation_class", "intensity", "perturbed_query", "expected_rag_behavior")
        rows = [[row.get(name, "") for name in columns] for row in self.read_rows()[:_NOTEBOOK_ROWS]]
        return html_table(title, columns, rows, [f"{self.folder}, content digest {self.content_digest}"])


def _read_files(files: Mapping[str, Path]) -> tuple[SnapshotRow, ...]:
    return tuple(row for file in files.values() for row in read_part(file).to_pylist())


def write_snapshot(
    folder: Path,
    rows: Sequence[SnapshotRow],
    facts: SnapshotFacts,
    config_text: str,
    controls: Sequence[SnapshotRow] = (),
) -> Snapshot:
    """Write `rows` (from `build_rows`) as a snapshot and return it.

    The folder appears complete or not at all; an existing snapshot is replaced with all its files. The same rows, in
    any order, give the same data file, byte for byte, with the same version of pyarrow. `config_text` is stored
    unchanged: redact it first. `controls` (from `build_controls`, one for each row) are stored beside the rows and not
    counted.

    Raises `SnapshotError` if there are no rows, if ids repeat, or if `folder` exists and is not a snapshot.
    """
    if not rows:
        raise SnapshotError(
            f"{folder}: no snapshot is written, because no accepted item was selected and an empty split cannot "
            "be loaded: see the run's status for what rejected the candidates, then add base instances, cells or "
            "generators"
        )
    parts = part_rows(rows)
    # Rows may be spooled to disk, since their texts can be larger than the memory. Counts and digests need no texts.
    outlines = {name: [_outline(row) for row in part] for name, part in parts.items()}
    _refuse_repeated_ids(folder, outlines)
    _refuse_foreign(folder.resolve())
    ordered_rows = RowSelection(rows, [position for part in parts.values() for position in part.positions])
    with atomic_directory(folder) as workspace:
        _write_text(workspace / _CONFIG, config_text)
        _write_content(workspace, parts, ordered_rows, outlines, facts, controls)
    return read_snapshot(folder)


def _write_content(
    workspace: Path,
    parts: Parts,
    ordered_rows: Sequence[SnapshotRow],
    outlines: Parts,
    facts: SnapshotFacts,
    controls: Sequence[SnapshotRow],
) -> None:
    """Write the rows, what is made from them, and the descriptions of all files, build.yaml included.

    `ordered_rows` are the rows of all parts, and `outlines` are the rows of each part without their texts.
    """
    names, digest_of_rows = list(parts), content_digest(outlines)
    manifest = manifest_of(outlines, facts, digest_of_rows)
    data_files = _write_data(workspace, parts, ordered_rows, digest_of_rows)
    control_files = control_paths(digest_of_rows, names) if controls else {}
    if controls:
        manifest["controls"] = write_controls(workspace, digest_of_rows, names, controls)
    harness = make_harness(ordered_rows, facts.run.name, facts.run.classes)
    manifest["harness"] = harness.write(workspace)
    card = render_card(
        list(chain.from_iterable(outlines.values())),
        facts,
        digest_of_rows,
        CardFiles(data_files, control_files, harness.prompts.paths),
        islice(ordered_rows, _EXAMPLES),
    )
    paths = [_CONFIG, *(data_files[name] for name in names), data_files[DEFAULT], *control_files.values()]
    # A single part is also the whole file, which must be listed once.
    files = [_describe_file(workspace, path) for path in dict.fromkeys([*paths, *harness.paths])]
    columns = {name: columns_of(part[0]) for name, part in parts.items()}
    _write_descriptions(workspace, {**manifest, "files": files}, columns, card)


def _write_data(
    workspace: Path, parts: Parts, ordered_rows: Sequence[SnapshotRow], digest_of_rows: str
) -> dict[str, str]:
    """Write the parquet files of the parts and of all rows. Returns their paths by configuration name."""
    # Paths hold the digest, since `datasets` caches by path: a new round must not be taken for the old one.
    part_paths, whole_file = data_paths(digest_of_rows, list(parts)), whole_path(digest_of_rows)
    for name, part in parts.items():
        write_part(workspace / part_paths[name], part)
    if len(parts) > 1:  # the file of a single part is the whole file
        # All rows of a part have the columns of its first.
        columns = all_columns(part[0] for part in parts.values())
        write_rows(workspace / whole_file, ordered_rows, schema_of(columns))
    return {DEFAULT: whole_file, **part_paths}


def _refuse_repeated_ids(folder: Path, outlines: Parts) -> None:
    ids = sorted(str(outline["id"]) for outline in chain.from_iterable(outlines.values()))
    for row_id, next_id in pairwise(ids):
        if row_id == next_id:
            raise SnapshotError(f"{folder}: two rows have the id '{row_id}': select each item once")


def _refuse_foreign(folder: Path) -> None:
    """Raise `SnapshotError` if the folder has files and is not a snapshot, so it must not be replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        read_snapshot(folder)
    except SnapshotError:
        raise SnapshotError(
            f"{folder} exists and is not a snapshot: nothing was written; give a new or empty folder, or move it away"
        ) from None


def _write_descriptions(
    workspace: Path, manifest: JsonObject, columns: Mapping[str, Sequence[Column]], card: str
) -> None:
    """Write croissant.json, the card and the manifest, which describe the files of `manifest`.

    croissant.json lists these files. The card states the digest of the manifest, which therefore must not cover the
    card. Then the manifest lists all files, the card included.
    """
    _write_text(workspace / CROISSANT, render_croissant(describe_snapshot(manifest, columns)))
    files = [*manifest["files"], _describe_file(workspace, CROISSANT)]
    manifest["files"] = [{"path": CARD}, *files]
    _write_text(workspace / CARD, with_digest(card, manifest))
    manifest["files"] = [_describe_file(workspace, CARD), *files]
    _write_text(workspace / MANIFEST, render_manifest(manifest))


def _outline(row: SnapshotRow) -> SnapshotRow:
    """The row without its texts: the names of all fields, and the values that are counted."""
    return {name: value if name in _OUTLINE_COLUMNS else None for name, value in row.items()}


def content_digest(parts: Parts) -> str:
    """Digest of the rows in their order and of their fields' names (32 hexadecimal digits)."""
    layouts = [[column.name for column in columns_of(rows[0])] for rows in parts.values()]
    row_digests = [row["row_digest"] for row in chain.from_iterable(parts.values())]
    return digest(*layouts, row_digests, length=32)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _describe_file(folder: Path, path: str) -> JsonObject:
    with (folder / path).open("rb") as file:
        return {"path": path, "sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": file.tell()}


def read_snapshot(folder: Path) -> Snapshot:
    """Open a snapshot without reading its rows.

    Raises `SnapshotError` if `folder` has no manifest that this version can read.
    """
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        inside = folder / "snapshot"
        advice = "check the path, or make one with 'perturb export'"
        if (inside / MANIFEST).is_file():
            advice = f"give {inside}"
        elif (folder / "results.jsonl").is_file():
            advice = f"it is an evaluation: to compare models, run 'perturb score {folder}'"
        raise SnapshotError(f"{folder} is not a snapshot: it has no readable {MANIFEST}: {advice}") from None
    except ValueError as error:
        raise SnapshotError(f"{path} cannot be read ({error}): restore it, or export the run again") from None
    return Snapshot(folder, parse_manifest(text, path))


def check_snapshot(folder: Path) -> tuple[str, ...]:
    """Compare a snapshot with its manifest; return the problems, one line for each, or nothing if it is valid.

    Files and rows are compared with their digests, and the rows are counted again. This finds damage and edits, but not
    a forgery with a new manifest.
    """
    try:
        snapshot = read_snapshot(folder)
    except SnapshotError as error:
        return (str(error),)
    problems = _check_files(snapshot)
    paths = data_paths(snapshot.content_digest, snapshot.configs)
    try:
        parts = {name: read_rows_of(folder, path, name) for name, path in paths.items()}
    except SnapshotError as error:
        return (*problems, str(error))
    rows = list(chain.from_iterable(parts.values()))
    row_problems = _check_rows(rows, parts, snapshot.manifest)
    if len(parts) > 1:
        row_problems += _check_whole_file(snapshot, rows)
    problems += row_problems
    if snapshot.control_files:
        problems += check_controls(folder, snapshot.manifest, rows)
    # The harness is made from the rows: with other rows, all its files would differ too.
    if not row_problems:
        problems += check_harness(folder, snapshot.manifest, rows, snapshot.classes)
    return tuple(problems)


def _check_files(snapshot: Snapshot) -> list[str]:
    """Compare the files with their digests in the manifest, and with the files that a snapshot must have."""
    folder, manifest = snapshot.folder, snapshot.manifest
    entries = {entry["path"]: entry for entry in manifest["files"]}
    data_files = (*snapshot.data_files.values(), *snapshot.control_files.values())
    expected = {CARD, _CONFIG, *harness_paths(manifest)}
    expected |= {file.relative_to(folder).as_posix() for file in data_files}
    # Older snapshots have neither of these.
    expected |= {CROISSANT, whole_path(snapshot.content_digest)} & set(entries)
    problems = []
    if set(entries) != expected or len(entries) < len(manifest["files"]):
        problems.append(f"{MANIFEST}: 'files' does not list exactly {', '.join(sorted(expected))}")
    for path in sorted(expected & set(entries)):
        if not (folder / path).is_file():
            problems.append(f"{path}: missing")
        elif _describe_file(folder, path) != entries[path]:
            problems.append(f"{path}: differs from the file that was written")
        elif path == CARD and not states_digest((folder / CARD).read_text("utf-8", "replace"), manifest):
            problems.append(f"{MANIFEST}: differs from the one whose digest {CARD} states")
    if (folder / MANIFEST).read_bytes() != render_manifest(manifest).encode("utf-8", "surrogatepass"):
        problems.append(f"{MANIFEST}: is not laid out as it was written")
    # Replies are published beside a snapshot, but need not be downloaded with it.
    optional = {REPLIES} if manifest.get("replies") else set()
    return [*problems, *_foreign_files(folder, expected | {MANIFEST} | optional)]


def _foreign_files(folder: Path, own_files: set[str]) -> Iterator[str]:
    """A line for each file, folder or link in a snapshot that does not belong to it."""
    own_paths = own_files | {str(parent) for file in own_files for parent in PurePosixPath(file).parents}
    for parent_folder, folders, files in os.walk(folder):
        parent = PurePosixPath(parent_folder).relative_to(folder)
        paths = {name: str(parent / name) for name in sorted([*folders, *files])}
        for path in paths.values():
            printable = path if path.isprintable() else ascii(path)
            if (folder / path).is_symlink():
                yield f"{printable}: a link"
            elif path not in own_paths and path not in _LEFT_BY_THE_HUB:
                yield f"{printable}: not part of the snapshot"
        # `os.walk` goes only into the folders that are left in the list: a foreign folder counts once
        folders[:] = [name for name in folders if paths[name] in own_paths]


def _check_rows(rows: Sequence[SnapshotRow], parts: Parts, manifest: Facts) -> list[str]:
    """Compare the rows with their digests and with the counts in the manifest."""
    problems = [
        f"row {number} (id {row['id']!r}): its content does not match its digest"
        for number, row in enumerate(rows)
        if row["row_digest"] != row_digest(row)
    ]
    if [row["row_digest"] for row in rows] != manifest["row_digests"]:
        problems.append(f"the rows or their order differ from 'row_digests' in {MANIFEST}")
    if not all(parts.values()) or content_digest(parts) != manifest["content_digest"]:
        problems.append(f"the rows do not give the 'content_digest' of {MANIFEST}")
    for name, value in counts_of(parts).items():
        if manifest["counts"][name] != value:
            problems.append(f"{MANIFEST}: counts of {name} differ from the rows")
    return problems


def _check_whole_file(snapshot: Snapshot, rows: Sequence[SnapshotRow]) -> list[str]:
    """The problem with the file of all rows if it does not have exactly the rows of both parts."""
    if snapshot.whole_file is None:
        return []
    try:
        whole_rows = read_part(snapshot.whole_file).to_pylist()
    except SnapshotError as error:
        return [str(error)]
    names = [column.name for column in all_columns(rows)]
    if whole_rows == [{name: row.get(name) for name in names} for row in rows]:
        return []
    return [
        f"{whole_path(snapshot.content_digest)}: its rows are not those of {' and '.join(snapshot.configs)}"
    ]
