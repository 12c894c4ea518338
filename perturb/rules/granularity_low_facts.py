"""What the LOW rules of P-GranularityMismatch plant, by the kind of the subject: a sentence, and an aside on it."""

from __future__ import annotations

from perturb.rules.kinds import Pair

TOTALS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("Published versions of {full} include {x} for choir, {y} for piano and {z} for guitar, {t} in total.",
         "which has been published in a total of {t} versions"),
        ("The session for {full} ran to {x} takes before lunch, {y} after it and {z} at night, {t} takes "
         "altogether.",
         "recorded in {t} takes altogether"),
        ("The sheet music of {full} went through {x} printings in London, {y} in New York and {z} in Toronto; "
         "the total is {t}.",
         "whose sheet music had {t} printings in total"),
        ("In a concert season {full} was heard {x} times as an opener, {y} times as an encore and {z} times "
         "in between, which adds up to {t}.",
         "heard {t} times altogether in one concert season"),
    ),
    "screen": (
        ("The sets for {full} comprised {x} interiors, {y} street fronts and {z} models, a total of {t}.",
         "for which a total of {t} sets were built"),
        ("Costumes for {full} were made for {x} leads, {y} supporting players and {z} extras, {t} people in "
         "all.",
         "for which {t} people in all were given costumes"),
        ("The camera crew of {full} used {x} wide lenses, {y} long lenses and {z} filters; that makes {t} "
         "pieces together.",
         "shot with {t} lenses and filters together"),
        ("Dubbing {full} took {x} voices for the leads, {y} for smaller parts and {z} for crowds, {t} voices "
         "in sum.",
         "dubbed with {t} voices in sum"),
    ),
    "book": (
        ("The manuscript of {full} shows {x} cuts, {y} insertions and {z} corrections of spelling, {t} "
         "changes overall.",
         "whose manuscript shows {t} changes overall"),
        ("Of {full} there are {x} editions in hardback, {y} in paperback and {z} for schools, {t} editions in "
         "all.",
         "which has come out in {t} editions in all"),
    ),
    "work": (
        ("Within a month {full} had {x} reviews in dailies, {y} in weeklies and {z} on the radio, {t} reviews "
         "in total.",
         "of which {t} reviews in total appeared within a month"),
        ("Translations of the title {full} are listed for {x} European, {y} Asian and {z} African languages, "
         "{t} altogether.",
         "whose title is listed in {t} translations altogether"),
    ),
    "place": (
        ("Signs put up at {full} number {x} by the entrance, {y} along the path and {z} on the shore or edge, "
         "{t} in total.",
         "where a total of {t} signs have been put up"),
        ("A survey of {full} set {x} markers in the north, {y} in the middle and {z} in the south; together "
         "that is {t}.",
         "surveyed with {t} markers in all"),
        ("The keepers of {full} employ {x} guides, {y} gardeners and {z} guards, {t} people overall.",
         "whose keepers employ {t} people overall"),
        ("Benches at {full} were given by {x} families, {y} firms and {z} clubs, which makes {t} donors "
         "together.",
         "whose benches came from {t} donors together"),
    ),
    "land": (
        ("The weather service runs {x} stations on low ground, {y} in the hills and {z} by water in {full}, "
         "{t} in total.",
         "which has a total of {t} weather stations"),
        ("Road maps of {full} come in {x} large, {y} medium and {z} small sheets, altogether {t}.",
         "covered by {t} road-map sheets altogether"),
    ),
    "body": (
        ("The staff of {full} once consisted of {x} clerks, {y} drivers and {z} advisers, {t} people in all.",
         "which once had a staff of {t} people in all"),
        ("In a busy year {full} was named in {x} news stories, {y} interviews and {z} features, {t} pieces in "
         "total.",
         "named in a total of {t} pieces in one busy year"),
    ),
    "event": (
        ("Photographers took {x} portraits, {y} group pictures and {z} views connected with {full}, which "
         "adds up to {t}.",
         "of which {t} photographs in all are on file"),
        ("Accounts of {full} by eyewitnesses exist in {x} letters, {y} diaries and {z} reports, {t} in total.",
         "of which there are {t} eyewitness accounts in total"),
    ),
    "text": (
        ("Early copies of {full} survive in {x} libraries, {y} archives and {z} private homes, {t} places in "
         "total.",
         "of which early copies survive in {t} places in total"),
        ("{full} was set in {x} large, {y} middle and {z} small headings, {t} headings altogether.",
         "which has {t} headings altogether"),
    ),
    "any": (
        ("A bibliography of {full} lists {x} books, {y} articles and {z} theses, {t} titles in total.",
         "on which a bibliography lists {t} titles in total"),
        ("An exhibition on {full} showed {x} photographs, {y} letters and {z} objects, {t} exhibits overall.",
         "the subject of an exhibition with {t} exhibits overall"),
    ),
}  # fmt: skip

DEGREES: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("The master tape of {full} is kept fairly cold, at exactly {d} degrees Celsius.",
         "whose master tape is kept at exactly {d} degrees Celsius"),
        ("To protect it, the first pressing of {full} lies in a cool room at precisely {d} degrees Celsius.",
         "whose first pressing lies at precisely {d} degrees Celsius"),
        ("During the taping of {full} the studio was rather chilly, at exactly {d} degrees Celsius.",
         "taped in a studio at exactly {d} degrees Celsius"),
    ),
    "screen": (
        ("The original negative of {full} is stored in the cold, at exactly {d} degrees Celsius.",
         "whose negative is stored at exactly {d} degrees Celsius"),
        ("One shot in {full} is slightly tilted; the camera stood at an angle of exactly {d} degrees.",
         "which has a shot tilted by exactly {d} degrees"),
        ("The first scene shot for {full} was filmed in cool weather, at exactly {d} degrees Celsius.",
         "whose first scene was shot at exactly {d} degrees Celsius"),
        ("A ramp built for {full} was gently sloping, at precisely {d} degrees.",
         "for which a ramp of precisely {d} degrees was built"),
    ),
    "book": (
        ("The manuscript of {full} is kept rather cool, at exactly {d} degrees Celsius.",
         "whose manuscript is kept at exactly {d} degrees Celsius"),
        ("The title on the first cover of {full} is slightly slanted, by precisely {d} degrees.",
         "whose first cover has a title slanted by precisely {d} degrees"),
    ),
    "work": (
        ("The earliest poster for {full} shows slightly leaning letters, set at an angle of exactly {d} "
         "degrees.",
         "whose earliest poster has letters at an angle of exactly {d} degrees"),
        ("Documents on the making of {full} are stored in the cool, at precisely {d} degrees Celsius.",
         "whose papers are stored at precisely {d} degrees Celsius"),
    ),
    "place": (
        ("The path up to {full} is rather gentle; its slope is exactly {d} degrees.",
         "whose approach slopes by exactly {d} degrees"),
        ("On the day of a survey the air at {full} was cool, at precisely {d} degrees Celsius.",
         "where a survey found an air temperature of precisely {d} degrees Celsius"),
        ("A handrail at {full} leans a little, by exactly {d} degrees.",
         "which has a handrail leaning by exactly {d} degrees"),
        ("The plaque at {full} is set slightly aslant, at precisely {d} degrees.",
         "which has a plaque set at precisely {d} degrees"),
    ),
    "body": (
        ("The stripe in the emblem of {full} runs slightly downwards, at exactly {d} degrees.",
         "whose emblem has a stripe at exactly {d} degrees"),
        ("Archives of {full} are kept cool, at precisely {d} degrees Celsius.",
         "whose archives are kept at precisely {d} degrees Celsius"),
    ),
    "text": (
        ("The oldest copy of {full} is kept rather cool, at exactly {d} degrees Celsius.",
         "whose oldest copy is kept at exactly {d} degrees Celsius"),
        ("Under glass, a page of {full} is shown slightly tilted, by precisely {d} degrees.",
         "of which a page is shown tilted by precisely {d} degrees"),
    ),
    "event": (
        ("It was rather cool at one moment of {full}: a diary notes exactly {d} degrees Celsius.",
         "of which a diary notes a temperature of exactly {d} degrees Celsius"),
        ("Photographs of {full} are stored cool, at precisely {d} degrees Celsius.",
         "whose photographs are stored at precisely {d} degrees Celsius"),
    ),
}  # fmt: skip

UNITS: dict[str, tuple[Pair, ...]] = {
    "music": (
        ("The handwritten lyric sheet of {full} is {cm} cm ({inch} inches) high.",
         "whose lyric sheet is {inch} inches high"),
        ("A framed disc for {full} measures {inch} inches ({cm} cm) across.",
         "honoured with a disc {cm} cm across"),
        ("The painting used to promote {full} is {inch} inches ({cm} cm) wide.",
         "promoted with a painting {cm} cm wide"),
    ),
    "screen": (
        ("The largest model made for {full} was {cm} cm ({inch} inches) long.",
         "for which a model {inch} inches long was made"),
        ("A painted glass plate from {full} has a height of {inch} inches ({cm} cm).",
         "one glass plate of which is {cm} cm high"),
        ("The clapperboard used on {full} is {inch} inches ({cm} cm) wide.",
         "shot with a clapperboard {cm} cm wide"),
        ("A mirror seen in {full} measures {cm} cm ({inch} inches) across.",
         "in which a mirror {inch} inches across is seen"),
    ),
    "book": (
        ("The desk at which {full} was drafted is {cm} cm ({inch} inches) wide.",
         "drafted at a desk {inch} inches wide"),
        ("A folding map in the first edition of {full} is {inch} inches ({cm} cm) long.",
         "whose first edition has a map {cm} cm long"),
    ),
    "work": (
        ("The first poster for {full} measured {cm} cm ({inch} inches) in height.",
         "whose first poster was {inch} inches high"),
        ("A plaque that recalls the making of {full} is {inch} inches ({cm} cm) wide.",
         "recalled by a plaque {cm} cm wide"),
    ),
    "place": (
        ("A bronze plaque at {full} is {cm} cm ({inch} inches) wide.", "which has a plaque {inch} inches wide"),
        ("The narrowest gate at {full} measures {inch} inches ({cm} cm).",
         "whose narrowest gate measures {cm} cm"),
        ("A relief model of {full} is {cm} cm ({inch} inches) long.",
         "of which there is a model {inch} inches long"),
        ("A stone marker at {full} stands {inch} inches ({cm} cm) high.",
         "which has a stone marker {cm} cm high"),
    ),
    "land": (
        ("A wall map of {full} from the last century is {cm} cm ({inch} inches) high.",
         "of which there is a wall map {inch} inches high"),
        ("The standard road sign in {full} measures {inch} inches ({cm} cm) across.",
         "whose standard road sign measures {cm} cm"),
    ),
    "body": (
        ("The first banner of {full} was {cm} cm ({inch} inches) long.",
         "whose first banner was {inch} inches long"),
        ("A name plate of {full} measures {inch} inches ({cm} cm) in width.",
         "which had a name plate {cm} cm wide"),
    ),
    "text": (
        ("The oldest copy of {full} is {cm} cm ({inch} inches) high.", "whose oldest copy is {inch} inches high"),
        ("The case in which {full} is shown measures {inch} inches ({cm} cm) across.",
         "shown in a case {cm} cm across"),
    ),
    "any": (
        ("A commemorative plaque for {full} is {cm} cm ({inch} inches) wide.",
         "commemorated by a plaque {inch} inches wide"),
        ("The largest print of {full} on file measures {inch} inches ({cm} cm) across.",
         "of which the largest print on file is {cm} cm across"),
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
    "screen": (
        ("Between 2020 and 2022 {full} was repeated on television {t} times, {x} times in 2020, {y} in 2021 "
         "and {z} in 2022.",
         "repeated {x} times on television in 2020"),
        ("Film clubs booked {full} {t} times in three years: {x} in 2020, {y} in 2021, {z} in 2022.",
         "booked {y} times by film clubs in 2021"),
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
        ("Scholarly journals discussed {full} {t} times from 2020 to 2022: {x}, {y} and {z} times year by year.",
         "discussed {x} times in journals in 2020"),
    ),
    "place": (
        ("School parties came to {full} {t} times in the three years from 2020: {x} times in 2020, {y} in "
         "2021 and {z} in 2022.",
         "where school parties came {y} times in 2021"),
        ("Between 2020 and 2022 repairs at {full} took {t} days, namely {x} in 2020, {y} in 2021 and {z} in "
         "2022.",
         "where repairs took {z} days in 2022"),
        ("Rangers logged {t} rescues at {full} from 2020 to 2022, {x} of them in 2020, {y} in 2021, {z} in "
         "2022.",
         "where {x} rescues were logged in 2020"),
    ),
    "body": (
        ("From 2020 to 2022 {full} hired {t} people: {x} in 2020, {y} in 2021 and {z} in 2022.",
         "which hired {y} people in 2021"),
        ("In three years {full} sent out {t} press notices, {x} in 2020, {y} in 2021 and {z} in 2022.",
         "which sent out {z} press notices in 2022"),
    ),
    "any": (
        ("Journals carried {t} articles on {full} from 2020 to 2022: {x} in 2020, {y} in 2021 and {z} in 2022.",
         "on which journals carried {y} articles in 2021"),
        ("Over three years {t} lectures were given on {full}, with {x} in 2020, {y} in 2021 and {z} in 2022.",
         "on which {x} lectures were given in 2020"),
        ("In 2020, 2021 and 2022 the broadcaster aired {x}, {y} and {z} features on {full}, {t} in sum.",
         "on which {z} features were aired in 2022"),
    ),
}  # fmt: skip
