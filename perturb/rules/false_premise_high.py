"""HIGH rules of P-FalsePremise: what the question rests on is impossible in itself."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules.analyse import Analysis
from perturb.rules.asides import fill, refusal_rule, slots, told_in, with_query
from perturb.rules.doers import doer_of
from perturb.rules.false_premise_asking import asking
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import Subject, subject_of

_CLASS = PerturbationClass.FALSE_PREMISE
_HIGH = Intensity.HIGH

_MINDLESS: dict[str, tuple[str, ...]] = {
    "music": (
        "Why did {full} refuse to apologise to its own chorus?",
        "What did {full} promise its last verse in secret?",
        "Why does {full} still resent the sheet music on which it is printed?",
        "When did {full} make up its mind to learn to swim?",
        "To which of its notes did {full} tell a lie about its age?",
        "Why was {full} too shy to thank its own refrain in person?",
        "Whom did {full} blame for its bad dream last night?",
    ),
    "film": (
        "Why did {full} refuse to apologise to its own closing credits?",
        "What did {full} promise its first scene in secret?",
        "Why does {full} still resent the screen on which it was shown?",
        "When did {full} make up its mind to learn to swim?",
        "Why was {full} too shy to thank the projector in person?",
        "Whom did {full} blame for its bad dream last night?",
        "What did {full} whisper to the cinema seats before it fell asleep?",
    ),
    "series": (
        "Why did {full} refuse to apologise to its own title card?",
        "What did {full} promise its first episode in secret?",
        "Why does {full} still resent the television sets on which it was shown?",
        "When did {full} make up its mind to learn to swim?",
        "Why was {full} too shy to thank the camera in person?",
        "Whom did {full} blame for its bad dream last night?",
    ),
    "place": (
        "Why did {full} refuse to apologise to its own map?",
        "What did {full} promise the road signs around it in secret?",
        "Why does {full} still resent the rain of last winter?",
        "When did {full} make up its mind to learn to knit?",
        "To whom did {full} tell a lie about its own age?",
        "Why was {full} too shy to thank the clouds in person?",
        "Whom did {full} blame for its bad dream last night?",
    ),
}

_BODILY = (
    "What is the blood group of {full}?",
    "What shoe size does {full} take?",
    "How many wisdom teeth does {full} have left?",
    "What is the resting pulse of {full}, in beats per minute?",
    "What is the hat size of {full}?",
    "Against which childhood illnesses was {full} vaccinated by its doctor?",
    "How many of its milk teeth has {full} lost?",
    "What is the fasting blood sugar of {full}?",
    "What colour were the eyes of {full} at birth?",
    "What is the heart rate of {full} when it is asleep?",
    "Which finger did {full} break as a child?",
    "How many hours of sleep did {full} get last night?",
    "On which knee does {full} have a scar?",
    "What is the body temperature of {full} in the morning?",
    "In which year did {full} learn to ride a bicycle?",
    "What did {full} eat for breakfast today?",
    "Which of its grandparents gave {full} its curly hair colour?",
)
_ABSTRACT = re.compile(
    r"\b(?:Act|Declaration|Constitution|Treaty|Agreement|Cup|Open|Games|Party|[Dd]ynasty|Battles?|War|Election|Bowl|"
    r"Rumble|Series|Football|Game|Ocean|Sea|Guidebook|League)\b"
)

_IMPOSSIBLE = (
    "How many corners does the perfectly round square on the {sign} of {full} have?",
    "What colour is the four-sided triangle on the {sign} of {full}?",
    "How wide is the square circle on the {sign} of {full}, in centimetres?",
    "How long is the shortest edge of the two-sided triangle on the {sign} of {full}?",
    "At which point on the {sign} of {full} do the two parallel straight lines cross?",
    "How many grams below zero does the {sign} of {full} weigh?",
    "What is the length of the edges of the perfectly spherical cube on the {sign} of {full}?",
    "Which of the three corners of the circle on the {sign} of {full} is the sharpest?",
    "What is the diameter of the square circle drawn on the {sign} of {full}?",
    "How far apart are the two ends of the closed circle on the {sign} of {full}?",
    "In which colour is the colourless red square on the {sign} of {full} printed?",
    "Who drew the five-sided square on the {sign} of {full}?",
)
_SIGNS = {
    "music": "record sleeve", "film": "poster", "series": "title card", "book": "cover", "stage": "playbill",
    "game": "box", "place": "entrance sign", "body": "emblem", "event": "official emblem",
}  # fmt: skip

_SELF_DENYING: dict[str, tuple[str, ...]] = {
    "film": (
        "How many tickets did the never-made {noun} {name} sell on its opening night?",
        "In which cinemas is the {noun} {name}, which was never shot, being shown today?",
        "How long is the final cut of the never-filmed {noun} {name}?",
        "Which scene of the never-made {noun} {name} was shot last?",
        "Who edited the finished prints of the {noun} {name}, of which not one frame was ever shot?",
        "How many people have seen the {noun} {name}, which nobody has ever made?",
    ),
    "music": (
        "Who produced the studio recording of the never-recorded {noun} {name}?",
        "How many copies did the never-released {noun} {name} sell in its first week of release?",
        "In which studio was the never-recorded {noun} {name} recorded?",
        "How long is the original recording of the {noun} {name}, which was never recorded?",
        "Who plays the drums on the {noun} {name}, a recording that was never made?",
        "Which radio station plays the recording of the never-composed {noun} {name} most often?",
    ),
    "series": (
        "How many viewers watched the first broadcast of the never-broadcast {noun} {name}?",
        "Which episode of the never-made {noun} {name} has been shown most often?",
        "Who directed the first finished episode of the {noun} {name}, of which no episode was ever made?",
        "On which channel is the {noun} {name}, which was never filmed, being repeated?",
        "How long is each finished episode of the never-filmed {noun} {name}?",
        "How many people saw the last broadcast episode of the never-broadcast {noun} {name}?",
    ),
    "book": (
        "How many copies of the never-written {noun} {name} were printed in its first year?",
        "On which page does the never-written {noun} {name} end?",
        "Who translated the {noun} {name}, of which not one word was ever written, into French?",
        "How many readers have finished the never-written {noun} {name}?",
        "What is the last sentence of the {noun} {name}, which nobody ever wrote?",
        "Which chapter of the never-written {noun} {name} is the longest?",
    ),
    "place": (
        "How many people pass through the never-built {name} each day?",
        "How high are the finished walls of the never-built {name}?",
        "Who keeps the keys of the {name}, which was never built, while it is open?",
        "How many visitors walked through the never-built {name} last year?",
        "What do people pay to enter the {name}, which does not exist, on a weekday?",
        "How many doors does the finished but never-built {name} have?",
    ),
    "event": (
        "How many people died in the {name}, which never broke out?",
        "On which day did the {name}, which never took place, reach its height?",
        "Who won the never-fought {name}?",
        "How long did the {name} last, given that it never began?",
        "Which side fired the last shot of the never-fought {name}?",
        "How many people took part in the {name}, which never happened?",
    ),
}
_BUILT = frozenset(
    (
        "tower",
        "arena",
        "stadium",
        "bridge",
        "canal",
        "dam",
        "skyscraper",
        "museum",
        "resort",
        "hotel",
        "building",
        "castle",
    )
)

_STATUS = (
    "What is the name of the elder sister of the only child {told}?",
    "How old is the eldest daughter of the childless {told}?",
    "To whom is the never-married {told} married?",
    "How many grandchildren does the childless {told} have?",
    "Which of the brothers of the only child {told} is the youngest?",
    "How old was the only child {told} when {possessive} younger brother was born?",
    "In which year did the wedding of the lifelong bachelor {told} take place?",
    "What is the maiden name of the wife of the bachelor {told}?",
    "What is the first name of the husband of the never-married {told}?",
)
_MORE_STATUS = (
    "On which day does the unmarried {told} celebrate a wedding anniversary?",
    "Where did the never-married {told} spend the honeymoon?",
    "Who is the mother-in-law of the never-married {told}?",
    "At which school do the children of the childless {told} learn to read?",
    "What are the names of the two sons of the childless {told}?",
    "Who was best man at the wedding of the never-married {told}?",
    "Which of the two sisters of the only child {told} is the taller?",
    "What did the only child {told} inherit from an elder brother?",
    "Which university did the son of the childless {told} attend?",
)


def _sorted_into(a: Analysis, table: dict[str, tuple[str, ...]]) -> Subject | None:
    s = subject_of(a)
    return s if s is not None and s.sort in table else None


def _mindless(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    text = fill(rng, _MINDLESS[s.sort], **slots(s))
    return with_query(
        a, asking(rng, text), f"{s.full} has no mind and cannot do what the question takes for granted."
    )


def _bodiless(a: Analysis) -> Subject | None:
    s = subject_of(a)
    if s is None or s.sort in ("person", "body"):
        return None
    return s if s.sort != "thing" or _ABSTRACT.search(s.name) else None


def _swapped(a: Analysis, rng: random.Random) -> Draft | None:
    s = _bodiless(a)
    if s is None:
        return None
    text = fill(rng, _BODILY, **slots(s))
    return with_query(
        a,
        asking(rng, text),
        f"The question asks for a bodily property of {s.full}, which has no body of that kind.",
    )


def _impossible_fits(a: Analysis) -> bool:
    s = subject_of(a)
    return s is not None and s.sort in _SIGNS and (s.sort != "place" or s.noun in _BUILT | {"park"})


def _impossible(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    text = fill(rng, _IMPOSSIBLE, sign=_SIGNS[s.sort], **slots(s))
    return with_query(
        a, asking(rng, text), "The question rests on a shape or quantity that no object can have."
    )


def _denying_fits(a: Analysis) -> bool:
    s = _sorted_into(a, _SELF_DENYING)
    return s is not None and (s.sort != "place" or s.noun in _BUILT)


def _denying(a: Analysis, rng: random.Random) -> Draft | None:
    s = subject_of(a)
    if s is None:
        return None
    name = s.name if s.sort not in ("place", "event") else s.name.removeprefix("The ")
    text = fill(rng, _SELF_DENYING[s.sort], **{**slots(s), "name": name})
    return with_query(
        a,
        asking(rng, text),
        f"The question calls {s.full} never made and asks for what only a finished one could have.",
    )


def _told(a: Analysis) -> tuple[str, str | None] | None:
    """A real person by name with the deed, and the gender."""
    doer = doer_of(a)
    if doer is not None:
        return doer.relative, doer.gender
    s = subject_of(a)
    return (s.name, s.gender) if s is not None and s.sort == "person" else None


def _status_fits(a: Analysis) -> bool:
    family = r"\b(?:married|wife|husband|daughters?|sons?|children|siblings?|brothers?|sisters?|bachelor)\b"
    return _told(a) is not None and not re.search(family, a.text, re.I)


def _status(a: Analysis, rng: random.Random) -> Draft | None:
    found = _told(a)
    if found is None:
        return None
    told, gender = found
    wordings: tuple[str, ...] = (*_STATUS[:5], *_MORE_STATUS)
    if gender is not None:
        wordings += (_STATUS[5], *(_STATUS[6:8] if gender == "m" else _STATUS[8:]))
    else:
        wordings += ("Which twin brother of the only child {told} is the taller?",)
    text = told_in(rng, wordings, told=told, possessive={"m": "his", "f": "her"}.get(gender or "", ""))
    return with_query(
        a, asking(rng, text), "The word of status in the question rules out the relative that it asks about."
    )


RULES: tuple[Rule, ...] = (
    refusal_rule(
        _CLASS,
        _HIGH,
        "Inanimate Agent Verb",
        "a song, film, series or place of known kind",
        lambda a: _sorted_into(a, _MINDLESS) is not None,
        _mindless,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Impossible Property",
        "a work, body, event or building of known kind",
        _impossible_fits,
        _impossible,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Category Swap",
        "a work, place, event or other bodiless thing of known kind",
        lambda a: _bodiless(a) is not None,
        _swapped,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Self-contradictory Entity",
        "a work, event or building of known kind",
        _denying_fits,
        _denying,
    ),
    refusal_rule(
        _CLASS,
        _HIGH,
        "Married Bachelor Query",
        "a real person, as the answer or as the passage's title, of whose family the passages say nothing",
        _status_fits,
        _status,
    ),
)
