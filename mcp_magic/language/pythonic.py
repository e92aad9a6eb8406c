"""Turns Python values into JSON (rule 45).

Numpy, pandas and pydantic are recognised if the notebook has loaded them; they are
never imported from here.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import enum
import math
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from decimal import Decimal
from pathlib import PurePath
from typing import Protocol, TypeAlias, cast

from mcp_magic.language.jsontext import DEPTH

__all__ = ["NotJson", "Pending", "pythonic"]

Pending: TypeAlias = object
"""JSON in which Decimals and floats that are no numbers may still stand."""

_AS_TEXT = {
    "uuid": ("UUID",),
    "ipaddress": ("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"),
}


class _Type(Protocol):
    kind: str


class _Array(Protocol):
    """A numpy array or scalar."""

    ndim: int
    dtype: _Type

    def tolist(self) -> list[object]: ...
    def item(self) -> object: ...
    def astype(self, dtype: str) -> _Array: ...
    def __iter__(self) -> Iterator[object]: ...


class _Columns(Protocol):
    is_unique: bool


class _Frame(Protocol):
    """A pandas frame."""

    columns: _Columns

    def to_dict(self, orient: str) -> list[object]: ...


class _Column(Protocol):
    """A pandas series or index."""

    def tolist(self) -> list[object]: ...


class _Model(Protocol):
    """A pydantic model."""

    def model_dump(self, *, mode: str, by_alias: bool) -> object: ...


class NotJson(ValueError):
    """A Python value has no JSON form; the message says what to do."""


def pythonic(value: object) -> tuple[Pending, bool]:
    """Return *value* as JSON.

    Returns:
        The JSON, and whether Decimals or floats such as NaN are in it, about which
        the schema decides.

    Raises:
        NotJson: Something in it has no JSON form.
    """
    reader = _Reader()
    return reader.read(value), reader.pending


class _Reader:
    def __init__(self) -> None:
        self.pending = False
        self.open: set[int] = set()

    def read(self, value: object) -> Pending:
        """Return one value as JSON."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, enum.Enum):
            return self.read(value.value)
        if isinstance(value, str):
            return value if type(value) is str else str.__str__(value)
        if isinstance(value, int):
            return value if type(value) is int else int(value)
        if isinstance(value, float):
            return self._float(float(value))
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list | tuple):
            return self._items(value, value)
        return self._other(value)

    def _float(self, value: float) -> float:
        self.pending = self.pending or not math.isfinite(value)
        return value

    def _mapping(self, value: Mapping[object, object]) -> Pending:
        found: dict[str, Pending] = {}
        with self._inside(value):
            for key, item in value.items():
                name = _key(key)
                if name in found:
                    raise NotJson(f"two keys of a mapping read {name[:40]!r}")
                found[name] = self.read(item)
        return found

    def _items(self, value: object, items: Sequence[object]) -> Pending:
        with self._inside(value):
            return [self.read(item) for item in items]

    @contextmanager
    def _inside(self, value: object) -> Iterator[None]:
        if id(value) in self.open:
            raise NotJson("the value contains itself")
        if len(self.open) >= DEPTH:
            raise NotJson(f"the value is nested more than {DEPTH} levels deep")
        self.open.add(id(value))
        yield
        self.open.discard(id(value))

    def _other(self, value: object) -> Pending:
        if isinstance(value, Decimal):
            self.pending = True
            return value
        if isinstance(value, dt.date | dt.time | dt.timedelta):
            return self._moment(value)
        if isinstance(value, PurePath):
            return str(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return base64.b64encode(value).decode("ascii")
        for read in (self._numpy, self._pandas, self._pydantic, self._named):
            found = read(value)
            if found is not _OTHER:
                return found
        return self._standard(value)

    def _moment(self, value: dt.date | dt.time | dt.timedelta) -> Pending:
        if type(value).__name__ == "NaTType":
            return self._float(math.nan)
        if isinstance(value, dt.timedelta):
            return _duration(value)
        return value.isoformat()

    def _standard(self, value: object) -> Pending:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            members = {
                one.name: getattr(value, one.name) for one in dataclasses.fields(value)
            }
            return self._items_of(value, members)
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, AbstractSet):
            return self._items(value, _sorted(value))
        if isinstance(value, Sequence | ValuesView | deque):
            return self._items(value, list(value))
        raise NotJson(_refusal(value))

    def _items_of(self, value: object, members: Mapping[str, object]) -> Pending:
        with self._inside(value):
            return {name: self.read(item) for name, item in members.items()}

    def _numpy(self, value: object) -> Pending:
        if _is(value, "numpy", "ndarray"):
            array = cast("_Array", value)
            if array.ndim:
                # Moments keep their unit only one by one.
                whole = array.dtype.kind not in "mMOV"
                return self._items(value, array.tolist() if whole else list(array))
        elif not _is(value, "numpy", "generic"):
            return _OTHER
        return self._scalar(cast("_Array", value))

    def _scalar(self, value: _Array) -> Pending:
        if value.dtype.kind == "M":
            text = str(value)
            return self._float(math.nan) if text == "NaT" else text
        if value.dtype.kind == "m":
            value = value.astype("timedelta64[us]")
        plain = value.item()
        if _is(plain, "numpy", "generic") or isinstance(plain, complex):
            raise NotJson(_refusal(plain))
        return self._float(math.nan) if plain is None else self.read(plain)

    def _pandas(self, value: object) -> Pending:
        if _is(value, "pandas", "DataFrame"):
            frame = cast("_Frame", value)
            if not frame.columns.is_unique:
                raise NotJson("two columns of the frame have one name")
            return self._items(value, frame.to_dict("records"))
        if _is(value, "pandas", "Series", "Index", "Categorical"):
            return self._items(value, cast("_Column", value).tolist())
        if type(value).__name__ == "NAType":
            return self._float(math.nan)
        return _OTHER

    def _pydantic(self, value: object) -> Pending:
        if not _is(value, "pydantic", "BaseModel"):
            return _OTHER
        try:
            dumped = cast("_Model", value).model_dump(mode="json", by_alias=True)
        except Exception as error:
            # Whatever the model's own serialisers raise.
            raise NotJson(f"the model cannot be written as JSON: {error}") from error
        return self.read(dumped)

    def _named(self, value: object) -> Pending:
        for module, names in _AS_TEXT.items():
            if _is(value, module, *names):
                return str(value)
        return _OTHER


_OTHER = object()


def _is(value: object, module: str, *names: str) -> bool:
    """Return whether *value* is of a class of a module that is loaded."""
    loaded = sys.modules.get(module)
    kinds = [getattr(loaded, name, None) for name in names]
    return any(isinstance(kind, type) and isinstance(value, kind) for kind in kinds)


def _key(key: object) -> str:
    if isinstance(key, enum.Enum):
        key = key.value
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(int(key))
    if _is(key, "numpy", "integer"):
        return str(key)
    raise NotJson(f"a key of a mapping is of type {type(key).__name__}, not a text")


def _sorted(value: AbstractSet[object]) -> list[object]:
    """Return the items, texts in an order that is the same in every process."""
    if all(isinstance(item, str) for item in value):
        return sorted(value, key=str)
    return list(value)


def _duration(value: dt.timedelta) -> str:
    """Return a time span in ISO 8601, such as ``P1DT2H`` or ``-PT0.5S``."""
    sign = "-" if value < dt.timedelta(0) else ""
    value = abs(value)
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0").rstrip(".")
    days = f"{value.days}D" if value.days else ""
    time = (
        (f"{hours}H" if hours else "")
        + (f"{minutes}M" if minutes else "")
        + (f"{seconds}{fraction}S" if seconds or fraction else "")
    )
    return f"{sign}P{days}T{time}" if time else f"{sign}P{days or 'T0S'}"


def _refusal(value: object) -> str:
    kind = type(value).__name__
    if hasattr(type(value), "__next__"):
        return f"a {kind} can be read only once; make it a list"
    return f"a value of type {kind} has no JSON form; give a text, a number or a list"
