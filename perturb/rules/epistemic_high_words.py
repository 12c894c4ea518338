"""The questions of the HIGH rules of P-EpistemicMismatch about things."""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

BEAUTY = (
    "What is the most beautiful aspect of {full}?",
    "Which feature of {full} is the most beautiful?",
    "What is emotionally the most moving thing about {full}?",
    "Which detail of {full} has the greatest charm?",
    "Which aspect of {full} is the most elegant?",
    "What is the most charming thing about {full}?",
    "Which part of {full} is the most poetic?",
    "What is most beautiful about {full}?",
    "Which element of {full} is the most sublime?",
    "Which aspect of {full} is emotionally the most moving?",
    "Which aspect of {full} is aesthetically the most pleasing?",
    "Where does the greatest beauty of {full} lie?",
)

CHAINS: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the arts look in {later} if {full} had never existed?",
        "Which {noun} would be the most admired in {later} if {full} had never existed?",
        "If {full} had never existed, what would children learn at school in {later}?",
        "If nobody had ever thought of {full}, which inventions would be missing in {later}?",
        "Had {full} never existed, how would people dress in {later}?",
        "Suppose {full} had never existed: how would people spend their free time in {later}?",
        "If {full} had never existed, which jobs would people do a hundred years later?",
        "If {full} had never existed, how would cities look in {later}?",
    ),
    "others": (
        "How would the world be governed in {later} if {full} had never {been}?",
        "If {full} had never {been}, which language would most people speak in {later}?",
        "Had {full} never {been}, which cities would be the largest in {later}?",
        "If {full} had never {been}, what would children learn at school in {later}?",
        "How would people live in {later} if {full} had never {been}?",
        "If {full} had never {been}, which inventions would be missing in {later}?",
        "Suppose {full} had never {been}: how would countries trade with one another in {later}?",
        "Imagine that {full} had never {been}: which jobs would be the most common in {later}?",
        "Had {full} never {been}, how would people spend their free time in {later}?",
    ),
}

WORLDS = (
    "Is there a possible world in which {full} exists outside time?",
    "Might there be a possible world in which {full} exists outside space and time?",
    "Is a timeless version of {full} metaphysically possible?",
    "Could there be a possible world in which {full} exists and nothing else does?",
    "Is it possible in principle for {full} to exist without any cause?",
    "Could there be a universe in which {full} has no beginning?",
    "Is there a possible world in which {full} is in all places at once?",
    "Could {full} exist in a universe where time runs backwards?",
    "Is there a possible world in which {full} is conscious?",
    "Could there be a possible world in which {full} exists without any matter?",
    "Is a version of {full} without any properties conceivable?",
    "Could there be a possible world with two versions of {full} that do not differ in any way?",
)

BEING = (
    "Does {full} exist of necessity or only by chance?",
    "Does {full} exist in itself or only in the minds of people?",
    "Is {full} a substance or a bundle of qualities?",
    "Is {full} something over and above its parts?",
    "Did {full} have to exist, or could it have failed to exist?",
    "Does {full} have an inner nature, or only relations to other things?",
    "Is the identity of {full} a mere convention?",
    "Is existence a property of {full}?",
    "Is the existence of {full} contingent or necessary?",
    "Does {full} exist in the same way that numbers exist?",
    "What is the essence without which {full} would not be itself?",
)

REGRESS = (
    "What price will {someone} and a rival agree on for {a_thing} if each foresees what the other foresees, "
    "without end?",
    "What will {group} think of {full} if each of them forms an opinion by predicting what the others predict, "
    "and so on without end?",
    "Who will buy {a_thing} if every buyer predicts the predictions of all the others, without end?",
    "How many people will come to {a_meeting} if each person decides by predicting what the others predict, "
    "and so on for ever?",
    "What will a poll on {full} show if every answer depends on a forecast of the poll, "
    "and every forecast on another forecast, without end?",
    "What bid will win {a_thing} if every bidder predicts the predictions of the other bidders, endlessly?",
    "Which verdict on {full} will a jury reach if each member predicts what the others predict, "
    "in an infinite regress?",
    "What will critics write about {full} if each of them predicts what the others predict, "
    "and so on without end?",
    "How much will {town} offer for {a_thing} if its offer depends on a forecast of that offer, "
    "and each forecast on a further one, for ever?",
    "Will {someone} sell {a_thing} if the decision depends on a forecast of that decision, "
    "and each forecast on a further one, without end?",
    "How popular will {full} be next year if its popularity depends on forecasts of its popularity, "
    "and these on further forecasts, without end?",
)

VACUUM = (
    "What moral worth would {full} have in a universe without people, motives or effects?",
    "Would it be right or wrong to create {full} in a universe without people, motives or effects?",
    "If all people, motives and effects are thought away, is {full} morally good or bad?",
    "What moral value would be left in {full} if there were no people, no motives and no consequences?",
    "In an empty universe with no society and no consequences, would {full} be good or evil?",
    "How virtuous would the creation of {full} be in a world without people, purposes or results?",
    "Would the creation of {full} be noble if there were no people, no motives and no results?",
    "What would {full} be worth morally in a universe with no minds, no motives and no effects?",
)

CULTURES: tuple[Pair, ...] = (
    ("In {land}, people stand during talks about {full}; in {other_land}, they sit.",
     "Is it culturally superior to stand during talks about {full}, as in {land}, or to sit, as in {other_land}?"),
    ("Children in {land} learn about {full} at the age of ten, and children in {other_land} at the age of sixteen.",
     "Which country has the morally superior way of teaching children about {full}, {land} or {other_land}?"),
    ("In {land}, children learn about {full} from their parents; in {other_land}, they learn about it from teachers.",
     "Whose way of teaching children about {full} is morally superior, that of {land} or that of {other_land}?"),
    ("At talks about {full}, old people speak first in {land} and young people speak first in {other_land}.",
     "Which country has the nobler custom at talks about {full}, {land} or {other_land}?"),
    ("In {land}, men and women attend talks about {full} together; in {other_land}, they attend them separately.",
     "Which custom at talks about {full} is morally superior, that of {land} or that of {other_land}?"),
    ("People who give talks about {full} are paid in {land} and are given a meal in {other_land}.",
     "Which country has the morally better way of treating those who give talks about {full}, {land} or "
     "{other_land}?"),
    ("Museums in {land} charge for exhibitions on {full}; museums in {other_land} let people in free.",
     "Which country has the morally superior way of running exhibitions on {full}, {land} or {other_land}?"),
    ("Families who own {a_held} pass it on to the eldest child in {land} and to the youngest in {other_land}.",
     "Which custom of passing on {a_held} is morally superior, that of {land} or that of {other_land}?"),
    ("Schools in {land} test pupils on {full}; schools in {other_land} only discuss it.",
     "Which country has the culturally superior way of teaching pupils about {full}, {land} or {other_land}?"),
)  # fmt: skip
"""Each tells neutrally how two countries handle one matter, and asks whose way is superior."""
