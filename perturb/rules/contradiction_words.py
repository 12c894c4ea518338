# ruff: noqa: E501  (one wording a line)
"""Wordings of the P-Contradiction rules at MEDIUM; the gaps are filled from the instance.

{a} and {b} are two sources of one kind, {v}, {w} and {p} what they do with a statement; {one} and {two} are clauses,
{One} and {Two} the same with a capital.
"""

from __future__ import annotations

BOTH_SAY = (
    "{a} {v} that {one}, {b} that {two}.",
    "The version of {a} is that {one}. The version of {b} is that {two}.",
    "According to {a}, {one}; according to {b}, {two}.",
    "“{One},” {w} {a}. “{Two},” {w} {b}.",
    "Anyone who turns to {a} will learn that {one}; anyone who turns to {b}, that {two}.",
    "From {a} comes the statement that {one}, from {b} the statement that {two}.",
    "For {a} there can be no question that {one}, nor for {b} that {two}.",
    "{One}; so {w} {a}. {Two}; so {w} {b}.",
    "Going by {a}, {one}. Going by {b}, {two}.",
    "{A} {p} that {one}. {B} {p} that {two}. There the matter rests.",
    "With {a} one reads that {one}, with {b} that {two}.",
    "{a} is on record with the words: “{One}.” {b} is on record with these: “{Two}.”",
    "On the strength of {a}, {one}; on that of {b}, {two}.",
    "To quote {a}, {one}. To quote {b}, {two}.",
    "As {a} has it, {one}. As {b} has it, {two}.",
)
"""Two clauses in the mouths of two equal sources."""

QUOTED = (
    "{a} {v}: {one} {B} {v}: {two}",
    "{one} Thus {a}. Thus {b}: {two}",
    "The wording of {a} is {one} The wording of {b} is {two}",
    "From {a}: {one} From {b}: {two}",
    "What {a} has to say is this: {one} And here is {b}: {two}",
    "According to {a}: {one} According to {b}: {two}",
    "{one} These are words of {a}. Against them stand words of {b}: {two}",
    "Whoever turns to {a} will find: {one} Whoever turns to {b} will find: {two}",
    "As {a} puts it: {one} As {b} puts it: {two}",
    "A line from {a} runs: {one} A line from {b} runs: {two}",
)
"""Two quoted sentences."""

EVEN = (
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    " They are held in equal regard.",
    " Each has as many readers as the next.",
    " No third voice has been heard.",
    " Nothing has come out since to settle this.",
    " The discrepancy was never explained.",
    " Nobody puts either of them first.",
    " Neither has taken it back.",
    " People trust them alike.",
    " Which of them errs is unknown.",
    " Their standing is equal.",
    " So far no judge has been found.",
)
"""That nothing decides between the two; most often left unsaid."""

DATED = (
    "{early} {a} {p} that {one}; {late} {b} {p} that {two}.",
    "{a} {p} {early} that {one}, and {b} {late} that {two}.",
    "“{One},” {a} {p} {early}. “{Two},” {b} {p} {late}.",
    "That {one} was to be learnt from {a} {early}. That {two} was to be learnt from {b} {late}.",
    "{One}: {a}, {early}. {Two}: {b}, {late}.",
    "Readers were told by {a} {early} that {one}, by {b} {late} that {two}.",
    "In the version of {a} {early}, {one}. In that of {b} {late}, {two}.",
    "To quote {a}, {early}: {one}. To quote {b}, {late}: {two}.",
    "Word from {a} {early} was that {one}. Word from {b} {late} was that {two}.",
    "{One}, if one goes by {a}, {early}; {two}, if one goes by {b}, {late}.",
    "{Early} came the view of {a} that {one}, and {late} the view of {b} that {two}.",
)
DATED_QUOTED = (
    "{early} {a} {p}: {one} {Late} {b} {p}: {two}",
    "{one} This was the wording of {a} {early}. {Late} {b} chose: {two}",
    "Readers of {a} found {early}: {one} Readers of {b} found {late}: {two}",
    "From {a}, {early}: {one} From {b}, {late}: {two}",
    "{a} put out a notice {early}: {one} {B} put one out {late}: {two}",
    "As {a} had it {early}: {one} As {b} had it {late}: {two}",
    "{one} So much from {a}, {early}. From {b} came, {late}: {two}",
    "{a} printed these words {early}: {one} And {b} these {late}: {two}",
)
UNAWARE = (
    "Neither refers to the other.",
    "Each wrote without having seen what the other had.",
    "They share no author and no files.",
    "No correction was ever printed.",
    "Nothing new had come to light in between.",
    "The later one does not mention the earlier.",
    "They worked apart and from like papers.",
    "The two never exchanged notes.",
    "{B} had not heard of what {a} held.",
    "No fresh papers had turned up meanwhile.",
    "Neither was put together with knowledge of the other.",
    "They were drawn up independently.",
    "No new evidence separates the two dates.",
    "That there is a disagreement escaped them.",
    "{B} makes no mention of {a} and had learnt nothing further.",
    "In the time between, the evidence stayed what it was.",
)
"""Why the later of two sources is no better."""

MODAL = (
    "{a} is certain that {one}. {B} calls this impossible: perhaps {two}.",
    "It is beyond doubt, {w} {a}, that {one}. That cannot be, {w} {b}; it might be that {two}.",
    "{a} has no doubt that {one}; {b} rules it out and thinks it possible that {two}.",
    "It must be so, {w} {a}, that {one}. It cannot be so, {w} {b}, and maybe {two}.",
    "“{One}, without question,” {w} {a}. “Out of the question,” {w} {b}. “Possibly {two}.”",
    "{a} would swear that {one}. {B} would swear that this cannot be and that it could be that {two}.",
    "That {one} is a certainty for {a} and an impossibility for {b}, who may accept that {two}.",
    "As sure as can be, {w} {a}, {one}. Never, {w} {b}; it may well be that {two}.",
    "{A} takes it as settled that {one}. {B} excludes this; for {b} it is conceivable that {two}.",
    "There is no way round it for {a}: {one}. There is no way that it can be so for {b}: it may be that {two}.",
    "Undeniably {one}, {w} {a}. Quite impossible, {w} {b}, and it is likely that {two}.",
    "For {a} it is definite that {one}. For {b} that is unthinkable, and {two}, perhaps.",
    "{a} leaves room for nothing else: {one}. {B} leaves no room for that, though it may be that {two}.",
    "{a} {v} that {one}, as sure as day follows night. {B} {v} that this is impossible and that, it might be, {two}.",
)
MODAL_QUOTED = (
    "{a} calls this certain: {one} {B} calls it impossible and thinks this possible: {two}",
    "For {a} there is no doubt: {one} For {b} that cannot be, and it may be thus: {two}",
    "{one} This must be right, {w} {a}. It cannot be, {w} {b}, who would rather try: {two}",
    "Beyond question, {w} {a}: {one} Out of the question, {w} {b}; perhaps: {two}",
    "{a} would swear to it: {one} {B} rules that out and can imagine this: {two}",
    "{a} takes this as settled: {one} For {b} it is excluded, and this is conceivable: {two}",
    "As sure as can be, {w} {a}: {one} Never, {w} {b}; it might be so: {two}",
    "Undeniable, {w} {a}: {one} Unthinkable, {w} {b}, and this is likely: {two}",
)

DENIED = (
    "{a} {v} that {claim}, {b} that {denial}.",
    "According to {a}, {claim}. According to {b}, {denial}.",
    "“{Claim},” {w} {a}. “{Denial},” {w} {b}.",
    "Asked whether {claim}, {a} answers yes and {b} answers no.",
    "To quote {a}, {claim}. To quote {b}, {denial}.",
    "As {a} has it, {claim}. As {b} has it, {denial}.",
    "The version of {a} is that {claim}. The version of {b} is that {denial}.",
    "On the strength of {a}, {claim}; on that of {b}, {denial}.",
    "{A} is on record with the words: “{Claim}.” {B} is on record with these: “{Denial}.”",
    "{Claim}; so {w} {a}. {B} objects that {denial}.",
    "Anyone who turns to {a} will learn that {claim}; anyone who turns to {b}, that {denial}.",
    "{a} {p} that {claim}, which {b} contradicts: {denial}.",
    "Going by {a}, {claim}. Going by {b}, {denial}.",
    "For {a} there can be no question that {claim}, nor for {b} that {denial}.",
    "With {a} one reads that {claim}, with {b} that {denial}.",
    "Whether {claim}? {A} holds that it is so, {b} that it is not so.",
    "From {a} comes the statement that {claim}, from {b} its denial: {denial}.",
)
"""A claim and its denial in the mouths of two equal sources."""

PLACES = (
    "{a} {v}: {one} {B} {v}: {two} There is only one, and it was never moved.",
    "According to {a}: {one} According to {b}: {two} It exists once and has stayed where it is.",
    "{one} So {a}. So {b}: {two} A move has never taken place, and there is no second.",
    "From {a}: {one} From {b}: {two} It stands alone of its kind, and always in one spot.",
    "The wording of {a} is {one} The wording of {b} is {two} Nothing was ever moved, nor is there a double.",
    "As {a} puts it: {one} As {b} puts it: {two} It cannot be in two places, and it has not travelled.",
)
REPORTED = (
    "{speaker} told one audience: {one} To another audience, that same evening, {speaker} said: {two}",
    "In a letter {speaker} writes: {one} In a second letter of that date {speaker} writes: {two}",
    "{speaker} is quoted in one paper as saying: {one} Another paper of the same morning quotes {speaker} with the words: {two}",
    "To one committee {speaker} declared: {one} To another, on the same day, {speaker} declared: {two}",
    "On the radio {speaker} stated: {one} On television, that very day, {speaker} stated: {two}",
    "{speaker} told the first group of the day: {one} The second group heard from {speaker}: {two}",
)
