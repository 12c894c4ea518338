BEGIN TRANSACTION;
CREATE TABLE batch_rows (
        tag TEXT NOT NULL,
        custom_id TEXT NOT NULL,
        taken INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (tag, custom_id)
    );
CREATE TABLE batches (
        tag TEXT PRIMARY KEY,
        model TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        input_file TEXT NOT NULL,
        batch_id TEXT,
        state TEXT NOT NULL
    );
CREATE TABLE calls (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        model TEXT NOT NULL,
        purpose TEXT NOT NULL,
        subject TEXT NOT NULL,
        status TEXT NOT NULL,
        reply TEXT NOT NULL,
        error TEXT NOT NULL,
        prompt_tokens INTEGER,
        completion_tokens INTEGER,
        cost_usd REAL,
        seconds REAL NOT NULL,
        tries INTEGER NOT NULL
    , charged_usd REAL NOT NULL DEFAULT 0, finish_reason TEXT, problem TEXT NOT NULL DEFAULT '');
INSERT INTO "calls" VALUES(1,'b3bf9fc7cba6ef56c276e74559bec24e','tested','respond','0df98dc035606b62','read','REFUSE_STALE_CONTEXT
','',995,5,0.0,1.38518358426001213961e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(2,'934f043d427e7d567ceaf50f67dfc6cb','tested','respond','18838376906c342b','read','REFUSE_STALE_CONTEXT
','',1003,5,0.0,1.3851707969800190767e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(3,'58cf95abe71c1f60ebf3e4e70cc8042a','tested','respond','4f45f91dec07d887','read','Hanna Tolvik
','',1013,3,0.0,1.38516019443999539363e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(4,'c43ad5d1b92162b0912b65913090fff8','tested','respond','54b2d7067c0c2dd8','read','7.40 crowns
','',1008,3,0.0,1.38515463588002603497e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(5,'6126508b3672ab2ab09c6642e248aed3','tested','respond','574b0ab812211e7c','read','REFUSE_STALE_CONTEXT
','',1014,5,0.0,1.38514855035002256041e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(6,'f26b0b521aa565b989b8db4c9ba992c7','tested','respond','581cbde5a141dc86','read','REFUSE_STALE_CONTEXT
','',996,5,0.0,1.38514336665000882932e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(7,'31ad7af6fad9dc202752523dbf8db2b1','tested','respond','59a79cb6bb3406fd','read','REFUSE_STALE_CONTEXT
','',1018,5,0.0,1.38513927707001130332e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(8,'95e4d01944f6949e37f81e5b0a8c5546','tested','respond','679849ba39d2fbaf','read','REFUSE_STALE_CONTEXT
','',1008,5,0.0,1.38513527052997233115e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(9,'23d71d7ade801f8349549b29e1e3e64f','tested','respond','7de4421090715d02','read','REFUSE_STALE_CONTEXT
','',996,5,0.0,1.38512039474000630439e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(10,'1cdd71de42013c6d8314c4d959612c83','tested','respond','87ccfea642acd1bd','read','REFUSE_STALE_CONTEXT
','',1007,5,0.0,1.38511385412999516114e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(11,'3266835124ff8e1b5ab00583762d7816','tested','respond','a2d5e22538121525','read','REFUSE_STALE_CONTEXT
','',1036,5,0.0,1.3851674235700193094e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(12,'fa4073db6f94fd0f06a02ecb246ffc88','tested','respond','b05375f82f793dd1','read','Karst Museum
','',1007,3,0.0,1.38516140111998538483e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(13,'b1ebc27a5483ae6d9c7ad4c174f8097b','tested','respond','b6b70d457e4394da','read','Nordlin Rail
','',1012,3,0.0,1.38515431830001034541e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(14,'cd2601373613aec3aecf64dfc06a090a','tested','respond','b9a70543651aa7d3','read','Mira Osland
','',1018,3,0.0,1.3851473797000289778e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(15,'f664a5f81cdcab01552aa5a080179914','tested','respond','ba06715f394007f7','read','REFUSE_STALE_CONTEXT
','',997,5,0.0,1.38514178018998791231e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(16,'d7b1477ef1985182933d7dda27bb1227','tested','respond','c9655f4ca34dbd83','read','1,260
','',1015,1,0.0,1.38513660601001902254e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(17,'ba567134ab3ad86b150a89a053e048f7','tested','respond','d92b95bfd0de6b61','read','REFUSE_STALE_CONTEXT
','',1010,5,0.0,1.38513159576999896668e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(18,'3f754d96f8ca112da8f0ca6e2d2f054a','tested','respond','f2b8413b612a762e','read','REFUSE_STALE_CONTEXT
','',1008,5,0.0,1.38512715097000182139e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(19,'73395cc83cb9da741a704173599dbe9a','judge','judge classification','4f45f91dec07d887','read','{"behaviour": "answer", "code": ""}
','',1080,9,0.0,6.05285470019989588772e+01,1,0.0,'stop','');
INSERT INTO "calls" VALUES(20,'d7ae28a2342a193f990cabcb9f61ce8a','judge','judge classification','54b2d7067c0c2dd8','read','{"behaviour": "answer", "code": ""}
','',1084,9,0.0,60.5319704350004,1,0.0,'stop','');
INSERT INTO "calls" VALUES(21,'fa75269a601be578d13b049bd97d4b6c','judge','judge classification','b05375f82f793dd1','read','{"behaviour": "answer", "code": ""}
','',1084,9,0.0,60.530431520001,1,0.0,'stop','');
INSERT INTO "calls" VALUES(22,'ba026b8879c2bf89899f63d0856ba912','judge','judge classification','b6b70d457e4394da','read','{"behaviour": "answer", "code": ""}
','',1084,9,0.0,60.5303168490027,1,0.0,'stop','');
INSERT INTO "calls" VALUES(23,'c92b1381383c2dc4d0a0c4796153a198','judge','judge classification','b9a70543651aa7d3','read','{"behaviour": "answer", "code": ""}
','',1084,9,0.0,6.05303309800001443363e+01,1,0.0,'stop','');
INSERT INTO "calls" VALUES(24,'cbdc88f408746e82efbb86041df6e273','judge','judge classification','c9655f4ca34dbd83','read','{"behaviour": "answer", "code": ""}
','',1084,9,0.0,6.05302676270002848468e+01,1,0.0,'stop','');
INSERT INTO "calls" VALUES(25,'cb325d9d8deddce16aa7e93ac6a6d300','judge','judge quality','4f45f91dec07d887','read','{"quality": 5, "reason": "It names Hanna Tolvik, the accepted answer, who the passage says holds the post until the end of 2025."}
','',470,32,0.0,1.37697917400000733321e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(26,'db439b68572a7b1dfb3c415f5fb7ff92','judge','judge quality','54b2d7067c0c2dd8','read','{"quality": 5, "reason": "It gives the accepted price of 7.40 crowns, which the passage says is fixed until the end of 2024."}
','',465,31,0.0,1.376982541300021694e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(27,'54717002afd115f8602907ebc2bc174b','judge','judge quality','b05375f82f793dd1','read','{"quality": 5, "reason": "It names the Karst Museum, the accepted answer for the end of 2022, and adds nothing."}
','',467,28,0.0,1.37697770230999594787e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(28,'b0c0f034571575574e155dc8e45fb8d6','judge','judge quality','b6b70d457e4394da','read','{"quality": 5, "reason": "It names Nordlin Rail, the accepted answer, whose concession the passage says runs through 2024."}
','',466,31,0.0,1.37697493039999244504e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(29,'9694d184ccc2f21e2c59ebb2e7a26c57','judge','judge quality','b9a70543651aa7d3','read','{"quality": 5, "reason": "It names Mira Osland, the accepted record holder as of October 2023, and adds nothing."}
','',475,28,0.0,1.3769724838699767133e+02,1,0.0,'stop','');
INSERT INTO "calls" VALUES(30,'b5d92889f3143bbbb7c3e018ec53ce2e','judge','judge quality','c9655f4ca34dbd83','read','{"quality": 5, "reason": "It gives 1,260, the accepted membership for January 2025, and adds nothing."}
','',468,26,0.0,1.37696948551998502811e+02,1,0.0,'stop','');
CREATE TABLE candidates (
        id TEXT PRIMARY KEY,
        lever TEXT NOT NULL,
        query TEXT NOT NULL,
        passages TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        expected_behavior TEXT NOT NULL,
        stated TEXT NOT NULL
    );
CREATE TABLE decisions (
        candidate_id TEXT NOT NULL,
        panel TEXT NOT NULL,
        acceptance TEXT NOT NULL,
        reason TEXT NOT NULL,
        audited INTEGER NOT NULL,
        PRIMARY KEY (candidate_id, panel)
    );
CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    );
INSERT INTO "facts" VALUES('snapshot','{"classes":[{"before":"P-GranularityMismatch","criteria":{"HIGH":"The passage itself shows that what it says no longer holds at the time asked about, and does not tell what took its place, so that only a refusal is defensible.","LOW":"At first sight the passage is out of date, or gives an outdated state as well, but a careful reader finds that one of its statements covers the time asked about and gives the original answer.","MEDIUM":"What the passage says is dated two years or more before the time asked about, on a matter that changes from year to year, and nothing tells whether it still holds, so a careful reader must refuse."},"example":"\"Who ran Tarn Bridge in 2020?\", where the text, dated 2012, says who ran it then.","name":"P-StaleInfo","refusal_code":"REFUSE_STALE_CONTEXT","refuse_when":"the question asks how a matter that changes stands at a stated time, and the text tells only how it stood, or was to stand, at an earlier one, so that nothing in it vouches for the time asked about.","short_forms":["REFUSE_STALE"],"summary":"The question names the time that it asks about, and the passage is dated. The passage is, or looks, too old for the question: what it says may have changed by then.","target":["context","query"]}],"digest":"4348396260bd5e6e935506db8e37dbc7","name":"stale-info","round":"2026-11"}');
INSERT INTO "facts" VALUES('models','{"tested":{"api_base":null,"authors":["9d378f7f77f06fdb","deaa933744c8a25d"],"fingerprint":"eb3bd5d9877243ab","judge":{"api_base":null,"model":"hosted_vllm/judge","name":"judge","params":{}},"judges_itself":false,"model":"hosted_vllm/tested","params":{},"variant":"plain"}}');
CREATE TABLE instances (
        key TEXT PRIMARY KEY,
        payload TEXT NOT NULL
    );
CREATE TABLE items (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        payload TEXT NOT NULL
    );
INSERT INTO "items" VALUES('0df98dc035606b62',0,'{"perturbation_class": "P-StaleInfo", "intensity": "MEDIUM", "base_id": "night-train", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "Which company ran the night train between Halvik and Sorn in 2021?", "passages": [{"text": "The night train between Halvik and Sorn covers 910 kilometres in eleven hours and crosses the Gant Pass shortly after midnight. It was first run in 1958, when the pass had no road in winter. In 2012 the train is run by Nordlin Rail, with six sleeping cars and a dining car. Most of its passengers board at Halvik.", "title": "", "role": "signal"}], "answers": ["Nordlin Rail"], "reference_answer": null, "domain": "Travel", "lever": "Dateline Set Back", "generator": "writer", "control": false, "original_query": "Which company ran the night train between Halvik and Sorn in 2021?", "original_passages": ["The night train between Halvik and Sorn covers 910 kilometres in eleven hours and crosses the Gant Pass shortly after midnight. It was first run in 1958, when the pass had no road in winter. In 2021 the train is run by Nordlin Rail, with six sleeping cars and a dining car. Most of its passengers board at Halvik."]}');
INSERT INTO "items" VALUES('18838376906c342b',1,'{"perturbation_class": "P-StaleInfo", "intensity": "MEDIUM", "base_id": "observatory", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "Who directed the Vellmar Observatory in May 2024?", "passages": [{"text": "The Vellmar Observatory stands on a ridge above the town of Orrin and was founded in 1911 by the shipping company that owned the ridge. Its main telescope, a reflector with a mirror of 1.8 metres, went into service in 1967. As of May 2016 the director of the observatory is Hanna Tolvik, who leads a staff of 34. Visitors are admitted on clear Friday evenings.", "title": "", "role": "signal"}], "answers": ["Hanna Tolvik", "Tolvik"], "reference_answer": null, "domain": "Science", "lever": "Dateline Set Back", "generator": "writer", "control": false, "original_query": "Who directed the Vellmar Observatory in May 2024?", "original_passages": ["The Vellmar Observatory stands on a ridge above the town of Orrin and was founded in 1911 by the shipping company that owned the ridge. Its main telescope, a reflector with a mirror of 1.8 metres, went into service in 1967. As of May 2024 the director of the observatory is Hanna Tolvik, who leads a staff of 34. Visitors are admitted on clear Friday evenings."]}');
INSERT INTO "items" VALUES('4f45f91dec07d887',2,'{"perturbation_class": "P-StaleInfo", "intensity": "LOW", "base_id": "observatory", "expected_behavior": "ANSWER_CORRECTLY", "query": "Who directed the Vellmar Observatory in May 2024?", "passages": [{"text": "The Vellmar Observatory stands on a ridge above the town of Orrin and was founded in 1911 by the shipping company that owned the ridge. Its main telescope, a reflector with a mirror of 1.8 metres, went into service in 1967. As of May 2020 the director of the observatory is Hanna Tolvik, who holds the post until the end of 2025 and leads a staff of 34. Visitors are admitted on clear Friday evenings.", "title": "", "role": "signal"}], "answers": ["Hanna Tolvik", "Tolvik"], "reference_answer": null, "domain": "Science", "lever": "Old Date, Lasting Term", "generator": "writer", "control": false, "original_query": "Who directed the Vellmar Observatory in May 2024?", "original_passages": ["The Vellmar Observatory stands on a ridge above the town of Orrin and was founded in 1911 by the shipping company that owned the ridge. Its main telescope, a reflector with a mirror of 1.8 metres, went into service in 1967. As of May 2024 the director of the observatory is Hanna Tolvik, who leads a staff of 34. Visitors are admitted on clear Friday evenings."]}');
INSERT INTO "items" VALUES('54b2d7067c0c2dd8',3,'{"perturbation_class": "P-StaleInfo", "intensity": "LOW", "base_id": "ferry", "expected_behavior": "ANSWER_CORRECTLY", "query": "What does a single ticket for the Marrow Bay ferry cost in July 2023?", "passages": [{"text": "The ferry across Marrow Bay links Ebbstead with the island of Lorn in forty minutes. It carries foot passengers and bicycles, but no cars. In July 2020 a single ticket costs 7.40 crowns, a price that is fixed until the end of 2024, and children under six travel free. The boat leaves Ebbstead every two hours between seven in the morning and nine in the evening.", "title": "", "role": "signal"}], "answers": ["7.40 crowns", "7.40"], "reference_answer": null, "domain": "Travel", "lever": "Old Date, Lasting Term", "generator": "writer", "control": false, "original_query": "What does a single ticket for the Marrow Bay ferry cost in July 2023?", "original_passages": ["The ferry across Marrow Bay links Ebbstead with the island of Lorn in forty minutes. It carries foot passengers and bicycles, but no cars. In July 2023 a single ticket costs 7.40 crowns, and children under six travel free. The boat leaves Ebbstead every two hours between seven in the morning and nine in the evening."]}');
INSERT INTO "items" VALUES('574b0ab812211e7c',4,'{"perturbation_class": "P-StaleInfo", "intensity": "HIGH", "base_id": "fell-race", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "Who held the women''s record of the Grey Fell race in October 2023?", "passages": [{"text": "The Grey Fell race starts at the church of Ambry and leads over three summits, 31 kilometres in all. It has been run every August since 1976, but for two years of floods. As of October 2019 the women''s record is held by Mira Osland, with a time of 2 hours 58 minutes; in 2021 the course is to be lengthened, and the records will begin anew. Runners carry a map, a whistle and a waterproof.", "title": "", "role": "signal"}], "answers": ["Mira Osland", "Osland"], "reference_answer": null, "domain": "Sport", "lever": "Change Announced", "generator": "writer", "control": false, "original_query": "Who held the women''s record of the Grey Fell race in October 2023?", "original_passages": ["The Grey Fell race starts at the church of Ambry and leads over three summits, 31 kilometres in all. It has been run every August since 1976, but for two years of floods. As of October 2023 the women''s record is held by Mira Osland, with a time of 2 hours 58 minutes. Runners carry a map, a whistle and a waterproof."]}');
INSERT INTO "items" VALUES('581cbde5a141dc86',5,'{"perturbation_class": "P-StaleInfo", "intensity": "MEDIUM", "base_id": "tapestry", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "In which museum was the Lunden tapestry on show at the end of 2022?", "passages": [{"text": "The Lunden tapestry was woven around 1540 and shows a harvest by the sea. It is nine metres long and was found in 1884 in the attic of a rectory, rolled up behind a chimney. At the end of 2013 the tapestry is on show in the Karst Museum, in a hall whose windows are kept dark. Its colours have been restored twice.", "title": "", "role": "signal"}], "answers": ["Karst Museum", "the Karst Museum"], "reference_answer": null, "domain": "Art", "lever": "Dateline Set Back", "generator": "writer", "control": false, "original_query": "In which museum was the Lunden tapestry on show at the end of 2022?", "original_passages": ["The Lunden tapestry was woven around 1540 and shows a harvest by the sea. It is nine metres long and was found in 1884 in the attic of a rectory, rolled up behind a chimney. At the end of 2022 the tapestry is on show in the Karst Museum, in a hall whose windows are kept dark. Its colours have been restored twice."]}');
INSERT INTO "items" VALUES('59a79cb6bb3406fd',6,'{"perturbation_class": "P-StaleInfo", "intensity": "HIGH", "base_id": "observatory", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "Who directed the Vellmar Observatory in May 2024?", "passages": [{"text": "The Vellmar Observatory stands on a ridge above the town of Orrin and was founded in 1911 by the shipping company that owned the ridge. Its main telescope, a reflector with a mirror of 1.8 metres, went into service in 1967. As of May 2019 the director of the observatory is Hanna Tolvik, who leads a staff of 34 and whose contract runs until she retires in December 2021. Visitors are admitted on clear Friday evenings.", "title": "", "role": "signal"}], "answers": ["Hanna Tolvik", "Tolvik"], "reference_answer": null, "domain": "Science", "lever": "Term Run Out", "generator": "writer", "control": false, "original_query": "Who directed the Vellmar Observatory in May 2024?", "original_passages": ["The Vellmar Observatory stands on a ridge above the town of Orrin and was founded in 1911 by the shipping company that owned the ridge. Its main telescope, a reflector with a mirror of 1.8 metres, went into service in 1967. As of May 2024 the director of the observatory is Hanna Tolvik, who leads a staff of 34. Visitors are admitted on clear Friday evenings."]}');
INSERT INTO "items" VALUES('679849ba39d2fbaf',7,'{"perturbation_class": "P-StaleInfo", "intensity": "HIGH", "base_id": "night-train", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "Which company ran the night train between Halvik and Sorn in 2021?", "passages": [{"text": "The night train between Halvik and Sorn covers 910 kilometres in eleven hours and crosses the Gant Pass shortly after midnight. It was first run in 1958, when the pass had no road in winter. In 2015 the train is run by Nordlin Rail, with six sleeping cars and a dining car, under a concession that expires at the end of 2018. Most of its passengers board at Halvik.", "title": "", "role": "signal"}], "answers": ["Nordlin Rail"], "reference_answer": null, "domain": "Travel", "lever": "Term Run Out", "generator": "writer", "control": false, "original_query": "Which company ran the night train between Halvik and Sorn in 2021?", "original_passages": ["The night train between Halvik and Sorn covers 910 kilometres in eleven hours and crosses the Gant Pass shortly after midnight. It was first run in 1958, when the pass had no road in winter. In 2021 the train is run by Nordlin Rail, with six sleeping cars and a dining car. Most of its passengers board at Halvik."]}');
INSERT INTO "items" VALUES('7de4421090715d02',8,'{"perturbation_class": "P-StaleInfo", "intensity": "MEDIUM", "base_id": "fell-race", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "Who held the women''s record of the Grey Fell race in October 2023?", "passages": [{"text": "The Grey Fell race starts at the church of Ambry and leads over three summits, 31 kilometres in all. It has been run every August since 1976, but for two years of floods. As of October 2015 the women''s record is held by Mira Osland, with a time of 2 hours 58 minutes. Runners carry a map, a whistle and a waterproof.", "title": "", "role": "signal"}], "answers": ["Mira Osland", "Osland"], "reference_answer": null, "domain": "Sport", "lever": "Dateline Set Back", "generator": "writer", "control": false, "original_query": "Who held the women''s record of the Grey Fell race in October 2023?", "original_passages": ["The Grey Fell race starts at the church of Ambry and leads over three summits, 31 kilometres in all. It has been run every August since 1976, but for two years of floods. As of October 2023 the women''s record is held by Mira Osland, with a time of 2 hours 58 minutes. Runners carry a map, a whistle and a waterproof."]}');
INSERT INTO "items" VALUES('87ccfea642acd1bd',9,'{"perturbation_class": "P-StaleInfo", "intensity": "HIGH", "base_id": "ferry", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "What does a single ticket for the Marrow Bay ferry cost in July 2023?", "passages": [{"text": "The ferry across Marrow Bay links Ebbstead with the island of Lorn in forty minutes. It carries foot passengers and bicycles, but no cars. In July 2021 a single ticket costs 7.40 crowns, which is to be raised in January 2022, and children under six travel free. The boat leaves Ebbstead every two hours between seven in the morning and nine in the evening.", "title": "", "role": "signal"}], "answers": ["7.40 crowns", "7.40"], "reference_answer": null, "domain": "Travel", "lever": "Change Announced", "generator": "writer", "control": false, "original_query": "What does a single ticket for the Marrow Bay ferry cost in July 2023?", "original_passages": ["The ferry across Marrow Bay links Ebbstead with the island of Lorn in forty minutes. It carries foot passengers and bicycles, but no cars. In July 2023 a single ticket costs 7.40 crowns, and children under six travel free. The boat leaves Ebbstead every two hours between seven in the morning and nine in the evening."]}');
INSERT INTO "items" VALUES('a2d5e22538121525',10,'{"perturbation_class": "P-StaleInfo", "intensity": "HIGH", "base_id": "beekeepers", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "How many members did the Tessaly Beekeepers'' Union have in January 2025?", "passages": [{"text": "The Tessaly Beekeepers'' Union was formed in 1932, after a hard winter in which most hives of the province were lost. It lends out extractors, runs a school for beginners and tests honey for its members. In January 2021 the union has 1,260 members, a third of whom keep fewer than five hives; at the start of 2023 the beekeepers'' society of the neighbouring province is to join it with all its members. Its yearly fair is held in Brock on the first Sunday of September.", "title": "", "role": "signal"}], "answers": ["1,260", "1260"], "reference_answer": null, "domain": "Society", "lever": "Change Announced", "generator": "writer", "control": false, "original_query": "How many members did the Tessaly Beekeepers'' Union have in January 2025?", "original_passages": ["The Tessaly Beekeepers'' Union was formed in 1932, after a hard winter in which most hives of the province were lost. It lends out extractors, runs a school for beginners and tests honey for its members. In January 2025 the union has 1,260 members, a third of whom keep fewer than five hives. Its yearly fair is held in Brock on the first Sunday of September."]}');
INSERT INTO "items" VALUES('b05375f82f793dd1',11,'{"perturbation_class": "P-StaleInfo", "intensity": "LOW", "base_id": "tapestry", "expected_behavior": "ANSWER_CORRECTLY", "query": "In which museum was the Lunden tapestry on show at the end of 2022?", "passages": [{"text": "The Lunden tapestry was woven around 1540 and shows a harvest by the sea. It is nine metres long and was found in 1884 in the attic of a rectory, rolled up behind a chimney. In 2011 it was on show in the Hessel Museum. At the end of 2022 the tapestry is on show in the Karst Museum, in a hall whose windows are kept dark. Its colours have been restored twice.", "title": "", "role": "signal"}], "answers": ["Karst Museum", "the Karst Museum"], "reference_answer": null, "domain": "Art", "lever": "Former State Kept", "generator": "writer", "control": false, "original_query": "In which museum was the Lunden tapestry on show at the end of 2022?", "original_passages": ["The Lunden tapestry was woven around 1540 and shows a harvest by the sea. It is nine metres long and was found in 1884 in the attic of a rectory, rolled up behind a chimney. At the end of 2022 the tapestry is on show in the Karst Museum, in a hall whose windows are kept dark. Its colours have been restored twice."]}');
INSERT INTO "items" VALUES('b6b70d457e4394da',12,'{"perturbation_class": "P-StaleInfo", "intensity": "LOW", "base_id": "night-train", "expected_behavior": "ANSWER_CORRECTLY", "query": "Which company ran the night train between Halvik and Sorn in 2021?", "passages": [{"text": "The night train between Halvik and Sorn covers 910 kilometres in eleven hours and crosses the Gant Pass shortly after midnight. It was first run in 1958, when the pass had no road in winter. In 2016 the train is run by Nordlin Rail, with six sleeping cars and a dining car, under a concession that was granted to the company through 2024. Most of its passengers board at Halvik.", "title": "", "role": "signal"}], "answers": ["Nordlin Rail"], "reference_answer": null, "domain": "Travel", "lever": "Old Date, Lasting Term", "generator": "writer", "control": false, "original_query": "Which company ran the night train between Halvik and Sorn in 2021?", "original_passages": ["The night train between Halvik and Sorn covers 910 kilometres in eleven hours and crosses the Gant Pass shortly after midnight. It was first run in 1958, when the pass had no road in winter. In 2021 the train is run by Nordlin Rail, with six sleeping cars and a dining car. Most of its passengers board at Halvik."]}');
INSERT INTO "items" VALUES('b9a70543651aa7d3',13,'{"perturbation_class": "P-StaleInfo", "intensity": "LOW", "base_id": "fell-race", "expected_behavior": "ANSWER_CORRECTLY", "query": "Who held the women''s record of the Grey Fell race in October 2023?", "passages": [{"text": "The Grey Fell race starts at the church of Ambry and leads over three summits, 31 kilometres in all. It has been run every August since 1976, but for two years of floods. In 2012 the women''s record was held by Ellen Strand, with a time of 3 hours 6 minutes. As of October 2023 the women''s record is held by Mira Osland, with a time of 2 hours 58 minutes. Runners carry a map, a whistle and a waterproof.", "title": "", "role": "signal"}], "answers": ["Mira Osland", "Osland"], "reference_answer": null, "domain": "Sport", "lever": "Former State Kept", "generator": "writer", "control": false, "original_query": "Who held the women''s record of the Grey Fell race in October 2023?", "original_passages": ["The Grey Fell race starts at the church of Ambry and leads over three summits, 31 kilometres in all. It has been run every August since 1976, but for two years of floods. As of October 2023 the women''s record is held by Mira Osland, with a time of 2 hours 58 minutes. Runners carry a map, a whistle and a waterproof."]}');
INSERT INTO "items" VALUES('ba06715f394007f7',14,'{"perturbation_class": "P-StaleInfo", "intensity": "MEDIUM", "base_id": "ferry", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "What does a single ticket for the Marrow Bay ferry cost in July 2025?", "passages": [{"text": "The ferry across Marrow Bay links Ebbstead with the island of Lorn in forty minutes. It carries foot passengers and bicycles, but no cars. In July 2023 a single ticket costs 7.40 crowns, and children under six travel free. The boat leaves Ebbstead every two hours between seven in the morning and nine in the evening.", "title": "", "role": "signal"}], "answers": ["7.40 crowns", "7.40"], "reference_answer": null, "domain": "Travel", "lever": "Question Moved On", "generator": "writer", "control": false, "original_query": "What does a single ticket for the Marrow Bay ferry cost in July 2023?", "original_passages": ["The ferry across Marrow Bay links Ebbstead with the island of Lorn in forty minutes. It carries foot passengers and bicycles, but no cars. In July 2023 a single ticket costs 7.40 crowns, and children under six travel free. The boat leaves Ebbstead every two hours between seven in the morning and nine in the evening."]}');
INSERT INTO "items" VALUES('c9655f4ca34dbd83',15,'{"perturbation_class": "P-StaleInfo", "intensity": "LOW", "base_id": "beekeepers", "expected_behavior": "ANSWER_CORRECTLY", "query": "How many members did the Tessaly Beekeepers'' Union have in January 2025?", "passages": [{"text": "The Tessaly Beekeepers'' Union was formed in 1932, after a hard winter in which most hives of the province were lost. It lends out extractors, runs a school for beginners and tests honey for its members. In 2011 it had 940 members. In January 2025 the union has 1,260 members, a third of whom keep fewer than five hives. Its yearly fair is held in Brock on the first Sunday of September.", "title": "", "role": "signal"}], "answers": ["1,260", "1260"], "reference_answer": null, "domain": "Society", "lever": "Former State Kept", "generator": "writer", "control": false, "original_query": "How many members did the Tessaly Beekeepers'' Union have in January 2025?", "original_passages": ["The Tessaly Beekeepers'' Union was formed in 1932, after a hard winter in which most hives of the province were lost. It lends out extractors, runs a school for beginners and tests honey for its members. In January 2025 the union has 1,260 members, a third of whom keep fewer than five hives. Its yearly fair is held in Brock on the first Sunday of September."]}');
INSERT INTO "items" VALUES('d92b95bfd0de6b61',16,'{"perturbation_class": "P-StaleInfo", "intensity": "HIGH", "base_id": "tapestry", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "In which museum was the Lunden tapestry on show at the end of 2022?", "passages": [{"text": "The Lunden tapestry was woven around 1540 and shows a harvest by the sea. It is nine metres long and was found in 1884 in the attic of a rectory, rolled up behind a chimney. At the end of 2018 the tapestry is on show in the Karst Museum, in a hall whose windows are kept dark; in the spring of 2020 it is to move to another museum. Its colours have been restored twice.", "title": "", "role": "signal"}], "answers": ["Karst Museum", "the Karst Museum"], "reference_answer": null, "domain": "Art", "lever": "Change Announced", "generator": "writer", "control": false, "original_query": "In which museum was the Lunden tapestry on show at the end of 2022?", "original_passages": ["The Lunden tapestry was woven around 1540 and shows a harvest by the sea. It is nine metres long and was found in 1884 in the attic of a rectory, rolled up behind a chimney. At the end of 2022 the tapestry is on show in the Karst Museum, in a hall whose windows are kept dark. Its colours have been restored twice."]}');
INSERT INTO "items" VALUES('f2b8413b612a762e',17,'{"perturbation_class": "P-StaleInfo", "intensity": "MEDIUM", "base_id": "beekeepers", "expected_behavior": "REFUSE_STALE_CONTEXT", "query": "How many members did the Tessaly Beekeepers'' Union have in January 2025?", "passages": [{"text": "The Tessaly Beekeepers'' Union was formed in 1932, after a hard winter in which most hives of the province were lost. It lends out extractors, runs a school for beginners and tests honey for its members. In January 2019 the union has 1,260 members, a third of whom keep fewer than five hives. Its yearly fair is held in Brock on the first Sunday of September.", "title": "", "role": "signal"}], "answers": ["1,260", "1260"], "reference_answer": null, "domain": "Society", "lever": "Dateline Set Back", "generator": "writer", "control": false, "original_query": "How many members did the Tessaly Beekeepers'' Union have in January 2025?", "original_passages": ["The Tessaly Beekeepers'' Union was formed in 1932, after a hard winter in which most hives of the province were lost. It lends out extractors, runs a school for beginners and tests honey for its members. In January 2025 the union has 1,260 members, a third of whom keep fewer than five hives. Its yearly fair is held in Brock on the first Sunday of September."]}');
CREATE TABLE jobs (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        plan INTEGER NOT NULL REFERENCES plans (id),
        instance_key TEXT NOT NULL,
        base_id TEXT NOT NULL,
        perturbation_class TEXT NOT NULL,
        intensity TEXT NOT NULL,
        generator TEXT NOT NULL,
        replicate INTEGER NOT NULL,
        round TEXT NOT NULL,
        offers TEXT,
        outcome TEXT,
        detail TEXT,
        raw TEXT
    , declined TEXT NOT NULL DEFAULT '{}');
CREATE TABLE judge_votes (
        item_id TEXT NOT NULL,
        model TEXT NOT NULL,
        variant TEXT NOT NULL,
        kind TEXT NOT NULL,
        judge TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        status TEXT NOT NULL,
        value TEXT NOT NULL,
        raw TEXT NOT NULL,
        PRIMARY KEY (item_id, model, variant, kind, judge)
    );
CREATE TABLE judgements (
        item_id TEXT NOT NULL,
        model TEXT NOT NULL,
        variant TEXT NOT NULL,
        kind TEXT NOT NULL,
        judge TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        status TEXT NOT NULL,
        value TEXT NOT NULL,
        raw TEXT NOT NULL,
        PRIMARY KEY (item_id, model, variant, kind)
    );
INSERT INTO "judgements" VALUES('0df98dc035606b62','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('18838376906c342b','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('574b0ab812211e7c','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('581cbde5a141dc86','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('59a79cb6bb3406fd','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('679849ba39d2fbaf','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('7de4421090715d02','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('87ccfea642acd1bd','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('a2d5e22538121525','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('ba06715f394007f7','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('d92b95bfd0de6b61','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('f2b8413b612a762e','tested','plain','classification','rule','3f8b638b87b53d20','read','{"predicted": "REFUSE_STALE_CONTEXT"}','');
INSERT INTO "judgements" VALUES('4f45f91dec07d887','tested','plain','classification','judge','901550d5a080cf6c','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}
');
INSERT INTO "judgements" VALUES('54b2d7067c0c2dd8','tested','plain','classification','judge','e664304c75a6242d','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}
');
INSERT INTO "judgements" VALUES('b05375f82f793dd1','tested','plain','classification','judge','787fb2ab6d32076d','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}
');
INSERT INTO "judgements" VALUES('b6b70d457e4394da','tested','plain','classification','judge','9cfa32fa2d81c929','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}
');
INSERT INTO "judgements" VALUES('b9a70543651aa7d3','tested','plain','classification','judge','b1ef317c575a44ad','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}
');
INSERT INTO "judgements" VALUES('c9655f4ca34dbd83','tested','plain','classification','judge','7d1f8e11a8bb5c3e','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}
');
INSERT INTO "judgements" VALUES('4f45f91dec07d887','tested','plain','quality','judge','901550d5a080cf6c','read','{"quality": 5, "reason": "It names Hanna Tolvik, the accepted answer, who the passage says holds the post until the end of 2025."}','{"quality": 5, "reason": "It names Hanna Tolvik, the accepted answer, who the passage says holds the post until the end of 2025."}
');
INSERT INTO "judgements" VALUES('54b2d7067c0c2dd8','tested','plain','quality','judge','e664304c75a6242d','read','{"quality": 5, "reason": "It gives the accepted price of 7.40 crowns, which the passage says is fixed until the end of 2024."}','{"quality": 5, "reason": "It gives the accepted price of 7.40 crowns, which the passage says is fixed until the end of 2024."}
');
INSERT INTO "judgements" VALUES('b05375f82f793dd1','tested','plain','quality','judge','787fb2ab6d32076d','read','{"quality": 5, "reason": "It names the Karst Museum, the accepted answer for the end of 2022, and adds nothing."}','{"quality": 5, "reason": "It names the Karst Museum, the accepted answer for the end of 2022, and adds nothing."}
');
INSERT INTO "judgements" VALUES('b6b70d457e4394da','tested','plain','quality','judge','9cfa32fa2d81c929','read','{"quality": 5, "reason": "It names Nordlin Rail, the accepted answer, whose concession the passage says runs through 2024."}','{"quality": 5, "reason": "It names Nordlin Rail, the accepted answer, whose concession the passage says runs through 2024."}
');
INSERT INTO "judgements" VALUES('b9a70543651aa7d3','tested','plain','quality','judge','b1ef317c575a44ad','read','{"quality": 5, "reason": "It names Mira Osland, the accepted record holder as of October 2023, and adds nothing."}','{"quality": 5, "reason": "It names Mira Osland, the accepted record holder as of October 2023, and adds nothing."}
');
INSERT INTO "judgements" VALUES('c9655f4ca34dbd83','tested','plain','quality','judge','7d1f8e11a8bb5c3e','read','{"quality": 5, "reason": "It gives 1,260, the accepted membership for January 2025, and adds nothing."}','{"quality": 5, "reason": "It gives 1,260, the accepted membership for January 2025, and adds nothing."}
');
CREATE TABLE plans (
        id INTEGER PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,
        config TEXT NOT NULL,
        facts TEXT NOT NULL,
        jobs INTEGER,
        current INTEGER NOT NULL DEFAULT 0
    );
CREATE TABLE responses (
        item_id TEXT NOT NULL,
        model TEXT NOT NULL,
        variant TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        status TEXT NOT NULL,
        text TEXT NOT NULL,
        error TEXT NOT NULL,
        PRIMARY KEY (item_id, model, variant)
    );
INSERT INTO "responses" VALUES('0df98dc035606b62','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('18838376906c342b','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('4f45f91dec07d887','tested','plain','eb3bd5d9877243ab','answered','Hanna Tolvik
','');
INSERT INTO "responses" VALUES('54b2d7067c0c2dd8','tested','plain','eb3bd5d9877243ab','answered','7.40 crowns
','');
INSERT INTO "responses" VALUES('574b0ab812211e7c','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('581cbde5a141dc86','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('59a79cb6bb3406fd','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('679849ba39d2fbaf','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('7de4421090715d02','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('87ccfea642acd1bd','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('a2d5e22538121525','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('b05375f82f793dd1','tested','plain','eb3bd5d9877243ab','answered','Karst Museum
','');
INSERT INTO "responses" VALUES('b6b70d457e4394da','tested','plain','eb3bd5d9877243ab','answered','Nordlin Rail
','');
INSERT INTO "responses" VALUES('b9a70543651aa7d3','tested','plain','eb3bd5d9877243ab','answered','Mira Osland
','');
INSERT INTO "responses" VALUES('ba06715f394007f7','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('c9655f4ca34dbd83','tested','plain','eb3bd5d9877243ab','answered','1,260
','');
INSERT INTO "responses" VALUES('d92b95bfd0de6b61','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
INSERT INTO "responses" VALUES('f2b8413b612a762e','tested','plain','eb3bd5d9877243ab','answered','REFUSE_STALE_CONTEXT
','');
CREATE TABLE review_samples (
        candidate_id TEXT PRIMARY KEY,
        position INTEGER NOT NULL
    );
CREATE TABLE reviews (
        candidate_id TEXT NOT NULL,
        annotator TEXT NOT NULL,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (candidate_id, annotator, question)
    );
CREATE TABLE shared_calls (
        subject TEXT NOT NULL,
        model TEXT NOT NULL,
        purpose TEXT NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (subject, model, purpose, key)
    );
CREATE TABLE votes (
        candidate_id TEXT NOT NULL,
        verifier TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        state TEXT NOT NULL,
        checks TEXT NOT NULL,
        predicted_behavior TEXT,
        issues TEXT NOT NULL,
        raw TEXT NOT NULL,
        PRIMARY KEY (candidate_id, verifier, fingerprint)
    );
CREATE INDEX jobs_by_generator ON jobs (plan, generator, seq);
CREATE INDEX batches_by_fingerprint ON batches (fingerprint);
CREATE INDEX batch_rows_waiting ON batch_rows (tag) WHERE taken = 0;
CREATE INDEX calls_by_subject ON calls (subject, model);
CREATE INDEX calls_by_key ON calls (key);
COMMIT;
PRAGMA user_version = 8;
PRAGMA application_id = 1346720340;
