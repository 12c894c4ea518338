"""Parts of answer quality, confusion at one intensity, domains: RefusalBench, figures 7, 20, 24, 26, 28 to 30."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from perturb.reports.model import Table
from perturb.reports.scores_page import make_scores_page
from perturb.scoring.model_scores import PARTS
from perturb.scoring.score_report import score
from tests.scoring.tables import items, reply, right, table, wrong


def judged(models: int = 2, n: int = 108, seed: int = 1) -> list[dict[str, Any]]:
    """Replies of which some refuse and the others have their parts at random."""
    rng = random.Random(seed)
    rows = []
    for model in range(models):
        for item in items(n):
            if item["expected_rag_behavior"] == "ANSWER_CORRECTLY" and rng.random() < 0.7:
                flags = {name: rng.random() < 0.6 for name in ("eligible", "factual_all", "factual_signal")}
                rows.append(reply(item, f"m{model}", "ANSWER", **flags))
            elif rng.random() < 0.5:
                rows.append(
                    reply(
                        item,
                        f"m{model}",
                        item["expected_rag_behavior"].replace("ANSWER_CORRECTLY", "ANSWER"),
                        **(
                            {}
                            if item["expected_rag_behavior"] != "ANSWER_CORRECTLY"
                            else dict.fromkeys(("eligible", "factual_all", "factual_signal"), True)
                        ),
                    )
                )
            else:
                rows.append(reply(item, f"m{model}", "REFUSE_OTHER"))
    return rows


def test_parts_are_shares_of_the_answers_that_were_attempted() -> None:
    rows = judged()
    for model in score(table(rows), resamples=50).models:
        own = [
            row
            for row in rows
            if row["model"] == model.model
            and row["predicted"] == "ANSWER"
            and row["expected_rag_behavior"] == "ANSWER_CORRECTLY"
        ]
        wanted = {name: sum(row[name] for row in own) / len(own) for name in PARTS[:3]}
        wanted["raf"] = sum(row["eligible"] and row["factual_signal"] for row in own) / len(own)
        assert {name: value.value for name, value in model.answer_parts.items()} == pytest.approx(wanted)
        assert {value.n for value in model.answer_parts.values()} == {len(own)}
        assert model.to_dict()["answer_parts"]["factual_all"]["value"] == pytest.approx(wanted["factual_all"])


def test_sets_graded_1_to_5_have_no_parts() -> None:
    report = score(table([right(item, "m") for item in items(36)]), resamples=20)
    assert report.models[0].answer_parts == {}
    assert "answers" not in {section.name for section in make_scores_page(report).sections}


def test_confusion_at_one_intensity_counts_its_items_alone() -> None:
    rows = judged()
    one = score(table(rows), resamples=20).models[0]
    medium = Counter(
        (row["expected_rag_behavior"], row["predicted"].replace("ANSWER", "NONE"))
        for row in rows
        if row["model"] == "m0" and row["intensity"] == "MEDIUM"
    )
    found = one.confusion_by_intensity["MEDIUM"]
    assert {(t, p): n for t, cells in found.items() for p, n in cells.items() if n} == dict(medium)
    for truth, cells in one.confusion.items():
        for code, n in cells.items():
            assert n == sum(part[truth][code] for part in one.confusion_by_intensity.values())


def test_domains_are_counted_and_have_champions_and_two_difficulties() -> None:
    """Everything right in Health and wrong in Law for one model; the other gets Law's answers right alone."""
    rows = []
    for item in items(72):
        health, low = item["domain"] == "Health", item["intensity"] == "LOW"
        rows.append((right if health else wrong)(item, "first"))
        rows.append((right if not health and low else wrong)(item, "second"))
    page = make_scores_page(score(table(rows), resamples=20))
    section = next(one for one in page.sections if one.name == "domains")
    (found,) = (one for one in section.tables if isinstance(one, Table))
    # Both domains have 36 items, each model is right in all or none of the answers and refusals of a domain.
    assert [tuple(row) for row in found.rows] == [
        ("Law", 36, 0.5, "second (100.0)", "first, second (0.0)", 0.5, 1.0, 0.75),
        ("Health", 36, 0.5, "first (100.0)", "first (100.0)", 0.5, 0.5, 0.5),
    ]
    assert {figure.name for figure in section.figures} >= {"domains", "domain-difficulty"}
