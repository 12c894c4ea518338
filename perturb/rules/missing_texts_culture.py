# ruff: noqa: E501  (one sentence a line)
"""Texts on invented works, games, dishes and customs for Entirely Irrelevant Context: one sentence a line, a blank line between."""

from __future__ import annotations

CULTURE = """
The Clockmaker's Orchard, a novel written by Mirela Dragashan and published in 1931, follows a family of watch repairers through four decades of war and inflation.
Its narrator is the youngest daughter, Ileana, who counts everything she sees.
The first edition of two thousand copies sold slowly, but a cheap reprint found a wide audience after the author's death.
Critics have compared the final chapter, set in a railway buffet, to a piece of chamber music.
It has been adapted once for the stage and twice for radio.
The manuscript is lost, apart from eleven pages.

Double or Dustbin was a television quiz show that ran for seven series from 1987 to 1993.
Two teams of neighbours answered questions about household objects, and every wrong reply cost them a piece of their own furniture.
The host, Barry Quillan, wore a different waistcoat in each episode.
At its best the programme reached an audience of 8.6 million.
A complaint about a destroyed grandfather clock was settled out of court.
Foreign versions were produced in five countries, and a board game was on sale for two Christmases.

Every third year, on the first full moon of autumn, the fishing families of Port Sainval celebrate the Feast of the Nets.
Old nets are carried through the streets, blessed and burned on the beach.
Afterwards the youngest skipper ladles out a soup of mussels, fennel and saffron from a copper kettle that holds three hundred litres.
Written records of the custom go back to 1622.
It was forbidden for a time because sparks had set fire to a warehouse.
Since 1979 it has included a regatta for rowing boats.
About twelve thousand visitors attend, and hotels are booked up months ahead.

Played with forty-five pebbles and a board of nine hollows, tavuli is the favourite pastime of herders in the Karzhun highlands.
Two opponents move in turn and try to bring an odd number of stones into the centre.
A match lasts about twenty minutes.
Boards scratched into rock suggest that the game is at least seven centuries old.
The rules were first printed in 1904 by an engineer who was building a road through the area.
National championships have been held since 1968, and computers were not able to beat the best players until 2012.

Treacle, smoked eel and pickled plums go into brannik, a winter stew from the islands of the Sound of Morrey.
It is cooked overnight in a clay pot that is sealed with dough.
Families eat it on the day when the first boat is hauled ashore.
Poorer households replaced the eel with barley, a version that is served in school canteens to this day.
A recipe in the hand of a minister's wife is dated 1741.
In 2016 the dish was entered in the regional list of cultural heritage, together with the pot.

By the Treaty of Oldenwerth, signed on 9 September 1685, the duchies of Harl and Westermoor ended a dispute over salt that had lasted for thirty-two years.
The pans went to one side and the road to the other.
A joint commission was to fix the price each spring.
Delegates needed five months to agree on who should enter the room first, and finally came in through two doors at once.
The agreement held until 1749.
A copy on vellum with nineteen seals belongs to the state archive.

The zharuna is a plucked instrument with seven strings and a long neck, its body carved from a single block of mulberry wood.
Frets of gut can be shifted to suit the scale.
Wandering singers accompanied epics on it, some of which took three nights to perform.
Religious authorities banned it from houses of prayer in the eighteenth century.
Makers in the town of Old Derbesh produce around sixty a year.
A concerto for it was composed in 1974 by Rustam Yelbarov and premiered by an orchestra of students.

About nine thousand people, nearly all of them over fifty, speak the Valdrone dialect in eleven valleys south of the Gran Soler.
It has kept a separate ending for pairs of things and a rich stock of terms for snow.
Words for cheese-making were borrowed from migrant coopers.
A priest, Don Ermete Polacchi, compiled a dictionary of 14,000 entries between 1899 and 1926.
Radio broadcasts were started in 1983 but were given up for want of speakers.
Evening classes are well attended by grandchildren.

Lacemakers in Sint-Odelberg work with up to three hundred bobbins, which they move in pairs across a hard pillow filled with straw.
The craft came to the town around 1590 with refugees from the south.
Patterns such as the snail and the church window were handed down from mother to daughter.
A metre of broad edging takes about four months.
Machines ruined the trade after 1870, and by 1950 there were six women left who knew all the stitches.
A school was opened in a former brewery in 1976, and men have been admitted since 1991.

Filmed in black and white over five weekends, Last Bus to Garradh is a comedy of 1958 about a village that hides a runaway elephant from the authorities.
The director, Niall Tormey, was an accountant by profession.
Local people took most of the parts; the animal was hired from a circus in winter quarters.
It won a prize for best first feature and ran for fourteen weeks in the capital.
A colour remake of 1996 failed at the box office.
The bus, a green single-decker, has been preserved by enthusiasts.

For the coronation of Queen Ysanne in 1406, cooks at the court of Lorvain prepared a pie from which a choir of boys emerged.
The bill lists two hundred geese, nine barrels of mustard and the wages of a carpenter.
Ambassadors wrote home about the sugar castle and complained about the seating.
Tapestries showing the banquet hung in the palace until a fire in 1588.
A painted copy of one of them gives an idea of the dress and tableware of the age.
Historians doubt the number of geese.

Glass beads from Noventrana, striped in white, red and dark blue, have turned up in graves as far away as the lakes of the interior.
They were made by winding molten rods around an iron wire.
Some forty workshops were active in 1720, and the recipe for the red was guarded under threat of exile.
Traders bought the beads by the pound.
Cheaper wares made in moulds brought production to an end in 1911.
One family, the Barovetti, took it up again in 1963 with the help of a chemist.

In the ring sport of hrygg-tok, two wrestlers hold each other by a leather belt and try to throw their opponent without letting go.
Bouts are fought on grass and last for three minutes.
Girls have competed since 1990.
The belt of the overall champion is decorated with silver discs, one for every former holder, and weighs nearly five kilograms.
Sagas mention the sport as a means of settling quarrels over whales.
A federation with thirty-seven clubs publishes a ranking list and trains referees.

Composed in the summer of 1842 for a village wedding, the Polka of the Three Mills became a hit in dance halls on both sides of the mountains.
Its author, the miller's son Vendelin Hruska-Mahr, received a barrel of beer for it.
The melody leaps up an octave in the second part, which gives fiddlers a chance to show off.
Soldiers sang it with words that could not be printed.
A brass arrangement served as the signature tune of a radio station from 1936 to 1961.

Pencil Street, a comic strip by the cartoonist Wanda Ellering, appeared in the evening paper of Norburg from 1949 to 1977.
It dealt with the tenants of a single house and hardly ever left the staircase.
The caretaker, Mr Stumpel, spoke only in proverbs, all of them slightly wrong.
Nearly 8,700 strips were drawn, and the artist missed a deadline only when her son was born.
Collected volumes sold well.
A bronze figure of the caretaker with his broom was unveiled in 1985, and children rub its nose for luck.

In Bashira weddings, a loaf as wide as a cartwheel is carried three times around the house before anyone may enter.
Grains of rice, coins and small mirrors are pressed into its crust.
The bride's uncles break it over the doorstep, and guests judge the couple's prospects by the size of the pieces.
Travellers described the practice in the 1780s.
It went out of use in the cities but has come back since about 2005.
Bakers charge by the diameter and deliver with a van built for the purpose.

The alphabet known as Tremic script has thirty-eight letters and is written from bottom to top on strips of birch bark.
Around four hundred texts survive, most of them lists of debts, furs and relatives.
Attempts to read it failed until 1954, when the librarian Astrid Vennemoe recognised the word for honey in five places.
Her solution was accepted after a bilingual tax receipt had been dug up at Korsa.
A number of signs for weights remain unclear.
Schoolchildren use the letters for secret messages.

Sled races on sand have been held at Duna Pequena since the summer of 1948, when a bored lifeguard waxed an ironing board.
The course is 310 metres long and drops by sixty.
Riders lie on their stomachs and steer with their feet.
The record, 14.2 seconds, was set in 2003 by the nurse Marisol Etchegoyan.
Accidents are rare, although sunburn is not.
Proceeds go to the local rescue service.
A separate contest for home-made vehicles is judged by a panel of retired teachers, who may be bribed with cake.

Roof tiles glazed in green and yellow are typical of the farmhouses of the Bressane d'Oultre, a low-lying district of ponds and hedges.
The buildings are up to fifty metres in length and shelter people, cattle and hay beneath a single ridge.
Walls consist of timber filled with clay, since stone is lacking.
Smoke escaped through an open hood in the kitchen, crowned by a small belfry.
Some thirty such hoods still exist.
A preservation order of 1962 saved the oldest, which carries the date 1597 on a beam.

Edited by two chemistry students in a basement, The Unripe Banana was a satirical magazine that appeared monthly in Castelvidre between 1964 and 1971.
Its targets were generals, bishops, professors and the quality of coffee.
Six issues were confiscated, and the editors spent eleven days in custody for a drawing of a moustache.
Circulation rose from 400 to almost 30,000.
Disagreements over money led to a split, and neither of the two successors lasted for a year.
Complete sets are sought by libraries, and single numbers appear at flea markets.

Kesselring bowling needs neither pins nor an alley: players roll iron balls along a country road and try to cover a fixed distance with as few throws as possible.
A ball weighs 800 grams.
Bends may be cut by lofting it over the hedge.
Bets are placed on every throw, and a steward with a flag stops the cars.
Matches between the villages of Rathmorrin and Dunfee have been recorded since 1811.
The women's title was won four times in a row by the dairy worker Brona Hession.

The opera Il Sarto di Lunaverde by Fortunato Belgrandi was first performed at carnival in 1753 and repeated on twenty-six evenings.
It tells of a tailor who sews a cloak that makes its wearer speak the truth.
Three of the arias call for a solo bassoon.
After the composer had quarrelled with the impresario, the score disappeared into a private library, where it was rediscovered by a piano tuner in 1969.
A recording with period instruments followed in 1988.
The overture is sometimes played on its own.

Straw hats with a flat crown and a brim as wide as a forearm have been plaited in the Tocalma lowlands for three hundred years.
The fibre comes from a fan palm that is cut only when the moon is waning.
Fine pieces take eight months and can be rolled up to fit into a cigar box.
Exports peaked in 1944 at four million a year.
The weavers, paid by the dozen, formed a union in 1957 after a strike.
A stamp woven into the lining has protected the name since 2009.

Archaeologists working at Tell Marduna uncovered a brewery of the third millennium with eleven vats, a drain and a heap of broken beakers.
Residues in the clay point to barley, dates and a bitter herb.
A tablet found beneath the threshold lists the rations of forty-four workers, among them a man described as the brewer's shadow.
The site was excavated from 1973 to 1981 under the direction of Solveig Hartnack.
Walls had collapsed in a flood, which preserved the lower courses up to the height of a person.
The finds fill two rooms of a regional museum.

Two Left Shoes was the first musical with a book and lyrics by the sisters Fern and Hazel Dorrity, who had until then written greeting cards.
It opened at the Halcyon Playhouse on 3 February 1954 and ran for 611 performances.
The plot concerns a cobbler, a stolen dance contest and a lighthouse inspector.
Reviewers found the story thin and the tunes hard to forget.
A cast album was recorded in one day.
School productions have kept the show alive, and a revival with a larger orchestra toured in 2019.

Fishermen of the Bay of Osmere used the pole lute, a notched stick with two wires, to keep time when they hauled in long lines.
A thumb ring of horn is drawn across the notches.
Its rasp carries over water better than a voice.
Some tunes have words that give the depth and the bearing of the best grounds in a disguised form.
The schoolmaster Ewan Trevissick took down 62 of them in 1908.
Instruments from his collection are kept in a drawer of the parish hall, and one is lent out for the annual regatta.

The Lavender Mutiny was a strike of perfume workers in Grasselle in the spring of 1907, so called because the pickers scattered the harvest over the main street.
They demanded a day of ten hours, clean drinking water and payment in coins instead of vouchers.
The owners brought in labourers from the coast, who joined the protest on the second day.
After seven weeks a compromise was reached with the help of the prefect.
A mural on the old distillery recalls the events.
The demand for water was met only in 1912.

Stamps of the Principality of Monteserrande, issued between 1861 and 1890, are prized for an error in which the ruling prince wears his crown upside down.
A tired engraver, it was said, had held the plate to the wrong edge.
Sixty sheets had been sold before a postmistress noticed.
Seventeen copies are known, and one of them changed hands in 1998 for the price of a villa.
The principality itself covered twenty-three square kilometres and had more goats than citizens.
It joined its larger neighbour after a vote in 1891.

Night school for adults began in the colony of New Tarrant in 1838, when the printer Josiah Wendlebury taught nine stockmen to read from old handbills.
Lessons were held in a woolshed and paid for in mutton.
By 1860 there were twenty-two such classes, most of them run by women.
Spelling contests drew crowds and were reported in the newspapers like sporting events.
The government took over the system in 1877 and introduced examinations.
A slate with the names of the first pupils hangs in the hall of the teachers' college.

Pistachio Monday marks the end of the nut harvest in the hill towns around Qasr Belan.
Shops shut at noon, and people throw empty shells at officials, who are expected to laugh.
The origin of the custom is uncertain; a chronicle of 1530 mentions a riot over weights that ended in such a shower.
A mock court sentences the tax collector to eat a bowl of unsalted nuts.
In the evening lamps made from halved oranges float down the stream.
The mayor has cancelled the day just twice, once for rain and once for an election.

Weather in the upper Tarn of Melkeid was foretold with the help of a leech jar, a device that the pharmacist Isidor Blomquard patented in 1851.
Twelve leeches sat in a ring of bottles, and when they climbed they tripped a tiny hammer that struck a bell.
The more bells, the worse the storm.
Sixteen jars were sold to harbour offices, one of which used it for eight years.
Tests by a learned society found it right on 19 days out of 30.
A working copy is shown at a science centre.
"""
