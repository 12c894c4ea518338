"""Wordings of the LOW rules of P-FalsePremise: asides with a false detail."""

from __future__ import annotations

from perturb.rules.words import word_list

FEATURES: dict[str, tuple[str, ...]] = {
    "music": (
        "the {noun} with the yodelled bridge",
        "the {noun} that opens with a foghorn",
        "the {noun} with the kazoo introduction",
        "the {noun} with the accordion solo",
        "which ends with the sound of a cuckoo clock",
        "which has a hidden verse in Latin",
        "which has a bagpipe interlude",
        "which has a whistled second verse",
    ),
    "film": (
        "the {noun} with the hand-painted credits",
        "the {noun} that opens with a puppet prologue",
        "the {noun} with the sing-along interval",
        "which ends with a knitted title card",
        "which has a puppet prologue",
    ),
    "series": (
        "the {noun} with the knitted title cards",
        "the {noun} with the puppet narrator",
        "the {noun} that ends with a sea shanty",
        "which opens with a weather report",
        "which has hand-painted credits",
    ),
    "book": (
        "the {noun} with the fold-out tide table",
        "the {noun} that closes with a list of recipes",
        "which has an appendix on knots",
        "which ends with a pop-up page",
        "which has a fold-out map",
    ),
    "place": (
        "the {noun} with the talking sundial",
        "the {noun} with the brass speaking tube",
        "the {noun} with the musical weather vane",
        "which has a lost-umbrella office",
        "which has a floating post office",
    ),
    "body": (
        "which runs a travelling puppet theatre",
        "which keeps its own lighthouse",
        "which has a marching kazoo band",
        "which holds a monthly paper-boat race",
        "which prints its own postage stamps",
    ),
}  # fmt: skip
"""Parts that the subject does not have."""
BUILT = frozenset(
    word_list("tower arena stadium bridge canal dam skyscraper museum resort hotel building castle park")
)
LOOKS = word_list("hand-numbered signed gold-edged hand-coloured pocket-sized illustrated")
KEEPSAKES: dict[str, tuple[str, ...]] = {
    "music": ("songbook", "lyric booklet"),
    "film": ("programme", "picture book"),
    "book": ("bookmark", "map", "reading guide"),
}
KEEPSAKE_ASIDES = (
    "which came with a {look} {thing}",
    "the {noun} that came with a {look} {thing}",
)
"""A thing that works may be sold with."""

PRIZES = (
    "Prize", "Medal", "Award", "Trophy", "Shield", "Cup", "Plaque",
)  # fmt: skip
PRIZE_ASIDES = (
    "winner of the {prize}",
    "which won the {prize}",
    "which was presented with the {prize}",
    "which was given the {prize}",
    "which took home the {prize}",
    "which received the {prize}",
    "a past winner of the {prize}",
    "honoured with the {prize}",
    "recipient of the {prize}",
    "which was honoured with the {prize}",
)
PERSON_PRIZES = (
    "winner of the {prize}",
    "who won the {prize}",
    "a past winner of the {prize}",
    "who was given the {prize}",
    "who was presented with the {prize}",
    "recipient of the {prize}",
    "who was honoured with the {prize}",
)

APPEARED = {
    "music": "released", "film": "released", "series": "broadcast", "book": "published", "stage": "performed",
    "game": "released", "body": "founded",
}  # fmt: skip
DATE_ASIDES = (
    "first {done} in {year}",
    "which was first {done} in {year}",
    "originally {done} in {year}",
    "{done} back in {year}",
    "which was {done} as early as {year}",
    "{done} in the spring of {year}",
    "which was {done} in {year}",
)

NATIONS = (
    "American", "British", "English", "Canadian", "Australian", "French", "German", "Italian", "Japanese", "Indian",
    "Irish", "Scottish", "Spanish", "Chinese", "Swedish",
)  # fmt: skip
OTHER_NATIONS = (
    "Norwegian", "Portuguese", "Hungarian", "Argentine", "Finnish", "Peruvian", "Romanian", "Greek", "Icelandic",
    "Bolivian", "Estonian", "Moroccan", "Chilean", "Bulgarian", "Kenyan", "Belgian",
)  # fmt: skip
NATION_ASIDES = (
    "the {nation} {noun}",
    "that well-known {nation} {noun}",
    "{a_nation} {noun}",
    "a {noun} of {nation} origin",
)

BODY_KINDS = word_list(
    """
    Committee Board Commission Panel Bureau Council Office Agency Authority
    """
)
"""What an invented body may call itself."""
GEOGRAPHY = (
    r"\b(?:located|country|state|river|city|capital|county|mountains?|island|lake|border|province|ocean)\b"
)
"""Looked for in the question as it is printed, where these words have a capital within names."""
MATTERS = (
    (
        r"\b(?:champion\w*|scored?|coach|league|cup|finals|waivers|olympics|skating|nba|nfl|football|tennis|medal)\b",
        ("Sporting", "Sports", "Games", "Athletics"),
    ),
    (
        r"\b(?:plays|played|voices?|voiced|cast|actor|character|portray\w*|film|films|filmed|movies?|episodes?"
        r"|seasons?|series|show)\b",
        ("Screen", "Film", "Television", "Casting"),
    ),
    (r"\b(?:sings?|sang|song|singer|album|lyrics|band|music)\b", ("Song", "Music", "Melody", "Record")),
    (r"\b(?:wrote|writer|author|written|book|novel|poem)\b", ("Literary", "Authors'", "Book", "Letters")),
    (GEOGRAPHY, ("Map", "Place Name", "Geographical", "Travel")),
    (r"\bhow (?:many|much|long)\b", ("Figures", "Statistics", "Reference")),
    (r"\b(?:called|another name|real name|type of)\b", ("Language", "Naming", "Terms")),
    (r"\b(?:invented|discovered)\b", ("Patents", "Inventions", "Science")),
    (r"\b(?:designed|built|founded|created|introduced)\b", ("Heritage", "History", "Records")),
    (r"\b(?:when|date|year)\b", ("Records", "History", "Calendar", "Dates")),
)
"""What a question is about, and how a body for that would be called."""
BODY_NAMES = (
    "{founder} {kind}",
    "{founder} {kind}",
    "{founder} {kind}",
    "{founder} {matter} {kind}",
    "{kind} of {founder}",
    "{matter} {kind} of {founder}",
    "{founder} and {other} {kind}",
    "Royal {founder} {kind}",
    "New {founder} {kind}",
    "Greater {founder} {kind}",
)
BODY_ASIDES = (
    "a question once put to the {body}",
    "a question formally referred to the {body}",
    "a question once brought before the {body}",
    "a question recorded in the minutes of the {body}",
    "a question once on the agenda of the {body}",
    "a question that the {body} once took up",
)
"""They hang on the question as a whole: nothing in them says who gives the answer."""

BODY_STEPS: dict[str, tuple[str, ...]] = {
    "music": ("cleared for broadcast", "registered", "approved for broadcast", "listed", "certified"),
    "film": ("certified", "approved for release", "registered", "classified", "approved for all ages"),
    "series": ("approved for broadcast", "licensed", "registered", "classified"),
    "book": ("approved for schools", "registered", "approved for publication", "catalogued"),
    "screen": ("certified", "registered", "classified", "approved for release"),
    "place": ("surveyed",),
    "land": ("surveyed", "mapped"),
    "body": ("recognised", "registered", "accredited", "inspected"),
    "text": ("registered", "approved", "catalogued"),
}
"""What a body may have done to a subject, by its kind."""
SURVEY_ASIDES = (
    "which was {step} by the {body}",
    "which was officially {step} by the {body}",
)
"""What goes with places and lands as well."""
BODY_STEP_ASIDES = (
    *SURVEY_ASIDES,
    "{step} by the {body}",
    "officially {step} by the {body}",
)

FALSE_CAPITALS = {
    "San Francisco": "California", "San Jose": "California", "Los Angeles": "California", "San Diego": "California",
    "Chicago": "Illinois", "Houston": "Texas", "Dallas": "Texas", "Philadelphia": "Pennsylvania",
    "Newark": "New Jersey", "Las Vegas": "Nevada", "Miami": "Florida", "Seattle": "Washington State",
    "Detroit": "Michigan", "New Orleans": "Louisiana", "Sydney": "Australia", "Toronto": "Canada",
    "Istanbul": "Turkey", "Mumbai": "India", "Milan": "Italy", "Barcelona": "Spain", "Munich": "Germany",
    "Glasgow": "Scotland", "Hollywood": "California", "Brooklyn": "New York State", "Oxford": "England",
}  # fmt: skip
CAPITAL_ASIDES = (
    "the capital of {land}",
    "{land}'s capital",
    "capital city of {land}",
    "which is the capital of {land}",
    "the capital city of {land}",
    "which is the capital city of {land}",
)

EDITIONS = {
    "book": (
        "now in its {nth} edition",
        "whose {nth} edition added a preface",
        "later reissued in a revised {nth} edition",
        "since brought out in a corrected {nth} edition",
        "later reprinted",
        "whose {nth} edition came out years later",
    ),
    "music": (
        "later reissued in a {nth} pressing",
        "whose {nth} pressing came out years later",
        "since reissued on blue vinyl",
        "which was later reissued on blue vinyl",
    ),
}
NTHS = ("second", "third")

YEAR_ASIDES = (
    "as of {year}",
    "as of early {year}",
    "as of late {year}",
    "as of May {year}",
    "as of the end of {year}",
    "as of the summer of {year}",
)
"""They go with a question in the present."""
OWNER_KINDS = (
    "Holdings", "Group", "Brothers", "Partners", "Trust", "Industries", "Company", "Estates", "Ventures", "Capital",
)  # fmt: skip
OWNER_ASIDES = (
    "a subsidiary of {owner}",
    "owned by {owner}",
    "part of {owner}",
    "which belongs to {owner}",
    "a division of {owner}",
    "which was bought by {owner}",
    "which {owner} acquired",
)
