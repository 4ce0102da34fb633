"""The grammar of policies' texts: what is written reads back; what is none is a FieldError."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copyproof import parse_policy
from copyproof.policy.syntax import Call, parse, place_of
from copyproof.validation import FieldError

WORDS = st.from_regex(r"[a-zA-Z_][\w.:/*+-]*", fullmatch=True)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]*", fullmatch=True)
LITERALS: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
FINITE = LITERALS.filter(lambda value: "inf" not in repr(value))
"""Python does not read back the infinity that it writes."""
ARGUMENTS: st.SearchStrategy[Call] = st.recursive(
    st.builds(Call, WORDS | FINITE.map(repr)),
    lambda inner: st.builds(
        Call,
        NAMES,
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(WORDS, inner, max_size=2),
    ),
    max_leaves=6,
)
CALLS = st.builds(
    Call,
    NAMES,
    st.lists(ARGUMENTS, max_size=3).map(tuple),
    st.dictionaries(WORDS, ARGUMENTS, max_size=2),
)
PIECES = ["h-ucb", "fair", "river", "f.py", "L", "3", "-1e3", "nan", "'a, b'", '"', "'", "\\", "#"]
PIECES += [*"()[]{},=:", " ", "\n", "\x00", "\ud800", "1_0", "set", "**", "0x", "é", "9" * 5000]


@given(CALLS)
def test_what_is_written_is_read_back(call: Call) -> None:
    assert parse(str(call)) == call


@given(CALLS, st.sampled_from(["river", "a.b", "dir (1)/f.py", r"C:\x\f.py", "a=b,c.py", "'q'.py"]))
def test_a_place_may_stand_in_front(call: Call, place: str) -> None:
    text = f"{place}:{call}"
    assert place_of(text) == place
    assert parse(text) == Call(call.name, call.positional, call.named, place)
    assert str(parse(text)) == text


@given(FINITE)
def test_python_literals_keep_their_values(value: object) -> None:
    for text in (f"f(x={value!r})", f"a.b:f( x = {value!r} ,)"):
        assert parse(text).parameters() == {"x": value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plays", "plays"),
        ("smp/bin/python", "smp/bin/python"),
        ("'two words'", "two words"),
        ("'a' 'b'", "ab"),
        (r"r'\d'", r"\d"),
        (r"'\d'", r"\d"),
        ("b'x'", b"x"),
        ("- 1", -1),
        ("1 + 2j", 1 + 2j),
        ("[1,\n2]", [1, 2]),
        ("inf", float("inf")),
        ("1e999", float("inf")),
        ("1_000", 1000),
        ("007", 7.0),
        ("set()", set()),
        ("'#'", "#"),
    ],
)
def test_values(written: str, value: object) -> None:
    found = parse(f"name(key={written})").parameters()["key"]
    assert found == value
    assert type(found) is type(value)


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
@example("f(" * 300)
@example("a:f(x=" + "[" * 1000 + "]" * 1000 + ")")
@example("a:f(x=" + "-" * 5000 + "1)")
@example("f(x={[1]: 2})")
@example("f(x=1#)")
def test_no_text_does_worse_than_a_field_error(text: str) -> None:
    for read in (parse, lambda text: parse(text).parameters(), parse_policy):
        said = ""
        try:
            read(text)
        except FieldError as error:
            said = str(error)
        assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(b=1 c=2)", "cannot be read at 'c'; write NAME or NAME(KEY=VALUE, ...)"),
        ("a(b==1)", "cannot be read at '='; write"),
        ("a(b=1#2)", "cannot be read at '#'; write"),
        ("a('b'c)", "cannot be read at 'c'; write"),
        ("a([1)", "cannot be read at '['; write"),
        ("a(,)", "cannot be read at ','; write"),
        ("a((=1)", "cannot be read at '('; write"),
        ("a(b=1, b=2)", "policy = 'a(b=1, b=2)': b is given twice"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(FieldError, match=re.escape(message)) as caught:
        parse(text)
    assert (caught.value.field, caught.value.value) == ("policy", text)


def test_a_call_is_not_a_value() -> None:
    with pytest.raises(FieldError, match=r"^b = f\(1\) is not a literal such as 1, 0.5, 'word'"):
        parse("a(b=f(1))").parameters()
