"""The page of a run, served from a ledger or written as a static site.

`RunView` (of a build, in `build_view`) and `EvaluationView` (here) read the data of the page from a ledger. `ViewSite`
serves them; `write_bundle` writes them as files. A browser forbids a local page to read files from its folder, but runs
scripts from there, so the data files of a static site are scripts that pass JSON to a function.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from perturb.catalogue.classes import OwnCode
from perturb.catalogue.levers import Catalogue
from perturb.errors import ConfigError
from perturb.evaluation.adapters import judge_request, kind_request, respond_request
from perturb.evaluation.answers import KIND as GRADE
from perturb.evaluation.bas import BasTask
from perturb.evaluation.refusal_index import RefusalIndexTask
from perturb.evaluation.results import classes_of, judgement_holds, outcome_of
from perturb.evaluation.session import RULE
from perturb.files.resources import atomic_directory, code_version
from perturb.files.templating import asset
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import holds_items, read_facts
from perturb.ledger.plans import key_variables_of
from perturb.llm.redaction import show_key
from perturb.metrics.outcomes import ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.records import Facts, Item, JsonObject, taxonomy_place
from perturb.reports.build_view import (
    ITEMS_PER_PAGE,
    BuildView,
    Filters,
    ListRow,
    RunView,
    plain_item,
    prompt,
)
from perturb.reports.local_server import (
    POLICY,
    Reply,
    Request,
    asset_reply,
    json_reply,
    nothing_here,
    page_reply,
)
from perturb.reports.run_data import describe_replies, mark_of
from perturb.snapshots.settings import (
    CODES_SETTING,
    PromptSetting,
    fingerprint_of,
    name_with_prompt,
    name_with_sample,
    setting_of,
    settings_by_variant,
    split_sample,
)
from perturb.text.wording import counted

# Every reply with its item and judgements: `class_*` say answer or which refusal, `grade_*` how good an answer is.
_REPLIES = f"""
    SELECT
        reply.*,
        item.payload,
        class.value AS class_value,
        class.fingerprint AS class_version,
        grade.value AS grade_value,
        grade.fingerprint AS grade_version
    FROM items item
    JOIN responses reply ON reply.item_id = item.id
    LEFT JOIN judgements class
        ON class.item_id = item.id AND class.model = reply.model AND class.variant = reply.variant
        AND class.kind = 'classification'
    LEFT JOIN judgements grade
        ON grade.item_id = item.id AND grade.model = reply.model AND grade.variant = reply.variant
        AND grade.kind IN ('quality', 'raf', '{GRADE}')
"""
# The judgements that a model makes with a prompt of its own, which the page shows.
_PROMPTED_KINDS = ("classification", "quality", "raf")


class EvaluationView(RunView):
    """The items, or questions, of an evaluation that a model has replied to."""

    text_sql = r"""
        s.id LIKE :text
        OR s.id IN (SELECT id FROM items WHERE payload LIKE :quoted ESCAPE '\')
        OR s.id IN (SELECT item_id FROM responses WHERE text LIKE :text ESCAPE '\')
    """

    def __init__(self, run: Path, *, published: bool = False) -> None:
        super().__init__(run, published=published)
        self._outcomes: Counter[tuple[str, str, str]] = Counter()
        """The number of replies by cell, model and outcome."""
        self._read_facts()

    def _read_facts(self) -> None:
        facts = read_facts(self.db)
        self.models: Facts | None = facts.get("models")
        """The stored facts by model under test; None for an evaluation on questions, which have no cells."""
        if self.models:
            self.item_set = facts["snapshot"]
        else:
            kind = next(task.fact for task in (RefusalIndexTask, BasTask) if task.fact in facts)
            self.item_set = facts[kind]["questions"]

    def make_rows(self) -> Iterable[ListRow]:
        """The rows in the order of the snapshot."""
        self._read_facts()  # a model may have been added since
        self._outcomes.clear()
        rows = self.db.execute(f"{_REPLIES} ORDER BY item.position, reply.model, reply.variant")
        for item_id, item_rows in groupby(filter(self._is_current, rows), key=itemgetter("item_id")):
            replies = list(item_rows)
            content = json.loads(replies[0]["payload"])
            cell = f"{content['perturbation_class']}/{content['intensity']}" if self.models else ""
            outcomes = [(self._label(row), _words(self._verdict(row, content))) for row in replies]
            self._outcomes.update((cell, model, outcome) for model, outcome in outcomes)
            yield ListRow(
                id=item_id,
                cell=cell,
                lever=content.get("lever") or "",
                generator=content.get("generator") or "",
                verdict="\n".join(f"{model}: {outcome}" for model, outcome in outcomes),
                disagreement=len({outcome for _, outcome in outcomes}) > 1,
                query=content["query" if self.models else "text"],
            )

    def describe(self) -> JsonObject:
        """Outcomes by model, and the share of right replies by cell; each number comes with the filter of its items."""
        models = sorted({model for _, model, _ in self._outcomes})
        grids = [_outcome_grid(self._outcomes, models)]
        if self.models:
            grids.append(_right_grid(self._outcomes, models))
        items = self.db.execute("SELECT count(*) FROM items").fetchone()[0]
        replies = self._outcomes.total()
        return {
            "kind": "evaluation",
            "title": self.item_set["name"],
            "subtitle": f"evaluation of {counted(len(models), 'model')} on {counted(items, 'item')}",
            "done": replies,
            "of": max(items * len(models), replies),  # with several samples there are more replies than pairs
            "funnel": [["items", items, None], ["replies", replies, {}]],
            "grids": grids,
        }

    def describe_item(self, item_id: str) -> JsonObject:
        """The item with its texts, its prompts, and each reply with its judgements and the texts of the judges."""
        rows = list(filter(self._is_current, self.db.execute(f"{_REPLIES} WHERE item.id = ?", (item_id,))))
        payload = json.loads(rows[0]["payload"])
        replies = [self._reply(row, payload) for row in rows]
        if not self.models:
            return {**_question_content(payload), "id": item_id, "replies": replies}
        item = Item.from_payload(item_id, payload)
        prompts = []
        for variant in sorted({row["variant"] for row in rows}):
            # Models that were asked in the same variant got the same prompt.
            asked = [row for row in rows if row["variant"] == variant]
            request = respond_request(item, variant, self._own_codes, self._setting(asked[0]))
            prompts.append(prompt(", ".join(row["model"] for row in asked), request))
        for row in rows:
            prompts += self._judge_prompts(item, row)
        note = f"Rebuilt from the templates of perturb {code_version()}."
        return {**describe_replies(item, replies), "prompts": prompts, "prompt_note": note}

    @cached_property
    def _own_codes(self) -> tuple[OwnCode, ...]:
        return Catalogue.load().with_classes(classes_of({"snapshot": self.item_set})).own_codes

    def _is_current(self, row: sqlite3.Row) -> bool:
        """Whether a reply counts: it was given to the settings that the model has now."""
        if self.models is None:
            return True
        entry = self.models.get(row["model"])
        return entry is not None and row["fingerprint"] == fingerprint_of(entry, row["variant"])

    def _setting(self, row: sqlite3.Row) -> PromptSetting:
        """The setting in which a model was asked for a reply to an item."""
        return setting_of(self.models[row["model"]], row["variant"]) if self.models else CODES_SETTING

    def _label(self, row: sqlite3.Row) -> str:
        """The name of the model, with its setting and sample if it has several."""
        if not self.models:
            return f"{row['model']}, {row['variant']}"
        has_settings = len(settings_by_variant(self.models[row["model"]])) > 1
        name = name_with_prompt(row["model"], self._setting(row).name) if has_settings else str(row["model"])
        return name_with_sample(name, split_sample(row["variant"])[1])

    def _verdict(self, row: sqlite3.Row, payload: Facts) -> str:
        """The outcome of a reply to an item, or the grade of a reply to a question."""
        if self.models is None:
            return str(json.loads(row["grade_value"] or "{}").get("grade", "not graded"))
        authors = self.models[row["model"]]["authors"]
        values: JsonObject = {}
        for kind in ("class", "grade"):
            # A judgement of an earlier text, or by other judges than now, does not count.
            if row[f"{kind}_value"] and judgement_holds(row[f"{kind}_version"], authors, row["text"]):
                values |= json.loads(row[f"{kind}_value"])
        return outcome_of(payload["expected_behavior"], values)

    def _judgements(self, row: sqlite3.Row, table: str = "judgements") -> list[sqlite3.Row]:
        return self.db.execute(
            f"SELECT * FROM {table} WHERE item_id = ? AND model = ? AND variant = ? ORDER BY kind, judge",
            (row["item_id"], row["model"], row["variant"]),
        ).fetchall()

    def _reply(self, row: sqlite3.Row, payload: Facts) -> JsonObject:
        """The JSON of a reply and its judgements, as the page shows them."""
        outcome = self._verdict(row, payload)
        judgements = self._judgements(row)
        judged_values = [
            f"{_words(name)}: {value}"
            for judgement in judgements
            for name, value in json.loads(judgement["value"]).items()
            if name != "answer"
        ]
        judge_texts = []
        for judgement in (*judgements, *self._judgements(row, "judge_votes")):
            # The raw text of a failed judgement may be an error, which is not published.
            is_hidden = self.published and judgement["status"] == "unscored"
            if judgement["raw"] and not is_hidden:
                judge_texts.append([f"{judgement['judge']}, {judgement['kind']}", judgement["raw"]])
        failed = row["status"] == "error"
        error = "" if self.published else row["error"]
        return {
            "model": self._label(row),
            "predicted": "no reply" if failed else _words(outcome),
            "outcome": "",  # the page shows this field beside `predicted`, and it would say the same
            "mark": mark_of(ReplyOutcome(outcome)) if self.models else _GRADE_MARKS.get(outcome, "unscored"),
            "judged": ", ".join(judged_values),
            "text": error if failed else row["text"] or "(an empty reply)",
            "said": judge_texts,
        }

    def _judge_prompts(self, item: Item, row: sqlite3.Row) -> Iterable[JsonObject]:
        for judgement in self._judgements(row):
            if judgement["judge"] != RULE and judgement["kind"] in _PROMPTED_KINDS:
                # A reply in plain words, without a code, is classified with a prompt of its own.
                is_free = judgement["kind"] == "classification" and self._setting(row).is_free_form
                make_request = kind_request if is_free else partial(judge_request, judgement["kind"])
                request = make_request(item, row["text"], self._own_codes)
                yield prompt(f"{judgement['judge']}, {judgement['kind']} of {row['model']}", request)


def _outcome_grid(counts: Counter[tuple[str, str, str]], models: Sequence[str]) -> JsonObject:
    """The number of replies by model and outcome; `counts` are by cell, model and outcome.

    A row of a grid is its heading and a list of fields. A field is a number and the filter of its items.
    """
    by_model: Counter[tuple[str, str]] = Counter()
    for (_, model, outcome), count in counts.items():
        by_model[model, outcome] += count
    last = len(_OUTCOME_ORDER)
    outcomes = sorted(
        {outcome for _, outcome in by_model}, key=lambda name: (_OUTCOME_ORDER.get(name, last), name)
    )
    rows = []
    for model in models:
        fields = [[by_model[model, outcome], {"verdict": f"{model}: {outcome}"}] for outcome in outcomes]
        rows.append([model, fields])
    return {"title": "What became of the replies", "columns": outcomes, "rows": rows}


def _right_grid(counts: Counter[tuple[str, str, str]], models: Sequence[str]) -> JsonObject:
    """The share of right replies by cell and model; see `_outcome_grid`."""
    right: Counter[tuple[str, str]] = Counter()
    replies: Counter[tuple[str, str]] = Counter()
    for (cell, model, outcome), count in counts.items():
        replies[cell, model] += count
        if outcome in _RIGHT_WORDS:
            right[cell, model] += count
    rows = []
    for cell in sorted({cell for cell, _ in replies}, key=taxonomy_place):
        fields = [[_percent(right[cell, name], replies[cell, name]), {"cell": cell}] for name in models]
        rows.append([cell, fields])
    return {"title": "Right replies by cell and model, in percent", "columns": models, "rows": rows}


def _question_content(payload: Facts) -> JsonObject:
    """The JSON of a question without its replies. The templates that would rebuild its prompt are not kept."""
    options = "\n".join(f"{letter}. {text}" for letter, text in (payload.get("options") or {}).items())
    texts = [text for text in (options, payload.get("context")) if text]
    return {**plain_item(payload["text"], texts, payload["answers"]), "reason": "", "prompts": []}


def _words(outcome: str) -> str:
    return outcome.replace("_", " ")


# Right outcomes of replies to items, and the right grade of a reply to a question.
_RIGHT_WORDS = {*(_words(outcome) for outcome in RIGHT), "CORRECT"}
# The order of outcomes on the page, that of the taxonomy.
_OUTCOME_ORDER = {_words(outcome): number for number, outcome in enumerate(ReplyOutcome)}
# Grade of a reply to a question → its mark on the page; every other grade is unscored.
_GRADE_MARKS = {"CORRECT": "right", "INCORRECT": "wrong"}


def _percent(part: int, total: int) -> int | None:
    return round(100 * part / total) if total else None


# The styles and scripts of the served page.
STYLES = ("report/base.css", "report/items.css", "view/view.css")
SCRIPTS = ("report/items.js", "view/view.js")


def open_view(run: Path, *, published: bool = False) -> RunView:
    """The run in a folder, of a build or an evaluation; `published` leaves the texts of errors out.

    Raises `LedgerError` if there is no run.
    """
    with reading(run) as db:
        kind = EvaluationView if holds_items(db) else BuildView
    return kind(run, published=published)


def page_values(title: str, policy: str = "", scripts: tuple[str, ...] = SCRIPTS) -> JsonObject:
    """The variables of `view/page.html.j2`. A static page carries its content security `policy` itself."""
    return {
        "title": title,
        "policy": policy,
        "styles": [Path(name).name for name in STYLES],
        "scripts": [Path(name).name for name in scripts],
    }


class ViewSite:
    """Answers the requests of the browser."""

    def __init__(self, view: RunView) -> None:
        self._view = view

    def __call__(self, request: Request) -> Reply:
        """The page, one of its files, or data as JSON.

        Raises `Refused` for an unknown address, and `LedgerError` if the ledger cannot be read.
        """
        path = request.path
        filters = Filters.of_query(request.query)
        if request.read_json is not None:
            raise nothing_here()
        if path == "":
            return page_reply("view/page.html.j2", **page_values(self._view.run.name))
        if reply := asset_reply(path, (*STYLES, *SCRIPTS)):
            return reply
        if path == "data/overview":
            return json_reply(self._view.overview())
        if path == "data/items":
            return json_reply(self._view.find(filters, request.number("start")))
        if path == "data/item" and (item := self._view.item(request.query.get("id", ""), filters)):
            return json_reply(item)
        raise nothing_here()


# The scripts of a static page. `bundle.js` receives the data files, so it must come before `view.js`.
_BUNDLE_SCRIPTS = ("report/items.js", "view/bundle.js", "view/view.js")


def write_bundle(view: RunView, folder: Path) -> int:
    """Write the page of a run, opened as `published`, into a folder; return the number of its items.

    An earlier bundle in the folder is replaced. Raises `ConfigError` if the folder has other files, or if a text
    contains a key.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "data" / "overview.js").exists():
        raise ConfigError(
            f"{folder}: the folder has other files: give a new folder, or an earlier bundle to replace"
        )
    overview = view.overview()
    with reading(view.run) as db:
        variables = key_variables_of(db)
    with atomic_directory(folder) as target:
        (target / "data").mkdir()
        for name in (*STYLES, *_BUNDLE_SCRIPTS):
            (target / Path(name).name).write_text(asset(name), encoding="utf-8")
        values = page_values(overview["title"], POLICY, _BUNDLE_SCRIPTS)
        html = page_reply("view/page.html.j2", **values).body
        (target / "index.html").write_text(html, encoding="utf-8")
        all_rows = view.find(Filters({}), 0, overview["items"])
        rows = all_rows["items"]
        _write_data(target, "overview", {**overview, "running": False}, variables)
        _write_data(target, "items", all_rows, variables)
        # The texts of items go to several files, so that the browser loads only those of items that are opened.
        for start in range(0, len(rows), ITEMS_PER_PAGE):
            ids = [row["id"] for row in rows[start : start + ITEMS_PER_PAGE]]
            items = {item_id: view.item(item_id, Filters({})) for item_id in ids}
            _write_data(target, f"items-{start // ITEMS_PER_PAGE}", items, variables)
    return len(rows)


def _write_data(folder: Path, name: str, content: Any, variables: set[str]) -> None:
    """Write a data file. Raises `ConfigError` if it contains a key, such as the value of one of `variables`."""
    if masked_key := show_key(content, variables):
        raise ConfigError(
            f"the run's texts contain a key ({masked_key}): nothing is published; take it out first"
        )
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = f"perturbData({json.dumps(name)}, {text});\n"
    (folder / "data" / f"{name}.js").write_text(script, encoding="utf-8", errors="replace")
