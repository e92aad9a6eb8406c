"""Names: put typos right, and read the namespaced names of tools.

Pure: values in, verdicts out. Nothing here looks at a server. Names are imported when
they are first used: most names are typed right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_magic.lazy import lazily

if TYPE_CHECKING:
    from mcp_magic.naming.codec import Codec, HashClash, Pair, UnknownName
    from mcp_magic.naming.correction import (
        Corrected,
        Exact,
        Policy,
        Resolution,
        Unresolved,
        resolve,
    )
    from mcp_magic.naming.missing import reports_missing
    from mcp_magic.naming.namespaced import (
        Form,
        NamespacedName,
        decode,
        encode_bridge,
        encode_registry,
    )
    from mcp_magic.naming.spotting import Spotted, spot

__all__ = [
    "Codec",
    "Corrected",
    "Exact",
    "Form",
    "HashClash",
    "NamespacedName",
    "Pair",
    "Policy",
    "Resolution",
    "Spotted",
    "UnknownName",
    "Unresolved",
    "decode",
    "encode_bridge",
    "encode_registry",
    "reports_missing",
    "resolve",
    "spot",
]

_HOMES = {
    "codec": ("Codec", "HashClash", "Pair", "UnknownName"),
    "correction": (
        *("Corrected", "Exact", "Policy"),
        *("Resolution", "Unresolved", "resolve"),
    ),
    "missing": ("reports_missing",),
    "namespaced": (
        *("Form", "NamespacedName", "decode"),
        *("encode_bridge", "encode_registry"),
    ),
    "spotting": ("Spotted", "spot"),
}
__getattr__ = lazily(__name__, {f"{__name__}.{one}": _HOMES[one] for one in _HOMES})


def __dir__() -> list[str]:
    return __all__
