"""The schema of the ledger, as a list of migrations.

Migration n takes a ledger from version n to n + 1. `PRAGMA user_version` is the version of a file. A released migration
must not change, since ledgers of users have already passed it. So what the columns mean is said here:

- `fingerprint` is a digest of the settings and prompts that a row was made with; `payload` and `facts` are JSON.
- `jobs.seq` is the place of a job in its plan, `instance_key` the digest of its base instance, `hardens` the job whose
  item it tries to make harder. A candidate has the id of its job.
- `calls.key` is the digest of a request. Its `purpose` is what was asked for, such as `verify`, and its `subject` the
  job or item that it is about.
- `batches.tag` is our name of a provider's batch. `planted.host` is the job that a planted item was made from.
"""

from __future__ import annotations

import sqlite3

from perturb.errors import LedgerError

STEPS: tuple[str, ...] = (
    # 0 -> 1: builds, from plans to decisions, and the calls of models.
    """
    CREATE TABLE plans (
        id INTEGER PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,
        config TEXT NOT NULL,
        facts TEXT NOT NULL,
        jobs INTEGER,
        current INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE instances (
        key TEXT PRIMARY KEY,
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
    CREATE INDEX jobs_by_generator ON jobs (plan, generator, seq);
    CREATE TABLE candidates (
        id TEXT PRIMARY KEY,
        lever TEXT NOT NULL,
        query TEXT NOT NULL,
        passages TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        expected_behavior TEXT NOT NULL,
        stated TEXT NOT NULL
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
    CREATE TABLE decisions (
        candidate_id TEXT NOT NULL,
        panel TEXT NOT NULL,
        acceptance TEXT NOT NULL,
        reason TEXT NOT NULL,
        audited INTEGER NOT NULL,
        PRIMARY KEY (candidate_id, panel)
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
    );
    CREATE INDEX calls_by_key ON calls (key) WHERE status = 'read';
    """,
    # 1 -> 2: evaluations.
    """
    CREATE TABLE items (
        id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,
        payload TEXT NOT NULL
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
    CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    );
    """,
    # 2 -> 3: reviews by people.
    """
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
    """,
    # 3 -> 4: what is charged to the budget: the cost of a call, or its highest possible cost.
    "ALTER TABLE calls ADD COLUMN charged_usd REAL NOT NULL DEFAULT 0;",
    # 4 -> 5: batches that a provider works on.
    """
    CREATE TABLE batches (
        tag TEXT PRIMARY KEY,
        model TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        input_file TEXT NOT NULL,
        batch_id TEXT,
        state TEXT NOT NULL
    );
    CREATE INDEX batches_by_fingerprint ON batches (fingerprint);
    CREATE TABLE batch_rows (
        tag TEXT NOT NULL,
        custom_id TEXT NOT NULL,
        taken INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (tag, custom_id)
    );
    CREATE INDEX batch_rows_waiting ON batch_rows (tag) WHERE taken = 0;
    """,
    # 5 -> 6: offers of several levers, of which a generator may decline some.
    """
    ALTER TABLE jobs RENAME COLUMN lever TO offers;
    UPDATE jobs SET offers = iif(offers IS NULL, 'null', json_array(json_array(offers)));
    ALTER TABLE jobs ADD COLUMN declined TEXT NOT NULL DEFAULT '{}';
    """,
    # 6 -> 7: calls by subject, and calls that answer for several subjects. Earlier, a vote without a call of its own
    # copied the vote on a twin, a candidate with the same texts. The insertion finds the call of the twin.
    """
    ALTER TABLE calls ADD COLUMN finish_reason TEXT;
    ALTER TABLE calls ADD COLUMN problem TEXT NOT NULL DEFAULT '';
    CREATE INDEX calls_by_subject ON calls (subject, model);
    DROP INDEX calls_by_key;
    CREATE INDEX calls_by_key ON calls (key);
    CREATE TABLE shared_calls (
        subject TEXT NOT NULL,
        model TEXT NOT NULL,
        purpose TEXT NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (subject, model, purpose, key)
    );
    INSERT OR IGNORE INTO shared_calls
    SELECT v.candidate_id, v.verifier, 'verify', calls.key
    FROM votes v
    JOIN candidates own ON own.id = v.candidate_id
    JOIN jobs job ON job.id = own.id
    JOIN candidates twin ON twin.query = own.query AND twin.passages = own.passages AND twin.lever = own.lever
    JOIN jobs other ON other.id = twin.id AND other.instance_key = job.instance_key
        AND other.perturbation_class = job.perturbation_class AND other.intensity = job.intensity
    JOIN calls ON calls.subject = twin.id AND calls.model = v.verifier AND calls.purpose = 'verify'
        AND calls.reply = v.raw
    WHERE NOT EXISTS (
        SELECT 1 FROM calls c
        WHERE c.subject = v.candidate_id AND c.model = v.verifier AND c.purpose = 'verify'
    );
    """,
    # 7 -> 8: panels of judges.
    """
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
    """,
    # 8 -> 9: planted items.
    """
    ALTER TABLE plans ADD COLUMN planted TEXT;
    CREATE TABLE planted (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        host TEXT NOT NULL,
        payload TEXT NOT NULL
    );
    CREATE TABLE planted_votes (
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
    """,
    # 9 -> 10: deep items, and the decision of a verifier about them before it saw the claim.
    """
    ALTER TABLE jobs ADD COLUMN depth TEXT NOT NULL DEFAULT 'open';
    ALTER TABLE jobs ADD COLUMN constructions TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE votes ADD COLUMN blind TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE planted_votes ADD COLUMN blind TEXT NOT NULL DEFAULT '{}';
    """,
    # 10 -> 11: solvers, which show how hard an item is.
    """
    CREATE TABLE solver_replies (
        candidate_id TEXT NOT NULL,
        solver TEXT NOT NULL,
        sample INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        outcome TEXT,
        detail TEXT NOT NULL,
        raw TEXT NOT NULL,
        judged TEXT NOT NULL,
        PRIMARY KEY (candidate_id, solver, sample, fingerprint)
    );
    """,
    # 11 -> 12: rules of the panel for single classes.
    "ALTER TABLE plans ADD COLUMN rules TEXT;",
    # 12 -> 13: harder versions of items.
    """
    ALTER TABLE jobs ADD COLUMN hardens TEXT;
    CREATE INDEX jobs_hardens ON jobs (hardens) WHERE hardens IS NOT NULL;
    """,
)

APPLICATION_ID = 0x50455254
"""Marks a SQLite file as a perturb ledger ("PERT")."""


def migrate(connection: sqlite3.Connection, name: str) -> None:
    """Bring the ledger to the newest version, one committed step at a time.

    Raises `LedgerError` if the file is not a ledger of ours, or was written by a newer perturb.
    """
    version = check_version(connection, name)
    # With a write-ahead log, reports can read while the writer works.
    connection.execute("PRAGMA journal_mode = WAL")
    # Version and application id change in the transaction of the step, so that an interrupted migration leaves no
    # mixture.
    for number in range(version, len(STEPS)):
        connection.executescript(
            f"BEGIN IMMEDIATE; {STEPS[number]} PRAGMA application_id = {APPLICATION_ID};"
            f" PRAGMA user_version = {number + 1}; COMMIT;"
        )


def check_version(connection: sqlite3.Connection, name: str) -> int:
    """The version of a ledger; 0 for an empty file. Nothing is changed.

    Raises `LedgerError` if the file is not a ledger of ours, or was written by a newer perturb.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    marked = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    # An empty file has no mark yet and becomes a ledger.
    if tables and marked != APPLICATION_ID:
        raise LedgerError(f"{name}: not a perturb ledger: choose another run name or move the file away")
    if version > len(STEPS):
        raise LedgerError(
            f"{name}: written by a newer perturb (ledger version {version}, this one knows {len(STEPS)}):"
            " upgrade perturb"
        )
    return version
