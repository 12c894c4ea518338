"""The questions of the HIGH rules of P-EpistemicMismatch."""

from __future__ import annotations

BEAUTY = (
    "What is the most beautiful aspect of {full}?",
    "Which feature of {full} is the most sublime?",
    "What is the most moving thing about {full}?",
    "Which side of {full} has the greatest beauty of all?",
    "What is the loveliest detail of {full}?",
    "Which aspect of {full} is the most graceful?",
    "What is the most beautiful thing about {full}?",
    "Where does the beauty of {full} show itself at its purest?",
    "What in {full} is more beautiful than anything else in it?",
    "Which single element of {full} has the most perfect charm?",
    "Of all that belongs to {full}, what is the most exquisite?",
    "Which part of {full} is the most poetic?",
    "In what does the truest elegance of {full} lie?",
)  # fmt: skip

NECESSITY = (
    "Had {name} never {done}, what must necessarily have followed, with no other outcome possible?",
    "If {name} had never {done}, which single course of events would have been inevitable?",
    "Had somebody else {done}, what could not possibly have failed to happen to {name}?",
    "If nobody had ever {done}, what would of necessity exist in its place today?",
    "Suppose that {name} had not {done}: what would then have had to happen without any alternative?",
    "What would have been bound to happen, in every conceivable case, if {name} had never {done}?",
    "If {name} had not {done}, to what was the world then destined beyond doubt?",
    "Had {name} never {done}, which later event would have been unavoidable?",
    "Supposing that {name} had never {done}, what would have followed with certainty and in no other way?",
    "What must have become of {name}, by necessity, had somebody else {done}?",
    "Imagine that {name} had never {done}: which outcome was then guaranteed?",
)  # fmt: skip

CHAINS: dict[str, tuple[str, ...]] = {
    "works": (
        "How would the arts of the whole world look a hundred years on if {full} had never been made?",
        "If {full} had never come out, how would the children of its {people}' children live today?",
        "Which {noun} would the world admire most a century from now if {full} had never existed?",
        "If {full} had never been made, what would people two generations later have sung, read and watched "
        "instead?",
        "How would relations between nations stand a century later if nobody had ever {met} {full}?",
        "What would daily life be like in a hundred years if {full} had never come into being?",
        "Had {full} never been thought of, which fashions would rule three generations later?",
        "If {full} had been lost at once, how would later education have developed in the end?",
        "Supposing {full} had never appeared, what would its makers' great-grandchildren do for a living?",
        "Without {full}, how would the language of later centuries have changed, step by step?",
        "If no one had made {full}, which inventions would have been missing fifty years later?",
        "Had {full} never reached its {people}, how would their grandchildren have voted?",
    ),
    "others": (
        "How would the whole world be governed today if {full} had never existed?",
        "If there had never been {full}, which language would people far away speak in a hundred years?",
        "What would daily life in distant countries be like today if {full} had never come about?",
        "If {full} had never existed, how would the grandchildren of those concerned live now?",
        "How would the arts and sciences stand a century from now if {full} had never come into being?",
        "Which cities would be the largest on Earth today if {full} had never existed?",
        "Had {full} never been, which faith would most people hold three centuries later?",
        "Supposing there had been no {name}, how would trade between the continents run today?",
        "If {full} had vanished early on, which wars would have been fought in later times?",
        "Without {full}, what would schools far away teach a hundred years later?",
        "If nothing like {full} had ever come about, which inventions would we lack in the end?",
        "Had {full} been unknown to history, how would families live five generations on?",
    ),
}  # fmt: skip

WORLDS = (
    "Could there be a possible world in which {full} both exists and has no properties at all?",
    "Is a world conceivable in which {full} is identical to the number seven?",
    "Could {full} exist in a possible world without time and space?",
    "Is there a possible world in which {full} is older than itself?",
    "Might some possible world contain {full} and yet nothing else whatever?",
    "In some possible world, could {full} exist outside every possible world?",
    "Is it logically possible for {full} to be its own cause?",
    "Could any universe hold {full} twice, in one place and at one time?",
    "Might there be a world in which {full} is both present and absent?",
    "Is it conceivable that {full} should be nothing but a mere relation?",
    "Could {full} be what it is in a universe with no laws of nature?",
    "Can {full} be imagined to exist necessarily in all possible worlds?",
)  # fmt: skip

BEING = (
    "Does {full} exist of necessity, or only by chance?",
    "Is {full} the same being at every moment, or a new one at each?",
    "By what essence is {full} the thing that it is?",
    "Does {full} have an essence at all, or only properties?",
    "In what mode does {full} have its being?",
    "Is the existence of {full} a property of it or a condition of having properties?",
    "What is it that makes {full} one thing and not a mere sum of parts?",
    "Does {full} remain the same being if every part of it is exchanged?",
    "Is {full} something over and above what is said about it?",
    "What would have to be lost for {full} to cease to be itself?",
    "Does {full} have its being wholly at each moment, or only stretched out in time?",
    "Is {full} at bottom a substance, an event or a mere appearance?",
)  # fmt: skip

REGRESS = (
    "What price will a buyer and a seller settle on for a {item} {prep} {full} if each foresees what the "
    "other foresees, without end?",
    "Whom will two {people} name first when asked about {full} if each predicts the other's prediction for "
    "ever?",
    "Which mark will a judge give {full} if she goes by her forecast of the other judges' forecasts of her "
    "own forecast, and so on?",
    "What will people say about {full} next year if all of them say only what they expect the others to "
    "expect them to say, without end?",
    "How many people will choose {full} as a topic if each chooses it only when the rest foresee that the "
    "rest will foresee it, for ever?",
    "On which day will the next talk on {full} be held if it must surprise all who predict each other's "
    "predictions of it endlessly?",
    "What will a critic write of {full} if he always writes the opposite of what his readers foresee, and they "
    "foresee that too, without end?",
    "Who will win a bet on {full} if each side bets on the other's guess at its own guess, endlessly?",
    "Which opinion of {full} will prevail if everyone waits for everyone else's forecast of it for ever?",
    "What will the next book on {full} say if its author answers every prediction of it before it is made, "
    "without end?",
    "How will a poll on {full} come out if every answer depends on forecasts of the poll, and those on it "
    "again?",
)  # fmt: skip

VACUUM: dict[str, tuple[str, ...]] = {
    "works": (
        "Would it still be virtuous to make {full} in a universe without people, motives, society or effects?",
        "What moral worth does {full} have once its makers, its {people}, their motives and all effects are thought "
        "away?",
        "In an empty universe without minds, motives or effects, would {full} be good or evil?",
        "How morally good is {full} when nobody makes it, nobody {meets} it, nobody means anything by it and nothing "
        "follows from it?",
        "Stripped of all persons, motives, effects and society, is the making of {full} right or wrong?",
        "Would {full} be just or unjust in a world that holds no people, no purposes and no consequences?",
        "Alone in complete emptiness, with no one to intend or feel anything, what would be the goodness of {full}?",
        "With all people, aims, customs and results thought away, is {full} to be praised or blamed?",
        "Which virtue is left in {full} in a universe with no makers, no motives, no effects and no one to judge it?",
    ),
    "deeds": (
        "Would it still be virtuous to have {done} in a universe without people, motives, society or effects?",
        "What moral worth is there in having {done} once every person, motive, custom and effect is thought away?",
        "Stripped of all persons, motives, effects and society, was it right or wrong of {name} to have {done}?",
        "In a world without minds, motives, society or consequences, how good is it to have {done}?",
        "Is there any virtue in having {done} if nobody ever knew, willed or felt it and nothing followed?",
        "What would be the pure moral value of having {done} in complete emptiness, without persons or effects?",
        "With all people, aims, customs and results thought away, would it be noble to have {done}?",
        "Apart from all motives, effects and society, how praiseworthy is it in an empty universe to have {done}?",
        "If no one had been there, nothing had been meant and nothing had followed, was it just to have {done}?",
        "What duty was met by having {done}, in a void without persons, purposes or consequences?",
    ),
}  # fmt: skip

TRUTHS = (
    "What truth about every human life is proved by the fact that {name} {did}?",
    "Since {name} {did}, what law of fate holds for all people at all times?",
    "Which eternal truth about mankind follows from the fact that {name} {did}?",
    "What does the fact that {name} {did} prove about the destiny of all human beings?",
    "From the single fact that {name} {did}, what must be true of every human effort?",
    "What universal law of life is shown for all ages by the fact that {name} {did}?",
    "What are all people everywhere like, as shown by the one fact that {name} {did}?",
    "Given that {name} {did}, which rule of human nature can never be broken by anyone?",
    "What is every age of humanity taught by the fact that {name} {did}?",
    "If {name} {did}, what is then always the reward of human striving?",
    "Which law of history, true for all nations, rests on the fact that {name} {did}?",
    "Because {name} {did}, what must be the final purpose of all human lives?",
)  # fmt: skip
