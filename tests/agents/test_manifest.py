"""Manifests of agents: the published form as it is, our own keys, and a sentence for every mistake."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from mlebench.agents import Agent, AgentError, broken_manifests, command_agent, find_agent, list_agents
from mlebench.agents.environments import python_of
from mlebench.agents.manifest import read_entries

# In the form of the published agents: several ids, anchors, a part that is no agent, paths below the folder of agents.
PUBLISHED = """
vars:
  step_count: &step_count 2000
  time_limit: &time_limit 86400

defaults: &defaults
  start: aide/start.sh
  dockerfile: aide/Dockerfile
  kwargs_type: omegaconf
  env_vars: &env_vars
    TIME_LIMIT_SECS: *time_limit
    STEP_LIMIT: *step_count

aide:
  <<: *defaults
  kwargs: &kwargs
    agent.code.model: gpt-4o
    agent.steps: *step_count
    exec.verbose: true
    api_key: ${{ secrets.OPENAI_API_KEY }}
  env_vars:
    <<: *env_vars
    OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}
    HEADER: Bearer ${{secrets.OTHER_KEY}}!

aide/dev:
  <<: *defaults
  kwargs:
    <<: *kwargs
    agent.steps: 1
    api_key: none
  privileged: true

aide/flags:
  <<: *defaults
  kwargs_type: argparse
  kwargs: {max-steps: 3, name: two words}
"""
SECRETS = {"OPENAI_API_KEY": "sk-1", "OTHER_KEY": "o-2"}


@pytest.fixture
def agents_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "agents" / "aide"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(PUBLISHED)
    (folder / "start.sh").write_text("echo hello\n")
    (folder / "Dockerfile").write_text("FROM mlebench-env\n")
    return folder.parent


def test_the_published_form(agents_dir: Path) -> None:
    agent = find_agent("aide", [agents_dir])
    assert (agent.folder, agent.start) == (agents_dir / "aide", "start.sh")
    assert agent.dockerfile == agents_dir / "aide" / "Dockerfile"
    assert not agent.privileged
    start = agent.starting("/home/agent", SECRETS)
    assert start.command == (
        "bash",
        "/home/agent/start.sh",
        "agent.code.model=gpt-4o",
        "agent.steps=2000",
        "exec.verbose=True",
        "api_key=sk-1",
    )
    assert start.environment == {
        "TIME_LIMIT_SECS": "86400",
        "STEP_LIMIT": "2000",
        "OPENAI_API_KEY": "sk-1",
        "HEADER": "Bearer o-2!",
    }
    assert sorted(start.secrets) == ["o-2", "sk-1"]
    assert "sk-1" not in repr(agent), "a secret is looked up at the start and not kept"


def test_variants(agents_dir: Path) -> None:
    dev = find_agent("aide/dev", [agents_dir])
    assert dev.privileged
    assert "agent.steps=1" in dev.starting("/a", {}).command
    flags = find_agent("aide/flags", [agents_dir])
    assert flags.starting("/a", {}).command[2:] == ("--max-steps", "3", "--name", "two words")
    own = [agent.id for agent in list_agents([agents_dir]) if not agent.built_in]
    assert own == ["aide", "aide/dev", "aide/flags"]


@pytest.mark.parametrize("value", [{}, {"OPENAI_API_KEY": "", "OTHER_KEY": "x"}])
def test_an_unset_secret_is_named(value: dict[str, str], agents_dir: Path) -> None:
    with pytest.raises(AgentError, match=r"needs OPENAI_API_KEY.* not set.* export OPENAI_API_KEY="):
        find_agent("aide", [agents_dir]).starting("/a", value)


def test_the_folder_of_one_agent_will_do(agents_dir: Path) -> None:
    assert find_agent("aide", [agents_dir / "aide"]).start == "start.sh"


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("cat /home/instructions.txt", True),
        ("cd /home", True),
        ("python $AGENT_DIR/run.py", False),
        ("cat /mnt/home/x /homeland ./home/x", False),
    ],
)
def test_who_needs_home_is_seen(text: str, needs: bool, agents_dir: Path) -> None:
    (agents_dir / "aide" / "start.sh").write_text(f"{text}\n")
    assert find_agent("aide", [agents_dir]).needs_home is needs
    with (agents_dir / "aide" / "config.yaml").open("a") as file:
        file.write("aide/said:\n  <<: *defaults\n  needs_home: false\n")
    assert not find_agent("aide/said", [agents_dir]).needs_home


def test_needs_home_is_seen_in_arguments(agents_dir: Path) -> None:
    with (agents_dir / "aide" / "config.yaml").open("a") as file:
        file.write("aide/paths:\n  <<: *defaults\n  kwargs: {data_dir: /home/data/}\n")
    assert find_agent("aide/paths", [agents_dir]).needs_home


def written(folder: Path, text: str, name: str = "mine") -> Path:
    path = folder / name / "config.yaml"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    (path.parent / "start.sh").write_text("true\n")
    return path.parent


def test_our_own_keys(tmp_path: Path) -> None:
    text = (
        "mine:\n  summary: tries\n  network: ['api.openai.com:443']\n  gpus: 1\n  requirements: needs.txt\n"
        "mine/open:\n  network: full\n"
    )
    folder = written(tmp_path, text)
    (folder / "needs.txt").write_text("requests\n")
    agent = find_agent("mine", [tmp_path])
    assert agent.network == ("api.openai.com:443",)
    assert (agent.gpus, agent.requirements, agent.summary) == (1, folder / "needs.txt", "tries")
    assert find_agent("mine/open", [tmp_path]).network == ("full",)


@pytest.mark.parametrize(
    ("network", "gpus", "unmet"),
    [
        ((), 0, ["api.x.com:443", "b.com:80", "1 GPU"]),
        (("b.com:80",), 1, ["api.x.com:443"]),
        (("full",), 2, []),
    ],
)
def test_what_is_not_granted_is_named(network: tuple[str, ...], gpus: int, unmet: list[str]) -> None:
    assert Agent("mine", network=("api.x.com:443", "b.com:80"), gpus=1).unmet_needs(network, gpus) == unmet
    assert Agent("mine", network=("full",)).unmet_needs(("b.com:80",), 0) == ["the network (full)"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mine: {start: [", "not valid YAML"),
        ("- a\n- b\n", "describes no agent"),
        ("", "describes no agent"),
        ("mine: {start: other/start.sh}", "names other/start.sh, but there is no such file"),
        ("mine: {start: ../../etc/passwd}", "must name a file in the agent's folder"),
        ("mine: {start: /bin/sh}", "must name a file in the agent's folder"),
        ("mine: {start: 3}", "must be the name of a file"),
        ("mine: {dockerfile: Dockerfile}", "names Dockerfile, but there is no such file"),
        ("mine: {kwargs: {a: 1}}", "`kwargs_type` must be argparse or omegaconf"),
        ("mine: {kwargs: [1], kwargs_type: argparse}", "`kwargs` must be"),
        ("mine: {env_vars: [A]}", "`env_vars` must be"),
        ("mine: {env_vars: {A B: 1}}", "is not the name of a variable"),
        ('mine: {env_vars: {A: "x\\0y"}}', "has a null character"),
        ('mine: {kwargs_type: argparse, kwargs: {a: "x\\0y"}}', "has a null character"),
        ("mine: {privileged: perhaps}", "`privileged` must be true or false"),
        ("mine: {needs_home: 1}", "`needs_home` must be true or false"),
        ("mine: {network: [nowhere]}", "`network` must be none, full, or a list of host:port"),
        ("mine: {gpus: -1}", "`gpus` must be a whole number"),
        ("mine: {gpus: true}", "`gpus` must be a whole number"),
        ("mine: {requirements: none.txt}", "no such file"),
        ("mine: {python: 3.12}", '`python` must be a version such as "3.12"'),
        ("mine: {python: '<3.12'}", "`python` must be a version"),
        ("mine: {programs: git}", "`programs` must be a list of names"),
        ("mine: {programs: ['../x']}", "`programs` must be a list of names"),
        ("mine: {size: large}", "`size` must be a size such as 800M"),
        ("mine: {npm: start.sh}", "`npm` must name a package.json"),
        ("mine: {includes: [harness]}", "`includes` is for built-in agents"),
        ("mine: {protocols: [gopher]}", "protocols"),
        ("mine: {calls_model: some}", "`calls_model` must be true or false"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_file(text: str, words: str, tmp_path: Path) -> None:
    folder = written(tmp_path, text)
    with pytest.raises(AgentError) as caught:
        find_agent("mine", [tmp_path])
    assert words in str(caught.value)
    assert str(folder) in str(caught.value)
    assert [agent.id for agent in list_agents([tmp_path]) if not agent.built_in] == []
    assert [words in problem for _, problem in broken_manifests([tmp_path])] == [True]


def test_what_an_environment_is_made_of(tmp_path: Path) -> None:
    text = (
        'mine:\n  python: "3.12"\n  requirements: lock.txt\n  without_dependencies: alone.txt\n  npm: package.json\n'
        "  programs: [git, curl]\n  size: 800M\n  calls_model: true\n"
    )
    folder = written(tmp_path, text)
    for name in ("lock.txt", "alone.txt", "package.json", "package-lock.json"):
        (folder / name).write_text("")
    agent = find_agent("mine", [tmp_path])
    assert (agent.python, agent.programs, agent.size) == ("3.12", ("git", "curl"), 800 << 20)
    assert (agent.without_dependencies, agent.npm) == (folder / "alone.txt", folder / "package.json")
    assert agent.has_environment
    assert agent.calls_model


def test_a_part_that_others_refer_to_is_no_agent(tmp_path: Path) -> None:
    agent = "{kwargs_type: omegaconf, kwargs: {<<: [*k, *s]}}"
    text = f"kwargs_common: &k {{a: 1}}\nsearch: &s {{b: 2}}\nmine: &m {agent}\nalso: *m\n"
    path = written(tmp_path, text) / "config.yaml"
    assert list(read_entries(path)) == ["mine", "also"]


def test_another_name_for_a_built_in_agent(tmp_path: Path) -> None:
    assert find_agent("opendevin").id == "openhands"
    assert find_agent("openhands").aliases == ("opendevin",)
    assert "opendevin" not in [agent.id for agent in list_agents()]
    written(tmp_path, "opendevin: {}")
    assert find_agent("opendevin", [tmp_path]).id == "opendevin"


def test_a_mistake_costs_no_other_agent(tmp_path: Path) -> None:
    written(tmp_path, "broken: {start: [", "broken")
    written(tmp_path, "mine: {}\nmine/wrong: {gpus: many}\n")
    assert find_agent("mine", [tmp_path]).start == "start.sh"
    assert [agent.id for agent in list_agents([tmp_path]) if not agent.built_in] == ["mine"]


def test_an_unknown_agent_gets_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"There is no agent 'basline'. Did you mean baseline"):
        find_agent("basline")
    with pytest.raises(AgentError, match="does not exist"):
        find_agent("baseline", [tmp_path / "nowhere"])


def test_ones_own_takes_the_place_of_a_built_in_one(tmp_path: Path) -> None:
    folder = written(tmp_path, "baseline: {}", "baseline")
    assert find_agent("baseline", [tmp_path]).folder == folder
    assert [agent.id for agent in list_agents([tmp_path])].count("baseline") == 1
    written(tmp_path / "more", "baseline: {}", "baseline")
    with pytest.raises(AgentError, match="There are two agents baseline"):
        find_agent("baseline", [tmp_path, tmp_path / "more"])


def test_the_agent_command(tmp_path: Path) -> None:
    start = command_agent("python solve.py && echo 'a b'", tmp_path).starting("/home/agent", {})
    assert start.command == ("bash", "-c", 'cd "$AGENT_DIR" && eval "$1"', "command", "python solve.py && echo 'a b'")
    with pytest.raises(AgentError, match="--command"):
        find_agent("command").starting("/home/agent", {})
    with pytest.raises(AgentError, match="--command"):
        command_agent(" ")
    with pytest.raises(AgentError, match="There is no folder"):
        command_agent("true", tmp_path / "nowhere")


def wheel(folder: Path) -> Path:
    """A tiny package that can be installed without a network."""
    path = folder / "tiny_thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_thing.py", "answer = 42\n")
        archive.writestr("tiny_thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n")
        archive.writestr(
            "tiny_thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_thing-1.0.dist-info/RECORD", "")
    return path


def test_requirements_are_installed_once(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(f"./{wheel(tmp_path).name}\n")
    agent = Agent("mine", tmp_path, requirements=requirements)
    python = python_of(agent, tmp_path / "cache")
    code = "import tiny_thing, importlib.util as u; print(tiny_thing.answer, u.find_spec('mlebench'))"
    done = subprocess.run([str(python), "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "42 None\n"
    made = python.lstat().st_ctime_ns
    assert python_of(agent, tmp_path / "cache") == python
    assert python.lstat().st_ctime_ns == made, "the second time nothing is made"

    requirements.write_text("./nothing-of-this-name.whl\n")
    with pytest.raises(
        AgentError, match=r"The packages that the agent mine requires cannot be installed: .*nothing-of"
    ):
        python_of(agent, tmp_path / "cache")
    folders = [path for path in (tmp_path / "cache").iterdir() if not path.name.endswith(".making")]
    assert folders == [python.parents[1]], "nothing half made is left"


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


GROWING = [BOMB + "mine: {start: start.sh, env_vars: *i}\n", "mine: &m {start: *m}\n", "x" * (1 << 21)]


@pytest.mark.parametrize("text", GROWING, ids=["aliases of aliases", "an alias of itself", "a large file"])
def test_a_manifest_that_grows_without_bound_is_refused_at_once(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(AgentError, match="is not valid YAML"):
        read_entries(path)


def test_aliases_of_the_usual_kind_are_read(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("kwargs: &kwargs {steps: 5}\nmine:\n  start: start.sh\n  kwargs: {<<: *kwargs, time: 1}\n")
    assert read_entries(path)["mine"]["kwargs"] == {"steps": 5, "time": 1}
