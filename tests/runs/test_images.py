"""Images of agents, built by a real Docker engine."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from mlebench.agents import Agent, AgentError, find_agent
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.results.records import RunRecord
from mlebench.runs.group import create_group
from mlebench.runs.images import add_image_files, image_announcement, image_of
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits, SandboxError
from mlebench.sandbox.engine import docker

# One after the other: what an image is removed with may be the layers that another one is being built from.
pytestmark = pytest.mark.xdist_group("images of agents")
DOCKER = SANDBOXES["docker"].availability()
needs_docker = pytest.mark.skipif(not DOCKER.works, reason=DOCKER.why)
# In the form of the published agents: on the environment image, copied to a folder that an argument names.
DOCKERFILE = """
FROM mlebench-env
ARG AGENT_DIR
ARG SUBMISSION_DIR
USER root
COPY . ${AGENT_DIR}
RUN mkdir -p ${AGENT_DIR}/installed ${SUBMISSION_DIR} && echo built > ${AGENT_DIR}/installed/tool.txt && \
    echo theirs > ${SUBMISSION_DIR}/submission.csv && echo notes > /home/notes.txt && \
    ln -s installed/tool.txt ${AGENT_DIR}/link
USER 1000:1000
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "agents" / "My_Agent"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("mine: {dockerfile: My_Agent/Dockerfile}\n")
    (folder / "start.sh").write_text("cat $AGENT_DIR/installed/tool.txt\n")
    (folder / "Dockerfile").write_text(DOCKERFILE)
    return folder


def test_an_agent_without_a_dockerfile_has_no_image() -> None:
    assert image_of(find_agent("baseline")) is None


@needs_docker
def test_an_image_is_built_once(folder: Path, tmp_path: Path) -> None:
    agent = find_agent("mine", [folder.parent])
    image = image_of(agent)
    assert image is not None
    try:
        assert image.startswith("mlebench-agent-my-agent:")
        made = docker("image", "inspect", "--format", "{{.Id}} {{.Created}}", image)
        assert image_of(agent) == image
        assert docker("image", "inspect", "--format", "{{.Id}} {{.Created}}", image) == made

        home = tmp_path / "home"
        (home / "agent").mkdir(parents=True)
        (home / "agent" / "start.sh").write_text("ours\n")
        (home / "submission").mkdir()
        add_image_files(image, home)
        assert (home / "agent" / "installed" / "tool.txt").read_text() == "built\n"
        assert (home / "agent" / "link").is_symlink()
        assert (home / "agent" / "start.sh").read_text() == (folder / "start.sh").read_text()
        assert (home / "notes.txt").read_text() == "notes\n"
        assert list((home / "submission").iterdir()) == [], "a submission never comes from an image"
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".image")] == []
    finally:
        docker("image", "rm", "--force", image)
    (folder / "more.py").write_text("pass\n")
    (folder / "Dockerfile").write_text("FROM mlebench-env\nRUN exit 3\n")
    with pytest.raises(AgentError, match=r"The image of the agent mine cannot be built: docker build failed"):
        image_of(agent)


@needs_docker
def test_a_published_agent_runs_in_its_image(folder: Path, tmp_path: Path) -> None:
    """Paths below /home, kwargs, what the image installed: as agents of the published benchmark are written."""
    (folder / "config.yaml").write_text(
        "mine:\n  start: My_Agent/start.sh\n  dockerfile: My_Agent/Dockerfile\n"
        "  kwargs_type: omegaconf\n  kwargs: {agent.steps: 5}\n"
    )
    (folder / "start.sh").write_text(
        'echo "$@"; cat /home/agent/installed/tool.txt; echo extra >> /home/instructions.txt\n'
        "cp /home/data/sample_submission.csv /home/submission/submission.csv\n"
        "/home/validate_submission.sh /home/submission/submission.csv\n"
    )
    record, output = run_in_docker(folder, tmp_path)
    try:
        assert record.status == "success", record.error
        assert output == ["agent.steps=5", "built", '{"result": "Submission is valid.", "is_valid": true}']
        assert str(record.image).startswith("mlebench-agent-my-agent:")
    finally:
        docker("image", "rm", "--force", str(image_of(find_agent("mine", [folder.parent]))))


# In the form that the published agents have: built by root, with conda's environment and their own packages.
PUBLISHED_DOCKERFILE = """
FROM mlebench-env
ARG SUBMISSION_DIR
ENV SUBMISSION_DIR=${SUBMISSION_DIR}
ARG LOGS_DIR
ENV LOGS_DIR=${LOGS_DIR}
ARG CODE_DIR
ENV CODE_DIR=${CODE_DIR}
ARG AGENT_DIR
ENV AGENT_DIR=${AGENT_DIR}
ARG CONDA_ENV_NAME=agent
ARG REQUIREMENTS=${AGENT_DIR}/requirements.txt
RUN mkdir ${LOGS_DIR} ${CODE_DIR} ${AGENT_DIR}
COPY requirements.txt tool-1.0-py3-none-any.whl ${AGENT_DIR}/
RUN conda run -n ${CONDA_ENV_NAME} pip install -r ${REQUIREMENTS} && conda clean -afy
RUN apt-get --version > /etc/built-by-root && usermod -aG users nonroot
COPY . ${AGENT_DIR}
"""
PUBLISHED_START = """#!/bin/bash
{ touch ${CODE_DIR}/new ${LOGS_DIR}/new ${AGENT_DIR}/new; } 2>&1
ls /private
eval "$(conda shell.bash hook)"
conda activate agent
python -c 'import tool; print("hooked", tool.answer)'
conda deactivate
source /opt/conda/bin/activate agent && python -c 'import tool; print("sourced", tool.answer)'
conda run -n agent --no-capture-output python -c 'import tool; print("run", tool.answer)'
conda run -n other true
export COMPETITION=$COMPETITION_ID
echo 'competition $COMPETITION' | envsubst
sed -i 's/Kaggle/kaggle/' /home/instructions.txt && echo edited
cd ${AGENT_DIR} && conda run -n agent python main.py
bash /home/validate_submission.sh ${SUBMISSION_DIR}/submission.csv
"""


def write_wheel(folder: Path) -> None:
    """A package as an index has it, so that nothing is fetched."""
    record = {
        "tool.py": "answer = 42\n",
        "tool-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tool\nVersion: 1.0\n",
        "tool-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / "tool-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in record.items():
            wheel.writestr(name, text)
        wheel.writestr("tool-1.0.dist-info/RECORD", "".join(f"{name},,\n" for name in record))


@needs_docker
def test_a_published_agent_finds_conda_and_root_at_build_time(folder: Path, tmp_path: Path) -> None:
    """Written from what published Dockerfiles and start scripts call; it builds and runs unchanged."""
    (folder / "Dockerfile").write_text(PUBLISHED_DOCKERFILE)
    (folder / "start.sh").write_text(PUBLISHED_START)
    (folder / "requirements.txt").write_text("/home/agent/tool-1.0-py3-none-any.whl\n")
    write_wheel(folder)
    copying = "shutil.copy('/home/data/sample_submission.csv', os.environ['SUBMISSION_DIR'] + '/submission.csv')"
    (folder / "main.py").write_text(f"import os, shutil\n{copying}\n")
    (folder / "config.yaml").write_text("mine: {start: My_Agent/start.sh, dockerfile: My_Agent/Dockerfile}\n")
    record, output = run_in_docker(folder, tmp_path)
    try:
        assert record.status == "success", record.error
        complaints = {
            "ls: cannot access '/private': No such file or directory",
            "conda: error: there is no environment other; make it with: conda create -n other",
        }
        assert complaints <= set(output)  # Docker keeps no order between the two outputs of a container
        assert [line for line in output if line not in complaints] == [
            "hooked 42",
            "sourced 42",
            "run 42",
            "competition practice-wine",
            "edited",
            '{"result": "Submission is valid.", "is_valid": true}',
        ]
    finally:
        docker("image", "rm", "--force", str(image_of(find_agent("mine", [folder.parent]))))


@needs_docker
def test_packages_of_a_manifest_make_an_image(folder: Path, tmp_path: Path) -> None:
    """No dockerfile: what the manifest asks for is installed into the environment `agent` of an image, once."""
    (folder / "Dockerfile").unlink()
    write_wheel(folder)
    (folder / "requirements.txt").write_text("./tool-1.0-py3-none-any.whl\n")
    (folder / "config.yaml").write_text("mine: {start: My_Agent/start.sh, requirements: requirements.txt}\n")
    (folder / "start.sh").write_text(
        "python3 -c 'import tool; print(tool.answer)'\n"
        "bash -lc 'conda run -n agent python -c \"import tool\"' && echo conda\n"
        "cp /home/data/sample_submission.csv /home/submission/submission.csv\n"
    )
    agent = find_agent("mine", [folder.parent])
    assert image_announcement(agent) == "The image of the agent mine is built once."
    record, output = run_in_docker(folder, tmp_path)
    image = image_of(agent)
    try:
        assert (record.status, output) == ("success", ["42", "conda"]), record.error
        assert str(record.image).startswith(f"{image}@sha256:")
        assert image_announcement(agent) is None
        (folder / "start.sh").write_text("echo changed\n")
        assert image_of(agent) == image, "the agent's own files are copied for each run, and not in the image"
    finally:
        docker("image", "rm", "--force", str(image))
    (folder / "requirements.txt").write_text("./no-such-tool-1.0-py3-none-any.whl\n")
    with pytest.raises(AgentError, match=r"The image of the agent mine cannot be built: .*no-such-tool") as refused:
        image_of(agent)
    assert "/bin/sh" not in str(refused.value) and "\x1b" not in str(refused.value)


def run_in_docker(folder: Path, tmp_path: Path) -> tuple[RunRecord, list[str]]:
    """The record of a run of the agent `mine`, and the lines that it printed."""
    prepare(Registry(tmp_path / "data").get_competition("practice-wine"))
    settings = RunSettings(
        agent="mine",
        agents_dirs=(folder.parent,),
        data_dir=tmp_path / "data",
        sandbox="docker",
        limits=Limits(seconds=120),
    )
    group = create_group(tmp_path / "runs", ["practice-wine"], [0], settings)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    log = group.folder_of(group.record.plan[0]) / "agent.log"
    return record, log.read_text().splitlines() if log.exists() else []


def inspected(container: str) -> str:
    """What is known of a container; nothing if it is gone, as those of other tests may be."""
    try:
        return docker("inspect", container)
    except SandboxError:
        return ""


@needs_docker
def test_settings_of_containers_reach_a_run(tmp_path: Path) -> None:
    prepare(Registry(tmp_path / "data").get_competition("practice-wine"))
    settings = RunSettings(
        agent="command",
        agent_options={"command": "df --output=size -B1 /dev/shm | tail -n 1; echo GPU: $NVIDIA_VISIBLE_DEVICES"},
        data_dir=tmp_path / "data",
        sandbox="docker",
        limits=Limits(seconds=60),
        container_config={"shm_size": 32 << 20, "runtime": "runc"},
        retain=True,
    )
    group = create_group(tmp_path / "runs", ["practice-wine"], [0], settings)
    before = set(docker("ps", "--all", "--quiet", "--filter", "label=mlebench.run").split())
    assert run_group(group, workers=1)
    retained = set(docker("ps", "--all", "--quiet", "--filter", "label=mlebench.run").split()) - before
    ours = [each for each in retained if str(tmp_path) in inspected(each)]
    assert len(ours) == 1
    docker("rm", "--force", *ours)
    folder = group.folder_of(group.record.plan[0])
    assert (folder / "agent.log").read_text().split() == [str(32 << 20), "GPU:", "void"]
    assert str(group.run_records()[0].image).startswith("mlebench-env@sha256:")


@needs_docker
def test_the_environment_image_has_nothing_to_bring(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    add_image_files("mlebench-env", tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_no_docker_no_image(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    agent = Agent("mine", folder, dockerfile=folder / "Dockerfile")
    with pytest.raises(AgentError, match="docker is not installed"):
        image_of(agent)
    with pytest.raises(AgentError, match=r"The image of the agent aide cannot be built: .*docker is not installed"):
        image_of(find_agent("aide"))
