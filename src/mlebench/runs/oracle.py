"""The answers for the agent `oracle`: who gets them, on which data, and in which form.

Private data stays hidden from every agent, this one included. Where the data is a twin or practice data, whose answers
are worth nothing, the orchestrator itself writes the perfect submission into the oracle's folder before it starts. An
agent of a user that is called oracle, or any other, gets none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.agents import Agent, AgentError
from mlebench.competition.local import LocalCompetition
from mlebench.data.record import DatasetRecord
from mlebench.errors import MlebenchError
from mlebench.renaming.mapping import Renaming
from mlebench.renaming.submissions import rename_submission
from mlebench.results.kinds import DataKind, kind_of_data

if TYPE_CHECKING:
    import pandas as pd

ORACLE = "oracle"
ANSWERS_FILE = "answers.csv"
_PERFECT = "perfect"  # the name of the example submission that has the answers themselves


def is_oracle(agent: Agent) -> bool:
    """Whether the agent is the built-in one that hands in the answers."""
    return agent.built_in and agent.id == ORACLE


def require_worthless_answers(agent: Agent, competition: LocalCompetition) -> None:
    """Refuse the oracle on real data, and on data that is not there yet and would be real."""
    if is_oracle(agent) and _kind(competition) is DataKind.REAL:
        raise AgentError(
            f"The agent {ORACLE} hands in the answers, and the data of {competition.id} is not a twin.",
            hint=f"Run it on practice data, or on a twin: mlebench twin {competition.id} twins && "
            f"mlebench prepare -c {competition.id} --source twins",
        )


def _kind(competition: LocalCompetition) -> DataKind:
    record = DatasetRecord.load(competition.prepared_dir) if competition.prepared_dir.is_dir() else None
    return kind_of_data(record.data if record is not None else None, competition.declaration.group)


def give_answers(agent: Agent, competition: LocalCompetition, home: Path, renaming: Renaming | None = None) -> None:
    """Write the perfect submission into the oracle's folder; nothing happens for any other agent."""
    if not is_oracle(agent):
        return
    require_worthless_answers(agent, competition)
    target = home / "agent" / ANSWERS_FILE
    if _kind(competition) is DataKind.TWIN:
        _write_example(competition, target)
    else:
        _answers_as_submission(competition).to_csv(target, index=False)
    if renaming is not None:
        rename_submission(target, renaming)


def _write_example(competition: LocalCompetition, target: Path) -> None:
    from mlebench.base.author_code import author_errors
    from mlebench.twins import twin_program

    program = twin_program(competition)
    with author_errors(f"Making the example submissions of {competition.id}", program.submissions):
        for example in program.submissions(competition.prepared_dir, 0):
            if example.name == _PERFECT:
                example.write(target)
                return
    raise MlebenchError(f"The twin of {competition.id} has no example submission called {_PERFECT}.")


def _answers_as_submission(competition: LocalCompetition) -> pd.DataFrame:
    """The columns of the answers that a submission has."""
    from mlebench.files.tables import read_csv

    sample = read_csv(competition.sample_submission, nrows=1)
    return read_csv(competition.answers)[list(sample.columns)]
