"""Check answers against the output schemas that tools declare; lose none of them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp_magic import validation
from mcp_magic.model import Json, Schema

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

__all__ = ["Outputs"]


class Outputs:
    """The output schemas of one server's tools, compiled at first use."""

    def __init__(self) -> None:
        self._compiled: dict[str, tuple[Schema, Validator]] = {}

    async def check(
        self, tool: str, schema: Schema, raw: Mapping[str, Json]
    ) -> tuple[str, ...]:
        """Return what is odd about an answer, one sentence each; never raises.

        Args:
            tool: The tool that answered.
            schema: The output schema that it declares.
            raw: The result as received.
        """
        if "structuredContent" not in raw:
            return (f"{tool} declares structured content and sent none.",)
        if "jsonschema" not in sys.modules:  # the loop must go on meanwhile
            await asyncio.to_thread(validation.load)
        return self._check(tool, schema, raw["structuredContent"])

    def _check(self, tool: str, schema: Schema, value: Json) -> tuple[str, ...]:
        from jsonschema.exceptions import best_match  # noqa: PLC0415 - see check()

        try:
            error = best_match(self._validator(tool, schema).iter_errors(value))
        except Exception as problem:  # noqa: BLE001 - a schema may be anything
            return (f"The output schema of {tool} cannot be used: {_line(problem)}",)
        if error is None:
            return ()
        where = "/".join(map(str, error.absolute_path)) or "the whole value"
        return (f"The answer of {tool} does not fit its schema at {where}.",)

    def _validator(self, tool: str, schema: Schema) -> Validator:
        known = self._compiled.get(tool)
        if known is not None and known[0] is schema:
            return known[1]
        from jsonschema.validators import Draft202012Validator, validator_for  # noqa: PLC0415
        from referencing import Registry  # noqa: PLC0415 - see check()

        made = validator_for(schema, default=Draft202012Validator)
        # An own registry: remote references are never fetched.
        validator: Validator = made(schema, registry=Registry())
        self._compiled[tool] = schema, validator
        return validator


def _line(problem: Exception) -> str:
    return (str(problem) or type(problem).__name__).splitlines()[0]
