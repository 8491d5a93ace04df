"""The contract as agents meet it in real sandboxes: the promises, the checker, the paths."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.runs.group import PlannedGroup, create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits

WINE, DIABETES = "practice-wine", "practice-diabetes"
LIMITS = Limits(seconds=120, memory_bytes=2 << 30)
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for each in (WINE, DIABETES):
        prepare(Registry(folder).get_competition(each))
    return folder


@pytest.fixture(params=list(SANDBOXES))
def sandbox(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if not (found := SANDBOXES[name].availability()).works:
        pytest.skip(found.why)
    return name


def made(settings: RunSettings, runs: Path, competitions: list[str]) -> tuple[PlannedGroup, list[tuple[Path, str]]]:
    """The group, and (folder, output) of each of its runs."""
    group = create_group(runs, competitions, [0], settings)
    assert run_group(group, workers=len(competitions))
    folders = [group.folder_of(planned) for planned in group.record.plan]
    return group, [(folder, (folder / "agent.log").read_text()) for folder in folders]


def command(data: Path, sandbox: str, line: str, *, obfuscated: bool = False) -> RunSettings:
    return RunSettings(
        agent="command",
        data_dir=data,
        sandbox=sandbox,
        limits=LIMITS,
        agent_options={"command": line},
        obfuscated=obfuscated,
    )


def test_dummy_finds_every_promise_kept(data: Path, tmp_path: Path, sandbox: str) -> None:
    settings = RunSettings(agent="dummy", data_dir=data, sandbox=sandbox, limits=LIMITS)
    group, [(folder, output)] = made(settings, tmp_path, [WINE])
    (record,) = group.run_records()
    assert (record.status, record.exit_code) == ("success", 0), output
    found = json.loads((folder / "logs" / "promises.json").read_text())
    by_status = {
        status: [each["promise"] for each in found if each["status"] == status] for status in ("passed", "failed")
    }
    assert by_status["failed"] == []
    if "ANSWERS_HIDDEN" not in by_status["passed"]:
        pytest.skip("nothing is promised on this machine")
    assert len(by_status["passed"]) >= 8
    sample = Registry(data).get_competition(WINE).sample_submission
    assert (folder / "submission" / "submission.csv").read_bytes() == sample.read_bytes()


def test_conda_as_published_agents_call_it(data: Path, tmp_path: Path, sandbox: str) -> None:
    """The environment `agent` is the Python that the run has, by whichever of conda's commands it is asked for."""
    python = 'python3 -c "import sys; print(sys.executable)"'
    line = (
        f'set -e; cd "$AGENT_DIR"; {python}; conda run -n agent --no-capture-output {python}; '
        f'eval "$(conda shell.bash hook)"; conda activate agent; {python}; echo $CONDA_DEFAULT_ENV; conda deactivate; '
        f"if [ -e /opt/conda ]; then source /opt/conda/bin/activate agent; fi; {python}; "
        f"conda clean -afy; conda activate another || echo refused; conda env list | grep -c '^agent '; {HAND_IN}"
    )
    if sandbox == "process" and Path("/opt/conda").exists():
        pytest.skip("this machine has a conda of its own, which an agent sees there")
    _, [(_, output)] = made(command(data, sandbox, line), tmp_path, [WINE])
    found = [line for line in output.splitlines() if line != "refused" and not line.startswith("conda: error:")]
    assert "refused" in output.splitlines() and "conda: error: there is no environment another;" in output
    assert found.pop(3) == "agent"
    assert found.pop() == "1", "the environment is listed, which scripts ask for"
    assert len(found) == 4 and len(set(found)) == 1, output


def test_each_run_has_a_checker_of_its_own(data: Path, tmp_path: Path, sandbox: str) -> None:
    """Two at a time: each server knows the competition of its run, wherever it listens."""
    line = (
        f'{HAND_IN}; bash ../validate_submission.sh "$SUBMISSION_DIR/submission.csv"; echo "code $? at $VALIDATION_URL"'
    )
    _, runs = made(command(data, sandbox, line), tmp_path, [WINE, DIABETES])
    for _, output in runs:
        answer, code = output.splitlines()
        assert json.loads(answer) == {"result": "Submission is valid.", "is_valid": True}
        assert code.startswith("code 0 at http://localhost:")
        assert sandbox == "process" or code.endswith(":5000")


def test_the_home_is_as_published(data: Path, tmp_path: Path, sandbox: str) -> None:
    line = (
        f"{HAND_IN}; cd ..; pwd; id -u; ls -A; echo more >> instructions.txt && echo edited; "
        'for each in "$SUBMISSION_DIR" "$LOGS_DIR" "$CODE_DIR" "$AGENT_DIR"; do touch "$each/x" && echo written; done; '
        'touch "$DATA_DIR/x" 2>/dev/null || echo read-only; head -c 2 data/description.md'
    )
    _, [(folder, output)] = made(command(data, sandbox, line), tmp_path, [WINE])
    lines = output.splitlines()
    if sandbox == "process":
        assert lines[0] == str((folder / "home").resolve())
        assert lines[1] == str(os.getuid())
    else:
        assert lines[0] == "/home"
        assert lines[1] != "0"
    tree = {"agent", "code", "data", "instructions.txt", "instructions_obfuscated.txt", "logs", "submission"}
    assert tree | {"validate_submission.sh"} <= set(lines)
    assert lines.count("written") == 4
    assert "edited" in lines
    assert "read-only" in lines
    assert lines[-1] == "# "


def test_a_login_shell_keeps_the_path(data: Path, tmp_path: Path, sandbox: str) -> None:
    """/etc/profile sets PATH anew, and agents such as Codex run `bash -lc`: without .profile they lose their Python."""
    line = f"{HAND_IN}; command -v python3; bash -lc 'command -v python3; env | grep ^PATH='; env | grep ^PATH="
    _, [(_, output)] = made(command(data, sandbox, line), tmp_path, [WINE])
    outside, inside, path_inside, path_outside = output.splitlines()
    assert inside == outside
    assert path_inside == path_outside


def test_hidden_names_are_nowhere(data: Path, tmp_path: Path, sandbox: str) -> None:
    if sandbox == "process":
        pytest.skip("there the agent sees true paths, and names cannot be hidden")
    line = (
        f'{HAND_IN}; env; cat ../*.txt "$DATA_DIR/description.md"; bash ../validate_submission.sh $SUBMISSION_DIR/*.csv'
    )
    group, [(_, output)] = made(command(data, sandbox, line, obfuscated=True), tmp_path, [WINE])
    assert group.run_records()[0].status == "success", output
    assert '"is_valid": true' in output
    assert WINE not in output
    assert "Kaggle" not in output
    assert "Practice: Wine" not in output
