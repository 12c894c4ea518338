# ruff: noqa: E501  (one sentence a line)
"""Unrelated texts of the project's own for P-MissingInfo at HIGH; no name in them is meant to be real."""

from __future__ import annotations

from functools import lru_cache

from perturb.rules.missing_texts_culture import CULTURE
from perturb.rules.missing_texts_nature import NATURE
from perturb.rules.missing_texts_people import PEOPLE
from perturb.rules.missing_texts_places import PLACES

HOUSEHOLD = """
To keep a sourdough starter alive, stir in flour and water at regular times and leave the jar loosely covered in a warm corner.
Bubbles show that the yeast is at work.
If the dough smells too sharp, feed it more often; if it turns sluggish, move it closer to the oven.
Flour milled from the whole grain feeds the yeast best, but it also makes the crumb heavier.
A dough that has rested overnight in the fridge is easier to shape in the morning.
Dust the basket well, or the loaf will cling to it when it is turned out.
A sharp cut across the top lets the crust open where you want it to.
Steam in the first minutes keeps the skin soft, so that the bread can rise to the full.
When the bottom sounds hollow under a knuckle, the loaf is done.
Let it cool on a rack before slicing, for a warm crumb tears and turns gummy.
Stale slices make fine toast, and dry crusts can be grated for the pantry.

Tide pools form where waves leave water behind among the rocks.
Limpets cling to the stone, crabs hide under weed, and anemones close their tentacles when the pool dries.
Whoever visits should tread on bare rock only and put every shell back as it lay.
Snails graze on the thin green film that coats the boulders.
Small fish wait under the ledges until the sea comes back for them.
Heat is the greatest danger, because shallow water warms quickly and loses its air.
Creatures near the top of the shore can close up tightly and bear hours of sun.
Those lower down are used to the wet and soon perish when they are left dry.
Storms tear off weed and clear bare patches, on which new animals soon settle.
A glass-bottomed bucket shows more than a net does, and it harms nothing.
Keep an eye on the water behind you, for it returns faster than one expects.

A fountain pen draws ink to its nib through a narrow channel.
Before a long rest the pen should be flushed with lukewarm water until it runs clear.
Shimmering inks clog fine nibs, so they are better kept for broad ones and for headings.
Smooth paper lets the line stay crisp, while soft paper drinks the ink and blurs it.
A nib that scratches is often only bent and can be set right under a lens.
Cartridges are handy on a journey, but a bottle costs less and makes less waste.
Filling by piston takes a little practice and a rag to wipe the barrel.
Pens should lie flat or stand with the nib upwards when they are not in use.
Dried ink comes loose in water with a drop of mild soap.
Never lend a favourite pen for long, since every hand wears the tip to its own slant.
Writing a line or two each day is the best way to keep the feed from clogging.

Knitters block a finished shawl by soaking it, pressing out the water in a towel and pinning the edges flat on a mat.
Once dry, the wool keeps its new shape and the lace pattern opens up.
Cotton hardly reacts to this treatment.
Before casting on, it pays to knit a small square and measure how many stitches fit across it.
Loose hands need thinner needles, tight hands thicker ones.
Dropped stitches can be picked up with a crochet hook if they are caught early.
A thread drawn through a finished row makes a safe place to go back to.
Dark yarn is tiring under a lamp and should be kept for bright mornings.
Ends are woven in along the edge, where they do not show.
Moths shun cedar and lavender, so a sachet belongs in every drawer.
Washed by hand and dried flat, a good jumper will outlast many a coat.

A kite needs a steady breeze and a tail that is long enough.
If it spins, add weight to the tail; if it will not climb, move the bridle knot upwards.
Flying near power lines is dangerous, and wet string should never be used.
Light frames rise in a breath of air, while heavy ones want a blow that bends the grass.
Stand with your back to the wind and let a helper hold the frame aloft some way off.
A short pull is enough to lift it, and running only makes it stumble.
Pay out line while it pulls and wind in when it sags.
Gloves save the fingers from burns when a gust comes.
Paper sails are lovely to look at but tear on the first thorn.
Thin nylon lasts longer and dries within minutes.
Pack the tail loosely in a bag, for a tangle in the field spoils the afternoon.

Candles burn cleanly when the wick is trimmed short.
A draught makes one side melt faster, so the flame drowns in its own wax.
Beeswax gives off a scent of honey and drips less than paraffin, though it costs rather more.
The first burn should last until the whole top has melted, or a hollow will form around the wick.
Soot on the glass shows that the flame is too large.
A snuffer puts it out without smoke and without splashing.
Dripped wax comes off cloth with a warm iron and a sheet of blotting paper.
Stored in a drawer, tapers should lie flat, since they bend in summer heat.
Leftover stubs can be melted in a water bath and poured anew.
Scent is stirred in last, when the melt has cooled a little.
Nobody should leave a room where one is alight, and curtains are best kept well away.

When a bicycle chain squeaks, clean it with a rag before oiling it.
Too much oil collects grit and wears out the sprockets.
A drop on each link, wiped off again after a while, keeps the pedals turning without a sound.
Soft tyres roll badly and wear at the edges, so a pump belongs within reach.
Brake pads should meet the rim flat and let go of it cleanly.
A rubbing noise often comes from a wheel that sits askew in the fork.
Cables stretch with use and can be tightened by a small barrel at the lever.
Mud is better brushed off dry than hosed into the bearings.
The saddle is right when the leg is almost straight at the lowest point.
Lamps need checking before the evenings draw in.
A spare tube and a pair of levers weigh little and save a long walk home.

Potters wedge their clay to drive out air, since a trapped bubble may burst in the kiln.
The wheel should spin fast while the lump is centred and slower as the walls rise.
A glaze too thick will run and glue the pot to the shelf.
Too much water weakens the wall, and the rim begins to wobble.
A sponge on a stick takes up what has gathered at the bottom.
Cut the finished bowl from the wheel with a wire and leave it under a cloth.
When it is as firm as leather, the foot can be trimmed.
Handles are pulled from a moist lump and pressed on with slip.
Drying must be slow and even, for a draught on one side will warp the piece.
The first firing hardens it and leaves it thirsty for colour.
Whatever touches the shelf has to be wiped bare before the second.
"""
"""Of daily life, and long enough for the longest passages."""


@lru_cache(maxsize=1)
def unrelated_texts() -> tuple[tuple[str, ...], ...]:
    """Every text, sentence by sentence, each on a subject of its own and coherent up to any sentence."""
    blocks = "\n".join((PLACES, PEOPLE, NATURE, CULTURE, HOUSEHOLD)).strip().split("\n\n")
    return tuple(tuple(block.strip().splitlines()) for block in blocks)
