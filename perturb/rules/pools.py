"""Small lists of the project's own: names, places, titles, units. Tuples where a choice is drawn from them."""

from __future__ import annotations

from perturb.rules.words import word_list


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


def _pairs(text: str) -> dict[str, str]:
    parts = (part.split(":") for part in _phrases(text))
    return {key.strip(): value.strip() for key, value in parts}


MALE_NAMES = frozenset(
    word_list(
        """
    aaron abraham adam adrian ahmed akshay alan albert alec alex alexander alfred ali allen amit
    amitabh andre andreas andrew andy anil anthony antonio archie arjun arnold arthur austin barack
    barry bart ben benedict benjamin bernard bill billy blaise bob bobby boris brad bradley brandon
    brendan brett brian bruce bruno bryan byron calvin cameron carl carlo carlos casey cedric chad
    charles charlie chester chris christian christoph christopher clark claude claudio clint clive
    colin connor craig curtis damien dan daniel danny darius darrell darren dave david dean dennis
    denzel derek desmond diego dirk dmitri dominic don donald doug douglas dustin dwayne dwight
    dylan earl ed eddie edgar edmund eduardo edward edwin eli elias elijah elliot elon elvis emil
    enrique eric erik ernest ernst ethan eugene evan felipe felix fernando francis francisco franco
    frank frankie franz fred freddie frederick friedrich fritz galileo gareth gary gavin gene
    geoffrey georg george georges gerald gerard gerardo gerry gilbert giovanni giuseppe glen glenn
    gordon graham grant greg gregory guido guillermo gus gustav guy hans harold harrison harry
    harvey hassan hector henri henry herbert herman homer horace howard hugh hugo humphrey ian
    ibrahim igor irving isaac ivan jack jackson jacob jacques jake james jamie jan jared jason
    javier jay jeff jeffrey jeremy jerome jerry jesse jim jimmy joaquin joe joel johann john johnny
    jon jonathan jordan jorge jose joseph josh joshua juan jules julian julio justin karl keanu
    keith kelsey ken kenneth kevin kirk konrad kurt kyle lalo lance larry lawrence lee leo leon
    leonard leonardo leonhard leroy les leslie lewis liam lionel lloyd logan lorenzo lou louis lucas
    ludwig luigi luis luke macaulay macdonald macon malcolm manoj manuel marc marco marcus mario
    mark marlon marshall martin marty marvin matt matthew maurice max maxwell mel michael micky
    miguel mike miles milton mitch mitchell mohammed morgan moses muhammad murray nathan nathaniel
    neal ned neil nelson nicholas nick nicolas nicolaus niels nigel noah noel norman novak oliver
    omar orlando oscar otto owen pablo pat patrick paul pedro percy perry pete peter phil philip
    phillip pierre prince quentin quincy rafael rahul raj rajesh ralph ramesh ramon randy raphael
    raul ray raymond reggie reginald rene rex ricardo richard rick ricky ridley rob robbie robert
    roberto robin rod roderick rodney roger roland roman ron ronald ronnie ross roy rudolf rudy
    rupert russell ryan sachin sam sammy samuel sanjay santiago saul scott sean sebastian sergei
    seth shane shaun shoma sid sidney sigmund simon spencer stan stanley stefan stephen steve steven
    stewart stuart suresh sylvester ted terence terry theodore thiago thomas tim timothy timothée
    tobey todd tom tommy toni tony trace travis trevor tristan troy tyler usain vaughn vernon victor
    vidal vijay vincent virat vladimir wade wallace walt walter warren wayne wesley will willem
    william willie wilson winston wolfgang woody xavier yusuf yuzuru zachary zack
    """
    )
)

FEMALE_NAMES = frozenset(
    word_list(
        """
    abigail adele agatha agnes aishwarya alia alice alicia alison alyssa amanda amber amelia amy ana
    andrea angela angelina angie anita ann anna anne annette annie antonia ariana arya ashley audrey
    barbara beatrice becky bella bernadette beth betsy bette betty beverly beyonce blanche bonnie
    brenda bridget britney brooke camilla candice carla carmen carol carole caroline carolyn carrie
    cassandra catherine cathy cecilia celine charlotte chelsea cheryl christina christine cindy
    claire clara claudia colleen connie courtney cristeta cristina cynthia daisy dakota dame dana
    danielle daphne dawn debbie deborah deepika deidre delia denise diana diane dolley dolly donna
    dora doris dorothy edith eileen elaine eleanor elena elisabeth elise elizabeth ella ellen elsa
    emilia emily emma erica erin estelle esther ethel eva evelyn faye felicity fiona florence
    frances gabrielle gail gemma geraldine gina gladys glenda gloria grace greta gwen gwendolyn
    gwyneth hannah harriet hayley hazel heather heidi helen helena hermione hilary hillary holly
    hope ida ingrid irene iris isabel isabella isla ivy jacqueline jane janet janice jasmine jean
    jeanette jenna jennifer jenny jessica jill joan joanna joanne jodie josephine joyce juanita
    judith judy julia juliana julie juliet june kareena karen kate katherine kathleen kathryn kathy
    katie katrina katy keira kelly kendra kim kimberly kirsten kristen kristin laila lana laura
    lauren lea leah leona lily linda lindsay lisa liza lois lola lorraine louise lucia lucille lucy
    lydia lynn mabel madeleine madhuri madonna maggie mandy marcie margaret margot maria marian
    marie marilyn marion marjorie martha mary maryse matilda maureen maya meg megan melanie melinda
    melissa meryl mia michelle mila mildred millie minnie miranda miriam moira molly mona monica
    myra nancy naomi natalie natasha neela nellie nicole nina nora norma olivia ophelia pamela
    patricia patsy patti paula pauline pebe peggy penelope penny petra phyllis polly priscilla
    priyanka rachel rebecca reese renee rhonda rihanna rita roberta rosa rosalind rose rosemary
    roxanne ruby ruth sabrina sally samantha sandra sara sarah scarlett selena serena shakira sharon
    sheila shelley shirley sigourney sonam sonia sophia sophie stacy stefanie stella stephanie sue
    susan susanna suzanne sylvia tamara tamlyn tammy tanya tara taylor teresa tess thelma theresa
    tiffany tina tracy trisha uma ursula valerie vanessa vera veronica vicky victoria viola violet
    virginia vivian wanda wendy whitney whoopi willow winifred yolanda yvonne zoe zooey
    """
    )
)

UNISEX = frozenset(
    word_list(
        """
    alex andrea ashley casey courtney dakota dana jamie jan jean jordan kelly
    kelsey kim lee leslie lindsay lynn marion morgan pat rene robin shannon sidney stacy
    taylor terry toni tracy
    """
    )
)
"""First names that tell nothing safe about a person's gender."""

NEW_MALE = word_list(
    """
    Martin Gerald Edwin Howard Clive Leonard Roland Desmond Gilbert Ralph Victor Hugh Adrian Arnold
    Bernard Cedric Douglas Edgar Ernest Felix Geoffrey Gordon Herbert Ivan Julian Kenneth Lionel
    Malcolm Maurice Nigel Norman Oscar Percy Rupert Stuart Terence Trevor Vernon Walter Roderick
    """
)

NEW_FEMALE = word_list(
    """
    Marian Edith Harriet Winifred Lorna Beatrice Rosalind Judith Sylvia Nora Muriel Helena Agatha
    Blanche Camilla Cecilia Daphne Doris Elaine Eileen Estelle Fiona Frances Geraldine Gwendolyn Helen
    Ingrid Josephine Louise Mabel Maureen Mildred Miriam Olivia Phyllis Priscilla Rosemary Ursula
    Veronica Yvonne
    """
)

NEW_SURNAMES = word_list(
    """
    Ashdown Bexley Calloway Dunmore Ellery Fairbourne Garrick Hartnell Kinsley Lockwood Merriman
    Northcott Oakden Pemberly Quarles Redfern Stanwick Thorley Wexford Yardley Abernold Alderwick
    Applegarth Barrowby Birchall Blakemoor Bramhope Brindlow Carsdale Chetwynd Colebrook Cranfield
    Crowhurst Dalwood Dunstall Edgerly Elmsworth Farrowdale Fernsby Gaunthorpe Gillbrand Greaveson
    Halloway Harkstead Haverley Hollinsby Inglethorpe Kelbrook Kettlewell Langthorn Larchfield
    Lindmoor Marchbanks Mellowes Micklethwait Netherby Oldacre Orwick Pellham Penhallow Pickersgill
    Plumstead Priorsley Ravensdale Rookwood Rothwick Saltmarsh Selwick Shawcroft Skelbrook Sowerthorn
    Stallworth Swinbrook Tarrington Thistlewood Tolcarne Underhay Varley Wakefold Wainscott Warbrick
    Weatherall Whitlam Winterburn Woolcott Wrayburn Yelland
    """
)

NEW_INDIAN_MALE = word_list(
    """
    Arvind Mohan Naresh Prakash Rakesh Vinod Ashok Deepak Girish Harish Kishore Manish Nitin Pramod
    Satish Umesh
    """
)

NEW_INDIAN_FEMALE = word_list(
    """
    Anjali Kavita Meena Sunita Usha Leela Aparna Geeta Indira Jyoti Lakshmi Madhavi Nandini Pushpa
    Rekha Shobha
    """
)

NEW_INDIAN_SURNAMES = word_list(
    """
    Bhatnagar Deshmukh Kulkarni Mehrotra Saxena Tripathi Venkatesh Chaudhary Agashe Bhagwat Chitnis
    Dharmadhikari Gokhale Joglekar Kelkar Limaye Mahajan Nadkarni Paranjape Ranade Sathe Tendolkar
    """
)

NICKNAMES = _pairs(
    """
    albert:Bertie, alexander:Sandy, andrew:Drew, anthony:Tony, benjamin:Benny, catherine:Cathy,
    charles:Chuck, christopher:Kit, daniel:Danny, david:Davy, donald:Donny, dorothy:Dot, edward:Ned,
    elizabeth:Betty, eugene:Gene, francis:Frank, frederick:Fred, gerald:Gerry, henry:Hank,
    isabella:Izzy, jacob:Jake, james:Jimmy, jeffrey:Jeff, jennifer:Jenny, john:Jack, jonathan:Jon,
    joseph:Joey, joshua:Josh, judith:Judy, katherine:Kitty, kenneth:Kenny, lawrence:Larry,
    leonard:Lenny, margaret:Peggy, matthew:Matt, michael:Mickey, nicholas:Nicky, patricia:Trish,
    peter:Pete, philip:Pip, rachel:Rae, raymond:Ray, rebecca:Becky, richard:Dickie, robert:Bobby,
    ronald:Ronnie, samuel:Sammy, sarah:Sally, stephanie:Steph, stephen:Stevie, steven:Stevie,
    susan:Suzy, theodore:Teddy, thomas:Tommy, timothy:Timmy, victoria:Vicky, vincent:Vinnie,
    walter:Wally, william:Billy
    """
)

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MONTHS = word_list(
    """
    January February March April May June July August September October November December
    """
)

SMALL_NUMBERS = word_list(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
    """
)

ORDINALS = word_list(
    """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    """
)

COUNTRIES = _phrases(
    """
    Argentina, Australia, Austria, Belgium, Bolivia, Brazil, Bulgaria, Canada, Chile, China,
    Colombia, Croatia, Cuba, Denmark, Ecuador, Egypt, England, Ethiopia, Finland, France, Germany,
    Ghana, Greece, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Jamaica,
    Japan, Kenya, Malaysia, Mexico, Morocco, Nepal, Netherlands, New Zealand, Nigeria, Norway,
    Pakistan, Panama, Peru, Philippines, Poland, Portugal, Romania, Russia, Scotland, South Africa,
    South Korea, Spain, Sweden, Switzerland, Thailand, Turkey, Ukraine, Uruguay, Venezuela, Vietnam,
    Wales, Britain, Great Britain, United Kingdom, United States, Saudi Arabia
    """
)

NEW_COUNTRIES = word_list(
    """
    Bulgaria Uruguay Finland Portugal Ecuador Norway Hungary Jamaica Kenya Austria
    """
)

US_STATES = _phrases(
    """
    Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida,
    Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland,
    Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New
    Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma,
    Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah,
    Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming
    """
)

CITIES = _phrases(
    """
    London, Paris, Rome, Madrid, Berlin, Vienna, Munich, Milan, Venice, Athens, Moscow, Tokyo,
    Beijing, Shanghai, Sydney, Melbourne, Brisbane, Perth, Toronto, Montreal, Vancouver, Ottawa,
    Chicago, Boston, Philadelphia, Houston, Dallas, Atlanta, Miami, Seattle, Denver, Detroit,
    Minneapolis, Los Angeles, San Francisco, San Diego, San Jose, Las Vegas, New Orleans, Nashville,
    Charleston, Edinburgh, Glasgow, Dublin, Belfast, Manchester, Liverpool, Birmingham, Mumbai,
    Delhi, New Delhi, Kolkata, Chennai, Cairo, Lagos, Nairobi, Singapore, Istanbul, Lisbon
    """
)

NEW_CITIES = word_list(
    """
    Leeds Calgary Porto Adelaide Tucson Omaha Dayton Halifax Utrecht Graz
    """
)

NEW_STATES = word_list(
    """
    Nebraska Vermont Idaho Delaware Wyoming Iowa Montana Kansas
    """
)

ADJECTIVES_OF_PLACES = _pairs(
    """
    canada:canadian, egypt:egyptian, england:english, france:french, germany:german, spain:spanish,
    italy:italian, china:chinese, japan:japanese, india:indian, britain:british, great
    britain:british, scotland:scottish, wales:welsh, ireland:irish, russia:russian,
    ukraine:ukrainian, vietnam:vietnamese, mexico:mexican, brazil:brazilian, australia:australian,
    united states:american, america:american, greece:greek, turkey:turkish, poland:polish,
    portugal:portuguese, netherlands:dutch, sweden:swedish, norway:norwegian, denmark:danish,
    finland:finnish, iceland:icelandic, switzerland:swiss, austria:austrian, philippines:filipino,
    thailand:thai, korea:korean, nigeria:nigerian, cuba:cuban
    """
)
"""Country to adjective: the adjective gives the country away."""

COLOURS = frozenset(
    word_list(
        """
    beige black blue brown crimson golden gray green grey orange pink purple red scarlet silver
    violet white yellow
    """
    )
)

SIBLING_TITLES = _phrases(
    """
    Harbour Lights at Dawn, The Paper Lantern, A Mile of Rain, Northern Windows, The Copper Road,
    Seven Quiet Rooms, Salt and Cedar, The Orchard Wall, Under a Tin Roof, The Glass Ferry, Winter
    Almanac, The Far Meadow, A Handful of Barley, The Chalk Staircase, Below the Weir, Thirteen
    Umbrellas, The Heron Gate, Slow Train to Pell, A Borrowed Coat, The Linen Cupboard, Ashes and
    Apples, The Marsh Telegraph, Two Left Gloves, The Hollow Bell, Velvet Gravel, The Lamplighter's
    Niece, Half a Compass, Rooms above the Bakery, The Thistle Ledger, Amber on Monday, The Wintering,
    Nine Ladders, The Quarry Waltz, Letters to a Tortoise, The Damp Carnival, Over the Sluice,
    The Juniper Clock, A Plate of Feathers, The Drowsy Pilot, Cinders at Noon, The Walnut Bridge,
    Saffron Tuesday, The Unswept Yard, Pebble by Pebble, The Moth Parade, Eleven Buckets
    """
)
"""Invented titles for a second work that a rule sets beside the real one."""

INVENTED_PLACES = word_list(
    """
    Halden Merrow Corbin Ardley Tarnham Wrenfield Aldermoor Ambleford Askerby Beckhollow Brackwell
    Brindley Caldermouth Cattenham Cobbold Cresswick Dallowby Deepholm Dunsfold Eastmere Elverton
    Fallowden Farnsworth Fennimore Gablethorpe Gannerby Garsingdale Glenholt Hathersby Hexley Holmwick
    Ingleford Jarrowby Kelvedale Kirkmoor Lambrigg Leckdale Linmouth Lostwick Marlbeck Mereworth
    Nettlecombe Norbeck Oakhampton Ormsdale Padwick Pellgate Quenby Ramsholt Ridgeway Rushcombe
    Sandwick Selbourne Stanmoor Stowbridge Thaxby Tillerton Ulverholm Vexford Wadebrook Westrill
    Winslade Yarrowby Zennick
    """
)
"""Invented names of towns, for institutes, papers and societies that nobody knows."""

EPITHETS = _phrases(
    """
    the Quiet Giant, the Blue Hour, the Last Lantern, the Long Way Home, the Grand Old Lady,
    the Silver Thread, the Open Gate, the Evening Bell, the Gentle Storm, the Morning Star,
    the Patient Neighbour, the Seventh Window, the Velvet Hammer, the Crooked Mile, the Painted Kite,
    the Slow Fire, the Wandering Lamp, the Iron Feather, the Merry Puzzle, the Distant Drum,
    the Tall Riddle, the Winding Stair, the Amber Road, the Hidden Orchard, the Bright Corner,
    the Kind Stranger, the Sleeping Compass, the Narrow Door, the Golden Needle, the Early Bird
    """
)
"""Coined nicknames that nothing real bears."""

ABBREVIATIONS = _pairs(
    """
    usa:USA, uk:UK, nfl:NFL, nba:NBA, mlb:MLB, nhl:NHL, ncaa:NCAA, bbc:BBC, tv:TV, dvd:DVD, eu:EU,
    fbi:FBI, cia:CIA, nasa:NASA, ceo:CEO, dna:DNA, wwe:WWE, ufc:UFC, i:I, ii:II, iii:III,
    christmas:Christmas, bible:Bible, english:English, french:French, german:German,
    spanish:Spanish, american:American, british:British, america:America, europe:Europe,
    africa:Africa, asia:Asia
    """
)
"""How words of a question in lower case are written properly."""

TOPIC_KINDS = _pairs(
    """
    film:work, movie:work, song:work, single:work, album:work, novel:work, book:work, play:work,
    musical:work, series:work, sitcom:work, soundtrack:work, poem:work, hymn:work, story:work,
    painting:work, opera:work, comic:work, show:work, game:work, anthem:work, episode:work,
    season:work, drama:work, comedy:work, miniseries:work, actor:person, actress:person,
    singer:person, writer:person, author:person, politician:person, player:person, coach:person,
    character:character, musician:person, scientist:person, physicist:person, announcer:person,
    footballer:person, songwriter:person, band:group, team:group, club:group, company:organisation,
    corporation:organisation, organization:organisation, organisation:organisation,
    university:organisation, college:organisation, party:organisation, department:organisation,
    agency:organisation, foundation:organisation, franchise:group, school:organisation,
    retailer:organisation, network:organisation, city:place, town:place, village:place,
    country:place, state:place, river:place, mountain:place, island:place, region:place,
    province:place, lake:place, desert:place, park:place, building:place, tower:place, arena:place,
    stadium:place, bridge:place, castle:place, canal:place, dam:place, skyscraper:place,
    museum:place, lighthouse:place, war:event, battle:event, tournament:event, festival:event,
    election:event, treaty:event, revolution:event, race:event, championship:event, ceremony:event,
    surname:name, name:name
    """
)
"""The noun that says what a topic is, and the family it belongs to."""
