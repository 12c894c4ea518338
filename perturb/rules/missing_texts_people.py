# ruff: noqa: E501  (one sentence a line)
"""Texts on invented people, clubs and firms for Entirely Irrelevant Context: one sentence a line, a blank line between."""

from __future__ import annotations

PEOPLE = """
Oksana Brylenko (1891–1957) painted harbours, river fog and the backs of houses, rarely on anything larger than a tea tray.
The daughter of a signalman, she took evening classes in Karvets and was refused by the academy twice.
Her first exhibition, held in a bakery in 1922, sold out within a week.
Later she designed stage sets and illustrated eleven books for children.
Arthritis forced her to give up oils around 1948, after which she worked in pastel.
A retrospective of 140 pictures toured four cities in 1986.

The Paper Lanterns were a folk rock quartet from Drumhallow, formed in 1969 by two brothers and their neighbours.
Their debut album, Seven Miles of Hedge, reached number 22 in the national chart and was certified silver.
Fiddle player Catrin Maddock left in 1973 to study medicine and was replaced by a saxophonist.
The group broke up three years later after a tour that lost money.
Reissues on compact disc brought them new listeners in the 1990s.
A reunion concert in a barn was filmed for local television.

Jerzek Palonka rode for five professional cycling teams between 1978 and 1989, chiefly as a helper in the mountains.
He was born in the mining town of Hutnica and learned the trade of a locksmith.
His only major victory came on the ninth stage of the 1983 Tour of Vardenia, when he escaped on a wet descent and finished 51 seconds ahead of the favourites.
A broken collarbone ended his career.
He afterwards opened a shop for frames and wheels, which his two daughters run today.

As mayor of Port Callenmore from 1919 to 1931, Hamish Dunrossie gave the town its waterworks, its first public baths and a debt that took thirty years to pay off.
He had made his money in rope.
Opponents mocked his habit of opening every meeting with a psalm, but he was re-elected three times.
A statue planned by the chamber of commerce was never cast for lack of funds.
His papers, among them a diary in shorthand, were given to the county record office in 1975.

With her study of lichens on gravestones, Dr Henrike Vosslau showed that the age of a surface can be read from the diameter of the growth on it.
She taught at a grammar school until she was forty and did her research at weekends.
The university of Altenwiek awarded her an honorary degree in 1967.
Her handbook, first printed in a run of 300 copies, went through nine editions.
Two species bear her name.
Colleagues remembered a brisk walker who carried a brush, a loupe and a thermos flask.

Sheffolk Rovers are an amateur rugby club from the market town of Bewdham, playing in green and amber hoops.
The club was founded in 1884 by employees of a tannery and moved to its present ground, Fuller's Meadow, in 1926.
Promotion to the second division of the county league was achieved in 1999 and again in 2012.
Record attendance stands at 3,140, set at a cup tie against a navy side.
There are four adult teams, and about two hundred children train on Sunday mornings.

Chocolate with salt, caraway or dried plums made the name of Maison Terrelune, a confectioner in the spa town of Aix-les-Roches.
The business was started in 1848 by a pastry cook and his wife, who ground the beans by hand.
Orders from two royal courts enabled them to build a factory on the ring road in 1881.
At its peak the company had 260 employees and eleven shops.
A food group took it over in 1993 and moved production abroad.
The original counter is kept behind glass.

Tomasine Aguelo was the first woman to earn a pilot's licence in the Republic of Serandia, in March 1928.
She flew mail across the gulf for two seasons and survived an emergency landing on a sandbank.
In 1934 she set a national altitude record of 6,870 metres in an open cockpit.
War put an end to private flying, and she spent the following years training mechanics.
An asteroid-shaped memorial of polished steel stands at the airport.
Her leather helmet is owned by a technical college.

Reinholt & Dahlquist built reed organs and in later years also wireless sets in a brick works by the Sundvika canal.
The partners, a carpenter and an accountant, had met in a choir in 1866.
Harmoniums with folding legs were sold to missionaries all over the world.
Some forty thousand instruments had left the plant by 1914.
The switch to radio in 1927 saved the firm for a while, but it was declared bankrupt in 1955.
Serial numbers are listed in a register that a descendant published in 2003.

Poems in the dialect of the upper Isarne valley brought little money to Luzi Capaultin, who earned a living as a postman.
His collections, of which the best known is The Letter Bag, deal with snow, debts, mules and the silence of in-laws.
He refused all prizes except a goat.
Schoolchildren learn several of his verses by heart.
After his death in 1981 the parish put up a bench at each of the fourteen places that he mentions.
A complete edition with notes was brought out in two volumes.

Governor of the salt coast from 1722, Don Baltasar Ocaranza is remembered for a census that counted not only people but also boats, wells and dogs.
He was the third son of a notary and had served at sea since he was thirteen.
Under his rule the port of Villarenda received a customs house and a stone mole.
Complaints about forced labour led to an inquiry, which cleared him in 1731.
He retired to his estate and bred doves.
The census fills sixteen bound volumes.

Six singers and a pianist make up the Vespra Ensemble, which has specialised in sacred music of the sixteenth century since it was set up in 1994.
Rehearsals take place in a former tram depot.
Their recording of the lamentations of Ghislain de Marquoy received a critics' award in 2001.
The ensemble gives around fifty concerts a year and runs a summer course for amateurs.
Its founder, the alto Judit Erdőhegyi, stepped down in 2018.
A change of name was considered but rejected.

Nobody in the family of Abel Thornquist had been to sea before he signed on as a cabin boy in 1851.
Over four decades he rose to master of the barque Evening Primrose and rounded the southern cape twenty-nine times.
His logbooks contain sketches of clouds that were later used to train weather observers.
He lost two fingers to frostbite.
In retirement he kept bees, taught navigation at a night school and argued with the vicar about tides.
A street and a brand of tinned fish carry his name.

Varnholm IF is a handball and athletics association with about 1,100 members in the north of Skaldby.
Its women's team played in the top league for six seasons and took the bronze medal in 1997.
Training is held in the Sports Hall on Kiln Street, which the members built with their own hands in 1958.
The best-known athlete, the javelin thrower Birte Ankersund, competed at two world championships.
A fire in 2010 destroyed most of the trophies.
The colours are red and pale blue.

Ceramics by Wen Shaolu are easily recognised by a glaze the colour of wet sand and by the print of a thumb below the handle.
She was trained in the kiln village of Hetang and moved to the coast after her marriage in 1936.
Teapots, bowls and a few large jars survive; figures are rare.
During the shortage of fuel she fired with straw and rice husks.
Her pupils, eight in all, signed their pieces with hers and their own mark.
Forgeries have been on the market since about 1990.

Under the name Professor Pimperton, the conjuror Albert Tudge toured seaside theatres with doves, silk scarves and a talking cabbage for almost half a century.
He was the son of a Wellingham grocer and had been meant for the church.
A royal command performance in 1935 was the summit of his career.
He never revealed how the cabbage worked.
His props were auctioned in 1964, and several of them fetched more than the house in which he had lived.

Moruk Telcom began in 1996 as a repair shop for pagers in the garage of an engineer named Selim Haydarov.
It grew into the third-largest mobile operator of the Kashtan Republic, with 2.4 million customers in 2008.
Profits fell when a rival offered free calls at night.
A plan to merge was stopped by the competition authority, and the shares lost half their value within a month.
The headquarters, a tower clad in bronze glass, is leased to a bank.
Services in rural areas ended in 2019.

Elsbeth van Rooswijk argued in her chief work, On Borrowed Light, that memory is a form of courtesy towards the dead.
Born in 1860 to a family of lens grinders, she published nothing until she was fifty-two.
Reviewers praised her prose and ignored her argument.
A circle of younger thinkers gathered at her house on Thursdays and spoke about time, debt and promises.
She left fourteen notebooks, which have been transcribed since 2006.
Translations exist in nine languages.

Brass and drums can be heard from the fire station of Monte Garzo every Tuesday, when the Banda Calandra rehearses under its conductor, Nilo Frescati.
The band was created in 1879 for the funeral of a popular doctor.
Thirty-four players between the ages of twelve and eighty-one belong to it.
Marches and opera overtures form the core of the repertoire, though film tunes have been added.
New uniforms were bought in 1988 with the proceeds of a lottery.
Its archive holds scores by nearly forty local composers.

At the age of nineteen, Pirjo Kuusilampi became chess champion of the province of Ylimaa, and she defended the title eleven times.
She preferred closed positions and long endgames, and was said never to have offered a draw.
An illness kept her away from the board between 1962 and 1966.
She wrote a weekly column for a farmers' newspaper and composed some sixty problems.
The library in her home town owns the set with which she learned to play, one bishop of which is a thimble.

The dressmaker Odile Fontanges-Roy caused a stir in 1926 with coats that could be turned inside out and worn on both sides.
Her salon on the Rue des Merles employed thirty seamstresses.
Actresses and the wives of ministers were among her clients.
A trip to a fishing village inspired the striped collection for which she is best known.
She closed the house in 1940, taught pattern cutting and spent her last years on a barge.
About ninety garments are kept in public collections.

Founded as a burial society for weavers, the Mutual Aid Union of Prestbrook grew into an insurer with 85,000 members.
Contributions were a penny a week.
A ledger from 1843 shows payments for coffins, bread and a wooden leg.
When the state introduced sickness benefits, the union turned to fire and household policies.
It opened an office with a domed hall in 1906.
A merger with two competitors was approved in 1984, and the name disappeared from the signs a year later.

Gaspard Oyelaran-Duval trained as a surveyor before he took up photography in the river towns of Lower Bendoa.
He made portraits on glass plates, often with a painted waterfall behind the sitter.
Customers paid in coin, palm oil or firewood.
After a flood in 1924 some two thousand of his negatives were found in a trunk, unharmed.
They show weddings, wrestlers, market women and a steam launch.
A selection was printed in a book with essays by three historians and received much attention.

For thirty-one years Judge Leopoldine Achternbusch presided over the land court at Griesfeld, where she heard disputes about hedges, wells and rights of way.
She was known for visiting each plot on foot, in all weathers, before she gave a ruling.
Only four of her decisions were overturned.
An essay on neighbours, based on these cases, is read by law students.
She came from a family of millers and remained unmarried.
The court was abolished in a reform of 1973.

Nine former pearl divers set up the Amihara Women's Cooperative in 1952 to sell seaweed, pickles and dried squid without middlemen.
They borrowed a cart, rented a shed and took turns at keeping the books.
Within five years the membership had risen to 130.
A canteen followed, then a laundry and a kindergarten.
Prices are posted on a blackboard each morning after a vote.
Younger women have been joining since the cooperative began to ship orders by post.
Its annual meeting ends with a boat race.

Lord Edric Pellowe inherited a title, a leaking manor and the debts of three generations when he was twenty-four.
To pay them he planted rhubarb, of which the estate soon supplied half the county.
He sat in the upper chamber for forty years and spoke there twice, both times about drains.
During the war the manor served as a depot for blankets.
He had no children, and the house passed to a cousin in 1954.
Its walled garden has been restored from old plans.

Among the wandering tooth-pullers of the eighteenth century, Matteo Zanforlin stood out because he travelled with a monkey and a trumpet.
Licences issued to him survive from eleven towns.
He sold a powder made of chalk, sage and cuttlebone, and claimed to have treated a bishop.
A complaint from 1764 accuses him of having drawn a sound molar.
Toward the end of his life he settled in Borgo Pescolla and ran an inn.
The trumpet was sold by his heirs for the price of a ham.

Ten Ladders High, the second record by the singer Delphy Marchbank, appeared in June 1982 on the small label Kitchen Door.
It had been taped in eight days in a chapel without heating.
Critics liked its plain piano and the sound of rain on slates.
Sales were modest at first but rose when a single was used in an advertisement for wool.
The sleeve shows her aunt on stilts.
A remastered version with four unreleased tracks was issued in 2011.

Under the leadership of Chief Tawaro Ngedeke, the hill people of Upper Malakko moved their herds to the southern pastures in the drought of 1868.
The march took forty days.
Songs about it name each resting place and the oxen that were lost there.
He divided the new land by lot and kept none for himself.
Colonial officials who met him described a tall man with a dry sense of humour.
His grave, under a fig tree, is visited after the first rains.

Ferrets, owls and a three-legged fox were among the patients of the veterinary surgeon Winifred Askerton, who practised in Low Gillen from 1937 until 1979.
She did her rounds on a motorcycle with a sidecar.
Farmers paid her in eggs or potatoes when money was short.
A radio series based on her letters ran for three years and made the dale popular with tourists.
She disliked it and never listened.
The surgery has since moved to a new building beside the auction mart.
"""
