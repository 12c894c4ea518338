"""The sample as import files for annotation tools, and the answers as a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from perturb.errors import ConfigError
from perturb.review.agreement import Reviews
from perturb.review.review_items import ReviewItem
from perturb.review.rubric import COMMENT, NO, QUESTION_NAMES, QUESTIONS, YES, human_verdict
from perturb.review.sheet import item_values

_SHOWN = {
    "goal": "Goal",
    "expected_behavior": "Expected behaviour",
    "lever": "Lever",
    "lever_instruction": "What the lever asks for",
    "original_query": "Original question",
    "original_context": "Original context",
    "original_answers": "Accepted answers",
    "perturbed_query": "Resulting question",
    "perturbed_context": "Resulting context",
    "change": "The change: [-out-] {+in+}",
}
"""The columns that a tool shows, with their headings."""


def write_label_studio(items: Iterable[ReviewItem], folder: Path) -> tuple[Path, Path]:
    """Write `tasks.json` and `labelling.xml`; return their paths.

    The names of the choices are those of the questions, so that the CSV which Label Studio exports can be read back
    like a sheet.
    """
    tasks = [{"data": item_values(item)} for item in items]
    heading = "".join(
        f'  <Header value={quoteattr(title)} size="5"/>\n  <Text name="{name}_text" value="${name}"/>\n'
        for name, title in _SHOWN.items()
    )
    questions = "".join(
        f"  <Header value={quoteattr(question.text)}/>\n"
        f'  <Choices name="{question.name}" toName="perturbed_query_text" choice="single" required="true">'
        f'<Choice value="{YES}"/><Choice value="{NO}"/></Choices>\n'
        for question in QUESTIONS
    )
    comment = f'  <TextArea name="{COMMENT}" toName="perturbed_query_text" rows="3" maxSubmissions="1"/>\n'
    config = f"<View>\n{heading}{questions}{comment}</View>\n"
    paths = folder / "tasks.json", folder / "labelling.xml"
    write_text(paths[0], json.dumps(tasks, ensure_ascii=False, indent=1))
    write_text(paths[1], config)
    return paths


def write_argilla(items: Iterable[ReviewItem], folder: Path, name: str) -> tuple[Path, ...]:
    """Write a folder that Argilla 2 reads with `rg.Dataset.from_disk`; return the paths of its files."""
    records = []
    for item in items:
        values = item_values(item)
        fields = {column: values[column] or "-" for column in _SHOWN}
        metadata = {column: values[column] for column in ("perturbation_class", "intensity")}
        records.append(
            {
                "id": item.candidate.id,
                "fields": fields,
                "metadata": metadata,
                "suggestions": {},
                "responses": {},
                "vectors": {},
            }
        )
    contents: dict[str, Any] = {
        ".argilla/dataset.json": {"name": name, "allow_extra_metadata": True},
        ".argilla/settings.json": _argilla_settings(),
        "records.json": records,
    }
    for path, content in contents.items():
        write_text(folder / path, json.dumps(content, ensure_ascii=False, indent=1))
    return tuple(folder / path for path in contents)


def _argilla_settings() -> dict[str, Any]:
    options = [{"value": word, "text": word} for word in (YES, NO)]
    questions: list[dict[str, Any]] = [
        {
            "name": question.name,
            "title": question.label,
            "description": question.text,
            "required": True,
            "settings": {"type": "label_selection", "options": options, "visible_options": None},
        }
        for question in QUESTIONS
    ]
    questions.append(
        {
            "name": COMMENT,
            "title": "Comment",
            "required": False,
            "settings": {"type": "text", "use_markdown": False},
        }
    )
    fields = [
        {
            "name": name,
            "title": title,
            "required": True,
            "settings": {"type": "text", "use_markdown": False},
        }
        for name, title in _SHOWN.items()
    ]
    return {
        "guidelines": "An item passes if all five questions are answered with yes.",
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
    }


def answers_table(items: Sequence[ReviewItem], reviews: Reviews) -> str:
    """One CSV row per item and annotator: the five answers, the verdict (empty if unfinished) and the comment."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("candidate_id", "annotator", *QUESTION_NAMES, "verdict", COMMENT))
    words = {True: "pass", False: "fail", None: ""}
    for item in items:
        for annotator, answers in reviews.get(item.candidate.id, {}).items():
            given = [answers.get(name, "") for name in QUESTION_NAMES]
            verdict = words[human_verdict(answers)]
            writer.writerow((item.candidate.id, annotator, *given, verdict, answers.get(COMMENT, "")))
    return out.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file and the folders above it. Raises `ConfigError` if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as exc:
        raise ConfigError(
            f"{path}: cannot be written ({exc.strerror or exc}): choose another place"
        ) from None
