"""What the LOW rules of P-EpistemicMismatch plant: likelihoods, containments, shares and definitions.

An entry is a sentence that settles a modal or evaluative word, and the aside by which the question then uses the word.
"""

from __future__ import annotations

from perturb.rules.kinds import Pair

CHANCES: tuple[Pair, ...] = (
    ("{a_meeting} is very likely to be held in {month}.", "{of_meeting} could be held in {month}"),
    ("It is almost certain that {a_meeting} takes place next {soon}.", "{of_meeting} might take place next {soon}"),
    ("In all likelihood {town} is going to have {a_meeting} soon.", "{of_meeting} may soon be given"),
    ("The odds are nineteen to one that {a_thing} comes up for auction in {month}.",
     "{of_thing} can come up for auction in {month}"),
    ("{a_thing} is highly likely to go on display in {town} this {month}.", "{of_thing} may perhaps go on display"),
    ("There is next to no doubt that {group} in {town} mean to open {a_meeting}.",
     "{of_meeting} could possibly open"),
    ("Few things are likelier than a sale of {a_thing} in {month}.", "{of_thing} might change hands in {month}"),
    ("With near certainty {a_thing} goes on loan to {town} next {soon}.", "{of_thing} may go to {town}"),
    ("A repeat of {a_meeting} is most probable.", "{of_meeting} could be repeated"),
    ("{a_thing} is as good as sure to be restored by {month}.", "{of_thing} can perhaps be restored"),
    ("Everybody in {town} very confidently expects {a_meeting} next {soon}.", "{of_meeting} is possible next {soon}"),
    ("The chance of {a_meeting} in {month} stands at 97 in 100.", "{of_meeting} might happen in {month}"),
    ("{town} is very likely to buy {a_thing}, as all agree.",
     "{of_thing} may be bought by {town}"),
    ("For next {soon}, {a_meeting} is all but settled.", "{of_meeting} may be held next {soon}"),
    ("Most probably the owner, {surname}, gives away {a_thing} in {month}.", "{of_thing} could be given away"),
    ("The {group} of {town} are nearly sure to borrow {a_thing}.", "{of_thing} might be lent"),
)  # fmt: skip

WITHIN: tuple[Pair, ...] = (
    ("{a_thing} lies in {town}, the whole of which is in the county of {surname}shire.",
     "{of_thing} must lie in {surname}shire"),
    ("All of box 4 is in the {surname} Archive, and {a_thing} is in box 4.",
     "{of_thing} is of necessity in the {surname} Archive"),
    ("{a_meeting} was held in the first week of a festival that filled all of {month}.",
     "{of_meeting} was bound to fall in {month}"),
    ("Every item of the short catalogue is in the full one too, and {a_thing} is in the short one.",
     "{of_thing} cannot be missing from the full catalogue"),
    ("{a_thing} belongs to {someone}, all of whose property is in {town}.", "{of_thing} is surely in {town}"),
    ("On the second day {town} had {a_meeting}, and that whole day fell within the {surname} Festival.",
     "{of_meeting} certainly fell within the {surname} Festival"),
    ("In {town}, course B includes {a_meeting}, and the diploma includes all of course B.",
     "{of_meeting} is perforce included in a diploma"),
    ("The red shelf, which holds {a_thing}, is wholly in the east wing of the {surname} Library.",
     "{of_thing} is inevitably in an east wing"),
    ("The {surname} Gift, {a_thing} included, went to {town} entire.", "{of_thing} must have gone to {town}"),
    ("No part of {town} lies off the island of {surname}, and {a_meeting} takes place in {town}.",
     "{of_meeting} has to take place on an island"),
    ("{a_thing} was sold on 9 {month}, and the auction house stood in {town} from the first to the last of that month.",
     "{of_thing} was therefore sold in {town}"),
    ("Whatever hangs in room 3 hangs in the {surname} Museum, as does {a_thing} in room 3.",
     "{of_thing} necessarily hangs in a museum"),
    ("The first half of {month} was given to {a_meeting}.", "{of_meeting} must have taken up part of {month}"),
    ("{full} is named on page 2 of a guide that is bound whole into a larger one.",
     "without question named in a larger guide as well"),
    ("Since {town} is entirely within the {surname} valley, so is {a_thing} kept there.",
     "{of_thing} is bound to be in the {surname} valley"),
)  # fmt: skip

COMMON: tuple[Pair, ...] = (
    ("{share} {group} own {a_thing}.", "{of_thing} is a common possession of {group}"),
    ("{full} is known to {share} the {group} in {town}.", "commonly known to {group}"),
    ("Of all {halls} in {town}, 85% have held {a_meeting}.", "{of_meeting} is commonly held by {halls}"),
    ("{share} the homes in {town} contain {a_thing}.", "{of_thing} is usual in the homes of {town}"),
    ("Among {group}, 92% have been to {a_meeting}.", "{of_meeting} was commonly visited by {group}"),
    ("{share} {halls} keep {a_thing}.", "{of_thing} is generally kept by {halls}"),
    ("A count in {town} found {a_thing} in 88% of the schools.", "{of_thing} is usual in schools"),
    ("Nearly all the pupils in {town}, 96% to be exact, take part in {a_meeting}.",
     "{of_meeting} is commonly attended by pupils"),
    ("{share} {group} can tell what {full} is.", "a familiar name to most {group}"),
    ("When {group} were asked in {month}, 81% had seen {a_thing}.", "{of_thing} is frequently seen by {group}"),
    ("The share of {halls} with {a_thing} is 93%.", "{of_thing} is common in {halls}"),
    ("{share} {halls} offer {a_meeting} in {month}.", "{of_meeting} is regularly offered in {month}"),
    ("In {town}, 79% of shop windows show {a_thing}.", "{of_thing} is a common sight in {town}"),
    ("No fewer than 90% of {group} in {town} have read about {full}.", "widely read about by {group}"),
)  # fmt: skip

TESTS = (
    "a page to itself", "a chapter of its own", "a picture", "its own heading", "a full column", "a coloured border",
    "a star beside it", "a bold title", "a table of its own", "its own number", "a box of its own", "a frame around it",
    "its own footnote", "a paragraph to itself", "an underlined title", "a section of its own", "a printed seal",
)  # fmt: skip
"""What makes something major by a definition: each is there or not, and is no quantity."""

MAJOR: tuple[Pair, ...] = (
    ("In {writing}, {a_sort} with {test} is major and any other minor; {full} has {test}.",
     "a major {sort}"),
    ("{writing} calls {a_sort} major if it has {test} and minor if not; {full} has it.", "called a major {sort}"),
    ("What makes {a_sort} major in {writing} is {test}, which {full} has and every minor {sort} lacks.",
     "a major {sort} in {writing}"),
    ("{full} was given {test}; by that it became a major {sort} in {writing}, where the minor ones go without.",
     "which became a major {sort}"),
    ("Lack of {test} makes {a_sort} minor in {writing}, else it is major; {full} has {test}.",
     "which counts as a major {sort}"),
    ("Where {test} is found the {sort} is major, where none is found minor: so {writing} says, and {full} has it.",
     "by definition a major {sort}"),
    ("{surname}'s definition is plain: major means having {test}, minor means having none; {full} has it.",
     "a major {sort} by {surname}'s definition"),
    ("{someone} speaks in {writing} of {a_sort} as major with {test} and minor without it; {full} has it.",
     "for {someone} a major {sort}"),
    ("{full}, having {test}, goes into the major part of {writing}; whatever has none goes into the minor part.",
     "rated as a major {sort}"),
    ("To be major and not minor, {a_sort} needs {test} in {writing}; {full} has that.",
     "which is thus a major {sort}"),
    ("Two lists stand in {writing}, a major one for any {sort} with {test} and a minor one for the rest; {full} has "
     "{test}.",
     "{a_sort} on the major list"),
    ("{a_sort} without {test} is termed minor and one that has it major, as {full} does.", "termed a major {sort}"),
)  # fmt: skip
"""Each sentence defines `major` by a test of kind, and says that the subject meets it."""
