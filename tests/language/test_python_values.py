"""Python values as arguments: what each becomes, and what is refused (rule 45)."""

from __future__ import annotations

import datetime as dt
import enum
import ipaddress
import subprocess
import sys
import uuid
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pydantic
import pytest

from mcp_magic.errors import ArgumentError
from mcp_magic.language import bind, values
from mcp_magic.model import Json, Schema, Secret

_ANY: Schema = {"properties": {"v": {}}}


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclass
class Point:
    x: int
    when: dt.date


class Person(pydantic.BaseModel):
    name: str
    born: dt.date = pydantic.Field(alias="birthDate")


Pair = namedtuple("Pair", ["a", "b"])  # noqa: PYI024 - as people write them


def _sent(value: object, schema: Json = None) -> Json:
    whole: Schema = {"properties": {"v": {} if schema is None else schema}}
    return dict(bind(values((), {"v": value}), whole).values)["v"]


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (True, True),
        (2**70, 2**70),
        ("a", "a"),
        ((1, (2,)), [1, [2]]),
        (range(3), [0, 1, 2]),
        (deque([1]), [1]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset([1]), [1]),
        ({"a": 1}.keys(), ["a"]),
        ({"a": 1}.values(), [1]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        ({1: "x", Color.RED: 2}, {"1": "x", "red": 2}),
        (Pair(1, "x"), [1, "x"]),
        (dt.date(2026, 11, 30), "2026-11-30"),
        (dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC), "2026-11-30T12:00:00+00:00"),
        (dt.time(12, 30), "12:30:00"),
        (dt.timedelta(days=1, seconds=3661, microseconds=500000), "P1DT1H1M1.5S"),
        (dt.timedelta(seconds=-90), "-PT1M30S"),
        (dt.timedelta(0), "PT0S"),
        (PurePosixPath("/a/b"), "/a/b"),
        (PureWindowsPath("C:/new"), r"C:\new"),
        (b"\x00\xff", "AP8="),
        (bytearray(b"hi"), "aGk="),
        (memoryview(b"hi"), "aGk="),
        (Color.RED, "red"),
        (Level.HIGH, 3),
        (Point(1, dt.date(2026, 1, 2)), {"x": 1, "when": "2026-01-02"}),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (ipaddress.ip_address("::1"), "::1"),
        (Decimal("1.5"), 1.5),
        (Decimal(12), 12),
        (Decimal("0.1234567890123456789"), "0.1234567890123456789"),
        (float("nan"), None),
    ],
    ids=lambda value: f"{type(value).__name__}-{value!s:.30}",
)
def test_a_standard_value_has_a_json_form(value: object, sent: Json) -> None:
    found = _sent(value)
    assert found == sent
    assert type(found) is type(sent)


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (np.int64(5), 5),
        (np.float32(0.5), 0.5),
        (np.bool_(1), True),
        (np.str_("a"), "a"),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array(7), 7),
        (np.array([0.5, np.nan]), [0.5, None]),
        (np.array(["a", None], dtype=object), ["a", None]),
        (np.datetime64("2026-11-30T12:00:00"), "2026-11-30T12:00:00"),
        (np.datetime64("NaT", "s"), None),
        (np.array(["2026-11-30"], "datetime64[ns]"), ["2026-11-30T00:00:00.000000000"]),
        (np.timedelta64(90, "m"), "PT1H30M"),
        (pd.Series([1, None]), [1.0, None]),
        (pd.Series(["a", pd.NA], dtype="string"), ["a", None]),
        (pd.Series(["x", "y"], dtype="category"), ["x", "y"]),
        (pd.Index([1, 2]), [1, 2]),
        (pd.Timestamp("2026-11-30 12:00"), "2026-11-30T12:00:00"),
        (pd.NaT, None),
        (pd.Timedelta("90min"), "PT1H30M"),
        (
            pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
            [{"a": 1, "b": "x"}, {"a": 2, "b": None}],
        ),
        (
            pd.DataFrame({"t": [pd.Timestamp("2026-11-30")]}),
            [{"t": "2026-11-30T00:00:00"}],
        ),
        (pd.DataFrame({"a": []}), []),
    ],
    ids=lambda value: f"{type(value).__name__}-{value!s:.30}".replace("\n", " "),
)
def test_numpy_and_pandas_become_lists_and_records(value: object, sent: Json) -> None:
    assert _sent(value) == sent


def test_a_pydantic_model_is_a_mapping_by_its_aliases() -> None:
    person = Person(name="Ann", birthDate=dt.date(2000, 1, 2))
    assert _sent([person]) == [{"name": "Ann", "birthDate": "2000-01-02"}]


@pytest.mark.parametrize(
    ("value", "schema", "sent"),
    [
        (Decimal("1.50"), {"type": "string"}, "1.50"),
        (Decimal("1.5"), {"type": "number"}, 1.5),
        (Decimal("5.0"), {"type": "integer"}, 5),
        (5.0, {"type": "integer"}, 5),
        (5.0, {"type": "number"}, 5.0),
        (float("nan"), {"type": ["number", "null"]}, None),
        ([float("inf")], {"items": {"type": ["number", "null"]}}, [None]),
        (
            {"a": Decimal("1.5")},
            {"additionalProperties": {"type": "string"}},
            {"a": "1.5"},
        ),
        (
            pd.Series([1.0, np.nan]),
            {"items": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
            [1.0, None],
        ),
    ],
    ids=lambda value: str(value)[:30].replace("\n", " "),
)
def test_the_schema_decides_where_python_is_finer_than_json(
    value: object, schema: Json, sent: Json
) -> None:
    found = _sent(value, schema)
    assert found == sent
    assert type(found) is type(sent)


_CYCLE: list[object] = []
_CYCLE.append(_CYCLE)
_DEEP: object = []
for _ in range(150):
    _DEEP = [_DEEP]


@pytest.mark.parametrize(
    ("value", "schema", "says"),
    [
        (object(), None, "of type object has no JSON form"),
        (iter([1]), None, "can be read only once; make it a list"),
        ((x for x in [1]), None, "make it a list"),
        (1j, None, "of type complex"),
        (np.complex64(1j), None, "complex"),
        (Secret("x"), None, "of type Secret"),
        (int, None, "of type type"),
        ({(1, 2): 3}, None, "a key of a mapping is of type tuple"),
        ({True: 3}, None, "a key of a mapping is of type bool"),
        ({1: "a", "1": "b"}, None, "two keys of a mapping read '1'"),
        (_CYCLE, None, "contains itself"),
        (_DEEP, None, "more than 100 levels"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "two columns"),
        (float("nan"), {"type": "number"}, "may not be null"),
        (float("-inf"), {"type": "number"}, "is -inf"),
        (Decimal("0.1234567890123456789"), {"type": "number"}, "holds exactly"),
        ("5", {"type": "integer"}, "a whole number"),
        (5, {"type": "string"}, "a text"),
        (True, {"type": "integer"}, "a whole number"),
        ("a", {"type": "array"}, "a list"),
    ],
    ids=lambda value: f"{type(value).__name__}-{value!s:.20}".replace("\n", " "),
)
def test_what_has_no_json_form_is_refused(
    value: object, schema: Json, says: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        _sent(value, schema)
    assert says in str(caught.value)


def test_the_same_list_twice_is_no_cycle() -> None:
    same = [1]
    assert _sent([same, same]) == [[1], [1]]


def test_a_model_that_cannot_be_written_says_so() -> None:
    class Odd(pydantic.BaseModel):
        data: Any

    with pytest.raises(ArgumentError, match="cannot be written as JSON"):
        _sent(Odd(data=b"\xff"))


def test_numpy_and_pandas_are_not_imported_for_this() -> None:
    program = (
        "import sys; from mcp_magic.language import bind, values;"
        "bind(values((), {'v': [1, 'a', {'b': None}]}), {'properties': {'v': {}}});"
        "print([m for m in ('numpy', 'pandas', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
