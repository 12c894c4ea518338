"""The questions of `closed-book.jsonl` whose answers follow from their words, with the answers computed.

Nobody can look them up, so what a model answers without tools is a matter of how far it can reckon in its head.
"""

from __future__ import annotations

import errno
import hashlib
import math
import unicodedata
import zlib
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, localcontext
from functools import cache
from itertools import islice

Computed = tuple[str, str, int | str]
"""Id, question and answer."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SENTENCES = {
    "e": "Seventeen weary engineers were seen here every evening, where they rested beside the wheezing engine",
    "t": "That little otter sat at the outlet of the tank, bit the butter, spat it out and trotted to the potato plot",
    "s": "She sells six sleek sea shells, says Susan's sister, as seven sailors pass the mossy steps of Swansea",
}


def computed_questions() -> Iterator[Computed]:
    """Id, question and answer of each."""
    yield from _reckoning()
    yield from _number_theory()
    yield from _digits()
    yield from _dates()
    yield from _letters()
    yield from _codes()
    yield from _slips()


def _reckoning() -> Iterator[Computed]:
    for a, b in ((47, 86), (638, 947), (4729, 8163), (73914, 58267), (846193, 729548), (59382716, 91746358)):
        yield f"product-{a}", f"What is {a} × {b}?", a * b
    yield "power-17", "What is 17 to the power of 9?", 17**9
    yield "root", "What is the whole part of the square root of 987,654,321,987?", math.isqrt(987_654_321_987)
    yield (
        "sum-of-squares",
        "What is the sum of the squares of the whole numbers from 1 to 137?",
        sum(n * n for n in range(138)),
    )
    yield "binomial", "In how many ways can 17 people be chosen from 40?", math.comb(40, 17)
    yield "catalan", "What is the Catalan number C(15), counting from C(0) = 1?", math.comb(30, 15) // 16
    yield (
        "determinant",
        (
            "What is the determinant of the matrix with rows (7, 3, 8, 2), (4, 9, 1, 6), (5, 2, 7, 8), (3, 6, 4, 9)?"
        ),
        _determinant([[7, 3, 8, 2], [4, 9, 1, 6], [5, 2, 7, 8], [3, 6, 4, 9]]),
    )
    state = 1
    for _ in range(4):
        state = (1_103_515_245 * state + 12_345) % 2**31
    yield (
        "congruential",
        (
            "Start with x = 1. Four times, replace x by the remainder of 1103515245 × x + 12345 on division by"
            " 2147483648. What is x then?"
        ),
        state,
    )


def _number_theory() -> Iterator[Computed]:
    primes = _primes()
    for place in (25, 200, 1500):
        yield (
            f"prime-{place}",
            f"What is prime number {place}, if 2 is number 1?",
            primes[place - 1],
        )
    yield (
        "factor",
        "What is the smallest prime factor of 1,022,117?",
        next(p for p in primes if 1_022_117 % p == 0),
    )
    yield (
        "divisors",
        "How many positive divisors does 720,720 have?",
        sum(720_720 % n == 0 for n in range(1, 720_721)),
    )
    yield (
        "totient",
        "How many of the numbers from 1 to 30,030 have no divisor above 1 in common with 30,030?",
        sum(math.gcd(n, 30_030) == 1 for n in range(1, 30_031)),
    )
    for start in (7, 97, 1743):
        yield (
            f"collatz-{start}",
            (
                f"Start with {start}. Halve an even number, replace an odd number n by 3n + 1, and so on."
                " After how many steps does 1 first appear?"
            ),
            _collatz(start),
        )
    for place in (20, 83):
        yield (
            f"fibonacci-{place}",
            f"What is the Fibonacci number F({place}), if F(1) = F(2) = 1?",
            _fibonacci(place),
        )
    for size in (10, 73):
        yield (
            f"partitions-{size}",
            (
                f"In how many ways can {size} be written as a sum of positive integers, regardless of their order?"
            ),
            _partitions(size, size),
        )
    yield (
        "josephus",
        (
            "200 people stand in a circle, numbered from 1. Counting from number 1, every seventh person still"
            " standing leaves. What is the number of the last one left?"
        ),
        _josephus(200, 7),
    )
    yield "remainder", "What remains when 7 to the power of 100 is divided by 13?", pow(7, 100, 13)
    yield (
        "last-digits",
        "What are the last four digits of 3 to the power of 1,000?",
        f"{pow(3, 1000, 10_000):04d}",
    )


def _digits() -> Iterator[Computed]:
    pi, root = _pi(700), math.isqrt(2 * 10**240)
    for place in (10, 62, 651):
        yield (
            f"pi-{place}",
            f"Which digit stands at decimal place {place} of π, if 1 stands at place 1?",
            int(str(pi)[place]),
        )
    yield (
        "root-2",
        "Which digit stands at decimal place 88 of the square root of 2, if 4 stands at place 1?",
        int(str(root)[88]),
    )
    yield "fraction", "Which digit stands at decimal place 100 of 1/97?", 10**100 // 97 % 10
    yield "zeros", "In how many zeros does the factorial of 250 end?", sum(250 // 5**n for n in range(1, 4))
    yield (
        "digit-sum",
        "What is the sum of the decimal digits of 2 to the power of 100?",
        sum(map(int, str(2**100))),
    )
    yield "base-7", "How is 987,654 written in base 7?", _in_base(987_654, 7)
    yield "hexadecimal", "How is 48,879 written in hexadecimal?", f"{48_879:X}"
    yield "ones", "How many ones are in the binary form of 1,000,000?", (1_000_000).bit_count()


def _dates() -> Iterator[Computed]:
    for year, month, day, words in (
        (2000, 1, 1, "1 January 2000"),
        (1789, 7, 14, "14 July 1789"),
        (1904, 2, 29, "29 February 1904"),
        (2345, 11, 17, "17 November 2345"),
        (4242, 3, 1, "1 March 4242"),
    ):
        told = f"What day of the week is {words} in the Gregorian calendar?"
        yield f"weekday-{year}", told, WEEKDAYS[date(year, month, day).weekday()]
    between = date(2019, 3, 11) - date(1871, 8, 29)
    yield "days-between", "How many days is 11 March 2019 after 29 August 1871?", between.days
    yield (
        "julian-day",
        "What is the Julian day number of 20 July 1969 at noon?",
        date(1969, 7, 20).toordinal() + 1_721_425,
    )
    yield (
        "easter",
        "On what date in April did Easter Sunday fall in 1734 (Gregorian calendar)?",
        _easter(1734),
    )


def _letters() -> Iterator[Computed]:
    yield (
        "letter-r",
        'How many times does the letter r appear in "raspberry strawberry cranberry"?',
        ("raspberry strawberry cranberry".count("r")),
    )
    for letter, sentence in SENTENCES.items():
        told = f'How many times does the letter {letter}, capital or small, appear in "{sentence}"?'
        yield f"letter-{letter}", told, sentence.lower().count(letter)
    word = "floccinaucinihilipilification"
    yield "letters", f'How many letters does the word "{word}" have?', len(word)
    yield "reversed", 'What is "counterrevolutionaries" spelled backwards?', "counterrevolutionaries"[::-1]


def _codes() -> Iterator[Computed]:
    for name in ("SNOWMAN", "ALEMBIC", "CADUCEUS", "HELM SYMBOL", "TIBETAN SYLLABLE OM"):
        code = f"{ord(unicodedata.lookup(name)):04X}"
        yield (
            f"unicode-{name.lower().replace(' ', '-')}",
            f"Which Unicode code point, in hexadecimal, has the name {name}?",
            code,
        )
    for symbol, number in (("ENOENT", errno.ENOENT), ("EXDEV", errno.EXDEV)):
        yield f"errno-{symbol.lower()}", f"What number does {symbol} have in the errno.h of Linux?", number
    yield (
        "md5",
        'What are the first two hexadecimal digits of the MD5 digest of the ASCII text "perturb"?',
        (hashlib.md5(b"perturb", usedforsecurity=False).hexdigest()[:2]),
    )
    yield (
        "crc",
        'What is the last hexadecimal digit of the CRC-32 of the ASCII text "selective refusal"?',
        (f"{zlib.crc32(b'selective refusal'):08x}"[-1]),
    )
    yield "isbn", "Which check digit completes the ISBN 978-0-394-70827-?", _isbn_check("978039470827")


def _slips() -> Iterator[Computed]:
    """What looks easy and goes wrong without notice."""
    for letter, phrase in (
        ("e", "nevertheless Genevieve remembered the seventeenth of December"),
        ("s", "Mississippi steamships possess passengers"),
        ("i", "indivisibility is intrinsically infinitesimal"),
        ("n", "nineteen uninteresting announcements concerning Cincinnati"),
        ("a", "a Panama banana salad at Alabama's grand gala"),
        ("t", "the attentive statistician attested to the totals"),
    ):
        told = f'How many times does the letter {letter}, capital or small, appear in "{phrase}"?'
        yield f"count-{letter}", told, phrase.lower().count(letter)
    for word in ("uncharacteristically", "electroencephalographically", "misunderstandings"):
        yield f"length-{word}", f'How many letters does the word "{word}" have?', len(word)
    for place, word in ((11, "incomprehensibilities"), (9, "disproportionately"), (13, "interdisciplinary")):
        yield f"place-{word}", f'What is letter number {place} of the word "{word}"?', word[place - 1]
    for word in ("onomatopoeia", "queueing equation"):
        vowels = sum(letter in "aeiou" for letter in word)
        yield f"vowels-{word[:5]}", f'How many of the letters in "{word}" are a, e, i, o or u?', vowels
    sentence = "No sooner had the rain let up than the children ran out to sail boats of bark in the gutter by the road"
    yield "words", f'How many words does this sentence have: "{sentence}"?', len(sentence.split())
    yield "backwards", 'What is "parallelogram" spelled backwards?', "parallelogram"[::-1]
    for a, b in ((87, 693), (346, 78), (5, 123456789)):
        yield f"times-{a}", f"What is {a} × {b}?", a * b
    yield (
        "days-within",
        "How many days after 17 May is 3 November of the same year?",
        (date(2023, 11, 3) - date(2023, 5, 17)).days,
    )
    yield (
        "days-ahead",
        "If today is Wednesday, what day of the week is it in 1,000 days?",
        WEEKDAYS[(2 + 1000) % 7],
    )
    yield (
        "primes-between",
        "How many prime numbers are there between 300 and 500?",
        sum(300 < p < 500 for p in _primes()),
    )
    yield (
        "zeros-digits",
        "How often does the digit 1 appear when the numbers from 1 to 300 are written out?",
        ("".join(map(str, range(1, 301))).count("1")),
    )


def _determinant(rows: list[list[int]]) -> int:
    if not rows:
        return 1
    minors = ([row[:place] + row[place + 1 :] for row in rows[1:]] for place in range(len(rows)))
    return sum((-1) ** place * rows[0][place] * _determinant(minor) for place, minor in enumerate(minors))


def _primes() -> list[int]:
    return [n for n in range(2, 13_000) if all(n % p for p in range(2, math.isqrt(n) + 1))]


def _collatz(number: int) -> int:
    steps = 0
    while number != 1:
        number, steps = (3 * number + 1 if number % 2 else number // 2), steps + 1
    return steps


def _fibonacci(place: int) -> int:
    def numbers() -> Iterator[int]:
        one, other = 1, 1
        while True:
            yield one
            one, other = other, one + other

    return next(islice(numbers(), place - 1, None))


@cache
def _partitions(total: int, largest: int) -> int:
    if total == 0:
        return 1
    return sum(
        _partitions(total - part, min(part, total - part)) for part in range(1, min(total, largest) + 1)
    )


def _josephus(people: int, step: int) -> int:
    place = 0
    for circle in range(2, people + 1):
        place = (place + step) % circle
    return place + 1


def _pi(digits: int) -> int:
    """π × 10^digits, by Machin's formula."""
    with localcontext() as context:
        context.prec = digits + 20

        def arctan_of_inverse(number: int) -> Decimal:
            terms = (
                Decimal((-1) ** n) / ((2 * n + 1) * Decimal(number) ** (2 * n + 1)) for n in range(digits)
            )
            return sum(terms, Decimal(0))

        return int((16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)).scaleb(digits))


def _in_base(number: int, base: int) -> str:
    return (_in_base(number // base, base) if number >= base else "") + str(number % base)


def _easter(year: int) -> str:
    """The anonymous Gregorian algorithm."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    left = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    month, day = divmod(h + left - 7 * ((a + 11 * h + 22 * left) // 451) + 114, 31)
    return f"{day + 1} {'April' if month == 4 else 'March'}"


def _isbn_check(first: str) -> int:
    return -sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(first)) % 10
