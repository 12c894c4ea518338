"""The rows of a snapshot for other harnesses: rendered prompts, and the expected reply.

A *harness* is another tool that runs benchmarks, such as Inspect. The prompts are a configuration with two splits,
because items to answer and items to refuse are scored in different ways; controls are left out.

Some harnesses accept only regular expressions. The second half of the module writes the rule that reads refusal codes
as a regular expression. It agrees with `perturb.evaluation.reading.read_code`: the whole reply is a code or a short
form of it, possibly with thinking before it, and with a confidence, quotes, brackets or Markdown around it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from perturb.errors import SnapshotError
from perturb.files.resources import Spool, canonical, digest
from perturb.llm.replies import END_OF_THINKING
from perturb.records import ANSWER_CORRECTLY, Facts, JsonObject
from perturb.snapshots.rows import SnapshotRow, read_part, write_rows

if TYPE_CHECKING:
    from perturb.catalogue.levers import Catalogue

# The configuration name under which `datasets` loads the prompts.
CONFIG = "prompts"
# Items of LOW, which must be answered, and the other items, which must be refused.
SPLITS = ("answerable", "unanswerable")

# The columns of a prompt in the setting `codes`.
_CODES_COLUMNS = (
    "id",
    "source_id",
    "prompt",
    "expected_rag_behavior",
    "answers",
    "match",
    "perturbation_class",
    "intensity",
    "domain",
)
# Also the columns for the setting `plain`: the question, both messages, and why an item cannot be answered.
_COLUMNS = (*_CODES_COLUMNS, "query", "plain_system", "plain_prompt", "flaw")
# Columns that depend on templates and codes, not only on the rows.
_RENDERED = ("prompt", "match", "plain_system", "plain_prompt", "flaw")
# The prompt settings with tasks; snapshots from before version 0.2 have only those of `codes`.
HARNESS_SETTINGS = ("codes", "plain")


@dataclass(frozen=True)
class PromptSet:
    """The prompts of a snapshot."""

    splits: Mapping[str, Sequence[JsonObject]]
    """Split → its rows, in the order of the snapshot; splits without rows are left out."""
    version: str
    """Digest of the templates and codes of the prompts."""
    codes_version: str
    """Digest for the setting `codes` only, as in snapshots from before version 0.2."""

    @cached_property
    def digest(self) -> str:
        """Digest of all prompts and their order (32 hexadecimal digits)."""
        # the same as `digest(version, splits)`, but row by row, so that the rows need not fit in memory
        hashed = hashlib.sha256(f"[{canonical(self.version)},{{".encode())
        for number, (name, rows) in enumerate(sorted(self.splits.items())):
            hashed.update(f"{',' if number else ''}{canonical(name)}:[".encode())
            for position, row in enumerate(rows):
                hashed.update(f"{',' if position else ''}{canonical(row)}".encode("utf-8", "surrogatepass"))
            hashed.update(b"]")
        hashed.update(b"}]")
        return hashed.hexdigest()[:32]

    @property
    def paths(self) -> dict[str, str]:
        """Split → its file, relative to the snapshot's folder."""
        return prompt_paths(self.digest, list(self.splits))

    def entry(self) -> JsonObject:
        """The manifest's entry on the prompts."""
        return {
            "config": CONFIG,
            "digest": self.digest,
            "version": self.version,
            "rows": {name: len(rows) for name, rows in self.splits.items()},
            "settings": list(HARNESS_SETTINGS),
        }


def make_prompts(rows: Sequence[SnapshotRow], catalogue: Catalogue) -> PromptSet:
    """Render the prompts of each row as `perturb evaluate` does; rows that cannot be evaluated are left out."""
    from perturb.catalogue.prompts import code_meanings
    from perturb.snapshots.items import items_of, render_prompt, respond_version
    from perturb.snapshots.settings import load_setting

    plain, meanings = load_setting("plain"), code_meanings(catalogue.own_codes)
    codes, own_codes = catalogue.codes, catalogue.own_codes
    marks = code_marks(codes)
    splits = {name: Spool() for name in SPLITS}
    answerable, unanswerable = SPLITS
    for item in items_of(rows, catalogue.own_classes):
        system, user = plain.messages(item)
        splits[answerable if item.answerable else unanswerable].append(
            {
                "id": item.id,
                "source_id": item.base_id,
                "prompt": render_prompt(item, own_codes=own_codes),
                "expected_rag_behavior": item.expected_behavior,
                "answers": list(item.answers),
                "match": item.answers[0] if item.answerable else marks[item.expected_behavior],
                "perturbation_class": str(item.cell.perturbation_class),
                "intensity": item.intensity,
                "domain": item.domain,
                "query": item.query,
                "plain_system": system.content,
                "plain_prompt": user.content,
                "flaw": "" if item.answerable else meanings[item.expected_behavior],
            }
        )
    # The digest in the path of the prompts changes with every template that a harness uses.
    codes_version = digest(respond_version(own_codes), dict(codes))
    version = digest(codes_version, plain.version(), meanings)
    return PromptSet({name: members for name, members in splits.items() if members}, version, codes_version)


def prompt_paths(prompts_digest: str, splits: Sequence[str]) -> dict[str, str]:
    """Split → its file, relative to the snapshot's folder.

    >>> prompt_paths("ab", ["answerable"])
    {'answerable': 'harness/data/ab/answerable.parquet'}
    """
    return {name: f"harness/data/{prompts_digest}/{name}.parquet" for name in splits}


def write_prompts(folder: Path, prompts: PromptSet) -> None:
    """Write the prompts into a snapshot; the same prompts give the same bytes with the same version of pyarrow."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    schema = pa.schema([(name, texts if name == "answers" else pa.string()) for name in _COLUMNS])
    for name, path in prompts.paths.items():
        write_rows(folder / path, prompts.splits[name], schema)


def check_prompts(folder: Path, entry: Facts, expected: PromptSet) -> list[str]:
    """Compare the prompts in a snapshot with those of its rows; return the problems.

    Prompts from templates of another version are compared without their rendered texts. Prompts from before version 0.2
    are compared in the columns that they have.
    """
    is_older = "settings" not in entry
    columns: tuple[str, ...] = _CODES_COLUMNS if is_older else _COLUMNS
    version = expected.codes_version if is_older else expected.version
    if entry["version"] != version:
        columns = tuple(name for name in columns if name not in _RENDERED)
    problems = []
    for split, path in prompt_paths(entry["digest"], list(entry["rows"])).items():
        try:
            rows = read_part(folder / path).to_pylist()
        except SnapshotError as error:
            return [str(error)]
        if _select(columns, rows) != _select(columns, expected.splits.get(split, ())):
            problems.append(f"{path}: the prompts are not those of the rows")
    if entry["rows"] != expected.entry()["rows"]:
        problems.append("the numbers of prompts in the manifest are not those of the rows")
    return problems


def _select(columns: Sequence[str], rows: Sequence[Facts]) -> list[JsonObject]:
    """The rows with these columns alone."""
    return [{name: row.get(name) for name in columns} for row in rows]


# Quotes, brackets, Markdown and punctuation around a code, as in `**[REFUSE_OTHER]**`.
#
# The repetition is limited, so that a reply of only such characters is read in linear time.
DECORATION = r"""[\s*_`'"\u201c\u201d\u2018\u2019\[\](){}<>|.,:;!-]{0,20}"""
# As in `VERY_CONFIDENT` or `somewhat uncertain`; all patterns ignore case.
_LEVEL = r"(?:VERY|SOMEWHAT)?[\s_-]*(?:CONFIDENT|UNCERTAIN)"


def _confidence_line(level: str) -> str:
    """The pattern of a line such as `Confidence level: **VERY CONFIDENT** (90 %)`, with this pattern of the level."""
    return (
        r"(?:^|[\s|*_`\[(])CONFIDENCE(?:[ _]LEVEL)?[*_`]{0,3}\s?[:=]"
        rf"{DECORATION}{level}{DECORATION}"
        r"(?:\([^()\n]{0,60}\))?[*_`.]{0,3}[ \t]*$"
    )


_CONFIDENCE = _confidence_line(_LEVEL)
# A statement of confidence at the end of a line; its only group is the level.
STATED_CONFIDENCE = _confidence_line(f"({_LEVEL})")


def refusal_spellings(codes: Mapping[str, str]) -> dict[str, str]:
    """Spelling of a refusal code → the canonical code; `codes` is `Catalogue.codes`."""
    return {spelling: code for spelling, code in codes.items() if code != ANSWER_CORRECTLY}


def code_pattern(codes: Mapping[str, str]) -> str:
    """A pattern for a reply that is a refusal code; its only group is the code as the reply spells it.

    >>> import re
    >>> pattern = code_pattern({"REFUSE_AMBIGUOUS": "REFUSE_AMBIGUOUS_QUERY"})
    >>> re.findall(pattern, "**refuse_ambiguous**"), re.findall(pattern, "REFUSE_AMBIGUOUS, it seems")
    (['refuse_ambiguous'], [])
    """
    spellings = sorted(refusal_spellings(codes), key=len, reverse=True)
    return _whole_reply(f"({'|'.join(spellings)})")


def mark_pattern(codes: Mapping[str, str]) -> str:
    """As `code_pattern`, but the group has only the code's mark (`code_marks`), which all its spellings share.

    It is for harnesses that compare a group with one target text and cannot map one spelling to another.

    >>> import re
    >>> known = {"REFUSE_MISSING": "REFUSE_INFO_MISSING", "REFUSE_INFO_MISSING": "REFUSE_INFO_MISSING"}
    >>> [re.search(mark_pattern(known), spelling).groups() for spelling in known]
    [(None, '_MISSING'), ('_MISSING', None)]
    """
    marks = code_marks(codes)
    spellings = []
    for spelling, code in sorted(refusal_spellings(codes).items(), key=lambda pair: -len(pair[0])):
        before, mark, after = spelling.partition(marks[code])
        spellings.append(f"{before}({mark}){after}")
    return _whole_reply(f"(?:{'|'.join(spellings)})")


def code_marks(codes: Mapping[str, str]) -> dict[str, str]:
    """Canonical refusal code → its mark, the longest part that all its spellings share.

    Some harnesses compare what a pattern finds with one text. So all spellings of a code must show them the same text.

    >>> code_marks({"REFUSE_MISSING": "REFUSE_INFO_MISSING", "REFUSE_INFO_MISSING": "REFUSE_INFO_MISSING"})
    {'REFUSE_INFO_MISSING': '_MISSING'}
    """
    spellings = refusal_spellings(codes)
    return {
        code: _shared_part([spelling for spelling in spellings if spellings[spelling] == code])
        for code in dict.fromkeys(spellings.values())
    }


def _shared_part(texts: list[str]) -> str:
    """The longest text that occurs in all of these texts; the first if several are equally long."""
    shortest = min(texts, key=len)
    bounds = combinations(range(len(shortest) + 1), 2)
    pieces = (shortest[start:end] for start, end in bounds)
    return max((piece for piece in pieces if all(piece in text for text in texts)), key=len)


def _whole_reply(code: str) -> str:
    """The pattern of a reply that is only `code`, with what may be around it; at most 200 characters after thinking."""
    thinking = rf"(?:.*{END_OF_THINKING})?\s*"
    at_most_200_characters = r"(?=\S.{0,199}\s*\Z)"
    confidence_before = rf"(?:{DECORATION}{_CONFIDENCE})*"
    confidence_after = rf"(?:{_CONFIDENCE}{DECORATION})*"
    return (
        rf"(?ims)\A{thinking}{at_most_200_characters}"
        rf"{confidence_before}{DECORATION}{code}{DECORATION}{confidence_after}\s*\Z"
    )
