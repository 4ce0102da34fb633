"""Logs as streams of Arrow blocks: CSV, Parquet, lines of JSON, and a live market's journal.

No more than a block is held at a time. The format is told by the first bytes of the file: Parquet
by its mark, JSON by its brace, a journal by its first line; anything else is CSV, whose delimiter
is the one of ``, ; tab |`` with which the heading holds the names that are asked for. Text may be
compressed (``.gz``, ``.bz2``, ``.zst``). A line of more than 16 MiB is refused.
"""

import codecs
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from copyproof.inspect.journal import JOURNAL_COLUMNS, JournalReader, is_journal
from copyproof.inspect.problems import Problems
from copyproof.validation import FieldError, did_you_mean, shortened

MOST_LINE = 16 << 20  # bytes
_BLOCK = 8 << 20  # bytes of text that are read in one go
_ROWS = 1 << 20  # of a block of Parquet
_HEAD = 1 << 20  # bytes that must hold the first line
_DELIMITERS = ",;\t|"
_CONTROL = {*range(32), 127} - {*b"\t\n\r"}  # bytes that no text has


class Log:
    """A log that can be read once, block by block.

    Parameters
    ----------
    path : Path
        The file.
    fields : dict of str to str
        The columns that are needed, each with the field that names it; a journal has its own.
    problems : Problems
        Where rows that cannot be read are counted.

    Raises
    ------
    FieldError
        If the file cannot be read, or has no such column.
    """

    def __init__(self, path: Path, fields: Mapping[str, str], problems: Problems) -> None:
        self.path, self.problems, self.fields = path, problems, fields
        self.names = tuple(fields)
        self.rows = 0  # read so far
        self.skipped = 0  # lines that are no rows
        try:
            with self._stream() as stream:
                self._head = stream.read(_HEAD)
        except OSError as error:
            raise self._refused(f"cannot be read: {error.strerror or error}") from None
        self._first = self._head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
        if not self._first:
            raise self._refused("is empty: a log has a row at least")
        is_json = self._first == b"{"
        self.kind = "parquet" if self._head[:4] == b"PAR1" else "json" if is_json else "csv"
        self.journal: JournalReader | None = None
        if self.kind == "json" and is_journal(self._head):
            self.kind, self.names = "journal", JOURNAL_COLUMNS
            self.journal = JournalReader(path, problems)

    def blocks(self) -> Iterator[Any]:
        """Give the log as Arrow tables of the columns asked for."""
        import pyarrow as pa

        read = {
            "parquet": self._parquet,
            "csv": self._csv,
            "json": self._json,
            "journal": self._journal,
        }
        try:
            for block in read[self.kind]():
                yield block
                self.rows += block.num_rows
                self.problems.pass_rows(self.rows)
        except pa.ArrowInvalid as error:
            said = str(error).splitlines()[0]
            if "straddling" in said:
                said = f"a row after row {self.rows:,} is longer than {MOST_LINE >> 20} MiB"
            raise self._refused(f"cannot be read: {shortened(said, 200)}") from None
        except OSError as error:
            raise self._refused(f"cannot be read: {error}") from None

    def _refused(self, said: str) -> FieldError:
        return FieldError("LOG", str(self.path), "a log", f"= {self.path} {said}")

    def _stream(self) -> Any:
        import pyarrow as pa

        if not self.path.is_file():
            raise self._refused("is no file" if self.path.exists() else "does not exist")
        return pa.input_stream(str(self.path), compression="detect")

    def check_columns(self, there: Sequence[str]) -> None:
        """Refuse a column that is not there, with the names of those that are."""
        for name in self.names:
            if name not in there:
                found = shortened(", ".join(there), 200)
                accepted = f"a column of {self.path}, which has {found}"
                accepted += did_you_mean(name, there)
            elif there.count(name) > 1:
                accepted = f"a column of {self.path} that stands there once"
            else:
                continue
            raise FieldError(self.fields.get(name, "column"), name, accepted)

    def _parquet(self) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = pq.ParquetFile(self.path)
        self.check_columns(file.schema_arrow.names)
        texts = [
            name
            for name in self.names
            if pa.types.is_string(file.schema_arrow.field(name).type)
            or pa.types.is_large_string(file.schema_arrow.field(name).type)
        ]
        file = pq.ParquetFile(self.path, read_dictionary=texts)
        for group in range(file.num_row_groups):  # a reader of all of them keeps what it has read
            for batch in file.iter_batches(_ROWS, [group], columns=list(self.names)):
                yield pa.Table.from_batches([batch])

    def _csv(self) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        head, found, _ = self._head.lstrip(b"\r\n").partition(b"\n")
        if not found and len(self._head) == _HEAD:
            raise self._refused(f"has a first line of more than {_HEAD >> 20} MiB")
        try:
            heading = head.decode("utf-8-sig").rstrip("\r")
        except UnicodeDecodeError:
            raise self._refused("is neither Parquet nor text in UTF-8") from None
        try:
            columns = {one: next(csv.reader([heading], delimiter=one)) for one in _DELIMITERS}
        except csv.Error:
            said = self._no_lines_of_json() or "has a first line that is no heading"
            raise self._refused(said) from None
        best = max(_DELIMITERS, key=lambda one: len({*columns[one]} & {*self.names}))
        if not {*self.names} <= {*columns[best]} and set(self._head[:8192]) & _CONTROL:
            raise self._refused("is neither Parquet nor text in UTF-8")
        if not {*self.names} & {*columns[best]} and (said := self._no_lines_of_json()):
            raise self._refused(said)
        self.check_columns(columns[best])
        reader = arrow_csv.open_csv(
            self._stream(),
            read_options=arrow_csv.ReadOptions(block_size=MOST_LINE, use_threads=False),
            parse_options=arrow_csv.ParseOptions(
                delimiter=best, newlines_in_values=True, invalid_row_handler=self._bad_csv_row
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(self.names, pa.binary()),
                include_columns=list(self.names),
                strings_can_be_null=False,
            ),
        )
        for batch in reader:
            yield pa.Table.from_batches([batch])

    def _no_lines_of_json(self) -> str:
        """What is wrong with JSON that is one list, or whose objects go over several lines."""
        return "has no row: a JSON object on a line of its own" * (self._first in (b"[", b"{"))

    def _bad_csv_row(self, row: Any) -> str:
        what = f"{row.actual_columns} columns, where the heading has {row.expected_columns}"
        self._skip(what, row.number - 1, row.text)
        return "skip"

    def _skip(self, what: str, number: int, text: str) -> None:
        """Count a line that is no row, by its number in the file."""
        self.problems.add(what, number, text)
        self.problems.skip(number)
        self.skipped += 1

    def _json(self) -> Iterator[Any]:
        import pyarrow as pa

        there: dict[str, None] = {}  # a column may begin late
        for block in self._lines():
            table = self._json_block(block)
            there |= dict.fromkeys(table.column_names)
            for name in self.names:
                if name not in table.column_names:
                    table = table.append_column(name, pa.nulls(table.num_rows))
            yield table.select(list(self.names))
        if not any(there):
            raise self._refused(self._no_lines_of_json())
        self.check_columns(list(there))

    def _lines(self) -> Iterator[bytes]:
        """Give blocks of whole lines."""
        rest = b""
        with self._stream() as stream:
            while read := stream.read(_BLOCK):
                whole, found, rest = (rest + read).rpartition(b"\n")
                if found:
                    yield whole + b"\n"
                if len(rest) > MOST_LINE:
                    said = f"has a line of more than {MOST_LINE >> 20} MiB after row {self.rows:,}"
                    raise self._refused(said)
        if rest.strip():
            yield rest

    def _json_block(self, block: bytes) -> Any:
        import pyarrow as pa
        from pyarrow import json as arrow_json

        try:
            options = arrow_json.ReadOptions(block_size=len(block) + 1)
            return arrow_json.read_json(io.BytesIO(block), read_options=options)
        except pa.ArrowInvalid:  # some line is no object, or a column has two types: line by line
            return self._json_lines(block)

    def _json_lines(self, block: bytes) -> Any:
        import pyarrow as pa

        rows: list[dict[str, Any]] = []
        for line in block.splitlines():
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                number = self.rows + len(rows) + self.skipped + 1
                self._skip("no JSON object", number, line[:60].decode(errors="replace"))
                continue
            rows.append(row)
        there = dict.fromkeys(name for row in rows for name in row)
        return pa.table(
            {name: pa.array([_as_text(row.get(name)) for row in rows]) for name in there}
            or {"": pa.nulls(len(rows))}
        )

    def _journal(self) -> Iterator[Any]:
        assert self.journal is not None
        yield from self.journal.blocks(self._lines())
        self.skipped += self.journal.waiting


def _as_text(value: Any) -> str | None:
    """What stands in a line, where a column has values of several types."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    return json.dumps(value)
