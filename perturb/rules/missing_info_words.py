# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-MissingInfo rules, and unrelated passages of the project's own."""

from __future__ import annotations

from perturb.rules.answers import AnswerType

PERSONS = (
    "an unnamed person", "a person who is not named", "a person not identified here", "a certain person",
    "a person whose name is not given", "an unidentified person", "a person left unnamed",
)  # fmt: skip
TIMES = (
    "at a time that is not given", "at an unstated time", "at a time not stated here", "on an undisclosed occasion",
    "at a moment that is not recorded here", "at a time left open here", "at an unspecified time",
)  # fmt: skip
NUMBERS = (
    "an unstated number of", "an unspecified number of", "an undisclosed number of", "an unknown number of",
    "an unreported number of", "an unrecorded number of",
)  # fmt: skip
SITES = (
    "in an unnamed place", "in a place not named here", "in an undisclosed location", "at an unstated location",
    "in a place that is not identified", "in an unspecified place",
)  # fmt: skip
THINGS = (
    "something that is not named here", "something not specified here", "something left unnamed", "something unspecified",
    "something that is not identified", "something not stated here",
)  # fmt: skip

PURGED_PERSONS = ("someone", "somebody", "some person", "one person", "somebody or other", "a person")
PURGED_TIMES = (
    "at some point",
    "at one time",
    "at some time",
    "at one point",
    "on one occasion",
    "at a certain time",
)
PURGED_NUMBERS = (
    "a certain number of",
    "a number of",
    "some number of",
    "an unknown number of",
    "an unrecorded number of",
    "an untold number of",
)
PURGED_SITES = (
    "somewhere",
    "in some place",
    "in one place",
    "in a certain place",
    "someplace",
    "in some location",
)
PURGED_THINGS = (
    "something",
    "something or other",
    "some such thing",
    "a certain thing",
    "one thing",
    "some thing",
)

PLACEHOLDERS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: PERSONS,
    AnswerType.DATE: TIMES,
    AnswerType.YEAR: TIMES,
    AnswerType.NUMBER: NUMBERS,
    AnswerType.PLACE: SITES,
}
PURGED: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: PURGED_PERSONS,
    AnswerType.DATE: PURGED_TIMES,
    AnswerType.YEAR: PURGED_TIMES,
    AnswerType.NUMBER: PURGED_NUMBERS,
    AnswerType.PLACE: PURGED_SITES,
}

NUMBERED = ("[{n}]", "[{n}, {m}]", "[{m}, {n}]", "[{n}a]", "[{n}b]", "[{n}, {m}]", "[{n}]")
CITATIONS = (
    "[see note {n}]", "[ref. {n}]", "[source {n}]", "[cf. footnote {n}]", "[cite {n}]", "[entry {n} of the bibliography]",
    "[see appendix {n}]", "[endnote {n}]", "[as in reference {n}]", "[listed in annex {n}]", "[given in source {n}]",
)  # fmt: skip
"""References by words, for answers that a bare number might be taken for."""

MARKS = ("█████", "______", "[***]", "[…]", "[—]", "▒▒▒▒", "[REDACTED]", "[WITHHELD]")

AUDIO = (
    "A narrator tells {fact}. [Audio clip, {time}; no transcript.]",
    "The sound recording that belongs to this page says {fact}. [Listen, {time}; nothing of it is written down.]",
    "In the first minute of the accompanying broadcast listeners hear {fact}. [Recording, {time}, not transcribed.]",
    "An interview on tape explains {fact}. [Tape, {time}; the wording has not been put on paper.]",
    "To find out {fact}, play the audio guide. [Track of {time}; no text version exists.]",
    "A podcast episode reveals {fact}. [Episode extract, {time}, without a transcript.]",
    "Visitors learn from the loudspeaker {fact}. [Sound file, {time}; no written version.]",
    "For this passage there is only a record to be played: a speaker says {fact}. [Playing time {time}; the words have not been typed out.]",
    "{fact_start} can be heard at the listening post. [Length {time}; no wording is printed.]",
    "A lecture on tape deals with {fact}. [Duration {time}, sound alone.]",
    "On the accompanying disc a voice reports {fact}. [{time} of speech that no one has written up.]",
    "Whoever presses the button hears {fact}. [Spoken text of {time}, unprinted.]",
    "{fact_start} is the theme of an oral history interview. [Interview of {time}, kept as sound.]",
)

TABLES = (
    "The table below was set up to show {fact}.\n{head}\n{rule}\n(no entries)",
    "{fact_start} is meant to be listed here.\n{head}\n{rule}\n(empty)",
    "A table was laid out to say {fact}; its rows are missing.\n{head}\n{rule}\n(no rows)",
    "This page was prepared to state {fact}; nothing has been entered yet.\n{head}\n{rule}\n(0 rows)",
    "The following table would state {fact}.\n{head}\n{rule}\n(no data)",
    "It was planned to set out here {fact}.\n{head}\n{rule}\n(blank)",
    "{fact_start} was to be filled in by the editors.\n{head}\n{rule}\n(left open)",
    "Below, readers will one day find {fact}.\n{head}\n{rule}\n(nothing as yet)",
    "A grid has been drawn to show {fact}.\n{head}\n{rule}\n(unfilled)",
)
COLUMNS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.PERSON: ("No. | Name | Source", "Name | Role | Remarks", "Entry | Person | Page"),
    AnswerType.DATE: ("No. | Date | Source", "Event | Date | Remarks", "Entry | Day | Month | Year"),
    AnswerType.YEAR: ("No. | Year | Source", "Event | Year | Remarks", "Entry | Date | Page"),
    AnswerType.NUMBER: ("Item | Number | Source", "Subject | Count | Remarks", "Entry | Figure | Page"),
    AnswerType.PLACE: ("No. | Place | Source", "Event | Location | Remarks", "Entry | Place | Region"),
    AnswerType.WORK: ("No. | Title | Source", "Entry | Title | Remarks", "Title | Page"),
    AnswerType.PHRASE: ("No. | Entry | Source", "Subject | Statement | Remarks", "Heading | Entry | Page"),
}

UNRELATED = (
    "To keep a sourdough starter alive, stir in flour and water at regular times and leave the jar loosely covered in a warm corner. Bubbles show that the yeast is at work. If the dough smells too sharp, feed it more often; if it turns sluggish, move it closer to the oven.",
    "Tide pools form where waves leave water behind among the rocks. Limpets cling to the stone, crabs hide under weed, and anemones close their tentacles when the pool dries. Whoever visits should tread on bare rock only and put every shell back as it lay.",
    "A fountain pen draws ink to its nib through a narrow channel. Before a long rest the pen should be flushed with lukewarm water until it runs clear. Shimmering inks clog fine nibs, so they are better kept for broad ones and for headings.",
    "Knitters block a finished shawl by soaking it, pressing out the water in a towel and pinning the edges flat on a mat. Once dry, the wool keeps its new shape and the lace pattern opens up. Cotton hardly reacts to this treatment.",
    "Moss grows on shaded roofs because it needs no soil. It holds rain like a sponge and releases it slowly. Scraping it off does more harm than good to old tiles; cutting back the branches above lets in the sun and solves the matter gently.",
    "A good compost heap mixes dry leaves with fresh kitchen scraps in thin layers. Turning it with a fork lets in air and speeds up the rot. Eggshells take longest, and citrus peel should be chopped, for worms dislike it in large pieces.",
    "Before varnishing a table, sand the wood along the grain and wipe away the dust with a damp cloth. Thin coats dry evenly, while a thick coat wrinkles. Between coats a light rub with fine paper helps the next layer to stick.",
    "Bats find their way in the dark by calling and listening for the echo. Moths have learned to drop to the ground when they hear such calls. On cold nights both stay at home, and the hedges are silent until the warmth returns.",
    "A kite needs a steady breeze and a tail that is long enough. If it spins, add weight to the tail; if it will not climb, move the bridle knot upwards. Flying near power lines is dangerous, and wet string should never be used.",
    "Candles burn cleanly when the wick is trimmed short. A draught makes one side melt faster, so the flame drowns in its own wax. Beeswax gives off a scent of honey and drips less than paraffin, though it costs rather more.",
    "Cheese ripens best in a cool and humid cellar. The wheels are brushed and turned so that the rind forms evenly. Where the air is too dry, cracks appear; where it is too damp, unwanted mould spreads across the shelves.",
    "When a bicycle chain squeaks, clean it with a rag before oiling it. Too much oil collects grit and wears out the sprockets. A drop on each link, wiped off again after a while, keeps the pedals turning without a sound.",
    "Sand dunes wander with the wind. Grains roll up the gentle slope and slide down the steep side, so that the whole ridge creeps forward. Marram grass slows the dune with its roots, and fences of brushwood do the same.",
    "Potters wedge their clay to drive out air, since a trapped bubble may burst in the kiln. The wheel should spin fast while the lump is centred and slower as the walls rise. A glaze too thick will run and glue the pot to the shelf.",
)
