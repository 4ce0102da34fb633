"""The tables, as the steps that lead from one version of the schema to the next.

A new database walks all of them. A step is never changed once it was released; what must change is
a new step. A database of a later version is refused. The words are those that SQLite and PostgreSQL
share, and what differs stands beside them.

| table | a row is |
|---|---|
| markets | a market: configuration, last event, up to where compacted, lease, chain, generations |
| events | an event: market, number, JSON text, and how the chain's head after it begins |
| snapshots | a state after an event: its first bytes, the caller's digest, our own checksum |
| parts | more bytes of a snapshot, as no database takes a gigabyte at once: number 1, 2, ... |
| keys | an API key: id, JSON text |
| changes | how many changes there were of "keys", which was the last to drop one, and who serves |
| key_changes | an API key: id, and which change was its last |
| actions | what an operator did: id, JSON text |
| processes | who serves the store, which no copy of it holds |
| answers | an answer to an operator by idempotency key, or the id of a key that was forgotten |

Changes of keys are noted by triggers, so that none is missed, whoever makes it.
"""

from typing import NamedTuple


class Step(NamedTuple):
    """What leads to a version from the one before: for both databases, and for one of them."""

    shared: tuple[str, ...]
    sqlite: tuple[str, ...] = ()
    postgres: tuple[str, ...] = ()


# Stands for the type of bytes, the one word that differs.
BLOB = "{blob}"

_TABLES = (
    "CREATE TABLE markets (name TEXT PRIMARY KEY, config TEXT NOT NULL,"
    " last BIGINT NOT NULL DEFAULT 0, compacted BIGINT NOT NULL DEFAULT 0,"
    " owner TEXT NOT NULL DEFAULT '', token BIGINT NOT NULL DEFAULT 0,"
    " since DOUBLE PRECISION NOT NULL DEFAULT 0, until DOUBLE PRECISION NOT NULL DEFAULT 0,"
    " secret TEXT NOT NULL, opening TEXT NOT NULL, cut TEXT NOT NULL, head TEXT NOT NULL,"
    " generations TEXT NOT NULL)",
    "CREATE TABLE snapshots (market TEXT NOT NULL, number BIGINT NOT NULL,"
    f" data {BLOB} NOT NULL, digest TEXT NOT NULL, sum TEXT NOT NULL,"
    " PRIMARY KEY (market, number))",
    "CREATE TABLE parts (market TEXT NOT NULL, number BIGINT NOT NULL, part BIGINT NOT NULL,"
    f" data {BLOB} NOT NULL, PRIMARY KEY (market, number, part))",
    "CREATE TABLE keys (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE changes (name TEXT PRIMARY KEY, number BIGINT NOT NULL)",
    "INSERT INTO changes (name, number) VALUES ('keys', 0), ('dropped keys', 0)",
    "CREATE TABLE key_changes (id TEXT PRIMARY KEY, number BIGINT NOT NULL)",
    "CREATE INDEX key_changes_in_order ON key_changes (number)",
    "CREATE TABLE actions (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE processes (owner TEXT PRIMARY KEY, address TEXT NOT NULL,"
    " until DOUBLE PRECISION NOT NULL)",
    "CREATE TABLE answers (id TEXT PRIMARY KEY, until DOUBLE PRECISION NOT NULL,"
    " body TEXT NOT NULL)",
)
_EVENTS = "(market TEXT NOT NULL, number BIGINT NOT NULL, body TEXT NOT NULL, mark TEXT"
_IN_ORDER = f"{_EVENTS}, PRIMARY KEY (market, number))"

_COUNT = "UPDATE changes SET number = number + 1 WHERE name = 'keys'"
_DROP = (
    "UPDATE changes SET number = (SELECT number FROM changes WHERE name = 'keys')"
    " WHERE name = 'dropped keys'; DELETE FROM key_changes WHERE id"
)
# Row by row in SQLite, in which a statement changes one key.
_SQLITE_TRIGGERS = (
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
_POSTGRES_TRIGGERS = (
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
# SQLite writes a page whole, even for one event, and every market's events lie on pages of their
# own. So those of groups of many markets are first put side by side, and settle later, many at
# once. They lie as they come, on one or two pages, and a query looks through all of them, which are
# few. To whoever reads, changes or deletes events, both are one table.
_EVENT = "market = old.market AND number = old.number"
_SET = "market = new.market, number = new.number, body = new.body, mark = new.mark"
_SQLITE_EVENTS = (
    f"CREATE TABLE settled_events {_IN_ORDER} WITHOUT ROWID",
    f"CREATE TABLE newest_events {_EVENTS})",
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

STEPS: tuple[Step, ...] = (
    Step(
        _TABLES,
        sqlite=(*_SQLITE_EVENTS, *_SQLITE_TRIGGERS),
        postgres=(f"CREATE TABLE events {_IN_ORDER}", *_POSTGRES_TRIGGERS),
    ),
)


def version() -> int:
    """Return the version that this code reads and writes.

    Examples
    --------
    >>> version()
    1
    """
    return len(STEPS)


def refusal(found: int) -> str | None:
    """Say in one line why a database of a version is refused; None if it is not.

    Examples
    --------
    >>> refusal(9)
    'schema version 9 is not 1, the newest that this program opens'
    """
    if found <= version():
        return None
    return f"schema version {found} is not {version()}, the newest that this program opens"


# The columns of a market's chain, and its generations.
CHAIN = ("secret", "opening", "cut", "head", "generations")

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
