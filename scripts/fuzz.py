"""Grade many mutated submissions of twins, for as long as one likes: what tests/fuzz does, with other seeds.

    python scripts/fuzz.py --count 1000 --seed 7 --keep problems/ spaceship-titanic leaf-classification

Prints a line per competition and every problem; exits with 1 if there is one. The same seed gives the same mutants.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fuzz"))

from fuzzing import Figures, fuzz

from mlebench.base.processes import Died, Send, run_tasks
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.twins import write_twin

Task = tuple[str, int, int, Path | None]


def work(task: Task, _: Send) -> Figures:
    competition_id, count, seed, keep = task
    with tempfile.TemporaryDirectory() as folder:
        competition = Registry(Path(folder)).get_competition(competition_id)
        if competition.declaration.group != "practice":
            write_twin(competition, competition.home)
        prepare(competition)
        return fuzz(competition, count, seed=seed, keep=keep)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("competitions", nargs="*", metavar="ID", help="default: all")
    parser.add_argument("--count", type=int, default=1000, help="mutants per competition (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other mutants (default: 0)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--keep", type=Path, help="a folder for the mutants that show a problem")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    everything = [each.id for each in Registry().all_competitions()]
    tasks: list[Task] = [
        (each, options.count, options.seed, options.keep) for each in options.competitions or everything
    ]
    begin, scored, refused, problems = time.monotonic(), 0, 0, 0
    for position, result in run_tasks(work, tasks, workers=options.workers):
        if isinstance(result, Died):
            print(f"{tasks[position][0]}: {result.sentence}")
            problems += 1
            continue
        scored, refused, problems = scored + result.scored, refused + result.refused, problems + len(result.problems)
        print(
            f"{tasks[position][0]}: {result.scored} scored, {result.refused} refused, {len(result.problems)} problems"
        )
        for problem in result.problems:
            print(f"  {problem}")
    seconds = time.monotonic() - begin
    print(f"{scored + refused} gradings in {seconds:.0f} s: {scored} scored, {refused} refused, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
