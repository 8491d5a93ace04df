"""`mlebench twin`: synthetic archives and example submissions."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from command import Run


def test_twin_and_its_submissions(run: Run, tmp_path: Path) -> None:
    ran = run("twin", "spaceship-titanic", "twins", "--seed", 3, "--scale", 2, "--submissions", "examples")
    assert ran.code == 0, ran.err
    assert (tmp_path / "twins" / "spaceship-titanic.zip").is_file()
    assert (tmp_path / "examples" / "perfect.csv").is_file()
    status = json.loads(run("status", "--json").out)
    assert status[0]["data"] == "twin (seed 3, scale 2)"
    again = run("twin", "spaceship-titanic", "twins", "--seed", 4, "--submissions", "examples")
    assert again.code == 0, "a twin may take the place of a twin"
    assert ", in place of twin (seed 3, scale 2), and wrote" in again.out


def test_a_twin_does_not_take_the_place_of_real_data(run: Run, tmp_path: Path) -> None:
    run("twin", "spaceship-titanic", "twins", "--submissions", "examples")
    (tmp_path / "data" / "spaceship-titanic" / "prepared" / "private" / "dataset.record").unlink()
    ran = run("twin", "spaceship-titanic", "twins", "--submissions", "examples")
    assert ran.code == 1
    assert "holds real data of spaceship-titanic" in ran.err


def test_a_twin_does_not_pass_for_another_archive(run: Run) -> None:
    assert run("twin", "spaceship-titanic", "data/spaceship-titanic").code == 0
    ran = run("twin", "spaceship-titanic", "elsewhere", "--submissions", "examples")
    assert ran.code == 1
    assert "holds another archive" in ran.err


def test_a_twin_does_not_take_the_place_of_another_archive(run: Run, tmp_path: Path) -> None:
    run("twin", "spaceship-titanic", "twins")
    path = tmp_path / "twins" / "spaceship-titanic.zip"
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b""  # as the real one
    before = path.read_bytes()
    ran = run("twin", "spaceship-titanic", "twins")
    assert (ran.code, path.read_bytes()) == (1, before)
    assert "twins/spaceship-titanic.zip is there already, and is no twin." in ran.err


def test_a_competition_without_a_twin(run: Run) -> None:
    ran = run("twin", "practice-wine", "twins")
    assert ran.code == 1
    assert "has no twin" in ran.err
