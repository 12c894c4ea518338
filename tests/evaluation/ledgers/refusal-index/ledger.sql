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
INSERT INTO "calls" VALUES(1,'72f58de2bbbff14e4cb8f9cf62bc8a40','m1','low','q0','read','Well. <answer>something else</answer>','',416,10,0.000436,3.00336819999529325286e-02,1,0.000436);
INSERT INTO "calls" VALUES(2,'f49c79e44b34a678e669ed813cbdea11','m1','low','q1','read','Well. <answer>something else</answer>','',416,10,0.000436,2.05986969999685243237e-02,1,0.000436);
INSERT INTO "calls" VALUES(3,'60192afd2f071f1279253fe3801af04d','m1','low','q2','read','Well. <answer>something else</answer>','',416,10,0.000436,2.08123849999992671655e-02,1,0.000436);
INSERT INTO "calls" VALUES(4,'f7b62993ef183924d9f03d7f067a472d','m1','low','q3','read','Well. <answer>surely thing 3</answer>','',416,10,0.000436,1.88286679999691841658e-02,1,0.000436);
INSERT INTO "calls" VALUES(5,'d7a36f0711d03df59fb83cc96328f2d1','judge','grade','q0','read','{"grade": "INCORRECT"}','',389,6,0.000401,1.47372589999577030539e-02,1,0.000401);
INSERT INTO "calls" VALUES(6,'aaa0479532ecda9c78c40a0ea69cb2e1','judge','grade','q1','read','{"grade": "INCORRECT"}','',389,6,0.000401,2.13944129999390497687e-02,1,0.000401);
INSERT INTO "calls" VALUES(7,'7dcc2c3b60300cdc0dbad894e8449bc6','judge','grade','q2','read','{"grade": "INCORRECT"}','',389,6,0.000401,3.84967680000727341393e-02,1,0.000401);
INSERT INTO "calls" VALUES(8,'42db97548418f7878ffb0e0668fe4c75','judge','grade','q3','read','{"grade": "CORRECT"}','',389,6,0.000401,3.91868359999989479547e-02,1,0.000401);
INSERT INTO "calls" VALUES(9,'1c39410e2e963424025b7f165ff9d1a5','m1','normal','q0','read','Well. <answer>something else</answer>','',413,10,0.000433,2.07404779999933452927e-02,1,0.000433);
INSERT INTO "calls" VALUES(10,'90fea37073ad310f6b60459e3b642c59','m1','normal','q1','read','Well. <answer>something else</answer>','',413,10,0.000433,0.00932936799995332,1,0.000433);
INSERT INTO "calls" VALUES(11,'2603cec0f2be0a94722c7f80122498e9','m1','normal','q2','read','Well. <answer>something else</answer>','',413,10,0.000433,9.06531400005405885167e-03,1,0.000433);
INSERT INTO "calls" VALUES(12,'9381d8491af99b5879499d74b06d7431','m1','normal','q3','read','Well. <answer>surely thing 3</answer>','',413,10,0.000433,8.73231699995358212618e-03,1,0.000433);
INSERT INTO "calls" VALUES(13,'451a509098e8e4fb260cd94420fa6ab1','m1','high','q0','read','<answer>UNANSWERED</answer>','',425,12,0.000449,3.87128099998790276004e-03,1,0.000449);
INSERT INTO "calls" VALUES(14,'6b3ad3d2e8e80a4be071aa9196506fe7','m1','high','q1','read','<answer>UNANSWERED</answer>','',425,12,0.000449,2.26440559999900870025e-02,1,0.000449);
INSERT INTO "calls" VALUES(15,'bf462774a57a666075bcaaad1bf0d425','m1','high','q2','read','Well. <answer>something else</answer>','',425,10,0.000445,2.26039259999879504903e-02,1,0.000445);
INSERT INTO "calls" VALUES(16,'11ee396795fbcb75935f7ff5d49f15cf','m1','high','q3','read','Well. <answer>surely thing 3</answer>','',425,10,0.000445,2.19839510000383597798e-02,1,0.000445);
INSERT INTO "calls" VALUES(17,'265afc661e9f1c441cf0efc964466c21','m1','highest','q0','read','<answer>UNANSWERED</answer>','',425,12,0.000449,2.77617899996585038024e-03,1,0.000449);
INSERT INTO "calls" VALUES(18,'b1d7004583722de76f775f4d37a82207','m1','highest','q1','read','<answer>UNANSWERED</answer>','',425,12,0.000449,2.92968730000211508013e-02,1,0.000449);
INSERT INTO "calls" VALUES(19,'2c7e5ba1597f06a13b400efb6ffc19e7','m1','highest','q2','read','<answer>UNANSWERED</answer>','',425,12,0.000449,2.96473360000391039648e-02,1,0.000449);
INSERT INTO "calls" VALUES(20,'39d67486729c67d9264985c30a9db304','m1','highest','q3','read','Well. <answer>surely thing 3</answer>','',425,10,0.000445,2.96785419999423538683e-02,1,0.000445);
INSERT INTO "calls" VALUES(21,'556c22ddcf7e5bd5fd6c77c03b155d25','m1','forced','q0','read','Well. <answer>something else</answer>','',418,10,0.000438,3.14899400007107033161e-03,1,0.000438);
INSERT INTO "calls" VALUES(22,'77a88b4e3d75f73ff5d521fb5d358529','m1','forced','q1','read','Well. <answer>something else</answer>','',418,10,0.000438,2.38387299998521484667e-03,1,0.000438);
INSERT INTO "calls" VALUES(23,'2338d6d377bafcec0213ece442002461','m1','forced','q2','read','Well. <answer>something else</answer>','',418,10,0.000438,2.21281899996483844006e-03,1,0.000438);
INSERT INTO "calls" VALUES(24,'7f18ad64052bdc02ca68457dc09b521d','m1','low','q4','read','Well. <answer>something else</answer>','',416,10,0.000436,7.56456599992816336452e-03,1,0.000436);
INSERT INTO "calls" VALUES(25,'cde3a7c8822be9bf2dd24cd86e890cc6','m1','low','q5','read','Well. <answer>something else</answer>','',416,10,0.000436,7.07059000001208914909e-03,1,0.000436);
INSERT INTO "calls" VALUES(26,'61cfd8a507529df0eab755acec5ba765','m1','low','q6','read','Well. <answer>something else</answer>','',416,10,0.000436,7.26735299997471884125e-03,1,0.000436);
INSERT INTO "calls" VALUES(27,'35f676b3428e88980b99f8d41525e481','m1','low','q7','read','<answer>UNANSWERED</answer>','',416,12,0.00044,5.75091300004260119749e-03,1,0.00044);
INSERT INTO "calls" VALUES(28,'1052c61453659c5d2f52250e83125b82','judge','grade','q4','read','{"grade": "INCORRECT"}','',389,6,0.000401,6.08718499995575257344e-03,1,0.000401);
INSERT INTO "calls" VALUES(29,'77f919c9c7201f2b436ed589988d86b7','judge','grade','q5','read','{"grade": "INCORRECT"}','',389,6,0.000401,6.60950300004969903966e-03,1,0.000401);
INSERT INTO "calls" VALUES(30,'ba8c3c82a41e751ef78bfd4305f155ab','judge','grade','q6','read','{"grade": "INCORRECT"}','',389,6,0.000401,7.07352499989610805641e-03,1,0.000401);
INSERT INTO "calls" VALUES(31,'b2c606e12ee8f62e6d395530f6f5f422','m1','normal','q7','read','<answer>UNANSWERED</answer>','',413,12,0.000437,6.87593000009201205102e-03,1,0.000437);
INSERT INTO "calls" VALUES(32,'7465c6785f6be136f2a4db1063138bb0','m1','normal','q4','read','<answer>UNANSWERED</answer>','',413,12,0.000437,1.12988140000425119069e-02,1,0.000437);
INSERT INTO "calls" VALUES(33,'50998d8db5967f55f6230b8cdbbf9bc0','m1','normal','q5','read','<answer>UNANSWERED</answer>','',413,12,0.000437,7.24252700001670746132e-03,1,0.000437);
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
INSERT INTO "facts" VALUES('two_pass','{"called":{"judge":{"fingerprint":"d010eaa46006e385","model":"hosted_vllm/judge","params":{"max_tokens":100}},"m1":{"fingerprint":"2a71fd816b8932e3","model":"hosted_vllm/m1","params":{"max_tokens":100}}},"code_version":"0.1.0","judge":"judge","models":["m1"],"questions":{"count":8,"digest":"6f0b3b900fafd4a1","name":"questions"},"settings":["low","normal","high","highest"],"templates":{"grade/judge":"5bd88629424ad834","two_pass/prompt":"ee1a3c67819e9532"}}');
CREATE TABLE instances (
        key TEXT PRIMARY KEY,
        payload TEXT NOT NULL
    );
CREATE TABLE items (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        payload TEXT NOT NULL
    );
INSERT INTO "items" VALUES('q0',0,'{"text": "What is kept in box 0?", "answers": ["thing 0"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q1',1,'{"text": "What is kept in box 1?", "answers": ["thing 1"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q2',2,'{"text": "What is kept in box 2?", "answers": ["thing 2"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q3',3,'{"text": "What is kept in box 3?", "answers": ["thing 3"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q4',4,'{"text": "What is kept in box 4?", "answers": ["thing 4"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q5',5,'{"text": "What is kept in box 5?", "answers": ["thing 5"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q6',6,'{"text": "What is kept in box 6?", "answers": ["thing 6"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q7',7,'{"text": "What is kept in box 7?", "answers": ["thing 7"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
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
INSERT INTO "judgements" VALUES('q0','m1','low','grade','judge','d6559af5daefc03e','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q1','m1','low','grade','judge','d09e3310ad00f7e0','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q2','m1','low','grade','judge','bb4e0913a2056064','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q3','m1','low','grade','judge','bdbb5c34b5ada943','read','{"grade": "CORRECT", "answer": "surely thing 3"}','{"grade": "CORRECT"}');
INSERT INTO "judgements" VALUES('q0','m1','normal','grade','judge','d6559af5daefc03e','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q1','m1','normal','grade','judge','d09e3310ad00f7e0','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q2','m1','normal','grade','judge','bb4e0913a2056064','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q3','m1','normal','grade','judge','bdbb5c34b5ada943','read','{"grade": "CORRECT", "answer": "surely thing 3"}','{"grade": "CORRECT"}');
INSERT INTO "judgements" VALUES('q0','m1','high','grade','rule','0f8352e0481523e7','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q1','m1','high','grade','rule','955cc8d1c9481a52','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q2','m1','high','grade','judge','bb4e0913a2056064','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q3','m1','high','grade','judge','bdbb5c34b5ada943','read','{"grade": "CORRECT", "answer": "surely thing 3"}','{"grade": "CORRECT"}');
INSERT INTO "judgements" VALUES('q0','m1','highest','grade','rule','0f8352e0481523e7','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q1','m1','highest','grade','rule','955cc8d1c9481a52','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q2','m1','highest','grade','rule','e642804602a2800a','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q3','m1','highest','grade','judge','bdbb5c34b5ada943','read','{"grade": "CORRECT", "answer": "surely thing 3"}','{"grade": "CORRECT"}');
INSERT INTO "judgements" VALUES('q0','m1','forced','grade','judge','d6559af5daefc03e','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q1','m1','forced','grade','judge','d09e3310ad00f7e0','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q2','m1','forced','grade','judge','bb4e0913a2056064','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q7','m1','low','grade','rule','b63b9f28f3063415','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q4','m1','low','grade','judge','bc7effe1e22d08c4','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q5','m1','low','grade','judge','e80803b04597ffb5','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q6','m1','low','grade','judge','bc9d79f1d42117e8','read','{"grade": "INCORRECT", "answer": "something else"}','{"grade": "INCORRECT"}');
INSERT INTO "judgements" VALUES('q7','m1','normal','grade','rule','b63b9f28f3063415','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q4','m1','normal','grade','rule','39edc5d9ae67dba7','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
INSERT INTO "judgements" VALUES('q5','m1','normal','grade','rule','37a196e654a1e54b','read','{"grade": "NOT_ATTEMPTED", "answer": "UNANSWERED"}','');
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
INSERT INTO "responses" VALUES('q0','m1','low','23a0e1e982a8366e','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q1','m1','low','259dd62c08cf0a76','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q2','m1','low','210b82f379b781bf','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q3','m1','low','a21160a20e23a60e','answered','Well. <answer>surely thing 3</answer>','');
INSERT INTO "responses" VALUES('q0','m1','normal','5fb9a964022d1adf','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q1','m1','normal','f15ef4c68f9d2ae0','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q2','m1','normal','ad5a65ffa97bc43b','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q3','m1','normal','1bfb3f18b8738664','answered','Well. <answer>surely thing 3</answer>','');
INSERT INTO "responses" VALUES('q0','m1','high','e3fb2edb56764eef','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q1','m1','high','792bbf0f4b8aa1f3','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q2','m1','high','04459bd901109245','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q3','m1','high','7732604874dfe3a9','answered','Well. <answer>surely thing 3</answer>','');
INSERT INTO "responses" VALUES('q0','m1','highest','657888b2f4269e8d','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q1','m1','highest','077fdc497cc9cd92','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q2','m1','highest','73bfbd047ddfe1d2','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q3','m1','highest','e2d3058a2d1a3963','answered','Well. <answer>surely thing 3</answer>','');
INSERT INTO "responses" VALUES('q0','m1','forced','ddaec708bad41092','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q1','m1','forced','7a4bb7ca1c6b2715','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q2','m1','forced','95ebe6d82625cb9e','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q4','m1','low','2a9d14055f922a69','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q5','m1','low','624e860f5e99794f','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q6','m1','low','257a452650dd0528','answered','Well. <answer>something else</answer>','');
INSERT INTO "responses" VALUES('q7','m1','low','560a5d1423d82964','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q7','m1','normal','b950bc8661ea44ec','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q4','m1','normal','5258a3ef5de3b715','answered','<answer>UNANSWERED</answer>','');
INSERT INTO "responses" VALUES('q5','m1','normal','1094b780b8dcf4ed','answered','<answer>UNANSWERED</answer>','');
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
