# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Ambiguity rules that set people beside the one who is the answer; gaps filled from the instance."""

from __future__ import annotations

DUAL = (
    "In a talk between {first} and {second} it came out that {subject} {did}.",
    "A photograph shows {first} beside {second}; the caption says that {subject} {did}.",
    "A report on a meeting of {first} with {second} says that {subject} {did}.",
    "{first} and {second} are old friends, and {subject} {did}.",
    "{first} lives in the same town as {second}, where everybody knows that {subject} {did}.",
    "{first} is a cousin of {second}. In the family it is well known that {subject} {did}.",
    "{first} met {second} at a conference, where it was mentioned that {subject} {did}.",
    "{source} names {first} along with {second} and says that {subject} {did}.",
)
CHAINS = (
    "{first} and {second} met while the preparations were under way. {Subject} was new to the business at the time. Years later {subject} described those weeks in an interview. On that occasion it was confirmed that {subject} {did}.",
    "{first} had long been a friend of {second}. {Subject} was the more outgoing of the two. In a later interview {subject} spoke about those years. The interviewer mentioned that {subject} {did}.",
    "{first} shared an agent with {second}. {Subject} rarely spoke to the press. When {subject} finally gave an interview, many were surprised. The article under it notes that {subject} {did}.",
    "{first} and {second} were both present at the announcement. {Subject} gave a short speech. Afterwards {subject} took questions. As the invitation said, {subject} {did}.",
    "{first} knew {second} from an earlier project. {Subject} had asked for a larger part in the new one. In the end {subject} was satisfied. It is well documented that {subject} {did}.",
    "{first} lived for a time in the same street as {second}. {Subject} kept a small garden there. On Sundays {subject} had visitors. The neighbours were proud that {subject} {did}.",
    "{first} and {second} went to the same school. {Subject} was often late. Still, {subject} passed every test. A plaque in the hall recalls that {subject} {did}.",
    "{first} used to play cards with {second}. {Subject} hated to lose. One night {subject} won every round. It was said at the table that {subject} {did}.",
    "{first} took the same dancing lessons as {second}. {Subject} was quick to learn. By spring {subject} needed no teacher. The whole class had heard that {subject} {did}.",
    "{first} and {second} fell ill in the same week. {Subject} recovered first. Soon {subject} was back at work. The doctor was glad to hear that {subject} {did}.",
)
BRAIDS = (
    "When {first} met {second}, {subject} told {object} that {possessive} agent had said that {subject} {did}.",
    "{first} and {second} were on good terms until {subject} told {object} that {possessive} brother had heard that {subject} {did}.",
    "When {first} last saw {second}, {subject} read {object} a page of {possessive} diary, according to which {subject} {did}.",
    "While {first} and {second} were travelling, {subject} showed {object} a card from {possessive} agent, which said that {subject} {did}.",
    "In the letters between {first} and {second}, {subject} tells {object} that {possessive} neighbours have heard that {subject} {did}.",
    "{first} and {second} were at one table when {subject} let {object} see in {possessive} notebook that {subject} {did}.",
)

ROLES = (
    "A photograph of {occasion} shows {first} with {second} in the role of {part}.",
    "A photograph of {occasion} shows {first} beside {second} in the role of {part}.",
    "In a picture from {occasion} one sees {first} together with {second} in the role of {part}.",
    "Visitors to {occasion} saw {first} near {second} in the role of {part}.",
    "A sketch made at {occasion} shows {first} next to {second} in the role of {part}.",
    "On the way to {occasion}, {first} met {second} in the role of {part}.",
    "Shortly before {occasion}, {first} was photographed next to {second} in the role of {part}.",
)
"""Of two people one plays a part."""
MAKERS = (
    "A photograph of {occasion} shows {first} beside {second} with the award for {making}.",
    "A photograph of {occasion} shows {first} next to {second} with the prize for {making}.",
    "In a picture from {occasion} one sees {first} together with {second} with the medal for {making}.",
    "At {occasion}, {first} was seen near {second} with the award for {making}.",
    "After {occasion}, {first} was photographed next to {second} with the prize for {making}.",
    "Visitors to {occasion} saw {first} beside {second} with the medal for {making}.",
)
"""Of two people one made something."""

POSTS = (
    "At {occasion}, {first} met {second} as the {post}.",
    "Before {occasion}, {first} welcomed {second} as the {post}.",
    "In the week of {occasion}, {first} visited {second} as the {post}.",
    "Ahead of {occasion}, {first} wrote to {second} as the {post}.",
)
"""Of two people one holds a post."""

ELLIPSES = (
    "{other} denied having {deeds}. {first} had, and so had {second}, but each had done only one of the three.",
    "{other} had not {deeds}. {first} had, and {second} had too, though each had done only one of these things.",
    "{source} says that {other} had never {deeds}. {first} had, and so had {second}, each of them one of the three.",
    "{other} was said to have {deeds}. In truth {first} had, and {second} had, but each had done no more than one of the three.",
    "“I have never {deeds},” said {other}. “I have,” said {first}, and “I have,” said {second}, and each meant one of the three.",
    "Unlike {other}, who had not {deeds}, {first} had, and {second} had as well, each only one of the three.",
    "People thought that {other} had {deeds}. In fact {first} had, and so had {second}, one thing each.",
)
"""Deeds that are taken up by a bare "had"; which of them each did stays unsaid."""

CASCADES = (
    "There is a letter from {a} to {b} about a quarrel of {c} with {d}, who {did}; the letter does not say which of the four is meant.",
    "{a} introduced {b} to {c} at the house of {d}, who {did}, though it is not clear which of them is meant.",
    "{a} sent {b} to {c} with a parcel for {d}, who {did}, but the text leaves open which of the four is meant.",
    "{a} sat next to {b} behind {c} in the car of {d}, who {did}; which of the four is meant is not stated.",
    "{source} speaks of a walk of {a} with {b} to the home of {c} near that of {d}, who {did}, without saying which of the four is meant.",
    "{a} heard from {b} of a visit of {c} to {d}, who {did}; which of them is meant is not said.",
    "{source} mentions a gift from {a} to {b} in honour of {c} from the garden of {d}, who {did}, but not which of the four is meant.",
)
"""A clause that may close on each of four people."""
