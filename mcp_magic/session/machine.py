"""What can be told of this machine and this Python without running anything."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mcp_magic.client.launch import elsewhere
from mcp_magic.display import redact
from mcp_magic.session.report import Finding

__all__ = ["folder", "folders", "network", "programs", "python", "versions"]

_OURS = ("mcp-magic", "mcp", "httpx2", "jsonschema", "ipython")
_OTHERS = (
    *("ipykernel", "ipywidgets", "anywidget", "jupyterlab", "notebook", "nbclient"),
    *("jupyter-client", "nest-asyncio", "nest-asyncio2", "fastmcp", "pandas", "uv"),
)
_PROGRAMS = ("node", "npx", "uv", "uvx", "docker", "deno", "bun")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_FILES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    "NODE_EXTRA_CA_CERTS",
)

# Where a kernel runs, told by a variable of its environment or a module that is loaded.
_PLACES: Mapping[str, str] = {
    "BINDER_SERVICE_HOST": "Binder",
    "CODESPACES": "Codespaces",
    "COLAB_RELEASE_TAG": "Colab",
    "DATABRICKS_RUNTIME_VERSION": "Databricks",
    "JUPYTERHUB_API_URL": "JupyterHub",
    "KAGGLE_KERNEL_RUN_TYPE": "Kaggle",
    "VSCODE_PID": "VS Code",
}
_SHELLS: Mapping[str, str] = {
    "ZMQInteractiveShell": "a Jupyter kernel",
    "TerminalInteractiveShell": "IPython in a terminal",
}


def versions() -> Iterator[Finding]:
    """Yield the versions of packages that matter; of some only if installed."""
    for name in (*_OURS, *_OTHERS):
        try:
            yield Finding(name, version(name))
        except PackageNotFoundError:
            if name in _OURS:
                yield Finding(name, "not installed", amiss=True)


def python(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield which Python this is and what it runs in."""
    yield Finding("version", " ".join(sys.version.split()))
    yield Finding("program", f"{sys.executable} ({_environment()})")
    yield Finding("platform", _platform())
    places = [place for name, place in _PLACES.items() if environ.get(name)]
    yield Finding("runs in", ", ".join([_shell(), *places]))
    yield Finding("folder", _working_folder())
    if hasattr(asyncio, "_nest_patched"):
        yield Finding("event loop", "changed by nest_asyncio")


def _platform() -> str:
    # Not platform.platform(), which runs a program.
    libc = "-".join(platform.libc_ver()).strip("-")
    parts = (platform.system(), platform.mac_ver()[0] or platform.release())
    return " ".join(filter(None, (*parts, platform.machine(), libc)))


def _environment() -> str:
    if Path(sys.prefix, "conda-meta").is_dir():
        return "conda"
    return "the system's" if sys.prefix == sys.base_prefix else "a virtual environment"


def _shell() -> str:
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = None if get is None else get()
    if shell is None:
        return "plain Python"
    return _SHELLS.get(type(shell).__name__, f"a {type(shell).__name__}")


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return "not there any more"


def programs(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield where the programs are that most servers are started by."""
    path = environ.get("PATH", os.defpath)
    for name in _PROGRAMS:
        found = shutil.which(name, path=path)
        place = "" if found else elsewhere(name, environ)
        missing = f"not on PATH, but in {place}" if place else "not on PATH"
        yield Finding(name, found or missing)


def folders(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the folders in which commands are looked for, and what they have."""
    path = environ.get("PATH", os.defpath)
    for number, place in enumerate(path.split(os.pathsep), 1):
        has = [name for name in _PROGRAMS if shutil.which(name, path=place)]
        note = f"  has {', '.join(has)}" if has else ""
        if not place or not Path(place).is_dir():
            note = "  is not there"
        yield Finding(str(number), f"{place or 'an empty entry'}{note}")


def network(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the variables that lead requests elsewhere or change what is trusted."""
    for name in _PROXIES:
        for spelling in (name, name.lower()):
            if value := environ.get(spelling):
                yield Finding(spelling, _proxy(value))
    for name in _FILES:
        if value := environ.get(name):
            there = Path(value).exists()
            note = "" if there else f"{name} names {value}, which is not there"
            yield Finding(name, note or value, amiss=not there)
    if environ.get("NODE_TLS_REJECT_UNAUTHORIZED") == "0":
        yield Finding("NODE_TLS_REJECT_UNAUTHORIZED", "0: Node trusts any certificate")
    if not any(environ.get(one) for name in _PROXIES for one in (name, name.lower())):
        yield Finding("proxies", "none set")


def _proxy(value: str) -> str:
    """Return a proxy's address without its user and password, a scheme or none."""
    scheme, mark, rest = value.rpartition("://")
    return redact.url(f"{scheme or 'http'}://{rest}") if "@" in rest or mark else value


def folder(place: Path) -> str:
    """Say whether a folder of ours is there and who may read it."""
    try:
        mode = place.stat().st_mode & 0o777
    except OSError:
        return f"{place}, not there yet"
    note = "" if os.access(place, os.W_OK) else ", cannot be written"
    return f"{place}, mode {mode:03o}{note}"
