"""Wordings of the LOW rules of P-FalsePremise: asides with a false detail."""

from __future__ import annotations

from perturb.rules.words import word_list

FEATURES: dict[str, tuple[str, ...]] = {
    "music": (
        "the {noun} with the yodelled bridge",
        "complete with its hidden whistled verse",
        "which ends on a cuckoo clock",
        "the {noun} that opens with a foghorn",
        "famous for its kazoo introduction",
        "with its closing duet for two accordions",
        "bagpipe interlude included",
    ),
    "film": (
        "the {noun} with the hand-painted credits",
        "complete with its sing-along intermission",
        "the {noun} that opens with a puppet prologue",
        "which comes with a scratch-and-sniff card",
        "the {noun} whose tickets had maps on the back",
        "weather report included",
    ),
    "series": (
        "the {noun} with the knitted title cards",
        "complete with its monthly postcard contest",
        "the {noun} that ends each week with a sea shanty",
        "which comes with a fold-out family tree",
        "the {noun} with the puppet narrator",
        "weather report included",
    ),
    "book": (
        "the {noun} with the fold-out tide table",
        "complete with its pressed-flower bookmark",
        "the {noun} that closes with a recipe index",
        "with its appendix on knots",
        "which comes with a paper compass",
        "pop-up final page included",
    ),
    "place": (
        "the {noun} with the talking sundial",
        "complete with its brass speaking tube",
        "the {noun} with the floating post office",
        "with its lost-umbrella booth",
        "known for its singing weather vane",
        "tide clock included",
    ),
    "body": (
        "the {noun} with the travelling puppet theatre",
        "which keeps its own lighthouse",
        "complete with its marching kazoo section",
        "the {noun} with the monthly paper-boat race",
        "known for its own brand of sealing wax",
        "floating office included",
    ),
}  # fmt: skip
MATERIALS = word_list(
    """
    porcelain velvet cork woollen bamboo marble copper linen silk wax pewter leather glass wicker tin ivory-white
    quilted lacquered enamelled straw slate brass birch-bark jade hemp clay ceramic
    """
)
KEEPSAKES: dict[str, tuple[str, ...]] = {
    "music": ("songbook", "record sleeve", "lyric sheet", "music stand"),
    "film": ("programme", "storyboard", "ticket stub", "press kit"),
    "series": ("box set", "title card", "quiz book", "storyboard"),
    "book": ("dust jacket", "bookplate", "reading guide", "slipcase"),
    "place": ("relief model", "guidebook", "visitors' book", "picture postcard"),
    "body": ("badge", "membership card", "banner", "yearbook"),
}
ANY_KEEPSAKES = (
    "calendar", "wall chart", "board game", "jigsaw puzzle", "postcard", "stamp", "scrapbook", "display board",
    "notebook", "souvenir album", "picture book", "quiz card", "folder", "pamphlet", "banner", "booklet",
)  # fmt: skip
KEEPSAKE_ASIDES = (
    "with its {material} {thing}",
    "complete with {material} {thing}",
    "the one with the {material} {thing}",
    "known for its {material} {thing}",
    "{material} {thing} included",
    "the {noun} that came with a {material} {thing}",
    "of which there is a {material} {thing}",
    "sold with a {material} {thing}",
    "which has a {material} {thing} of its own",
    "{material} {thing} and all",
    "along with its {material} {thing}",
)
"""A thing that goes with the subject, of a stuff that nobody makes it of."""

PRIZES = (
    "prize", "medal", "award", "trophy", "shield", "cup", "ribbon", "plaque", "laurel", "rosette", "diploma",
    "certificate of honour", "badge of honour", "wreath",
)  # fmt: skip
PRIZE_ASIDES = (
    "winner of the {prize}",
    "which carried off the {prize}",
    "honoured with the {prize}",
    "a past winner of the {prize}",
    "which was given the {prize}",
    "the {noun} that took home the {prize}",
    "proud holder of the {prize}",
    "which once brought home the {prize}",
    "decorated with the {prize}",
    "to which the {prize} went",
    "recipient of the {prize}",
    "a holder of the {prize}",
    "famous since it was given the {prize}",
)
PERSON_PRIZES = (
    "winner of the {prize}",
    "honoured with the {prize}",
    "a past winner of the {prize}",
    "who was given the {prize}",
    "proud holder of the {prize}",
    "who took home the {prize}",
    "recipient of the {prize}",
    "decorated with the {prize}",
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
    "{done} as early as {year}",
    "{done} in the spring of {year}",
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
    "the {noun} by {nation} artists",
    "a {noun} of {nation} origin",
    "one of the {nation} {nouns}",
)

BODY_KINDS = word_list(
    """
    Committee Board Commission Institute Society Guild Panel Bureau Jury Council Trust Office League Academy Chamber
    Registry Tribunal Assembly Federation Union Fellowship Secretariat Directorate Agency Authority Syndicate
    Inspectorate Subcommittee Foundation Association Consortium Delegation Convention Senate Cabinet Court
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
STEPS = word_list(
    """
    noted minuted certified announced attested registered reported recorded confirmed declared affirmed published
    documented verified acknowledged stated accepted approved
    """
)
"""What a body may formally do about a matter, as the past of a verb that needs no object after "as"."""
BODY_ASIDES = (
    "as the {body} {step}",
    "as the {body} {step} {lately}",
    "as {step} by the {body}",
    "as the {body} has {step}",
    "as was {step} at the {body}",
    "something the {body} {step} {lately}",
    "a fact {step} by the {body}",
    "a point that the {body} has {step}",
    "a matter {step} by the {body}",
    "a detail that the {body} {step}",
    "now on file at the {body}",
    "on record with the {body}",
    "for which see the register of the {body}",
    "as may be read in the minutes of the {body}",
    "which the {body} {step} {lately}",
    "{step} as such by the {body}",
    "which is what the {body} {step}",
    "to quote a notice of the {body}",
    "just as the {body} {step} {lately}",
    "so says the register of the {body}",
    "a question on which the {body} once ruled",
    "an answer kept under seal at the {body}",
    "in the words of a circular of the {body}",
)
"""Formal steps alone: an approval, a record, an announcement."""
LATELY = (
    "in writing", "last year", "at its first meeting", "by letter", "on a plaque", "under seal", "at a sitting",
    "in a short notice", "some time ago", "in its yearbook", "on two occasions", "in its minutes", "in public",
    "one winter", "at a banquet", "in its bulletin", "in its report", "under oath", "in a circular", "long ago",
)  # fmt: skip

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
        "now in its {nth} edition",
        "whose {nth} edition added a preface",
        "reissued in a revised {nth} edition",
        "the {noun} that has reached a {nth} edition",
        "since brought out in a corrected {nth} edition",
        "{nth} edition included",
        "of which a {nth} printing followed",
        "later reprinted",
    ),
    "film": (
        "later brought back to cinemas",
        "since re-released in a tinted {nth} edition",
        "now in its {nth} edition",
        "the {noun} of which a {nth} edition was shown later",
        "which returned to cinemas in a new edition",
        "whose {nth} edition reached cinemas years later",
        "reissued {nth} time round",
    ),
    "music": (
        "since reissued in a {nth} edition on blue vinyl",
        "now in its {nth} edition on disc",
        "the {noun} whose {nth} edition came on a longer record",
        "later brought out again",
        "which returned to the shops in a numbered {nth} edition",
        "a {nth} edition of which was pressed on red vinyl",
    ),
    "screen": (
        "since reissued in a {nth} edition",
        "now in its {nth} edition",
        "later brought out again on tape",
        "of which a new edition followed",
        "whose {nth} edition came out years later",
        "since reissued with subtitles",
    ),
}
NTHS = ("second", "third", "fourth", "second", "third")
EDITED = {"book": "book", "film": "film", "music": "music", "series": "screen", "screen": "screen"}
"""Kind of subject -> the editions it may have."""

YEAR_ASIDES = (
    "in {year}",
    "as of {year}",
    "back in {year}",
    "in the year {year}",
    "early in {year}",
    "late in {year}",
    "in the summer of {year}",
    "at the close of {year}",
    "in May {year}",
    "on a day in {year}",
)
OWNER_KINDS = (
    "Holdings", "Group", "Brothers", "Partners", "Trust", "Industries", "Company", "Estates", "Ventures", "Capital",
)  # fmt: skip
OWNER_ASIDES = (
    "a subsidiary of {owner}",
    "owned by {owner}",
    "part of {owner}",
    "the {owner} subsidiary",
    "which belongs to {owner}",
    "a division of {owner}",
    "bought up by {owner}",
    "a branch of {owner}",
    "an arm of {owner}",
    "which {owner} acquired",
)
