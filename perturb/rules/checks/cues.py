"""Wordings that tell a reader what to believe, what is missing, and what kind of question is asked."""

from __future__ import annotations

import re


def any_of(wordings: str) -> re.Pattern[str]:
    """A pattern for any of the wordings, which semicolons part; each is a regular expression of whole words."""
    parts = [part.strip() for part in " ".join(wordings.split()).split(";")]
    return re.compile(r"(?<!\w)(?:" + "|".join(part for part in parts if part) + r")(?!\w)", re.I)


NEGATION = any_of(
    r"""
    not; never; no longer; \w+n['’]t; neither; nor; cannot; nobody; none; no
    """
)

DISMISSAL = any_of(
    r"""
    mistaken(?:ly)?; errone?ous(?:ly)?; in error; incorrect(?:ly)?; wrong(?:ly)?; false(?:ly)?; inaccurate;
    inaccurately; debunked; disproved; disproven; refuted; discredited; retracted; withdrawn; apocryphal;
    myth; misprint; typo; misremembered; misattributed; misquoted; garbled; confus(?:es|ed)
    """
)
"""The statement is called untrue."""

LOW_CREDIBILITY = any_of(
    r"""
    (?:fan|blog|forum|internet|online|web) (?:site|page|post|user|claim|wiki|thread|comment)s?; fans;
    tweets?; podcasts?; memes?; leaflets?; flyers?; chain (?:e-?)?mails?; quiz(?:zes)?; trivia; commenters?;
    posters?; forums?; bloggers?; blogs?; rumou?r(?:s|ed)?; unverified; unsourced; unsigned;
    anonymous(?:ly)?; hearsay; gossip; self-published; unofficial(?:ly)?; fringe; conspiracy; satirical;
    parody; joke; social media; message boards?; fan (?:forum|site|page|post|wiki)s?;
    without (?:citing|naming|giving) (?:any |a )?(?:source|evidence)s?; no (?:source|evidence); tabloids?;
    speculat(?:es|ed|ion|ive); urban legend; folklore; legend has it; nickname; popularly; informally;
    colloquial(?:ly)?; loosely; uncredited
    """
)
"""The source is one that nobody need believe."""

HIGH_CREDIBILITY = any_of(
    r"""
    officially;
    official (?:record|register|source|site|website|account|figure|report|count|statement|document|file)s?;
    authoritative; primary sources?; verified; confirmed; well[- ]established; definitive(?:ly)?;
    correct(?:ed|s|ion|ly)?; the accepted; superseded; revised; outdated; obsolete; legal name;
    court records; peer-reviewed; the exact; to be exact; exactly \d\S*
    """
)
"""One side is called the right one."""

EXCLUSION = any_of(
    r"""
    either\b.+\bor; but not both; mutually exclusive; cannot both; at the same time; simultaneously;
    both true; only one of; exactly one; no other; nobody else; none of; every; all; always; never; no one;
    without exception; under no; has yet to; not yet; remains? un\w+;
    before it (?:had )?(?:began|begun|started|opened)
    """
)
"""Wordings by which two statements shut each other out."""

UNSETTLED = any_of(
    r"""
    (?:do(?:es)?|did) not (?:say|state|specify|record|tell|settle|identify|indicate|make clear|name|note);
    unclear; unspecified; is not (?:stated|recorded|specified|clear|said|known); left open;
    leaves? (?:it )?open; without (?:saying|specifying|stating|naming); fails? to (?:say|specify|state);
    never (?:says|specifies|states|made clear);
    no (?:record|source|document|note|indication) (?:says|shows|tells|settles|of which|as to which|which);
    one (?:or|and) the other; respectively; or possibly; one of the two; one of them;
    (?:cannot|could not) (?:say|tell|be told)
    """
)
"""The passage leaves a choice open."""

NAMESAKE = any_of(
    r"""
    of the same (?:name|title); (?:same|identical|shared?|shares?|sharing) (?:name|title)s?; namesake;
    another; a second; an? (?:unrelated|different|separate|later|earlier|distinct|other);
    also (?:titled|named|called|entitled|known); the other; unrelated;
    two (?:different|separate|distinct|unrelated)?; identically (?:named|titled); both; likewise
    """
)
"""A second bearer of the name is around."""

RESOLVING = any_of(
    r"""
    means?; always; affectionate name; names? for; nicknames?; dubbed; only; alone; sole(?:ly)?; regarding;
    concerning; as for; with regard to; with respect to; when it comes to; in the case of; speaking of;
    refers? to; meaning; that is; in other words; known as; nicknamed; called; dubbed; styled; unlike;
    as opposed to; not to be confused; which figure; namely; on the subject of; about; turning to;
    considering; thinking of; looking at; given; in relation to; no other; none other; whereas; while
    """
)
"""A cue by which a careful reader settles which thing is meant."""

CRITERION = any_of(
    r"""
    defined? as; definition; by definition; counts? as; classed as; classified as; classification;
    threshold; criteri(?:on|a); is considered; are considered; qualif(?:y|ies|ied) as; deemed; regarded as;
    rated as; labell?ed; labels?; listed (?:as|among); means that; is (?:called|termed); at least; or more;
    more than; categor(?:y|ised|ized|ises|izes); the term; ranks? as; ranked; officially; so-called;
    standard; benchmark; treats?; designat(?:es|ed|ion); grade[ds]?; belongs? to; part of; contained;
    contains; within; includes?; measure[ds]?; any (?:work|person|thing|event|place|book|film|song)
    """
)
"""The passage says what the evaluative word means."""

EVALUATIVE = any_of(
    r"""
    should; ought; deserves?; deserved; deserving; morally?; immoral; ethical(?:ly)?; unethical; unjust;
    justified; justifiabl[ey]; right thing; wrong; fair(?:ly)?; unfair; good; bad; best; better; worse;
    worst; greatest; finest; (?:most|more|least|less|too|very|truly|really|so) \w+; beautiful; beauty;
    loveliest; prettiest; ugliest; elegant; graceful; pleasing; pleasant; moving; charming; poetic; sublime;
    touching; expensive; cheap; worth(?:while|y|it)?; reasonable; overpriced; bargain; impressive;
    important; meaningful; noble; virtuous; virtue; evil; duty; obligation; obliged; blame(?:worthy)?;
    praiseworthy; honou?rable; shameful; overrated; underrated; ideal; perfect; superior; inferior;
    excellent; outstanding; memorable; remembered; forgotten; advisable; wise; sensible; prudent;
    preferable; admirabl[ey]; commendable; permissible; acceptable; proper; appropriate; quality;
    rank(?:s|ed)?; favou?rite; value[ds]?; tasteful; aesthetic(?:ally)?
    """
)

MODAL = any_of(
    r"""
    if; had (?:not|never)?; would; could; might; must; will; shall; suppose; supposing; imagine; imagining;
    hypothetical(?:ly)?; possible; possibly; impossible; possibility; probability; probable; probably;
    likely; likelihood; odds; chances?; predict(?:ed|ion)?; forecasts?; expect(?:ed)?; next; future;
    forever; for ever; eventually; ever; inevitabl[ey]; necessar(?:y|ily); bound to; destined; fated;
    conceivabl[ey]; conceive; possible worlds?; every (?:possible|conceivable); counterfactual; ahead;
    years? from now; centur(?:y|ies) from now; to come; upcoming; projected; alternate; alternative;
    different(?:ly)?; otherwise; everyone; universal(?:ly)?; always; absolutely; in all; prove[sn]?;
    without exception
    """
)

LEVEL = any_of(
    r"""
    average; mean; median; total; overall; combined; aggregate; proportion; share; percent(?:age)?;
    fraction; ratio; global(?:ly)?; world(?:wide|'s|’s)?; nation(?:al|wide|ally)?; international(?:ly)?;
    continent(?:al|'s|’s|s|-wide)?; regional; countrywide; industry[- ]wide; universal; typical(?:ly)?;
    trend(?:s|ed)?; decades?; centur(?:y|ies); millenni(?:um|a); milliseconds?; microseconds?; nanoseconds?;
    minute[- ]by[- ]minute; hourly; daily; per (?:hour|minute|second|day|week); seconds?;
    long[- ](?:term|run|range); molecul(?:e|es|ar); atom(?:s|ic)?; cell(?:s|ular)?;
    gen(?:e|es|ome|omes|etic|omic); dna; rna; protein; proteins; amino acids?; enzymes?; nucleotides?;
    chromosomes?; chemical; biochemical; receptors?; each; every; individual(?:ly)?; per; component;
    components; sub-?components?; parts?; inside; within each; breakdown; distribution; gdp;
    gross domestic product; gross world product; economy; climate; all; entire; whole; general(?:ly)?; most;
    rate; across; exact(?:ly)?; precise(?:ly)?; number; serial; page; line; chapter; rivets?; screws?;
    layer; thickness; sequence; composition; neurons?; synap\w+; growth; grown; pace; evol(?:ve|ved|ution);
    develop(?:ed|ment)?
    """
)
"""Words that ask at a level of detail: sums, means, shares, parts, spans of time, sizes of a region."""

BALANCED = any_of(
    r"""
    equal(?:ly)?;
    same (?:day|date|week|month|year|hour|standing|rank|weight|authority|source|page|record|register|report);
    (?:the )?other half; neither (?:has|is|was|takes|withdrew); both; of equal \w+; no less; just as;
    as (?:good|reliable|trusted); with the same; in turn; the two; side by side; alike
    """
)
"""The two sides are set on one level."""
