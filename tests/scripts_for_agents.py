"""What the scripted model says to each agent: a program that fails, a good one, a worse one later, and the end."""

from __future__ import annotations

import json

from model_server import CallTool, Item, Run, Say

FAILING = "import pandas\npandas.read_csv('there-is-no-such-file.csv')\n"
SOLVING = """\
import os
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
data = os.environ["DATA_DIR"]
train, test = pd.read_csv(data + "/train.csv"), pd.read_csv(data + "/test.csv")
sample = pd.read_csv(data + "/sample_submission.csv")
target = [name for name in train.columns if name not in test.columns][0]
features = list(test.columns)[1:]
model = make_pipeline(StandardScaler(), LogisticRegression())
score = -cross_val_score(model, train[features], train[target], cv=3, scoring="neg_log_loss").mean()
sample[sample.columns[1:]] = model.fit(train[features], train[target]).predict_proba(test[features])
sample.to_csv("OUTPUT", index=False)
print("validation score:", round(score, 4), "(lower is better)")
"""
WORSE = SOLVING.replace("list(test.columns)[1:]", "list(test.columns)[1:2]")


def program(text: str, name: str, output: str = "predictions.csv") -> str:
    """A shell command that writes a program and runs it."""
    return f"cd \"$CODE_DIR\" && cat > {name} <<'END'\n{text.replace('OUTPUT', output)}END\npython3 {name}"


SHELL: list[Item] = [
    Run(program(FAILING, "first.py"), "A first try."),
    Run(program(SOLVING, "solve.py", "good.csv"), "A regression."),
    Run('cd "$CODE_DIR" && time_left && hand_in good.csv --score 0.06 --lower-is-better', "Handing it in."),
    Run(f"{program(WORSE, 'worse.py', 'worse.csv')} && hand_in worse.csv --score 0.7 --lower-is-better", "Less data."),
]


def _in_codex(items: list[Item]) -> list[Item]:
    """The commands of a script for Codex, which waits for one half a minute at most and then lets it go on beside."""
    found: list[Item] = []
    for number, item in enumerate(items):
        assert isinstance(item, Run)
        done = f'"$CODE_DIR/.done{number}"'
        waits = f"until [ -e {done} ]; do sleep 0.1; done"
        found += [
            CallTool("exec_command", {"cmd": command, "yield_time_ms": 30000}, item.text)
            for command in (f"{item.command}; code=$?; touch {done}; exit $code", waits, waits)
        ]
    return found


def _file(text: str) -> Say:
    """A whole file in aider's format."""
    return Say(f"A program.\n\nsolve.py\n```\n{text.replace('OUTPUT', 'submission.csv')}```\n")


def _node(text: str, metric: float | None, *, is_bug: bool = False) -> list[Item]:
    """What AIDE asks for one node: a plan with a program, and a review of what it printed."""
    review = {
        "is_bug": is_bug,
        "has_csv_submission": not is_bug,
        "summary": "It fails." if is_bug else "It works.",
        "metric": metric,
        "lower_is_better": True,
    }
    plan = Say(f"A plan in a sentence.\n\n```python\n{text.replace('OUTPUT', './working/submission.csv')}```\n")
    return [plan, CallTool("submit_review", review)]


def _mlab(action: str, **inputs: str | float) -> Say:
    """A reply in the form of MLAgentBench."""
    head = f"Reflection: none\nResearch Plan and Status: 1. {action}\nFact Check: confirmed\nThought: I go on.\n"
    return Say(f"{head}Action: {action}\nAction Input: {json.dumps(inputs)}\n")


SCRIPTS: dict[str, list[Item]] = {
    "aide": [
        *_node(FAILING, None, is_bug=True),
        *_node(WORSE, 1),  # a whole number, which AIDE itself takes for a bug
        *_node(SOLVING, 0.06),
        *_node(WORSE, 0.7),
        Say("A report."),
    ],
    "aider": [_file(FAILING), _file(SOLVING), _file(WORSE), Say("There is nothing to improve.")],
    "claude-code": [*SHELL, Say("The regression is handed in.")],
    "codex": [*_in_codex(SHELL), Say("The regression is handed in.")],
    "mini-swe-agent": [*SHELL, Run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")],
    "openhands": [*SHELL, Say("The regression is handed in.")],
}
# Shorter ones, which hand in the sample submission, and then go on to an end.
_COPY = 'import os, shutil\nshutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", "OUTPUT")\n'
_HAND_IN = 'hand_in "$DATA_DIR/sample_submission.csv" --score 1.1 --lower-is-better'
_SHORT_SHELL: list[Item] = [Run(_HAND_IN, "The sample."), Say("The sample is handed in.")]
SHORT_SCRIPTS: dict[str, list[Item]] = {
    "react": [
        CallTool("run_shell", {"command": 'cp "$DATA_DIR/sample_submission.csv" copy.csv'}),
        CallTool("submit", {"path": "copy.csv", "validation_score": 1.1, "lower_is_better": True}),
        CallTool("finish", {"reason": "The sample is handed in."}),
    ],
    "mlab": [
        _mlab("Edit Script (AI)", script_name="copy.py", save_name="copy.py", edit_instruction="Write it."),
        Say(f"```python\n{_COPY.replace('OUTPUT', 'copy.csv')}```"),
        _mlab("Execute Script", script_name="copy.py"),
        _mlab("Validate Submission", submission_path="copy.csv", validation_score=1.1, lower_is_better="true"),
        _mlab("Final Answer", final_answer="The sample is handed in."),
    ],
    "aide": [*_node(_COPY, 1.1), *_node(_COPY, 1.2), Say("A report.")],
    "aider": [_file(f"{_COPY}print('validation score: 1.1 (lower is better)')\n"), Say("There is nothing to improve.")],
    "claude-code": _SHORT_SHELL,
    "codex": [CallTool("exec_command", {"cmd": _HAND_IN, "yield_time_ms": 30000}), Say("The sample is handed in.")],
    "mini-swe-agent": [_SHORT_SHELL[0], Run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")],
    "openhands": _SHORT_SHELL,
}
# How many answers a short script needs until something is handed in; where an agent is not here, one.
ANSWERS_UNTIL_HANDED_IN = {"aide": 2, "mlab": 4, "react": 2}
PROTOCOLS = {"aide": "responses", "claude-code": "messages", "codex": "responses"}  # the others speak chat completions
MODELS = {"aide": "gpt-scripted"}  # of such a name AIDE takes no address from the environment
