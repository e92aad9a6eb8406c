"""Names: put typos right, and read the namespaced names of tools.

Pure: values in, verdicts out. Nothing here looks at a server.
"""

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
