"""What a call costs more through the model gateway than without it, and how its memory grows.

    python -m benchmarks.gateway [--calls 200] [--events 4000]

Upstream, gateway and clients are processes of their own. Time: the same call, directly and through the gateway, in
turns, one at a time and 32 at a time. Memory: the gateway's peak during 32 long streams at once, against its size after
32 short ones.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import cast

ALLOWED_MILLISECONDS = 10.0
ALLOWED_GROWTH_MB = 64.0
AT_ONCE = 32
TOKEN = "token"
_USAGE = {"prompt_tokens": 10, "completion_tokens": 20}
_WHOLE = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x" * 400}}], "usage": _USAGE}
_CHUNK = {"choices": [{"index": 0, "delta": {"content": "some more of the text " * 10}}]}


async def _serve_upstream(events: int) -> None:
    """A server that answers at once; a stream has so many events."""
    event = b"data: " + json.dumps(_CHUNK).encode() + b"\n\n"
    last = b"data: " + json.dumps({"choices": [], "usage": _USAGE}).encode() + b"\n\ndata: [DONE]\n\n"
    whole = json.dumps(_WHOLE).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:  # the client has closed its connection
                writer.close()
                return
            length = next(int(line[15:]) for line in head.splitlines() if line.lower().startswith(b"content-length:"))
            body = json.loads(await reader.readexactly(length))
            if not body.get("stream"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(whole), whole))
            else:
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                for _ in range(events if body["seed"] else 1):
                    writer.write(b"%x\r\n%b\r\n" % (len(event), event))
                    await writer.drain()
                writer.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(last), last))
            await writer.drain()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _serve_gateway(port: int) -> None:
    """A gateway; each line of the input is answered with its memory now and at its peak, in kB."""
    from mlebench.competition.local import LocalCompetition
    from mlebench.services.gateway.options import GatewayOptions, Upstream
    from mlebench.services.gateway.service import OpenGateway
    from mlebench.services.interface import ServiceContext

    options = GatewayOptions((Upstream(f"http://127.0.0.1:{port}", ("openai",)),))
    gateway = OpenGateway(ServiceContext("run", cast(LocalCompetition, None), None, TOKEN, options.to_dict()))
    print(gateway.port, flush=True)
    for _ in sys.stdin:
        with open("/proc/self/status", encoding="ascii") as file:  # noqa: PTH123
            found = dict(line.split(":", 1) for line in file)
        print(found["VmRSS"].split()[0], found["VmHWM"].split()[0], flush=True)


def _call(port: int, *, stream: bool = False, is_long: bool = False) -> float:
    """Seconds of one call."""
    body = json.dumps(
        {"model": "m", "messages": [{"role": "user", "content": "x" * 2000}], "stream": stream, "seed": int(is_long)}
    )
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("POST", "/v1/chat/completions", body, {"Authorization": f"Bearer {TOKEN}"})
    response = connection.getresponse()
    while response.read(1 << 16):
        pass
    connection.close()
    assert response.status == 200, response.status
    return time.perf_counter() - began


def _many(port: int, calls: int, **options: bool) -> list[float]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda _: _call(port, **options), range(calls)))


def _started(*arguments: str) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, "-m", "benchmarks.gateway", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def _memory(gateway: subprocess.Popen[str]) -> tuple[float, float]:
    """(now, at its peak) in MB."""
    assert gateway.stdin is not None
    assert gateway.stdout is not None
    gateway.stdin.write("\n")
    gateway.stdin.flush()
    now, peak = (int(text) / 1024 for text in gateway.stdout.readline().split())
    return now, peak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--serve", choices=["upstream", "gateway"], help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve == "upstream":
        asyncio.run(_serve_upstream(options.events))
    if options.serve == "gateway":
        _serve_gateway(options.port)
        return 0
    upstream, upstream_port = _started("--serve", "upstream", "--events", str(options.events))
    gateway, port = _started("--serve", "gateway", "--port", str(upstream_port))
    try:
        pairs = [(_call(upstream_port), _call(port)) for _ in range(options.calls)]
        direct, through = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
        more = through - direct
        print(f"one at a time: {direct:.2f} ms directly, {through:.2f} ms through the gateway: {more:.2f} ms more")
        parallel = [statistics.median(_many(place, options.calls)) * 1000 for place in (upstream_port, port)]
        print(f"{AT_ONCE} at a time: median {parallel[0]:.1f} ms directly, {parallel[1]:.1f} ms through the gateway")
        _many(port, AT_ONCE, stream=True)
        before, _ = _memory(gateway)
        began = time.perf_counter()
        _many(port, AT_ONCE, stream=True, is_long=True)
        seconds = time.perf_counter() - began
        _, peak = _memory(gateway)
        events = AT_ONCE * options.events
        print(
            f"{AT_ONCE} streams of {options.events} events at once: {seconds:.1f} s, {events / seconds:,.0f} events/s, "
            f"{seconds / events * 1000:.3f} ms each; {before:.1f} MB before, {peak:.1f} MB at the peak"
        )
        print(f"cores: {os.cpu_count()}, load: {os.getloadavg()[0]:.1f}")
        return int(more > ALLOWED_MILLISECONDS or peak - before > ALLOWED_GROWTH_MB)
    finally:
        for process in (gateway, upstream):
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
