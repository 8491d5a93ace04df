"""The home that an agent is started in: its tree, its variables, its instructions."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.agents import Agent, AgentError, command_agent, find_agent
from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.grade.grading import validate_submission
from mlebench.runs.collect import collect
from mlebench.runs.contract import Home, make_home, public_data
from mlebench.runs.instructions import AgentPaths, Conditions, duration, instructions

Prepared = Callable[[str], LocalCompetition]


@pytest.fixture
def wine(prepared_practice: Prepared) -> LocalCompetition:
    return prepared_practice("practice-wine")


def true_places(folder: Path, competition: LocalCompetition) -> AgentPaths:
    return AgentPaths(str(folder), str(competition.public_dir.resolve()))


def run(home: Home) -> subprocess.CompletedProcess[str]:
    """Start the agent as a sandbox would, with nothing of our own environment."""
    return subprocess.run(
        home.command, cwd=home.folder, env=dict(home.environment), capture_output=True, text=True, check=False
    )


def test_the_tree(wine: LocalCompetition, tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", wine, find_agent("sample"))
    assert sorted(path.name for path in home.folder.iterdir()) == [
        ".profile",
        "agent",
        "code",
        "data",
        "instructions.txt",
        "instructions_obfuscated.txt",
        "logs",
        "submission",
        "validate_submission.sh",
    ]
    assert (home.folder / "agent" / "start.sh").is_file()
    for name in ("instructions.txt", "instructions_obfuscated.txt"):
        assert (home.folder / name).stat().st_mode & stat.S_IWUSR
    assert (home.folder / "validate_submission.sh").stat().st_mode & stat.S_IXUSR
    assert home.command == ("bash", "/home/agent/sample.sh")


def test_the_variables(wine: LocalCompetition, tmp_path: Path) -> None:
    conditions = Conditions(seed=7, seconds=3600.0, steps=500)
    home = make_home(tmp_path / "home", wine, find_agent("sample"), conditions, python=Path(sys.executable))
    path = home.environment["PATH"].split(os.pathsep)
    assert path[:2] == ["/home/.conda/bin", str(Path(sys.executable).parent)]
    assert {name: value for name, value in home.environment.items() if name != "PATH"} == {
        "COMPETITION_ID": "practice-wine",
        "TIME_LIMIT_SECS": "3600",
        "STEP_LIMIT": "500",
        "SEED": "7",
        "DATA_DIR": "/home/data",
        "SUBMISSION_DIR": "/home/submission",
        "LOGS_DIR": "/home/logs",
        "CODE_DIR": "/home/code",
        "AGENT_DIR": "/home/agent",
    }
    assert home.readable == ()


def test_an_environment_of_its_own_is_readable(wine: LocalCompetition, tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", wine, find_agent("sample"), python=Path("/cache/abc/bin/python"))
    assert home.readable == (Path("/cache/abc"),)
    assert "PATH" not in make_home(tmp_path / "home", wine, find_agent("sample")).environment


def test_true_paths_where_there_is_no_home(wine: LocalCompetition, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    home = make_home(
        folder,
        wine,
        find_agent("sample"),
        paths=true_places(folder, wine),
        services={"VALIDATION_URL": "http://localhost:4711"},
    )
    assert home.environment["SUBMISSION_DIR"] == str(folder / "submission")
    assert home.environment["DATA_DIR"] == str(wine.public_dir.resolve())
    assert home.environment["VALIDATION_URL"] == "http://localhost:4711"
    assert (folder / "data" / "description.md").samefile(wine.public_dir / "description.md")
    text = (folder / "instructions.txt").read_text()
    assert not re.search(r"(?<![\w./-])/home/", text.replace(str(folder), ""))
    for path in (folder / "submission" / "submission.csv", wine.public_dir.resolve() / "description.md"):
        assert str(path) in text


def test_who_needs_home_is_refused(wine: LocalCompetition, tmp_path: Path) -> None:
    agent = Agent("aide", needs_home=True)
    make_home(tmp_path / "home", wine, agent)
    with pytest.raises(AgentError, match="The agent aide needs its home to be /home"):
        make_home(tmp_path / "home", wine, agent, paths=true_places(tmp_path / "home", wine))


def test_what_is_not_prepared_is_refused(wine: LocalCompetition, tmp_path: Path) -> None:
    missing = LocalCompetition(wine.declaration, tmp_path / "nowhere")
    with pytest.raises(MlebenchError, match="Run: mlebench prepare -c practice-wine"):
        make_home(tmp_path / "home", missing, find_agent("sample"))


def test_a_home_is_always_fresh(wine: LocalCompetition, tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", wine, find_agent("sample"))
    (home.folder / "agent" / "argparse.py").write_text("raise SystemExit('hijacked')")
    (home.folder / "submission" / "submission.csv").write_text("id\n")
    again = make_home(tmp_path / "home", wine, find_agent("sample"))
    assert not (again.folder / "agent" / "argparse.py").exists()
    assert not (again.folder / "submission" / "submission.csv").exists()


@pytest.mark.parametrize(
    ("own", "told"), [({}, "3600"), ({"TIME_LIMIT_SECS": "600"}, "600"), ({"TIME_LIMIT_SECS": "86400"}, "3600")]
)
def test_the_tighter_limit_is_told(own: dict[str, str], told: str, wine: LocalCompetition, tmp_path: Path) -> None:
    agent = Agent("mine", variables={**own, "STEP_LIMIT": "20", "SEED": "99"})
    environment = make_home(tmp_path / "home", wine, agent, Conditions(seconds=3600)).environment
    assert environment["TIME_LIMIT_SECS"] == told
    assert environment["STEP_LIMIT"] == "20"
    assert environment["SEED"] == "0", "the run's seed, whatever the manifest says"


def test_secrets(wine: LocalCompetition, tmp_path: Path) -> None:
    agent = Agent("mine", variables={"KEY": "${{ secrets.MY_KEY }}"})
    home = make_home(tmp_path / "home", wine, agent, environment={"MY_KEY": "s3cret"})
    assert home.environment["KEY"] == "s3cret"
    assert home.secrets == ("s3cret",)
    written = [path.read_bytes() for path in home.folder.rglob("*") if path.is_file()]
    assert not any(b"s3cret" in content for content in written)
    with pytest.raises(AgentError, match="MY_KEY"):
        make_home(tmp_path / "home", wine, agent, environment={})


def test_a_built_in_agent_works_in_its_home(wine: LocalCompetition, tmp_path: Path) -> None:
    """As the agent baseline does in the quickstart: see tests/agents/test_baseline_agent.py."""
    folder = tmp_path / "home"
    home = make_home(
        folder,
        wine,
        find_agent("sample"),
        Conditions(seconds=120),
        paths=true_places(folder, wine),
        python=Path(sys.executable),
    )
    done = run(home)
    assert done.returncode == 0, done.stderr
    collected = collect(folder, tmp_path / "run")
    assert collected.submission is not None
    assert validate_submission(collected.submission, wine)[0]


def test_any_command_works_in_its_home(wine: LocalCompetition, tmp_path: Path) -> None:
    code = tmp_path / "code of mine"
    code.mkdir()
    (code / "solve.py").write_text(
        "import os, shutil, sys\n"
        "print(os.path.basename(os.getcwd()), sys.argv[1:])\n"
        "data, out = os.environ['DATA_DIR'], os.environ['SUBMISSION_DIR']\n"
        "shutil.copy(data + '/sample_submission.csv', out + '/submission.csv')\n"
    )
    folder = tmp_path / "home"
    agent = command_agent("python3 solve.py 'two words' | tee \"$LOGS_DIR/out.log\"; exit 3", code)
    home = make_home(folder, wine, agent, paths=true_places(folder, wine), python=Path(sys.executable))
    done = run(home)
    assert (done.stdout, done.returncode) == ("agent ['two words']\n", 3)
    assert (folder / "logs" / "out.log").read_text() == done.stdout
    assert collect(folder, tmp_path / "run").submission is not None


def test_a_code_folder_that_holds_data_and_runs(wine: LocalCompetition, tmp_path: Path) -> None:
    """`--code .` where everything else is, too: neither answers nor other runs get into the home."""
    for data_dir in ("data", "elsewhere/old-data"):
        shutil.copytree(wine.home, tmp_path / data_dir / wine.id)
    for name in (
        "solve.py",
        "lib/help.py",
        ".git/config",
        "lib/__pycache__/x.pyc",
        "runs/other/s.csv",
        "elsewhere/old-data/notes.md",
        "data/answers-of-mine.csv",
        "mine/public/a",
        "mine/private/a",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    competition = LocalCompetition(wine.declaration, tmp_path / "data")
    home = make_home(tmp_path / "runs" / "group" / "run" / "home", competition, command_agent("true", tmp_path))
    copied = {path.relative_to(home.folder / "agent").as_posix() for path in (home.folder / "agent").rglob("*")}
    files = {name for name in copied if (home.folder / "agent" / name).is_file()}
    assert files == {"solve.py", "lib/help.py", "elsewhere/old-data/notes.md", "mine/public/a"}
    answers = wine.answers.read_bytes()
    assert not [path for path in home.folder.rglob("*") if path.is_file() and path.read_bytes() == answers]


def test_hidden_names(prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin("spaceship-titanic")
    conditions = Conditions(obfuscate=True)
    home = make_home(tmp_path / "home", competition, find_agent("sample"), conditions)
    again = make_home(tmp_path / "home", competition, find_agent("sample"), conditions)
    assert re.fullmatch(r"competition-[0-9a-f]{8}", home.competition_id)
    assert home.competition_id == home.environment["COMPETITION_ID"] != again.competition_id
    data = public_data(competition, conditions, tmp_path / "data")
    texts = [path.read_text() for path in home.folder.rglob("*.txt")] + [(data / "description.md").read_text()]
    for text in texts:
        assert not re.search("titanic|kaggle|mle-bench", text, re.IGNORECASE)
    original = {path.relative_to(competition.public_dir) for path in competition.public_dir.rglob("*")}
    assert {path.relative_to(data) for path in data.rglob("*")} == original
    assert "Titanic" in (competition.public_dir / "description.md").read_text(), "the original is as it was"
    assert public_data(competition, Conditions(), tmp_path / "unused") == competition.public_dir
    assert not (tmp_path / "unused").exists()
    with pytest.raises(MlebenchError, match="cannot be hidden"):
        make_home(
            tmp_path / "home", competition, find_agent("sample"), conditions, paths=AgentPaths(str(tmp_path), "/data")
        )


SAID = {
    "the task": "build the best model",
    "from a model, not by hand": "Do not write labels by hand",
    "where the description is": "/home/data/description.md",
    "where the data is": "Data: /home/data/",
    "where the submission goes": "/home/submission/submission.csv",
    "only that one CSV counts": "Only this one file counts",
    "another split": "differs from the one on Kaggle",
    "the checker": "bash /home/validate_submission.sh FILE",
    "no score": "never gives a score",
    "no copying": "Do not copy or adapt solutions",
    "these rules win": "these rules win",
    "hardware": "Hardware: 36 CPUs.",
    "time": "Time: 24 hours",
    "steps": "Steps: 500.",
}


def test_instructions_say_all_that_they_must() -> None:
    text = instructions(AgentPaths(), Conditions(steps=500, hardware="36 CPUs"), competition="Wine")
    flat = " ".join(text.split())
    assert [what for what, words in SAID.items() if words not in flat] == []
    assert "“Wine”" in flat
    assert max(map(len, text.splitlines())) <= 110
    anonymous = " ".join(
        instructions(AgentPaths(), Conditions(steps=500, hardware="36 CPUs"), competition=None).split()
    )
    left_out = [what for what, words in SAID.items() if words not in anonymous]
    assert left_out == ["another split"]
    assert "differs from any other version" in anonymous


def test_the_variant_lite_asks_for_more() -> None:
    plain = instructions(AgentPaths(), Conditions(seed=5), competition="Wine")
    lite = instructions(AgentPaths(), Conditions(seed=5, variant="lite"), competition="Wine")
    for words in ("metrics.json", "report.md", "seed 5", "MLE_BENCH_LITE_RESULT="):
        assert words in " ".join(lite.split())
        assert words not in plain


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(86400, "24 hours"), (3600, "1 hour"), (5400, "90 minutes"), (45, "45 seconds"), (0.5, "0.5 seconds")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
