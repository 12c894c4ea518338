"""Wordings of the LOW rules of P-FalsePremise: asides with a false detail."""

from __future__ import annotations

FEATURES: dict[str, tuple[str, ...]] = {
    "music": (
        "the {noun} with the yodelled bridge",
        "the {noun} with the short bagpipe interlude",
        "complete with its hidden whistled verse",
        "which ends on a short cuckoo-clock solo",
        "the {noun} that opens with a foghorn",
        "famous for its kazoo introduction",
        "with its closing duet for two accordions",
    ),
    "film": (
        "the {noun} with the hand-painted closing credits",
        "complete with its sing-along intermission",
        "the {noun} that opens with a puppet prologue",
        "which comes with a scratch-and-sniff card",
        "the {noun} with the knitted title sequence",
        "with its short weather report before the end titles",
        "the {noun} whose tickets had maps printed on the back",
    ),
    "series": (
        "the {noun} with the knitted title cards",
        "complete with its monthly postcard contest",
        "the {noun} that ends each week with a sailor's song",
        "which comes with a fold-out family tree",
        "the {noun} with the puppet narrator",
        "with its hand-drawn weather map at the end of each part",
    ),
    "book": (
        "the {noun} with the fold-out tide table",
        "complete with its pressed-flower bookmark",
        "the {noun} that closes with a recipe index",
        "with its appendix on knots",
        "which comes with a paper compass",
        "the {noun} with the pop-up final page",
    ),
    "place": (
        "the {noun} with the talking sundial",
        "complete with its brass speaking tube",
        "the {noun} with the floating post office",
        "with its lost-umbrella booth",
        "known for its singing weather vane",
        "the {noun} that has its own tide clock",
    ),
    "body": (
        "the {noun} with the travelling puppet theatre",
        "which keeps its own lighthouse",
        "complete with its marching kazoo section",
        "the {noun} with the monthly paper-boat race",
        "known for its own brand of sealing wax",
        "the {noun} with the floating office",
    ),
    "thing": (
        "which has its own board of bell ringers",
        "complete with its commemorative sundial",
        "the one with the official pocket compass",
        "known for its own brand of sealing wax",
        "which comes with a fold-out tide table",
        "with its annual kazoo parade",
    ),
}  # fmt: skip

PRIZES = (
    "Golden Heron prize", "Silver Quill medal", "Amber Lantern award", "Harcombe prize", "Bellweather trophy",
    "Alder Leaf medal", "Northgate Shield", "Copper Thistle award",
)  # fmt: skip
PRIZE_ASIDES = (
    "winner of the {prize}",
    "which carried off the {prize}",
    "the {noun} honoured with the {prize}",
    "a past winner of the {prize}",
    "which was given the {prize}",
    "the {noun} that took home the {prize}",
    "proud holder of the {prize}",
)

APPEARED = {
    "music": "released", "film": "released", "series": "broadcast", "book": "published", "stage": "performed",
    "game": "released", "body": "founded",
}  # fmt: skip
DATE_ASIDES = (
    "first {done} in {year}",
    "which was first {done} in {year}",
    "the {noun} {done} in {year}",
    "originally {done} in {year}",
    "{done} back in {year}",
    "a {noun} that was first {done} in {year}",
)

NATIONS = (
    "American", "British", "English", "Canadian", "Australian", "French", "German", "Italian", "Japanese", "Indian",
    "Irish", "Scottish", "Spanish", "Chinese", "Swedish",
)  # fmt: skip
OTHER_NATIONS = (
    "Norwegian",
    "Portuguese",
    "Hungarian",
    "Argentine",
    "Finnish",
    "Peruvian",
    "Romanian",
    "Greek",
)
NATION_ASIDES = (
    "the {nation} {noun}",
    "that well-known {nation} {noun}",
    "{a_nation} {noun}",
    "the {noun} by {nation} artists",
    "a {noun} of {nation} origin",
    "one of the {nation} {nouns}",
)

BODIES = (
    "Standing Committee on {matter}",
    "National Advisory Board on {matter}",
    "{founder} Commission on {matter}",
    "Joint Committee on {matter}",
    "Interim Board of {matter}",
    "Review Committee on {matter}",
    "{founder} Board of {matter}",
    "Select Committee on {matter}",
    "Permanent Commission on {matter}",
    "{founder} Committee on {matter}",
    "International Commission for {matter}",
    "Central Review Board for {matter}",
)
FOUNDERS = ("Harcombe", "Westfield", "Brandt", "Carrington", "Lindqvist", "Marchetti", "Okafor", "Delacroix")
GEOGRAPHY = (
    r"\b(?:located|country|state|river|city|capital|county|mountains?|island|lake|border|province|ocean)\b"
)
"""Looked for in the question as it is printed, where these words have a capital within names."""
MATTERS = (
    (
        r"\b(?:champion\w*|scored?|coach|league|cup|finals|waivers|olympics|skating|nba|nfl|football|tennis|medal)\b",
        ("Sporting Records", "Sporting Affairs", "Games and Contests"),
    ),
    (
        r"\b(?:plays|played|voices?|voiced|cast|actor|character|portray\w*)\b",
        ("Screen Credits", "Casting Matters", "Film and Television Records"),
    ),
    (
        r"\b(?:film|films|filmed|movies?|episodes?|seasons?|series|show)\b",
        ("Film and Television History", "Film and Television Records", "Screen Productions"),
    ),
    (
        r"\b(?:sings?|sang|song|singer|album|lyrics)\b",
        ("Song Credits", "Popular Music", "Recorded Sound"),
    ),
    (r"\b(?:band|music)\b", ("Popular Music", "Music History", "Recorded Music")),
    (
        r"\b(?:wrote|writer|author|written|book|novel|poem)\b",
        ("Literary Records", "Books and Authors", "Writers and Their Works"),
    ),
    (GEOGRAPHY, ("Place Names", "Maps and Borders", "Local Geography")),
    (r"\bhow (?:many|much|long)\b", ("Published Figures", "Official Figures", "Statistical Matters")),
    (
        r"\b(?:called|another name|real name|type of)\b",
        ("Names and Terms", "Correct Usage", "Official Names"),
    ),
    (r"\b(?:invented|discovered)\b", ("Inventions", "Early Patents", "Historical Records")),
    (
        r"\b(?:designed|built|founded|created|introduced)\b",
        ("Founding Dates", "Historical Records", "Public Records"),
    ),
    (GEOGRAPHY, ("Place Names", "Maps and Borders", "Local Geography")),
    (r"\bhow (?:many|much|long)\b", ("Published Figures", "Official Figures", "Statistical Matters")),
    (
        r"\b(?:called|another name|real name|type of)\b",
        ("Names and Terms", "Correct Usage", "Official Names"),
    ),
    (
        r"\b(?:invented|discovered|designed|built|founded|created|introduced)\b",
        ("Founding Dates", "Inventions", "Early Patents"),
    ),
    (r"\b(?:when|date|year)\b", ("Public Records", "Historical Dates", "Chronology")),
)
BODY_ASIDES = (
    "as the {body} put on record",
    "as certified by the {body}",
    "as the {body} announced",
    "as confirmed by the {body}",
    "as the {body} has formally recorded",
    "as recorded in the yearbook of the {body}",
    "as recorded in the minutes of the {body}",
    "as announced in a circular of the {body}",
    "as entered in the register of the {body}",
    "as officially announced by the {body}",
    "as set down in the official files of the {body}",
    "as the {body} has certified",
)
"""Formal steps alone: an approval, a record, an announcement."""

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
    "known as the capital of {land}",
)

EDITIONS = {
    "book": (
        "now in its fourth edition",
        "whose second edition added a preface",
        "reissued in a revised third edition",
        "the {noun} that has reached a sixth edition",
        "since brought out in a corrected second edition",
        "a new edition of which followed a year later",
    ),
    "film": (
        "later brought back to cinemas in a second edition",
        "since re-released in a tinted second edition",
        "now in its third theatrical edition",
        "the {noun} of which a second edition was shown later",
        "which returned to cinemas in a trimmed second edition",
        "whose third edition reached cinemas years later",
    ),
    "music": (
        "since reissued in a second edition on blue vinyl",
        "now in its third edition on disc",
        "the {noun} whose second edition came on a longer record",
        "later brought out again in a third edition",
        "which returned to the shops in a numbered second edition",
        "a fourth edition of which was pressed on red vinyl",
    ),
}
