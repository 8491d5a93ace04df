"""The agents react and mlab, driven by a scripted model through the gateway in a sandbox without a network."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from model_server import CallTool, Fault, Item, ModelServer, Run, Say
from scripts_for_agents import ANSWERS_UNTIL_HANDED_IN, SHORT_SCRIPTS

import mlebench.agents
from mlebench.agents import AgentError, find_agent
from mlebench.agents.checking import check_agents
from mlebench.agents.new_agent import write_agent
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.grade import grade_csv
from mlebench.results.records import RunRecord
from mlebench.runs.contract import make_home
from mlebench.runs.group import create_group
from mlebench.runs.instructions import AgentPaths
from mlebench.runs.options import RunOptions
from mlebench.runs.planning import plan_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import DEFAULT_SERVICES, RunSettings
from mlebench.sandbox import SANDBOXES, Limits
from mlebench.services.gateway.options import GatewayOptions, parse_models, parse_upstream

WINE = "practice-wine"
AGENTS = Path(mlebench.agents.__file__).parent
SANDBOX = "bubblewrap" if SANDBOXES["bubblewrap"].availability().works else "process"
KINDS = {"plan", "code", "run", "tool", "message", "error", "submit"}

GOOD = """
import csv, math, os, statistics
data = os.environ["DATA_DIR"]
names = ("train", "test", "sample_submission")
train, test, sample = (list(csv.DictReader(open(f"{data}/{name}.csv"))) for name in names)
target = next(name for name in train[0] if name not in test[0])
columns = [name for name in test[0] if name != "id"]
classes = [name for name in sample[0] if name != "id"]
def facts(label, column):
    values = [float(row[column]) for row in train if row[target] == label]
    return statistics.mean(values), statistics.pstdev(values) or 1.0
model = {(label, column): facts(label, column) for label in classes for column in columns}
with open("good.csv", "w") as file:
    print("id", *classes, sep=",", file=file)
    for row in test:
        logs = [
            sum(-0.5 * ((float(row[column]) - mean) / width) ** 2 - math.log(width)
                for column in columns for mean, width in [model[label, column]])
            for label in classes
        ]
        weights = [math.exp(log - max(logs)) + 0.001 for log in logs]
        print(row["id"], *(weight / sum(weights) for weight in weights), sep=",", file=file)
print("validation score 0.08")
"""
WORSE = """
import os, shutil
shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", "worse.csv")
open("broken.csv", "w").write("nothing")
"""
FAILING = "print('soon it fails')\nraise RuntimeError('as the script wants')\n"


def executed(
    agent: str,
    script: Sequence[Item],
    competition: LocalCompetition,
    folder: Path,
    seconds: float = 120,
    sandbox: str = SANDBOX,
) -> tuple[RunRecord, Path, ModelServer]:
    """Run an agent against a script; the record, the folder of the run, and the server."""
    with ModelServer(script) as server:
        upstream = parse_upstream(f"{server.url},key=none", {})
        gateway = GatewayOptions(upstreams=(upstream,), models=parse_models(["scripted"]), patience=5.0)
        services: dict[str, Any] = {**{name: {} for name in DEFAULT_SERVICES}, "gateway": gateway.to_dict()}
        settings = RunSettings(
            agent=agent,
            data_dir=competition.data_dir,
            sandbox=sandbox,
            limits=Limits(seconds=seconds),
            services=services,
        )
        group = create_group(folder, [WINE], [0], settings)
        assert run_group(group, workers=1)
    (record,) = group.run_records()
    return record, group.folder_of(group.record.plan[0]), server


def steps_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "logs" / "steps.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [json.loads(line) for line in lines]
    assert all(set(step) == {"time", "kind", "tokens", "validation_score", "text"} for step in steps)
    assert {step["kind"] for step in steps} <= KINDS
    assert [step["time"] for step in steps] == sorted(step["time"] for step in steps)
    return steps


def check_run(record: RunRecord, folder: Path, server: ModelServer, competition: LocalCompetition) -> None:
    """What holds for both: the better of two is handed in, everything is counted, nothing was reached but the model."""
    log = (folder / "agent.log").read_text(encoding="utf-8")
    assert record.status == "success", log
    assert (record.network, record.network_attempts) == ("none", ())
    assert {name: record.model_usage[name] for name in server.usage} == server.usage
    report = grade_csv(folder / "submission" / "submission.csv", competition)
    assert report.valid_submission
    assert report.score is not None
    assert report.score < 0.3, "the good attempt, not the worse one that came later"
    steps = steps_of(folder)
    assert sum(step["tokens"] or 0 for step in steps) == sum(
        call.input_tokens + call.output_tokens for call in server.calls
    )
    assert [step["validation_score"] for step in steps if step["kind"] == "submit"] == [None, 0.08, 1.1]
    runs = [step["text"] for step in steps if step["kind"] == "run"]
    assert any("as the script wants" in text and text.startswith("exit code 1") for text in runs)
    assert "Traceback" not in log.replace("\n", " ").split("[")[0]


def test_react(prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    competition = prepared_practice(WINE)
    script: list[Item] = [
        Fault(status=500),
        Run("ls $DATA_DIR; env"),
        CallTool("run_python", {"code": FAILING}, "First a program that fails."),
        Say("I could also just talk."),
        CallTool("write_notes", {"text": "naive Bayes works"}),
        CallTool("run_python", {"code": GOOD}),
        CallTool("submit", {"path": "good.csv", "validation_score": 0.08, "lower_is_better": True}),
        Say(f"Now in a block:\n```python\n{WORSE}```"),
        CallTool("submit", {"path": "worse.csv", "validation_score": 1.1, "lower_is_better": True}),
        CallTool("submit", {"path": "worse.csv"}),
        CallTool("fly", {}),
        CallTool("finish", {"reason": "enough"}),
    ]
    record, folder, server = executed("react", script, competition, tmp_path)
    check_run(record, folder, server, competition)
    errors = [step["text"] for step in steps_of(folder) if step["kind"] == "error"]
    assert [text.split()[0] for text in errors] == ["a", "submit", "There"]
    assert len(list((folder / "code").glob("program_*.py"))) == 3
    last = server.calls[-1].body["messages"]
    assert any(message["content"] == "Your notes:\nnaive Bayes works" for message in last)
    results = [str(message["content"]) for message in last if message["role"] == "tool"]
    assert "train.csv" in results[0]
    assert "OPENAI_API_KEY" not in results[0], "programs need no model"
    assert all("left, step" in text for text in results)


def reply(action: str, **inputs: Any) -> Say:
    """A reply in the form of MLAgentBench."""
    return Say(
        f"Reflection: none\nResearch Plan and Status: 1. {action}\nFact Check: all confirmed\nThought: I go on.\n"
        f"Action: {action}\nAction Input: {json.dumps(inputs, indent=2)}\nObservation:\nI imagine that it works."
    )


def test_mlab(prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    competition = prepared_practice(WINE)
    long = Say("```python\nprint('number ' * 2000)\n" + FAILING + "```")
    edit = {"edit_instruction": "as I say"}
    script: list[Item] = [
        reply("List Files", dir_path="."),
        reply("Edit Script (AI)", script_name="bad.py", save_name="bad.py", **edit),
        long,
        reply("Execute Script", script_name="bad.py"),
        Say("It printed numbers, and then RuntimeError: as the script wants."),
        Say("Thought: I forget the form."),
        reply("Undo Edit Script", script_name="bad.py"),
        reply("Edit Script (AI)", script_name="train.py", save_name="train.py", **edit),
        Say(f"```python\n{GOOD}```"),
        reply("Inspect Script Lines", script_name="train.py", start_line_number=1, end_line_number=5),
        reply("Inspect Script Lines", script_name="train.py", start_line_number=1, end_line_number=500),
        reply("Understand File", file_name="train.py", things_to_look_for="the model"),
        Say("In this segment, it is naive Bayes."),
        reply("Execute Script", script_name="train.py"),
        reply("Validate Submission", submission_path="good.csv", validation_score=0.08, lower_is_better=True),
        reply("Edit Script (AI)", script_name="worse.py", save_name="worse.py", **edit),
        Say(f"```python\n{WORSE}```"),
        reply("Execute Script", script_name="worse.py"),
        reply("Copy File", source="worse.csv", destination="copy.csv"),
        reply("Validate Submission", submission_path="copy.csv", validation_score=1.1, lower_is_better="true"),
        reply("Final Answer", final_answer="naive Bayes"),
    ]
    record, folder, server = executed("mlab", script, competition, tmp_path)
    check_run(record, folder, server, competition)
    assert len(server.calls) == len(script), "neither more nor fewer replies were needed"
    errors = [step["text"] for step in steps_of(folder) if step["kind"] == "error"]
    assert [text.split(":")[0] for text in errors] == ["malformed reply", "EnvError"]
    assert not (folder / "code" / "bad.py").exists(), "its edit was undone"
    last = str(server.calls[-1].body["messages"][0]["content"])
    assert last.count("\nObservation:\n```") == 3, "the last three steps are in view"
    assert "I imagine that it works" not in last
    assert "steps left]" in last
    assert "Research Plan and Status before the steps below: 1. Edit Script (AI)" in last
    summarised = [call for call in server.calls if "Summarize the observation" in str(call.body["messages"])]
    assert len(summarised) == 1


def run_directly(agent: str, script: Sequence[Item], folder: Path, seconds: float) -> tuple[int, Path, ModelServer]:
    """Run an agent as a plain program on a task of one file; its exit code, its folder, and the server."""
    for name in ("data", "code", "logs", "submission"):
        (folder / name).mkdir(parents=True)
    (folder / "data" / "sample_submission.csv").write_text("id,y\n1,0\n")
    with ModelServer(script) as server:
        variables = {f"{name.upper()}_DIR": str(folder / name) for name in ("data", "code", "logs", "submission")}
        variables |= {"AGENT_DIR": str(AGENTS / agent), "OPENAI_BASE_URL": f"{server.url}/v1"}
        variables |= {"TIME_LIMIT_SECS": str(seconds), "PATH": os.environ["PATH"]}
        variables["PYTHONPATH"] = str(AGENTS / "workshop")  # in a home its files are beside those of the agent
        ended = subprocess.run([sys.executable, str(AGENTS / agent / f"{agent}.py")], env=variables, check=False)
    return ended.returncode, folder, server


@pytest.mark.parametrize("agent", ["react", "mlab"])
def test_malformed_replies_without_end_are_an_end(agent: str, tmp_path: Path) -> None:
    code, folder, server = run_directly(agent, [], tmp_path, seconds=600)
    assert (code, len(server.calls)) == (1, 10)
    assert (folder / "submission" / "submission.csv").read_text() == "id,y\n1,0\n", "the sample, for lack of better"


def test_programs_end_with_the_time(tmp_path: Path) -> None:
    script = [Run("sleep 1000 & sleep 1000"), *[Run("true")] * 100]
    code, folder, _ = run_directly("react", script, tmp_path, seconds=4)
    steps = steps_of(folder)
    assert code == 1
    assert any(step["text"].startswith("stopped after") for step in steps if step["kind"] == "run")
    assert steps[-1]["text"].startswith("the end")


def test_a_refusal_of_the_server_is_an_end(tmp_path: Path) -> None:
    code, folder, server = run_directly("mlab", [Fault(status=403)] * 3, tmp_path, seconds=600)
    assert (code, len(server.calls)) == (1, 1)
    assert "403" in next(step["text"] for step in steps_of(folder) if step["kind"] == "error")


FORM = "Reflection: a\n\n**Research Plan and Status:** b\nFact Check: c\nThought: d\nAction: {}\nAction Input: {}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (FORM.format("List Files", '{"dir_path": "."}'), None),
        (FORM.format("`List Files`", '```json\n{"dir_path": "."}\n```') + "\nObservation:\nAction: Fly", None),
        (FORM.format("Fly", "{}"), "'Fly' is no action"),
        (FORM.format("List Files", "{'dir_path'}"), "not valid JSON"),
        (FORM.format("List Files", "[1]"), "not a JSON object"),
        ("Thought: d\nAction: List Files", "lacks Reflection"),
        ("", "lacks Reflection"),
    ],
)
def test_replies_of_mlab_are_taken_apart(text: str, problem: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("workshop", "mlab"):
        monkeypatch.syspath_prepend(AGENTS / folder)
    mlab = importlib.import_module("mlab")
    if problem is None:
        entry = mlab.parse(text)
        assert (entry.action, entry.inputs) == ("List Files", {"dir_path": "."})
        assert list(entry.fields.values())[:4] == ["a", "b", "c", "d"]
    else:
        with pytest.raises(mlab.MalformedError, match=problem):
            mlab.parse(text)


def test_they_need_nothing_but_the_standard_library() -> None:
    paths = [path for name in ("react", "mlab", "workshop") for path in (AGENTS / name).glob("*.py")]
    own = {path.stem for path in paths}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= own | set(sys.stdlib_module_names), path.name


def test_without_a_model_the_run_is_refused(prepared_practice: Callable[[str], LocalCompetition]) -> None:
    competition = prepared_practice(WINE)
    with pytest.raises(MlebenchError, match="model"):
        plan_group(RunOptions(agent="react", sandbox="process"), Registry(competition.data_dir), [competition])


@pytest.mark.parametrize(
    ("agent", "protocol", "other"), [("react", "openai", "anthropic"), ("claude-code", "anthropic", "openai")]
)
def test_an_agent_that_does_not_speak_the_protocol_of_its_model_is_refused(
    agent: str, protocol: str, other: str, prepared_practice: Callable[[str], LocalCompetition]
) -> None:
    competition = prepared_practice(WINE)
    with ModelServer() as server:
        endpoint = f"{server.url},key=none,protocol={other}"
        options = RunOptions(agent=agent, sandbox="process", model=["scripted"], model_endpoint=[endpoint])
        with pytest.raises(MlebenchError, match="scripted is served in") as refused:
            plan_group(options, Registry(competition.data_dir), [competition])
    assert f"protocol={protocol}" in str(refused.value.hint)


def test_docker_runs_what_needs_no_packages_and_announces_the_image_of_the_rest(
    prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (found := SANDBOXES["docker"].availability()).works:
        pytest.skip(found.why)
    competition = prepared_practice(WINE)
    record, folder, server = executed("react", SHORT_SCRIPTS["react"], competition, tmp_path, sandbox="docker")
    assert record.status == "success", (folder / "agent.log").read_text()
    assert len(server.calls) == 3
    monkeypatch.setattr("mlebench.runs.images.context_hash", lambda agent, base: "not-built")
    with ModelServer() as server:
        options = RunOptions(agent="aider", sandbox="docker", model_endpoint=[f"{server.url},key=none"])
        plan = plan_group(options, Registry(competition.data_dir), [competition])
    assert plan.notes == ("The image of the agent aider is built once, about 1000 MiB more than mlebench-env.",)


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [(Fault(status=400), "failed", "exit-code"), (Fault(status=401), "infrastructure", "model-endpoint")],
    ids=["400", "401"],
)
@pytest.mark.parametrize("agent", ["react", "mlab"])
def test_a_model_that_fails_is_not_a_success(
    agent: str,
    fault: Fault,
    status: str,
    code: str,
    prepared_practice: Callable[[str], LocalCompetition],
    tmp_path: Path,
) -> None:
    """Although something has been handed in, which is graded as ever."""
    script = [*SHORT_SCRIPTS[agent][: ANSWERS_UNTIL_HANDED_IN[agent]], *[fault] * 50]
    record, folder, _ = executed(agent, script, prepared_practice(WINE), tmp_path)
    assert (record.status, record.code) == (status, code), (folder / "agent.log").read_text()
    assert [step["validation_score"] for step in steps_of(folder) if step["kind"] == "submit"] == [None, 1.1]
    assert record.submission is not None


def test_the_template_is_the_agent(prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    folder = write_agent("mine", tmp_path / "agents", "react")
    assert check_agents(folder)[1] == []
    assert (folder / "react.py").read_text() == (AGENTS / "react" / "react.py").read_text()
    competition = prepared_practice(WINE)
    agent = find_agent("mine", [tmp_path / "agents"])
    make_home(
        tmp_path / "home", competition, agent, paths=AgentPaths(str(tmp_path / "home"), str(competition.public_dir))
    )
    command = [sys.executable, str(tmp_path / "home" / "agent" / "react.py"), "--help"]
    assert "--steps" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with pytest.raises(AgentError, match="There is no template"):
        write_agent("other", tmp_path / "agents", "nothing")
