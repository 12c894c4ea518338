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

BALANCED = any_of(
    r"""
    equal(?:ly)?;
    same (?:day|date|week|month|year|hour|standing|rank|weight|authority|source|page|record|register|report);
    (?:the )?other half; neither (?:has|is|was|takes|withdrew); both; of equal \w+; no less; just as;
    as (?:good|reliable|trusted); with the same; in turn; the two; side by side; alike
    """
)
"""The two sides are set on one level."""
