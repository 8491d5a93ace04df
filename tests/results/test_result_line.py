"""The result line: found in any output, held to its schema, never a cause of trouble."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.results.result_line import MARKER, Parsed, ResultLineParser, parse_output, result_of_run

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/result-line.schema.json").read_text())
GOOD: dict[str, Any] = {
    "seed": 3,
    "runtime_seconds": 12.5,
    "peak_memory_mb": 512,
    "artifacts": [{"path": "submission.csv", "sha256": "ab" * 32, "bytes": 10}],
    "tasks": [{"competition_id": "leaf-classification", "metric": "log loss", "score": 0.1, "weight": 2}],
    "replay": {"command": "python solve.py", "seed": 3, "requirements": ["numpy"]},
    "usage": {"input_tokens": 5, "output_tokens": 7, "usd": 0.25},
}


def line(values: Any = GOOD) -> bytes:
    return MARKER + json.dumps(values).encode()


def parsed(*pieces: bytes) -> Parsed:
    return parse_output(pieces)


def test_a_good_line() -> None:
    found = parsed(b"hello\n" + line() + b"\nbye\n")
    assert found.problem is None
    assert found.result is not None
    assert found.result.seed == 3
    assert found.result.usage is not None
    assert found.result.usage.usd == 0.25


FREE_FORMS: dict[str, dict[str, Any]] = {
    "artifacts as paths": {"artifacts": ["submission.csv", "metrics.json"]},
    "an artifact without a hash": {"artifacts": [{"path": "submission.csv"}]},
    "an artifact of which nothing is known": {"artifacts": [{"path": "a", "sha256": None, "bytes": None}]},
    "an empty replay": {"replay": {}},
    "a replay without a seed": {"replay": {"command": "python solve.py"}},
    "a weight that is a word": {"tasks": [{"competition_id": "a", "metric": "b", "score": 1, "weight": "large"}]},
    "requirements of any form": {"replay": {"command": "a", "seed": 3, "requirements": {"numpy": 2}}},
}


@pytest.mark.parametrize("form", FREE_FORMS)
def test_forms_that_the_contract_leaves_open(form: str) -> None:
    values = GOOD | FREE_FORMS[form]
    found = parsed(line(values))
    assert found.problem is None
    assert found.result is not None
    assert is_valid(values)


OUTPUTS: dict[str, bytes] = {
    "without a line end": line(),
    "prefix": b"2026-01-01 12:00 INFO | agent: " + line() + b"\n",
    "windows": line() + b"\r\n",
    "progress bar": b"10 %\r100 %\r" + line(),
    "colour": b"\x1b[1;32m" + line() + b"\x1b[0m\n",
    "colour inside": line().replace(b'"seed"', b'\x1b[34m"seed"\x1b[0m'),
    "colour in the marker": b"MLE_BENCH\x1b[1m_LITE_RESULT=" + line()[len(MARKER) :],
    "hyperlink": b"\x1b]8;;http://x\x1b\\" + line() + b"\x1b]8;;\x1b\\\n",
    "the end of bold by tput": b"\x1b[1m" + MARKER + b"\x1b(B\x1b[m" + line()[len(MARKER) :] + b"\x1b(B\x1b[m\n",
    "the cursor kept": b"\x1b7\x1b=" + line() + b"\x1b8\n",
    "bad UTF-8": b"\xff\xfe\n\xc3(" + line() + b"\xff\n",
    "spaces": MARKER + b"  " + line()[len(MARKER) :],
    "text behind": line() + b" (done)\n",
    "long line before": b"x" * 10_000_000 + line() + b"\n",
    "long other line": b"x" * 10_000_000 + b"\n" + line(),
    "the text of the instructions": b"print MLE_BENCH_LITE_RESULT=<object>\n" + line() + b"\nMLE_BENCH_LITE_RESULT=\n",
    "an older one": line(GOOD | {"seed": 1}) + b"\n" + line() + b"\n",
    "an older one on the same line": line(GOOD | {"seed": 1}) + b" " + line() + b"\n",
    "an older malformed one": MARKER + b"{broken\n" + line() + b"\n",
    "a marker inside": line(GOOD | {"note": "grep MLE_BENCH_LITE_RESULT={ agent.log"}),
}


@pytest.mark.parametrize("case", OUTPUTS)
@pytest.mark.parametrize("size", [None, 1, 7, 4096])
def test_found_in_any_output(case: str, size: int | None) -> None:
    output = OUTPUTS[case]
    if size is not None and len(output) // size > 200_000:
        return
    pieces = [output] if size is None else [output[at : at + size] for at in range(0, len(output), size)]
    found = parse_output(pieces)
    assert found.result is not None, found
    assert found.result.seed == 3


def test_a_line_of_10_megabytes() -> None:
    output = line(GOOD | {"note": "x" * 10_000_000})
    began = time.process_time()
    found = parse_output(output[at : at + 65536] for at in range(0, len(output), 65536))
    assert found.result is not None
    assert time.process_time() - began < 20, "it would take minutes if each piece were looked at again"


def test_memory_is_bounded_without_line_ends() -> None:
    parser = ResultLineParser()
    for _ in range(300):
        parser.feed(b"y" * 1_000_000)
    assert len(parser._line) < 3_000_000
    assert parser.finish().problem == "there is no result line"


def test_the_last_line_wins_even_if_malformed() -> None:
    found = parsed(line() + b"\n" + MARKER + b'{"seed": 3\n')
    assert found == Parsed(None, "the result line is not valid JSON", 2)


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


MALFORMED: dict[str, tuple[Any, str]] = {
    **{f"no {name}": (without(name), f"{name} is missing") for name in SCHEMA["required"]},
    "seed as text": (GOOD | {"seed": "3"}, "seed is not an integer"),
    "seed as truth": (GOOD | {"seed": True}, "seed is not an integer"),
    "seed as fraction": (GOOD | {"seed": 3.5}, "seed is not an integer"),
    "negative time": (GOOD | {"runtime_seconds": -1}, "runtime_seconds is out of range"),
    "a seed that is too large": (GOOD | {"seed": 10**30}, "seed is out of range"),
    "a seed that is too small": (GOOD | {"seed": -(10**30)}, "seed is out of range"),
    "a sum of money beyond all sums": (
        GOOD | {"usage": {"input_tokens": 1, "output_tokens": 1, "usd": 1e308}},
        "usage.usd is out of range",
    ),
    "tokens beyond all counts": (
        GOOD | {"usage": {"input_tokens": 10**400, "output_tokens": 1, "usd": 1}},
        "usage.input_tokens is out of range",
    ),
    "artifacts as object": (GOOD | {"artifacts": {}}, "artifacts is not a list"),
    "bad hash": (GOOD | {"artifacts": [{"path": "a", "sha256": "x", "bytes": 1}]}, "64 hexadecimal digits"),
    "negative bytes": (GOOD | {"artifacts": [{"path": "a", "sha256": "a" * 64, "bytes": -1}]}, "bytes is negative"),
    "task as text": (GOOD | {"tasks": ["a"]}, "a task is not an object"),
    "score as text": (GOOD | {"tasks": [{"competition_id": "a", "metric": "b", "score": "c"}]}, "not a number"),
    "replay as text": (GOOD | {"replay": "python solve.py"}, "replay is not an object"),
    "a replay command that is a number": (GOOD | {"replay": {"command": 3}}, "replay.command is not a text"),
    "usage": (GOOD | {"usage": {"usd": 1}}, "input_tokens is missing"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_lines_say_why(case: str) -> None:
    values, problem = MALFORMED[case]
    found = parsed(line(values))
    assert found.result is None
    assert problem in str(found.problem)
    assert not is_valid(values)


@pytest.mark.parametrize(
    "text", [b"{" * 100_000, b'{"seed": NaN}', b'{"seed": ' + b"9" * 10_000 + b"}", b'{"a":1e999}']
)
def test_monsters(text: bytes) -> None:
    assert parsed(MARKER + text).result is None


def is_valid(values: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(values))


def test_many_broken_objects_in_one_line_take_bounded_time() -> None:
    many = (MARKER + b'{"a": ') * 100_000  # several minutes, if each were read to the end of the line
    assert parse_output([many + b"\n"]).problem == "the result line is not valid JSON"
    assert parse_output([many + line() + b"\n"]).result is not None


def test_the_good_line_fits_the_schema() -> None:
    assert is_valid(GOOD)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=3) | st.just("ab" * 32),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["path", "usd", "seed"]), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), VALUES, max_size=2))
def test_parser_and_schema_agree(changes: dict[str, Any]) -> None:
    values = json.loads(json.dumps(GOOD | changes))
    # JSON Schema takes 3.0 for an integer; a seed written so is not taken here.
    if "3.0" not in json.dumps(values) and not any(isinstance(each, float) for each in changes.values()):
        assert (parsed(line(values)).result is not None) == is_valid(values)


@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([MARKER, line(), line()[:50], b"\n", b"\x1b[3", b"{"]), max_size=12
    )
)
def test_any_output_in_any_pieces(pieces: list[bytes]) -> None:
    whole = parse_output([b"".join(pieces)])
    assert parse_output(pieces) == whole
    assert (whole.result is None) == (whole.problem is not None)


@given(st.binary(max_size=200), st.integers(1, 50))
def test_what_comes_before_does_not_matter(noise: bytes, size: int) -> None:
    output = noise + b"\n" + line() + b"\n"
    found = parse_output(output[at : at + size] for at in range(0, len(output), size))
    assert found.result is not None


def test_a_run_without_a_log(tmp_path: Path) -> None:
    assert result_of_run(tmp_path).problem == "there is no agent.log"
