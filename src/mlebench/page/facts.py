"""What a page tells, gathered from run groups as the other commands read them; no HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mlebench.analysis.aggregate import aggregate
from mlebench.analysis.comparable import conditions
from mlebench.analysis.compare import Comparison, compare
from mlebench.analysis.failures import Failure, failures
from mlebench.base.wording import agreeing, part_of, plain
from mlebench.competition.leaderboard import Thresholds
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS
from mlebench.errors import MlebenchError
from mlebench.page.activity import model_calls_of, steps_of
from mlebench.page.contents import Contents, contents_of
from mlebench.page.files import files_of
from mlebench.page.page_facts import CompetitionFacts as CompetitionFacts
from mlebench.page.page_facts import GroupFacts as GroupFacts
from mlebench.page.page_facts import PageFacts as PageFacts
from mlebench.page.run_facts import RunFacts as RunFacts
from mlebench.results.groups import CountedRuns, RunGroup, open_group, refuse_same_ids, require_ended
from mlebench.results.kinds import DataKind, kind_of_data
from mlebench.results.measures import human_percentile
from mlebench.results.runs import Run
from mlebench.results.sources import disclosed_by, reports_of
from mlebench.score.group import score_group
from mlebench.score.lite import RunScore

_LABEL = 60  # characters of the name of a group; tables have little room for more

PRACTICE = (
    "Practice medals are against a stated population of scikit-learn pipelines, not against people, and the answers "
    "are public data: they prove nothing."
)
SYNTHETIC = (
    "a twin, which is synthetic: its scores mean nothing, it has no medals and no percentiles, and it does not count.",
    "twins, which are synthetic: their scores mean nothing, they have no medals and no percentiles, and they do not "
    "count.",
)
TWINS = "The data are twins, which are synthetic: the scores mean nothing, and there are no medals and no percentiles."


def gather(folders: Sequence[Path], registry: Registry, *, partial: bool = False) -> PageFacts:
    """The facts of one or several run groups.

    A group that is still running is an error, unless with `partial` the runs that have ended are enough. Runs that were
    not graded are shown, and do not count.
    """
    opened = [open_group(folder) for folder in folders]
    _refuse_twice(opened)
    for group in opened:
        require_ended(group, partial=partial)
    labels = _labels(opened)
    registry = in_one_edition(opened, registry)
    competitions = competitions_of(opened, registry)
    contents = iter(contents_of([run for group in opened for run in group.runs]))
    anchors = _Anchors(len(opened))
    groups = [
        _group(label, group, registry, competitions, [(anchors.of(place, run), next(contents)) for run in group.runs])
        for place, (label, group) in enumerate(zip(labels, opened, strict=True))
    ]
    comparisons, problem = _compared(groups, registry)
    runs = [run for group in groups for run in group.runs]
    return PageFacts(
        tuple(groups),
        tuple(_competition(competition, runs) for competition in competitions.values()),
        tuple(comparisons),
        problem,
    )


def in_one_edition(groups: Sequence[RunGroup], registry: Registry) -> Registry:
    """The registry in the edition of the groups, which must be one: on a page their scores would share a scale."""
    found = sorted({run.record.edition for group in groups for run in group.runs})
    if len(found) > 1:
        raise MlebenchError(
            f"The run groups are of the editions {' and '.join(found)}, whose tasks are not the same.",
            hint="Make a page for each edition.",
        )
    edition = next((known for known in EDITIONS if found == [known]), registry.edition)
    return registry if edition == registry.edition else replace(registry, edition=edition)


def _refuse_twice(groups: Sequence[RunGroup]) -> None:
    seen: set[Path] = set()
    for group in groups:
        folder = group.folder.resolve()
        if folder in seen:
            raise MlebenchError(f"{group.folder} is given twice.")
        seen.add(folder)
    refuse_same_ids(group for group in groups if group.record is not None)


def _labels(groups: Sequence[RunGroup]) -> list[str]:
    """What to call the groups: their agents, with a number where several have the same; provenance has whole names.

    Arms of one experiment are called by their names.
    """
    arms = [arm for group in groups if (arm := group.arm) is not None]
    if len(arms) == len(groups) > 1 and len({arm.experiment_id for arm in arms}) == 1:
        agents = [plain(arm.name, _LABEL) for arm in arms]
    else:
        agents = [plain(group.agent, _LABEL) for group in groups]
    return [
        f"{agent} ({agents[: place + 1].count(agent)})" if agents.count(agent) > 1 else agent
        for place, agent in enumerate(agents)
    ]


def competitions_of(groups: Sequence[RunGroup], registry: Registry) -> dict[str, LocalCompetition]:
    """The competitions of all runs, by their ids; an unknown one is an error that names a run on it."""
    found = {}
    runs = {run.record.competition_id: run for group in groups for run in group.runs}
    for competition_id, run in runs.items():
        try:
            found[competition_id] = registry.get_competition(competition_id)
        except MlebenchError as error:
            raise MlebenchError(
                f"{run.folder} is a run on the unknown competition {competition_id!r}.",
                hint="Name the folder of your own competitions with --competitions-dir.",
            ) from error
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def _group(
    label: str,
    group: RunGroup,
    registry: Registry,
    competitions: dict[str, LocalCompetition],
    shown: Sequence[tuple[str, Contents]],
) -> GroupFacts:
    counted_runs = group.counted()
    lite = score_group(counted_runs, registry) if counted_runs.runs else None
    found = failures(group, registry)
    by_id = {failure.run_id: failure for failure in found}
    scores = {score.run_id: score for score in lite.runs} if lite else {}
    runs = tuple(
        _run(anchor, label, run, competitions, by_id, scores, contents)
        for run, (anchor, contents) in zip(group.runs, shown, strict=True)
    )
    facts = group_facts(label, counted_runs, runs, registry, competitions, _not_counted_yet(group))
    return replace(facts, lite=lite, failures=tuple(found))


def group_facts(
    label: str,
    counted_runs: CountedRuns,
    runs: tuple[RunFacts, ...],
    registry: Registry,
    competitions: Mapping[str, LocalCompetition],
    notices: Sequence[str],
    *,
    headline_only: bool = False,
) -> GroupFacts:
    """The facts of a group by those of its runs, with notices before those that follow from them.

    With `headline_only` nothing but records and reports is read.
    """
    group = counted_runs.group
    source = replace(reports_of(counted_runs), name=label)
    kinds = {kind_of_data(run.data, competitions[run.record.competition_id].declaration.group) for run in group.runs}
    twins = {report.competition_id for report in source.reports if report.is_twin}
    graded = {report.competition_id for report in source.reports}
    is_twin = bool(twins) and twins == graded
    notices = list(notices)
    if DataKind.PRACTICE in kinds:
        notices.append(PRACTICE)
    aggregation = None
    if twins:
        notices.append(TWINS if is_twin else some_twins(len(twins), len(graded)))
    averaged = replace(reports_of(counted_runs.without_twins()), name=label)
    if counted_runs.runs and not is_twin:
        try:
            aggregation = aggregate(averaged, registry, headline_only=headline_only)
        except MlebenchError as error:
            notices.append(f"There is no mean over seeds: {error}")
    disclosure = disclosed_by(group)
    if disclosure.get("held_out_signal") is True:
        notices.append("The agent had feedback from the test set, so its numbers prove nothing.")
    # Which runs do not count is among the notices already.
    notices += [note for note in aggregation.notes if note not in averaged.notes] if aggregation else ()
    return GroupFacts(
        label=label,
        group=group,
        counted=counted_runs,
        runs=runs,
        aggregation=aggregation,
        lite=None,
        failures=(),
        conditions={} if headline_only else conditions(source),
        disclosure=disclosure,
        notices=tuple(dict.fromkeys(notices)),
        is_practice=DataKind.PRACTICE in kinds,
        is_twin=is_twin,
    )


def some_twins(count: int, total: int) -> str:
    """The notice about twins beside other data."""
    return f"{part_of(count, total, 'competition')} {agreeing(count, 'is', 'are')} {agreeing(count, *SYNTHETIC)}"


def _not_counted_yet(group: RunGroup) -> list[str]:
    """What of a group does not count yet."""
    found = []
    if group.unfinished:
        left = len(group.unfinished)
        verbs = agreeing(left, "has not ended and does not count.", "have not ended and do not count.")
        found.append(f"Still running: {part_of(left, len(group.runs), 'run')} {verbs}")
    if group.ungraded:
        ended, ungraded = len(group.runs) - len(group.unfinished), len(group.ungraded)
        verbs = agreeing(ungraded, "it does not count.", "they do not count.")
        found.append(
            f"Not graded: {part_of(ungraded, ended, 'run')} that ended; {verbs} "
            f"Run: mlebench grade --run-group {group.folder}"
        )
    return found


class _Anchors:
    """The addresses of runs on a page: short, stable, and different from each other."""

    def __init__(self, groups: int) -> None:
        self._is_comparison = groups > 1
        self._given: set[str] = set()

    def of(self, group: int, run: Run) -> str:
        """The address of a run: its competition and seed, and of several groups which one it is."""
        competition_id = re.sub(r"[^\w.-]", "_", run.record.competition_id)
        anchor = f"run={competition_id}/{run.record.seed}" + (f"/{group + 1}" if self._is_comparison else "")
        number = 2
        while (found := anchor if anchor not in self._given else f"{anchor}~{number}") in self._given:
            number += 1
        self._given.add(found)
        return found


def _run(
    anchor: str,
    label: str,
    run: Run,
    competitions: dict[str, LocalCompetition],
    causes: dict[str, Failure],
    scores: dict[str, RunScore],
    contents: Contents,
) -> RunFacts:
    record = run.record
    counted_percentile = None
    if run.report is not None and record.has_ended:
        counted_percentile = human_percentile(run.report, competitions[record.competition_id].declaration)
    is_valid = run.report is not None and run.report.report.valid_submission
    return RunFacts(
        anchor=anchor,
        label=label,
        run=run,
        percentile=counted_percentile if is_valid else None,
        counted_percentile=counted_percentile,
        failure=causes.get(record.run_id),
        lite=scores.get(record.run_id),
        files=tuple(files_of(run)),
        contents=contents,
        steps=steps_of(run),
        calls=model_calls_of(run),
    )


def _competition(competition: LocalCompetition, runs: Sequence[RunFacts]) -> CompetitionFacts:
    own = tuple(run for run in runs if run.run.record.competition_id == competition.id)
    limits: Thresholds | None = None
    for run in own:
        saved = run.report
        if saved is None or saved.is_twin:
            continue
        report = saved.report
        values = (report.gold_threshold, report.silver_threshold, report.bronze_threshold, report.median_threshold)
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            limits = Thresholds(*known)
            break
    board = competition.human_leaderboard() if limits else None
    # Medals that another leaderboard decided are not shown on this one.
    fits = board is not None and board.thresholds == limits
    return CompetitionFacts(competition, limits, board if fits else None, own)


def _compared(groups: Sequence[GroupFacts], registry: Registry) -> tuple[list[Comparison], str | None]:
    """The comparisons of every two groups, or why there are none."""
    if len(groups) < 2:
        return [], None
    sources = [replace(reports_of(group.counted), name=group.label) for group in groups]
    try:
        return compare(sources, registry), None
    except MlebenchError as error:
        return [], str(error)
