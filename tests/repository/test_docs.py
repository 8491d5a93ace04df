"""The documentation is true: examples run and print what is shown, options exist, links lead somewhere."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click
import pytest
from command_server import shell_command

import mlebench
from mlebench import kit
from mlebench.cli import cli

ROOT = Path(__file__).parents[2]
COMMAND_PAGES = ROOT / "docs" / "commands"
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
MARKDOWN = [page for folder in (".", "docs/**", "examples", "src/**") for page in sorted(ROOT.glob(f"{folder}/*.md"))]

_FENCED = re.compile(r"^(?P<fence>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*\Z")
_WRITTEN_TO = re.compile(r"<!-- written to: (\S+) -->\s*\Z")
_LEFT_OUT = "…"


@dataclass(frozen=True)
class Example:
    """A block to run, and the output that the page shows right below it; or one to write to a file."""

    language: str
    text: str
    line: int
    shown: str | None
    file: str | None = None


def examples(page: Path) -> Iterator[Example]:
    """The blocks of a page that can be run, Python and bash that calls mlebench, and those that files are made of."""
    text = page.read_text(encoding="utf-8")
    blocks = list(_FENCED.finditer(text))
    for block, following in zip_longest(blocks, blocks[1:]):
        language, body = block["language"], block["text"]
        line = text.count("\n", 0, block.start()) + 2
        if written := _WRITTEN_TO.search(text[: block.start()]):
            yield Example(language, body, line, None, written[1])
            continue
        is_command = language == "bash" and re.search(r"^mlebench ", body, re.MULTILINE)
        if _NOT_RUN.search(text[: block.start()]) or not (is_command or language == "python"):
            continue
        below = following is not None and not text[block.end() : following.start()].strip()
        is_output = following is not None and below and following["language"] in ("text", "json")
        shown = following["text"] if following is not None and is_output else None
        yield Example(language, body, line, shown)


PAGES_WITH_EXAMPLES = [page for page in PAGES if any(examples(page))]


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.once
@pytest.mark.skipif(os.name == "nt", reason="the examples are written for a Unix shell")
@pytest.mark.parametrize("page", PAGES_WITH_EXAMPLES, ids=relative)
def test_examples(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLEBENCH_DATA_DIR", "data")
    namespace: dict[str, Any] = {"__name__": "example"}
    for example in examples(page):
        where = f"{relative(page)}, line {example.line}"
        if example.file is not None:
            Path(example.file).write_text(example.text, encoding="utf-8")
            continue
        if example.language == "python":
            # The empty lines make a traceback point to the line of the page.
            code = compile("\n" * (example.line - 1) + example.text, str(page), "exec", dont_inherit=True)
            exec(code, namespace)
            printed = capsys.readouterr().out
        else:
            lines = example.text.replace("\\\n", " ").splitlines()
            printed = "".join(run_line(line, where) for line in lines)
        if example.shown is not None:
            expected = re.escape(example.shown.strip()).replace(_LEFT_OUT, ".*?")
            found = re.search(expected, printed, re.DOTALL)
            assert found, f"{where}: it shows\n{example.shown}\nbut prints\n{printed}"


def run_line(line: str, where: str) -> str:
    """Run a line of a bash block and give what it prints; it must end as its comment says, else with 0."""
    promised = re.search(r"# exit code (\d+)$", line)
    script = f'mlebench() {{ {shell_command()} "$@"; }}\n{line}'
    done = subprocess.run(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == (int(promised[1]) if promised else 0), f"{where}: {line}\n{done.stdout}"
    return done.stdout


def with_subcommands(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from with_subcommands(each)


@pytest.mark.parametrize("name", cli.commands)
def test_every_option_is_in_the_table_of_its_page(name: str) -> None:
    text = (COMMAND_PAGES / f"{name}.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\| (`-.*?) \|", text, re.MULTILINE)
    documented = {option for cell in first_cells for option in re.findall(r"`(-[-\w]+)", cell)}
    parameters = [each for command in with_subcommands(cli.commands[name]) for each in command.params]
    assert documented == {option for each in parameters if isinstance(each, click.Option) for option in each.opts}
    for argument in (each for each in parameters if isinstance(each, click.Argument)):
        assert re.search(rf"^mlebench .*\b{argument.human_readable_name}\b", text, re.MULTILINE)


def test_every_command_has_a_page_and_every_page_a_command() -> None:
    pages = {page.stem for page in COMMAND_PAGES.glob("*.md")} - {"README"}
    assert pages == set(cli.commands)
    index = (COMMAND_PAGES / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[`(.+?)`\]\(\1\.md\) \|", index, re.MULTILINE) == list(cli.commands)


def prose(page: Path) -> str:
    """The text of a page without its code."""
    return re.sub(r"`[^`]*`", "", _FENCED.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page may say after the #."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links() -> None:
    broken = []
    for page in MARKDOWN:
        for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(page)):
            path, _, anchor = link.partition("#")
            if re.match(r"\w+:", link):
                continue
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{relative(page)}: {link}")
    assert not broken


@pytest.mark.parametrize("page", ["CHANGELOG.md", "CITATION.cff"])
def test_the_version_is_stated(page: str) -> None:
    assert mlebench.__version__ in (ROOT / page).read_text(encoding="utf-8")


def test_the_threat_model_names_tests_that_there_are() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+)`", (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")))
    assert len(named) > 10
    assert [each for each in sorted(named) if not (ROOT / each).exists()] == []


def test_every_metric_and_rule_is_on_its_page_with_an_example() -> None:
    """In the heading a name stands with its parameters, those that need not be given or need a name with a `=`."""
    text = (ROOT / "docs" / "metrics-and-rules.md").read_text(encoding="utf-8")
    parts = re.split(r"^#### `(.+)`$", text, flags=re.MULTILINE)[1:]
    described = {heading: _FENCED.findall(body) for heading, body in zip(parts[::2], parts[1::2], strict=True)}
    functions = [value for name in kit.__all__ if inspect.isfunction(value := getattr(kit, name))]
    assert sorted(described) == sorted(map(_signature, functions))
    for heading, blocks in described.items():
        assert [language for _, language, _ in blocks] == ["python", "text"], heading
        assert heading.partition("(")[0] in blocks[0][2], heading


def _signature(function: Callable[..., Any]) -> str:
    parameters = inspect.signature(function).parameters.values()
    plain = [
        each.name if each.default is each.empty and each.kind is not each.KEYWORD_ONLY else f"{each.name}="
        for each in parameters
    ]
    return f"{function.__name__}({', '.join(plain)})"
