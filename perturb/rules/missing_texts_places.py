# ruff: noqa: E501  (one sentence a line)
"""Texts on invented places and buildings for Entirely Irrelevant Context: one sentence a line, a blank line between."""

from __future__ import annotations

PLACES = """
Ostrevik is a village on the eastern shore of Lake Mirn, about nine kilometres from the district seat of Halvmo.
At the last census it had a population of 614, down from more than a thousand at the end of the nineteenth century.
Most families once lived from herring and flax, and the old smokehouses along the quay are protected as monuments.
A wooden church with a separate bell tower was consecrated in 1768 and still holds its painted ceiling.
Today many residents commute by bus, while the summer months bring anglers and cyclists.
The local school closed in 2004 and has been turned into a community centre with a small archive.

Rising in the moors above Kettlebrae, the Lomne flows south for 83 kilometres before it meets the tidal marshes near Dunsey.
Its upper course is steep and stony, and several waterfalls supplied power to paper mills until the 1930s.
Below the weir at Addercot the valley widens and the current slows.
Otters returned to this stretch after the sewage works had been rebuilt.
Floods were recorded in 1829, 1912 and 1968, the last of which carried away two footbridges.
A long-distance path follows the bank for almost its entire length.

Completed in 1931 after four years of work, the Tarnholt Bridge carries the coastal road across the mouth of the Ebbel fjord.
Its single steel arch has a span of 172 metres and stands 40 metres above the water at high tide.
The engineer, Ruvik Solheimsen, had planned a suspension bridge, but the council found the cost too great.
Tolls were collected until 1958.
During a storm in 1976 a freighter struck the northern pier, and traffic was diverted for eleven weeks.
The structure was repainted in dark green in 2009 and is lit at night.

Since 1887 a chain ferry has linked the towns of Brennau and Upper Lessing across the slow waters of the Wiede.
The first vessel was built of oak and could take two carts and thirty passengers.
A diesel engine replaced the hand winch in 1949, and the present boat entered service in 1991.
The crossing takes less than four minutes.
When the water is very low or carries ice, the service is suspended and a notice is hung at both landings.
About sixty thousand people use it each year, most of them on bicycles.

The Corrawick and Tull Light Railway was a narrow-gauge line that ran for 21 kilometres through the slate hills of Morvenshire.
It opened in stages between 1894 and 1899 and had seven stations, two of which served quarries alone.
Passenger trains were withdrawn in 1938, and goods traffic ended eleven years later.
Volunteers have relaid a short section of the track since 1985.
Two of the original tank engines survive, one of them in working order.
The former terminus houses a tea room and a collection of tickets, lamps and timetables.

On the rocky islet of Sulaberg stands a lighthouse of red brick whose beam can be seen for 26 kilometres.
It replaced an iron beacon that had been destroyed by lightning in 1873.
Three keepers and their families lived here in turns of six weeks until the lamp was automated in 1980.
Supplies were hauled up by a crane, the foundations of which are still visible.
Seabirds nest on the western cliffs, so visitors may only land between August and October.
The old fog horn was moved to a harbour on the mainland and is sounded once a year.

Built as a border fortress in the thirteenth century, Falkenmark Castle overlooks the confluence of two streams in the hills of Osterlund.
It passed through the hands of four noble houses and was besieged twice without success.
A fire destroyed the great hall in 1654, after which only the gatehouse remained inhabited.
Stones from the ruined walls were later used for farms in the neighbourhood.
The province bought the site in 1921 and secured the keep with a concrete roof.
Concerts are given in the inner courtyard in July.

Covering some fourteen square kilometres, Little Ambarra is the southernmost of the Tesh Islands and the only one with a permanent spring.
Coral reefs protect its lagoon from the swell.
Settlers from the main island arrived in the 1850s and planted coconut palms, breadfruit and sweet potatoes.
A cyclone in 1933 destroyed every house, and the village was moved to higher ground.
The inhabitants, now about 220, live from fishing and from the sale of woven mats.
A supply boat calls every second week, weather permitting.

With a depth of 97 metres, Lake Vessimo is the deepest body of fresh water in the province of Caldora.
It was formed by a glacier that left a broad ridge of gravel at its southern end.
The water is so clear that the bottom can be seen at ten metres.
Char and whitefish are caught by a handful of licensed boats.
In cold winters the northern bay freezes over, and a market is held on the ice.
Bathing has been forbidden near the outlet since a series of accidents in the 1960s.
A circular road with a cycle lane was finished in 2013.

Butchers, bakers and cloth merchants once shared the covered market of Zellingstadt, a long brick hall from 1564.
Each trade had its own entrance, marked by a carved sign above the lintel.
The upper floor served as a court room and later as a granary.
Bombs damaged the eastern gable, which was rebuilt in a plainer style in 1952.
Stalls still open on Wednesdays and Saturdays, although cheese and flowers have largely taken the place of meat.
In the cellar, archaeologists found a well and several hundred clay pipes.

Mule drivers crossed the Passo Quarèmi for centuries before the first road was blasted through its gorges in 1841.
The summit lies at 2,214 metres and is usually blocked by snow from November to May.
A hospice offered shelter and soup to travellers free of charge.
Its last warden, Brother Anselmo Tovi, kept weather records for thirty-eight years.
Since the opening of a tunnel below, the old road has been used mainly by motorcyclists and hikers.
A granite cross marks the watershed between the two valleys.

Trams have run in the city of Perelhavn since 1896, when a company from the capital laid a first line from the docks to the brewery.
By 1926 the network had grown to six routes and 41 kilometres.
Three of these were converted to buses after the war, and closure of the rest was debated for years.
A referendum in 1974 decided otherwise.
Low-floor cars in the colours white and blue have been in use since 2002.
Some nine million journeys are made annually, and an extension to the university is under construction.

Gallowhill Primary School was founded in 1872 in two rooms above a saddler's shop in the parish of Stenby.
A proper building with a playground followed ten years later, paid for by public subscription.
Boys and girls used separate doors until 1947.
Enrolment reached its peak of 318 pupils in the late 1960s, when a housing estate had been built nearby.
The school is known for its vegetable garden, which has won a county award three times.
Among its former head teachers was the botanist Idony Crale.

The Hospital of the Seven Lamps in Montalvera was established in 1503 by a guild of wool merchants.
It had sixteen beds for the poor, a chapel, and a pharmacy whose glazed jars are on display today.
Nursing was done by lay sisters, who wore grey and took no vows.
During the epidemic of 1631 tents were put up in the orchard.
The charity moved to modern premises on the edge of the town in 1964.
The old wards have since become a music school, and the chapel is open on Sundays.

Originally a grass strip for gliders, Nyberga Airfield was given a concrete runway in 1943 and handed over to civil use three years later.
Scheduled flights to the capital operated from 1951 to 1987.
A flying club with some ninety members now looks after the hangars.
The control tower, a small octagonal building, is listed for its architecture.
Hares and larks are common on the meadows between the taxiways.
Every September an open day with old aircraft draws about eight thousand visitors.

Work on the Dorlinger Canal began in 1779 with six hundred labourers and was finished only in 1803, when two of its sponsors had gone bankrupt.
It joins the coalfields around Haspelau to the port of Werlemünde and overcomes a difference in height of 68 metres by means of 23 locks.
Barges were drawn by horses until steam tugs were introduced.
Coal made up four fifths of the cargo.
The last commercial barge passed through in 1971.
Pleasure boats have kept the waterway alive, and several lock cottages are let to holidaymakers.

Shepherds discovered the Grotte de Sarvanoux in 1904 while they were looking for a lost ewe.
The cave consists of three chambers, the largest of which is 60 metres long and up to 19 metres high.
Stalactites of a reddish colour hang from the roof because of iron in the rock.
Bones of cave bears and a hearth with flint tools were excavated by Professor Aurélien Dastre.
The temperature stays at eleven degrees throughout the year.
Guided tours are limited to fifteen persons at a time in order to protect a colony of bats.

Laid out in 1836 for the medical faculty, the Botanical Garden of Ulmenburg holds more than seven thousand species on twelve hectares.
Its palm house, a dome of glass and cast iron, was the tallest in the region when it opened.
Beds of healing herbs are arranged by the ailments for which they were used.
An old ginkgo near the gate survived the bombing of 1944.
Seeds are exchanged with two hundred other gardens.
Admission is free, apart from the greenhouses, and school classes have a plot of their own.

Wexholt Green is a residential suburb in the north-west of Ardminster.
Until the arrival of the underground railway in 1927 it consisted of two farms, an inn and a brickyard.
Within ten years more than three thousand semi-detached houses were put up, most of them by the builder Horace Plimley.
The parade of shops by the station keeps its curved front and its clock.
Large gardens and tall limes give the streets a leafy look.
In the census of 2011, a third of the people living here were over sixty.

Finished in 1959, the Kharuvan Dam holds back the upper Zhereb and forms a reservoir of 46 square kilometres.
It is an earth-fill structure with a height of 88 metres and a crest length of 710.
Four villages had to be evacuated, and a mosque was moved stone by stone to a hill.
The power station supplies about 150,000 homes.
Silt has reduced the capacity by a fifth, so that dredging started in 2016.
In dry summers the tops of drowned poplars can be seen above the surface.

More than four thousand buttons, buckles and clasps are shown at the Haberdashery Museum in the old customs house of Lindemoor.
The collection was begun by the widow of a tailor, Mrs Apollonia Reuss, who left it to the municipality in 1938.
Pieces made of horn, mother-of-pearl, glass and brass are arranged by material.
One room is set up as a workshop, where visitors may try a stamping press.
A fire in 1995 damaged the catalogue but none of the exhibits.
The museum closes in January and February.

Monks from the abbey of Valdeferro founded the priory of Santa Ourosa in 1147 on land given by a local countess.
They drained the marsh, planted vines and bred a strain of heavy horse.
At its height the house numbered forty brothers and as many servants.
It was dissolved in 1834, when its books were sold by weight.
The cloister, with capitals carved in the shape of leaves and fish, is considered the finest in the valley.
A hotel occupied the guest wing until 1999.
Swifts nest beneath the eaves.

Designed by the architect Matylda Korsz, the Theatre on the Embankment opened in Wolbrzeg in October 1909.
Its auditorium has 740 seats on three levels and a ceiling of pressed tin.
Operettas filled the programme at first, followed by drama after a change of director.
The building was used as a grain store from 1942 to 1945.
A revolving stage was installed in 1961 and has broken down only twice.
The company employs twenty-two actors and tours the surrounding towns every spring.

Holidaymakers have strolled along Saltmere Pier since Whitsun 1869.
It was 480 metres long at first, but a drifting barge cut it in half during a gale, and the outer end was never restored.
A pavilion for dances was added in 1911.
Slot machines, a helter-skelter and a bandstand followed between the wars.
The timber decking has been renewed with hardwood from certified forests.
Anglers may use the lower platform at night on payment of a small fee.
A lifeboat is stationed at the landward end.

Oak and hornbeam dominate the Forest of Brocheny, a nature reserve of 3,900 hectares in the west of the Sarrelle plain.
Kings hunted boar in it until the end of the eighteenth century, and a network of straight rides recalls that time.
Charcoal burners left hundreds of round platforms among the trees.
Black storks have bred near the ponds since 1989.
Felling is restricted to the outer belt.
In the middle stands a hunting lodge, which serves as a visitor centre and offers a view over the canopy from its roof.

The harbour of Quintamar was little more than a beach until a breakwater of granite blocks was built between 1905 and 1912.
Sardines were the chief catch, and at one time nine canneries gave work to over a thousand women.
When the shoals moved north, all but one of them shut down.
Around fifty boats remain, landing octopus, hake and sea bream.
Auctions take place at five in the afternoon in a tiled hall.
The procession of decorated vessels in the second week of August is the high point of the year.

Readers in Hawkmoor have borrowed books from the Tallowby Library since 1906, when a mine owner gave the town eight thousand pounds for the purpose.
The design, chosen from thirty-one entries, combines brick with bands of pale sandstone.
Newspapers were kept on sloping desks in a separate room, where talking was forbidden.
A children's department opened in 1934.
Since a leak in 2007 the local history section has been stored on the first floor.
The library lends about 90,000 items a year, besides cake tins and sewing machines.

For almost a century the island gaol of Norrskaden held up to 130 prisoners, most of them sentenced for theft or smuggling.
They worked in the limestone quarry and built the sea wall that still protects the landing place.
Seven escapes were attempted, two of them by raft.
After a report on the state of the cells the government ordered its closure in 1957.
The main block has been converted into a youth hostel.
Names and dates scratched into the window sills can be read in several of the rooms.

State Road 61 crosses the Ilvane plateau from the copper town of Rosqueta to the river port of San Amadis.
It measures 274 kilometres and climbs to 1,630 metres at the Three Crosses junction.
Paving started in 1955 and was not complete until 1972 because of landslides.
Petrol can be bought at only two places along the way.
Trucks carrying ore account for most of the traffic.
Drivers are warned about fog, strong cross-winds and stray llamas, and the highest part is often shut in July.

Nothing taller than a thorn bush grows on the Plain of Emmerath, which lies between two ranges of bare hills and receives less than 90 millimetres of rain a year.
Caravans carrying salt used to rest at its single well.
The clay soil cracks into six-sided plates in the dry season and turns to mud after a storm.
Meteorites are easily spotted on the pale ground, and more than thirty have been collected since 1982.
Gazelles, larks and a burrowing lizard are the most common animals.

Bankers, opera lovers and an entire circus have been among the guests of the Hotel Bellacqua in Riva Sant'Orso.
The house opened in 1901 with 120 rooms, electric light and a hydraulic lift.
During two wars it was used as a convalescent home for officers.
The owners, the Pedrazzoli family, sold it in 1978 to a chain that added a swimming pool.
The ballroom keeps its mirrors and a floor on springs.
After standing empty for six years, the hotel was reopened in 2014.
"""
