"""The tables, as the steps that lead from one version of the schema to the next.

A new database walks all of them, so every step is walked by every test. A step is never changed
once it was released; what must change is a new step. The words are those that SQLite and
PostgreSQL share.

| table | a row is |
|---|---|
| markets | a market: configuration, last event, up to where compacted, lease, chain, generations |
| events | an event: market, number, JSON text, and how the chain's head after it begins |
| snapshots | a state after an event: its first bytes, the caller's digest, our own checksum |
| parts | more bytes of a snapshot, as no database takes a gigabyte at once: number 1, 2, ... |
| keys | an API key: id, JSON text |
| changes | how many changes there were of "keys", and which was the last to drop one |
| key_changes | an API key: id, and which change was its last |

Changes of keys are noted by triggers, so that none is missed, whoever makes it.
"""

# Stands for the type of bytes, the one word that differs.
BLOB = "{blob}"

STEPS: tuple[tuple[str, ...], ...] = (
    # 1: journals, snapshots and keys.
    (
        "CREATE TABLE markets (name TEXT PRIMARY KEY, config TEXT NOT NULL)",
        "CREATE TABLE events (market TEXT NOT NULL, number BIGINT NOT NULL, body TEXT NOT NULL,"
        " PRIMARY KEY (market, number)) {without_rowid}",
        "CREATE TABLE snapshots (market TEXT NOT NULL, number BIGINT NOT NULL,"
        f" data {BLOB} NOT NULL, digest TEXT NOT NULL, sum TEXT NOT NULL,"
        " PRIMARY KEY (market, number))",
        "CREATE TABLE keys (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
    ),
    # 2: leases; and the ends of a journal are kept, as compaction may leave no event behind.
    (
        "ALTER TABLE markets ADD COLUMN last BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE markets ADD COLUMN compacted BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE markets ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE markets ADD COLUMN token BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE markets ADD COLUMN since DOUBLE PRECISION NOT NULL DEFAULT 0",
        "ALTER TABLE markets ADD COLUMN until DOUBLE PRECISION NOT NULL DEFAULT 0",
        "UPDATE markets SET"
        " last = COALESCE((SELECT max(number) FROM events WHERE market = name), 0),"
        " compacted = COALESCE((SELECT min(number) - 1 FROM events WHERE market = name), 0)",
    ),
    # 3: snapshots of any size.
    (
        "CREATE TABLE parts (market TEXT NOT NULL, number BIGINT NOT NULL, part BIGINT NOT NULL,"
        f" data {BLOB} NOT NULL, PRIMARY KEY (market, number, part))",
    ),
    # 4: the hash chain, and what ids are made of. Markets without a secret get theirs, and a chain
    # that begins after their last event, from ``sql.begin_chains``.
    (
        "ALTER TABLE markets ADD COLUMN secret TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE markets ADD COLUMN begins BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE markets ADD COLUMN cut TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE markets ADD COLUMN head TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE markets ADD COLUMN generations TEXT",
    ),
    # 5: how the chain's head begins after an event, so that a check can name the one that is wrong.
    ("ALTER TABLE events ADD COLUMN mark TEXT",),
    # 6: keys are read by change; the triggers, which the databases write differently, are below.
    (
        "CREATE TABLE changes (name TEXT PRIMARY KEY, number BIGINT NOT NULL)",
        "INSERT INTO changes (name, number) VALUES ('keys', 0), ('dropped keys', 0)",
        "CREATE TABLE key_changes (id TEXT PRIMARY KEY, number BIGINT NOT NULL)",
        "CREATE INDEX key_changes_in_order ON key_changes (number)",
    ),
    # 7: what operators did; and who serves the store, which no copy of it holds.
    (
        "CREATE TABLE actions (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
        "CREATE TABLE processes (owner TEXT PRIMARY KEY, address TEXT NOT NULL,"
        " until DOUBLE PRECISION NOT NULL)",
    ),
    # 8: answers to operators' requests by idempotency key, and ids of keys that were forgotten.
    (
        "CREATE TABLE answers (id TEXT PRIMARY KEY, until DOUBLE PRECISION NOT NULL,"
        " body TEXT NOT NULL)",
    ),
)

_COUNT = "UPDATE changes SET number = number + 1 WHERE name = 'keys'"
_DROP = (
    "UPDATE changes SET number = (SELECT number FROM changes WHERE name = 'keys')"
    " WHERE name = 'dropped keys'; DELETE FROM key_changes WHERE id"
)
# Row by row in SQLite, in which a statement changes one key; with step 6.
SQLITE_TRIGGERS = (
    *(
        f"CREATE TRIGGER key_{event.lower()} AFTER {event} ON keys BEGIN {_COUNT};"
        " DELETE FROM key_changes WHERE id = new.id; INSERT INTO key_changes (id, number)"
        " SELECT new.id, number FROM changes WHERE name = 'keys'; END"
        for event in ("INSERT", "UPDATE")
    ),
    f"CREATE TRIGGER key_delete AFTER DELETE ON keys BEGIN {_COUNT}; {_DROP} = old.id; END",
)
# Statement by statement in PostgreSQL: one row that is counted up a hundred thousand times in a
# transaction gets slow. The row stays locked until the commit, so that numbers are seen in order.
_FUNCTION = "() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN"
POSTGRES_TRIGGERS = (
    f"CREATE FUNCTION note_keys{_FUNCTION} {_COUNT}; INSERT INTO key_changes (id, number)"
    " SELECT touched.id, changes.number FROM touched, changes WHERE changes.name = 'keys'"
    " ON CONFLICT (id) DO UPDATE SET number = excluded.number; RETURN NULL; END $$",
    f"CREATE FUNCTION note_dropped_keys{_FUNCTION} {_COUNT};"
    f" {_DROP} IN (SELECT id FROM touched); RETURN NULL; END $$",
    *(
        f"CREATE TRIGGER key_{event.lower()} AFTER {event} ON keys REFERENCING {rows} TABLE AS"
        f" touched FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
        for event, rows, function in (
            ("INSERT", "NEW", "note_keys"),
            ("UPDATE", "NEW", "note_keys"),
            ("DELETE", "OLD", "note_dropped_keys"),
        )
    ),
)
# The step after which they are made.
WITH_TRIGGERS = 6

# The version that this code reads and writes.
VERSION = len(STEPS)

# SQLite writes a page whole, even for one event, and every market's events lie on pages of their
# own. So those of groups of many markets are first put side by side, and settle later, many at
# once. To whoever reads, changes or deletes events, both are one table.
_EVENT = "market = old.market AND number = old.number"
_SET = "market = new.market, number = new.number, body = new.body, mark = new.mark"
SQLITE_NEWEST = (
    "ALTER TABLE events RENAME TO settled_events",
    "CREATE TABLE newest_events (market TEXT NOT NULL, number BIGINT NOT NULL, body TEXT NOT NULL,"
    " mark TEXT, PRIMARY KEY (market, number)) WITHOUT ROWID",
    "CREATE VIEW events AS SELECT market, number, body, mark FROM settled_events"
    " UNION ALL SELECT market, number, body, mark FROM newest_events",
    "CREATE TRIGGER events_insert INSTEAD OF INSERT ON events BEGIN INSERT INTO settled_events"
    " (market, number, body, mark) VALUES (new.market, new.number, new.body, new.mark); END",
    *(
        f"CREATE TRIGGER events_{change.lower()} INSTEAD OF {change} ON events BEGIN"
        f" {begin.format('settled_events')} WHERE {_EVENT};"
        f" {begin.format('newest_events')} WHERE {_EVENT}; END"
        for change, begin in (("DELETE", "DELETE FROM {}"), ("UPDATE", f"UPDATE {{}} SET {_SET}"))
    ),
)
SQLITE_VERSION = VERSION + 1
# By market and number, as they are laid above, the newest events of a group lie on as many pages.
# Now they lie as they come, on one or two, and a query looks through all of them, which are few.
# This is no version of its own: the earlier code reads and writes them here as it did there.
SQLITE_BY_MARKET = "SELECT 1 FROM pragma_index_list('newest_events')"
SQLITE_AS_THEY_COME = (
    "INSERT INTO settled_events SELECT market, number, body, mark FROM newest_events",
    "DROP TABLE newest_events",
    "CREATE TABLE newest_events (market TEXT NOT NULL, number BIGINT NOT NULL, body TEXT NOT NULL,"
    " mark TEXT)",
)

# The columns of a market's chain, and its generations.
CHAIN = ("secret", "begins", "cut", "head", "generations")

# What ``dump`` gives of every table, in this order of tables.
COLUMNS = {
    "keys": ("id", "body"),
    "actions": ("id", "body"),
    "answers": ("id", "until", "body"),
    "markets": ("name", "config", "last", "compacted", "token", *CHAIN),
    "events": ("market", "number", "body", "mark"),
    "snapshots": ("market", "number", "data", "digest", "sum"),
    "parts": ("market", "number", "part", "data"),
}
