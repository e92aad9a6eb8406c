"""jsonschema is imported without its slowest part, and works as if it had been."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_SLOW = """
def is_valid_syntax(term, value):
    return term == "iri" and value.startswith("x:")
"""
_AFTER = """
import sys
from mcp_magic import validation
{first}
validation.load()
validation.load()
print("jsonschema" in sys.modules, "rfc3987_syntax" in sys.modules)
from jsonschema import Draft202012Validator as kind
checker = kind({{"format": "iri"}}, format_checker=kind.FORMAT_CHECKER)
print(checker.is_valid("x:y"), checker.is_valid("y"))
import rfc3987_syntax
print(rfc3987_syntax.__file__)
"""


@pytest.mark.parametrize(
    ("first", "loaded"),
    [("", "False"), ("import jsonschema", "True"), ("import rfc3987_syntax", "True")],
)
def test_the_package_for_one_format_is_imported_when_a_text_has_that_format(
    tmp_path: Path, first: str, loaded: str
) -> None:
    package = tmp_path / "rfc3987_syntax.py"
    package.write_text(_SLOW, encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})"
    program += _AFTER.format(first=first)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert said == [f"True {loaded}", "True False", str(package)]
