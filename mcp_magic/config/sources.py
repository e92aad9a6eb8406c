"""Which files name servers, and the reading of them; our own file is read elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from mcp_magic.config.catalogue import Catalogue
from mcp_magic.config.entries import ServerEntry

__all__ = ["read_all"]


def read_all(
    home: Path,
    folder: Path,
    environ: Mapping[str, str],
    *,
    own: Iterable[ServerEntry] = (),
) -> Catalogue:
    """Read every file in which a server may be named; never raises.

    A file is parsed once for each time it is modified.

    Args:
        home: The user's home folder.
        folder: The folder of the notebook. Files of the project are looked for from
            here upwards to the root of the repository, never in *home* or above.
        environ: The environment variables, which move some of the files.
        own: The entries of our own file, which come first.
    """
    raise NotImplementedError
