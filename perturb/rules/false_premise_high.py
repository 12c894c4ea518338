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
        "What can be seen in the finished but never-made shots of the {noun} {name}?",
        "How long is the completed but never-begun {noun} {name}?",
        "Who keeps the existing prints of the non-existent {noun} {name}?",
        "Which scene of the shown but never-shown {noun} {name} made people laugh the loudest?",
        "In which cinema is the {noun} {name}, at once made and never made, to be seen this week?",
        "What do people say who have seen the already shown, never yet shown {noun} {name}?",
        "Which colours fill the last frame of the filmed yet entirely unfilmed {noun} {name}?",
    ),
    "music": (
        "Who coughs in the second verse of the existing but never-made recording of the {noun} {name}?",
        "How many seconds of silence end the finished but never-begun recording of the {noun} {name}?",
        "In whose attic lies the recorded yet never recorded tape of the {noun} {name}?",
        "Which bird can be heard on the well-known recording, never made by anybody, of the {noun} {name}?",
        "What do people hear who play the existing but non-existent recording of the {noun} {name}?",
        "Who rings the bell on the finished but never-begun recording of the {noun} {name}?",
        "How heavy is the only disc of the already released, never yet released {noun} {name}?",
    ),
    "series": (
        "What happens in the broadcast but never broadcast episode of the {noun} {name}?",
        "How long is the finished but never-begun first episode of the {noun} {name}?",
        "Who dozes off in the existing episode, never made by anybody, of the {noun} {name}?",
        "How many viewers wrote in about the shown but never-shown {noun} {name}?",
        "Which actor tripped in the filmed yet entirely unfilmed episode of the {noun} {name}?",
        "What was the weather like in the existing but non-existent episode of the {noun} {name}?",
    ),
    "book": (
        "On which page does the finished but never-begun {noun} {name} mention rain?",
        "How heavy are the existing but never-made copies of the {noun} {name}?",
        "What is spilt in the last chapter of the written yet entirely unwritten {noun} {name}?",
        "Who owns the printed but never-printed first copy of the {noun} {name}?",
        "What do people say who have read the {noun} {name}, at once written and never written?",
        "Which word is misspelt in the existing but non-existent text of the {noun} {name}?",
        "How wide are the margins of the already published, never yet published {noun} {name}?",
    ),
    "place": (
        "How many doors does the finished but never-begun {name} have?",
        "Who sweeps the floors of the built yet entirely unbuilt {name}?",
        "How many people walk each day through the existing but non-existent {name}?",
        "What do people see from the windows of the completed but never-built {name}?",
        "Who keeps the keys of the {name}, at once built and never built?",
        "How cold is it at noon inside the standing but never-erected {name}?",
    ),
    "event": (
        "On which day of the week did the fought but never-fought {name} begin?",
        "Who blew the trumpet at the height of the {name}, which both took place and never took place?",
        "How many hours did the finished but never-begun {name} last?",
        "What was the weather like on the last day of the bygone {name} that never happened?",
        "Which side took a rest in the middle of the long but never-begun {name}?",
        "How many horses ran away during the real but non-existent {name}?",
    ),
}
"""Both facts stand in one noun phrase, and what is asked no passage tells: striking a word leaves no answer."""
_DENIED = {
    "film": r"\bfilm|\bmovie|\breleas|\bdirect",
    "music": r"\brecord|\breleas|\bperform|\bsung\b|\bsang\b|\bsings?\b|\bsingle\b",
    "series": r"\bair|\bbroadcast|\bpremier|\bepisode|\bseason",
    "book": r"\bwritten\b|\bwrote\b|\bpublish|\bby\b",
    "place": r"\bbuilt\b|\bopen|\bconstruct|\bcomplet|\bis an?\b",
    "event": r"\bfought\b|\bbegan\b|\bwar\b|\bbattle|\bheld\b|\btook place\b",
}
"""Words by which a passage says that the subject was made or took place, so that the denial is against it."""
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

_UNPEOPLED = _BUILT | {
    "river",
    "lake",
    "sea",
    "mountain",
    "mountains",
    "desert",
    "peninsula",
    "volcano",
    "park",
}
"""Places that do not stand for the people who live there."""

_STATUS = (
    "What does the elder sister of the only child {told} say about growing up together?",
    "Which of the siblings of the only child {told} is an only child as well?",
    "What did the only child {told} inherit from an elder brother?",
    "What does the eldest child of the childless {told} do for a living?",
    "At what age did the daughter of the childless {told} leave home?",
    "Which of the children born to the lifelong childless {told} is the eldest?",
    "To whom is the unmarried {told} married at present?",
    "Whose sister is the spouse of the never-married {told}?",
    "Who are the parents-in-law of the never-married {told}?",
    "How long has the marriage of the never-married {told} lasted so far?",
    "By how many minutes is the only child {told} older than the twin born of the same mother?",
    "How many grandchildren does the lifelong childless {told} have?",
)
_STATUS_OF_MEN = (
    "What is the first name of the wife of the bachelor {told}?",
    "Where does the wife of the lifelong bachelor {told} come from?",
)
_STATUS_OF_WOMEN = (
    "What is the first name of the husband of the unmarried {told}?",
    "Where does the husband of the never-married {told} come from?",
)
"""The status is asserted plainly, and what is asked takes for granted what its meaning rules out."""


def _sorted_into(a: Analysis, table: dict[str, tuple[str, ...]]) -> Subject | None:
    s = subject_of(a)
    return s if s is not None and s.sort in table else None


def _mindless_fits(a: Analysis) -> bool:
    s = _sorted_into(a, _MINDLESS)
    return s is not None and (s.sort != "place" or s.noun in _UNPEOPLED)


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
    if s is None or (s.sort == "place" and s.noun not in _BUILT):
        return False
    return re.search(_DENIED[s.sort], a.text, re.IGNORECASE) is not None


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
    wordings = (*_STATUS, *{"m": _STATUS_OF_MEN, "f": _STATUS_OF_WOMEN}.get(gender or "", ()))
    text = told_in(rng, wordings, told=told)
    return with_query(
        a, asking(rng, text), "The word of status in the question rules out the relative that it asks about."
    )


RULES: tuple[Rule, ...] = (
    refusal_rule(
        _CLASS,
        _HIGH,
        "Inanimate Agent Verb",
        "a song, film, series or place of known kind",
        _mindless_fits,
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
