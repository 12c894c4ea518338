"""What the rules need to know about an instance, found once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perturb.records import BaseInstance, Passage
from perturb.rules.answers import (
    AnswerType,
    Cluster,
    Mention,
    clusters_of,
    gender_of,
    person_name,
    type_of_answer,
)
from perturb.rules.question_parsing import ParsedQuestion, parse_question
from perturb.rules.sentences import Sentence, split_sentences
from perturb.rules.topics import Topic, recase, topic_of
from perturb.rules.values import alternative, dice
from perturb.rules.words import content_stems, has_word, is_common, plain, stem, tokens

MIN_SUPPORT = 0.5
"""Share of the question's content words that the answering sentence, with title and neighbours, must hold."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """An instance as the rules see it. Everything follows from the instance alone."""

    instance: BaseInstance
    query: str
    """The query with its names in proper letter case."""
    answer: str
    """The answer as a passage writes it, the fullest form of the first cluster; a person without occupation."""
    answer_type: AnswerType
    gender: str | None
    """`m` or `f` where the answer is a person whose gender is sure."""
    clusters: tuple[Cluster, ...]
    """Accepted answers that stand in a passage, grouped by meaning."""
    sentences: tuple[Sentence, ...]
    """Of all passages, in order."""
    answer_sentences: tuple[int, ...]
    """Indices into `sentences` of those that hold a mention of any cluster."""
    topic: Topic | None
    question: ParsedQuestion | None
    """The query as a claim with a gap, when it parses."""
    alternative: str | None
    """An invented value of the answer's type that no passage holds."""
    reasons: tuple[str, ...]
    """Why the instance is unfit for any rule; empty when it is fit."""

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Every mention of every cluster."""
        return tuple(m for cluster in self.clusters for m in cluster.mentions)

    @property
    def single_answer(self) -> bool:
        """Whether all accepted answers that stand in a passage mean the same thing."""
        return len(self.clusters) == 1

    @property
    def text(self) -> str:
        """All passages' texts in a row."""
        return "\n\n".join(passage.text for passage in self.instance.passages)

    @property
    def only_sentence(self) -> Sentence | None:
        """The sentence that alone holds the one answer, if it is so."""
        if self.single_answer and len(self.answer_sentences) == 1:
            return self.sentences[self.answer_sentences[0]]
        return None

    def sentences_in(self, passage: int) -> tuple[Sentence, ...]:
        """The sentences of one passage."""
        return tuple(s for s in self.sentences if s.passage == passage)

    def with_passage(self, index: int, text: str) -> tuple[Passage, ...]:
        """The passages with the text of one of them changed."""
        old = self.instance.passages
        return (*old[:index], Passage(text, old[index].title, old[index].role), *old[index + 1 :])


def analyse(instance: BaseInstance) -> Analysis:
    """Analyse an instance; never fails, an unfit one gets its reasons."""
    clusters = clusters_of(instance)
    sentences = tuple(s for i, p in enumerate(instance.passages) for s in split_sentences(p.text, i))
    query = recase(instance.query, instance.passages)
    topic = topic_of(query, instance.passages)
    question = parse_question(query) if _spelt(query, instance.passages) else None
    if not clusters:
        return Analysis(
            instance, query, "", AnswerType.PHRASE, None, (), sentences, (), topic, question, None,
            ("no accepted answer stands in a passage",),
        )  # fmt: skip
    kind = type_of_answer(instance.query, clusters[0], instance.passages)
    answer = clusters[0].longest
    context = "\n\n".join(passage.text for passage in instance.passages)
    gender = None
    if kind is AnswerType.PERSON:
        answer = person_name(answer)
        gender = gender_of(answer, context)
    mentions = [m for cluster in clusters for m in cluster.mentions]
    holding = tuple(i for i, s in enumerate(sentences) if any(_within(m, s) for m in mentions))
    rng = dice("alternative", instance.query, instance.answers)
    other = (
        None
        if _dated_by(instance.query, answer)
        else alternative(answer, kind, gender, f"{context}\n{instance.query}", rng)
    )
    if _fixed_place(instance.query, kind) or (other is not None and _accepted(other, instance.answers)):
        other = None
    reasons = tuple(_reasons(instance, clusters, sentences, holding))
    return Analysis(
        instance, query, answer, kind, gender, clusters, sentences, holding, topic, question, other, reasons
    )


def _within(mention: Mention, sentence: Sentence) -> bool:
    return (
        mention.passage == sentence.passage and mention.start < sentence.end and mention.end > sentence.start
    )


def _spelt(query: str, passages: tuple[Passage, ...]) -> bool:
    """Whether every word in lower case is a known one or stands in a passage: no misspellings, no uncased names."""
    text = "\n".join(f"{passage.title} {passage.text}" for passage in passages)
    return all(not word.islower() or is_common(plain(word)) or has_word(text, word) for word in tokens(query))


def support(query: str, text: str) -> float:
    """Share of the content words of a question that a text holds, by stem.

    >>> support("who wrote the anthem", "The anthem was written by Ann Lee, who wrote it at sea.")
    1.0
    """
    wanted = content_stems(query)
    return len(wanted & content_stems(text)) / len(wanted) if wanted else 0.0


def _reasons(
    instance: BaseInstance,
    clusters: tuple[Cluster, ...],
    sentences: tuple[Sentence, ...],
    holding: tuple[int, ...],
) -> list[str]:
    found: list[str] = []
    query = instance.query.strip()
    if len(tokens(query)) < 4:
        found.append("the question is a fragment")
    if len(tokens(query)) > 25 or "\n" in query:
        found.append("the question is too long to be read by rule")
    for cluster in clusters:
        if any(has_word(query, alias) for alias in cluster.aliases) or set(
            map(stem, tokens(cluster.longest))
        ) <= set(map(stem, tokens(query))):
            found.append("an answer stands in the question")
            break
    if clusters and _mismatched(query, type_of_answer(query, clusters[0], instance.passages)):
        found.append("the answer is not of the kind that the question asks for")
    if len(clusters) > 3:
        found.append("the answers are a list")
    if all(len(re.sub(r"\W", "", m.text)) < 2 for c in clusters for m in c.mentions) and not any(
        m.text.isdigit() for c in clusters for m in c.mentions
    ):
        found.append("the answer is a single letter")
    if _sung_by_another(instance):
        found.append("another performer is named beside the one asked for")
    best = max((_local_support(instance, sentences, i) for i in holding), default=0.0)
    if best < MIN_SUPPORT:
        found.append(f"weak support: the passage near the answer holds {best:.0%} of the question's words")
    return found


_SUNG = re.compile(r"who (?:sings|sang|sung|recorded|performed)\b", re.IGNORECASE)
_SUNG_BY = re.compile(
    r"\b(?:covered|populari[sz]ed(?: \w+)?|single|version|made famous) by (?:[Tt]he )?((?:[\w’'-]+ ?){1,7})"
)


def _sung_by_another(instance: BaseInstance) -> bool:
    """Whether the question is who sings, and a passage names a performer who is no accepted answer."""
    if not _SUNG.match(instance.query):
        return False
    known = {plain(word) for text in (instance.query, *instance.answers) for word in tokens(text)}
    told = (text for passage in instance.passages for text in _SUNG_BY.findall(passage.text))
    named = ({plain(word) for word in re.findall(r"\b[A-Z]\w+", text)} for text in told)
    return any(words and not words & known for words in named)


def _dated_by(query: str, answer: str) -> bool:
    """Whether the question says the year itself: another year would contradict the question, not the answer."""
    return any(year in query for year in re.findall(r"\b\d{4}\b", answer))


def _accepted(value: str, answers: tuple[str, ...]) -> bool:
    """Whether a made-up value is, or holds, an accepted answer."""
    return any(
        has_word(value, re.sub(r"^(?:in|on|at|by) ", "", a, flags=re.IGNORECASE))
        for a in answers
        if a.strip()
    )


def _fixed_place(query: str, kind: AnswerType) -> bool:
    """Whether the question is where something lies: no other place is believable for a thing that cannot move."""
    return (
        kind is AnswerType.PLACE
        and re.match(r"(?:where (?:is|are)|(?:in )?(?:what|which))\b", query.lower()) is not None
    )


def _mismatched(query: str, kind: AnswerType) -> bool:
    first = query.lower().split()[0] if query.split() else ""
    timely = (AnswerType.DATE, AnswerType.YEAR)
    if first == "when":
        return kind in (AnswerType.PERSON, AnswerType.PLACE, AnswerType.WORK)
    if first == "where":
        return kind in timely or kind is AnswerType.PERSON
    if first in ("who", "whos", "whose"):
        return kind in timely or kind is AnswerType.NUMBER
    if query.lower().startswith("how many"):
        return kind not in (AnswerType.NUMBER, AnswerType.YEAR)
    return False


def _local_support(instance: BaseInstance, sentences: tuple[Sentence, ...], index: int) -> float:
    """Support by the sentence, the ones beside it and the title of its passage."""
    own = sentences[index]
    near = [s.text for s in sentences[max(0, index - 1) : index + 2] if s.passage == own.passage]
    return support(instance.query, " ".join([instance.passages[own.passage].title, *near]))
