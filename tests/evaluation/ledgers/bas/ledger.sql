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
INSERT INTO "calls" VALUES(1,'4986286c81098d1b2410d21aba4d2076','honest','confidence','q0','read','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.55','',173,17,0.000207,1.0857045000079779129e-02,1,0.000207);
INSERT INTO "calls" VALUES(2,'8cc9cfc63ee6a0e38000f43be9c32cfa','honest','confidence','q1','read','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.65','',173,17,0.000207,1.54035929999736254103e-02,1,0.000207);
INSERT INTO "calls" VALUES(3,'8d530a12eee50b1c590075e165951823','honest','confidence','q2','read','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.75','',173,17,0.000207,1.92112399997768079629e-03,1,0.000207);
INSERT INTO "calls" VALUES(4,'6a2a5f94e06a9a1fade2d1a9d2c14c42','honest','confidence','q3','read','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.55','',173,17,0.000207,1.04408339999508825712e-02,1,0.000207);
INSERT INTO "calls" VALUES(5,'b41e140d43f5ac256edee9b457176179','honest','confidence','q4','read','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.65','',173,17,0.000207,5.4384980001032090513e-03,1,0.000207);
INSERT INTO "calls" VALUES(6,'f587873c3d1376f00e4e61b9980f6a77','honest','confidence','q5','read','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.75','',173,17,0.000207,3.77396500005033885827e-03,1,0.000207);
INSERT INTO "calls" VALUES(7,'9203a097c853f46b7cec39c0bc1e37b0','honest','confidence','q0','read','Let me think.
### FINAL DECISION
Answer: Vltava','',118,12,0.000142,1.35059299998374626738e-03,1,0.000142);
INSERT INTO "calls" VALUES(8,'ace453e667a4e37bf548b66020ace226','honest','confidence','q1','read','Let me think.
### FINAL DECISION
Answer: Vltava','',118,12,0.000142,1.1377411000012216391e-02,1,0.000142);
INSERT INTO "calls" VALUES(9,'4f572a4f2f93971901553bd5ffcbc1f4','honest','confidence','q2','read','Let me think.
### FINAL DECISION
Answer: Vltava','',118,12,0.000142,8.92239999984667520038e-04,1,0.000142);
INSERT INTO "calls" VALUES(10,'b59b6c423d579a9b7328e7047dca28de','honest','confidence','q3','read','Let me think.
### FINAL DECISION
Answer: Vltava','',118,12,0.000142,2.44710799995573324849e-03,1,0.000142);
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
INSERT INTO "facts" VALUES('confidence','{"called":{"honest":{"fingerprint":"52dfaf9d927d9415","model":"hosted_vllm/honest","params":{"max_tokens":100}},"judge":{"fingerprint":"05175f121389e7da","model":"hosted_vllm/judge","params":{"max_tokens":100}}},"code_version":"0.1.0","elicitations":["direct","reflection"],"judge":"judge","k":3,"models":["honest"],"questions":{"count":6,"digest":"84a7d4ac4f3edc06","name":"questions"},"templates":{"confidence/direct":"fd9b3c43c911981e","confidence/reflection":"58879e0d2ad13061","grade/judge":"5bd88629424ad834"}}');
CREATE TABLE instances (
        key TEXT PRIMARY KEY,
        payload TEXT NOT NULL
    );
CREATE TABLE items (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        payload TEXT NOT NULL
    );
INSERT INTO "items" VALUES('q0',0,'{"text": "Question 0?", "answers": ["Vltava"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q1',1,'{"text": "Question 1?", "answers": ["Vltava"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q2',2,'{"text": "Question 2?", "answers": ["Vltava"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q3',3,'{"text": "Question 3?", "answers": ["Vltava"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q4',4,'{"text": "Question 4?", "answers": ["Vltava"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
INSERT INTO "items" VALUES('q5',5,'{"text": "Question 5?", "answers": ["Vltava"], "form": "text", "options": {}, "context": null, "source": "questions", "answerable": null, "metadata": {}}');
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
INSERT INTO "judgements" VALUES('q0','honest','direct','grade','rule','223c9dfe2d513647','read','{"grade": "CORRECT", "answer": "Vltava"}','');
INSERT INTO "judgements" VALUES('q1','honest','direct','grade','rule','c0df92aa0cb134ce','read','{"grade": "CORRECT", "answer": "Vltava"}','');
INSERT INTO "judgements" VALUES('q2','honest','direct','grade','rule','67a4653ab62a2de6','read','{"grade": "CORRECT", "answer": "Vltava"}','');
INSERT INTO "judgements" VALUES('q3','honest','direct','grade','rule','ecbef72f46c6a084','read','{"grade": "CORRECT", "answer": "Vltava"}','');
INSERT INTO "judgements" VALUES('q4','honest','direct','grade','rule','c15fc5407960f2d2','read','{"grade": "CORRECT", "answer": "Vltava"}','');
INSERT INTO "judgements" VALUES('q5','honest','direct','grade','rule','57effccceeef99ff','read','{"grade": "CORRECT", "answer": "Vltava"}','');
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
INSERT INTO "responses" VALUES('q0','honest','direct','eeccec71a51ad6da','answered','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.55','');
INSERT INTO "responses" VALUES('q1','honest','direct','f85aa72cde298d8b','answered','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.65','');
INSERT INTO "responses" VALUES('q2','honest','direct','530c8c237affca8d','answered','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.75','');
INSERT INTO "responses" VALUES('q3','honest','direct','71ce2b30635da75d','answered','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.55','');
INSERT INTO "responses" VALUES('q4','honest','direct','f62d5c3aa9c5ff75','answered','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.65','');
INSERT INTO "responses" VALUES('q5','honest','direct','11f91beac52901b7','answered','Let me think.
### FINAL DECISION
Answer: Vltava
Confidence: 0.75','');
INSERT INTO "responses" VALUES('q0','honest','reflection/first','065321984b6e0c01','answered','Let me think.
### FINAL DECISION
Answer: Vltava','');
INSERT INTO "responses" VALUES('q1','honest','reflection/first','16c32199fc44dd8e','answered','Let me think.
### FINAL DECISION
Answer: Vltava','');
INSERT INTO "responses" VALUES('q2','honest','reflection/first','a10d9199cb4f4b03','answered','Let me think.
### FINAL DECISION
Answer: Vltava','');
INSERT INTO "responses" VALUES('q3','honest','reflection/first','b6ec8e1afcd85ea2','answered','Let me think.
### FINAL DECISION
Answer: Vltava','');
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
