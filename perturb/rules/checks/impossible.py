"""Questions about what cannot be: properties and deeds that their bearers cannot have."""

from __future__ import annotations

from perturb.rules.checks.cues import any_of

_PAIRS = any_of(
    r"""
    married bachelors?; bachelor\b.{0,40}\b(?:wife|wives|husband|spouse|wedding|marri\w+);
    (?:wife|husband|spouse)\b.{0,40}\bbachelor; square(?:d)? (?:circles?|triangles?);
    (?:circular|round) squares?; (?:three|four|five|six)-sided (?:circle|square|triangle)s?;
    never[- ](?:built|written|published|released|made|recorded|born|existed|held|aired|founded|opened|performed);
    (?:unwritten|unbuilt|unborn|unreleased|unpublished|non-?existent|nonexistent|silent|wordless|invisible|unmade|unrecorded|immortal|liquid|frozen);
    (?:only child|orphan|widow)\w*['’]?s?\b.{0,30}\b(?:siblings?|brothers?|sisters?|parents|living husband);
    colou?rless \w+; dead living; living dead; both\b.{0,60}\b(?:and|while)\b.{0,20}\b(?:not|never|no);
    at once; (?:largest|biggest|highest|last) (?:number|integer|prime|digit of pi)
    """
)
_PROPERTIES = any_of(
    r"""
    melting point; boiling point; freezing point; blood (?:type|group|pressure); shoe size; hat size;
    heart ?beat; heart rate; pulse; body temperature; (?:fur|eye|hair|skin) colou?r; colou?r; smell;
    scent; taste; flavou?r; weight; mass; weigh; temperature; wingspan; horsepower; voltage; fuel;
    gestation; diet; favou?rite; dental; teeth; tooth; tail; wings?; feathers?; legs?; fingers?;
    fingerprints?; knees?; elbows?; lungs?; stomach; digest\w*; metaboli\w*; breath\w*; sleep\w*;
    dream\w*; sneez\w*; cough\w*; yawn\w*; blink\w*; laugh\w*; cr(?:y|ied|ies|ying)\b; swim\w*; swam; eat;
    eats; ate; drink\w*; drank; breakfast; lunch; dinner; marr(?:y|ied|iage); wedding; wife; husband;
    childhood; birthday; hobb(?:y|ies); mood; afraid; fear\w*; jealous\w*; hungry; thirsty; angry; lonely;
    ashamed; apologi[sz]\w*; vote[ds]?; swear; swore; whisper\w*; hum; sing to itself; decid\w*;
    believ\w*; forg[eio]t\w*; remember\w*; complain\w*; resign\w*; promis\w*; confess\w*; refus\w*;
    learn\w*; study; studied; graduat\w*; walk\w*; jump\w*; climb\w*; drive; drove; cook\w*; knits?;
    paint itself; wear; wore; shav\w*; boil\w*; melt\w*; evaporat\w*; rust\w*; photosynth\w*; hatch\w*;
    hibernat\w*; migrat\w*; molt\w*; moult\w*; bloom\w*; germinat\w*; rot\w*; viscosity; density;
    hardness; solubility; ph value; atomic number; isotopes?; valence; magnetic; conductivity; corner;
    corners; sides; square root; radius; diameter; think\w*; thought; feel; felt; want\w*; wish\w*;
    hope[ds]?; enjoy\w*; prefer\w*; hat(?:e|ed); lov(?:e|ed); ask; asked; tell; told; persuad\w*;
    invent itself; opinion; conscience; memory; mother; father; parents?; sibling; brother; sister;
    cousin; nephew; uncle; aunt; pet; passport; password; handwriting; sign its; signature; itself;
    themselves
    """
)


def clash_of_categories(query: str) -> bool:
    """True if the question speaks of what cannot be, or asks of a thing what only another kind of thing can have.

    The second part is a list of tell-tale properties and deeds; a caller compares with the original question, which may
    ask for one of them in earnest.

    >>> clash_of_categories("What is the melting point of the treaty?"), clash_of_categories("who wrote the treaty")
    (True, False)
    """
    return bool(_PAIRS.search(query) or _PROPERTIES.search(query))
