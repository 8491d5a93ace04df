"""The server that tells an agent whether its submission is valid, and nothing else.

    POST /validate (a form with the field `file`)   200 {"result": text, "is_valid": bool}, or 500 {"error", "details"}
    GET /health                                     200 {"status": "running"}

It runs outside the sandbox, where the private data is. All valid files get the same answer; refusals quote nothing that
the contestant did not know; the time of an answer is rounded up, so that it says nothing about the score. Submissions
are checked one at a time, in a process of their own.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from socketserver import TCPServer
from types import TracebackType
from typing import Any, ClassVar

from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.files.scratch import ScratchFolder
from mlebench.grade.grading import require_answers
from mlebench.grade.reading import largest_submission
from mlebench.results.names import SUBMISSION_FILE
from mlebench.sandbox.serving import BoundedThreads
from mlebench.services.handling import AgentRequestHandler
from mlebench.services.interface import Service, ServiceContext
from mlebench.services.multipart import boundary_of, extract

_MEGABYTE = 1 << 20
_BLOCK = 1 << 18
_LONGEST_SOCKET_PATH = 100
_PACE = 0.02  # seconds that every request takes at least, so that a flood of them costs us little


@dataclass(frozen=True)
class ServerBounds:
    """What one server does at most. Answers come after `quantum` seconds, or twice, four times, … as long."""

    file_bytes: int | None = None  # None: in proportion to the answers, as for grading
    waiting: int = 4
    check_seconds: float = 900.0
    upload_seconds: float = 600.0
    quantum: float = 1.0


class RefusedError(Exception):
    """A request that cannot be served; the two texts of the answer."""

    def __init__(self, error: str, details: str) -> None:
        super().__init__(error)
        self.answer = {"error": error, "details": details}


class ValidationServer:
    """Serves one run of an agent; a context manager.

    It listens on a Unix socket, on a TCP port of this machine's loopback (0: any free one), or on both; without
    either it makes a socket of its own. `problems` lists what went wrong on our side, which the agent is not told.
    """

    def __init__(
        self,
        competition: LocalCompetition,
        *,
        socket: Path | None = None,
        port: int | None = None,
        bounds: ServerBounds | None = None,
        record_event: Callable[[str, Mapping[str, Any]], None] = lambda *_: None,
        renaming: Path | None = None,
    ) -> None:
        self.competition = competition
        self._renaming = renaming
        self._record_event = record_event
        self.bounds = bounds or ServerBounds()
        self.problems: list[str] = []
        self.requests = self.valid = 0
        self._scratch = ScratchFolder()
        self.socket = self._scratch.path / "socket" if socket is None and port is None else socket
        self.port = port
        self._folder = self._scratch.path / "checks"
        self._folder.mkdir(mode=0o700)
        self._turn = threading.Lock()
        self._waiting = threading.BoundedSemaphore(self.bounds.waiting)
        self._checking: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._servers: list[_Server] = []

    def __enter__(self) -> ValidationServer:
        require_answers(self.competition)
        try:
            if self.socket is not None:
                self._listen(socket.AF_UNIX, _socket_path(self.socket))
                self.socket.chmod(0o666)  # the agent may be another user inside its sandbox
            if self.port is not None:
                self._listen(socket.AF_INET, ("127.0.0.1", self.port))
                self.port = int(self._servers[-1].server_address[1])
        except OSError as error:
            self.close()
            place = self.socket if self.port is None else f"port {self.port}"
            raise MlebenchError(f"The validation server cannot listen at {place} ({error.strerror}).") from error
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str | None:
        """Where it is reached on this machine, if it listens on a port."""
        return None if self.port is None else f"http://localhost:{self.port}"

    def environment(self, url: str) -> Mapping[str, str]:
        """The variable that names it to the agent."""
        return {"VALIDATION_URL": url}

    def record(self) -> Mapping[str, Any]:
        """How often it was asked, and how many files were valid."""
        return {"requests": self.requests, "valid": self.valid, "problems": len(self.problems)}

    def _listen(self, family: socket.AddressFamily, address: Any) -> None:
        server = _Server(family, address, self)
        self._servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.1,), name="validation", daemon=True).start()

    def close(self) -> None:
        """Stop listening and checking, and remove everything it made."""
        self._closed = True
        for server in self._servers:
            server.end()
        if (checking := self._checking) is not None:
            with suppress(OSError):
                checking.kill()
        if self.socket is not None and self._servers:
            self.socket.unlink(missing_ok=True)
        self._servers.clear()
        self._scratch.close()

    @property
    def largest_file(self) -> int:
        """The size in bytes beyond which a file is refused."""
        if self.bounds.file_bytes is not None:
            return self.bounds.file_bytes
        return largest_submission(self.competition.answers, self.competition.sample_submission)

    def validate(self, receive: Callable[[Path], bytes]) -> dict[str, Any]:
        """Answer one request: `receive` writes the body to a file and returns the boundary of its parts."""
        if not self._waiting.acquire(blocking=False):
            raise RefusedError("Too many requests.", "Wait for the answers to earlier ones.")
        with _released(self._waiting), self._turn, tempfile.TemporaryDirectory(dir=self._folder) as scratch:
            self.requests += 1
            body, submission = Path(scratch) / "body", Path(scratch) / SUBMISSION_FILE
            boundary = receive(body)
            started = time.monotonic()
            if not extract(body, boundary, "file", submission):
                raise RefusedError(
                    "There is no file.", "Send a form (multipart/form-data) with a file in the field `file`."
                )
            body.unlink()
            found = self._checked(submission, Path(scratch))
            self._wait(started)
        self.valid += bool(found["is_valid"])
        self._record_event("validated", {"is_valid": bool(found["is_valid"])})
        sentence = str(found["sentence"])
        if not found["is_valid"]:
            sentence = f"The submission is not valid. {sentence}"
        return {"result": sentence, "is_valid": bool(found["is_valid"])}

    def _checked(self, submission: Path, scratch: Path) -> dict[str, Any]:
        request, answer, log = scratch / "request.json", scratch / "answer.json", scratch / "log"
        asked = {
            "folder": str(self.competition.declaration.folder.resolve()),
            "data_dir": str(self.competition.data_dir.resolve()),
            "edition": self.competition.edition,
            "submission": str(submission),
            "parent": os.getpid(),
            "renaming": None if self._renaming is None else str(self._renaming.resolve()),
        }
        request.write_text(json.dumps(asked), encoding="utf-8")
        command = [sys.executable, "-P", "-m", "mlebench.services.check_submission", str(request), str(answer)]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        self._checking = process
        try:
            if self._closed:
                process.kill()
            code = process.wait(timeout=self.bounds.check_seconds)
        except subprocess.TimeoutExpired:
            self.problems.append(f"A check was stopped after {self.bounds.check_seconds:.0f} seconds.")
            raise RefusedError("The submission could not be checked.", "Checking it took too long.") from None
        finally:
            process.kill()
            process.wait()
            self._checking = None
        if code != 0:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            self.problems.append(f"A check ended with code {code}: {(lines or ['no output'])[-1][:500]}")
            raise RefusedError("The submission could not be checked.", "This is no fault of the file; go on without.")
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return found

    def _wait(self, started: float) -> None:
        """Wait until the time since the start is a quantum, or two, four, eight … of them."""
        after = self.bounds.quantum
        while after < time.monotonic() - started:
            after *= 2
        time.sleep(max(0.0, started + after - time.monotonic()))


def _opened(context: ServiceContext) -> ValidationServer:
    """The server of one run; it needs no token, for all that it tells is whether a file is valid."""
    port = 0 if context.socket is None else None
    return ValidationServer(
        context.competition,
        socket=context.socket,
        port=port,
        record_event=context.record_event,
        renaming=context.renaming,
    )


VALIDATION = Service("validation", inside_port=5000, open=_opened)


@contextmanager
def _released(semaphore: threading.BoundedSemaphore) -> Any:
    try:
        yield
    finally:
        semaphore.release()


def _socket_path(path: Path) -> str:
    if len(os.fsencode(path)) > _LONGEST_SOCKET_PATH:
        raise MlebenchError(f"The path of the socket {path} is too long.", hint="Choose a folder with a shorter path.")
    path.unlink(missing_ok=True)
    return str(path)


class _Server(BoundedThreads, TCPServer):
    """Listens for one validation server."""

    request_queue_size = 32

    def __init__(self, family: socket.AddressFamily, address: Any, owner: ValidationServer) -> None:
        self.address_family = family
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # an agent that goes away is no news
            self.owner.problems.append(f"A request failed: {type(error).__name__}.")


class _Handler(AgentRequestHandler):
    """One connection."""

    server: _Server
    server_version = "mlebench"
    sys_version = ""
    timeout = 60
    _JSON: ClassVar[str] = "application/json"

    def do_GET(self) -> None:  # noqa: N802 (its caller knows it by this name)
        time.sleep(_PACE)
        if self.path.split("?")[0] == "/health":
            self._answer(200, {"status": "running"})
        else:
            self._answer(404, {"error": "There is no such page.", "details": "Use POST /validate or GET /health."})

    def do_POST(self) -> None:  # noqa: N802
        time.sleep(_PACE)
        self.close_connection = True  # what is left of a refused body must not be taken for another request
        if self.path.split("?")[0] != "/validate":
            self._answer(404, {"error": "There is no such page.", "details": "Use POST /validate or GET /health."})
            return
        try:
            answer, code = self.server.owner.validate(self._receive), 200
        except RefusedError as refused:
            answer, code = refused.answer, 500
        except OSError as error:  # our disk is full, or the agent has gone
            self.server.owner.problems.append(f"A submission could not be received: {error.strerror or error}.")
            answer, code = {"error": "The submission could not be received.", "details": "Try again later."}, 500
        self._answer(code, answer)
        self.drain()

    def _receive(self, path: Path) -> bytes:
        """Write the body of the request to a file, within bounds, and return the boundary of its parts."""
        boundary = boundary_of(self.headers.get("Content-Type", ""))
        if boundary is None:
            raise RefusedError(
                "There is no file.", "Send a form (multipart/form-data) with a file in the field `file`."
            )
        most = self.server.owner.largest_file + 64 * 1024  # room for the headers of the form
        too_large = RefusedError("The file is too large.", f"At most {most / _MEGABYTE:,.1f} MB are accepted.")
        chunked = "chunked" in self.headers.get("Transfer-Encoding", "").lower()
        length = self.headers.get("Content-Length", "")
        if not chunked and not (length.isdecimal() and len(length) < 20):
            raise RefusedError("The request has no length.", "Send a Content-Length.")
        if not chunked and int(length) > most:
            raise too_large
        deadline = time.monotonic() + self.server.owner.bounds.upload_seconds
        received = 0
        with path.open("wb") as file:
            for block in self._chunks() if chunked else self._blocks(int(length)):
                received += len(block)
                if received > most:
                    raise too_large
                if time.monotonic() > deadline:
                    raise RefusedError("The upload took too long.", "Send the file in one go.")
                file.write(block)
        return boundary

    def _blocks(self, length: int) -> Any:
        while length > 0:
            block = self.rfile.read1(min(_BLOCK, length))
            if not block:
                raise RefusedError("The upload is incomplete.", "Send the whole file.")
            length -= len(block)
            yield block

    def _chunks(self) -> Any:
        broken = RefusedError("The upload is malformed.", "Send a Content-Length instead of chunks.")
        while True:
            line = self.rfile.readline(100).split(b";")[0].strip()
            if not line or len(line) > 16 or line.strip(b"0123456789abcdefABCDEF"):
                raise broken
            size = int(line, 16)
            if size == 0:
                return
            yield from self._blocks(size)
            if self.rfile.readline(3) != b"\r\n":
                raise broken

    def _answer(self, code: int, value: dict[str, Any]) -> None:
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
        with suppress(OSError):
            self.send_response(code)
            self.send_header("Content-Type", self._JSON)
            self.send_header("Content-Length", str(len(text)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(text)
            self.wfile.flush()
