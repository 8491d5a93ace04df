"""The search of AIDE: its agent, interpreter and journal, one node after the other, until steps or time are over."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import harness
import models
from aide.agent import Agent, review_func_spec
from aide.backend import FunctionSpec, query
from aide.interpreter import ExecutionResult, Interpreter
from aide.journal import Journal, Node
from aide.journal2report import journal2report
from aide.utils.config import load_cfg, prep_agent_workspace, save_run
from aide.utils.metric import MetricValue, WorstMetricValue
from aide.utils.response import wrap_code
from omegaconf import OmegaConf

# As published: the reviewer also says whether there is a submission.
REVIEW = FunctionSpec(
    name=review_func_spec.name,
    description=review_func_spec.description,
    json_schema={
        **review_func_spec.json_schema,
        "properties": {
            **review_func_spec.json_schema["properties"],
            "has_csv_submission": {
                "type": "boolean",
                "description": "true if the code saves the predictions on the test data in a `submission.csv` file in "
                "the `./working` directory, otherwise false.",
            },
        },
        "required": [*review_func_spec.json_schema["required"], "has_csv_submission"],
    },
)
PACKAGES = "`numpy`, `pandas`, `scipy`, `scikit-learn`, `lightgbm`, `pyarrow`, `pillow`"
_REPORT_SECONDS = 60.0  # that must be left for the final report
_LEAST_SECONDS = 10.0  # that a node is worth beginning with


class TimedAgent(Agent):  # type: ignore[misc]
    """AIDE's agent, told what time and steps are left; its reviews survive odd answers."""

    direction: bool | None = None  # whether a larger metric is better, as the first good review said

    @property
    def _prompt_impl_guideline(self) -> dict[str, list[str]]:
        minutes, seconds = divmod(int(max(0.0, harness.time_left())), 60)
        own = [
            f"<TOTAL_TIME_REMAINING: {minutes // 60}h {minutes % 60}m {seconds}s>",
            f"<TOTAL_STEPS_REMAINING: {self.acfg.steps - len(self.journal)}>",
        ]
        self.cfg.exec.timeout = seconds_for_program(self.cfg)
        return {"Implementation guideline": own + super()._prompt_impl_guideline["Implementation guideline"]}

    @property
    def _prompt_environment(self) -> dict[str, str]:
        """What is installed here, in place of a list that names what is not."""
        text = (
            f"Your solution can use {PACKAGES}, and nothing else: there is no internet, and nothing can be installed."
        )
        return {"Installed Packages": text}

    def parse_exec_result(self, node: Node, exec_result: ExecutionResult) -> None:
        """Have the result reviewed; a program that wrote no submission is buggy, whatever the reviewer says."""
        node.absorb_exec_result(exec_result)
        prompt = {
            "Introduction": "You are a Kaggle grandmaster attending a competition. "
            "You have written code to solve this task and now need to evaluate the output of the code execution. "
            "You should determine if there were any bugs as well as report the empirical findings.",
            "Task description": self.task_desc,
            "Implementation": wrap_code(node.code),
            "Execution output": wrap_code(node.term_out, lang=""),
        }
        answer = query(
            system_message=prompt,
            user_message=None,
            func_spec=REVIEW,
            model=self.acfg.feedback.model,
            temperature=self.acfg.feedback.temp,
        )
        review = as_review(answer)
        metric = as_number(review.get("metric"))
        node.analysis = str(review.get("summary") or "")
        node.is_buggy = bool(
            review.get("is_bug")
            or node.exc_type is not None
            or metric is None
            or not review.get("has_csv_submission", True)
            or not (self.cfg.workspace_dir / "working" / "submission.csv").is_file()
        )
        if node.is_buggy:
            node.metric = WorstMetricValue()
            return
        if self.direction is None:  # metrics of two directions cannot be compared, and AIDE fails when they are
            self.direction = not review.get("lower_is_better")
        node.metric = MetricValue(metric, maximize=self.direction)


def as_review(answer: Any) -> dict[str, Any]:
    """A review from whatever a model answered; without function calls it may be JSON in a text."""
    if isinstance(answer, dict):
        return answer
    text = str(answer)
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"is_bug": True, "summary": text, "metric": None}


def as_number(value: Any) -> float | None:
    """A metric that can be compared; AIDE takes whole numbers for none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def seconds_for_program(cfg: Any) -> int:
    """How long a program may run: what the manifest says, or what is left."""
    return max(1, int(min(_program_limit(cfg), harness.time_left() - _LEAST_SECONDS)))


def _program_limit(cfg: Any) -> float:
    return float(os.environ.setdefault("AIDE_PROGRAM_LIMIT", str(cfg.exec.timeout)))


class Search:
    """The search of one run, and the best of its submissions."""

    def __init__(self, cfg: Any, task: str) -> None:
        self.cfg = cfg
        self.journal = Journal()
        self.agent = TimedAgent(task_desc=task, cfg=cfg, journal=self.journal)
        self.interpreter = Interpreter(cfg.workspace_dir, **OmegaConf.to_container(cfg.exec))
        self.working = Path(cfg.workspace_dir) / "working" / "submission.csv"
        self.kept = harness.HOME / ".nodes"
        self.kept.mkdir(exist_ok=True)
        self.handed_in: Node | None = None

    def execute(self, code: str, reset_session: bool = True) -> ExecutionResult:
        """Run a program for as long as there is time; one that takes its process along has failed, not the search."""
        self.working.unlink(missing_ok=True)  # that of an earlier node
        harness.note("code", code)
        self.interpreter.timeout = seconds_for_program(self.cfg)
        try:
            result = self.interpreter.run(code, reset_session)
        except RuntimeError as error:
            self.interpreter.cleanup_session()
            result = ExecutionResult([f"{error}\n"], 0.0, "RuntimeError", {"args": [str(error)]}, [])
        output = "".join(result.term_out)
        harness.note("error" if result.exc_type else "run", output)
        print(output, flush=True)
        return result

    def step(self) -> None:
        """One node, its submission kept, and the best of all handed in."""
        before = models.used["tokens"]
        known = len(self.journal)
        self.agent.step(exec_callback=self.execute)
        for node in self.journal.nodes[known:]:
            if self.working.is_file():
                shutil.copyfile(self.working, self.kept / f"{node.id}.csv")
            value = node.metric.value if node.metric is not None else None
            harness.note("plan", f"{node.plan}\n\n{node.analysis}", tokens=models.tokens_since(before))
            print(f"node {node.step}: {node.stage_name}, {'buggy' if node.is_buggy else value}", flush=True)
            self.hand_in(node)
        self.save()

    def hand_in(self, newest: Node) -> None:
        """Hand in the best node's submission, whole or not at all; before there is a good one, the last that exists."""
        best = self.journal.get_best_node() or (newest if self.handed_in is None or self.handed_in.is_buggy else None)
        submission = None if best is None else self.kept / f"{best.id}.csv"
        score = None if newest.is_buggy else newest.metric.value
        if best is None or submission is None or not submission.is_file():
            return
        if best is not self.handed_in:
            harness.replace_file(submission, harness.SUBMISSION)
            (harness.CODE / "solution.py").write_text(best.code, encoding="utf-8")
            self.handed_in = best
        words = "the best so far" if best is newest else f"not better than {best.metric.value}, which stays"
        if (self.kept / f"{newest.id}.csv").is_file():
            harness.note("submit", f"node {newest.step} with the metric {score}: {words}", validation_score=score)

    def save(self) -> None:
        """Write AIDE's own journal and picture of the tree; they are not worth a run."""
        try:
            save_run(self.cfg, self.journal)
        except Exception as error:
            print(f"The journal was not saved: {error}", file=sys.stderr)

    def report(self) -> None:
        """AIDE's report of all that was tried, if there is time."""
        if not self.journal.good_nodes or harness.time_left() < _REPORT_SECONDS:
            return
        try:
            text = journal2report(self.journal, {"Task goal": self.agent.task_desc}, self.cfg.report)
            (Path(self.cfg.log_dir) / "report.md").write_text(str(text), encoding="utf-8")
        except Exception as error:
            print(f"There is no report: {error}", file=sys.stderr)


def configuration(model: str) -> Any:
    """AIDE's settings: its own, those of the manifest, and where things are here."""
    chosen = [argument.partition("=")[0] for argument in sys.argv[1:]]
    places = {
        "data_dir": os.environ["DATA_DIR"],
        "log_dir": harness.LOGS,
        "workspace_dir": harness.HOME / "workspaces",
        "desc_file": harness.HOME / "instructions.txt",
        "exp_name": "aide",
        "copy_data": "False",
        **{f"{stage}.model": model for stage in ("agent.code", "agent.feedback", "report")},
    }
    sys.argv += [f"{name}={value}" for name, value in places.items() if name not in chosen]
    return load_cfg()


def main() -> int:
    """Search until steps or time are over."""
    models.route_to_gateway()
    random.seed(int(os.environ.get("SEED") or 0))
    cfg = configuration(os.environ["HARNESS_MODEL"])
    cfg.agent.steps = min(int(os.environ.get("STEP_LIMIT") or cfg.agent.steps), cfg.agent.steps)
    description = (Path(os.environ["DATA_DIR"]) / "description.md").read_text(encoding="utf-8")
    instructions = (harness.HOME / "instructions.txt").read_text(encoding="utf-8")
    prep_agent_workspace(cfg)
    search = Search(cfg, f"{instructions}\n\nCOMPETITION DESCRIPTION\n------\n\n{description}")
    try:
        while len(search.journal) < cfg.agent.steps and harness.time_left() > _LEAST_SECONDS:
            search.step()
        search.report()
    except models.NoAnswerError as error:
        harness.note("error", str(error))
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Exception as error:
        harness.note("error", f"{type(error).__name__}: {error}")
        raise
    finally:
        search.interpreter.cleanup_session()  # else its process keeps the run alive for good
    return 0


if __name__ == "__main__":
    sys.exit(main())
