"""The questions of the MEDIUM rules of P-EpistemicMismatch that plant nothing."""

from __future__ import annotations

SHOULD = (
    "Should schools teach children about {full}?",
    "How much time should schools give to the history of {full}?",
    "What should schools teach about {full}?",
    "Should the museum in {town} put on an exhibition on {full}?",
    "Should the council of {town} pay for {a_meeting}?",
    "What ought pupils to learn about {full}?",
    "Ought the library in {town} to buy {a_thing}?",
    "At what age should children first learn about {full}?",
    "Do schools have a duty to teach children about {full}?",
    "Should the council of {town} set up a museum about {full}?",
    "What should an exhibition on {full} show first?",
)
"""Each names somebody who acts, and what is to be done."""

SHOULD_DO = (
    "How should later generations honour {told}?",
    "Should {town} name a street after {told}?",
    "Should schools teach children about {told}?",
    "Should the council of {town} put up a statue of {told}?",
    "How should people remember {told}?",
    "Should a university give an honorary degree to {told}?",
    "What should schools teach about {told}?",
    "Ought museums to honour {told}?",
)

CHANCES = (
    "How likely is it that {a_thing} will be sold tomorrow?",
    "What is the probability that {town} will host {a_meeting} next year?",
    "What are the chances of finding {a_thing} in {town}?",
    "How probable is it that a new book about {full} will be published in {month}?",
    "What is the probability that a visitor to {town} has read a book about {full}?",
    "How likely is it that two {group} chosen at random will both talk about {full} tomorrow?",
    "How great is the risk that {a_thing} will be stolen?",
    "What are the odds that {full} will come up in a quiz tonight?",
    "What is the likelihood that {full} will be mentioned on the radio tomorrow?",
    "Who is more likely to have read a book about {full}, a nurse or a baker?",
    "How likely is {a_meeting} to be sold out?",
    "What is the probability that {a_thing} will turn up in {town}?",
)

FORECASTS = (
    "How many people will {meet} {full} in {later}?",
    "When will people stop talking about {full}?",
    "What will historians write about {full} in {later}?",
    "Who will be the leading expert on {full} in {later}?",
    "How well known will {full} be in {later}?",
    "How often will {full} be mentioned in the news in {later}?",
    "Which country will have the most books about {full} in {later}?",
    "Will people still talk about {full} in {later}?",
    "When will people lose interest in {full}?",
    "How much will {a_thing} be worth in {later}?",
    "What will young people think of {full} in {later}?",
    "In which future year will interest in {full} reach its peak?",
    "When will the last book about {full} be published?",
    "How many museums will have an exhibition on {full} in {later}?",
)

IF_NOT = (
    "Who would have {done} if {name} had fallen ill?",
    "Had {name} been too ill, who would have {done} instead?",
    "Who would have {done} if an accident had prevented {name} from doing so?",
    "Who would have {done} if {name} had lost interest?",
    "Suppose {name} had been ill at the time: who would have {done} instead?",
    "If {name} had been unable to do so, who would have {done}?",
    "If {name} had had an accident, who would have {done} instead?",
    "Imagine that {name} had been unavailable: who would have {done}?",
)

WORK_IF: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the first {people} have received {full} if it had come out in {after} instead of {year}?",
        "If {full} had come out in {before} instead of {year}, what would the first reviews have said?",
        "How many {people} would {full} have had at first if it had come out in {after} instead of {year}?",
        "Suppose {full} had come out in {after} instead of {year}: how would its first week have gone?",
        "Had {full} come out in {before} instead of {year}, how would {people} have received it at first?",
        "If {full} had been delayed from {year} to {after}, what would the first reviews have said?",
        "What would {people} have said at first if {full} had come out in {before} instead of {year}?",
    ),
    "others": (
        "If {full} had begun in {after} instead of {year}, what would have happened first?",
        "How would the first day of {full} have gone if it had begun in {before} instead of {year}?",
        "Had {full} begun in {after} instead of {year}, how would it have ended?",
        "Suppose {full} had begun in {before} instead of {year}: who would have taken part?",
        "If {full} had been put off from {year} to {after}, what would the first reports have said?",
        "What would have been different at the start if {full} had begun in {after} instead of {year}?",
    ),
}
"""Each changes the year in which, by the passage, the work came out or the event took place."""
