"""What the LOW rules of P-EpistemicMismatch plant, by the kind of the subject.

An entry is a sentence that settles a word of judgement, and the aside by which the question then uses the word.
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

CHANCES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("It is very likely that a new recording of {full} will be released next spring.",
         "of which a new recording could be released next spring"),
        ("One publisher calls it almost certain that {full} will be used in an advertisement this autumn.",
         "which might be used in an advertisement this autumn"),
        ("In all likelihood {full} will be part of a tribute album next year.",
         "which may be part of a tribute album next year"),
    ),
    "film": (
        ("A restored copy of {full} will very likely be shown next spring.",
         "of which a restored copy could be shown next spring"),
        ("One cinema calls a special showing of {full} almost certain for this autumn.",
         "of which a special showing might be held this autumn"),
    ),
    "series": (
        ("A box set of {full} will very likely be issued next spring.",
         "of which a box set could be issued next spring"),
        ("One publisher calls an album with music from {full} almost certain for this autumn.",
         "from which music might appear on an album this autumn"),
    ),
    "book": (
        ("A new illustrated edition of {full} is very likely to appear next spring.",
         "of which an illustrated edition could appear next spring"),
        ("One publisher calls an audio version of {full} almost certain for this autumn.",
         "of which an audio version might come out this autumn"),
    ),
    "place": (
        ("It is almost certain that a new map of {full} will be issued this autumn.",
         "of which a new map might be issued this autumn"),
        ("A new information board at {full} is highly probable for next year.",
         "where a new information board may be set up next year"),
    ),
    "any": (
        ("A new documentary about {full} will very likely be broadcast next spring.",
         "about which a documentary could be broadcast next spring"),
        ("Publishers call a new book on {full} almost certain for this autumn.",
         "on which a new book might come out this autumn"),
        ("In all likelihood {full} will be the theme of a conference next year.",
         "which may be the theme of a conference next year"),
        ("An exhibition on {full} is highly probable for next year.",
         "on which an exhibition may be held next year"),
    ),
}  # fmt: skip

WITHIN: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{full} is on the second disc of an anthology, and the whole of that disc is contained in a later "
         "box set.",
         "which is necessarily contained in a box set"),
        ("{full} is in the first part of a songbook, all of which is reprinted in the school edition.",
         "which must also be in the school edition of a songbook"),
    ),
    "film": (
        ("{full} is part of the Lantern Collection, all of which lies in the state film archive.",
         "which must lie in the state film archive"),
        ("{full} was shown in the first week of a festival, and all that was shown in that week was shown again "
         "in the winter programme.",
         "which was necessarily shown in a winter programme as well"),
    ),
    "series": (
        ("{full} is part of the Lantern Collection, all of which lies in the state television archive.",
         "which must lie in the state television archive"),
    ),
    "book": (
        ("{full} is on the teachers' short list, every title of which is also on the long list.",
         "which must be on the teachers' long list"),
        ("{full} is in the Ashby Bequest, the whole of which is kept by a university.",
         "which a university must therefore have"),
    ),
    "work": (
        ("Papers on {full} lie in the Ashby Bequest, the whole of which is kept by a university.",
         "on which a university necessarily keeps papers"),
        ("{full} has an entry in the Halden Register, and every entry of the Halden Register is also in the "
         "General Register.",
         "which is bound to have an entry in the General Register"),
    ),
    "place": (
        ("{full} lies within survey district 4, which lies wholly within survey region B.",
         "which necessarily lies in survey region B"),
        ("{full} is on the inner tour of a travel firm, and every stop of the inner tour is also a stop of its "
         "grand tour.",
         "which must be a stop of a travel firm's grand tour"),
    ),
    "any": (
        ("{full} is treated in the second part of a handbook, all of which is reprinted in the pocket "
         "edition.",
         "which is necessarily treated in the pocket edition of a handbook"),
        ("An archive's green boxes all belong to its main store, and papers on {full} lie in a green box.",
         "on which there must be papers in an archive's main store"),
        ("{full} is a heading in the short index of an encyclopaedia, and every heading of the short index is in "
         "the full index as well.",
         "which must be a heading in the full index of an encyclopaedia"),
        ("A school's course B deals with {full}, and the whole of course B is part of the school's diploma course.",
         "which is necessarily dealt with in a school's diploma course"),
    ),
}  # fmt: skip

HARMS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("A fire at a studio destroyed a tape of {full} and injured two guards.",
         "a tape of which was lost in a regrettable fire"),
        ("At a performance of {full} lights fell on the stage and broke a singer's arm.",
         "at a performance of which a deplorable accident happened"),
    ),
    "film": (
        ("A fire at an archive destroyed a copy of {full} and injured two guards.",
         "a copy of which was lost in a regrettable fire"),
        ("At a showing of {full} a ceiling came down and hurt nine people.",
         "at a showing of which a deplorable accident happened"),
    ),
    "series": (
        ("A fire at an archive destroyed tapes of {full} and injured two guards.",
         "tapes of which were lost in a regrettable fire"),
    ),
    "book": (
        ("A fire at a printer's destroyed a run of {full} and injured two workers.",
         "a run of which was lost in a regrettable fire"),
        ("At a public reading from {full} a ceiling came down and hurt nine people.",
         "at a reading of which a deplorable accident happened"),
    ),
    "place": (
        ("A storm at {full} blew down a tent, and six people broke their arms.",
         "where a regrettable storm struck"),
        ("A fuel spill near {full} killed birds and made two children ill.",
         "near which an unwanted spill occurred"),
    ),
    "any": (
        ("A fire destroyed a large collection on {full} and injured two guards.",
         "the subject of a collection that was lost in a regrettable fire"),
        ("A bus on the way to a conference on {full} overturned, and four people were hurt.",
         "the subject of a conference that began with a deplorable accident"),
        ("A burst pipe ruined a library's books on {full} and flooded three homes.",
         "the subject of books that a library lost in an unfortunate flood"),
        ("The ceiling of a hall fell in during a lecture on {full} and hurt nine people.",
         "the subject of a lecture that ended in a regrettable accident"),
        ("Thieves stole letters about {full} and left a guard badly hurt.",
         "the subject of letters taken in a shameful theft"),
    ),
}  # fmt: skip

GAINS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("A benefit recording of {full} bought coats for ninety homeless people.",
         "of which a helpful benefit recording was made"),
        ("A charity concert with {full} on the programme paid for a clinic that has saved eleven lives.",
         "at the heart of a beneficial charity concert"),
    ),
    "film": (
        ("A gala showing of {full} paid for a clinic that has saved eleven lives.",
         "of which a beneficial gala showing was held"),
    ),
    "series": (
        ("An auction of drawings for {full} paid for a clinic that has saved eleven lives.",
         "for which drawings were sold in a beneficial auction"),
    ),
    "book": (
        ("A sponsored reading of {full} paid for a clinic that has saved eleven lives.",
         "of which a beneficial sponsored reading was held"),
        ("A course in which {full} was read taught forty prisoners to read, and all of them found work.",
         "which was read in a very helpful course"),
    ),
    "place": (
        ("A path laid near {full} put an end to the road accidents that had cost lives every year.",
         "near which a beneficial path was laid"),
        ("Trees planted near {full} stopped the floods that used to drive families from their homes.",
         "near which very helpful trees were planted"),
    ),
    "any": (
        ("The sale of a book on {full} paid for a clinic that has saved eleven lives.",
         "the subject of a book whose sale was beneficial"),
        ("A course about {full} taught forty prisoners to read, and all of them found work.",
         "the subject of a very helpful course"),
        ("A lecture on {full} raised the money for a village well, and no child in the village has fallen ill from "
         "the water since.",
         "the subject of a beneficial lecture"),
        ("An exhibition on {full} raised the money for winter coats for ninety homeless people.",
         "the subject of an exhibition that did much good"),
    ),
}  # fmt: skip

COMMON: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("{p} per cent of the amateur singers in a survey knew {full}.",
         "which is commonly known among amateur singers"),
        ("In {p} per cent of the songbooks examined, {full} is included.", "commonly included in songbooks"),
    ),
    "film": (
        ("{p} per cent of the film clubs in a survey had shown {full}.", "which is commonly shown by film clubs"),
        ("Of the video libraries in a survey, {p} per cent stocked {full}.", "commonly stocked by video libraries"),
    ),
    "series": (
        ("{p} per cent of the viewers who were asked knew {full}.", "which is commonly known among viewers"),
        ("Of the video libraries in a survey, {p} per cent stocked {full}.", "commonly stocked by video libraries"),
    ),
    "book": (
        ("{p} per cent of the school districts in a survey assign {full}.", "which is commonly assigned at school"),
        ("Among public libraries, {p} per cent hold {full}.", "commonly held by public libraries"),
    ),
    "place": (
        ("{p} per cent of the guidebooks examined describe {full}.", "which is commonly described in guidebooks"),
        ("{full} is marked on {p} per cent of the school maps examined.", "commonly marked on school maps"),
    ),
    "any": (
        ("Of the reference works examined, {p} per cent have an entry on {full}.",
         "which is commonly entered in reference works"),
        ("{p} per cent of the quiz books in a survey have a question about {full}.",
         "about which quiz books commonly have a question"),
        ("{p} per cent of the textbooks in a study mention {full}.", "which is commonly mentioned in textbooks"),
        ("Asked in a survey, {p} per cent of adults had heard of {full}.", "which is commonly known among adults"),
        ("In a survey of public libraries, {p} per cent had a book on {full}.",
         "on which public libraries commonly have a book"),
    ),
}  # fmt: skip

MAJOR: dict[str, tuple[Pair, ...]] = {
    "work": (
        ("A reference work calls a {noun} major if it has an article to itself and minor if it shares one; {full} has "
         "one to itself.",
         "classed as a major {noun}"),
        ("For one catalogue a {noun} is major when it has an entry of its own and minor when it is named under "
         "another; {full} has its own.",
         "which counts as a major {noun}"),
        ("In one national archive a {noun} kept under its own title is termed major and one kept in a mixed box "
         "minor; {full} is kept under its own title.",
         "termed a major {noun}"),
        ("A {noun} that is registered by itself is by definition a major one, and a {noun} registered with others a "
         "minor one; {full} is registered by itself.",
         "which is by definition a major {noun}"),
    ),
    "place": (
        ("A guidebook calls a place major if it has a chapter to itself and minor if it shares one; {full} has one to "
         "itself.",
         "classed as a major place"),
        ("On one map a place with its name in capitals is a major one and a place with its name in small letters a "
         "minor one; {full} is in capitals.",
         "which counts as a major place"),
    ),
    "event": (
        ("A chronicle calls an event major if it has a chapter to itself and minor if it shares one; {full} has one to "
         "itself.",
         "classed as a major event"),
        ("For one archive an event is major when it has a file of its own and minor when it is filed with others; "
         "{full} has its own.",
         "which counts as a major event"),
    ),
    "text": (
        ("A library calls a document major if it has a display case to itself and minor if it shares one; {full} has "
         "one to itself.",
         "classed as a major document"),
    ),
    "any": (
        ("One library terms a topic major if it has a shelf to itself and minor if it shares one; {full} has a shelf "
         "to itself.",
         "termed a major topic"),
        ("By definition a topic of one lecture series is major if a whole evening is given to it and minor if it "
         "shares one; {full} has a whole evening.",
         "which is by definition a major topic"),
        ("In one handbook a topic that has its own chapter is a major topic and one that is treated in passing a minor "
         "one; {full} has its own chapter.",
         "a major topic by a handbook's definition"),
        ("An encyclopaedia calls a topic major if it has an article to itself and minor if it shares one; {full} has "
         "one to itself.",
         "classed as a major topic"),
        ("For one syllabus a topic is major when it has a lesson of its own and minor when it is dealt with under "
         "another; {full} has its own.",
         "which counts as a major topic"),
    ),
}  # fmt: skip
"""Each sentence defines `major` by a test of kind, and says that the subject meets it."""
