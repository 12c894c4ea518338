"""What the LOW rules of P-EpistemicMismatch plant: likelihoods, containments, shares and definitions.

An entry is a sentence that settles a modal or evaluative word, and the aside by which the question then uses the word.
"""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

CHANCES: tuple[Pair, ...] = (
    ("{a_meeting} is very likely to be held in {month}.", "{of_meeting} could be held in {month}"),
    ("It is almost certain that {a_meeting} will take place next {soon}.",
     "{of_meeting} might take place next {soon}"),
    ("In all likelihood, {town} will host {a_meeting} next {soon}.", "{of_meeting} might be held next {soon}"),
    ("It is highly probable that {a_thing} will be auctioned in {month}.", "{of_thing} could be auctioned in {month}"),
    ("Next {soon}, {a_thing} will very probably go on display in {town}.",
     "{of_thing} might go on display next {soon}"),
    ("{group} in {town} will almost certainly hold {a_meeting} in {month}.",
     "{of_meeting} could possibly be held in {month}"),
    ("{a_thing} will very probably be sold next {soon}.", "{of_thing} might be sold next {soon}"),
    ("A library in {town} is very likely to buy {a_thing} next {soon}.", "{of_thing} might be bought by a library"),
    ("The chances are very high that {a_meeting} will be held again next {soon}.",
     "{of_meeting} might be held again next {soon}"),
    ("In all probability, {a_thing} will be lent to a museum in {town}.", "{of_thing} could be lent to a museum"),
    ("{someone} is almost sure to give {a_thing} to a museum next {soon}.", "{of_thing} could be given to a museum"),
)  # fmt: skip

WITHIN: tuple[Pair, ...] = (
    ("{a_thing} is kept in {town}, which lies wholly within {surname} County.",
     "{of_thing} is necessarily kept in {surname} County"),
    ("The old mill in {town} is one of the buildings of the {surname} Library, and {a_thing} is kept in that mill.",
     "{of_thing} is necessarily kept in a building of the {surname} Library"),
    ("{a_meeting} was held on the second day of the {surname} Festival, the whole of which fell in {month}.",
     "{of_meeting} was necessarily held in {month}"),
    ("All of {town} lies on the island of {surname}, and {a_meeting} was held in {town}.",
     "{of_meeting} must have been held on an island"),
    ("The whole of the {surname} Collection belongs to the town of {town}, and {a_thing} is part of that collection.",
     "{of_thing} necessarily belongs to the town of {town}"),
    ("Every entry in the short catalogue of the {surname} Library is also in its full catalogue, and {a_thing} is "
     "in the short one.", "{of_thing} must be in the full catalogue of the {surname} Library"),
    ("{a_meeting} was held in the first week of {month}, and the {surname} Festival lasted from the first to the "
     "last day of that month.", "{of_meeting} necessarily fell within the {surname} Festival"),
    ("{town} lies entirely within the {surname} Valley, and {a_thing} is kept in {town}.",
     "{of_thing} is certainly kept in the {surname} Valley"),
    ("{a_thing} was part of the estate of {someone}, all of which was left to the town of {town}.",
     "{of_thing} must have been left to the town of {town}"),
    ("{a_meeting} belongs to Course B, and the whole of Course B is part of the {surname} Diploma.",
     "{of_meeting} is necessarily part of the {surname} Diploma"),
)  # fmt: skip

COMMON: tuple[Pair, ...] = (
    ("In {town}, {share} {group} own {a_writing} about {full}.", "{of_writing} is commonly owned by {group} in {town}"),
    ("{share} {halls} in {surname} County keep {a_writing} about {full}.",
     "{of_writing} is commonly kept by {halls} in {surname} County"),
    ("Every year, {share} {halls} in {surname} County hold {a_meeting}.",
     "{of_meeting} is commonly held by {halls} in {surname} County"),
    ("{share} the homes in {town} contain {a_writing} about {full}.",
     "{of_writing} is commonly found in homes in {town}"),
    ("In {town}, {share} {group} have read {a_writing} about {full}.",
     "{of_writing} is commonly read by {group} in {town}"),
    ("{share} the shops in {town} sell {a_writing} about {full}.", "{of_writing} is commonly sold in {town}"),
    ("In a survey, {share} {group} in {town} said that they had talked about {full}.",
     "a common topic among {group} in {town}"),
    ("{share} pupils in {town} are given {a_writing} about {full}.",
     "{of_writing} is commonly given to pupils in {town}"),
    ("A survey found that {share} {halls} in {surname} County lend out {a_writing} about {full}.",
     "{of_writing} is commonly lent out by {halls} in {surname} County"),
)  # fmt: skip

TESTS = (
    "a picture", "a full page", "a separate chapter", "a separate heading", "a coloured border", "a title in bold",
    "a separate table", "a separate section", "a full column", "a photograph", "a drawing", "a framed box",
)  # fmt: skip
"""What makes something major by a definition: each is there or not, and is no quantity."""

MAJOR: tuple[Pair, ...] = (
    ("In {book}, {a_sort} counts as major if it has {test} and as minor if it does not; {full} has {test}.",
     "a major {sort} in {book}"),
    ("{book} calls {a_sort} major if it has {test} and minor if it does not; {full} has {test}.",
     "called a major {sort} in {book}"),
    ("By the definition used in {book}, a major {sort} has {test} and a minor {sort} does not; {full} has {test}.",
     "by definition a major {sort} in {book}"),
    ("In {book}, {full} has {test}, which makes it a major {sort} there; any {sort} without {test} is minor.",
     "which counts as a major {sort} in {book}"),
    ("Every {sort} with {test} is listed as major in {book}, and every {sort} without {test} is listed as minor; "
     "{full} has {test}.", "listed as a major {sort} in {book}"),
    ("{someone} defines a major {sort} as one that has {test} in {book} and a minor {sort} as one that does not; "
     "{full} has {test} there.", "a major {sort} by {surname}'s definition"),
    ("{book} divides its {sorts} into major ones, which have {test}, and minor ones, which do not; {full} has {test}.",
     "one of the major {sorts} in {book}"),
    ("A major {sort} in {book} is one with {test}, and a minor {sort} is one without; {full} has {test}.",
     "which is a major {sort} in {book}"),
)  # fmt: skip
"""Each sentence defines `major` by a test of kind, and says that the subject meets it."""
