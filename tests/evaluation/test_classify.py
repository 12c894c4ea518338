"""Reading codes and levels of confidence without a judge."""

from __future__ import annotations

import pytest

from perturb.evaluation.reading import read_code, read_confidence, refusal_codes
from perturb.files.resources import data_folder
from perturb.metrics.outcomes import LEVELS

from .rows import CATALOGUE

CODES = CATALOGUE.codes


@pytest.mark.parametrize("spelling", [code for code in CODES if code != "ANSWER_CORRECTLY"])
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        " {}.\n",
        "[{}]",
        "**{}**",
        "`{}`",
        '"{}"',
        "<think>REFUSE_OTHER or {}?</think>\n{}",
        "[THINK]REFUSE_OTHER?[/THINK]{}",
        "The opening mark stood in the prompt.\n</think>\n\n{}",
        "◁think▷Hm.◁/think▷{}",
        "<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>{}",
        "{} | CONFIDENCE: CONFIDENT",
        "{}\n\nCONFIDENCE: [VERY_UNCERTAIN] (below 30 %)",
    ],
)
def test_a_reply_that_is_a_code_is_read_by_rule(spelling: str, form: str) -> None:
    assert read_code(form.replace("{}", spelling), CODES) == CODES[spelling]
    assert read_code(form.replace("{}", spelling.lower()), CODES) == CODES[spelling]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada",
        "ANSWER_CORRECTLY",
        "REFUSE_EVERYTHING",
        "REFUSE_OTHER because the text is cut",
        "REFUSE_OTHER REFUSE_AMBIGUOUS",
        "I choose REFUSE_OTHER",
        "CONFIDENCE: CONFIDENT",
        "REFUSE_OTHER" + " " * 50 + "x" * 300,
        "<think>REFUSE_OTHER",
        "<think>Hm.</think>REFUSE_OTHER<think>Or",
        "<think>Hm.</think>Ada<think>REFUSE_OTHER</think>Eve",
    ],
)
def test_anything_else_is_left_to_the_judge(text: str) -> None:
    assert read_code(text, CODES) is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "form",
    [
        "Ada.\nCONFIDENCE: {}",
        "Ada. CONFIDENCE: {}",
        "REFUSE_OTHER | CONFIDENCE: {}",
        "REFUSE_OTHER | Confidence level: [{}] (70-90 %)",
        "**CONFIDENCE:** {}\n\nThat is all.",
        "CONFIDENCE: UNCERTAIN, first\nCONFIDENCE: {}",
        "CONFIDENCE: UNCERTAIN\nOr rather:\nCONFIDENCE: {}",
    ],
)
def test_the_stated_level_is_read(level: str, form: str) -> None:
    for spelling in (level, level.lower(), level.replace("_", " ").title(), level.replace("_", "-")):
        assert read_confidence(form.format(spelling)) == level


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada, of that I am confident",
        "CONFIDENCE: high",
        "CONFIDENCE: SOMEWHAT UNCERTAIN",
        "CONFIDENCE: CONFIDENT that it is Ada",
        "<think>CONFIDENCE: CONFIDENT</think>Ada",
        "CONFIDENCE: CONFIDENT</think>Ada",
        "Ada<think>\nCONFIDENCE: CONFIDENT",
    ],
)
def test_no_level_is_guessed(text: str) -> None:
    assert read_confidence(text) is None


def test_the_prompts_explain_the_codes_of_the_catalogue_and_no_other() -> None:
    text = (data_folder("templates") / "respond" / "codes.j2").read_text(encoding="utf-8")
    explained = [line[2:].partition(":")[0] for line in text.splitlines() if line.startswith("- ")]
    assert sorted(explained) == sorted(refusal_codes(CODES))
    assert text.count("Example: ") == len(explained)
