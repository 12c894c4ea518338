"""What the LOW rules of P-EpistemicMismatch plant, by the kind of the subject.

An entry is a sentence that settles a word of judgement, and the aside by which the question then uses the word.
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

CHANCES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("It is very likely that a remastered version of {full} will be released next spring.",
         "of which a remastered version could be released next spring"),
        ("The publisher calls it almost certain that {full} will be used in an advertisement this autumn.",
         "which might be used in an advertisement this autumn"),
        ("In all likelihood {full} will be part of a tribute album next year.",
         "which may be part of a tribute album next year"),
    ),
    "screen": (
        ("A restored copy of {full} will very likely be shown next spring.",
         "of which a restored copy could be shown next spring"),
        ("The rights holders call a soundtrack box of {full} almost certain for this autumn.",
         "of which a soundtrack box might appear this autumn"),
        ("There is a high probability, according to the studio, that the props of {full} will be auctioned "
         "next year.",
         "whose props may be auctioned next year"),
    ),
    "book": (
        ("A new illustrated edition of {full} is very likely to appear next spring.",
         "of which an illustrated edition could appear next spring"),
        ("The publisher calls an audio version of {full} almost certain for this autumn.",
         "of which an audio version might come out this autumn"),
    ),
    "work": (
        ("An anniversary exhibition on {full} is highly probable for next year.",
         "on which an exhibition may be held next year"),
        ("A stage version of {full} will in all likelihood open next season.",
         "of which a stage version could open next season"),
    ),
    "place": (
        ("The entrance of {full} will very likely be rebuilt next spring.",
         "whose entrance could be rebuilt next spring"),
        ("It is almost certain that a new map of {full} will be issued this autumn.",
         "of which a new map might be issued this autumn"),
        ("The authorities call longer opening hours at {full} highly probable for next year.",
         "where opening hours may be longer next year"),
    ),
    "body": (
        ("{full} will very likely get a new emblem next spring.", "which could get a new emblem next spring"),
        ("It is almost certain that a history of {full} will be published this autumn.",
         "of which a history might be published this autumn"),
    ),
    "any": (
        ("A new documentary about {full} will very likely be broadcast next spring.",
         "about which a documentary could be broadcast next spring"),
        ("Publishers call a new book on {full} almost certain for this autumn.",
         "on which a new book might come out this autumn"),
        ("In all likelihood {full} will be the theme of a conference next year.",
         "which may be the theme of a conference next year"),
    ),
}  # fmt: skip

WITHIN: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} belongs to the publisher's Blue Catalogue, all of which was bought by Northern Rights.",
         "which necessarily belongs to Northern Rights"),
        ("{full} is on the second disc of an anthology, and the whole of that disc is contained in a later "
         "box set.",
         "necessarily contained in a later box set"),
    ),
    "screen": (
        ("{full} is part of the Lantern Collection, all of which lies in the state film archive.",
         "which must lie in the state film archive"),
        ("{full} is listed in the studio's second ledger, and every entry of that ledger is copied in the "
         "main index.",
         "which inevitably stands in the main index"),
    ),
    "book": (
        ("{full} stands in the third volume of the works, and the whole of that volume is contained in the "
         "library edition.",
         "necessarily contained in the library edition"),
        ("{full} is on the teachers' short list, every title of which is also on the long list.",
         "which must be on the teachers' long list"),
    ),
    "work": (
        ("Papers on {full} lie in the Ashby Bequest, the whole of which is kept by a university.",
         "papers on which are necessarily kept by a university"),
        ("Every title in the first list also stands in the second, and {full} is in the first.",
         "which inevitably stands in the second list"),
        ("{full} is in the deposit for its year, and all of that deposit is part of the national collection.",
         "which is necessarily in the national collection"),
        ("Everything in the Halden Register is contained in the General Register, and {full} is in the former.",
         "which is bound to be in the General Register"),
    ),
    "place": (
        ("{full} lies within survey district 4, which lies wholly within survey region B.",
         "which necessarily lies in survey region B"),
        ("{full} is on the inner tour, and every stop of the inner tour is also a stop of the grand tour.",
         "which must be a stop of the grand tour"),
    ),
    "any": (
        ("{full} is treated in the second part of the handbook, all of which is reprinted in the pocket "
         "edition.",
         "which is necessarily treated in the pocket edition"),
        ("An archive's green boxes all belong to its main store, and papers on {full} lie in a green box.",
         "on which there must be papers in the archive's main store"),
        ("{full} is a heading in the short index, and every heading of that is contained in the full index.",
         "which must be a heading in the full index"),
        ("Course B deals with {full}, and the whole of course B is part of the diploma.",
         "which is inevitably part of the diploma"),
    ),
}  # fmt: skip

HARMS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("A fire at the studio destroyed the first tape of {full} and injured two guards.",
         "whose first tape was lost in a regrettable fire"),
        ("Faulty lights at a concert of {full} fell on the stage and broke a singer's arm.",
         "at a concert of which a deplorable accident happened"),
    ),
    "screen": (
        ("During work on {full} a scaffold collapsed and four people were hurt.",
         "the making of which saw a deplorable accident"),
        ("A flood at the studio ruined sets of {full} and two homes nearby.",
         "whose sets were ruined in an unfortunate flood"),
        ("Thieves who stole costumes of {full} beat the caretaker.",
         "whose costumes were taken in a regrettable theft"),
    ),
    "book": (
        ("A fire at the printer's destroyed a run of {full} and injured two workers.",
         "a run of which was lost in a regrettable fire"),
        ("A burst pipe soaked an early draft of {full} and flooded three homes.",
         "an early draft of which was soaked in an unfortunate flood"),
    ),
    "work": (
        ("On the way to the launch of {full} a bus overturned, and four people were hurt.",
         "the launch of which was overshadowed by a deplorable accident"),
        ("Mould that made three archivists ill spoilt papers on {full}.",
         "papers on which were spoilt by unwelcome mould"),
        ("A thief of papers on {full} left a guard badly hurt.",
         "papers on which were stolen in a shameful theft"),
    ),
    "place": (
        ("A storm at {full} blew down a tent, and six people broke their arms.",
         "where a regrettable storm struck"),
        ("A fuel spill near {full} killed birds and made two children ill.",
         "near which an unwanted spill occurred"),
        ("At {full} a platform gave way and injured nine people.", "where a deplorable accident happened"),
    ),
    "any": (
        ("A fire destroyed the largest collection on {full} and injured two guards.",
         "the largest collection on which was lost in an unfortunate fire"),
        ("A bus on the way to a conference on {full} overturned, and four people were hurt.",
         "a conference on which began with a deplorable accident"),
        ("Mould that made three archivists ill spoilt letters about {full}.",
         "letters about which were spoilt by unwelcome mould"),
        ("A hall fell in during a lecture on {full} and hurt nine people.",
         "a lecture on which ended in a regrettable collapse"),
    ),
}  # fmt: skip

GAINS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("Royalties from {full} paid for a clinic that has saved eleven lives.",
         "whose royalties had such a beneficial use"),
        ("A benefit recording of {full} bought coats for ninety homeless people.",
         "of which a helpful benefit recording was made"),
    ),
    "screen": (
        ("A gala showing of {full} paid for a clinic that has saved eleven lives.",
         "of which a beneficial gala showing was held"),
        ("The crew of {full} left behind a well, since which no child there has fallen ill from the water.",
         "whose crew left a welcome gift"),
        ("Proceeds from the props of {full} bought coats for ninety homeless people.",
         "whose props were sold for a good purpose"),
    ),
    "book": (
        ("Royalties from {full} reopened a children's clinic that has saved eleven lives.",
         "whose royalties had so beneficial an effect"),
        ("A course in which {full} was read taught forty prisoners to read, and all of them found work.",
         "read in a very helpful course"),
    ),
    "work": (
        ("An auction of drafts of {full} paid for a doctor who saved eleven lives.",
         "whose drafts were sold in a worthwhile auction"),
        ("The launch of {full} raised money for street lamps, after which road accidents there ceased.",
         "whose launch had a welcome side effect"),
    ),
    "place": (
        ("A path laid at {full} put an end to the accidents that used to cost lives there.",
         "where a beneficial path was laid"),
        ("Entrance money from {full} reopened a clinic that has saved eleven lives.",
         "whose entrance money went to a good purpose"),
        ("Trees planted near {full} stopped the floods that used to drive families from their homes.",
         "near which very helpful trees were planted"),
    ),
    "any": (
        ("Proceeds of a book on {full} paid for a clinic that has saved eleven lives.",
         "on which a book had a beneficial effect"),
        ("A course about {full} taught forty prisoners to read, and all of them found work.",
         "about which a very helpful course was held"),
        ("A lecture on {full} raised money for street lamps, after which road accidents there ceased.",
         "on which a worthwhile lecture was given"),
    ),
}  # fmt: skip
