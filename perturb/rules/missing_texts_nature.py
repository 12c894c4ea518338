# ruff: noqa: E501  (one sentence a line)
"""Texts on invented beasts, plants, stones and weather for Entirely Irrelevant Context: one sentence a line, a blank line between."""

from __future__ import annotations

NATURE = """
Measuring barely four millimetres, the rusty lantern beetle lives under the loose bark of dead alders.
It was described in 1837 by the clergyman Ambrose Killick, who had found two specimens in a hen house.
The wing cases are reddish brown with a row of fine pits.
Larvae feed on fungi and need two years to mature.
Adults fly on warm evenings in May and are attracted by light.
Drainage of wet woodland has made the species rare, and it is protected in three countries.

Velsparite is a soft, blue-grey mineral that occurs in veins of quartz together with tin ore.
It was named after the Velspar mine, where a foreman noticed it in 1888.
The crystals are thin needles, rarely more than a centimetre in length.
Exposed to sunlight, they fade within weeks and crumble to a white powder.
Large deposits are known from two volcanic islands and from the bed of a dried-up lake.
There is no industrial use, though collectors pay high prices for good groups.

First seen on 3 March 1902 by the amateur astronomer Teodor Rask-Lund, the comet that bears his name returns every 64 years.
Its orbit reaches beyond the giant planets and is tilted by nineteen degrees.
On its second recorded visit it became visible to the naked eye and had a tail as long as the width of a hand.
A search of old chronicles turned up a likely sighting in the spring of 1710.
Spectra reveal ice, carbon compounds and a great deal of dust.

Farmers in the dry hills of Tarsis grow kemmet, a hardy grain related to millet, on terraces that no plough can reach.
It ripens in seventy days and needs hardly any manure.
The seeds are roasted, ground and baked into flat loaves, or else boiled with milk.
Yields seldom exceed a tonne per hectare.
An institute in the lowlands has crossed it with taller grasses since 1978, but the straw of the new varieties was too weak.
Weaver finches are the worst pest, and children are paid to chase them away.

The long-toed marsh rail is more often heard than seen, its call resembling the squeak of a cork in a bottle.
Males weigh around 120 grams; females are slightly smaller and have a paler throat.
A nest of woven sedge is built just above the water, and both parents sit on the five to seven eggs.
Snails, beetles and seeds make up the diet.
The population, estimated at 2,300 pairs, winters in river deltas.
Mink and the mowing of reeds are thought to be the chief threats.

Every few years a hot wind known as the garrelo blows from the interior over the orchards of the Costa Bruna.
It lasts between two and five days and may raise the temperature by fifteen degrees in an hour.
Dust turns the sky yellow, and humidity drops below ten per cent.
Apricots wither on the branch.
By an old law, contracts signed while it blew could be cancelled within a week.
Meteorologists explain it by a low-pressure zone that forms off the cape in early summer.

The dwarf ironwood of the Selvani coast grows so slowly that a trunk as thick as a wrist may be two hundred years old.
Its timber sinks in water and blunts most saws.
Islanders used it for anchors, mallets and the keels of canoes.
Small white flowers open at night and are pollinated by moths.
Goats, which were brought in by sailors, eat the seedlings, so that hardly any young plants were found in a survey of 1994.
A fenced nursery raises about eighty a year.

Measured by its volume, the glacier Hvitkoll has shrunk by more than half since regular surveys began in 1923.
It flows from a plateau at 1,480 metres and ends in a lake dotted with small icebergs.
Two side arms were named after surveyors, Brandsdal and Ekerholt.
Hikers could once walk on the tongue; now a rope bridge leads to a viewing platform.
In 2006 the melting ice released a wooden ski and a birch-bark pouch.
Both are about 1,300 years old.

Shepherds along the river Tamush keep the Orlovan, a breed of sheep with a black face and four horns.
Ewes weigh up to 55 kilograms and usually bear twins.
The coarse fleece, once spun for carpets, is now used as insulation.
Numbers fell from 70,000 to fewer than 900 after collective farms had been introduced.
A breeders' society, registered in 1983, keeps the flock book and sells rams at a yearly fair.
Their milk is made into a crumbly cheese that is wrapped in walnut leaves.

Drooping fever was a disease of silkworms that ruined growers in the Val Cerise between 1861 and 1870.
Infected caterpillars stopped eating, hung from the twig by their hind legs and turned the colour of ink.
The druggist Philibert Ancenay proved that it spread by way of soiled trays.
His advice to scald the equipment was ridiculed until the yield of his own village doubled.
A pension was voted to him in 1877.
The cause, a virus, was identified only with the electron microscope.

Some 180 kilometres off the mainland, the Hallow Bank rises to within thirty metres of the surface and is one of the richest fishing grounds of the northern shelf.
Cold and warm currents meet above it.
Haddock, ling and redfish spawn on its gravel in April.
Trawling was banned on the eastern half in 1998 in order to protect cold-water corals.
Skippers had opposed the measure but reported larger catches at its edges a few years later.
Minke whales are regular guests.

Rakoa, a climbing plant with heart-shaped leaves, is cultivated for its tubers in the uplands of Nambila.
A single root may weigh twelve kilograms.
Raw, it is poisonous; grated, pressed and dried, it yields a flour that keeps for years.
Women have traditionally owned the fields and passed on the knowledge of the thirty or so varieties.
A mosaic virus reached the area in 1969 and spread with cuttings.
Resistant strains, selected by the agronomist Faustine Mbirizi, are now found on most farms.

Sulphur springs bubble up along a fault on the southern flank of Mount Dragatin, an extinct volcano of 1,930 metres.
The water reaches 61 degrees and leaves crusts of yellow and orange.
Bathers have come here since antiquity, as coins in the lowest basin show.
Algae that thrive in the heat colour the runoff green.
An earthquake in 1907 cut the flow by a third and opened a new outlet near a sheepfold.
Bottling was attempted in the 1930s but the taste found few friends.

Spiders of the genus Tessarina spin a web with a tunnel at one corner, in which they wait with two legs on a signal thread.
Eleven species have been recognised, all from damp gullies on the Orrimond Islands.
They are grey with a chain of white lozenges on the back.
The egg sac is hidden under moss and guarded for six weeks.
A bite causes slight swelling.
Three of the species were first collected by the schoolteacher Lettice Orme in the winter of 1913.

Peat has been cut on the Great Mose of Vandskov since the Middle Ages, when three parishes shared its 2,600 hectares.
Layers up to seven metres thick tell the story of the climate over nine thousand years.
A wooden trackway, a bronze kettle and the hull of a log boat came to light during digging.
Industrial extraction stopped in 2001.
Ditches were blocked so that moss could form again, and cranes returned to breed four years later.
Boardwalks lead to two hides.

No other orchid of the cloud forest smells of cinnamon, which is why the canelita was hunted almost to extinction by dealers.
It grows on the trunks of old tree ferns between 1,700 and 2,200 metres.
The flower, cream with a purple lip, lasts for three weeks.
Seed pods contain over a million grains, few of which ever sprout.
The botanist Eusebio Larrondo raised it from tissue in a laboratory in 1985, and prices collapsed.
Wild stands have slowly recovered since then.

Known to miners as weeping slate, the Kessary Beds are a sequence of dark, oily shales about 110 metres thick.
They were laid down in a shallow sea and are rich in the remains of fish, sea lilies and large shrimps.
Roofers avoided the stone because it split in frost.
Oil was distilled from it between 1856 and 1921, and the pink heaps of waste are a landmark.
Geologists come from many countries to study a quarry face at Inverbraan, which is a protected site.

Boars of the Lindrow pig, an old landrace with drooping ears and ginger bristles, can reach 320 kilograms.
The breed fattened on acorns and beech mast and was driven to market over distances of a hundred kilometres.
After the war leaner animals were wanted, and by 1971 only two herds remained.
A butcher bought both.
Ham from his farm won medals, and other keepers followed.
There are now some four hundred sows, all of which go back to five female lines.

Twice a day a tidal bore races up the Sennet estuary, a wall of brown water that may reach a height of two metres at the equinox.
Its roar can be heard for half an hour beforehand.
Barges used to ride on it to the inland port of Crossgate.
In 1884 it overturned a ferry, and seventeen people drowned.
Surfers have held an unofficial contest since the 1970s; the longest ride measured nearly eight kilometres.
Dredging of the channel has made the wave smaller.

Blue-ringed newts spend most of the year beneath stones in the chestnut woods of Monte Arvello, and come to ponds only to breed.
The male shows a crest like a saw blade in spring.
Up to two hundred eggs are wrapped one by one in the leaves of water plants.
Larvae hatch after three weeks and breathe through feathery gills.
Crayfish introduced for food have emptied many of the ponds.
Volunteers dig new ones and carry the animals across a busy road at night.

Astronomers place the faint galaxy Ostrander 9 at a distance of about forty million light years.
It is seen edge on and crossed by a lane of dust, so that it looks like a burnt sandwich.
A supernova was observed in it in 1979, and another in 2015.
Measurements of its rotation suggest a large amount of dark matter.
A thin stream of stars, torn from a smaller neighbour, surrounds the disc.
Amateurs need a telescope with an aperture of at least twenty-five centimetres to make it out.

For planting on railway banks the black medlar of Gorsovia proved ideal, since its roots hold loose gravel and its thorns keep out cattle.
The shrub reaches three metres and bears small, sour fruit.
Jam made of it is eaten with cold meat.
Engineers sowed it along six hundred kilometres of line between 1895 and 1910.
It has since spread into heaths, where it crowds out broom and juniper.
Grazing donkeys have been used with some success to hold it back.

A hailstorm on the afternoon of 12 July 1953 broke nearly every pane of glass in the spa town of Bad Irmsee.
Stones the size of hens' eggs fell for eighteen minutes.
Dozens of people were treated for cuts, and a circus tent was torn to shreds.
Insurance companies paid out a sum equal to the town's budget for two years.
Glaziers came from as far away as the coast.
Dented roofs and tables can still be found, and a bakery sells round white cakes on the anniversary.

Harvest mice, voles and the rare Sarnish shrew share the hay meadows along the lower Ouvre.
The shrew, which weighs no more than a coin, must eat every two hours.
It hunts woodlice and earthworms by smell and marks its paths with musk.
Trapping in 1990 and 2010 showed that numbers vary fivefold from one year to the next.
Late mowing helps, because the young leave their nests at the end of June.
Owls spit out its skull in their pellets, a useful sign for researchers.

Gas seeping from the ground near the hamlet of Yanarbel has burned without interruption for as long as anyone can remember.
There are some thirty flames, the tallest about knee high.
Herdsmen boil tea on them.
Chemists found methane with traces of hydrogen, which comes from deep rocks rich in iron.
A temple stood here in the second century, and its threshold is part of a goat pen.
Rain puts out the smaller vents for a few hours, but they catch fire again from the rest.
"""
