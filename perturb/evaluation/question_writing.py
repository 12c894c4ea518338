"""Questions that a model writes from articles and documents, and curation that needs models.

A section of each article is drawn, and a model, the *writer*, writes a question about it. The question is used if
another model, the *reader*, answers it from the section alone, in ten words at most (`QuestionWriter`). The method and
the prompts are those of HalluLens (Bang et al. 2025), section 3.1. Documents are already cut into passages, and each
gets a question with its answer (`PassageWriter`). `curate_source` makes a base set in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import Field, model_validator

from perturb.catalogue.prompts import data_request, object_schema, system_message
from perturb.config import ModelEntry
from perturb.curation.curation import Curation, check_name, check_place, curate, write_base_set
from perturb.curation.source import SourceRequest
from perturb.errors import ConfigError
from perturb.evaluation.answers import is_exact_match
from perturb.evaluation.models_under_test import ModelSet, model_under_test
from perturb.evaluation.session import RunOptions, Session
from perturb.evaluation.solvability import InstanceTest, NotPassed, SolvabilityTest, SolverPanel, value_of
from perturb.files.resources import code_version, fraction_of
from perturb.files.yaml_files import Strict, YamlFile
from perturb.llm.replies import ReplyError, read_object, text_of
from perturb.records import BaseInstance, Facts, JsonObject, Passage
from perturb.snapshots.freshness import BaseIndex, round_item
from perturb.text.matching import folded, holds_answer
from perturb.text.passages import split_sentences

# The fewest and the most words of a section: 200 to 500 tokens, as in HalluLens.
SECTION_WORDS = (150, 375)
# The longest answer, in words, as in HalluLens.
MAX_ANSWER_WORDS = 10
# The sentence that shows the answer has this key in the metadata.
SENTENCE = "sentence"
# What is read from a reply.
T = TypeVar("T")
# A text, in JSON schema.
_TEXT = {"type": "string"}
# What a writer is asked for: a question about a section, or all about a passage.
WriterTask = Literal["question", "passage"]
# The fields of a reply, in JSON schema: to the two tasks of a writer, and to a reader.
_FIELDS = {
    "question": {"question": _TEXT},
    "answer": {"answerable": {"type": "boolean"}, "answer": _TEXT},
    "passage": dict.fromkeys(("question", "answer", "sentence"), _TEXT),
}


class WriterFile(Strict):
    """The file of `--writer`: the model that writes questions, and the one that answers them from the text."""

    writer: ModelEntry
    reader: ModelEntry | None = None
    """Without one, the writer also reads."""
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

    templates: ClassVar[tuple[str, ...]] = ("write/question", "write/answer")

    def __init__(self, file: WriterFile, folder: Path, seed: int, options: RunOptions) -> None:
        """`seed` draws the section of each article; the budget is the file's."""
        entries = [file.writer, *([file.reader] if file.reader else [])]
        models = {entry.name: model_under_test(entry.settings()) for entry in entries}
        super().__init__(ModelSet(models), folder, replace(options, budget_usd=file.budget_usd))
        self._writer, self._reader = entries[0].name, entries[-1].name
        self._seed = seed
        self._written: dict[str, BaseInstance] = {}
        self._accepted = BaseIndex()

    def written(self, article: BaseInstance) -> BaseInstance:
        """The instance of an article that passed: question, answer, and the section as its passage."""
        written = self._written[article.id]
        metadata = {**article.metadata, **written.metadata}
        return replace(
            article,
            query=written.query,
            answers=written.answers,
            passages=written.passages,
            metadata=metadata,
        )

    def facts(self) -> JsonObject:
        """The entry on the writing in the manifest."""
        models = {name: model.settings.model for name, model in self._models.under_test.items()}
        return {"models": models, **self.call_facts(self.templates)}

    async def test(self, session: Session, instance: BaseInstance) -> None:
        """Have a question written about an article. Raises `NotPassed` if it gets none."""
        self._written[instance.id] = await self._write(session, instance)

    async def _write(self, session: Session, article: BaseInstance) -> BaseInstance:
        section = draw_section(article, self._seed)
        (question,) = await self._ask_writer(session, article, "question", section)
        answer = await self._ask_reader(session, article, question, section.text)
        _check_answer(question, answer)
        return replace(article, query=question, answers=(answer,), passages=(section,))

    async def _ask_writer(
        self, session: Session, article: BaseInstance, task: WriterTask, passage: Passage
    ) -> list[str]:
        """The texts that the writer writes about a passage; the first is the question."""
        data = {"title": passage.title, "text": passage.text}
        read_reply = partial(read_written, keys=_FIELDS[task])
        texts = await self._ask(session, article, self._writer, task, data, read_reply)
        if not texts[0]:
            raise NotPassed("its text allows no question")
        return texts

    async def _ask_reader(self, session: Session, article: BaseInstance, question: str, text: str) -> str:
        """The reader's answer to a question, from the text alone."""
        data = {"question": question, "text": text}
        answer = await self._ask(session, article, self._reader, "answer", data, read_answer)
        if not answer:
            raise NotPassed("its text does not answer the question")
        return answer

    async def _ask(
        self,
        session: Session,
        article: BaseInstance,
        model: str,
        task: WriterTask | Literal["answer"],
        data: Facts,
        read_reply: Callable[[str], T],
    ) -> T:
        """What is read from a model's reply. Raises `NotPassed` if there is nothing that can be read."""
        request = data_request(system_message(f"write/{task}"), data, object_schema(_FIELDS[task]))
        result = await session.client.ask(
            model, request, read_reply, purpose="write", subject=article.id, part=task
        )
        return value_of(result, model)


class PassageWriter(QuestionWriter):
    """Has a question written about each passage of documents, with its answer and the sentence that shows it.

    The sentence must be in the passage word for word, the answer must be in the sentence, and the reader must give the
    same answer.
    """

    templates = ("write/passage", "write/answer")

    def repeats(self, instances: Sequence[BaseInstance]) -> dict[str, str]:
        """The ids of the instances that repeat a question or passage of an earlier one, with the reason."""
        repeated = {}
        for instance in instances:
            item = round_item(instance)
            if self._accepted.find(item):
                repeated[instance.id] = "it repeats a question or passage of the set"
            else:
                self._accepted.add(item)
        return repeated

    async def _write(self, session: Session, article: BaseInstance) -> BaseInstance:
        (passage,) = article.passages
        question, answer, sentence = await self._ask_writer(session, article, "passage", passage)
        if not sentence or folded(sentence) not in folded(passage.text):
            raise NotPassed("the supporting sentence does not stand in the passage")
        if not answer or not holds_answer(sentence, answer):
            raise NotPassed("the answer does not stand in the supporting sentence")
        _check_answer(question, answer)
        solved = await self._ask_reader(session, article, question, passage.text)
        if not is_exact_match(solved, (answer,)):
            raise NotPassed("the answer is not reproduced")
        return replace(article, query=question, answers=(answer,), metadata={SENTENCE: sentence})


def _check_answer(question: str, answer: str) -> None:
    """Raise `NotPassed` for an answer that is too long, or that the question gives away."""
    if len(answer.split()) > MAX_ANSWER_WORDS:
        raise NotPassed(f"the answer has more than {MAX_ANSWER_WORDS} words")
    if holds_answer(question, answer):
        raise NotPassed("the question holds its answer")


def draw_section(article: BaseInstance, seed: int) -> Passage:
    """The section that a question is written from, drawn at random.

    If there are more than two sections, the last is not drawn, since it often is a list.
    Raises `NotPassed` if the article is too short.
    """
    (passage,) = article.passages
    sections = split_sections(passage.text)
    if not sections:
        raise NotPassed(f"no part of it has {SECTION_WORDS[0]} words")
    candidates = sections[:-1] if len(sections) > 2 else sections
    section = candidates[int(fraction_of("section", seed, article.id) * len(candidates))]
    return Passage(section, passage.title)


def split_sections(text: str) -> list[str]:
    """Sections of whole sentences, of 150 to 375 words unless a sentence is longer; a shorter remainder is left out."""
    fewest, most = SECTION_WORDS
    sections: list[str] = []
    # the section so far: where it begins and ends in the text, and its number of words
    start, end, n_words = 0, 0, 0
    for sentence in split_sentences(text):
        sentence_words = len(sentence.text.split())
        if n_words and n_words + sentence_words > most:
            if n_words >= fewest:
                sections.append(text[start:end])
            n_words = 0
        if not n_words:
            start = sentence.start
        end = sentence.end
        n_words += sentence_words
    if n_words >= fewest:
        sections.append(text[start:end])
    return sections


def read_answer(text: str) -> str:
    """The answer in a reader's reply; empty if the text gives none. Raises `ReplyError`.

    >>> read_answer('{"answerable": true, "answer": "1911"}'), read_answer('{"answerable": false, "answer": "1911"}')
    ('1911', '')
    """
    reply = read_object(text, frozenset({"answerable", "answer"}))
    if not isinstance(reply["answerable"], bool):
        raise ReplyError("'answerable' must be true or false")
    answer = _text(reply["answer"], "answer")
    if not reply["answerable"]:
        return ""
    if not answer:
        raise ReplyError("'answer' is empty although 'answerable' is true")
    return answer


def read_written(text: str, keys: Iterable[str]) -> list[str]:
    """The texts under `keys` in a writer's reply; all are empty if no question can be asked. Raises `ReplyError`."""
    reply = read_object(text, frozenset(keys))
    return [_text(reply[key], key) for key in keys]


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

    The ledger of the calls to models is written beside the base set, so that a stopped command resumes. Raises
    `PerturbError`s.
    """
    # These checks come before any model is called.
    check_name(out)
    check_place(out, force)
    request = _request_with_writer(request, writer, solvers)
    test: SolvabilityTest | None = None
    facts: JsonObject = {}
    # Both hold an open ledger, which has to be closed whatever happens.
    with ExitStack() as stack:
        if solvers is not None:
            panel = YamlFile(solvers).parse(SolverPanel)
            solving = SolvabilityTest(panel, out.with_suffix(".solve"), judged=judged, options=options)
            test = stack.enter_context(solving)
        if writer is not None:
            seed = request.recipe.seed if request.seed is None else request.seed
            writer_class = PassageWriter if request.is_folder else QuestionWriter
            file = YamlFile(writer).parse(WriterFile)
            questions = writer_class(file, out.with_suffix(".write"), seed, options)
            stack.enter_context(questions)
            curation = curate(request, partial(_write_and_solve, questions, test), "writing")
            curation = replace(curation, instances=tuple(map(questions.written, curation.instances)))
            facts["writing"] = questions.facts()
        else:
            curation = curate(request, test)
        if test is not None:
            facts["pre_test"] = test.facts()
    curation = replace(curation, report={**curation.report, **facts})
    return curation, write_base_set(curation, out, code_version())


def _request_with_writer(request: SourceRequest, writer: Path | None, solvers: Path | None) -> SourceRequest:
    """The request, for articles if a writer is given for rows. Raises `ConfigError` for what cannot be combined."""
    if writer is not None and request.form == "auto" and not request.is_folder:
        request = replace(request, form="articles")
    if (request.is_folder or request.form == "articles") != (writer is not None):
        raise ConfigError("writer: goes with a folder of documents or the format 'articles', which need it")
    if writer and solvers and not request.is_folder:
        raise ConfigError("solvers: do not go with a writer of articles: leave them out")
    return request


def _write_and_solve(
    writer: QuestionWriter, solvers: SolvabilityTest | None, articles: Sequence[BaseInstance]
) -> Mapping[str, str]:
    """The id of each article that gets no question, or none that passes the later tests, with the first reason."""
    left_out = dict(writer(articles))
    # The solvers come first, so that no question is left out as a repetition of one that the solvers reject.
    tests: list[Callable[[Sequence[BaseInstance]], Mapping[str, str]]] = [solvers] if solvers else []
    if isinstance(writer, PassageWriter):
        tests.append(writer.repeats)
    for test in tests:
        written = [writer.written(article) for article in articles if article.id not in left_out]
        if written:
            left_out |= test(written)
    return left_out
