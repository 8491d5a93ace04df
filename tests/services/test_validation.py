"""The validation server, asked over its real sockets by real clients: it says whether a file is valid, nothing else."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.grade.grading import score_file
from mlebench.services import validation
from mlebench.services.check_submission import without_private_values
from mlebench.services.multipart import boundary_of, extract
from mlebench.services.validation import ServerBounds, ValidationServer

Prepared = Callable[[str], LocalCompetition]
QUICK = ServerBounds(quantum=0.05)  # the time of an answer has a test of its own
SCRIPT = Path(sys.modules[ValidationServer.__module__].__file__ or "").parent / "inside" / "validate_submission.sh"


@pytest.fixture(scope="module")
def wine(prepared_practice: Prepared) -> LocalCompetition:
    return prepared_practice("practice-wine")


@pytest.fixture(scope="module")
def server(wine: LocalCompetition) -> Iterator[ValidationServer]:
    with ValidationServer(wine, port=0, bounds=replace(QUICK, file_bytes=1 << 20)) as running:
        yield running


def form(content: bytes, field: str = "file", boundary: str = "xyz") -> bytes:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="s.csv"\r\n\r\n'
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode()


def ask(
    server: ValidationServer,
    body: bytes,
    content_type: str = "multipart/form-data; boundary=xyz",
    path: str = "/validate",
) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("localhost", server.port, timeout=120)
    connection.request("POST", path, body, {"Content-Type": content_type})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def test_health(server: ValidationServer) -> None:
    connection = http.client.HTTPConnection("localhost", server.port, timeout=10)
    for _ in range(2):  # also on a connection that stays open
        connection.request("GET", "/health")
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())) == (200, {"status": "running"})
    connection.request("GET", "/elsewhere")
    assert connection.getresponse().status == 404


def test_valid_files_get_one_answer(server: ValidationServer, wine: LocalCompetition, tmp_path: Path) -> None:
    """The best and the worst submission differ in nothing but their values."""
    best = pd.read_csv(wine.answers)[list(pd.read_csv(wine.sample_submission))]
    classes = list(best.columns[1:])
    worst = best.copy()
    worst[classes] = best[[*classes[1:], classes[0]]].to_numpy()
    texts, scores = [], []
    for table in (best, worst):
        table.to_csv(tmp_path / "s.csv", index=False)
        texts.append(ask(server, form((tmp_path / "s.csv").read_bytes())))
        scores.append(score_file(tmp_path / "s.csv", wine))
    assert texts == [(200, {"result": "Submission is valid.", "is_valid": True})] * 2
    assert scores[0] < 0.01 < 1 < scores[1], "the control: the scores could not differ more"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id,x\n1,2\n", "lacks the column"),
        (b"", "is empty"),
        (b"\x89PNG....", "is a PNG picture"),
    ],
)
def test_a_refusal_says_what_is_wrong(content: bytes, words: str, server: ValidationServer) -> None:
    code, answer = ask(server, form(content))
    assert code == 200
    assert answer["is_valid"] is False
    assert answer["result"].startswith("The submission is not valid. ")
    assert words in answer["result"]
    assert "/" not in answer["result"], "no path of the host"


@pytest.mark.parametrize(
    ("body", "content_type", "error"),
    [
        (b"id,y\n1,2\n", "text/csv", "There is no file."),
        (form(b"id\n", field="other"), "multipart/form-data; boundary=xyz", "There is no file."),
        (form(b"id\n"), "multipart/form-data; boundary=abc", "There is no file."),
        (b"", "multipart/form-data; boundary=xyz", "There is no file."),
        (form(b"x" * (2 << 20)), "multipart/form-data; boundary=xyz", "The file is too large."),
    ],
)
def test_bad_requests(body: bytes, content_type: str, error: str, server: ValidationServer) -> None:
    code, answer = ask(server, body, content_type)
    assert code == 500
    assert answer.keys() == {"error", "details"}
    assert answer["error"] == error
    assert ask(server, b"", path="/other")[0] == 404


def raw(server: ValidationServer, text: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port or 0), timeout=30) as connection:
        connection.sendall(text)
        received = b""
        while block := connection.recv(65536):
            received += block
        return received


HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=xyz\r\n"


def test_malformed_http(server: ValidationServer) -> None:
    assert b"There is no such page" in raw(server, b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
    assert b"has no length" in raw(server, HEAD + b"Content-Length: -1\r\n\r\n")
    assert b"has no length" in raw(server, HEAD + b"Content-Length: 1e9\r\n\r\n")
    assert b"too large" in raw(server, HEAD + b"Content-Length: 99999999999\r\n\r\n")
    assert b"malformed" in raw(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n")
    assert b"malformed" in raw(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n")
    endless = b"".join(b"10000\r\n" + b"x" * 0x10000 + b"\r\n" for _ in range(20))
    assert b"too large" in raw(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + endless)
    assert raw(server, b"\x00\xff\r\n\r\n").startswith((b"HTTP/1.1 400", b"<!DOCTYPE"))
    assert server.problems == []


def test_chunks_are_understood(server: ValidationServer, wine: LocalCompetition) -> None:
    body = form(wine.sample_submission.read_bytes())
    halves = [body[:100], body[100:]]
    sent = b"".join(f"{len(each):x}\r\n".encode() + each + b"\r\n" for each in halves) + b"0\r\n\r\n"
    assert b'"is_valid": true' in raw(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + sent)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_curl(server: ValidationServer, wine: LocalCompetition) -> None:
    command = ["curl", "-s", "-X", "POST", "-F", f"file=@{wine.sample_submission}", f"{server.url}/validate"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"result": "Submission is valid.", "is_valid": True}


def script(server: ValidationServer, *arguments: object) -> subprocess.CompletedProcess[str]:
    variables = os.environ | {"VALIDATION_URL": server.url or "", "http_proxy": "http://127.0.0.1:1"}
    command = ["bash", str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def test_the_script(server: ValidationServer, wine: LocalCompetition, tmp_path: Path) -> None:
    done = script(server, wine.sample_submission)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"result": "Submission is valid.", "is_valid": True}
    (tmp_path / "a;b, c.csv").write_text("x\n1\n")
    done = script(server, tmp_path / "a;b, c.csv")
    assert done.returncode == 1
    assert json.loads(done.stdout)["is_valid"] is False
    done = script(server, tmp_path / "missing.csv")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"] == "The file cannot be read."
    (tmp_path / "large.csv").write_bytes(b"x" * (5 << 20))
    done = script(server, tmp_path / "large.csv")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"] == "The file is too large."
    assert "usage" in script(server).stderr


def test_the_script_without_a_server(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("x\n1\n")
    variables = os.environ | {"VALIDATION_URL": "http://127.0.0.1:1"}
    done = subprocess.run(
        ["bash", str(SCRIPT), str(tmp_path / "s.csv")], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "cannot be reached" in json.loads(done.stdout)["error"]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(str(self.path))


def test_a_unix_socket(wine: LocalCompetition, tmp_path: Path) -> None:
    with ValidationServer(wine, bounds=QUICK) as server:
        assert server.socket is not None
        assert server.url is None
        connection = UnixConnection(server.socket)
        body = form(wine.sample_submission.read_bytes())
        connection.request("POST", "/validate", body, {"Content-Type": "multipart/form-data; boundary=xyz"})
        assert json.loads(connection.getresponse().read())["is_valid"] is True
        path, checks = server.socket, server.socket.parent
    assert not path.exists()
    assert not checks.exists(), "nothing is left"
    with pytest.raises(MlebenchError, match="too long"), ValidationServer(wine, socket=tmp_path / ("x" * 100)):
        pass


def test_servers_do_not_share_a_port(wine: LocalCompetition) -> None:
    with ValidationServer(wine, port=0) as one, ValidationServer(wine, port=0) as two:
        assert one.port != two.port
        with pytest.raises(MlebenchError, match="cannot listen"), ValidationServer(wine, port=one.port):
            pass


def test_rate(wine: LocalCompetition) -> None:
    """Requests are served one after the other; those beyond the few that may wait are turned away at once."""
    body = form(wine.sample_submission.read_bytes())
    head = HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode()
    with ValidationServer(wine, port=0, bounds=replace(QUICK, waiting=2)) as server:
        # One that sends its file slowly has its turn, and another one waits for it.
        slow = [socket.create_connection(("127.0.0.1", server.port or 0), timeout=120) for _ in range(2)]
        for connection in slow:
            connection.sendall(head + body[:100])
        refused = (500, {"error": "Too many requests.", "details": "Wait for the answers to earlier ones."})
        wait_for(lambda: server._waiting._value == 0)
        assert [ask(server, body) for _ in range(3)] == [refused] * 3
        for connection in slow:
            connection.sendall(body[100:])
        for connection in slow:
            with connection, connection.makefile("rb") as answer:
                assert b'"is_valid": true' in answer.read()
        wait_for(lambda: ask(server, body)[0] == 200, lambda: server.problems)  # and later it answers again


def test_silent_connections_keep_nobody_out(wine: LocalCompetition) -> None:
    with ValidationServer(wine, port=0, bounds=QUICK) as server:
        idle = [socket.create_connection(("127.0.0.1", server.port or 0)) for _ in range(12)]
        assert ask(server, form(b"x\n1\n"))[0] == 200
        more = [socket.create_connection(("127.0.0.1", server.port or 0)) for _ in range(30)]
        started = time.monotonic()
        server.close()
        assert time.monotonic() - started < 30, "a flood does not keep it from ending: each may be silent for a minute"
        for connection in (*idle, *more):
            connection.close()


def test_the_time_of_an_answer_is_rounded_up(wine: LocalCompetition, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a server whose clock shows a time of our choice when a submission has been checked."""
    took = 0.0
    waited: list[float] = []
    with ValidationServer(wine, port=0, bounds=ServerBounds(quantum=4.0)) as server:
        clock = SimpleNamespace(monotonic=lambda: took, sleep=waited.append)
        monkeypatch.setattr(validation, "time", clock)
        for took, answered in ((0.5, 4), (3.9, 4), (4.1, 8), (8.5, 16), (40.0, 64)):
            server._wait(started=0.0)
            assert took + waited.pop() == pytest.approx(answered)
        monkeypatch.undo()
        for content in (wine.sample_submission.read_bytes(), b"x\n1\n"):
            started = time.monotonic()
            ask(server, form(content))
            assert time.monotonic() - started >= 4


def test_a_check_that_takes_too_long(wine: LocalCompetition) -> None:
    with ValidationServer(wine, port=0, bounds=ServerBounds(check_seconds=0.01)) as server:
        code, answer = ask(server, form(b"x\n1\n"))
        assert (code, answer["details"]) == (500, "Checking it took too long.")
        assert server.problems == ["A check was stopped after 0 seconds."]


def test_damaged_private_data_is_our_problem(wine: LocalCompetition, tmp_path: Path) -> None:
    shutil.copytree(wine.home, tmp_path / wine.id)
    damaged = LocalCompetition(wine.declaration, tmp_path)
    with ValidationServer(damaged, port=0, bounds=QUICK) as server:
        damaged.answers.write_bytes(b"")
        code, answer = ask(server, form(wine.sample_submission.read_bytes()))
        assert (code, answer["error"]) == (500, "The submission could not be checked.")
        assert "/" not in answer["details"]
        assert server.problems
    damaged.answers.unlink()
    with pytest.raises(MlebenchError, match="Run: mlebench prepare"), ValidationServer(damaged):
        pass


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("The column id lacks 'p9' and 'p1'.", "The column id lacks … and 'p1'."),
        ("The column id lacks 7401 and 12.", "The column id lacks … and 12."),
        ("The submission cannot be scored: maligna", "The submission cannot be scored: …"),
        ("It has 3 rows, but 5 are expected; don't.", "It has 3 rows, but 5 are expected; don't."),
        ("The column y must hold numbers, not 'a bc'.", "The column y must hold numbers, not 'a bc'."),
        ("Not 'secret tex… or \"it's\".", 'Not … or "it\'s".'),
    ],
)
def test_no_refusal_quotes_a_private_value(message: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("id,y,label\np9,7401,maligna\np1,12,secret text that is long\n")
    (tmp_path / "sample.csv").write_text("id,y\np1,0\nit's,12\n")
    (tmp_path / "submission.csv").write_text("id,y\np1,a bc\n")
    known = (tmp_path / "submission.csv", tmp_path / "sample.csv", tmp_path / "none.md")
    assert without_private_values(message, known, tmp_path / "answers.csv") == shown


@pytest.mark.parametrize("competition_id", ["spaceship-titanic", "leaf-classification", "mlsp-2013-birds"])
def test_refusals_of_real_graders_quote_no_private_value(
    competition_id: str, prepared_twin: Prepared, tmp_path: Path
) -> None:
    """Every way to break a sample submission gives a message without any value that is only in the answers."""
    from mlebench.services.check_submission import check

    competition = prepared_twin(competition_id)
    sample = pd.read_csv(competition.sample_submission, dtype=str)
    broken = [
        sample.iloc[1:],
        sample.iloc[:0],
        sample.drop(columns=str(sample.columns[-1])),
        sample.assign(**{str(sample.columns[0]): "zzz"}),
        sample.assign(**{str(sample.columns[-1]): "zzz"}),
        pd.concat([sample, sample.iloc[:1]]),
    ]
    for table in broken:
        path = tmp_path / "submission.csv"
        table.to_csv(path, index=False)
        is_valid, sentence = check(path, competition)
        public = path.read_text() + competition.sample_submission.read_text() + competition.description
        private = set(competition.answers.read_text().replace("\n", ",").split(",")) - set(public.split(","))
        assert is_valid or sentence
        assert not [value for value in private if len(value) > 3 and value in sentence and value not in public]


def test_forms(tmp_path: Path) -> None:
    body, into = tmp_path / "body", tmp_path / "file"
    assert boundary_of('multipart/form-data; charset=utf-8; boundary="a b"') == b"a b"
    assert boundary_of('multipart/form-data; boundary="a+b"') == b"a+b"
    assert boundary_of("text/plain; boundary=x") is None
    for content in (b"", b"\r\n", b"--xyz\r\n", b"a\r\n\r\n--xy\r\nb", os.urandom(3 << 20)):
        other = form(b"not this", field="filename")[: -len("--xyz--\r\n")]
        body.write_bytes(b"preamble\r\n" + other + form(content))
        assert extract(body, b"xyz", "file", into)
        assert into.read_bytes() == content
    for wrong in (b"", b"--xyz", b"--xyz--\r\n", form(b"x")[:-9], b"--xyz\r\n" + b"h" * 40000, form(b"x", "fil")):
        body.write_bytes(wrong)
        assert not extract(body, b"xyz", "file", into)
