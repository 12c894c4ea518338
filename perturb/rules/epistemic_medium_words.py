"""The questions of the MEDIUM rules of P-EpistemicMismatch that plant nothing."""

from __future__ import annotations

SHOULD = (
    "How much time should schools give to {full}?",
    "How much more ought {group} to hear about {full}?",
    "Would it be better for {group} to leave {full} alone?",
    "Is it right to make {full} a subject for {group}?",
    "Does {full} deserve the interest of {group}?",
    "Had {town} better teach its children about {full}?",
    "Is it for {group} to speak up for {full}?",
    "Who ought to have the last word on {full}?",
    "What is the right attitude towards {full}?",
    "Should {surname} Council pay for {a_thing}?",
    "Is it a duty to preserve {full}?",
    "Must {town} honour {full}?",
    "How seriously are {group} supposed to take {full}?",
    "What is the proper place of {full} in a museum?",
    "Would {group} do right to give up {full}?",
    "Does anybody need to be taught about {full}?",
    "Are {group} obliged to know {full}?",
    "What ought {a_meeting} to leave out?",
    "Is more respect due to {full}?",
    "In what spirit are children to look at {full}?",
)  # fmt: skip

SHOULD_DO = (
    "How should later generations honour {told}?",
    "How severely ought critics to judge {told}?",
    "Does {told} deserve a statue?",
    "Is more gratitude due to {told}?",
    "What honour is due to {told}?",
    "Are {group} obliged to thank {told}?",
    "Would it be right to name a street in {town} after {told}?",
    "Had {town} better forget {told}?",
    "Is a medal the proper reward for {told}?",
    "What do {group} rightly owe to {told}?",
    "Must schools teach children about {told}?",
    "Is it a duty to remember {told}?",
)  # fmt: skip

CHANCES = (
    "How likely is it that {a_thing} is sold tonight?",
    "What are the odds against {a_meeting} in {town}?",
    "What chance has a stranger of seeing {a_thing}?",
    "How probable is {a_meeting} in {month}?",
    "What is the probability that {someone} and {full} come up in one talk?",
    "Is a nurse or a baker the likelier person to own {a_thing}?",
    "At what odds would a bet on {a_meeting} be fair?",
    "Out of a hundred chances, in how many does {a_thing} get lost?",
    "How big is the risk of a fire at {a_meeting}?",
    "Is it likely or unlikely that {group} dream of {full}?",
    "With what likelihood do two {group} agree on {full}?",
    "How great is the danger that {a_thing} is stolen?",
    "Can one expect, with more than even odds, {a_meeting} in {town}?",
    "What probability attaches to {group} knowing {full}?",
    "How good are the chances of finding {a_thing} in {town}?",
    "How remote is the chance of a poem on {full}?",
    "Is it more probable that {group} or {other_group} talk of {full} today?",
    "How much of a gamble is {a_meeting}?",
)  # fmt: skip

FORECASTS = (
    "How many people will {meet} {full} in {later}?",
    "When is {full} going to be forgotten?",
    "What is {town} going to think of {full} in the year {later}?",
    "Who will be the leading expert on {full} in {later}?",
    "When does the world's last {bare_meeting} on {full} take place, by {later} or after?",
    "How is {full} to be described in {writing} of {later}?",
    "Between now and {later}, how often can {full} come up in quizzes?",
    "In {later}, which country is to have the most books on {full}?",
    "What becomes of {full} between now and {later}?",
    "How old will {full} seem to {group} in {later}?",
    "Are {group} going to talk about {full} in {later}?",
    "At what date in the future do {group} lose interest in {full}?",
    "How much will {a_thing} be worth in {later}?",
    "In {later}, what will {group} make of {full}?",
    "Does fame or oblivion await {full} by {later}?",
    "In which year shall {full} be seen as ancient?",
    "How many {group} are to know {full} in {later}?",
    "What is the price of {a_thing} a century from today?",
    "At what future date does interest in {full} reach its peak?",
)  # fmt: skip

IF_NOT = (
    "Who would have {done} if {name} had fallen ill at the time?",
    "Had {name} been too ill that year, who would have {done} instead?",
    "With {name} stuck in {town}, who would have {done}?",
    "Who would have {done} if an accident had kept {name} from it?",
    "In {name}'s absence, who might have {done}?",
    "Supposing {name} had been held up in {town}, who would have {done}?",
    "Who else would have {done}, had {name} lost interest halfway?",
    "But for {name}, who could have {done}?",
    "Imagine {name} had declined: who would have {done}?",
    "If {name} had had a cold, who would have {done}?",
)  # fmt: skip

WORK_IF: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the first {people} have received {full} if it had come out in {after} instead of {year}?",
        "Had {full} come out in {before} and not in {year}, what would the first reviews have said?",
        "With {full} held back from {year} to {after}, what might have come out in its place?",
        "How many {people} would {full} have had at first, had it come out in {after}, not {year}?",
        "Suppose {full} had come out not in {year} but in {after}: how would its first week have gone?",
        "In {before} instead of {year}, how might {full} have fared at first?",
        "Imagine {full} a year later than {year}: what would {people} have said?",
        "But for its date of {year}, how would {full} have begun its life in {after}?",
        "Postponed from {year} to {after}, how would {full} have fared in its first days?",
    ),
    "others": (
        "If {full} had begun in {after} instead of {year}, what would have happened next?",
        "How would the first day of {full} have gone in {before} and not in {year}?",
        "Had {full} been put off from {year} to {after}, what would those concerned have done first?",
        "Suppose {full} had come not in {year} but in {after}: how would it have ended?",
        "With {full} moved from {year} to {after}, what might the first reports have said?",
        "Imagine {full} a year before {year}: who would have taken part?",
        "But for its date of {year}, how would {full} have gone in {after}?",
    ),
}  # fmt: skip
"""Each changes the year in which, by the passage, the work came out or the event took place."""
