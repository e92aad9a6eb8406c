"""Where sign-ins are kept: private, whole, one file a URL, and shared by kernels."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.client.auth.record import (
    Record,
    Tokens,
    canonical,
    read_record,
    write_record,
)
from mcp_magic.client.auth.store import Store, folder_for
from mcp_magic.config.private import unfinished
from mcp_magic.errors import SignInFailed
from mcp_magic.model import Secret

_URL = "https://acme.test/mcp"
_CANARY = "canary-7f3a"


def _record(url: str = _URL, **changed: object) -> Record:
    tokens = Tokens(Secret(_CANARY), Secret(_CANARY + "-r"), 2e9, 1.9e9, "use")
    client = Secret('{"client_id": "me", "client_secret": "canary-secret"}')
    values = {"issuer": "https://as.test", "tokens": tokens, "client": client}
    return Record(canonical(url), **(values | changed))  # type: ignore[arg-type] # a table's


@pytest.fixture(name="warned")
def _warned() -> list[str]:
    return []


@pytest.fixture(name="store")
def _store(tmp_path: Path, warned: list[str]) -> Store:
    return Store(tmp_path / "kept", warned.append)


def _file(store: Store) -> Path:
    assert store.folder is not None
    (path,) = store.folder.glob("*.json")
    return path


def test_what_was_written_is_read_back(store: Store) -> None:
    store.write(_URL, _record())
    assert store.read(_URL) == _record()


@given(
    st.text(min_size=1), st.none() | st.text(min_size=1),
    st.none() | st.floats(0, 1e11), st.text(),
)  # fmt: skip
def test_a_record_survives_its_file(
    access: str, refresh: str | None, ends: float | None, scope: str
) -> None:
    more = None if refresh is None else Secret(refresh)
    record = _record(tokens=Tokens(Secret(access), more, ends, ends, scope))
    assert read_record(write_record(record)) == record


def test_nobody_else_can_read_it_whatever_the_umask(store: Store) -> None:
    before = os.umask(0)
    try:
        store.write(_URL, _record())
    finally:
        os.umask(before)
    path = _file(store)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_can_read_is_put_right_and_said(
    store: Store, warned: list[str]
) -> None:
    store.write(_URL, _record())
    path = _file(store)
    path.chmod(0o644)
    assert store.read(_URL) == _record()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert warned == [f"Others could read {path.name}; now only you can."]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "\x00" * 100, "[" * 100_000,
        '{"version": 1}',
        '{"version": 2, "resource": "https://acme.test/mcp", "issuer": ""}',
        '{"version": 1, "resource": "r", "issuer": "", "tokens": {"access": 5}}',
        '{"version": 1, "resource": "r", "issuer": "", "client": {"secret": "x"}}',
    ],
)  # fmt: skip
def test_a_spoilt_file_counts_as_none_and_is_kept_aside(
    store: Store, warned: list[str], text: str
) -> None:
    store.write(_URL, _record())
    path = _file(store)
    path.write_text(text, encoding="utf-8")
    assert store.read(_URL) is None
    assert store.read(_URL) is None
    assert path.with_suffix(".spoilt").read_text(encoding="utf-8") == text
    assert len(warned) == 1
    assert "sign in again" in warned[0]


def test_a_link_is_not_followed(
    store: Store, warned: list[str], tmp_path: Path
) -> None:
    store.write(_URL, _record())
    path = _file(store)
    elsewhere = tmp_path / "elsewhere.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert store.read(_URL) is None
    assert len(warned) == 1
    store.write(_URL, _record())
    assert not path.is_symlink()
    assert store.read(_URL) == _record()


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("https://ACME.test/mcp", True),
        ("https://acme.test/mcp#part", True),
        ("https://acme.test/mcp/", False),
        ("https://acme.test/other", False),
        ("https://acme.test:444/mcp", False),
        ("http://acme.test/mcp", False),
        ("https://evil.test/mcp", False),
    ],
)
def test_another_address_finds_no_token(store: Store, other: str, same: bool) -> None:  # noqa: FBT001 - a column
    store.write(_URL, _record())
    assert (store.read(other) is not None) is same


def test_a_file_that_was_moved_to_another_servers_place_is_not_used(
    store: Store,
) -> None:
    store.write(_URL, _record())
    evil = "https://evil.test/mcp"
    mine = _file(store)
    store.write(evil, _record(evil))
    assert store.folder is not None
    (theirs,) = set(store.folder.glob("*.json")) - {mine}
    theirs.write_bytes(mine.read_bytes())
    assert store.read(evil) is None


def test_what_another_kernel_writes_is_seen(store: Store, tmp_path: Path) -> None:
    store.write(_URL, _record())
    assert store.read(_URL) == _record()
    other = Store(tmp_path / "kept", pytest.fail)
    other.write(_URL, _record(tokens=None))
    assert store.read(_URL) == _record(tokens=None)


def test_a_half_written_file_is_never_seen(store: Store) -> None:
    store.write(_URL, _record())
    with pytest.raises(TypeError):
        store.write(_URL, _record(service={"a": object()}))
    assert store.read(_URL) == _record()
    assert store.folder is not None
    assert [path.name for path in store.folder.iterdir()] == [_file(store).name]


def test_where_nothing_can_be_written_memory_holds_it_and_that_is_said_once(
    tmp_path: Path, warned: list[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = Store(tmp_path / "file" / "tokens", warned.append)

    async def go() -> None:
        async with store.lock(_URL):
            assert store.read(_URL) is None
            store.write(_URL, _record(tokens=None))
            store.write(_URL, _record())

    asyncio.run(go())
    assert store.read(_URL) == _record()
    (told,) = warned
    assert told == (
        f"Tokens cannot be kept ({store.folder}: Not a directory): this kernel alone "
        "holds them; MCP_MAGIC_TOKENS names another folder."
    )
    store.forget(_URL)
    assert store.read(_URL) is None


_FULL = """
import resource, sys
from pathlib import Path
from mcp_magic.client.auth.record import Record, Tokens
from mcp_magic.client.auth.store import Store
from mcp_magic.model import Secret
store = Store(Path(sys.argv[1]), print)
old, new = (Record(sys.argv[2], tokens=Tokens(Secret(one))) for one in ("old", "new"))
store.write(sys.argv[2], old)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
store.write(sys.argv[2], new)
print(store.read(sys.argv[2]) == new)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
print(Store(Path(sys.argv[1]), print).read(sys.argv[2]) == old)
Store(Path(sys.argv[1]), print).write(sys.argv[2], old)
print(store.read(sys.argv[2]) == old)
"""


def test_a_full_disk_costs_nobody_a_token_and_a_newer_file_wins(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", _FULL, str(tmp_path), _URL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told, *same = done.stdout.splitlines()
    assert "File too large): this kernel alone holds them" in told
    assert str(tmp_path) in told
    assert same == ["True"] * 3


def test_what_is_forgotten_is_gone_with_all_that_was_left_of_it(store: Store) -> None:
    store.write(_URL, _record())
    path = _file(store)
    path.write_text("half a record of canary-7f3a", encoding="utf-8")
    assert store.read(_URL) is None  # it is kept aside
    unfinished(path).write_text("canary-7f3a", encoding="utf-8")  # a killed writer's
    store.write(_URL, _record())
    unfinished(path).write_text("canary-7f3a", encoding="utf-8")
    store.forget(_URL)
    store.forget(_URL)
    assert store.read(_URL) is None
    assert list(path.parent.iterdir()) == []


def test_what_cannot_be_deleted_is_told_with_what_to_do(store: Store) -> None:
    store.write(_URL, _record())
    path = _file(store)
    path.unlink()
    path.mkdir()
    with pytest.raises(SignInFailed, match=r"cannot be deleted \(.*delete it yourself"):
        store.forget(_URL)


def test_a_file_that_cannot_be_read_is_told_once(
    store: Store, warned: list[str]
) -> None:
    store.write(_URL, _record())
    path = _file(store)
    aside = path.with_suffix(".spoilt")
    aside.mkdir()
    path.write_text("{", encoding="utf-8")
    for _ in range(3):
        assert store.read(_URL) is None
    assert len(warned) == 1
    assert "cannot be read (it is spoilt): sign in again" in warned[0]


@pytest.mark.parametrize("lifetime", [0, -1, -(10**400)])
def test_a_token_that_lasts_no_time_is_not_renewed_for_each_call(lifetime: int) -> None:
    tokens = Tokens.given("a", "r", lifetime, "", 1e9)
    assert (tokens.expires_at, tokens.renew_at) == (None, None)


def test_no_lifetime_is_too_long_to_be_counted() -> None:
    tokens = Tokens.given("a", "r", 10**400, "", 1e9)
    assert tokens.expires_at is not None
    assert 1e9 < tokens.expires_at < 2e9


def test_a_secret_that_was_typed_is_held_in_memory_alone(
    store: Store, tmp_path: Path
) -> None:
    sealed = Secret('{"by_hand": true, "client_id": "me", "client_secret": "canary-s"}')
    store.write(_URL, _record(client=sealed))
    assert "canary-s" not in _file(store).read_text(encoding="utf-8")
    found = store.read(_URL)
    assert found is not None
    assert found.client == sealed
    other = Store(tmp_path / "kept", pytest.fail)
    theirs = other.read(_URL)
    assert theirs is not None
    assert theirs.client == Secret('{"by_hand": true, "client_id": "me"}')
    for change in ({"issuer": "https://evil.test"}, {"client": Secret(_OTHER_CLIENT)}):
        other.write(_URL, replace(theirs, **change))
        found = store.read(_URL)
        assert found is not None
        assert found.client is not None
        assert "canary-s" not in found.client.reveal()


_OTHER_CLIENT = '{"by_hand": true, "client_id": "you"}'


def test_memory_leaves_no_trace(tmp_path: Path) -> None:
    store = Store(None, pytest.fail)

    async def go() -> None:
        async with store.lock(_URL):
            store.write(_URL, _record())

    asyncio.run(go())
    assert store.read(_URL) == _record()
    store.forget(_URL)
    assert store.read(_URL) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"MCP_MAGIC_TOKENS": "memory"}, None),
        ({"BINDER_LAUNCH_HOST": "https://mybinder.org/"}, None),
        ({"BINDER_SERVICE_HOST": "10.0.0.1"}, None),
        ({"MCP_MAGIC_TOKENS": "/data/x", "BINDER_SERVICE_HOST": "y"}, Path("/data/x")),
        ({"MCP_MAGIC_TOKENS": "./tokens", "BINDER_SERVICE_HOST": "y"}, None),
    ],
)
def test_the_environment_decides_where_tokens_are_kept(
    environ: dict[str, str], folder: Path | None
) -> None:
    assert folder_for(environ) == folder


def test_a_path_that_is_not_full_names_no_folder_of_a_project() -> None:
    """Row 12 of the checklist: a folder's ``.env`` may set variables, too."""
    assert folder_for({"MCP_MAGIC_TOKENS": "~/x"}) == Path.home() / "x"
    for path in ("tokens", "./tokens", "../tokens"):
        assert folder_for({"MCP_MAGIC_TOKENS": path}) == folder_for({})


def test_by_default_they_are_kept_with_the_persons_own_data() -> None:
    folder = folder_for({})
    assert folder is not None
    assert folder.name == "sign-in"
    assert Path.home() in folder.parents or "XDG_DATA_HOME" in os.environ


_HOLD = """
import asyncio, sys
from mcp_magic.client.auth.store import Store
store = Store(__import__("pathlib").Path(sys.argv[1]), print)
async def go():
    async with store.lock(sys.argv[2]):
        print("held", flush=True)
        sys.stdin.read()
asyncio.run(go())
"""


def test_a_lock_is_held_against_other_processes_and_dies_with_them(
    store: Store, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _HOLD, str(tmp_path / "kept"), _URL]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"

        async def go() -> bool:
            async def take() -> None:
                async with store.lock(_URL):
                    pass

            taking = asyncio.create_task(take())
            done, _ = await asyncio.wait([taking], timeout=0.3)
            other.kill()
            await asyncio.wait_for(taking, 30)
            return bool(done)

        assert asyncio.run(go()) is False


def test_nothing_secret_prints() -> None:
    assert "canary" not in repr(_record())
    assert "canary" not in repr(_record().tokens)
    assert _CANARY in json.loads(write_record(_record()))["tokens"]["access"]
