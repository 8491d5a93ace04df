"""The network of a run: a list of destinations through a proxy that notes every attempt."""

from __future__ import annotations

import contextlib
import http.server
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import wait_for

from mlebench.sandbox import (
    BubblewrapSandbox,
    Job,
    Network,
    Sandbox,
    SandboxError,
    packets,
    parse_network,
    supervise,
)
from mlebench.sandbox.bubblewrap import watches_packets
from mlebench.sandbox.network import NetworkProxy, is_allowed


@pytest.fixture
def server() -> Iterator[int]:
    """A web server of the host, at 127.0.0.2 too, where programs do not leave out the proxy; its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello " + self.path.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(str(len(body)).encode())

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, args=(0.05,), daemon=True).start()
        yield found.server_address[1]
        found.shutdown()


_CLIENT = """
import http.client, os, socket, urllib.request, urllib.error
from urllib.parse import urlsplit
proxy = urlsplit(os.environ['http_proxy'])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({'http': os.environ['http_proxy']}))
print(opener.open('http://127.0.0.2:PORT/a?b=1').read())
print(opener.open('http://127.0.0.2:PORT/', data=b'x' * 3000000).read())
tunnel = http.client.HTTPConnection(proxy.hostname, proxy.port)
tunnel.set_tunnel('127.0.0.2', PORT)
tunnel.request('GET', '/tunnel')
print(tunnel.getresponse().read())
for url in ('http://127.0.0.2:1/', 'http://example.com/'):
    try:
        opener.open(url)
    except urllib.error.HTTPError as error:
        print(error.code)
try:
    socket.create_connection(('127.0.0.2', PORT), 3).sendall(b'x')
    print('direct')
except OSError:
    print('no way around it')
"""


def test_a_list_goes_through_the_proxy(sandbox: Sandbox, job: Job, server: int) -> None:
    code = _CLIENT.replace("PORT", str(server))
    job = replace(job, command=["python3", "-c", code], network=Network(allowed=(f"127.0.0.2:{server}",)))
    running = sandbox.start(job)
    try:
        ending = supervise(running, job.limits, grace=1)
        attempts = [(attempt.host, attempt.port, attempt.allowed) for attempt in running.attempts()]
    finally:
        running.close()
    log = job.log.read_text()
    assert ending.exit_code == 0, log
    expected = ["b'hello /a?b=1'", "b'3000000'", "b'hello /tunnel'", "403", "403", "no way around it"]
    assert log.splitlines() == expected
    granted = ("127.0.0.2", server, True)
    assert attempts == [granted, granted, granted, ("127.0.0.2", 1, False), ("example.com", 80, False)]


def test_without_a_network_what_was_tried_is_noted(sandbox: Sandbox, job: Job) -> None:
    code = """
import socket, urllib.error, urllib.request
try:
    urllib.request.urlopen('http://data.example.com/answers')
except urllib.error.HTTPError as error:
    print(error.code)
try:
    urllib.request.urlopen('https://example.org')
except OSError as error:
    print(error)
"""
    running = sandbox.start(replace(job, command=["python3", "-c", code]))
    try:
        supervise(running, job.limits, grace=1)
        attempts = [(attempt.host, attempt.port, attempt.allowed) for attempt in running.attempts()]
        assert running.attempts_seen_by.startswith("proxy")
    finally:
        running.close()
    log = job.log.read_text()
    assert "403" in log
    assert "403 Forbidden" in log
    assert attempts == [("data.example.com", 80, False), ("example.org", 443, False)]


_DIRECTLY = """
import socket
def tried(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        pass
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
tried(socket.create_connection, ('192.0.2.7', 443), 3)
tried(socket.create_connection, ('2001:db8::7', 80), 3)
tried(socket.getaddrinfo, 'answers.example.com', 80)
tried(udp.sendto, b'x', ('198.51.100.1', 99))
tried(socket.create_connection, ('127.0.0.1', 81), 3)
for n in range(20_000):
    tried(udp.sendto, b'x', ('198.51.100.2', 99))
"""


def test_without_the_proxy_packets_are_seen(job: Job) -> None:
    """TCP, UDP and names, once a second each; what goes to the command's own localhost is nobody's business."""
    sandbox = BubblewrapSandbox()
    if not sandbox.availability().works or not watches_packets():
        pytest.skip("no network can be made around bubblewrap here")
    running = sandbox.start(replace(job, command=["python3", "-c", _DIRECTLY]))
    try:
        supervise(running, job.limits, grace=1)
        attempts = [(attempt.host, attempt.port, attempt.allowed) for attempt in running.attempts()]
        assert running.attempts_seen_by == "proxy and packets"
    finally:
        running.close()
    expected = [("192.0.2.7", 443), ("2001:db8::7", 80), ("answers.example.com", 53), ("198.51.100.1", 99)]
    assert [attempt for attempt in attempts if attempt[0] != "198.51.100.2"] == [
        (*address, False) for address in expected
    ]
    assert 1 <= sum(attempt[0] == "198.51.100.2" for attempt in attempts) < 30


def test_packets_of_any_kind() -> None:
    for packet in (b"", b"E", b"\x45" + bytes(8) + b"\x11", b"\x60" + bytes(5) + b"\x06", bytes(600), b"\xff" * 600):
        packets.destination(packet)
    udp = b"\x45" + bytes(8) + b"\x11" + bytes(6) + bytes([192, 0, 2, 1]) + bytes(2) + b"\x00\x35" + bytes(4)
    assert packets.destination(udp) == ("192.0.2.1", 53), "no question"
    assert packets.destination(udp + bytes(12) + b"\x02a\x1b\x03com\x00") == ("a?.com", 53)


def test_a_flood_of_attempts_fills_nothing(tmp_path: Path) -> None:
    """Neither names of any length nor any number of connections take more than a bounded part of memory."""
    path = tmp_path / "s"
    proxy = NetworkProxy(Network(), path)
    try:
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                client.sendall(b"CONNECT " + b"a" * 60_000 + b":443 HTTP/1.1\r\n\r\n")
                assert client.recv(100).startswith(b"HTTP/1.1 403")
        assert [len(attempt.host) <= 255 for attempt in proxy.attempts()] == [True] * 3
        before = set(threading.enumerate())

        def serving() -> int:
            new = set(threading.enumerate()) - before
            return sum("process_request_thread" in thread.name for thread in new)

        with contextlib.ExitStack() as stack:
            for _ in range(150):
                stack.enter_context(socket.socket(socket.AF_UNIX)).connect(str(path))
            wait_for(lambda: serving() >= 128, serving)
            time.sleep(0.2)  # in which more would begin, if there were no bound
            assert serving() == 128
    finally:
        proxy.close()


def test_the_whole_network(sandbox: Sandbox, job: Job, server: int) -> None:
    code = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{server}/x').read())"
    job = replace(job, command=["python3", "-c", code], network=Network(full=True))
    running = sandbox.start(job)
    try:
        supervise(running, job.limits)
    finally:
        running.close()
    assert job.log.read_text() == "b'hello /x'\n"


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("api.example.com", 443, True),
        ("API.example.com.", 443, True),
        ("api.example.com", 80, False),
        ("evil-api.example.com", 443, False),
        ("a.models.org", 1, True),
        ("models.org", 1, False),
        ("evilmodels.org", 1, False),
        ("2001:db8::1", 8000, True),
    ],
)
def test_destinations(host: str, port: int, allowed: bool) -> None:
    network = parse_network("api.example.com:443, *.models.org:*, [2001:db8::1]:8000")
    assert is_allowed(network, host, port) == allowed


def test_words_for_networks() -> None:
    assert parse_network("none") == Network()
    assert parse_network("full") == Network(full=True)
    with pytest.raises(SandboxError, match="example"):
        parse_network("example.com")


@pytest.mark.parametrize("own", ["localhost:8000", "Localhost:*", "127.0.0.1:8000", "a.org:1,[::1]:2"])
def test_this_machine_cannot_be_granted_by_a_name_that_is_the_sandbox_inside(own: str) -> None:
    with pytest.raises(SandboxError, match=r"the sandbox itself, not this machine\. For models use --model-endpoint"):
        parse_network(own)
