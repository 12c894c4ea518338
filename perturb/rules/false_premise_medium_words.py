"""Wordings of the MEDIUM rules of P-FalsePremise; the gaps are filled from the instance."""

from __future__ import annotations

NOT_BY = (
    "{name} did not {undone}",
    "it was not {name} who {did}",
    "the one who {did} was not {name}",
    "somebody other than {name} {did}",
)
"""How it is denied that somebody did something."""
NOT_BY_NOW = (
    "it is not {name} who {did}",
    "the one who {did} is not {name}",
)
"""The same in the present."""
NEVER = (
    "Why does {name} regret never having {done}?",
    "Why was {name} so relieved never to have {done}?",
    "When did {name} first admit to never having {done}?",
    "To whom did {name} confess to never having {done}?",
    "In which interview did {name} express regret at never having {done}?",
    "Why is {name} proud of never having {done}?",
    "When did {name} begin to regret never having {done}?",
)
NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "Who found out by chance that {denial}?",
    "Which report revealed that {denial}?",
    "Who proved that {denial}?",
    "For how many years did nobody notice that {denial}?",
    "How did {people} find out that {denial}?",
    "When did {people} first realise that {denial}?",
    "Why were so many {people} surprised to learn that {denial}?",
    "Which {source} first revealed that {denial}?",
    "Who let slip that {denial}?",
    "Why did it take so long to discover that {denial}?",
    "When was it finally admitted that {denial}?",
    "At which {gathering} was it first pointed out that {denial}?",
    "Who was surprised to hear that {denial}?",
    "How long was it kept secret that {denial}?",
    "What made {people} realise that {denial}?",
)
FOUND_NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "Which report revealed that {denial}?",
    "For how many years did nobody notice that {denial}?",
    "How did {people} find out that {denial}?",
    "Who proved that {denial}?",
    "At which {gathering} was it first pointed out that {denial}?",
    "When did {people} first realise that {denial}?",
    "Which {source} first revealed that {denial}?",
)
"""For counts and measures, which nobody admits."""

GATHERED = ("press conference", "conference", "hearing")
"""What one can be at."""
SOURCES = ("newspaper", "magazine", "documentary")
PEOPLE = ("journalists", "researchers", "experts")
"""Who may find out about anything; those who hear, see or read a work come on top."""
MODERN = ("charts", "air")
"""Words of endings that suit no year before 1930."""

ENDED: dict[str, tuple[str, ...]] = {
    "film": (
        "was withdrawn from cinemas", "was shown for the last time", "was pulled from cinemas",
        "was taken out of cinemas",
    ),
    "music": (
        "was withdrawn from sale", "dropped out of the charts", "was taken off the air", "was withdrawn from the shops",
    ),
    "series": (
        "was taken off the air", "came to an end", "was broadcast for the last time", "aired its last episode",
    ),
    "book": (
        "went out of print", "was withdrawn from bookshops", "was removed from libraries", "was withdrawn from sale",
        "was printed for the last time",
    ),
    "band": ("broke up", "disbanded"),
    "body": ("was dissolved", "ceased to exist", "was disbanded", "came to an end"),
    "place": ("was closed", "was closed for good", "was closed to the public", "was shut down"),
}  # fmt: skip
"""How something ends: by that it must have been there, and out in the world."""
ENDINGS = (
    "Why {end} in {year}?",
    "For what reason {end} in {year}?",
    "In which month of {year} {end}?",
    "On which day in {year} {end}?",
    "What was the reason given when {who} {ended} in {year}?",
    "Was it in spring or in autumn of {year} that {who} {ended}?",
    "How did it come about that {who} {ended} in {year}?",
    "Under what circumstances {end} in {year}?",
)
"""The end as a question, with its verb before the subject, or as a clause."""
GIVEN_UP = (
    "retired", "left school", "left home", "left university", "gave up smoking", "gave up chess", "gave up football",
    "gave up the piano", "gave up dancing", "stopped taking piano lessons", "stopped playing chess",
    "stopped singing in a choir", "stopped keeping a diary", "stopped learning Latin", "retired from teaching",
    "left the army", "quit a job in a bank", "quit a village choir", "resigned from a town council",
)  # fmt: skip
"""What somebody gives up, ends or loses: by that the person must have been there."""
GIVING_UP = (
    "Why {end} in {year}?",
    "For what reason {end} in {year}?",
    "In which month of {year} {end}?",
    "On which day in {year} {end}?",
    "Under what circumstances {end} in {year}?",
    "How did it come about that {told} {ended} in {year}?",
    "What was the reason given when {told} {ended} in {year}?",
    "Was it in spring or in autumn of {year} that {told} {ended}?",
)
BURIALS = (
    "In which cemetery was {told} buried?",
    "Where was {told} laid to rest?",
    "Who gave the eulogy at the funeral of {told}?",
    "In which year was {told} buried?",
    "Which church held the funeral of {told}?",
    "Where were the ashes of {told} scattered?",
    "What is written on the gravestone of {told}?",
    "Who sang at the funeral of {told}?",
    "How many people came to the funeral of {told}?",
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
    "Who {verb} the {thing} before the first one?",
    "Who {verb} the last {thing} before the first one?",
    "Who {verb} the {thing} that immediately preceded the first one?",
    "In which year was the {thing} before the first one {done}?",
    "When was the {thing} that preceded the first one {done}?",
)
DATED_BEFORE_FIRST = (
    "In which year {was} the {thing} before the first one {done}?",
    "When {was} the {thing} that came before the first one {done}?",
    "Where {was} the {thing} before the first one {done}?",
)
BEFORE_BEGINNING = (
    "Where had {who} been {done} before {verb} first {done}?",
    "How often had {who} been {done} before {verb} first {done}?",
    "By whom had {who} been {done} before {verb} first {done}?",
    "In which year had {who} last been {done} before {verb} first {done}?",
    "For how long had {who} already been {done} before {verb} first {done}?",
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
BORDERS = (
    "How long is the land border between {place} and {land}?",
    "Which river forms the border between {place} and {land}?",
    "Where does the land border between {place} and {land} reach its highest point?",
    "In which year was the border between {place} and {land} drawn?",
    "Which town lies right on the border between {place} and {land}?",
    "At which end does the border between {place} and {land} meet the sea?",
    "Where does the main road from {place} cross the border into {land}?",
    "Who guards the border between {place} and {land}?",
)
AMERICAS = (
    "United States", "Canada", "Mexico", "Cuba", "Jamaica", "Panama", "Argentina", "Bolivia", "Brazil", "Chile",
    "Colombia", "Ecuador", "Peru", "Uruguay", "Venezuela",
)  # fmt: skip
FAR_FROM_AMERICA = ("Mongolia", "Nepal", "Hungary", "Kenya", "Ethiopia", "Austria", "Bulgaria")
IN_AMERICA = ("Paraguay", "Bolivia", "Chile", "Uruguay", "Ecuador", "Guatemala")
"""Countries that share no border with any country of the other side of the Atlantic and the Pacific."""
