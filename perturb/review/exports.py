"""The sample as import files for annotation tools, and the answers as a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from perturb.errors import ConfigError
from perturb.review.review_items import ReviewItem
from perturb.review.rubric import COMMENT, RubricQuestion, is_finished
from perturb.review.sheet import question_names
from perturb.store.reviews import Reviews
from perturb.text_files import writing_errors


def write_label_studio(items: Sequence[ReviewItem], folder: Path) -> tuple[Path, Path]:
    """Write `tasks.json` and `labelling.xml`; return their paths.

    The names of the choices are those of the questions, so that the CSV which Label Studio exports can be read back
    like a sheet.
    """
    shown, focus = _headings(items), f"{items[0].focus}_text"
    tasks = [{"data": {**dict.fromkeys(shown, ""), **item.values}} for item in items]
    heading = "".join(
        f'  <Header value={quoteattr(title)} size="5"/>\n  <Text name="{name}_text" value="${name}"/>\n'
        for name, title in shown.items()
    )
    questions = "".join(
        f"  <Header value={quoteattr(question.text)}/>\n"
        f'  <Choices name="{question.name}" toName="{focus}" choice="single" required="{str(needed).lower()}">'
        f"{''.join(f'<Choice value={quoteattr(choice)}/>' for choice in question.choices)}</Choices>\n"
        for question, needed in _questions(items)
    )
    comment = f'  <TextArea name="{COMMENT}" toName="{focus}" rows="3" maxSubmissions="1"/>\n'
    config = f"<View>\n{heading}{questions}{comment}</View>\n"
    paths = folder / "tasks.json", folder / "labelling.xml"
    write_text(paths[0], json.dumps(tasks, ensure_ascii=False, indent=1))
    write_text(paths[1], config)
    return paths


def write_argilla(items: Sequence[ReviewItem], folder: Path, name: str) -> tuple[Path, ...]:
    """Write a folder that Argilla 2 reads with `rg.Dataset.from_disk`; return the paths of its files."""
    records = [
        {
            "id": item.id,
            "fields": {column: item.values.get(column) or "-" for column in _headings(items)},
            "metadata": {column: item.values[column] for column in item.grouped_by},
            "suggestions": {},
            "responses": {},
            "vectors": {},
        }
        for item in items
    ]
    contents: dict[str, Any] = {
        ".argilla/dataset.json": {"name": name, "allow_extra_metadata": True},
        ".argilla/settings.json": _argilla_settings(items),
        "records.json": records,
    }
    for path, content in contents.items():
        write_text(folder / path, json.dumps(content, ensure_ascii=False, indent=1))
    return tuple(folder / path for path in contents)


def _argilla_settings(items: Sequence[ReviewItem]) -> dict[str, Any]:
    text = {"type": "text", "use_markdown": False}
    questions: list[dict[str, Any]] = [
        {
            "name": question.name,
            "title": question.label,
            "description": question.text,
            "required": needed,
            "settings": {
                "type": "label_selection",
                "options": [{"value": choice, "text": choice} for choice in question.choices],
                "visible_options": None,
            },
        }
        for question, needed in _questions(items)
    ]
    questions.append({"name": COMMENT, "title": "Comment", "required": False, "settings": text})
    fields = [
        {"name": name, "title": title, "required": True, "settings": text}
        for name, title in _headings(items).items()
    ]
    return {
        "guidelines": items[0].guidelines,
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
    }


def _headings(items: Iterable[ReviewItem]) -> dict[str, str]:
    return {name: title for item in items for name, title in item.headings.items()}


def _questions(items: Sequence[ReviewItem]) -> Iterator[tuple[RubricQuestion, bool]]:
    """Every question with all its choices, and whether it is about every item."""
    for name in question_names(items):
        asked = [question for item in items for question in item.questions if question.name == name]
        yield max(asked, key=lambda question: len(question.choices)), len(asked) == len(items)


def answers_table(items: Sequence[ReviewItem], reviews: Reviews) -> str:
    """One CSV row per item and annotator: the answers, what they come to (empty if unfinished) and the comment."""
    out = io.StringIO()
    writer = csv.writer(out)
    questions = question_names(items)
    writer.writerow((items[0].id_column, "annotator", *questions, "verdict", COMMENT))
    for item in items:
        for annotator, answers in reviews.get(item.id, {}).items():
            given = [answers.get(name, "") for name in questions]
            verdict = item.verdict(answers) if is_finished(item.questions, answers) else ""
            writer.writerow((item.id, annotator, *given, verdict, answers.get(COMMENT, "")))
    return out.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file and the folders above it. Raises `ConfigError` if that is not possible."""
    with writing_errors(path, ConfigError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
