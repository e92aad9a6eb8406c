"""Names: put typos right, and read the namespaced names of tools.

Pure: values in, verdicts out. Nothing here looks at a server.
"""

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

__all__ = [
    "Corrected",
    "Exact",
    "Form",
    "NamespacedName",
    "Policy",
    "Resolution",
    "Unresolved",
    "decode",
    "encode_bridge",
    "encode_registry",
    "reports_missing",
    "resolve",
]
