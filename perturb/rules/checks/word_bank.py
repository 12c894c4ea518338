"""The verifiers' own words, from `words.yaml` beside this file."""

from __future__ import annotations

from pathlib import Path

from perturb.yaml_files import Strict, YamlFile

WORDS_FILE = Path(__file__).with_name("words.yaml")


class WordBank(Strict):
    """Listings of words, parted by blanks, and wordings, parted by semicolons."""

    stop_words: str
    """Words that carry no content of their own."""
    openers: str
    """Words that open a sentence and begin no name."""
    asked_kinds: str
    """Stems of words such as `year`, which say what is asked for and not of what."""
    common_name_words: str
    """Parts of names that give nobody away."""
    male_names: str
    """Common first names whose bearers are nearly always of one gender, for judging pronouns."""
    female_names: str
    irregular: dict[str, str]
    """Forms of words that no rule brings together."""
    demonyms: dict[str, str]
    """Places, and a few faiths, with the adjective that gives them away."""
    wordings: dict[str, str]
    """What tells a reader whom to believe: see `cues`."""


WORDS = YamlFile(WORDS_FILE).parse(WordBank)


def word_set(listing: str) -> frozenset[str]:
    """The words of a listing, for look-ups."""
    return frozenset(listing.split())
