from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Callable

import pytest

from perturb.llm.redaction import find_keys, read_key, redact, without_keys

KEY = "ab/cd+Ef9.gh%ij klm"

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "quoted": urllib.parse.quote,
    "quoted whole": lambda text: urllib.parse.quote(text, safe=""),
    "quoted as a form": urllib.parse.quote_plus,
    "every byte quoted": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "escaped": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "escaped in part": lambda text: text.replace("c", "\\u0063").replace("/", "\\/"),
    "escaped twice": lambda text: "".join(f"\\\\u{ord(char):04X}" for char in text),
    "hexadecimal": lambda text: text.encode().hex(),
    "upper hexadecimal": lambda text: text.encode().hex().upper(),
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_NAME_OF_ITS_KIND", KEY)
    assert read_key("NO_NAME_OF_ITS_KIND") == KEY


@pytest.mark.parametrize("before", ["", "u:", "me:", "Bearer "])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_key_is_found(form: Callable[[str], str], before: str) -> None:
    text = f"He said {form(before + KEY + '!')} and left."
    assert find_keys(text)
    for clean in (without_keys(text), redact(text)):
        assert "[redacted]" in clean
        assert clean.startswith("He said ")
        assert clean.endswith(" and left.")
        assert find_keys(clean) == ()


@pytest.mark.parametrize(
    ("value", "in_replies", "in_errors", "published"),
    [
        ("x", False, False, False),
        ("test", False, False, False),
        ("a1b2", False, True, False),
        ("hunter-42", False, True, True),
        ("placeholder", False, True, False),
        ("no-key-needed", False, True, False),
        ("plain-words-as-a-key", False, True, True),
        ("token-abc123", False, True, False),
        ("hunter-42-hunter", True, True, True),
        ("QmFzZTY0IGlzIGZ1bg", True, True, True),
    ],
)
def test_what_counts_as_a_key(
    value: str, in_replies: bool, in_errors: bool, published: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_NAME_OF_ITS_KIND", value)
    text = f"It is {value} and fittest."
    assert (without_keys(text) != text) is in_replies
    assert (redact(text) != text) is in_errors
    assert bool(find_keys(text)) is published


@pytest.mark.parametrize(
    "key",
    [
        "github_pat_11ABCDEFG0abcdefghijklm",
        "ghs_16C7e42F292c6912E7710c838347Ae",
        "ghu_16C7e42F292c6912E7710c838347Ae",
        "glpat-20abcdEFGHijklmnopqr",
        "xoxb-1234567890-abcdefghij",
        "xapp-1-A0123456789-abcdef",
        "ya29.a0AfH6SMBx1234567890",
        "GOCSPX-1234567890abcdefgh",
        "dapi0123456789abcdef0123456789abcdef",
        "fw_3ZabcdefghijklmnopQRST",
        "csk-abcdefgh12345678ijkl",
        "tvly-abcdefgh12345678ijkl",
        "lsv2_pt_0123456789abcdef0123",
        "pypi-AgEIcHlwaS5vcmcCJDAwMDA",
        "npm_abcdefghijklmnopqrst1234",
        "SG.abcdefghijkl1234.mnopqrstuvwx5678",
        "ABIA0123456789ABCDEF",
    ],
)
def test_keys_are_recognised_by_their_shape(key: str) -> None:
    text = f'The header was "{key}", it says.'
    assert find_keys(text) == (key,)
    assert redact(text) == 'The header was "[redacted]", it says.'


def test_a_short_key_is_no_part_of_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_NAME_OF_ITS_KIND", "a1b2")
    assert redact("xa1b2, a1b2c, (a1b2)") == "xa1b2, a1b2c, ([redacted])"


def test_of_two_keys_the_longer_goes_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything of its base64 left, where no character of it holds bits of another."""
    monkeypatch.setenv("FIRST_TOKEN", KEY[:15])
    assert redact(f"He said {KEY}.") == without_keys(f"He said {KEY}.") == "He said [redacted]."
    assert without_keys(base64.b64encode(f"u:.{KEY[:15]}".encode()).decode()) == "dTou[redacted]"


def test_a_short_value_is_a_key_only_where_it_was_read_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORT_KEY", "a1b2")
    assert redact("by a1b2, then by id") == "by a1b2, then by id"
    read_key("SORT_KEY")
    assert redact("by a1b2, then by id") == "by [redacted], then by id"


QUOTED = 'pa"ss\\wo/rd-4711'


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_key_with_quotation_marks_is_found_in_json(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After any number of encodings, one of which every reply that echoes it in JSON has."""
    monkeypatch.setenv("NO_NAME_OF_ITS_KIND", QUOTED)
    text = f"He said {QUOTED} and left."
    for _ in range(depth):
        text = json.dumps(text)
    assert find_keys(text)
    clean = [without_keys(text), redact(text)]
    for _ in range(depth):
        clean = [json.loads(one) for one in clean]
    assert clean == ["He said [redacted] and left."] * 2


def test_a_key_known_by_its_shape_is_found_behind_escapes() -> None:
    hidden = r"the key s\u006b-proj\u002dabcdef123456 failed"
    assert find_keys(hidden) == ("sk-proj-abcdef123456",)
    assert redact(hidden) == "the key [redacted] failed"


def test_escapes_that_hide_nothing_are_left_as_they_are() -> None:
    text = r'{"a": "caf\u00e9 \"so\" \\u0063"}'
    assert without_keys(text) == redact(text) == text
