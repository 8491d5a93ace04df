"""The actions of MLAgentBench: each takes named inputs and returns an observation."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import prompts
from chat import Model
from workshop import Workshop

MOST_LINES = 100  # of a script that are shown at once
BLOCK = 20_000  # characters of a file that are read at once
MOST_BLOCKS = 10


class ActionError(Exception):
    """The action cannot be done as asked; the message goes to the model."""


@dataclass
class Actions:
    """The actions with what they need; earlier versions of edited scripts are kept, to go back to."""

    shop: Workshop
    model: Model
    versions: dict[Path, list[str | None]] = field(default_factory=dict)
    answer: str | None = None

    def do(self, name: str, inputs: Mapping[str, Any]) -> str:
        """Do an action; whatever is wrong with it becomes the observation."""
        known: dict[str, Callable[..., str]] = {
            "List Files": self.list_files,
            "Copy File": self.copy_file,
            "Undo Edit Script": self.undo_edit,
            "Execute Script": self.execute,
            "Understand File": self.understand,
            "Inspect Script Lines": self.inspect,
            "Edit Script (AI)": self.edit,
            "Validate Submission": self.validate,
            "Final Answer": self.final_answer,
        }
        wanted = set(prompts.ACTIONS[name][1])
        if set(inputs) != wanted:
            return self.shop.problem(f"EnvError: {name} needs the inputs {', '.join(sorted(wanted))}.")
        try:
            return known[name](**inputs)
        except (ActionError, OSError, ValueError, TypeError) as error:
            return self.shop.problem(f"EnvError: {error}")

    def _path(self, name: str, *, must_exist: bool = True) -> Path:
        path = self.shop.code / name
        if must_exist and not path.is_file():
            raise ActionError(f"cannot read file {name}")
        return path

    def list_files(self, dir_path: str) -> str:
        """The names in a folder, folders with a slash."""
        folder = self.shop.code / dir_path
        if not folder.is_dir():
            raise ActionError(f"cannot list the files in {dir_path}")
        names = [f"{path.name}/" if path.is_dir() else path.name for path in sorted(folder.iterdir())]
        return "\n".join(names[:500]) or "(empty)"

    def copy_file(self, source: str, destination: str) -> str:
        """Copy a file."""
        shutil.copyfile(self._path(source), self._path(destination, must_exist=False))
        return f"File {source} copied to {destination}"

    def undo_edit(self, script_name: str) -> str:
        """Go back to what a script was before its last edit."""
        path = self._path(script_name, must_exist=False)
        if not self.versions.get(path):
            raise ActionError(f"there is no edit of {script_name} to undo")
        former = self.versions[path].pop()
        if former is None:
            path.unlink(missing_ok=True)
            return f"The file {script_name}, which did not exist before the edit, is removed."
        path.write_text(former, encoding="utf-8")
        return f"Content of {script_name} after undo the most recent edit:\n{former}"

    def execute(self, script_name: str) -> str:
        """Run a script, for as long as there is time."""
        printed = self.shop.run([sys.executable, str(self._path(script_name))])
        return f"The script has been executed. Here is the output:\n{printed}"

    def understand(self, file_name: str, things_to_look_for: str) -> str:
        """Read a file block by block with the model, and put what was found together."""
        content = self._path(file_name).read_text(encoding="utf-8", errors="replace")
        blocks = [content[start : start + BLOCK] for start in range(0, max(1, len(content)), BLOCK)][:MOST_BLOCKS]
        found = []
        for number, block in enumerate(blocks, 1):
            place = f"part {number} of {len(blocks)}"
            found.append(self._ask(prompts.understand(block, file_name, things_to_look_for, place)))
        if len(found) == 1:
            return found[0]
        return self._ask(
            prompts.understand("\n\n".join(found), f"descriptions of {file_name}", things_to_look_for, "whole")
        )

    def inspect(self, script_name: str, start_line_number: Any, end_line_number: Any) -> str:
        """Some lines of a script."""
        first, last = int(start_line_number), int(end_line_number)
        if last - first >= MOST_LINES:
            raise ActionError(f"at most {MOST_LINES} lines can be shown at once")
        lines = self._path(script_name).read_text(encoding="utf-8", errors="replace").splitlines()
        shown = "\n".join(lines[max(0, first - 1) : last])
        return f"Here are the lines (the file ends at line {len(lines)}):\n\n{shown}"

    def edit(self, script_name: str, edit_instruction: str, save_name: str) -> str:
        """Have the model write the whole script anew."""
        path, target = self._path(script_name, must_exist=False), self._path(save_name, must_exist=False)
        script = path.read_text(encoding="utf-8") if path.is_file() else ""
        written = self._ask(prompts.edit(script, script_name, edit_instruction))
        block = re.search(r"```(?:python)?\s*\n(.*?)```", written, re.DOTALL)
        new = block[1] if block else written
        former = target.read_text(encoding="utf-8") if target.is_file() else None
        self.versions.setdefault(target, []).append(former)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(new, encoding="utf-8")
        self.shop.steps.add("code", new)
        return f"The edited file is saved to {save_name}. Here is its content:\n{new}"

    def validate(self, submission_path: str, validation_score: Any, lower_is_better: Any) -> str:
        """Check a file, and hand in the best."""
        lower = str(lower_is_better).strip().lower() == "true"
        return self.shop.submit(submission_path, float(validation_score), lower)

    def final_answer(self, final_answer: str) -> str:
        """End the work."""
        self.answer = str(final_answer)
        return "The work has ended."

    def _ask(self, order: str) -> str:
        message, tokens = self.model.answer([{"role": "user", "content": order}])
        text = str(message.get("content") or "")
        self.shop.steps.add("message", text, tokens=tokens)
        return text
