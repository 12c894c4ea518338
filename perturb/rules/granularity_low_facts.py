"""What the LOW rules of P-GranularityMismatch plant, by the kind of the subject: a sentence, and an aside on it."""

from __future__ import annotations

from perturb.rules.kinds import Pair

TOTALS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("Published versions of {full} include {x} for choir, {y} for piano and {z} for guitar, {t} in total.",
         "which has been published in a total of {t} versions"),
        ("Sheet music of {full} was printed {x} times in London, {y} times in New York and {z} times in Toronto; "
         "the total is {t}.",
         "whose sheet music had {t} printings in total"),
        ("In one concert season {full} was heard {x} times as an opener, {y} times as an encore and {z} times "
         "in between, which adds up to {t}.",
         "heard {t} times altogether in one concert season"),
    ),
    "film": (
        ("The sets for {full} comprised {x} interiors, {y} street fronts and {z} models, a total of {t}.",
         "for which a total of {t} sets were built"),
        ("In its first month {full} had {x} reviews in dailies, {y} in weeklies and {z} on the radio, {t} reviews "
         "in total.",
         "of which {t} reviews in total appeared in the first month"),
    ),
    "series": (
        ("Broadcasters took up {full} in {x} European, {y} Asian and {z} African countries, {t} in total.",
         "which was taken up in a total of {t} countries"),
        ("Letters about {full} in one week came from {x} schools, {y} clubs and {z} families, {t} letters in all.",
         "about which {t} letters in all came in one week"),
    ),
    "book": (
        ("The manuscript of {full} shows {x} cuts, {y} insertions and {z} corrections of spelling, {t} "
         "changes overall.",
         "whose manuscript shows {t} changes overall"),
        ("Of {full} there are {x} editions in hardback, {y} in paperback and {z} for schools, {t} editions in "
         "all.",
         "which has come out in {t} editions in all"),
    ),
    "place": (
        ("Signs put up at {full} number {x} by the main approach, {y} along the paths and {z} elsewhere, "
         "{t} in total.",
         "where a total of {t} signs have been put up"),
        ("A survey of {full} set {x} markers in the north, {y} in the middle and {z} in the south; together "
         "that is {t}.",
         "surveyed with {t} markers together"),
    ),
    "body": (
        ("In one busy year {full} was named in {x} news stories, {y} interviews and {z} features, {t} pieces in "
         "total.",
         "named in a total of {t} pieces in one busy year"),
    ),
    "text": (
        ("Early copies of {full} survive in {x} libraries, {y} archives and {z} private homes, {t} places in "
         "total.",
         "of which early copies survive in {t} places in total"),
    ),
    "work": (
        ("In one month {full} got {x} mentions in dailies, {y} in weeklies and {z} on air, {t} in total.",
         "mentioned a total of {t} times in one month"),
    ),
    "any": (
        ("One library has {x} books, {y} maps or plans and {z} recordings on {full}, {t} items in all.",
         "on which one library has {t} items in all"),
        ("A bibliography on {full} lists {x} books, {y} articles and {z} theses, {t} titles in total.",
         "on which a bibliography lists {t} titles in total"),
        ("An exhibition on {full} showed {x} drawings, {y} letters and {z} objects, {t} exhibits overall.",
         "the subject of an exhibition with {t} exhibits overall"),
        ("A course on {full} has {x} lectures, {y} seminars and {z} evenings of discussion, {t} meetings altogether.",
         "the subject of a course with {t} meetings altogether"),
    ),
}  # fmt: skip

DEGREES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("An early printed copy of {full} is kept rather cool, at exactly {d} degrees Celsius.",
         "of which an early copy is kept at exactly {d} degrees Celsius"),
        ("The title on one printed sheet of {full} is slightly slanted, by precisely {d} degrees.",
         "of which one sheet has a title slanted by precisely {d} degrees"),
    ),
    "film": (
        ("The original negative of {full} is stored in the cold, at exactly {d} degrees Celsius.",
         "whose negative is stored at exactly {d} degrees Celsius"),
        ("The title on the first poster for {full} is slightly slanted, by exactly {d} degrees.",
         "whose first poster has a title slanted by exactly {d} degrees"),
    ),
    "series": (
        ("The master tapes of {full} are kept rather cool, at exactly {d} degrees Celsius.",
         "whose master tapes are kept at exactly {d} degrees Celsius"),
        ("The letters of the logo of {full} lean a little, by precisely {d} degrees.",
         "whose logo has letters leaning by precisely {d} degrees"),
    ),
    "book": (
        ("The manuscript of {full} is kept rather cool, at exactly {d} degrees Celsius.",
         "whose manuscript is kept at exactly {d} degrees Celsius"),
        ("The title on the first cover of {full} is slightly slanted, by precisely {d} degrees.",
         "whose first cover has a title slanted by precisely {d} degrees"),
    ),
    "place": (
        ("The footpath that leads to {full} rises gently; its slope is exactly {d} degrees.",
         "to which a footpath rises at exactly {d} degrees"),
        ("The plaque at {full} is set slightly aslant, at precisely {d} degrees.",
         "which has a plaque set at precisely {d} degrees"),
    ),
    "body": (
        ("The archives of {full} are kept cool, at precisely {d} degrees Celsius.",
         "whose archives are kept at precisely {d} degrees Celsius"),
    ),
    "text": (
        ("The oldest copy of {full} is kept rather cool, at exactly {d} degrees Celsius.",
         "whose oldest copy is kept at exactly {d} degrees Celsius"),
        ("Under glass, a page of {full} is shown slightly tilted, by precisely {d} degrees.",
         "of which a page is shown tilted by precisely {d} degrees"),
    ),
    "work": (
        ("A collection of letters about {full} is kept fairly cool, at exactly {d} degrees Celsius.",
         "the subject of letters kept at exactly {d} degrees Celsius"),
    ),
    "any": (
        ("The reading room with the books on {full} is fairly cool, at precisely {d} degrees Celsius.",
         "the subject of books in a reading room kept at precisely {d} degrees Celsius"),
        ("The title of one book on {full} is printed slightly aslant, at exactly {d} degrees.",
         "the subject of a book with a title set at exactly {d} degrees"),
        ("One archive keeps its papers on {full} fairly cool, at exactly {d} degrees Celsius.",
         "the subject of papers kept at exactly {d} degrees Celsius"),
        ("A display case with documents on {full} is slightly tilted, by precisely {d} degrees.",
         "the subject of documents shown in a case tilted by precisely {d} degrees"),
    ),
}  # fmt: skip

UNITS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("The handwritten lyric sheet of {full} is {cm} cm ({inch} inches) high.",
         "whose lyric sheet is {inch} inches high"),
        ("A framed disc for {full} measures {inch} inches ({cm} cm) across.",
         "honoured with a disc {cm} cm across"),
    ),
    "film": (
        ("A small poster for {full} measures {cm} cm ({inch} inches) in height.",
         "for which there is a small poster {inch} inches high"),
        ("A framed picture from {full} is {inch} inches ({cm} cm) wide.",
         "from which there is a framed picture {cm} cm wide"),
    ),
    "series": (
        ("A small poster for {full} measures {cm} cm ({inch} inches) in height.",
         "for which there is a small poster {inch} inches high"),
        ("A framed drawing of the logo of {full} is {inch} inches ({cm} cm) wide.",
         "whose logo exists in a drawing {cm} cm wide"),
    ),
    "book": (
        ("The notebook in which {full} was drafted is {cm} cm ({inch} inches) high.",
         "drafted in a notebook {inch} inches high"),
        ("The first page of the manuscript of {full} is {inch} inches ({cm} cm) high.",
         "whose manuscript has a first page {cm} cm high"),
    ),
    "place": (
        ("A bronze plaque at {full} is {cm} cm ({inch} inches) wide.", "which has a plaque {inch} inches wide"),
        ("A relief model of {full} is {cm} cm ({inch} inches) long.",
         "of which there is a model {inch} inches long"),
        ("A stone marker at {full} stands {inch} inches ({cm} cm) high.",
         "which has a stone marker {cm} cm high"),
    ),
    "body": (
        ("The first pennant of {full} was {cm} cm ({inch} inches) long.",
         "whose first pennant was {inch} inches long"),
        ("A name plate of {full} measures {inch} inches ({cm} cm) in width.",
         "which had a name plate {cm} cm wide"),
    ),
    "text": (
        ("The oldest copy of {full} is {cm} cm ({inch} inches) high.", "whose oldest copy is {inch} inches high"),
        ("The case in which {full} is shown measures {inch} inches ({cm} cm) across.",
         "shown in a case {cm} cm across"),
    ),
    "any": (
        ("A small poster for an exhibition on {full} is {cm} cm ({inch} inches) high.",
         "the subject of an exhibition with a small poster {inch} inches high"),
        ("An illustrated volume on {full} is {inch} inches ({cm} cm) tall.",
         "the subject of an illustrated volume {cm} cm tall"),
        ("A framed drawing for a book on {full} is {cm} cm ({inch} inches) wide.",
         "the subject of a book for which there is a drawing {inch} inches wide"),
    ),
}  # fmt: skip

YEARLY: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("From 2020 to 2022 {full} was performed {t} times at one festival: {x} times in 2020, {y} in 2021 "
         "and {z} in 2022.",
         "performed {y} times at a festival in 2021"),
        ("Licences for the use of {full} numbered {t} over three years, with {x} in 2020, {y} in 2021 and {z} "
         "in 2022.",
         "for which {z} licences were given in 2022"),
    ),
    "film": (
        ("Film clubs showed {full} on {t} evenings in three years: {x} in 2020, {y} in 2021, {z} in 2022.",
         "shown by film clubs on {y} evenings in 2021"),
    ),
    "series": (
        ("One quiz league asked {t} questions about {full} in three years: {x} in 2020, {y} in 2021, {z} in 2022.",
         "about which a quiz league asked {y} questions in 2021"),
    ),
    "book": (
        ("A national library recorded {t} requests for {full} in three years, of which {x} fell in 2020, {y} "
         "in 2021 and {z} in 2022.",
         "requested {z} times at a national library in 2022"),
    ),
    "work": (
        ("In the years 2020 to 2022 {full} was the topic of {t} theses, {x} in 2020, {y} in 2021 and {z} in "
         "2022.",
         "the topic of {y} theses in 2021"),
    ),
    "place": (
        ("School parties came to {full} {t} times in the three years from 2020: {x} times in 2020, {y} in "
         "2021 and {z} in 2022.",
         "where school parties came {y} times in 2021"),
    ),
    "body": (
        ("In three years {full} sent out {t} press notices, {x} in 2020, {y} in 2021 and {z} in 2022.",
         "which sent out {z} press notices in 2022"),
    ),
    "any": (
        ("One library lent out books on {full} {t} times in three years, {x} times in 2020, {y} in 2021 and {z} in "
         "2022.",
         "on which one library lent out books {y} times in 2021"),
        ("Schools asked for {t} talks on {full} over three years: {x} in 2020, {y} in 2021 and {z} in 2022.",
         "on which schools asked for {x} talks in 2020"),
        ("Journals carried {t} articles on {full} from 2020 to 2022: {x} in 2020, {y} in 2021 and {z} in 2022.",
         "on which journals carried {y} articles in 2021"),
        ("Over three years {t} lectures were given on {full}, with {x} in 2020, {y} in 2021 and {z} in 2022.",
         "on which {x} lectures were given in 2020"),
        ("A radio station aired {t} features on {full} in three years, {x} in 2020, {y} in 2021 and {z} in 2022.",
         "on which a radio station aired {z} features in 2022"),
    ),
}  # fmt: skip
