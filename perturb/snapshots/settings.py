"""Prompt settings: the prompts with which a model under test is asked about an item.

`codes` is a prompt as in the paper, which lists the refusal codes. `plain` is a short prompt as on a search page, which
mentions neither codes nor refusals. Every other setting is a template of the user, with the blocks `system` and `user`.
Replies in all settings but `codes` are free-form: a judge decides which kind of reply they are.

The ledger stores a reply under a *variant*: `prompt/` with the name of the setting, and the number of the sample if it
is not the first. So `prompt/plain/3` is the third reply in the setting `plain`. In the setting `codes`, the variant is
the form of the prompt instead (`items.Variant`): `plain` or `confidence`. This `plain` is not the setting.

An *entry* is what the ledger's facts say of a model under test: its prompts by variant, with their fingerprints, and
its number of samples. An entry of an older ledger has one `variant` with its `fingerprint` instead of `prompts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perturb.catalogue.classes import OwnCode
from perturb.catalogue.prompts import numbered_passages
from perturb.errors import ConfigError
from perturb.files.resources import data_folder, digest, read_text
from perturb.files.templating import render_blocks
from perturb.llm.client import Message
from perturb.records import Facts, Item, JsonObject
from perturb.snapshots.items import Variant, render_prompt, respond_version

# The names of the built-in settings.
CODES, PLAIN = "codes", "plain"


@dataclass(frozen=True, slots=True)
class PromptSetting:
    """A prompt for models under test."""

    name: str
    """`codes`, `plain`, or the name of a file without its ending."""
    source: str = ""
    """The text of the template; empty for `codes`, which has several templates."""

    @property
    def is_free_form(self) -> bool:
        """Whether replies are free-form: the prompt lists no codes, and a judge names the kind of each reply."""
        return bool(self.source)

    def variant(self, coded_variant: Variant) -> str:
        """The key of the replies in the ledger; for the setting `codes` it is the form of the prompt."""
        return f"prompt/{self.name}" if self.is_free_form else coded_variant

    def version(self, own_codes: tuple[OwnCode, ...] = ()) -> str:
        """Digest of the templates of the prompt."""
        return digest(self.source) if self.is_free_form else respond_version(own_codes)

    def messages(
        self, item: Item, variant: Variant = "plain", own_codes: tuple[OwnCode, ...] = ()
    ) -> tuple[Message, ...]:
        """The messages about an item. Raises `ConfigError` if a template of the user cannot be rendered."""
        if not self.is_free_form:
            return (Message("user", render_prompt(item, variant, own_codes)),)
        return self.render(item.query, numbered_passages(item.passages, roles=False)["passages"])

    def render(self, query: str, passages: Sequence[JsonObject]) -> tuple[Message, ...]:
        """The messages of a template about a question and its passages, each with `number`, `title` and `text`.

        Raises `ConfigError` if the template cannot be rendered, or if its block `user` is empty.
        """
        values = {"query": query, "passages": passages}
        system, user = render_blocks(self.source, ("system", "user"), values, f"prompt '{self.name}'")
        if not user:
            raise ConfigError(f"prompt '{self.name}': the block 'user' is empty: put the question in it")
        user_message = Message("user", user)
        return (Message("system", system), user_message) if system else (user_message,)


CODES_SETTING = PromptSetting(CODES)


def load_setting(name: str) -> PromptSetting:
    """The setting of this name: `codes`, `plain`, or a template file. Raises `ConfigError`.

    >>> load_setting("plain").is_free_form, load_setting("codes").is_free_form
    (True, False)
    """
    if name == CODES:
        return CODES_SETTING
    if name == PLAIN:
        path = data_folder("templates") / "respond" / "settings" / f"{PLAIN}.j2"
        return PromptSetting(PLAIN, path.read_text(encoding="utf-8"))
    path = Path(name)
    if path.suffix != ".j2":
        raise ConfigError(f"prompt '{name}' is not known: give {CODES}, {PLAIN} or a file FILE.j2")
    if path.stem in (CODES, PLAIN):
        raise ConfigError(f"{name}: '{path.stem}' is the name of a built-in prompt: rename the file")
    setting = PromptSetting(path.stem, read_text(path, ConfigError))
    # A template with a fault must be refused before any model is asked.
    setting.render("Who?", [{"number": 1, "title": "Title", "text": "Text."}])
    return setting


def load_settings(names: Sequence[str]) -> tuple[PromptSetting, ...]:
    """The settings with these names; without names, `codes`. Raises `ConfigError` also if two have the same name."""
    settings = tuple(load_setting(name) for name in names or (CODES,))
    stems = [setting.name for setting in settings]
    if repeated := [name for name in stems if stems.count(name) > 1]:
        raise ConfigError(f"prompt '{repeated[0]}' is given twice: name each once")
    return settings


def split_sample(variant: str) -> tuple[str, int]:
    """The variant of a setting, and the number of the sample, from 1.

    >>> split_sample("plain"), split_sample("prompt/plain/3")
    (('plain', 1), ('prompt/plain', 3))
    """
    parts = variant.split("/")
    setting_parts = 2 if parts[0] == "prompt" else 1
    sample = int(parts[setting_parts]) if len(parts) > setting_parts else 1
    return "/".join(parts[:setting_parts]), sample


def join_sample(variant: str, sample: int) -> str:
    """The variant of a sample, the inverse of `split_sample`; the first sample has the variant of the setting."""
    return variant if sample == 1 else f"{variant}/{sample}"


def settings_by_variant(entry: Facts) -> dict[str, PromptSetting]:
    """Variant → setting, for the settings in which a model was asked."""
    return {
        variant: PromptSetting(prompt["name"], prompt["source"])
        for variant, prompt in _prompts(entry).items()
    }


def samples_by_variant(entry: Facts) -> dict[str, int]:
    """Variant of the setting → the number of samples of each item."""
    return {variant: entry.get("samples", {}).get(variant, 1) for variant in _prompts(entry)}


def setting_of(entry: Facts, variant: str) -> PromptSetting:
    """The setting of a reply, for any sample."""
    return settings_by_variant(entry)[split_sample(variant)[0]]


def fingerprint_of(entry: Facts, variant: str) -> str | None:
    """The fingerprint of a model's newest replies in a setting; None if the model was not asked in it."""
    prompt = _prompts(entry).get(split_sample(variant)[0])
    return prompt["fingerprint"] if prompt else None


def _prompts(entry: Facts) -> Facts:
    """Variant → name, source and fingerprint of the prompt."""
    # an older ledger has only the setting `codes`
    return entry.get("prompts") or {entry["variant"]: {**entry, "name": CODES, "source": ""}}


def name_with_prompt(model: str, prompt: str) -> str:
    """The name of a model in one of several settings, for tables and figures.

    >>> name_with_prompt("gpt", "plain")
    'gpt (plain)'
    """
    return f"{model} ({prompt})"


def name_with_sample(model: str, sample: int) -> str:
    """The name of one of a model's samples, for pages; the first has the name of the model.

    >>> name_with_sample("gpt", 1), name_with_sample("gpt", 2)
    ('gpt', 'gpt, sample 2')
    """
    return model if sample == 1 else f"{model}, sample {sample}"
