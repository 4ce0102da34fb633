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
)

# The version that this code reads and writes.
VERSION = len(STEPS)

# The columns of a market's chain, and its generations.
CHAIN = ("secret", "begins", "cut", "head", "generations")

# What ``dump`` gives of every table, in this order of tables.
COLUMNS = {
    "keys": ("id", "body"),
    "markets": ("name", "config", "last", "compacted", "token", *CHAIN),
    "events": ("market", "number", "body", "mark"),
    "snapshots": ("market", "number", "data", "digest", "sum"),
    "parts": ("market", "number", "part", "data"),
}
