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
INSERT INTO "calls" VALUES(1,'c75db3f40e3564af0def7cac4faa6b8e','one','solve','demo-frankenstein','read','{"answer": "Mary Shelley"}','',287,7,0.000301,1.5734114999986559269e-02,1,0.000301);
INSERT INTO "calls" VALUES(2,'aac3db88a30af1b1e5d37940f53327a1','one','solve','demo-pride-and-prejudice','read','{"answer": "Jane Austen"}','',279,7,0.000293,1.53492110000570392003e-02,1,0.000293);
INSERT INTO "calls" VALUES(3,'1ec22d53ea21e28a9b1b0269379974ed','one','solve','demo-penicillin','read','{"answer": "Alexander Fleming"}','',286,8,0.000302,1.11453340000480238813e-02,1,0.000302);
INSERT INTO "calls" VALUES(4,'1229f53669b64a1d158a01d9d5da780c','one','solve','demo-mona-lisa','read','{"answer": "Leonardo da Vinci"}','',276,8,0.000292,1.205200699996566982e-02,1,0.000292);
INSERT INTO "calls" VALUES(5,'e6e9a6255b8743e3b9fe85c6944c10b2','one','solve','demo-the-four-seasons','read','{"answer": "Antonio Vivaldi"}','',282,8,0.000298,5.60037900004317634738e-03,1,0.000298);
INSERT INTO "calls" VALUES(6,'456ed678c533936e2134b0a727206818','judge','judge','demo-frankenstein','read','{"correct": true}','',376,5,0.000386,7.00805700000728393206e-03,1,0.000386);
INSERT INTO "calls" VALUES(7,'0d815efbe99aee20de31879275b0c94b','two','solve','demo-frankenstein','read','{"answer": "Mary Shelley"}','',287,7,0.000301,4.15335200000299664679e-03,1,0.000301);
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
CREATE TABLE instances (
        key TEXT PRIMARY KEY,
        payload TEXT NOT NULL
    );
CREATE TABLE items (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        payload TEXT NOT NULL
    );
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
