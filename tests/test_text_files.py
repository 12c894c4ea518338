from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perturb.auditing.judged_replies import JudgedReply
from perturb.auditing.review_exports import read_sheet
from perturb.config import load_config
from perturb.errors import ConfigError, PerturbError, SourceError
from perturb.evaluation.question_formats import Question
from perturb.files.resources import read_text
from perturb.scoring.confidence_table import load_maps
from perturb.scoring.round_comparison import read_scores

REPLY = JudgedReply(1, "grade", "m", Question("q", "Who?", ("Ada",)), "Ada", "judge", {})


@pytest.mark.parametrize(
    "read", [load_config, load_maps, read_scores, lambda path: read_sheet(path, [REPLY])]
)
def test_a_file_without_end_is_refused_by_all_that_read_whole_files(read: Callable[[Path], Any]) -> None:
    with pytest.raises(
        PerturbError, match=r"^/dev/zero: has more than 16,777,216 bytes: name the right file$"
    ):
        read(Path("/dev/zero"))


def test_text_is_read_without_its_mark(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text("\ufeffäß", encoding="utf-8")
    assert read_text(tmp_path / "sheet.csv", SourceError) == "äß"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "no such file: check the path"),
        (b"a\xff", "not UTF-8 text at byte 1: save the file as UTF-8"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, content: bytes | None, complaint: str) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_text(path, ConfigError)
    assert str(caught.value) == f"{path}: {complaint}"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r": is a folder: name the file in it$"):
        read_text(tmp_path, SourceError)
