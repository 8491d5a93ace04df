"""What the scripted model says to each agent: a program that fails, a good one, a worse one later, and the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scripted_model import Call, Request, Say, Shell, in_turn

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
print("validation score:", round(score, 4))
"""
WORSE = SOLVING.replace("list(test.columns)[1:]", "list(test.columns)[1:2]")


def program(text: str, name: str, output: str = "predictions.csv") -> str:
    """A shell command that writes a program and runs it."""
    return f"cd \"$CODE_DIR\" && cat > {name} <<'END'\n{text.replace('OUTPUT', output)}END\npython3 {name}"


def shell_script() -> Callable[[Request], Say | Shell | Call]:
    """For agents with a shell that hand in by themselves."""
    return in_turn(
        Shell(program(FAILING, "first.py"), "A first try."),
        Shell(program(SOLVING, "solve.py", "good.csv"), "A regression."),
        Shell('cd "$CODE_DIR" && time_left && hand_in good.csv --score 0.15 --lower-is-better', "Handing it in."),
        Shell(f'{program(WORSE, "worse.py", "worse.csv")} && hand_in worse.csv --score 0.9 --lower-is-better', "With less data."),
        Say("The regression is handed in."),
    )


def mini_script() -> Callable[[Request], Say | Shell | Call]:
    """The same, with the command that ends mini-SWE-agent."""
    shell = shell_script()

    def reply(request: Request) -> Say | Shell | Call:
        chosen = shell(request)
        return Shell("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT") if isinstance(chosen, Say) else chosen

    return reply


def aider_script() -> Callable[[Request], Say | Shell | Call]:
    """Whole files as aider expects them, one after the other; at the end no change."""
    programs = [FAILING, *(text.replace("OUTPUT", "submission.csv") for text in (SOLVING, WORSE))]
    left = iter(text.replace("round(score, 4))", "round(score, 4), '(lower is better)')") for text in programs)

    def reply(_: Request) -> Say:
        text = next(left, None)
        return Say("There is nothing to improve." if text is None else f"A program.\n\nsolve.py\n```\n{text}```\n")

    return reply


SCRIPTS: dict[str, Callable[[], Callable[[Request], Any]]] = {
    "claude-code": shell_script,
    "codex": shell_script,
    "mini-swe-agent": mini_script,
    "openhands": shell_script,
    "aider": aider_script,
}
