"""Control rows: the unperturbed original of each row, to see what the perturbation alone does to a model.

They lie beside the rows, under configuration names of their own, and count nowhere. A control has the id of its row
with `-control` after it, the intensity NONE, and must be answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perturb.errors import SnapshotError
from perturb.export.parts import part_rows, read_rows_of, write_part
from perturb.export.snapshot_rows import AcceptedItem, SnapshotRow, build_rows, row_digest, seal
from perturb.records import ANSWER_CORRECTLY, NO_INTENSITY, Candidate
from perturb.spool import Spool
from perturb.wording import counted

SUFFIX = "-control"
"""What the id of a control has after the id of its row."""
_GENERATOR, _LEVER = "original", "unperturbed"


def build_controls(items: Iterable[AcceptedItem], round_name: str, panel: str) -> Sequence[SnapshotRow]:
    """The control row of each item, laid out as its row is."""
    originals = (AcceptedItem(item.instance, _unperturbed(item), ()) for item in items)
    rows = build_rows(originals, round_name, panel)
    return Spool(seal({**row, "intensity": NO_INTENSITY}) for row in rows)


def control_names(configs: Sequence[str]) -> dict[str, str]:
    """Configuration name of the controls -> that of the rows they belong to.

    >>> control_names(["default"]), control_names(["nq", "garage"])
    ({'controls': 'default'}, {'nq-controls': 'nq', 'garage-controls': 'garage'})
    """
    if len(configs) == 1:
        return {"controls": configs[0]}
    return {f"{name}-controls": name for name in configs}


def control_paths(content_digest: str, configs: Sequence[str]) -> dict[str, str]:
    """Configuration name of the controls -> their file, relative to the snapshot's folder."""
    return {name: f"data/{content_digest}/{name}/test.parquet" for name in control_names(configs)}


def write_controls(
    folder: Path, content_digest: str, configs: Sequence[str], controls: Sequence[SnapshotRow]
) -> dict[str, Any]:
    """Write the control rows into a snapshot and return what its manifest says of them."""
    parts = part_rows(controls)
    paths = control_paths(content_digest, configs)
    for name, of in control_names(configs).items():
        write_part(folder / paths[name], parts[of])
    return {
        "rows": len(controls),
        "configs": list(paths),
        "row_digests": [row["row_digest"] for of in configs for row in parts[of]],
    }


def check_controls(
    folder: Path, manifest: Mapping[str, Any], configs: Sequence[str], rows: Sequence[SnapshotRow]
) -> list[str]:
    """Compare the controls with the manifest and with the rows they belong to; returns the problems."""
    parts = control_names(configs)
    found: list[SnapshotRow] = []
    try:
        for name, path in control_paths(str(manifest["content_digest"]), configs).items():
            found += read_rows_of(folder, path, parts[name])
    except SnapshotError as error:
        return [str(error)]
    problems = []
    if manifest["controls"]["row_digests"] != [row["row_digest"] for row in found]:
        problems.append("the controls or their order differ from the manifest")
    pairs = {f"{row['id']}{SUFFIX}": row for row in rows}
    for row in found:
        pair = pairs.pop(row["id"], None)
        if row["row_digest"] != row_digest(row):
            problems.append(f"control {row['id']!r}: its content does not match its digest")
        elif pair is None or not _is_original(row, pair):
            problems.append(f"control {row['id']!r}: is not the original of a row of the snapshot")
    if pairs:
        problems.append(f"{counted(len(pairs), 'row')} without a control, the first is {next(iter(pairs))!r}")
    return problems


def _unperturbed(item: AcceptedItem) -> Candidate:
    return replace(
        item.candidate,
        id=f"{item.candidate.id}{SUFFIX}",
        generator=_GENERATOR,
        lever=_LEVER,
        query=item.instance.query,
        passages=item.instance.passages,
        reasoning="",
        stated={},
        expected_behavior=ANSWER_CORRECTLY,
    )


def _is_original(control: SnapshotRow, pair: SnapshotRow) -> bool:
    return (
        control["intensity"] == NO_INTENSITY
        and control["expected_rag_behavior"] == ANSWER_CORRECTLY
        and all(
            control[f"perturbed_{part}"] == control[f"original_{part}"] == pair[f"original_{part}"]
            for part in ("query", "context")
        )
    )
