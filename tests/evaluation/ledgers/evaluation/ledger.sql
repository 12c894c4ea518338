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
    , charged_usd REAL NOT NULL DEFAULT 0);
INSERT INTO "calls" VALUES(1,'040138879654cb3a52ff907f1b459d14','never','respond','item-0000','read','It was Ada0.','',670,4,0.000678,4.23102419999850098975e-02,1,0.000678);
INSERT INTO "calls" VALUES(2,'db70f5291e14454cdfdbc92df0af83ce','never','respond','item-0001','read','It was Ada1.','',670,4,0.000678,5.94532479999543284066e-02,1,0.000678);
INSERT INTO "calls" VALUES(3,'c205dbb753ba55ef573fb0b052b87a39','never','respond','item-0002','read','It was Ada2.','',670,4,0.000678,5.66452120000349168549e-02,1,0.000678);
INSERT INTO "calls" VALUES(4,'cdf795449a0b0bf02a820710269162c9','never','respond','item-0003','read','It was Ada3.','',670,4,0.000678,4.93268420000276819337e-02,1,0.000678);
INSERT INTO "calls" VALUES(5,'04df60a85f79656da0dc57aeb6f1464b','refuse','respond','item-0000','read','I cannot answer that: the text does not say.','',670,12,0.000694,4.82031480000841838773e-02,1,0.000694);
INSERT INTO "calls" VALUES(6,'5bd63d4edb139af947bf7a08cd863cdc','refuse','respond','item-0001','read','I cannot answer that: the text does not say.','',670,12,0.000694,4.7548390999963885406e-02,1,0.000694);
INSERT INTO "calls" VALUES(7,'8d08667efe070cc7074a4d80401dcca9','refuse','respond','item-0002','read','I cannot answer that: the text does not say.','',670,12,0.000694,0.0418735819999938,1,0.000694);
INSERT INTO "calls" VALUES(8,'05044189fbe79d5fbd56f51d1095721a','refuse','respond','item-0003','read','I cannot answer that: the text does not say.','',670,12,0.000694,3.83427780000147322425e-02,1,0.000694);
INSERT INTO "calls" VALUES(9,'84ee9d7fe6eba6bd878bd136c5536cf3','judge','judge classification','item-0000','read','{"behaviour": "answer", "code": ""}','',759,9,0.000777,2.41404170000123485806e-02,1,0.000777);
INSERT INTO "calls" VALUES(10,'b09a884b46752e6df1af2cb7278eea5b','judge','judge classification','item-0001','unread','A fine reply, I should say.','text without a JSON object',759,7,0.000773,1.16456199999674936407e-02,1,0.000773);
INSERT INTO "calls" VALUES(11,'4a7efc0ec1b02e0116575ececd62acf2','judge','judge classification','item-0002','read','{"behaviour": "answer", "code": ""}','',759,9,0.000777,1.86712339999530740897e-02,1,0.000777);
INSERT INTO "calls" VALUES(12,'a4fd28162de66b8d9bdeea1660b4088c','judge','judge classification','item-0003','read','{"behaviour": "answer", "code": ""}','',759,9,0.000777,2.30226800000536968582e-02,1,0.000777);
INSERT INTO "calls" VALUES(13,'bb3d1ad6a49c0039420420ec8717d063','judge','judge classification','item-0000','read','{"behaviour": "refusal", "code": "REFUSE_INFO_MISSING_IN_CONTEXT"}','',767,17,0.000801,1.34784120000404072925e-02,1,0.000801);
INSERT INTO "calls" VALUES(14,'50176e27571acb0d3b3da41df4009824','judge','judge classification','item-0001','unread','A fine reply, I should say.','text without a JSON object',767,7,0.000781,2.04448069999898507376e-02,1,0.000781);
INSERT INTO "calls" VALUES(15,'ea6b2f4b137c173fe4c946cb4ea0be82','judge','judge classification','item-0002','read','{"behaviour": "refusal", "code": "REFUSE_INFO_MISSING_IN_CONTEXT"}','',767,17,0.000801,6.75232600008257577428e-03,1,0.000801);
INSERT INTO "calls" VALUES(16,'e2d80fb1e2d8230e9718d8faf792953b','judge','judge classification','item-0003','read','{"behaviour": "refusal", "code": "REFUSE_INFO_MISSING_IN_CONTEXT"}','',767,17,0.000801,1.3271303999999872758e-02,1,0.000801);
INSERT INTO "calls" VALUES(17,'444effe32165fa67ccf41a43050411c1','judge','judge quality','item-0000','read','{"quality": 5, "reason": "as it is"}','',374,10,0.000394,1.54698809999445074936e-02,1,0.000394);
INSERT INTO "calls" VALUES(18,'b09a884b46752e6df1af2cb7278eea5b','judge','judge classification','item-0001','unread','A fine reply, I should say.','text without a JSON object',813,7,0.000827,1.46399840000412950757e-02,1,0.000827);
INSERT INTO "calls" VALUES(19,'371df69fdd3cf61a1d067a6f9290ac12','judge','judge quality','item-0003','read','{"quality": 5, "reason": "as it is"}','',374,10,0.000394,1.48393010000518188462e-02,1,0.000394);
INSERT INTO "calls" VALUES(20,'50176e27571acb0d3b3da41df4009824','judge','judge classification','item-0001','unread','A fine reply, I should say.','text without a JSON object',821,7,0.000835,9.29785100004210107726e-03,1,0.000835);
INSERT INTO "calls" VALUES(21,'c5d358d94abd650b07d900ad5c405694','never','respond','item-0004','read','It was Ada4.','',670,4,0.000678,1.93997290000424982281e-02,1,0.000678);
INSERT INTO "calls" VALUES(22,'cc10e440700a347838355a4969f65ac2','never','respond','item-0005','read','It was Ada5.','',670,4,0.000678,1.86483699999371310696e-02,1,0.000678);
INSERT INTO "calls" VALUES(23,'b466a78a3d66627be2aaaa0d5964a288','never','respond','item-0006','read','It was Ada6.','',745,4,0.000753,1.71056699999780903453e-02,1,0.000753);
INSERT INTO "calls" VALUES(24,'edb9b7c654e7e93ad7fb0ee193453902','refuse','respond','item-0004','read','I cannot answer that: the text does not say.','',670,12,0.000694,1.20469990000628968118e-02,1,0.000694);
INSERT INTO "calls" VALUES(25,'acdd622e821961a7ccf99b28e64ac57a','refuse','respond','item-0005','read','I cannot answer that: the text does not say.','',670,12,0.000694,1.16137630000139324693e-02,1,0.000694);
INSERT INTO "calls" VALUES(26,'fc8ee03e1f620df31d4cf6751bd14ea9','refuse','respond','item-0006','read','I cannot answer that: the text does not say.','',745,12,0.000769,1.13258039999664106289e-02,1,0.000769);
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
INSERT INTO "facts" VALUES('snapshot','{"digest":"3c9bf2d573fadbd1","name":"items.jsonl","round":null}');
INSERT INTO "facts" VALUES('models','{"never":{"api_base":"http://127.83.71.1:18471/v1","authors":["b44220fb2f5de55b","79fb15b7a83900b0"],"fingerprint":"08b1857f03cae680","judge":{"api_base":"http://127.83.71.1:18471/v1","model":"hosted_vllm/judge","name":"judge","params":{"max_tokens":100}},"judges_itself":false,"model":"hosted_vllm/never","params":{"max_tokens":100},"variant":"confidence"},"refuse":{"api_base":"http://127.83.71.1:18471/v1","authors":["b44220fb2f5de55b","79fb15b7a83900b0"],"fingerprint":"4fca8555c3e3765e","judge":{"api_base":"http://127.83.71.1:18471/v1","model":"hosted_vllm/judge","name":"judge","params":{"max_tokens":100}},"judges_itself":false,"model":"hosted_vllm/refuse","params":{"max_tokens":100},"variant":"confidence"}}');
CREATE TABLE instances (
        key TEXT PRIMARY KEY,
        payload TEXT NOT NULL
    );
CREATE TABLE items (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        payload TEXT NOT NULL
    );
INSERT INTO "items" VALUES('item-0000',0,'{"perturbation_class": "P-Ambiguity", "intensity": "LOW", "base_id": "base-0", "expected_behavior": "ANSWER_CORRECTLY", "query": "And who built mill 0?", "passages": [{"text": "Mill 0 was, they say, built by Ada0.", "title": "", "role": "signal"}], "answers": ["Ada0"], "reference_answer": null, "domain": "Mills", "lever": "Dominant-sense Polysemy", "generator": "g0", "control": false}');
INSERT INTO "items" VALUES('item-0001',1,'{"perturbation_class": "P-Ambiguity", "intensity": "MEDIUM", "base_id": "base-0", "expected_behavior": "REFUSE_AMBIGUOUS_QUERY", "query": "And who built mill 1?", "passages": [{"text": "Mill 1 was, they say, built by Ada1.", "title": "", "role": "signal"}], "answers": ["Ada1"], "reference_answer": null, "domain": "Mills", "lever": "Balanced Polysemy", "generator": "g1", "control": false}');
INSERT INTO "items" VALUES('item-0002',2,'{"perturbation_class": "P-Ambiguity", "intensity": "HIGH", "base_id": "base-0", "expected_behavior": "REFUSE_AMBIGUOUS_QUERY", "query": "And who built mill 2?", "passages": [{"text": "Mill 2 was, they say, built by Ada2.", "title": "", "role": "signal"}], "answers": ["Ada2"], "reference_answer": null, "domain": "Mills", "lever": "Reduced Relative Clause Clash", "generator": "g0", "control": false}');
INSERT INTO "items" VALUES('item-0003',3,'{"perturbation_class": "P-Contradiction", "intensity": "LOW", "base_id": "base-1", "expected_behavior": "ANSWER_CORRECTLY", "query": "And who built mill 3?", "passages": [{"text": "Mill 3 was, they say, built by Ada3.", "title": "", "role": "signal"}], "answers": ["Ada3"], "reference_answer": null, "domain": "Mills", "lever": "Minor Numeric Rounding", "generator": "g1", "control": false}');
INSERT INTO "items" VALUES('item-0004',4,'{"perturbation_class": "P-Contradiction", "intensity": "MEDIUM", "base_id": "base-1", "expected_behavior": "REFUSE_CONTRADICTORY_CONTEXT", "query": "And who built mill 4?", "passages": [{"text": "Mill 4 was, they say, built by Ada4.", "title": "", "role": "signal"}], "answers": ["Ada4"], "reference_answer": null, "domain": "Mills", "lever": "Modal Dilution", "generator": "g0", "control": false}');
INSERT INTO "items" VALUES('item-0005',5,'{"perturbation_class": "P-Contradiction", "intensity": "HIGH", "base_id": "base-1", "expected_behavior": "REFUSE_CONTRADICTORY_CONTEXT", "query": "And who built mill 5?", "passages": [{"text": "Mill 5 was, they say, built by Ada5.", "title": "", "role": "signal"}], "answers": ["Ada5"], "reference_answer": null, "domain": "Mills", "lever": "Order-of-Magnitude Numeric Clash", "generator": "g1", "control": false}');
INSERT INTO "items" VALUES('item-0006',6,'{"perturbation_class": "P-MissingInfo", "intensity": "LOW", "base_id": "base-2", "expected_behavior": "ANSWER_CORRECTLY", "query": "And who built mill 6?", "passages": [{"text": "Mill 6 is old.", "title": "", "role": "noise"}, {"text": "Ada6 built it.\n\n[3] Says who?", "title": "Mills: a list", "role": "signal"}, {"text": "Nothing else is known.", "title": "", "role": "noise"}], "answers": ["Ada6"], "reference_answer": "Ada6", "domain": "Mills", "lever": "Delete Color Adjective", "generator": "g0", "control": false}');
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
        lever TEXT,
        outcome TEXT,
        detail TEXT,
        raw TEXT
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
INSERT INTO "judgements" VALUES('item-0000','never','confidence','classification','judge','30df23724c09cf4b','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}');
INSERT INTO "judgements" VALUES('item-0002','never','confidence','classification','judge','456238a85473c235','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}');
INSERT INTO "judgements" VALUES('item-0003','never','confidence','classification','judge','c6f99bbe1c71b9bc','read','{"predicted": "ANSWER"}','{"behaviour": "answer", "code": ""}');
INSERT INTO "judgements" VALUES('item-0000','refuse','confidence','classification','judge','ca6f219fa51c8017','read','{"predicted": "REFUSE_INFO_MISSING_IN_CONTEXT"}','{"behaviour": "refusal", "code": "REFUSE_INFO_MISSING_IN_CONTEXT"}');
INSERT INTO "judgements" VALUES('item-0002','refuse','confidence','classification','judge','ca6f219fa51c8017','read','{"predicted": "REFUSE_INFO_MISSING_IN_CONTEXT"}','{"behaviour": "refusal", "code": "REFUSE_INFO_MISSING_IN_CONTEXT"}');
INSERT INTO "judgements" VALUES('item-0003','refuse','confidence','classification','judge','ca6f219fa51c8017','read','{"predicted": "REFUSE_INFO_MISSING_IN_CONTEXT"}','{"behaviour": "refusal", "code": "REFUSE_INFO_MISSING_IN_CONTEXT"}');
INSERT INTO "judgements" VALUES('item-0000','never','confidence','quality','judge','30df23724c09cf4b','read','{"quality": 5, "reason": "as it is"}','{"quality": 5, "reason": "as it is"}');
INSERT INTO "judgements" VALUES('item-0001','never','confidence','classification','judge','8ac2578094c010aa','unscored','{}','A fine reply, I should say.');
INSERT INTO "judgements" VALUES('item-0003','never','confidence','quality','judge','c6f99bbe1c71b9bc','read','{"quality": 5, "reason": "as it is"}','{"quality": 5, "reason": "as it is"}');
INSERT INTO "judgements" VALUES('item-0001','refuse','confidence','classification','judge','ca6f219fa51c8017','unscored','{}','A fine reply, I should say.');
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
INSERT INTO "responses" VALUES('item-0000','never','confidence','08b1857f03cae680','answered','It was Ada0.','');
INSERT INTO "responses" VALUES('item-0001','never','confidence','08b1857f03cae680','answered','It was Ada1.','');
INSERT INTO "responses" VALUES('item-0002','never','confidence','08b1857f03cae680','answered','It was Ada2.','');
INSERT INTO "responses" VALUES('item-0003','never','confidence','08b1857f03cae680','answered','It was Ada3.','');
INSERT INTO "responses" VALUES('item-0000','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
INSERT INTO "responses" VALUES('item-0001','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
INSERT INTO "responses" VALUES('item-0002','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
INSERT INTO "responses" VALUES('item-0003','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
INSERT INTO "responses" VALUES('item-0004','never','confidence','08b1857f03cae680','answered','It was Ada4.','');
INSERT INTO "responses" VALUES('item-0005','never','confidence','08b1857f03cae680','answered','It was Ada5.','');
INSERT INTO "responses" VALUES('item-0006','never','confidence','08b1857f03cae680','answered','It was Ada6.','');
INSERT INTO "responses" VALUES('item-0004','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
INSERT INTO "responses" VALUES('item-0005','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
INSERT INTO "responses" VALUES('item-0006','refuse','confidence','4fca8555c3e3765e','answered','I cannot answer that: the text does not say.','');
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
CREATE INDEX calls_by_key ON calls (key) WHERE status = 'read';
CREATE INDEX batches_by_fingerprint ON batches (fingerprint);
CREATE INDEX batch_rows_waiting ON batch_rows (tag) WHERE taken = 0;
COMMIT;
PRAGMA user_version = 5;
PRAGMA application_id = 1346720340;
