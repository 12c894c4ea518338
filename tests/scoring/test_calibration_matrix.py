"""Maps across data sets: what is fitted where, and that a map does harm where confidence means something else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from perturb.metrics.bas import bas_score
from perturb.reports.bas_page import transfer_section
from perturb.scoring.confidence_report import ConfidenceOptions, Split, calibration_matrix
from perturb.scoring.confidence_table import read_confidence_tables
from tests.scoring.tables import Row, write_csv


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Overconfident on one data set, underconfident on the other; a second model knows one only."""
    rng = np.random.default_rng(4)
    rows: list[Row] = []
    for model, name, power in (("m", "over", 3.0), ("m", "under", 0.3), ("n", "over", 1.0)):
        for item, stated in enumerate(rng.uniform(0.05, 0.95, 400).round(2)):
            hit = int(rng.uniform() < stated**power)
            rows.append(
                {
                    "model": model,
                    "dataset": name,
                    "item_id": f"{name}{item}",
                    "is_correct": hit,
                    "confidence": stated,
                }
            )
    return write_csv(tmp_path / "t.csv", rows)


def test_every_data_set_is_scored_by_the_map_of_every_other(table: Path) -> None:
    groups = read_confidence_tables([table])
    found = calibration_matrix(groups, "isotonic", Split(), ConfidenceOptions(resamples=20))
    cells = {(one.fitted_on, one.scored_on): one for one in found}
    assert {one.model for one in found} == {"m"}
    assert [(key, one.before.n) for key, one in cells.items()] == [
        (("over", "over"), 200),
        (("over", "under"), 400),
        (("under", "over"), 400),
        (("under", "under"), 200),
    ]
    over, under = groups[:2]
    fitted = IsotonicRegression(out_of_bounds="clip").fit(over.confidence, over.correct)
    expected = bas_score(under.correct, fitted.predict(under.confidence))
    assert cells["over", "under"].after.metrics["bas_uniform"].value == pytest.approx(expected)


def test_a_map_helps_where_it_was_fitted_and_harms_elsewhere(table: Path) -> None:
    """With Platt's map: an isotonic step that reaches 1 costs the overconfident set more than the map gains."""
    found = calibration_matrix(
        read_confidence_tables([table]), "platt", Split(), ConfidenceOptions(resamples=20)
    )
    gains = {(one.fitted_on, one.scored_on): one.gain.value or 0.0 for one in found}
    assert min(gains["over", "over"], gains["under", "under"]) > 0
    assert max(gains["over", "under"], gains["under", "over"]) < 0
    assert transfer_section(found).figures[0].drawing.svg
