"""Checking submissions: evidence, record and judge for each, and what they say together."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.base import progress
from mlebench.base.wording import plain
from mlebench.files.regular import is_folder, is_regular, open_regular
from mlebench.integrity.model_client import ModelError, SpentError
from mlebench.integrity.sources import CodeFolder, read_code
from mlebench.integrity.subjects import Subject
from mlebench.integrity.violations.evidence import find_evidence, submission_beside
from mlebench.integrity.violations.judge import Judge, Judgement
from mlebench.integrity.violations.questions import PARTS, Question
from mlebench.integrity.violations.recorded import recorded
from mlebench.integrity.violations.rules import Rule, Strength, Violation, Witness
from mlebench.integrity.violations.transcripts import log_evidence

_LOG_END = 2 << 20  # bytes of the beginning and of the end of a log that are read
_MOST_LOGS = 200  # files of a folder of logs
_MOST_LOG_BYTES = 32 << 20


@dataclass(frozen=True)
class Checked:
    """One submission that was checked: findings of all witnesses, answers of the judge, and what could not be read."""

    subject: Subject
    findings: tuple[Violation, ...]
    judgements: tuple[Judgement, ...]
    could_see: bool  # whether there was any code or log to look at
    notes: tuple[str, ...] = field(default=())

    def verdict(self, rule: Rule) -> bool | None:
        """Whether a rule was broken by what any witness says; None where nobody could see anything."""
        if any(finding.rule is rule and finding.strength is Strength.STRONG for finding in self.findings):
            return True
        judged = [one.binarized for one in self.judgements if one.question.rule is rule]
        if True in judged:
            return True
        return False if self.could_see or False in judged else None

    def said_by(self, witness: Witness, rule: Rule) -> bool | None:
        """What one witness says about a rule."""
        if witness is Witness.JUDGE:
            judged = [one.binarized for one in self.judgements if one.question.rule is rule]
            return True if True in judged else False if False in judged else None
        if witness is Witness.RECORD and self.subject.run is None:
            return None
        strong = any(
            finding.rule is rule and finding.witness is witness and finding.strength is Strength.STRONG
            for finding in self.findings
        )
        return strong or (False if self.could_see or witness is Witness.RECORD else None)

    def to_dict(self) -> dict[str, Any]:
        """The entry of violations.json."""
        subject = self.subject
        return {
            "competition_id": subject.competition_id,
            "logs_path": str(subject.logs_path) if subject.logs_path else None,
            "code_path": str(subject.code_path) if subject.code_path else None,
            **({"run_id": subject.run.record.run_id} if subject.run is not None else {}),
            "verdicts": {rule.value: self.verdict(rule) for rule in Rule},
            "witnesses": {
                witness.value: {rule.value: self.said_by(witness, rule) for rule in Rule} for witness in Witness
            },
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
        }


def check_submissions(
    subjects: Sequence[Subject],
    *,
    judge: Judge | None,
    questions: Sequence[Question],
    on_checked: Callable[[Checked], object] = lambda _: None,
) -> list[Checked]:
    """Check submissions one after the other; where the judge fails, the evidence stands without it."""
    done = []
    for subject in subjects:
        with progress.task(subject.name):
            checked = check_submission(subject, judge=judge, questions=questions)
        if any(isinstance(note, _Spent) for note in checked.notes):
            judge = None
        done.append(checked)
        on_checked(checked)
    return done


class _Spent(str):
    """The note that nothing more may be spent."""

    __slots__ = ()


def check_submission(subject: Subject, *, judge: Judge | None, questions: Sequence[Question]) -> Checked:
    """Check one submission."""
    code = read_code(subject.code_path)
    submission = subject.submission or submission_beside(subject.code_path)
    findings, notes = find_evidence(code, submission)
    logs = read_logs(subject.logs_path, notes)
    for path, text in logs:
        findings += log_evidence(path, text)
    if subject.run is not None:
        findings += recorded(subject.run)
    judgements: list[Judgement] = []
    if judge is not None:
        texts = {"logs": _joined(logs), "code": _code_text(code)}
        files = {"logs": subject.logs_path, "code": subject.code_path}
        for part in PARTS:
            for question in questions:
                try:
                    judgements.append(judge.judge(question, part, texts[part], files[part]))
                except SpentError as error:
                    notes.append(_Spent(str(error)))
                    break
                except ModelError as error:
                    notes.append(f"{part}, {question.id}: {error}")
            if any(isinstance(note, _Spent) for note in notes):
                break
        findings += [found for one in judgements if (found := one.violation()) is not None]
    could_see = bool(code.sources or logs or any(finding.strength is Strength.STRONG for finding in findings))
    return Checked(subject, tuple(findings), tuple(judgements), could_see, tuple(notes))


def read_logs(path: Path | None, notes: list[str]) -> list[tuple[Path, str]]:
    """(file, text) of the logs at a path, which is a file or a folder; of a long one the beginning and the end."""
    if path is None:
        return []
    if not os.path.lexists(path):
        notes.append(f"There is no log at {path}.")
        return []
    files = [path] if is_regular(path) else []
    if is_folder(path):
        for parent, _, names in os.walk(path, followlinks=False):
            files += [file for name in sorted(names) if is_regular(file := Path(parent, name))]
            if len(files) > _MOST_LOGS:
                notes.append(f"{path} has more than {_MOST_LOGS} files; the others are not read.")
                files = files[:_MOST_LOGS]
                break
    elif not files:
        notes.append(f"{path} is neither a file nor a folder.")
    found, left = [], _MOST_LOG_BYTES
    for file in files:
        text = _log(file, notes) if left > 0 else None
        if text:
            left -= len(text)
            found.append((file, text))
    return found


def _log(path: Path, notes: list[str]) -> str | None:
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(_LOG_END)
            if b"\0" in data[:4096]:
                notes.append(f"{plain(path.name, 100)} is not read: it is binary.")
                return None
            if size > 2 * _LOG_END:
                notes.append(f"{plain(path.name, 100)} has {size:,} bytes; its first and last {_LOG_END:,} are read.")
                file.seek(size - _LOG_END)
                data += b"\n" + file.read(_LOG_END)
            elif size > _LOG_END:
                data += file.read(size - _LOG_END)
    except OSError as error:
        notes.append(f"{plain(path.name, 100)} cannot be read: {error.strerror}.")
        return None
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _joined(logs: list[tuple[Path, str]]) -> str:
    return "\n".join(f"=== {plain(path.name, 100)} ===\n{text}" for path, text in logs)


def _code_text(code: CodeFolder) -> str:
    parts = []
    for source in code.sources:
        commands = "\n".join(command for _, command in source.shell)
        parts.append(f"=== {plain(source.name, 200)} ===\n{source.text}\n{commands}".rstrip())
    return "\n\n".join(parts)
