"""Questions written from articles, as PreciseWikiQA's are: one model asks, and says what the text answers.

A section of each article is drawn; a question is kept if the section alone answers it, in ten words at most. HalluLens
(Bang et al. 2025), section 3.1, whose prompts are its own.

Curation with models: solvers that every question must pass, or a writer of questions from articles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from perturb.catalogue.prompts import data_request, object_schema, system_message
from perturb.config import ModelEntry
from perturb.curation.curation import Curation, check_name, check_place, curate, write_base_set
from perturb.curation.source import SourceRequest
from perturb.errors import ConfigError
from perturb.evaluation.models_under_test import ModelSet, model_under_test
from perturb.evaluation.session import RunOptions, Session
from perturb.evaluation.solvability import InstanceTest, SolvabilityTest, SolverPanel, call_fault
from perturb.files.resources import code_version, fraction_of
from perturb.files.yaml_files import Strict, YamlFile
from perturb.llm.replies import ReplyError, read_object, text_of
from perturb.records import BaseInstance, Passage
from perturb.text.matching import holds_answer
from perturb.text.passages import split_sentences

SECTION_WORDS = (150, 375)
"""Words of a section at least and at most: 200 to 500 tokens, as in HalluLens."""
MAX_ANSWER_WORDS = 10
_TEMPLATES = ("write/question", "write/answer")
_TEXT = {"type": "string"}
_FIELDS = {"question": {"question": _TEXT}, "answer": {"answerable": {"type": "boolean"}, "answer": _TEXT}}


class WriterFile(Strict):
    """The file of `--writer`: who writes questions, and who says what the text answers."""

    writer: ModelEntry
    reader: ModelEntry | None = None
    """The writer itself unless there is one."""
    budget_usd: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _two_names(self) -> WriterFile:
        if self.reader is not None and self.reader.name == self.writer.name:
            raise ValueError(
                f"writer and reader are both called '{self.writer.name}': give each its own name"
            )
        return self


class QuestionWriter(InstanceTest):
    """Has questions written about articles; an article passes if it has one that its section answers."""

    def __init__(self, file: WriterFile, folder: Path, seed: int, options: RunOptions) -> None:
        """`seed` draws the section of each article; the budget is the file's."""
        entries = [file.writer, *([file.reader] if file.reader else [])]
        models = {one.name: model_under_test(one.settings()) for one in entries}
        super().__init__(ModelSet(models), folder, replace(options, budget_usd=file.budget_usd))
        self._writer, self._reader = entries[0].name, entries[-1].name
        self._seed = seed
        self._written: dict[str, BaseInstance] = {}

    def written(self, article: BaseInstance) -> BaseInstance:
        """The instance of an article that passed: question, answer, and the section as its passage."""
        made = self._written[article.id]
        return replace(article, query=made.query, answers=made.answers, passages=made.passages)

    def facts(self) -> dict[str, Any]:
        """What the manifest says of the writing."""
        models = {name: one.settings.model for name, one in self._models.under_test.items()}
        return {"models": models, **self.call_facts(_TEMPLATES)}

    async def fault(self, session: Session, instance: BaseInstance) -> str | None:
        """Why an article has no question, if so."""
        try:
            self._written[instance.id] = await self._write(session, instance)
        except _NoQuestionError as why:
            return str(why)
        return None

    async def _write(self, session: Session, article: BaseInstance) -> BaseInstance:
        section = draw_section(article, self._seed)
        data: dict[str, Any] = {"title": section.title, "text": section.text}
        question = await self._ask(session, article, self._writer, "question", data, read_question)
        if not question:
            raise _NoQuestionError("its text allows no question")
        data = {"question": question, "text": section.text}
        answer = await self._ask(session, article, self._reader, "answer", data, read_answer)
        if not answer:
            raise _NoQuestionError("its text does not answer the question")
        if len(answer.split()) > MAX_ANSWER_WORDS:
            raise _NoQuestionError(f"the answer has more than {MAX_ANSWER_WORDS} words")
        if holds_answer(question, answer):
            raise _NoQuestionError("the question holds its answer")
        return replace(article, query=question, answers=(answer,), passages=(section,))

    async def _ask(
        self,
        session: Session,
        article: BaseInstance,
        model: str,
        part: str,
        data: Mapping[str, Any],
        read: Callable[[str], str],
    ) -> str:
        request = data_request(system_message(f"write/{part}"), data, object_schema(_FIELDS[part]))
        asked = await session.client.ask(model, request, read, purpose="write", subject=article.id, part=part)
        if fault := call_fault(asked, model):
            raise _NoQuestionError(fault)
        return asked.value or ""


class _NoQuestionError(Exception):
    """An article falls, and why."""


def draw_section(article: BaseInstance, seed: int) -> Passage:
    """The section that a question is written from; of more than two not the last, which often is a list.

    Raises `_NoQuestionError` if the article is too short.
    """
    (passage,) = article.passages
    sections = split_sections(passage.text)
    if not sections:
        raise _NoQuestionError(f"no part of it has {SECTION_WORDS[0]} words")
    choice = sections[:-1] if len(sections) > 2 else sections
    drawn = choice[int(fraction_of("section", seed, article.id) * len(choice))]
    return Passage(drawn, passage.title)


def split_sections(text: str) -> list[str]:
    """Stretches of whole sentences, of 150 to 375 words unless a sentence is longer; what is shorter is left out."""
    least, most = SECTION_WORDS
    sections: list[str] = []
    start, end, words = 0, 0, 0
    for sentence in split_sentences(text):
        more = len(sentence.text.split())
        if words and words + more > most:
            sections += [text[start:end]] if words >= least else []
            words = 0
        start = start if words else sentence.start
        end, words = sentence.end, words + more
    return [*sections, text[start:end]] if words >= least else sections


def read_question(text: str) -> str:
    """The question in a writer's reply; empty where the text allows none. Raises `ReplyError`."""
    return _text(read_object(text, frozenset({"question"}))["question"], "question")


def read_answer(text: str) -> str:
    """The answer in a reader's reply; empty where the text holds none. Raises `ReplyError`.

    >>> read_answer('{"answerable": true, "answer": "1911"}'), read_answer('{"answerable": false, "answer": "1911"}')
    ('1911', '')
    """
    found = read_object(text, frozenset({"answerable", "answer"}))
    if not isinstance(found["answerable"], bool):
        raise ReplyError("'answerable' must be true or false")
    answer = _text(found["answer"], "answer")
    if found["answerable"] and not answer:
        raise ReplyError("'answer' is empty although 'answerable' is true")
    return answer if found["answerable"] else ""


def _text(value: Any, key: str) -> str:
    return " ".join(text_of(value, key).split())


def curate_source(
    request: SourceRequest,
    out: Path,
    solvers: Path | None,
    writer: Path | None,
    options: RunOptions,
    *,
    judged: bool = False,
    force: bool = False,
) -> tuple[Curation, str]:
    """Curate with the models that the files name, if any, and write `out`; returns what was written and its digest.

    The ledger of what models are asked lies beside the base set, so that stopped work resumes. Raises `PerturbError`s.
    """
    check_name(out)
    check_place(out, force)
    if writer is not None and request.form == "auto":
        request = replace(request, form="articles")
    if (request.form == "articles") != (writer is not None) or (writer and solvers):
        raise ConfigError("writer: goes with the format 'articles', and not with solvers")
    if solvers is not None:
        panel, folder = YamlFile(solvers).parse(SolverPanel), out.with_suffix(".solve")
        with SolvabilityTest(panel, folder, judged=judged, options=options) as test:
            curation = curate(request, test)
            curation = replace(curation, report={**curation.report, "pre_test": test.facts()})
    elif writer is not None:
        seed = request.recipe.seed if request.seed is None else request.seed
        file = YamlFile(writer).parse(WriterFile)
        with QuestionWriter(file, out.with_suffix(".write"), seed, options) as questions:
            curation = curate(request, questions, "writing")
            instances = tuple(questions.written(article) for article in curation.instances)
            report = {**curation.report, "writing": questions.facts()}
            curation = replace(curation, instances=instances, report=report)
    else:
        curation = curate(request)
    return curation, write_base_set(curation, out, code_version())
