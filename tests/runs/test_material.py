"""Reading material: read-only in every sandbox and in replays, known by its hash, never what agents must not see."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.records import digest_of, hashes_below
from mlebench.runs.executors.staging import pack, staged_folder
from mlebench.runs.group import PlannedGroup, load_group
from mlebench.runs.instructions import AgentPaths, Conditions, instructions
from mlebench.runs.material import Material, plan_material
from mlebench.runs.options import RunOptions
from mlebench.runs.planning import plan_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.runs.trust import NamedConditions
from mlebench.sandbox import SANDBOXES, Capabilities, ProcessSandbox, Promise
from mlebench.score.replay import replay

WINE = "practice-wine"
NAMES = [name for name, sandbox in SANDBOXES.items() if sandbox.availability().works]
RESULT = 'MLE_BENCH_LITE_RESULT={"seed": 0, "runtime_seconds": 1, "peak_memory_mb": 9, "artifacts": [], "tasks": [], '
LINE = shlex.quote(RESULT + '"replay": {"command": "bash solve.sh", "seed": 0}}')
# It reads its notes, and its submission is there only if it could; it tries to change them, as it may its own code.
SOLVE = """
grep -q "read me" "$MATERIAL_DIR/deep/notes.txt" || exit 1
cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"
[ "$(cat "$HOME/material/deep/notes.txt")" = "read me" ] || rm "$SUBMISSION_DIR/submission.csv"
for folder in "$MATERIAL_DIR" "$CODE_DIR"; do
    (echo x > "$folder/new") 2> /dev/null && echo "new file in ${folder##*/}" >> "$LOGS_DIR/wrote"
    (echo x >> "$folder/deep/notes.txt") 2> /dev/null && echo "changed a file in ${folder##*/}" >> "$LOGS_DIR/wrote"
done
true
"""
AGENT = f"""
mkdir "$CODE_DIR/deep"; echo {shlex.quote(SOLVE)} > "$CODE_DIR/solve.sh"; bash "$CODE_DIR/solve.sh"
cp "$HOME/instructions.txt" "$LOGS_DIR"; echo {LINE}
"""


@pytest.fixture
def wine(prepared_practice: Callable[[str], LocalCompetition]) -> LocalCompetition:
    return prepared_practice(WINE)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of material that only its owner may read."""
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "notes.txt").write_text("read me\n")
    (folder / "deep").chmod(0o700)
    return folder


def planned(wine: LocalCompetition, runs: Path, material: Path | str, sandbox: str) -> PlannedGroup:
    options = RunOptions(
        agent="command", command=AGENT, sandbox=sandbox, time_limit=120, memory_limit="2G", material=material
    )
    return plan_group(options, Registry(wine.data_dir), [wine]).create(runs)


@pytest.mark.parametrize("sandbox", NAMES)
def test_material_is_read_and_not_changed_in_a_run_and_in_its_replay(
    sandbox: str, wine: LocalCompetition, notes: Path, tmp_path: Path
) -> None:
    group = planned(wine, tmp_path / "runs", notes, sandbox)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    folder = group.folder_of(group.record.plan[0])
    assert (record.status, record.submission is not None) == ("success", True), (folder / "agent.log").read_text()
    wrote = (folder / "logs" / "wrote").read_text()
    assert "changed a file in code" in wrote, "what is its own, the same attempt changes"
    assert "material" not in wrote or Promise.DATA_READ_ONLY.value not in record.promised
    assert record.inputs["material"] == digest_of(hashes_below(notes))
    assert "reading material for the agent" in record.deviations
    told = (folder / "logs" / "instructions.txt").read_text()
    assert "Reading material:" in told
    assert "Apart from the reading material, do not copy" in told
    assert not (folder / "material").exists(), "the copy goes with the run"
    assert replay(folder).outcome == "identical"


def test_without_material_the_instructions_are_as_they_were() -> None:
    text = instructions(AgentPaths(), Conditions(), competition="Wine")
    assert "material" not in text.lower()
    assert "- Do not copy or adapt solutions that others have written" in text
    assert instructions(AgentPaths(), Conditions(added="Be brief."), competition="Wine") == (
        f"{text}\nFURTHER INSTRUCTIONS\n\nBe brief.\n"
    )


def test_every_competition_may_have_material_of_its_own(wine: LocalCompetition, notes: Path, tmp_path: Path) -> None:
    shutil.copytree(notes, tmp_path / "all" / WINE)
    material = plan_material(str(tmp_path / "all" / "{competition}"), [WINE], wine.data_dir)
    assert material.sha256 == {WINE: digest_of(hashes_below(notes))}
    assert material.root == tmp_path / "all"
    copied = material.copy(WINE, tmp_path / "copy")
    assert (copied / "deep" / "notes.txt").read_text() == "read me\n"
    assert (copied / "deep").stat().st_mode & 0o777 == 0o755, "in a container others read it"
    with pytest.raises(MlebenchError, match=r"There is no folder .*all/practice-digits with reading material\."):
        plan_material(str(tmp_path / "all" / "{competition}"), [WINE, "practice-digits"], wine.data_dir)


def test_material_that_changed_is_not_given_to_agents(wine: LocalCompetition, notes: Path, tmp_path: Path) -> None:
    group = planned(wine, tmp_path / "runs", notes, "process")
    (notes / "deep" / "notes.txt").write_text("read me now\n")
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    assert (record.status, record.code) == ("infrastructure", "refused")
    assert "has changed since the run group was planned" in str(record.error)


def _link(folder: Path, data: Path) -> Path:
    (folder / "answers").symlink_to(data)
    return folder


def _pipe(folder: Path, _: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder


def _empty(folder: Path, _: Path) -> Path:
    shutil.rmtree(folder / "deep")
    return folder


BAD: dict[str, tuple[Callable[[Path, Path], Path], str]] = {
    "a link": (_link, "answers is a link; reading material is regular files only."),
    "a pipe": (_pipe, "pipe is no regular file; reading material is regular files only."),
    "empty": (_empty, "has no files."),
    "not there": (lambda folder, _: folder / "none", "There is no folder"),
    "the data": (lambda _, data: data, "are in one folder, answers among it."),
    "around the data": (lambda _, data: data.parent, "are in one folder, answers among it."),
    "a competition's data": (lambda _, data: data / WINE / "prepared", "are in one folder, answers among it."),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_material_is_refused_before_anything_runs(
    bad: str, wine: LocalCompetition, notes: Path, tmp_path: Path
) -> None:
    change, sentence = BAD[bad]
    with pytest.raises(MlebenchError) as refused:
        planned(wine, tmp_path / "runs", change(notes, wine.data_dir), "process")
    assert sentence in str(refused.value)
    assert not (tmp_path / "runs").exists()


def test_prepared_data_elsewhere_is_no_material(wine: LocalCompetition, notes: Path, tmp_path: Path) -> None:
    shutil.copytree(wine.prepared_dir, notes / "deep" / "wine")
    with pytest.raises(MlebenchError, match="is prepared data, answers among it"):
        planned(wine, tmp_path / "runs", notes, "process")


@dataclass(frozen=True)
class SparseSandbox(ProcessSandbox):
    """A sandbox of another package that knows nothing of material."""

    name: str = "sparse"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()


def test_a_sandbox_that_does_not_know_material_is_refused(
    wine: LocalCompetition, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SANDBOXES, "_built_in", dict(SANDBOXES._built_in))
    SANDBOXES.register(SparseSandbox())
    with pytest.raises(MlebenchError, match=r"The sandbox sparse cannot show reading material to agents\."):
        planned(wine, tmp_path / "runs", notes, "sparse")


def test_a_group_from_elsewhere_shows_no_folder_that_the_user_does_not_name(
    wine: LocalCompetition, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = planned(wine, tmp_path / "runs", notes, "process")
    monkeypatch.setenv("MLEBENCH_STATE_DIR", str(tmp_path / "another user"))
    with pytest.raises(MlebenchError, match=r"was not planned by you") as refused:
        load_group(group.folder)
    assert f"--material {notes}" in str(refused.value)
    named = NamedConditions(data_dir=wine.data_dir, sandbox="process", command=AGENT, material=str(notes))
    material = load_group(group.folder, named).settings.material
    assert material is not None, "what the user names is used"
    assert material.copy(WINE, tmp_path / "copy").is_dir()
    with pytest.raises(MlebenchError, match="has changed since"):
        material.moved_to(str(tmp_path / "runs")).copy(WINE, tmp_path / "copy")


def test_settings_without_material_are_read_as_before(wine: LocalCompetition) -> None:
    settings = RunSettings(agent="sample", data_dir=wine.data_dir)
    old = {
        name: value
        for name, value in json.loads(json.dumps(settings.to_dict())).items()
        if name not in ("material", "instructions", "experiment")
    }
    assert RunSettings.from_dict(old) == settings
    with_material = replace(settings, material=Material("/notes", {"": "0" * 64}))
    assert RunSettings.from_dict(json.loads(json.dumps(with_material.to_dict()))) == with_material
    with pytest.raises(MlebenchError, match="another version"):
        RunSettings.from_dict({**old, "material": {"folder": 3, "sha256": {}}})


def test_material_is_sent_to_nodes_that_do_not_see_it(wine: LocalCompetition, notes: Path, tmp_path: Path) -> None:
    shutil.copytree(notes, tmp_path / "all" / WINE)
    material = plan_material(str(tmp_path / "all" / "{competition}"), [WINE], wine.data_dir)
    settings = RunSettings(agent="sample", data_dir=wine.data_dir, material=material)
    staged = pack("material", material.root, [material.root], bytes)
    place = staged_folder(staged, bytes)
    there = RunSettings.from_dict(staged.applied_to(settings.to_dict(), place)).material
    assert there is not None
    assert there.folder == f"{place}/{{competition}}"
    there.copy(WINE, tmp_path / "copy")
