"""Wordings that each lever brings into the question or the context; semicolons part the regular expressions."""

from __future__ import annotations

QUESTION_WORDINGS: dict[str, str] = {
    "Salient-antecedent Pronoun": r"he; she; it; they; him; her; them; his; its; their",
    "Ambiguous Deictic Reference": r"this; that; these; those",
    "Anaphoric 'One' Collision": r"ones?",
    "Assumed Second Edition": r"""
        second; third; fourth; 2nd; 3rd; revised; later; new; expanded; anniversary; updated; final;
        latest; re-?(?:issu|releas|print)\w+; fifth; sixth; editions?; printings?; brought out
    """,
    "False Corporate Parent Claim": r"""
        subsidiary; owned; owner; parent; division; acquired; acquisition; unit; belong\w*; part of; arm;
        branch; controlled; holding\w*; backed; bought
    """,
    "Award Presupposition": r"""
        shield; cup; carried off; took home; title; award\w*; prize\w*; medal\w*; winn\w+; won;
        honou?r\w*; trophy; laureate; oscar; grammy; nobel; pulitzer; emmy; tony; decorated; plaque;
        rosette; ribbon; laurels?; diploma; wreath; recipient
    """,
    "Misstated Capital City": r"capital; seat of",
    "First vs. Second Mission Clash": r"""
        before; after; second; third; fourth; another; next; other; subsequent; earlier; previous;
        preceding; follow\w*; predecessor; preced\w+
    """,
    "Abdication Falsehood": r"""
        abdicat\w+; resign\w*; step\w* down; stepped aside; gave up; give up; renounc\w+; relinquish\w*;
        left; leave; quit; vacat\w+; hand\w* over
    """,
    "Burial for a Living Person": r"""
        buri\w+; grave\w*; tomb\w*; funeral; cemetery; cremat\w+; laid to rest; interred; headstone;
        ashes; eulogy
    """,
    "Factive Verb Contradiction": r"""
        regret\w*; realis\w+; realiz\w+; forg[eo]t\w*; discover\w*; find out; found out; learn\w*;
        admit\w*; notic\w+; know\w*; knew; remember\w*; aware; acknowledg\w+; refus\w+; come to light;
        came to light; reveal\w*; relief; true that; fail\w*; confess\w*; resent\w*; sorry; asham\w+;
        conced\w+; proud; apologi[sz]\w*; grateful; lament\w*; surpris\w+;
        glad; embarrass\w*; the fact that; point\w* out; prov\w+ that; hidden; overlook\w*; as news that;
        celebrat\w*; let (?:that )?slip; spotted; keep secret; kept secret; exposed; unaware
    """,
    "Impossible Geography": r"""
        border(?:s|ed|ing)?; frontiers?; coast(?:s|al|line)?; shores?; beach(?:es)?; seaports?; harbou?rs?; islands?;
        deserts?; mountains?; tunnel; ferry; strait
    """,
    "Married Bachelor Query": r"""
        bachelor\w*; unmarried; only child; orphan\w*; widow\w*; childless; spinster; single;
        never[- ]\w+; celibate; celibacy; unwed; non-\w+; firstborn; lastborn; monolingual; commoner;
        (?:brother|sister|sibling|son|daughter)less; teetotal\w*; vegetarian; civilian; stateless; unemployed
    """,
    "Long-range Trend Extrapolation": r"""
        trend\w*; decades?; centur(?:y|ies); long[- ]\w+; over the (?:past|last|next|coming); years;
        development; evol\w+; grow\w*; chang\w+; generations?; history
    """,
    "Micro-to-Macro Proportion": r"""
        proportion; share; percent\w*; fraction; ratio; part of all; how many of all; how much of; per cent;
        one in how many; (?:in|out of) every (?:hundred|thousand); the part that; how common
    """,
    "Median-With-Missing Member": r"median; middle",
    "Molecular vs. Organism": r"""
        molecul\w+; binding sites?; proteins?; dna; rna; genes?; genom\w+; genetic\w*; amino; enzym\w+;
        atom\w*; nucleotid\w+; cells?; cellular; receptor\w*; chemi\w+; chromosom\w+; hormon\w+; biochem\w+;
        ha?emoglobin; mitochond\w+; codon\w*; peptide\w*; keratin; collagen; antibod\w+; lipid\w*;
        isotop\w+; synap\w+; ions?; allel\w+; telomer\w+
    """,
    "Century vs. Millisecond": r"""
        \w+seconds?; seconds; centur(?:y|ies); millenni\w+; instant; hundred years; thousand years;
        split[- ]second; heartbeat; blink; moment; ten decades; four generations
    """,
    "Continental Climate from Room Temp": r"climat\w+; continent\w*; rainfall; temperature\w*; weather",
    "World GDP from Single Firm Revenue": r"""
        gdp; gross (?:domestic|world); world(?:'s|’s)?; global\w*; econom\w+; all countries; on earth; mankind;
        all nations; the planet
    """,
    "Genome Detail from Species Count": r"""
        gen(?:e|es|ome|etic|omic); chromosom\w+; dna; base pairs?; bases; mutations?; nucleotid\w+; allel\w+
    """,
    "Minor vs Major (Definitional)": r"major; minor; main; lesser",
    "Expensive is Subjective": r"""
        expensive\w*; cheap\w*; costly; overpriced; pric(?:e)?y; afford\w*; too (?:much|high|dear); dear;
        steep; worth; reasonabl[ey]; bargain; a lot; too little; high price
    """,
    "Next-quarter Sales Prediction": r"next; coming; future; forthcoming; following; upcoming",
    "Ethical Stance": r"""
        should; ought; best; better; right; wrong; moral\w*; ethic\w*; just; unjust; fair; unfair; good;
        bad; duty; justif\w+; accept\w*; oblig\w+; decent; honou?rabl[ey]; proper; praise\w*; blame\w*;
        permiss\w+
    """,
    "Normative 'Should' from Facts": r"""
        should; ought; supposed to; deserv\w+; duty; obliged; right (?:for|of); must (?:the|a|an)
    """,
    "Quality Ranking without Benchmark": r"""
        rank\w*; best; better; finest; quality; superior; rat(?:e|ed|ing); greatest; excellen\w+; merit; surpass\w*
    """,
    "Short Counterfactual Inquiry": r"if; had; suppose; supposing; imagine; assuming; would; were",
    "Historical Counterfactual Chain": r"""
        if; had; suppose; supposing; imagine; assuming; would; were; but for; without; out of history; that lacks
    """,
    "Probability without Data": r"(?:im)?probab\w+; (?:un)?likel\w+; chances?; odds; risk; danger; gamble",
    "Forecast without Model": r"""
        will; shall; forecast\w*; predict\w*; project\w*; expect\w*; (?:by|of|in|and|year) 2[01]\d\d; going to; future;
        from (?:now|today)
    """,
    "Most Beautiful Aspect": r"""
        beaut\w+; lovel\w+; elegan\w+; grace\w*; pleasing; aesthetic\w*; charm\w*; stunning; exquisite;
        sublime; attractive; pretti\w+; enchant\w*; handsom\w+; delight\w*; poetic; ravishing; gorgeous;
        moving; captivat\w+; fairest; touch\w*; heavenly; stirs?
    """,
    "Moral Absolute": r"""
        always; never; ever; absolut\w+; universal\w*; without exception; no matter; whatever; under no;
        in (?:no|all|any|every) \w+; in itself; inherently; intrinsically
    """,
    "Metaphysical Possibility": r"""
        possible; possibl[ey]; possibility; impossible; conceiv\w+; could; universe; world; exist\w*;
        metaphysic\w+; logic\w*; thinkable; in principle
    """,
    "Perfect Vacuum Morality": r"""
        stripped; thought away; emptiness; emptied; universe; vacuum; nobody; no one;
        no (?:people|minds|witness\w*|other|conscious\w*|beings?|society|humans?); empty; void; devoid;
        without (?:people|minds|persons|society|humans|any(?:one|body))
    """,
    "Infinite Regress Prediction": r"""
        infinit\w+; endless\w*; without end; regress; forever; for ever; and so on; ad infinitum; never[- ]ending;
        so forth
    """,
    "Universal Claim from Single Data-Point": r"""
        eternal; mankind; human(?:ity|kind)?; truth; law; always; universal\w*; everyone; prove\w*; in general;
        people everywhere; every (?:life|person|people|mortal); all (?:people|nations|times)
    """,
}
"""Lever -> wordings of which at least one must be new in the question."""

CONTEXT_WORDINGS: dict[str, str] = {
    "Dual-eligible Pronoun": r"he; she; they; him; her; them; his; their",
    "Multi-Sentence Coreference Chain": r"he; she; they; him; her; them; his; their",
    "Multi-pronoun Braid": r"(?:he|she|they)\b.*\b(?:he|she|they|him|her|them|his|their)",
    "Ambiguous 'Respectively' Mapping": r"""
        respectively; in (?:that|this|the same|the given) order
    """,
    "Dangling VP Ellipsis": r"had(?:n['’]t| not)?; did(?:n['’]t| not)?; has; have; does; was; were",
    "Attachment Cascade": r"""
        (?:(?:of|to|with|from|for|at|by|in|on|near|behind|beside|between|about)\b.*){3}\b(?:who|which|that|whose|where)
    """,
    "Either/Or Coordination Scope": r"and; or",
    "Contradiction in Reported Speech": r"""
        said; says?; stat\w+; told; tells?; report\w*; recall\w*; quot\w+; declar\w+; testif\w+; swor\w+;
        claim\w*; insist\w*; wrote; writes; remark\w*; announc\w+; explain\w*; assert\w*; maintain\w*;
        interview\w*; affirm\w*; according
    """,
    "Exclusive-Or Violation": r"""
        at most one; cannot be both; one is (?:true|right) and one is (?:false|wrong); the other is false;
        exclud\w+; rules? out; exactly one; one of; either; only one; exclusive\w*; but not; not both;
        never both; one or the other
    """,
    "Contradictory Universals": r"""
        all; every; each; always; none; never; any; without exception; nobody; nothing; everybody; everyone;
        no one; not one; not a single
    """,
    "Binary State Flip": r"""
        incorrect; false; wrong; untrue; opposite; not; never; simultaneously; same time; \w+n't
    """,
    "Mutual Exclusion Claim": r"""
        drops? out; reject; no; not; never; cannot; only; exclu\w+; both; alone; sole\w*; always
    """,
    "Temporal Paradox": r"before; after; earlier; later; prior; already; until; since",
    "Placeholder Citation": r"""
        \[\d+\]; \[\w[^\]]*\]; see; cited; reference; ref\.; footnote; source; note; appendix; listed in;
        given in
    """,
    "Audio-only Reference": r"""
        audio; recording; recorded; record; playing; button; disc; interview; listening;
        podcast; clip; listen\w*; sound; tape; broadcast; transcri\w+;
        narrat\w+; spoken; voice; heard?; hearing; radio; track
    """,
    "Inline Unit Conversion": r"\d[\d.,]*",
    "Evaluative Term with Explicit Threshold": r"""
        counts?; defin\w+; class\w*; consider\w*; rate[ds]?; rating; threshold; qualif\w+; at least; more than;
        or more; deem\w*; regard\w*; term\w*; call\w*; label\w*; standard; mark\w*; means?
    """,
}
"""Lever -> wordings of which at least one must stand in an added or changed sentence."""
