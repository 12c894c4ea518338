"""Wordings of the MEDIUM rules of P-FalsePremise; the gaps are filled from the instance."""

from __future__ import annotations

NEVER = (
    "Why does {name} regret never having {done}?",
    "Why was {name} so relieved never to have {done}?",
    "When did {name} first admit to never having {done}?",
    "Who was the first to notice that {name} had never {done}?",
    "How did the public find out that {name} had never {done}?",
    "What made {name} sorry never to have {done}?",
    "To whom did {name} first confess to never having {done}?",
    "How long did {name} regret never having {done}?",
    "Which newspaper revealed that {name} had never {done}?",
    "What did {name} find so embarrassing about never having {done}?",
    "How long was it before anybody noticed that {name} had never {done}?",
    "Whom did {name} apologise to for never having {done}?",
)
NEVER_WITH_PRONOUN = (
    "In which interview did {name} say how glad {pronoun} was never to have {done}?",
    "What made {name} realise that {pronoun} had never {done}?",
    "Why does {name} tell everybody how sorry {pronoun} is never to have {done}?",
)
NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "Why do some people still regret that {denial}?",
    "When did the public learn that {denial}?",
    "Who found out by chance that {denial}?",
    "Why was it such a relief to many that {denial}?",
    "What first made people aware that {denial}?",
    "Which report revealed that {denial}?",
    "Whom did it surprise most that {denial}?",
    "Why was it admitted only much later that {denial}?",
    "Why were so many people sorry that {denial}?",
    "For how many years did nobody notice that {denial}?",
)
FOUND_NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "When did the public learn that {denial}?",
    "Who found out by chance that {denial}?",
    "What first made people aware that {denial}?",
    "Which report revealed that {denial}?",
    "For how many years did nobody notice that {denial}?",
)
"""For counts and measures, which nobody regrets."""

ENDED: dict[str, tuple[str, ...]] = {
    "film": (
        "Why was {full} withdrawn from cinemas in {year}?",
        "Who decided to take {full} out of cinemas in {year}?",
        "Why did cinemas stop showing {full} in {year}?",
        "How did audiences react when {full} was pulled from cinemas in {year}?",
        "Why did the last cinema to show {full} drop it in {year}?",
        "In which city was {full} shown for the last time before it left cinemas in {year}?",
        "How many cinemas were still showing {full} when it was withdrawn in {year}?",
    ),
    "music": (
        "Why did radio stations stop playing {full} in {year}?",
        "Who had {full} taken out of the shops in {year}?",
        "Why was {full} dropped from the air in {year}?",
        "What led record shops to stop selling {full} in {year}?",
        "Why was {full} withdrawn from sale in {year}?",
        "Which radio station was the first to stop playing {full} in {year}?",
        "How many copies of {full} were left unsold when it was withdrawn in {year}?",
        "What did listeners say when {full} was taken off the radio in {year}?",
    ),
    "series": (
        "Why was {full} taken off the air in {year}?",
        "Who decided to cancel {full} in {year}?",
        "Why did the network stop showing {full} in {year}?",
        "How did viewers react when {full} was cancelled in {year}?",
        "What led to the cancellation of {full} in {year}?",
        "Why did {full} lose its place in the schedule in {year}?",
        "Which programme took the place of {full} after its cancellation in {year}?",
        "How many people wrote in to complain when {full} was cancelled in {year}?",
    ),
    "book": (
        "Why did {full} go out of print in {year}?",
        "Who decided to stop printing {full} in {year}?",
        "Why was {full} withdrawn from bookshops in {year}?",
        "Why did libraries stop lending {full} in {year}?",
        "How did readers react when {full} went out of print in {year}?",
        "How many copies of {full} were pulped when it was withdrawn in {year}?",
        "Which library was the first to stop lending {full} in {year}?",
    ),
    "body": (
        "Why did {full} break up in {year}?",
        "What led {full} to shut down in {year}?",
        "Why did {full} give up its work in {year}?",
        "Who decided that {full} should disband in {year}?",
        "How did the public react when {full} was dissolved in {year}?",
        "Why did {full} cease to exist in {year}?",
        "Where was the last meeting of {full} held before it broke up in {year}?",
    ),
    "place": (
        "Why was {full} closed in {year}?",
        "Who ordered the closing of {full} in {year}?",
        "Why did {full} stop admitting people in {year}?",
        "What led to the closing of {full} in {year}?",
        "Why was {full} abandoned in {year}?",
        "How long did the repairs take after {full} was shut in {year}?",
        "Who was the last person to leave {full} before it closed in {year}?",
    ),
}

GAVE_UP = (
    "Why did {who} {end} in {year}?",
    "What led {who} to {end} in {year}?",
    "Who decided that {who} should {end} in {year}?",
    "What was the reason why {who} had to {end} in {year}?",
    "How did people react when it was announced in {year} that {who} would {end}?",
    "Whose idea was it that {who} should {end} in {year}?",
)
WAS_ENDED = (
    "Why was {who} {ended} in {year}?",
    "What was the reason why {who} was {ended} in {year}?",
    "Who gave the order by which {who} was {ended} in {year}?",
    "How did people react when {who} was {ended} in {year}?",
    "What led up to the day in {year} on which {who} was {ended}?",
    "Who was the first to complain when {who} was {ended} in {year}?",
)

RETIRED = (
    "Why did {told} retire in {year}?",
    "What led {told} to give up work in {year}?",
    "Who talked {told} into giving up a career in {year}?",
    "How did the public react when {told} retired in {year}?",
    "What did {told} do after giving up work in {year}?",
    "For what reason did {told} stop appearing in public in {year}?",
    "Where did {told} announce the end of a long career in {year}?",
    "Which newspaper reported that {told} gave up work in {year}?",
)
BURIALS = (
    "In which cemetery was {told} buried?",
    "Where was {told} laid to rest?",
    "Who gave the eulogy at the funeral of {told}?",
    "In which year was {told} buried?",
    "Which church held the funeral of {told}?",
    "Where were the ashes of {told} scattered?",
    "What is carved on the gravestone of {told}?",
    "Who sang at the funeral of {told}?",
)
RESIGNED = (
    "In whose favour did {name} give up the post of {post}?",
    "Why did {name} step down as {post}?",
    "When did {name} hand over the post of {post}?",
    "To whom did {name} hand over the post of {post}?",
    "What made {name} resign as {post}?",
    "How did {name} announce the decision to leave the post of {post}?",
    "How long had {name} been {post} on the day of resigning?",
)
BEFORE_FIRST = (
    "Who {verb} the {thing} that came just before the very first one?",
    "Who {verb} the {thing} that preceded the first one?",
    "Who had {done} the earlier {thing} before the first one came about?",
    "Who {verb} the last {thing} before the very first one?",
    "Who {verb} the {thing} before the first one of all?",
    "Before the first one, who {verb} the previous {thing}?",
    "By what name is the {thing} known that preceded the first, and who {verb} it?",
)
DATED_BEFORE_FIRST = (
    "When {was} the {thing} {done} that came just before the first one?",
    "In which year {was} the {thing} {done} that preceded the first one?",
    "When {was} the {thing} that came before the first one {done}?",
    "Where {was} the {thing} before the first one {done}?",
    "Why {was} the {thing} before the first one {done} so quietly?",
    "Who remembers the day on which the {thing} before the first one {was} {done}?",
)
BEFORE_BEGINNING = (
    "Where had {who} been {done} before {verb} first {done}?",
    "How often had {who} been {done} before {verb} first {done}?",
    "By whom had {who} been {done} before {verb} first {done}?",
    "In which year had {who} last been {done} before {verb} first {done}?",
    "For how long had {who} already been {done} before {verb} first {done}?",
    "What did people think of {who} when it had been {done} earlier, before {verb} first {done}?",
)
PHANTOM = (
    "When did the {ordinal} season of {full} premiere?",
    "How many episodes does the {ordinal} season of {full} have?",
    "Which episode opens the {ordinal} season of {full}?",
    "Who joined the cast in the {ordinal} season of {full}?",
    "How does the {ordinal} season of {full} end?",
    "Where was the {ordinal} season of {full} filmed?",
    "Who directed the opening episode of the {ordinal} season of {full}?",
)
