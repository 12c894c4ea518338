# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Ambiguity rules that set people beside the one who is the answer; gaps filled from the instance."""

from __future__ import annotations

DUAL = (
    "In a talk between {first} and {second} it came out that {subject} {did}.",
    "A photograph shows {first} beside {second}; the caption says that {subject} {did}.",
    "The report on a meeting of {first} with {second} says that {subject} {did}.",
    "{first} is listed next to {second}, with the remark that {subject} {did}.",
    "One entry deals with {first} as well as {second} and adds that {subject} {did}.",
    "{first} and {second} are old friends, and {subject} {did}.",
    "{first} often lunches with {second}, since {subject} {did}.",
    "{first} has been compared to {second} because {subject} {did}.",
    "{first} lives in the same town as {second}, where everybody knows that {subject} {did}.",
    "{first} greeted {second} warmly; after all, {subject} {did}.",
    "{first} is a cousin of {second}. In the family it is well known that {subject} {did}.",
    "Of {first} and {second}, who are neighbours, it is told that {subject} {did}.",
    "{source} names {first} along with {second} and says that {subject} {did}.",
)
CHAINS = (
    "{first} and {second} met while the preparations were under way. {Subject} was new to the business at the time. Years later {subject} described those weeks in an interview. On that occasion it was confirmed that {subject} {did}.",
    "{first} had long been a friend of {second}. {Subject} was the more outgoing of the two. In a later interview {subject} spoke about those years. The interviewer mentioned that {subject} {did}.",
    "{first} shared an agent with {second}. {Subject} rarely spoke to the press. When {subject} finally gave an interview, many were surprised. The article under it notes that {subject} {did}.",
    "{first} and {second} were both present at the announcement. {Subject} gave a short speech. Afterwards {subject} took questions. As the invitation said, {subject} {did}.",
    "{first} knew {second} from an earlier project. {Subject} had asked for a larger part in the new one. In the end {subject} was satisfied. It is well documented that {subject} {did}.",
    "{first} once shared a train with {second}. {Subject} read for most of the way. At the last station {subject} left in a hurry. Everyone on board knew that {subject} {did}.",
    "{first} lived for a time in the same street as {second}. {Subject} kept a small garden there. On Sundays {subject} had visitors. The neighbours were proud that {subject} {did}.",
    "{first} and {second} went to the same school. {Subject} was often late. Still, {subject} passed every test. A plaque in the hall recalls that {subject} {did}.",
    "{first} is sometimes seen at the seaside with {second}. {Subject} swims in all weathers. In winter {subject} goes alone. The lifeguards all know that {subject} {did}.",
    "{first} used to play cards with {second}. {Subject} hated to lose. One night {subject} won every round. It was said at the table that {subject} {did}.",
    "{first} took the same dancing lessons as {second}. {Subject} was quick to learn. By spring {subject} needed no teacher. The whole class had heard that {subject} {did}.",
    "{first} and {second} fell ill in the same week. {Subject} recovered first. Soon {subject} was back at work. The doctor was glad to hear that {subject} {did}.",
)
BRAIDS = (
    "{first} told {second} that {subject} had read in {possessive} diary that {subject} {did}.",
    "When {first} met {second}, {subject} told {object} that {possessive} agent had said that {subject} {did}.",
    "{first} and {second} fell out when {subject} said that {possessive} own notes showed {object} that {subject} {did}.",
    "{first} and {second} were on good terms until {subject} told {object} that {possessive} brother had heard that {subject} {did}.",
    "When {first} last saw {second}, {subject} read {object} a page of {possessive} diary, according to which {subject} {did}.",
    "While {first} and {second} were travelling, {subject} showed {object} a card from {possessive} agent, which said that {subject} {did}.",
    "In the letters between {first} and {second}, {subject} tells {object} that {possessive} neighbours have heard that {subject} {did}.",
    "{first} and {second} were at one table when {subject} let {object} see in {possessive} notebook that {subject} {did}.",
    "{first} wrote to {second} that {subject} was proud that {possessive} children knew that {subject} {did}.",
    "After {first} had lent {second} a coat, {subject} found a letter of {possessive} sister in it, who was delighted that {subject} {did}.",
    "{first} and {second} quarrelled, since {subject} had told {possessive} friends before {object} that {subject} {did}.",
    "{first} reminded {second} that {subject} had once shown {object} a note of {possessive} father, by which {subject} {did}.",
)

ROLES = (
    "A photograph of {occasion} shows {first} with {second} in the role of {part}.",
    "On the day of {occasion}, {first} was sketched beside {second} in the role of {part}.",
    "Shortly before {occasion}, {first} could be seen next to {second} in the role of {part}.",
    "During {occasion}, {first} sat with {second} in the costume of {part}.",
    "On the way to {occasion}, {first} bumped into {second} in the costume of {part}.",
    "In a picture from {occasion} one sees {first} together with {second} in the role of {part}.",
    "Visitors to {occasion} saw {first} near {second} in the costume of {part}.",
    "At {occasion}, a guard filmed {first} behind {second} in the costume of {part}.",
    "Right after {occasion}, {first} stood opposite {second} in the costume of {part}.",
    "Because of {occasion}, {first} ran into {second} in the make-up of {part}.",
    "When {occasion} began, {first} joined {second} in the role of {part}.",
    "Long before {occasion}, someone drew {first} by the side of {second} in the role of {part}.",
)
"""Of two people one plays a part."""
MAKERS = (
    "At {occasion}, {first} greeted {second} as the {maker}.",
    "On the evening of {occasion}, {first} welcomed {second} as the {maker}.",
    "During {occasion}, {first} met {second} as the {maker}.",
    "Thanks to {occasion}, {first} received {second} as the {maker}.",
    "In the week of {occasion}, {first} visited {second} as the {maker}.",
    "Before {occasion}, {first} addressed {second} as the {maker}.",
    "{first} spoke to {second} as the {maker} after {occasion}.",
    "When {occasion} was over, {first} approached {second} as the {maker}.",
    "Ahead of {occasion}, {first} wrote to {second} as the {maker}.",
    "For {occasion}, {first} invited {second} as the {maker}.",
    "As part of {occasion}, {first} interviewed {second} as the {maker}.",
    "On arriving at {occasion}, {first} hailed {second} as the {maker}.",
)
"""Of two people one is the maker."""

ELLIPSES = (
    "{other} denied having {deeds}. {first} had, and so had {second}, but each only one of the three.",
    "{other} had not {deeds}. {first} had, as had {second}, though either had done a single one of these.",
    "{source} says that {other} had never {deeds}; {first} had, once, and once so had {second}.",
    "Had {other} {deeds}? No, but {first} had, and {second} had too, one thing each.",
    "While {other} had neither {neither}, {first} had, and {second} had too: one deed each.",
    "It was claimed that {other} had {deeds}. In truth {first} had, and {second} had, but both no more than one of the three.",
    "“I have never {deeds},” said {other}. “I have,” said {first}, and “I have,” said {second}, and each meant one of the three.",
    "Unlike {other}, who had not {deeds}, {first} had, and {second} had as well, albeit just one of the three.",
    "Nobody can say that {other} had {deeds}. {first} certainly had, and {second} certainly had, if never more than one of them.",
    "{other} was blamed for having {deeds}, and wrongly: it was {first} who had, and {second} who had, with one deed apiece.",
    "If {other} had {deeds}, it would be a surprise. That {first} had, and that {second} had, is known to all, yet both had done but one of these.",
    "Everybody thought that {other} had {deeds}. {first} had; {second} had; neither had done two of them.",
    "Those who asked {other} heard that {other} had never {deeds}. Those who asked {first} or {second} heard “I have”, for one of the three.",
)
"""Deeds that are taken up by a bare "had"; which of them each did stays unsaid."""

CASCADES = (
    "A photograph shows {a} beside {b} in front of {c} next to {d}, who {did}, whichever of the four that may be.",
    "There is a letter from {a} to {b} about a quarrel of {c} with {d}, who {did}; it fits any of them.",
    "{a} introduced {b} to {c} at the house of {d}, who {did}, though no comma tells which of them.",
    "{a} sent {b} to {c} with a parcel for {d}, who {did}; the words leave open which one.",
    "{a} sat next to {b} behind {c} in the car of {d}, who {did} – one of them, that is.",
    "{source} speaks of a walk of {a} with {b} to the home of {c} near that of {d}, who {did}, without saying which of the four is meant.",
    "In the queue stood {a} ahead of {b} ahead of {c} ahead of {d}, who {did}; nobody knows which.",
    "{a} heard from {b} of a visit of {c} to {d}, who {did}, but which of these people it was has never been settled.",
    "On the stairs {a} passed {b} with {c} on the way to {d}, who {did}, and that can be said of each.",
    "{source} lists a gift of {a} to {b} in honour of {c} from the garden of {d}, who {did}: it is one out of four.",
    "A drawing has {a} opposite {b} on the bench of {c} in the yard of {d}, who {did}; it could be any of these.",
    "{a} bought a dog of {b} for {c} at the request of {d}, who {did}, and the reader is left to guess which.",
    "At the table {a} faced {b} to the left of {c} and to the right of {d}, who {did}. The seating plan is no more exact.",
)
"""A clause that may close on each of four people."""
