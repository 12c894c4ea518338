"""Merges our card into the one on the Hub, and lists the published rounds.

What we generate stands between two marks and is replaced as a whole; what others wrote around it stays. Manifests of
published rounds tell whether two rounds are the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import yaml

from perturb.errors import PublishError
from perturb.records import Facts, JsonObject
from perturb.snapshots.card import escape
from perturb.snapshots.manifest import CARD
from perturb.snapshots.rows import DEFAULT, whole_path
from perturb.snapshots.snapshot import REPLIES

BEGIN = "<!-- perturb: generated, do not edit between these marks -->"
END = "<!-- perturb: end of the generated part -->"

_HEADER = re.compile(r"\A---\r?\n(.*?\n)?---\r?\n?", re.DOTALL)
_UNITED = ("language", "source_datasets", "tags", "task_categories")
"""Lists of the header to which both sides add."""
_OWNED = ("license", "license_name", "license_link")
"""Fields that follow from our rows: one that we do not write does not hold any more."""


def merge_cards(ours: str, theirs: str | None, rounds: str, former: Collection[str] = ()) -> str:
    """Our card, with `rounds` at its end, merged into the card `theirs` of the repository, if it has one.

    Header: our fields win, lists of words are united, unknown fields stay; `configs` and `dataset_info` of
    configurations that are not ours stay (`former` names those of our earlier rounds, which do not). Page: our part
    is replaced, or put below what others wrote.

    Raises `PublishError` if the header of `theirs` is not YAML.
    """
    header, page = split_card(ours)
    generated = f"{BEGIN}\n{page.strip()}\n\n{rounds.strip()}\n{END}\n"
    if theirs is None:
        return join_card(header, "\n" + generated)
    published_header, published_body = split_card(theirs)
    return join_card(merge_headers(header, published_header, former), _place(generated, published_body))


def split_card(text: str) -> tuple[JsonObject, str]:
    """Header and page of a card.

    >>> split_card("---\\nlicense: mit\\n---\\n# A\\n")
    ({'license': 'mit'}, '# A\\n')
    """
    match = _HEADER.match(text)
    if match is None:
        return {}, text
    try:
        header = yaml.safe_load(match[1] or "")
    except yaml.YAMLError:
        header = text
    if header is None:
        header = {}
    if not isinstance(header, dict):
        raise PublishError(
            "the header of the card on the Hub is not YAML: fix its README.md there, then publish again"
        )
    return header, text[match.end() :]


def merge_headers(ours: Facts, theirs: Facts, former: Collection[str] = ()) -> JsonObject:
    """One header of two; see `merge_cards`.

    >>> merge_headers({"license": "mit", "tags": ["b"]}, {"license": "isc", "tags": ["a"], "viewer": True})
    {'license': 'mit', 'tags': ['a', 'b'], 'viewer': True}
    """
    merged = {**{key: value for key, value in theirs.items() if key not in _OWNED}, **ours}
    for key in _UNITED:
        if key in ours and key in theirs:
            merged[key] = [*dict.fromkeys([*_listed(theirs[key]), *_listed(ours[key])])]
    names = {entry["config_name"] for entry in ours.get("configs", ())} | set(former)
    for key in ("configs", "dataset_info"):
        unrelated = [entry for entry in _listed(theirs.get(key)) if _config_name(entry) not in names]
        entries = [*ours.get(key, ()), *unrelated]
        merged.pop(key, None)
        if entries:
            merged[key] = entries
    order = [*ours, *theirs]
    return {key: merged[key] for key in dict.fromkeys(order) if key in merged}


def rounds_section(rounds: Sequence[Facts], repo: str, configs: Sequence[str]) -> str:
    """The part of the page that lists the published rounds, newest first, and says how to load each.

    Every entry has `round`, `tag`, `created`, `rows`, `content_digest` and `changed`.
    """
    newest = rounds[0]
    name = "" if DEFAULT in configs or len(configs) == 1 else f' "{configs[0]}",'
    lines = [
        "## Published rounds",
        "",
        "Each round has a tag of its own and stays as it is; the main branch holds the newest.",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'rows = load_dataset("{repo}",{name} split="test", revision="{newest["tag"]}")',
        "```",
        "",
        "| round | tag | made | items | content digest | changed since the round before |",
        "|---|---|---|---:|---|---|",
    ]
    for entry in rounds:
        day = str(entry["created"] or "")[:10]
        round_name = re.sub(r"[^\w .:+-]", "-", str(entry["round"]))
        changed = ", ".join(entry["changed"]) or (
            "the items" if entry is not rounds[-1] else "the first round"
        )
        lines.append(
            f"| {round_name} | `{entry['tag']}` | {day} | {entry['rows']} | `{entry['content_digest']}` | {changed} |"
        )
    return "\n".join(lines)


def scores_section(columns: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The part of the page with the scores of models; each column has a name and its texts.

    >>> print(scores_section([("model", ["a|b"]), ("CRS", ["65.3"])]).partition("\\n\\n|")[2])
     model | CRS |
    |---|---|
    | a\\|b | 65.3 |
    """
    lines = [
        [escape(name) for name, _ in columns],
        *zip(*(map(escape, texts) for _, texts in columns), strict=True),
    ]
    head, *rows = [f"| {' | '.join(line)} |" for line in lines]
    description = (
        "In percent, with 95 % intervals over base instances; CRS is the mean of answer and refusal accuracy."
    )
    return "\n".join(["## Scores", "", description, "", head, "|" + "---|" * len(columns), *rows])


def join_card(header: Facts, page: str) -> str:
    """The text of a card."""
    return f"---\n{yaml.safe_dump(dict(header), sort_keys=False, allow_unicode=True)}---\n{page}"


def _place(generated: str, page: str) -> str:
    start, end = page.find(BEGIN), page.find(END)
    if 0 <= start < end:
        return page[:start] + generated + page[end + len(END) :].lstrip("\n")
    return f"{page.rstrip()}\n\n{generated}" if page.strip() else "\n" + generated


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _config_name(entry: Any) -> str:
    return str(entry.get("config_name", "default")) if isinstance(entry, dict) else "default"


def round_entry(tag: str, manifest: Facts, former: Facts) -> JsonObject:
    """A line of the list of rounds; `changed` names what went in and is not as it was before."""
    old, new = former.get("digests", {}), manifest["digests"]
    changed = [name for name in sorted(new) if old and old.get(name) != new[name]]
    if former and _names(former) != _names(manifest):
        changed.append("generators")
    return {
        "round": manifest["round"],
        "tag": tag,
        "created": manifest["created"],
        "rows": manifest["counts"]["rows"],
        "content_digest": manifest["content_digest"],
        "changed": changed,
    }


def config_names(manifest: Facts) -> list[str]:
    """The configurations of a published round, `default`, controls and prompts included."""
    beside = (manifest.get("controls") or {}).get("configs", ())
    prompts = (manifest.get("harness") or {}).get("config")
    default = [DEFAULT] if whole_path(manifest.get("content_digest", "")) in paths(manifest) else []
    return [*default, *manifest.get("configs", ()), *beside, *([prompts] if prompts else [])]


def _names(manifest: Facts) -> list[Any]:
    return [(entry.get("name"), entry.get("model")) for entry in manifest.get("generators", ())]


def paths(manifest: Facts) -> set[str]:
    """The files that a manifest lists, and the replies that may lie beside them."""
    return {*(str(entry["path"]) for entry in manifest.get("files", ())), *([REPLIES] if manifest else [])}


def identity(manifest: Facts) -> list[tuple[str, str]]:
    """What makes two published rounds the same: every file but the card, which is merged."""
    files = manifest.get("files", ())
    return sorted((entry["path"], entry["sha256"]) for entry in files if entry["path"] != CARD)
