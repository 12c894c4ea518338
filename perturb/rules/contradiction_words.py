# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Contradiction rules at MEDIUM; the gaps are filled from the instance.

{a} and {b} are two sources of one kind, {v} and {p} what they do with a statement; {one} and {two} are clauses,
{One} and {Two} the same with a capital.
"""

from __future__ import annotations

BOTH_SAY = (
    "{a} {v} that {one}; {b} {v} that {two}.",
    "According to {a}, {one}; according to {b}, {two}.",
    "“{One},” {v} {a}. “{Two},” {v} {b}.",
    "By the account of {a}, {one}. By the account of {b}, {two}.",
    "{A} and {b} disagree: the first {v} that {one}, the second that {two}.",
    "As {a} has it, {one}. As {b} has it, {two}.",
    "The position of {a} is that {one}; the position of {b} is that {two}.",
    "While {a} {v} that {one}, {b} {v} that {two}.",
    "{A} is quoted as saying that {one}, and {b} as saying that {two}.",
    "{One}, according to {a}. {Two}, according to {b}.",
)
"""Two clauses in the mouths of two equal sources."""

QUOTED = (
    "{a} {v}: {one} {B} {v}: {two}",
    "According to {a}: {one} According to {b}: {two}",
    "In the words of {a}: {one} In the words of {b}: {two}",
    "{A} and {b} disagree. The first {v}: {one} The second {v}: {two}",
    "A note by {a} reads: {one} A note by {b} reads: {two}",
    "{A} puts it this way: {one} {B} puts it this way: {two}",
)
"""Two quoted sentences."""

EVEN = (
    "",
    "",
    "",
    "",
    "",
    "",
    " Both are held in equal regard.",
    " Neither has changed its statement.",
    " The disagreement has never been explained.",
    " Nothing has come to light since to settle this.",
    " Both are regarded as equally reliable.",
    " The two are of equal standing.",
)
"""That nothing decides between the two; most often left unsaid."""

DATED = (
    "{early} {a} {p} that {one}. {Late} {b} {p} that {two}.",
    "{a} {p} {early} that {one}. {B} {p} {late} that {two}.",
    "“{One},” {a} {p} {early}. “{Two},” {b} {p} {late}.",
    "A report that {a} published {early} says that {one}. A report that {b} published {late} says that {two}.",
    "{One}, according to an article published by {a} {early}. {Two}, according to an article published by {b} {late}.",
    "{Early}, {a} put it this way: “{One}.” {Late}, {b} put it this way: “{Two}.”",
    "According to an article that {a} published {early}, {one}. According to one that {b} published {late}, {two}.",
)
DATED_QUOTED = (
    "{early} {a} {p}: {one} {Late} {b} {p}: {two}",
    "{a} wrote {early}: {one} {B} wrote {late}: {two}",
    "A report that {a} published {early} says: {one} A report that {b} published {late} says: {two}",
    "{Early}, {a} put it this way: {one} {Late}, {b} put it this way: {two}",
    "An article published by {a} {early} reads: {one} An article published by {b} {late} reads: {two}",
    "{Early} {a} published a note that reads: {one} {Late} {b} published one that reads: {two}",
)
UNAWARE = (
    "Neither refers to the other.",
    "Neither mentions the other.",
    "No correction was ever printed.",
    "The later one does not mention the earlier.",
    "The two were prepared independently of each other.",
    "Nothing new had come to light in the meantime.",
    "No new evidence had appeared in between.",
    "{B} did not know of the earlier statement.",
    "Both relied on the same records.",
    "Neither was written with knowledge of the other.",
)
"""Why the later of two sources is no better."""

MODAL = (
    "{a} is certain that {one}. {B} calls this impossible and suggests that perhaps {two}.",
    "“{One}, without question,” {v} {a}. “That is impossible,” {v} {b}. “Perhaps {two}.”",
    "According to {a}, it is certain that {one}. According to {b}, this is impossible, and it may be that {two}.",
    "{a} has no doubt that {one}; {b} rules it out and thinks it possible that {two}.",
    "{A} regards it as certain that {one}. {B} regards it as impossible and suggests that perhaps {two}.",
    "For {a}, it is beyond question that {one}. For {b}, this is out of the question, and it may be that {two}.",
    "{A} is sure that {one}. {B} is just as sure that this cannot be so, and thinks it possible that {two}.",
    "There is no doubt, {v} {a}, that {one}. That is impossible, {v} {b}, and it may be that {two}.",
)
MODAL_QUOTED = (
    "{a} calls this statement certain: {one} {B} calls it impossible and thinks that this may be right: {two}",
    "{a} is certain of this: {one} {B} says that it is impossible and that this might be true instead: {two}",
    "According to {a}, there is no doubt about this: {one} According to {b}, it cannot be true, and this may be: {two}",
    "{one} That is certain, {v} {a}. It is impossible, {v} {b}, and the following may be right: {two}",
    "{A} regards this as beyond doubt: {one} {B} rules it out and suggests that this may be right: {two}",
    "{A} is sure of this: {one} {B} is just as sure that it cannot be so, and considers this possible: {two}",
)

DENIED = (
    "{a} {v} that {claim}; {b} {v} that {denial}.",
    "According to {a}, {claim}. According to {b}, {denial}.",
    "“{Claim},” {v} {a}. “{Denial},” {v} {b}.",
    "By the account of {a}, {claim}. By the account of {b}, {denial}.",
    "{A} and {b} disagree: the first {v} that {claim}, the second that {denial}.",
    "As {a} has it, {claim}. As {b} has it, {denial}.",
    "The position of {a} is that {claim}; the position of {b} is that {denial}.",
    "While {a} {v} that {claim}, {b} {v} that {denial}.",
    "{A} is quoted as saying that {claim}, and {b} as saying that {denial}.",
    "{Claim}, according to {a}. {Denial}, according to {b}.",
    "{A} {v} that {claim}. {B} {v} the opposite, namely that {denial}.",
)
"""A claim and its denial in the mouths of two equal sources."""

PLACES = (
    "{a} {v}: {one} {B} {v}: {two}",
    "According to {a}: {one} According to {b}: {two}",
    "In the words of {a}: {one} In the words of {b}: {two}",
    "A note by {a} reads: {one} A note by {b} reads: {two}",
    "{A} puts it this way: {one} {B} puts it this way: {two}",
    "{A} and {b} disagree. The first {v}: {one} The second {v}: {two}",
)
REPORTED = (
    "{speaker} told one audience: {one} To another audience, that same evening, {speaker} said: {two}",
    "In a letter {speaker} writes: {one} In a second letter of that date {speaker} writes: {two}",
    "{speaker} is quoted in one paper as saying: {one} Another paper of the same morning quotes {speaker} with the words: {two}",
    "To one committee {speaker} declared: {one} To another, on the same day, {speaker} declared: {two}",
    "On the radio {speaker} stated: {one} On television, that very day, {speaker} stated: {two}",
    "{speaker} told the first group of the day: {one} The second group heard from {speaker}: {two}",
)
