"""A real PostgreSQL server for tests: one for each process that runs tests, in its own folder, on a free port."""

import glob
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest


class Server:
    """Starts in `__init__`; `stop` ends it, at once and without saving anything if asked to."""

    def __init__(self, programs: Path):
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="vitalfew-postgres-"))
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(self.folder, "postgres")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._run("initdb", "--username=tester", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        self.start()

    @property
    def address(self) -> str:
        return f"postgresql://tester:secret%20word@127.0.0.1:{self.port}/postgres"

    def start(self, largest_file: int | None = None) -> None:
        """Start the server, with a limit on the size of files in blocks of 1 kB."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off -c shared_buffers=32MB"
        self._run("pg_ctl", "-w", "-o", options, "-l", str(self.folder / "log"), "start", largest_file=largest_file)

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def remove(self) -> None:
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: str, largest_file: int | None = None) -> None:
        command = [str(self.programs / program), "-D", str(self.folder / "data"), *arguments]
        if largest_file is not None:
            command = ["bash", "-c", f'ulimit -f {largest_file}; exec "$@"', "bash", *command]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        # What is loaded into Python (a sanitizer) is not for the server.
        without = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=without,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout}")


def _new_server() -> Server:
    pytest.importorskip("adbc_driver_postgresql")
    found = shutil.which("initdb") or max(glob.glob("/usr/lib/postgresql/*/bin/initdb"), default=None)
    if found is None:
        pytest.skip("PostgreSQL is not installed: scripts/postgres.sh does it on Debian and Ubuntu")
    if os.geteuid() == 0 and subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode:
        pytest.skip("there is no user postgres, and a server does not run as root")
    return Server(Path(found).resolve().parent)


@pytest.fixture(scope="session")
def postgres():
    """The address of a server that all tests of a process share."""
    server = _new_server()
    yield server.address
    server.remove()


@pytest.fixture
def mortal_postgres():
    """Return a separate server, for a test that stops it."""
    server = _new_server()
    yield server
    server.remove()


def new_database(address: str) -> str:
    """The address of an empty database on the server."""
    name = f"test_{uuid4().hex}"
    run(address, f"create database {name}")
    return f"{address.rpartition('/')[0]}/{name}"


def run(database: str, *statements: str) -> list[tuple]:
    """Return the result of the last statement in a database of any engine, on a separate connection."""
    if database.startswith("postgresql://"):
        connect = partial(pytest.importorskip("adbc_driver_postgresql.dbapi").connect, autocommit=True)
    else:
        connect = pytest.importorskip("duckdb").connect if database.endswith("duckdb") else sqlite3.connect
    with closing(connect(database)) as connection, closing(connection.cursor()) as cursor:
        for statement in statements:
            cursor.execute(statement)
        answer = cursor.fetchall() if cursor.description else []
        if connect is sqlite3.connect:
            connection.commit()
    return [tuple(row) for row in answer]
