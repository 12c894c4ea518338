# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Contradiction rules at HIGH, in the passage's own voice; the gaps are filled from the instance."""

from __future__ import annotations

MAGNITUDE = (
    "{plain_one} By the same count, at the same moment and with the same definition: {plain_two}",
    "{plain_one} The same source says on the same line: {plain_two}",
    "{plain_one} It is recorded there as well, of the same thing and time: {plain_two}",
    "The audited record says: {plain_one} The same audited record says: {plain_two}",
    "{plain_one} In the very same respect and without any change in between, this holds too: {plain_two}",
    "Two lines of one table disagree. The first: {plain_one} The second: {plain_two}",
)

EITHER = (
    "{Either}, but not both.",
    "{Either}; the one shuts out the other.",
    "{Either}, never both at once.",
    "{Either}; if one of these holds, the other fails.",
    "{Either}, and whichever it is, the other is out.",
    "{Either}: there is a single right choice.",
    "{Either}; to have it both ways is impossible.",
    "{Either}, and no mixture of these is allowed.",
    "{Either}; as alternatives they cannot go together.",
    "Just one thing can be the case: {either}.",
    "It must be one way or the other: {either}.",
    "Of necessity {either}, and not the pair of them.",
    "{Either}; the first would make the second false, and the second the first.",
    "{Either}, with no room for more than one.",
    "This much is fixed: {either}, not both together.",
)
"""Only one of two values can hold."""
TOGETHER = (
    "{One}. {Two}.",
    "{One}, and {two}.",
    "It is a fact that {one}, and a fact that {two}.",
    "{One}; likewise, {two}.",
    "As it happens, {one}, and {two} as well.",
    "{One}; moreover, {two}.",
    "It holds that {one}; it holds that {two}.",
    "Certainly {one}, and certainly {two}.",
    "Indeed {one}; indeed {two}.",
    "Beyond doubt {one}; beyond doubt {two}.",
    "Plainly {one}. Plainly {two}.",
    "{One}. In addition, {two}.",
    "In truth {one}, and in truth {two}.",
    "{One}. Furthermore, {two}.",
    "Without question {one}; without question {two}.",
    "Surely {one}, just as surely {two}.",
)
"""And yet each of the two does."""

ONE_OF = (
    "Of the {things} that follow, one is true and one is false.",
    "Only one of these {things} can be right.",
    "The next two {things} cannot stand together.",
    "Here are two {things}, and if one holds, the other fails.",
    "No more than one of the following {things} is a fact.",
    "Below are two {things}, of which at most one can hold.",
    "A choice has to be made between these {things}.",
    "Whoever accepts one of these {things} must drop the other.",
    "Two {things} follow that shut each other out.",
    "It is one of these two {things} or the other, but not both.",
)
THINGS = (
    "statements", "sentences", "lines", "accounts", "versions", "claims", "remarks", "assertions", "entries", "readings",
)  # fmt: skip
BOTH_HOLD = (
    "Both are true.", "Each is a fact.", "Both of them hold.", "Neither is false.", "Each of them is right.", "Both must be accepted.", "Neither can be doubted.",
    "Both are right.",
)  # fmt: skip
"""Around two whole sentences."""

FLIPS = (
    "{Claim}. At the same time, {denial}.",
    "{Claim}, and {denial}.",
    "{Denial}; all the same, {claim}.",
    "{Claim}, even though {denial}.",
    "{Claim}. And yet {denial}.",
    "It is right to say that {claim}, and it is not right to say so.",
    "It is the case, and is not the case, that {claim}.",
    "{Denial}. Nonetheless, {claim}.",
    "{Claim}, while {denial}.",
    "That {claim} is true, and that {claim} is not true.",
    "Yes, {claim}; and no, {denial}.",
    "{Claim} for sure, and for sure {denial}.",
    "Just as surely as {claim}, {denial}.",
    "Whether {claim}? It is so, and it is not so.",
    "{Claim}; at that very moment, {denial}.",
    "It is true that {claim}, and not true that {claim}.",
    "At once {claim} and {denial}.",
    "There are no two ways about it: {claim}, and {denial}.",
    "In one and the same sense {claim} and {denial}.",
    "{Claim}, although for all time {denial}.",
)
"""One statement true and untrue at once."""

EVERY = (
    "{Every} {v} that {claim}. {No} does.",
    "{Claim}, as {every} {v} and as {no} {v}.",
    "Without exception, {every} {v} that {claim}; not a single one does.",
    "That {claim} is what {every} {v} and what {no} {v}.",
    "In {every} it stands that {claim}. In {no} does it stand so.",
    "Whatever {thing} one opens, it {v} that {claim}. Whatever {thing} one opens, it does not.",
    "{No} fails to give it as a fact that {claim}, and {no} gives it.",
    "{Claim}, to go by {every}. To go by {every}, {denial}.",
    "{Every} {v} that {claim}, and {every} {v} that {denial}.",
    "Any {thing} will tell that {claim}; no {thing} at all will tell it.",
)
"""All members of a kind say so, and none does; {every} and {no} name the kind, {thing} is its noun."""
KINDS = (
    "book", "record", "report", "account", "textbook", "study", "article", "chronicle", "catalogue", "yearbook",
    "almanac", "encyclopaedia", "letter", "document", "handbook", "dictionary", "essay", "journal", "guide", "register",
    "newspaper", "magazine", "file", "note", "survey", "memoir", "review", "history", "manual", "bulletin",
)  # fmt: skip
ALWAYS = (
    "Everybody who has studied the matter knows that {claim}. Nobody who has studied it thinks so.",
    "Always and everywhere it is true that {claim}. It is true at no time and in no place.",
    "Experts, down to the last one, agree that {claim}. Not one expert agrees.",
    "Wherever the subject comes up, it is told that {claim}. It is told in no place at all.",
    "In every telling {claim}. In no telling is it so.",
    "All {role}s hold that {claim}. No {role} holds it.",
    "Each {role} who has looked into it holds that {claim}; none of them holds it.",
    "Ask any {role}: {claim}. Ask any {role}: {denial}.",
    "Among {role}s it is held by all that {claim}, and held by none.",
    "{Claim}, every {role} says. {Denial}, every {role} says.",
    "The whole world agrees that {claim}. Not a soul in the world agrees.",
    "On each occasion {claim}. On no occasion is that so.",
)

ONLY_IF = (
    "{Claim} if and only if {condition}. {Failure}, and yet {claim}.",
    "If, and only if, {condition}, {claim}. {Failure}. Nevertheless, {claim}.",
    "{Claim} if {condition}, and not otherwise. {Failure}; still, {claim}.",
    "{Claim} exactly when {condition}. {Condition}, but {denial}.",
    "Precisely if {condition}, {claim}. {Failure}, and for all that {claim}.",
    "Only if {condition}, and always if so, {claim}. {Condition}; {denial}.",
    "Whenever {condition}, {claim}, and only then. {Condition}, and {denial}.",
    "To say that {claim} is right if {condition} and wrong if not. {Failure}. Even so, {claim}.",
    "{Claim} provided, and only provided, that {condition}. {Condition}. However, {denial}.",
    "It depends on this alone whether {claim}: that {condition}. {Failure}. {Claim}.",
    "Where {condition}, {claim}; where not, {denial}. {Failure}, though {claim}.",
    "{Claim} on one condition, which is needed and enough: {condition}. {Condition}, and still {denial}.",
    "That {claim} follows once {condition}, and from nothing else. {Failure}, but {claim}.",
)
CONDITIONS = (
    ("{a} says so", "{a} does not say so"),
    ("{a} confirms it", "{a} does not confirm it"),
    ("{a} agrees", "{a} does not agree"),
    ("{a} has put it in print", "{a} has not put it in print"),
    ("{a} lists it as a fact", "{a} does not list it as a fact"),
    ("{a} and {b} say so together", "{a} does not say so"),
    ("{a} and {b} are of one mind about it", "{a} and {b} are not of one mind about it"),
    ("{a} bears it out", "{a} does not bear it out"),
    ("{a} vouches for it", "{a} does not vouch for it"),
    ("{a} accepts it", "{a} does not accept it"),
    ("{a} gives it as a fact", "{a} does not give it as a fact"),
    ("{a} has said so", "{a} has never said so"),
    ("{a} stands by it", "{a} does not stand by it"),
    ("{a} has signed a note of it", "{a} has signed no note of it"),
)
"""A condition, and that it failed."""

PROPERTIES = {
    "event": (
        "What happened {first} can never have happened {second}.",
        "Nothing that took place {first} can ever have taken place {second}.",
        "An event {first} is in no case an event {second}.",
        "It is impossible for anything to fall both {first} and {second}.",
        "By rule, things that occurred {first} never occurred {second}.",
    ),
    "place": (
        "What is {first} can never be {second}.",
        "Nothing {first} is ever {second} as well.",
        "Whatever has its place {first} cannot have it {second}.",
        "To be {first} means not to be {second}, for all things and at all times.",
        "It is impossible for anything to be both {first} and {second}.",
        "Things {first} are never at once {second}.",
    ),
    "number": (
        "What comes to {first} can never come to {second}.",
        "Nothing that numbers {first} ever numbers {second}.",
        "A count of {first} is in no case a count of {second}.",
        "It is impossible for anything to number both {first} and {second}.",
        "To be {first} in all means not to be {second} in all, whatever is counted.",
        "Where there are {first} of a kind, there are never {second}.",
    ),
    "deed": (
        "Nothing {done} by {first} can ever be {done} by {second}.",
        "Whatever is {done} by {first} is in no case {done} by {second}.",
        "To be {done} by {first} means never to be {done} by {second}.",
        "It is impossible for anything {done} by {first} to be {done} by {second}.",
        "There is not a thing {done} by {first} that could be {done} by {second}.",
    ),
    "part": (
        "No part {done} by {first} can ever be {done} by {second}.",
        "A part {done} by {first} is in no case {done} by {second}.",
        "Parts that go to {first} never go to {second}.",
        "For a part, to be {done} by {first} means never to be {done} by {second}.",
        "It is impossible for any part {done} by {first} to be {done} by {second}.",
        "Whatever part falls to {first}, it cannot fall to {second}.",
    ),
}
"""General rules that keep two properties apart, by what the question asks for."""
