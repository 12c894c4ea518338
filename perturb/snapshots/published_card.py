"""The card on the Hub, merged with the generated card of a snapshot, and the list of published rounds.

A card has a YAML header and a page. The generated part of the page is between two marks and is replaced as a whole;
text that people wrote around it stays. The last functions compare the manifests of published rounds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import yaml

from perturb.errors import PublishError
from perturb.records import Facts, JsonObject
from perturb.snapshots.card import escape
from perturb.snapshots.manifest import CARD
from perturb.snapshots.rows import DEFAULT, whole_path
from perturb.snapshots.snapshot import REPLIES

# The part of a card that `perturb publish` replaces lies between these marks; people may write around it.
BEGIN = "<!-- perturb: generated, do not edit between these marks -->"
END = "<!-- perturb: end of the generated part -->"

# The YAML header of a card, between two lines of three hyphens; the group is the YAML.
_HEADER = re.compile(r"\A---\r?\n(.*?\n)?---\r?\n?", re.DOTALL)
# Lists of the header that get the entries of both cards.
_UNITED_FIELDS = ("language", "source_datasets", "tags", "task_categories")
# Fields that depend on the rows: a published field that the generated card lacks is no longer valid.
_ROW_FIELDS = ("license", "license_name", "license_link")


def merge_cards(
    generated: str, published: str | None, rounds: str, former_configs: Collection[str] = ()
) -> str:
    """The generated card, with `rounds` at its end, merged with the published card, if there is one.

    Header: generated fields replace published ones, lists of words are united, other fields stay. The entries of
    `configs` and `dataset_info` for other configurations stay too, unless `former_configs` names them: these are the
    configurations of earlier rounds. Page: the generated part is replaced, or added below the text of people.

    Raises `PublishError` if the header of `published` is not YAML.
    """
    header, page = split_card(generated)
    generated_part = f"{BEGIN}\n{page.strip()}\n\n{rounds.strip()}\n{END}\n"
    if published is None:
        return join_card(header, "\n" + generated_part)
    published_header, published_page = split_card(published)
    merged_header = merge_headers(header, published_header, former_configs)
    return join_card(merged_header, _insert(generated_part, published_page))


def split_card(text: str) -> tuple[JsonObject, str]:
    """Header and page of a card.

    >>> split_card("---\\nlicense: mit\\n---\\n# A\\n")
    ({'license': 'mit'}, '# A\\n')
    """
    match = _HEADER.match(text)
    if match is None:
        return {}, text
    not_yaml = "the header of the card on the Hub is not YAML: fix its README.md there, then publish again"
    try:
        header = yaml.safe_load(match[1] or "")
    except yaml.YAMLError:
        raise PublishError(not_yaml) from None
    if header is None:
        header = {}
    if not isinstance(header, dict):
        raise PublishError(not_yaml)
    return header, text[match.end() :]


def join_card(header: Facts, page: str) -> str:
    """The text of a card."""
    return f"---\n{yaml.safe_dump(dict(header), sort_keys=False, allow_unicode=True)}---\n{page}"


def merge_headers(generated: Facts, published: Facts, former_configs: Collection[str] = ()) -> JsonObject:
    """The merged header of two cards; see `merge_cards`.

    >>> merge_headers({"license": "mit", "tags": ["b"]}, {"license": "isc", "tags": ["a"], "viewer": True})
    {'license': 'mit', 'tags': ['a', 'b'], 'viewer': True}
    """
    # Keys keep the order of the generated card; those of people come after them.
    kept = {key: published[key] for key in published if key not in generated and key not in _ROW_FIELDS}
    merged = {**generated, **kept}
    for key in _UNITED_FIELDS:
        if key in generated and key in published:
            merged[key] = [*dict.fromkeys([*_as_list(published[key]), *_as_list(generated[key])])]
    replaced = {entry["config_name"] for entry in generated.get("configs", ())} | set(former_configs)
    for key in ("configs", "dataset_info"):
        unrelated = [entry for entry in _as_list(published.get(key)) if _config_name(entry) not in replaced]
        entries = [*generated.get(key, ()), *unrelated]
        if entries:
            merged[key] = entries
        else:
            merged.pop(key, None)
    return merged


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _config_name(entry: Any) -> str:
    return str(entry.get("config_name", DEFAULT)) if isinstance(entry, dict) else DEFAULT


def _insert(generated: str, page: str) -> str:
    """A published page with the generated part where the earlier one was, or at its end."""
    start, end = page.find(BEGIN), page.find(END)
    if 0 <= start < end:
        return page[:start] + generated + page[end + len(END) :].lstrip("\n")
    return f"{page.rstrip()}\n\n{generated}" if page.strip() else "\n" + generated


def rounds_section(rounds: Sequence[Facts], repo: str, configs: Sequence[str]) -> str:
    """The part of the page that lists the published rounds, the newest first, and shows how to load them.

    Every entry has `round`, `tag`, `created`, `rows`, `content_digest` and `changed`.
    """
    newest = rounds[0]
    # `load_dataset` needs no name for a single configuration, or for one called default
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
        # Old manifests come from the Hub, where anybody with access may have changed them: no markup passes.
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
    head = [escape(name) for name, _ in columns]
    rows = zip(*(map(escape, texts) for _, texts in columns), strict=True)  # columns become rows
    description = (
        "In percent, with 95 % intervals over base instances; CRS is the mean of answer and refusal accuracy."
    )
    lines = ["## Scores", "", description, "", _table_line(head), "|" + "---|" * len(columns)]
    return "\n".join([*lines, *map(_table_line, rows)])


def _table_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def round_entry(tag: str, manifest: Facts, former: Facts) -> JsonObject:
    """An entry of the list of rounds; `changed` names the inputs that differ from those of the round before."""
    old, new = former.get("digests", {}), manifest["digests"]
    changed = [name for name in sorted(new) if old and old.get(name) != new[name]]
    if former and _generators(former) != _generators(manifest):
        changed.append("generators")
    return {
        "round": manifest["round"],
        "tag": tag,
        "created": manifest["created"],
        "rows": manifest["counts"]["rows"],
        "content_digest": manifest["content_digest"],
        "changed": changed,
    }


def _generators(manifest: Facts) -> list[Any]:
    return [(entry.get("name"), entry.get("model")) for entry in manifest.get("generators", ())]


def config_names(manifest: Facts) -> list[str]:
    """The configurations of a published round, including `default`, controls and prompts."""
    controls = (manifest.get("controls") or {}).get("configs", ())
    prompts = (manifest.get("harness") or {}).get("config")
    default = [DEFAULT] if whole_path(manifest.get("content_digest", "")) in listed_paths(manifest) else []
    return [*default, *manifest.get("configs", ()), *controls, *([prompts] if prompts else [])]


def listed_paths(manifest: Facts) -> set[str]:
    """The files that a manifest lists, and the file of replies, which it does not list."""
    return {*(str(entry["path"]) for entry in manifest.get("files", ())), *([REPLIES] if manifest else [])}


def identity(manifest: Facts) -> list[tuple[str, str]]:
    """The files with their digests: two published rounds are equal if these are.

    The card is left out, since it is merged with the published one.
    """
    files = manifest.get("files", ())
    return sorted((entry["path"], entry["sha256"]) for entry in files if entry["path"] != CARD)
