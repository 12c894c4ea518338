"""Wordings of the MEDIUM rules of P-FalsePremise; the gaps are filled from the instance."""

from __future__ import annotations

NOT_BY = (
    "{name} never {did}",
    "it {be} not {name} who {did}",
    "somebody other than {name} {did}",
    "the one who {did} {be} not {name}",
)
"""How it is denied that somebody did something."""
NEVER = (
    "Why does {name} regret never having {done}?",
    "Why was {name} so relieved never to have {done}?",
    "When did {name} first admit to never having {done}?",
    "What made {name} sorry never to have {done}?",
    "To whom did {name} first confess to never having {done}?",
    "How long did {name} regret never having {done}?",
    "What did {name} find so embarrassing about never having {done}?",
    "Whom did {name} apologise to for never having {done}?",
    "In which letter does {name} lament never having {done}?",
    "Is it of never having {done} that {name} is proud, or ashamed?",
    "Which friend shares the regret of {name} at not having {done}?",
    "Where was {name} on learning that {name} had not {done}?",
)
NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "Why do some people still regret that {denial}?",
    "Who found out by chance that {denial}?",
    "Why was it such a relief to many that {denial}?",
    "Which report revealed that {denial}?",
    "Whom did it surprise most that {denial}?",
    "Why were so many {people} sorry that {denial}?",
    "For how many years did nobody notice that {denial}?",
    "On what day did {people} learn that {denial}?",
    "Which of the {people} already knew that {denial}?",
    "In which city did {people} celebrate the fact that {denial}?",
    "Who proved that {denial}?",
    "By what means was it hidden that {denial}?",
    "What share of {people} remember that {denial}?",
    "At which {gathering} did somebody point out that {denial}?",
    "{denial}: who let that slip?",
    "{denial} - in whose diary is this admitted?",
    "Since it is known that {denial}, who was told of it last?",
    "Given the discovery that {denial}, what had to be rewritten?",
    "Of all who were aware that {denial}, which one spoke up?",
    "To how many {people} did it come as news that {denial}?",
    "Whose letter is the earliest to mention the fact that {denial}?",
    "Which {source} kept quiet about the fact that {denial}?",
    "How many {people} are glad that {denial}?",
    "Until what year was it overlooked that {denial}?",
    "Whose mistake was it to forget that {denial}?",
    "Under which heading does {a_source} acknowledge that {denial}?",
    "What is the name of the {person} who resents the fact that {denial}?",
)
FOUND_NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "Who found out by chance that {denial}?",
    "Which report revealed that {denial}?",
    "For how many years did nobody notice that {denial}?",
    "On what day did {people} learn that {denial}?",
    "Who proved that {denial}?",
    "At which {gathering} did somebody point out that {denial}?",
    "Until what year was it overlooked that {denial}?",
    "{denial}: who spotted that?",
    "Whose letter is the earliest to mention the fact that {denial}?",
    "Under which heading does {a_source} acknowledge that {denial}?",
)
"""For counts and measures, which nobody regrets."""

GATHERED = (
    "lecture", "exhibition", "evening class", "quiz", "debate", "conference", "workshop", "seminar", "study day",
    "summer school", "round table", "open evening",
)  # fmt: skip
"""What one can be at."""
SOURCES = (
    "newspaper", "magazine", "guide", "handbook", "catalogue", "yearbook", "almanac", "textbook", "newsletter",
    "journal", "encyclopaedia", "reference work", "bulletin", "survey",
)  # fmt: skip
PEOPLE = (
    "teachers", "librarians", "nurses", "students", "commuters", "bakers", "taxi drivers", "office workers", "readers",
    "sailors", "gardeners", "engineers", "journalists", "farmers", "hikers", "parents", "museum visitors",
)  # fmt: skip
OLD_PEOPLE = (
    "teachers",
    "librarians",
    "nurses",
    "students",
    "bakers",
    "readers",
    "sailors",
    "gardeners",
    "farmers",
)
"""People there have been for centuries."""
MODERN = ("radio", "air", "catalogue", "distribution")
"""Words of endings that suit no year before 1930."""

ENDED: dict[str, tuple[str, ...]] = {
    "film": (
        "was withdrawn from cinemas", "left the cinemas", "was shown for the last time", "was taken off the screen",
        "ended its run", "went out of distribution", "was banned from cinemas", "ceased to be shown",
        "was dropped by its distributor", "was withdrawn",
    ),
    "music": (
        "was withdrawn from sale", "was dropped from the radio", "was deleted from the catalogue", "went out of print",
        "was taken off the air", "was performed for the last time", "disappeared from the shops", "was banned",
        "ceased to be sold", "was given up by its publisher",
    ),
    "series": (
        "was taken off the air", "was cancelled", "came to an end", "was dropped", "aired for the last time",
        "left the screen", "was banned from television", "ceased to be shown", "was given up by its network",
    ),
    "book": (
        "went out of print", "was withdrawn from bookshops", "was taken off the shelves", "was banned from libraries",
        "ceased to be sold", "was dropped by its publisher", "was printed for the last time", "was withdrawn",
        "disappeared from the shops",
    ),
    "body": (
        "broke up", "disbanded", "was dissolved", "ceased to exist", "came to an end", "was wound up",
        "gave up its name",
    ),
    "place": (
        "was closed", "was abandoned", "was closed for good", "was shut", "ceased to be used", "was given up",
        "was sealed off", "was closed to the public",
    ),
}  # fmt: skip
"""How something ends: by that it must have been there."""
ENDINGS = (
    "Why is it that {who} {ended} in {year}?",
    "What led to the moment in {year} when {who} {ended}?",
    "In {year} {who} {ended}: for what reason?",
    "On which day in {year} was it that {who} {ended}?",
    "{who} {ended} in {year}; who was responsible?",
    "How many {people} protested when {who} {ended} in {year}?",
    "Who first wrote down that {who} {ended} in {year}?",
    "After {who} {ended} in {year}, what came next?",
    "Once {who} {ended} in {year}, how long did the protests last?",
    "Of the reasons given when {who} {ended} in {year}, which was the main one?",
    "What did {people} say when {who} {ended} in {year}?",
    "How did {people} hear that {who} {ended} in {year}?",
    "In which month of {year} was it decided, before {who} {ended}, that things could not go on?",
    "Which {source} printed a farewell when {who} {ended} in {year}?",
    "Whose fault was it that {who} {ended} in {year}?",
    "{who} {ended} in {year}. How much money was lost by that?",
    "Under what circumstances was it, in {year}, that {who} {ended}?",
    "Which event of {year} was to blame when {who} {ended}?",
    "By the time {who} {ended} in {year}, how many complaints had come in?",
    "Was it in spring or in autumn of {year} that {who} {ended}?",
    "Which {person} was the last to object before {who} {ended} in {year}?",
)
GIVEN_UP = (
    "retired", "gave up work", "left school", "left home", "gave up chess", "stopped keeping a diary",
    "gave up singing lessons", "stopped learning Latin", "left a first job", "gave up gardening",
    "stopped riding horses", "quit a village choir", "ended a long career", "moved out of a first home",
    "gave up drawing", "left a debating club", "sold a first house", "left a first tutor",
    "gave up dancing", "stopped playing cards", "gave up a seat on a town council",
)  # fmt: skip
"""What somebody gives up, ends or loses: by that the person must have been there."""
GIVING_UP = (
    "Why is it that {told} {ended} in {year}?",
    "For what reason was it that {told} {ended} in {year}?",
    "On which day in {year} was it that {told} {ended}?",
    "On whose advice was it that {told} {ended} in {year}?",
    "What did {people} say when {told} {ended} in {year}?",
    "How long after New Year's Day of {year} was it that {told} {ended}?",
    "In which town was it that {told} {ended} in {year}?",
    "Which {source} reported that {told} {ended} in {year}?",
    "What came next, in {year}, once {told} {ended}?",
    "Under what circumstances was it that {told} {ended} in {year}?",
    "Was it in spring or in autumn of {year} that {told} {ended}?",
    "Who was there to see it when {told} {ended} in {year}?",
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
    "How tall is the headstone of {told}?",
    "What was the weather like at the burial of {told}?",
    "Which flowers lie on the grave of {told}?",
    "Beside whom was {told} interred?",
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
