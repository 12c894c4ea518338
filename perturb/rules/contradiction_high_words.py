"""Wordings of the P-Contradiction rules at HIGH, in the passage's own voice; the gaps are filled from the instance."""

from __future__ import annotations

MAGNITUDE = (
    "{plain_one} The same source also says: {plain_two}",
    "{plain_one} By the same count, this is equally true: {plain_two}",
    "{plain_one} In the very same respect, this is true as well: {plain_two}",
    "{plain_one} At the same moment and by the same count: {plain_two}",
    "Two lines of one table disagree. The first: {plain_one} The second: {plain_two}",
    "Two statements stand side by side. The first: {plain_one} The second: {plain_two}",
)

EITHER = (
    "{Either}, but not both.",
    "{Either}, never both.",
    "{Either}; it cannot be both.",
    "{Either}; if one is true, the other is false.",
    "Exactly one of two things is true: {either}.",
    "Only one of the two can be right: {either}.",
    "{Either}, and the one excludes the other.",
    "It is one or the other, never both: {either}.",
    "{Either}; exactly one of these is the case.",
)
"""Only one of two values can hold."""
TOGETHER = (
    "{One}. {Two}.",
    "{One}, and {two}.",
    "{One}; {two}.",
    "It is a fact that {one}. It is also a fact that {two}.",
    "It is true that {one}, and it is true that {two}.",
    "Both are true: {one}, and {two}.",
    "{One}, and it is equally true that {two}.",
    "{One}. It is just as true that {two}.",
    "It is certain that {one}, and just as certain that {two}.",
)
"""And yet each of the two does."""

ONE_OF = (
    "Exactly one of the next two statements can be true, the one with {x} or the one with {y}.",
    "Of the next two statements, the one with {x} and the one with {y}, exactly one is true, not both.",
    "Of the two statements that follow, only one can be true: the one with {x} or the one with {y}.",
    "Two statements follow, one with {x} and one with {y}; exactly one of them can be true.",
    "Only one of the following two statements can be true, either the one with {x} or the one with {y}.",
)
"""The same with the two values alone, before two whole sentences."""
BOTH_HOLD = (
    "Both statements are true.", "Both are true.", "Each of these two statements is true.", "Both of them are true.",
)  # fmt: skip
"""After two whole sentences."""

FLIPS = (
    "{Claim}. At the same time, {denial}.",
    "It is true that {claim}, and it is equally true that {denial}.",
    "It is true that {claim}. It is also false that {claim}.",
    "It is both true and false that {claim}.",
    "It is both the case and not the case that {claim}.",
    "{Claim}. It is just as certain that {denial}.",
    "Two opposite things are true at once: {claim}, and {denial}.",
    "It is a fact that {claim}. It is also a fact that {denial}.",
    "In one and the same sense, {claim} and {denial}.",
    "{Claim}, and at the very same time {denial}.",
)
"""One statement true and untrue at once."""

EVERY = (
    "Every {thing} {v} that {claim}, and no {thing} does.",
    "Every {thing} {v} that {claim}. No {thing} {v} that {claim}.",
    "Every {thing} {v} that {claim}, and every {thing} {v} that {denial}.",
    "According to every {thing}, {claim}. According to every {thing}, {denial}.",
    "Every single {thing} {v} that {claim}; not a single one does.",
    "Without exception, every {thing} {v} that {claim}. Not one {thing} does.",
    "There is no {thing} that does not say that {claim}, and there is none that does.",
    "{Claim}, every {thing} {v}. {Denial}, every {thing} {v}.",
    "Each and every {thing} {v} that {claim}. None of them {v} that {claim}.",
)
"""All members of a kind say so, and none does."""
THINGS = (
    "book on the subject", "textbook on the subject", "article on the subject", "study of the subject", "book",
    "report on the subject", "textbook", "reference work", "handbook on the subject", "account", "source",
    "encyclopaedia", "newspaper", "historian", "scholar", "expert", "researcher", "journalist", "critic", "author",
)  # fmt: skip

ONLY_IF = (
    "{Claim} if and only if {condition}. {Failure}. {Claim}.",
    "{Claim} if and only if {condition}. {Condition}, and {denial}.",
    "If {condition}, then {claim}; if not, {denial}. {Failure}, and {claim}.",
    "If {condition}, then {claim}; if not, {denial}. {Condition}, and {denial}.",
    "It is certain that {claim} if, and only if, {condition}. {Failure}, and {claim}.",
    "{Claim} if {condition}, and only in that case. {Condition}, and {denial}.",
    "It is true that {claim} if and only if {condition}. {Failure}. It is true that {claim}.",
    "{Claim} if, and only if, {condition}. It is true that {claim}. It is equally true that {failure}.",
    "If, and only if, {condition}, {claim}. {Condition}. It is true that {denial}.",
)
CONDITIONS = (
    ("{a} says so", "{a} does not say so"),
    ("{a} confirms it", "{a} does not confirm it"),
    ("{a} has confirmed it", "{a} has not confirmed it"),
    ("{a} agrees", "{a} does not agree"),
    ("{a} accepts it", "{a} does not accept it"),
    ("{a} supports this", "{a} does not support this"),
    ("{a} has published it", "{a} has not published it"),
)
"""A condition, and that it failed."""

PROPERTIES = {
    "event": (
        "No event can have happened both {first} and {second}.",
        "What took place {first} cannot also have taken place {second}.",
        "What happened {first} cannot have happened {second}.",
        "It is impossible for one and the same thing to have happened both {first} and {second}.",
    ),
    "place": (
        "What is {first} cannot also be {second}.",
        "Nothing can be both {first} and {second}.",
        "What is {first} is never {second} as well.",
        "It is impossible for one and the same thing to be both {first} and {second}.",
    ),
    "number": (
        "A total of {first} cannot also be a total of {second}.",
        "No total can be both {first} and {second}.",
        "It is impossible for one and the same total to be both {first} and {second}.",
        "Where the total is {first}, it is never {second}.",
    ),
    "deed": (
        "What was {done} by {first} cannot also have been {done} by {second}.",
        "It is impossible for the same thing to have been {done} both by {first} and by {second}.",
        "What was {done} by {first} cannot have been {done} by {second}.",
        "What was {done} by {first} was never {done} by {second} as well.",
    ),
    "part": (
        "No part {done} by {first} can also be {done} by {second}.",
        "It is impossible for the same part to be {done} both by {first} and by {second}.",
        "A part that is {done} by {first} is never {done} by {second}.",
        "No part was ever {done} both by {first} and by {second}.",
    ),
}
"""General rules that keep two properties apart, by what the question asks for."""
