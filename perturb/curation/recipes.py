"""Curation recipes: YAML that says what is kept of a source, how its contexts are cut, and how many are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from perturb.errors import ConfigError
from perturb.files.resources import data_folder
from perturb.files.yaml_files import Language, Strict, YamlFile
from perturb.records import BaseInstance

Text = Annotated[str, Field(min_length=1, max_length=500)]


class FieldFilter(Strict):
    """Keeps or drops records by a field that the source's form puts into the metadata."""

    field: Text
    keep: tuple[str, ...] | None = None
    """The values that are kept; an empty text stands for a field that is absent or empty."""
    drop: tuple[str, ...] | None = None
    """The values that are left out."""

    @model_validator(mode="after")
    def _one_rule(self) -> FieldFilter:
        if (self.keep is None) == (self.drop is None):
            raise ValueError("give either 'keep' or 'drop', a list of values")
        return self

    @property
    def reason(self) -> str:
        """Why a record falls here, for the report."""
        if self.keep is not None:
            return f"{self.field} is not {' or '.join(value or 'empty' for value in self.keep)}"
        return f"{self.field} is {' or '.join(value or 'empty' for value in self.drop or ())}"

    def admits(self, instance: BaseInstance) -> bool:
        """Whether the instance passes; letter case and outer blanks do not matter."""
        value = _folded(instance.metadata.get(self.field))
        if self.keep is not None:
            return value in {_folded(kept) for kept in self.keep}
        return value not in {_folded(dropped) for dropped in self.drop or ()}


class PassageBudget(Strict):
    """How contexts are cut (spec, section 2)."""

    count: int = Field(ge=1, le=100)
    """Passages of every context, no more and no fewer."""
    max_signal: int = Field(ge=1, le=100)
    """Most signal passages among them."""


class Recipe(Strict):
    """A whole recipe; every part may be left out."""

    name: Text
    licence: Text | None = None
    """For rows whose source states none."""
    language: Language | None = None
    """The same of the language."""
    attribution: Annotated[str, Field(min_length=1, max_length=4000)] | None = None
    seed: int = 0
    filters: tuple[FieldFilter, ...] = ()
    domains: tuple[Text, ...] = ()
    """The domains that are kept; all of them if none is named."""
    by: Text | None = None
    """A field of the metadata whose values `domains` names, in place of the domain."""
    passages: PassageBudget | None = None
    answer_in_signal: bool = False
    """Whether a signal passage must hold one of the answers word for word."""
    size: int | None = Field(default=None, ge=1)
    """Instances drawn from all that pass; all of them if neither this nor `per_domain` is given."""
    per_domain: int | None = Field(default=None, ge=1)
    """Instances drawn from each of the domains."""

    @model_validator(mode="after")
    def _consistent(self) -> Recipe:
        if self.size is not None and self.per_domain is not None:
            raise ValueError("give either 'size' or 'per_domain', not both")
        if self.per_domain is not None and not self.domains:
            raise ValueError("'per_domain' needs 'domains': name them")
        return self


PLAIN = Recipe(name="plain")
"""Keeps everything that can be read."""


def load_recipe(name: str) -> Recipe:
    """The embedded recipe called `name`, or the recipe of a file. Raises `ConfigError` with file, line and field."""
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        path = data_folder("base_sets") / f"{name}.yaml"
        if "/" in name or not path.is_file():
            raise ConfigError(f"no recipe is called '{name}': use {', '.join(_embedded())} or a .yaml file")
    return YamlFile(path).parse(Recipe)


def _embedded() -> list[str]:
    """Names of the recipes in the package; a name with a dot before its ending is another kind of file."""
    return sorted(path.stem for path in data_folder("base_sets").glob("*.yaml") if "." not in path.stem)


def _folded(value: object) -> str:
    return "" if value is None else " ".join(str(value).split()).casefold()
