"""Wording of messages: numbers with nouns, lists, languages, HTML tables for notebooks, and the line of a certificate.

Languages are ISO 639 codes, as on the Hub, with their English names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

# How many names a list shows before it only counts the rest.
_MOST_LISTED = 6


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "job"), counted(1600, "job"), counted(2, "person", "people")
    ('1 job', '1,600 jobs', '2 people')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """The first names of a list, and the number of the others.

    >>> listed("abc"), listed("abcdefgh")
    ('a, b, c', 'a, b, c, d, e, f and 2 more')
    """
    beginning, others = ", ".join(names[:_MOST_LISTED]), len(names) - _MOST_LISTED
    return f"{beginning} and {others} more" if others > 0 else beginning


def capitalised(text: str) -> str:
    """The text with a capital at its start; the rest keeps its case, unlike with `str.capitalize`."""
    return text[:1].upper() + text[1:]


def printable(text: str) -> str:
    """The text with a blank for each character that could control a terminal; line breaks stay."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


def one_line(text: str) -> str:
    """The printable text on one line.

    >>> one_line("a\\n b\\x1b")
    'a b'
    """
    return " ".join(printable(text).split())


ENGLISH = "en"
"""The language of a text that does not state one."""

# The codes with their names, separated by commas.
_TABLE = (
    "aa Afar, ab Abkhazian, ae Avestan, af Afrikaans, ak Akan, am Amharic, an Aragonese, ar Arabic, arz "
    "Egyptian Arabic, as Assamese, ast Asturian, av Avaric, ay Aymara, az Azerbaijani, ba Bashkir, ban "
    "Balinese, bar Bavarian, be Belarusian, bg Bulgarian, bi Bislama, bm Bambara, bn Bengali, bo Tibetan, br "
    "Breton, bs Bosnian, ca Catalan, ce Chechen, ceb Cebuano, ch Chamorro, ckb Central Kurdish, co Corsican, "
    "cr Cree, cs Czech, cu Church Slavic, cv Chuvash, cy Welsh, da Danish, de German, dv Divehi, dz Dzongkha, "
    "ee Ewe, el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, ff Fula, fi "
    "Finnish, fil Filipino, fj Fijian, fo Faroese, fr French, fy Western Frisian, ga Irish, gd Scottish "
    "Gaelic, gl Galician, gn Guarani, gsw Swiss German, gu Gujarati, gv Manx, ha Hausa, haw Hawaiian, he "
    "Hebrew, hi Hindi, ho Hiri Motu, hr Croatian, hsb Upper Sorbian, ht Haitian Creole, hu Hungarian, hy "
    "Armenian, hz Herero, ia Interlingua, id Indonesian, ie Interlingue, ig Igbo, ii Sichuan Yi, ik Inupiaq, "
    "ilo Iloko, io Ido, is Icelandic, it Italian, iu Inuktitut, ja Japanese, jv Javanese, ka Georgian, kg "
    "Kongo, ki Kikuyu, kj Kuanyama, kk Kazakh, kl Kalaallisut, km Khmer, kn Kannada, ko Korean, kr Kanuri, ks "
    "Kashmiri, ku Kurdish, kv Komi, kw Cornish, ky Kyrgyz, la Latin, lb Luxembourgish, lg Ganda, li "
    "Limburgish, lmo Lombard, ln Lingala, lo Lao, lt Lithuanian, lu Luba-Katanga, lv Latvian, mai Maithili, "
    "mg Malagasy, mh Marshallese, mi Māori, min Minangkabau, mk Macedonian, ml Malayalam, mn Mongolian, mr "
    "Marathi, ms Malay, mt Maltese, my Burmese, na Nauru, nap Neapolitan, nb Norwegian Bokmål, nd North "
    "Ndebele, nds Low German, ne Nepali, ng Ndonga, nl Dutch, nn Norwegian Nynorsk, no Norwegian, nr South "
    "Ndebele, nso Northern Sotho, nv Navajo, ny Nyanja, oc Occitan, oj Ojibwa, om Oromo, or Odia, os Ossetic, "
    "pa Punjabi, pi Pali, pl Polish, ps Pashto, pt Portuguese, qu Quechua, rm Romansh, rn Rundi, ro Romanian, "
    "ru Russian, rw Kinyarwanda, sa Sanskrit, sah Yakut, sat Santali, sc Sardinian, scn Sicilian, sco Scots, "
    "sd Sindhi, se Northern Sami, sg Sango, si Sinhala, sk Slovak, sl Slovenian, sm Samoan, sn Shona, so "
    "Somali, sq Albanian, sr Serbian, ss Swati, st Southern Sotho, su Sundanese, sv Swedish, sw Swahili, ta "
    "Tamil, te Telugu, tg Tajik, th Thai, ti Tigrinya, tk Turkmen, tl Tagalog, tn Tswana, to Tongan, tr "
    "Turkish, ts Tsonga, tt Tatar, tw Twi, ty Tahitian, ug Uyghur, uk Ukrainian, ur Urdu, uz Uzbek, ve Venda, "
    "vi Vietnamese, vo Volapük, wa Walloon, war Waray, wo Wolof, xh Xhosa, yi Yiddish, yo Yoruba, yue "
    "Cantonese, za Zhuang, zh Chinese, zu Zulu"
)
LANGUAGES: Mapping[str, str] = dict(entry.split(" ", maxsplit=1) for entry in _TABLE.split(", "))
"""Code -> English name. Codes have the two letters of ISO 639-1.

Languages that have a Wikipedia but no such code have three letters.
"""

_MISTAKES_TABLE = (
    "cn zh, cz cs, dk da, gr el, iw he, jp ja, kr ko, deu de, fra fr, deutsch de, español es, français fr, "
    "italiano it, português pt, nederlands nl, polski pl, türkçe tr, русский ru, українська uk, العربية ar, "
    "हिन्दी hi, 中文 zh, 日本語 ja, 한국어 ko"
)
# Common mistakes -> the intended code: codes of countries, and names of languages in the language itself.
_COMMON_MISTAKES = dict(entry.split() for entry in _MISTAKES_TABLE.split(", "))


VARIETY = r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?"
"""The code of a language with its script or region, as in `zh-Hant` and `pt-BR`."""


def read_language(text: str) -> str:
    """Check the code of a language, which may have a script or region, and return it.

    Raises `ValueError` for anything else, with a suggestion if the text resembles a code or a name.

    >>> read_language("de")
    'de'
    >>> read_language("zh-Hant"), read_language("pt-BR")
    ('zh-Hant', 'pt-BR')
    >>> read_language("German")
    Traceback (most recent call last):
    ValueError: unknown language 'German': did you mean 'de' (German)?
    """
    if text in LANGUAGES or (re.fullmatch(VARIETY, text) and text.partition("-")[0] in LANGUAGES):
        return text
    code = _similar_code(text)
    hint = f"did you mean '{code}' ({LANGUAGES[code]})?" if code else "use a code of ISO 639, such as 'de'"
    # The text comes from a file and may hold control characters, which must not reach the terminal.
    printable = text if text.isprintable() else ascii(text)[1:-1]
    raise ValueError(f"unknown language '{printable[:40]}': {hint}")


def _similar_code(text: str) -> str | None:
    """The code that the text was probably meant to be; None if it resembles no code and no name."""
    code_of = {name.casefold(): code for code, name in LANGUAGES.items()} | _COMMON_MISTAKES
    query = text.replace("_", "-").casefold()
    # An exact code or name first, then the beginning of a name, then a similar name.
    without_region, _, _ = query.partition("-")
    for exact in (query, without_region):
        if exact in code_of or exact in LANGUAGES:
            return code_of.get(exact, exact)
    names = [name for name in code_of if len(query) > 2 and name.startswith(query)]
    names += difflib.get_close_matches(query, code_of, n=1, cutoff=0.75)
    return code_of[names[0]] if names else None


Language = Annotated[
    str,
    BeforeValidator(lambda value: "no" if value is False else value),  # YAML reads `no`, Norwegian, as False
    AfterValidator(read_language),
    WithJsonSchema({"anyOf": [{"enum": list(LANGUAGES)}, {"type": "string", "pattern": f"^{VARIETY}$"}]}),
]
"""The code of a language, as a field of a file."""


def is_english(code: str) -> bool:
    """Whether a code means English, in any region.

    >>> is_english("en"), is_english("en-GB"), is_english("de")
    (True, True, False)
    """
    return code.partition("-")[0] == ENGLISH


def why_not_read_offline(language: str) -> str | None:
    """One line on why rules do not read texts in a language; None if they do.

    >>> why_not_read_offline("en"), why_not_read_offline("de")
    (None, 'in German (de): the offline engine reads English only')
    """
    return (
        None
        if is_english(language)
        else f"in {language_with_code(language)}: the offline engine reads English only"
    )


def language_with_code(code: str) -> str:
    """The English name of a language with its code.

    >>> language_with_code("zh")
    'Chinese (zh)'
    >>> language_with_code("pt-BR")
    'Portuguese (pt-BR)'
    """
    name = LANGUAGES.get(code.partition("-")[0])
    return f"{name} ({code})" if name else code


# The most characters of a text in a cell. An ellipsis replaces the rest.
_MOST_CHARS = 160


def html_table(
    title: str, columns: Sequence[str] = (), rows: Iterable[Sequence[object]] = (), notes: Iterable[str] = ()
) -> str:
    """A title, a table and notes for `_repr_html_`. Texts are data, so markup in them is escaped.

    >>> html_table("Two", ["text"], [["<b>"]])
    '<p><b>Two</b></p><table><tr><th>text</th></tr><tr><td style="text-align:left">&lt;b&gt;</td></tr></table>'
    """
    elements = [f"<p><b>{escape(title)}</b></p>"] if title else []
    if columns:
        header = "".join(f"<th>{escape(name)}</th>" for name in columns)
        lines = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
        elements.append(f"<table><tr>{header}</tr>{''.join(lines)}</table>")
    elements += [f"<p>{escape(note)}</p>" for note in notes]
    return "".join(elements)


def _cell(value: object) -> str:
    """A cell of a table: numbers stand at the right, and long texts are cut."""
    side = "right" if isinstance(value, int | float) else "left"
    text = str(value)
    if len(text) > _MOST_CHARS:
        text = f"{text[:_MOST_CHARS]}…"
    return f'<td style="text-align:{side}">{escape(text)}</td>'


def certificate_line(certificate: Mapping[str, Any], verifiers: int) -> str:
    """A stored certificate in one line.

    >>> share = {"value": 0.012, "low": 0.002, "high": 0.034, "reason": None}
    >>> certificate_line({"planted": 42, "right": 18, "wrong_labels": share}, 3)
    'wrong labels: 1.2 %, 95 % interval 0.2 to 3.4 %, 60 planted items, panel of 3'
    """
    people = certificate.get("people")
    wrong_labels = certificate["combined" if people else "wrong_labels"]
    # `right` are planted items with a right label. Those that people have read are counted with the people's items.
    planted = certificate["planted"] + certificate["right"] - certificate.get("right_read", 0)
    counts = f"{planted} planted items, panel of {verifiers}"
    if people:
        counts += f", {counted(people['n'], 'item')} read by people"
    if wrong_labels["value"] is None:
        return f"wrong labels: not known ({wrong_labels['reason']}), {counts}"
    ends = f"{100 * wrong_labels['low']:.1f} to {100 * wrong_labels['high']:.1f} %"
    return f"wrong labels: {100 * wrong_labels['value']:.1f} %, 95 % interval {ends}, {counts}"
