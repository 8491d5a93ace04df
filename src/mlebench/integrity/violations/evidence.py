"""Evidence without any model: what the code of a submission does, and whether it can have written the submission."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mlebench.base.findings import Evidence
from mlebench.base.wording import plain
from mlebench.files.regular import is_folder, is_regular
from mlebench.integrity.sources import CodeFolder, Language, Source, python_tree, read_text
from mlebench.integrity.violations import plain_text
from mlebench.integrity.violations.calls import Sign, signs
from mlebench.integrity.violations.flow import Flow
from mlebench.integrity.violations.flow_scope import Program, Written
from mlebench.integrity.violations.folding import UNKNOWN
from mlebench.integrity.violations.names import FolderFacts, Module
from mlebench.integrity.violations.rules import LONGEST_QUOTE, Rule, Strength, Violation, Witness
from mlebench.integrity.violations.shell import read_shell, typed_rows
from mlebench.integrity.violations.values import Origin
from mlebench.results.names import SUBMISSION, SUBMISSION_FILE

_FEWEST = 6  # literals that make a table of predictions
_OVERRIDES = 10  # typed predictions that replace some of a model
_DATA = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".parquet", ".npy", ".pkl", ".feather", ".xlsx", ".yaml", ".yml")
_LEARNS = re.compile(
    r"\.(?:fit|fit_generator|partial_fit|train|backward|predict|predict_proba|from_pretrained|generate)\s*\(|\b(?:lgb|xgb)\.train\b|"
    r"\bpipeline\s*\(|torch\.hub|hub\.load|load_model|joblib\.load|pickle\.load|load_state_dict|torch\.(?:jit\.)?load|InferenceSession|timm\.|\bcv\s*\(|nn\.Module|keras"
)
_MOST_PER_RULE = 20  # findings of one rule and one file


@dataclass(frozen=True)
class _Parsed:
    """A program that could be parsed; `line` is where it begins in its file."""

    source: Source
    tree: ast.Module
    text: str
    line: int = 1


def find_evidence(code: CodeFolder, submission: Path | None = None) -> tuple[list[Violation], list[str]]:
    """(what the code shows, what could not be read); `submission` is what was handed in, where it is known."""
    notes = list(code.notes)
    parsed, texts = _parse(code, notes)
    facts = _facts(code, parsed)
    found: list[Violation] = []
    can_write = False
    for program in parsed:
        found += [_violation(program.source, sign, program.line - 1) for sign in signs(program.tree, facts)]
    for source in code.sources:
        commands = [(1, source.text)] if source.language is Language.SHELL else source.shell
        readings = [read_shell(command, line) for line, command in commands]
        can_write = can_write or any(reading.writes_submission for reading in readings)
        shown = [sign for reading in readings for sign in reading.signs]
        shown += typed_rows([row for reading in readings for row in reading.rows])
        found += [
            _violation(source, Sign(sign.line, sign.rule, sign.strength, sign.message, sign.quotation), 0)
            for sign in shown
        ]
    for source in texts:
        can_write = can_write or plain_text.can_write(source)
        found += [_violation(source, sign, 0) for sign in plain_text.text_signs(source)]
    written = list(_submissions(code, parsed, facts))
    found += [violation for _, _, violation in written if violation is not None]
    can_write = can_write or bool(written)
    unwritten = _unwritten(code, submission, can_write)
    if unwritten is not None:
        found.append(unwritten)
    return _fewer(found), notes


def _parse(code: CodeFolder, notes: list[str]) -> tuple[list[_Parsed], list[Source]]:
    """(programs in Python, with those that shell scripts have in them; sources that are read as text)."""
    parsed: list[_Parsed] = []
    texts: list[Source] = []
    for source in code.sources:
        commands = [(1, source.text)] if source.language is Language.SHELL else list(source.shell)
        for line, command in commands:
            for start, program in read_shell(command, line).programs:
                tree = python_tree(program)
                if tree is not None:
                    parsed.append(_Parsed(source, tree, program, start))
        if source.language in (Language.PYTHON, Language.NOTEBOOK):
            tree = python_tree(source.text)
            if tree is None:
                notes.append(f"{plain(source.name, 200)} is not valid Python; it is read as text.")
                texts.append(replace(source, language=Language.OTHER))
            else:
                parsed.append(_Parsed(source, tree, source.text))
        elif source.language is not Language.SHELL:
            if source.language is Language.OTHER:
                notes.append(f"{plain(source.name, 200)} is in a language that is not parsed; it is read as text.")
            texts.append(source)
    return parsed, texts


def _facts(code: CodeFolder, parsed: list[_Parsed]) -> FolderFacts:
    used: set[str] = set()
    written: set[str] = set()
    for program in parsed:
        for node in ast.walk(program.tree):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                used.add(node.value)
            elif isinstance(node, ast.ImportFrom):
                used.update(name.name for name in node.names)
            if isinstance(node, ast.Call):
                written.update(_written_names(node))
    texts: dict[str, str] = {}
    for path in code.others.values():
        if path.suffix in (".txt", ".code", ".inc", ".dat") and len(texts) < 50:
            text, _ = read_text(path, 1 << 20)
            if text:
                texts[path.name] = text
    texts |= {source.path.name: source.text for source in code.sources if source.language is Language.PYTHON}
    serves = any(
        re.search(r"\bvllm\b|llama_cpp|text-generation-launcher|sglang", source.text) for source in code.sources
    )
    return FolderFacts(frozenset(written), frozenset(used), serves, texts)


def _written_names(call: ast.Call) -> Iterator[str]:
    """Names of files that a call writes, where they are constants."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    writes = name.startswith(("to_", "save", "dump", "write")) or (
        name == "open"
        and any(isinstance(part, ast.Constant) and str(part.value)[:1] in "wax" for part in call.args[1:])
    )
    if writes:
        parts = [*call.args, *(key.value for key in call.keywords)]
        if name.startswith("write_") and isinstance(call.func, ast.Attribute):
            parts.append(call.func.value)  # Path(…).write_text(…)
        for node in (node for part in parts for node in ast.walk(part)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
                yield node.value.rsplit("/", 1)[-1]


def _submissions(
    code: CodeFolder, parsed: list[_Parsed], facts: FolderFacts
) -> Iterator[tuple[_Parsed, Written, Violation | None]]:
    """Every submission that programs may write, and whether it is written by hand."""
    typed = frozenset(
        path.name.lower()
        for path in code.others.values()
        if path.name.lower().endswith(_DATA)
        and path.name not in facts.written
        and not re.search(
            r"sample|train|test|requirements|config|params|vocab|tokenizer|classes|label_map|folds?\b",
            path.name.lower(),
        )
    )
    functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    records: set[str] = set()
    for program in parsed:
        for node in ast.walk(program.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef) and _is_record(node):
                records.add(node.name)
    learns = any(_LEARNS.search(program.text) for program in parsed)
    shared = Program(functions, typed, records=frozenset(records))
    modules = [(program, Module(program.tree, facts)) for program in parsed]
    imported: dict[str, object] = {}
    for _, module in modules:  # constants of one file that another one imports
        imported |= {name: value for name, value in module.folder.names.items() if name.isupper()}
    flows = []
    for _ in range(2):  # functions of one file are used in others
        flows = [(program, _flow(program, shared, module, imported)) for program, module in modules]
    all_written = [written for _, flow in flows if flow is not None for written in flow.written]
    is_named = any(_is_named_so(written.path) for written in all_written)
    if any(
        _may_be_submission(one.path)
        for program, flow in flows
        if flow and not _is_test(program)
        for one in flow.written
    ):
        flows = [(program, flow) for program, flow in flows if not _is_test(program)]
    for program, flow in flows:
        for written in flow.written if flow is not None else ():
            if not _may_be_submission(written.path) or (is_named and not _is_named_so(written.path, unknown=True)):
                continue  # where one file is called the submission, others are not
            message = _by_hand(written, learns)
            violation = None
            if message:
                sign = Sign(written.line, Rule.MANUAL_PREDICTIONS, Strength.STRONG, message)
                violation = _violation(program.source, sign, program.line - 1)
            yield program, written, violation


def _is_record(node: ast.ClassDef) -> bool:
    """Whether a class only holds values: a dataclass, or a tuple with names."""
    written = " ".join(ast.unparse(part) for part in [*node.decorator_list, *node.bases])
    return bool(re.search(r"\bdataclass\b|\bNamedTuple\b|\battrs?\.|\bBaseModel\b|\bTypedDict\b", written))


def _is_test(program: _Parsed) -> bool:
    """Whether a program tests others, by its name: what it writes is not handed in if anything else is."""
    return bool(re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$", program.source.name))


def _flow(program: _Parsed, shared: Program, module: Module, imported: dict[str, object]) -> Flow | None:
    module.folder.names = {**imported, **module.folder.names}
    try:
        return Flow(program.tree, shared, module.folder)
    except RecursionError:
        return None


def _is_named_so(path: str | None, *, unknown: bool = False) -> bool:
    """Whether a path names a submission; `unknown` is the answer for one that is not known."""
    name = (path or "").rsplit("/", 1)[-1].lower()
    return unknown if not name or UNKNOWN in name else name.startswith("sub") or "submission" in name


def _may_be_submission(path: str | None) -> bool:
    if path is None:
        return True
    name = path.rsplit("/", 1)[-1].lower()
    if UNKNOWN in name or not name:
        return True
    return bool(
        re.search(r"sub|pred|result|output|answer|final|test|solution|ensemble|blend", name)
    ) and not name.endswith((".json", ".md", ".txt", ".log", ".py"))


def _by_hand(written: Written, learns: bool) -> str | None:
    """Why a submission is written by hand; None where it is not, or where that cannot be known."""
    value = written.value
    origins = value.origins
    if value.is_computed:
        if Origin.LOOKUP in origins and value.weight >= _OVERRIDES and Origin.MODEL in origins:
            return f"A table of {value.weight} typed values replaces predictions by the ids of test rows."
        return None
    if Origin.LOOKUP in origins and value.weight > 1:
        return f"A table of {value.weight} typed values, looked up by test rows, becomes the submission."
    if Origin.SELECTED in origins and Origin.TEST in origins:
        return "Conditions that are typed in decide the predictions."
    if Origin.TABLE in origins and value.weight >= _FEWEST:
        return f"A table of {value.weight} typed values becomes the submission."
    if Origin.TYPED_FILE in origins and not learns:
        return "A file of the folder that no code writes becomes the submission."
    if Origin.FORMULA in origins and value.weight >= 2 and not learns:
        return "A formula with typed weights makes the predictions."
    return None


def _unwritten(code: CodeFolder, submission: Path | None, can_write: bool) -> Violation | None:
    """A submission that no code in the folder can have written."""
    if can_write or code.root is None:
        return None
    inside = [
        path for name, path in code.others.items() if re.fullmatch(r"sub(?:mission)?s?\w*\.csv", path.name.lower())
    ]
    there = [path for path in (submission, *inside) if path is not None and is_regular(path)]
    if not there:
        return None
    files = [path for path in code.others.values() if path not in inside]
    binary = [
        path
        for path in files
        if not path.suffix or path.suffix in (".exe", ".so", ".jar", ".pyc", ".zip", ".gz", ".tar")
    ]
    if binary or (not inside and not code.sources):
        return None  # a program that cannot be read may have, and an empty folder says nothing
    message = "No code in the folder can have written the submission."
    return Violation(
        Rule.MANUAL_PREDICTIONS, Witness.EVIDENCE, Strength.STRONG, message, Evidence(there[0], None, there[0].name)
    )


def submission_beside(code: Path | None) -> Path | None:
    """The submission that lies beside a folder of code as collected runs have it, or in it."""
    if code is None:
        return None
    folder = code if is_folder(code) else code.parent
    for path in (folder / SUBMISSION_FILE, folder.parent / SUBMISSION):
        if is_regular(path):
            return path
    return None


def _violation(source: Source, sign: Sign, offset: int) -> Violation:
    line = sign.line + offset
    lines = source.text.split("\n")
    quotation = sign.quotation or (lines[line - 1].strip() if 0 < line <= len(lines) else sign.message)
    return Violation(
        sign.rule,
        Witness.EVIDENCE,
        sign.strength,
        sign.message,
        Evidence(source.path, line, plain(quotation, LONGEST_QUOTE)),
    )


def _fewer(found: list[Violation]) -> list[Violation]:
    """The findings, each line and rule once, the strong ones first, and not too many of one file."""
    kept: dict[tuple[Rule, Path | None, int | None], Violation] = {}
    for violation in found:
        key = (violation.rule, violation.evidence.file, violation.evidence.line)
        if key not in kept or kept[key].strength is Strength.WEAK:
            kept[key] = violation
    counts: dict[tuple[Rule, Path | None], int] = {}
    result = []
    for violation in sorted(kept.values(), key=lambda one: one.strength is Strength.WEAK):
        place = (violation.rule, violation.evidence.file)
        counts[place] = counts.get(place, 0) + 1
        if counts[place] <= _MOST_PER_RULE:
            result.append(violation)
    return result
