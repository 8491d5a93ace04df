"""What calls do to values: reading, looking up, predicting, and writing files."""

from __future__ import annotations

import ast
import re

from mlebench.integrity.violations.flow_expressions import Expressions
from mlebench.integrity.violations.flow_names import (
    COMPARES,
    FILLED,
    LISTERS,
    MAPPERS,
    MUTATORS,
    PARSERS,
    PREDICT,
    READERS,
    STRUCTURAL,
)
from mlebench.integrity.violations.flow_scope import Written
from mlebench.integrity.violations.folding import UNKNOWN
from mlebench.integrity.violations.values import MODEL, NOTHING, OPAQUE, TEST, TRAIN, Origin, Value


class Calls(Expressions):
    """Follows values through calls."""

    def _call(self, node: ast.Call) -> Value:
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        on_module = isinstance(receiver, ast.Name) and receiver.id in self.imported and receiver.id not in self.values
        if name in ("fit", "fit_resample", "partial_fit", "train", "backward", "step", "compile", "to", "eval", "cuda"):
            return self.value(receiver) | OPAQUE if receiver is not None else OPAQUE
        self._sink(node, name, receiver)
        if name in MUTATORS and receiver is not None:
            return self._mutate(node, receiver)
        if name in MAPPERS:
            return self._map(node, name, receiver)
        if name in self.program.functions and not on_module:
            return self._own(node, self.program.functions[name])
        if name in PREDICT:
            base = self.value(receiver) if receiver is not None else NOTHING
            return base if base.is_literal and name in ("encode", "sample") else MODEL
        if name in ("where", "select") and (on_module or receiver is None):
            condition = self.value(node.args[0]) if node.args else NOTHING
            return self.chosen(condition, self._all([*node.args[1:], *(key.value for key in node.keywords)]))
        if name in ("where", "mask") and receiver is not None:
            condition = self.value(node.args[0]) if node.args else NOTHING
            return self.chosen(condition, self.value(receiver) | self._all(node.args[1:]))
        if (
            name in ("split", "splitlines")
            and isinstance(typed := self.folder.fold(node), list)
            and receiver is not None
        ):
            base = self.value(receiver)
            if base.is_literal:
                place = (node.lineno, node.col_offset, len(typed))
                return Value(base.origins | {Origin.TABLE}, frozenset({place}))
        if name in COMPARES and (not on_module or getattr(receiver, "id", "") == "re"):
            base = self.value(receiver) if receiver is not None and not on_module else NOTHING
            return self.compared(base | self._all(node.args))
        if name == "cut" and node.args:
            options = self._all([key.value for key in node.keywords if key.arg == "labels"] or node.args[2:3])
            return self.chosen(self.value(node.args[0]), options)
        if name == "get" and receiver is not None and node.args:
            return self.looked_up(self.value(receiver), self.value(node.args[0])) | self._all(node.args[1:])
        if name in PARSERS and node.args and (parsed := self._parsed(node)) is not None:
            return parsed
        if name in LISTERS:
            return self._listed(node, receiver if not on_module else None)
        if name in ("list", "tuple", "iter", "enumerate") and receiver is None and len(node.args) == 1:
            return self.items(node.args[0])
        if name in READERS:
            return self._read(node, receiver if not on_module else None)
        if name in ("len", "range", "arange", "sum", "count", "nunique", "isna", "notna"):
            found = (self._all(node.args) | (self.value(receiver) if not on_module else NOTHING)).without_literals()
            return Value(found.origins - {Origin.TEST})
        if name in FILLED:
            return self._all(node.args[-1:]) if name in ("full", "full_like") else NOTHING
        if name in STRUCTURAL or name in self.program.records:
            keywords = [
                key.value
                for key in node.keywords
                if key.arg not in ("columns", "on", "by", "how", "index_col", "dtype")
            ]
            skipped = name in ("drop", "rename", "sort_values", "merge", "set_index", "join") and receiver is not None
            arguments = node.args[:1] if name == "DataFrame" else node.args
            if skipped:
                arguments, keywords = (
                    ([] if name in ("drop", "rename", "sort_values", "set_index") else arguments[:1]),
                    [],
                )
            base = self.value(receiver) if receiver is not None and not on_module else NOTHING
            return base | self._all(arguments) | self._all(keywords)
        if on_module and isinstance(receiver, ast.Name) and receiver.id in ("random", "secrets"):
            return OPAQUE
        base = self.value(receiver) if receiver is not None and not on_module else NOTHING
        if name in ("max", "min") and receiver is None:
            return self._all(node.args)
        if name in (
            "mean",
            "median",
            "mode",
            "max",
            "min",
            "std",
            "groupby",
            "value_counts",
            "quantile",
            "idxmax",
            "argmax",
        ):
            return base | self._all(node.args).without_literals() | (self._all(node.args) if on_module else NOTHING)
        self._all(node.args)
        return OPAQUE if not base.is_computed else base | OPAQUE

    def _mutate(self, node: ast.Call, receiver: ast.expr) -> Value:
        value = self.controlled(self._all([*node.args, *(key.value for key in node.keywords)]))
        root = receiver
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name):
            if root.id in self.handles:
                path, before, line = self.handles[root.id]
                is_header = not before.origins and value.is_literal and value.weight <= max(len(value.literals), 2)
                is_header = is_header and isinstance(node.func, ast.Attribute) and _only_texts(node.args)
                value = NOTHING.adding(Origin.LITERAL) if is_header else value
                value = value.adding(Origin.TABLE) if value.is_literal and not is_header else value
                self.handles[root.id] = (path, before | value, line)
                return NOTHING
            if value.is_literal:
                value = value.adding(Origin.TABLE)
            self.values[root.id] = self.values.get(root.id, NOTHING) | value
        return NOTHING

    def _map(self, node: ast.Call, name: str, receiver: ast.expr | None) -> Value:
        arguments = list(node.args)
        if name == "map" and not isinstance(node.func, ast.Attribute):
            domain = self.items(arguments[1]) if len(arguments) == 2 else self._all(arguments[1:])
        elif name == "vectorize":
            return self.value(arguments[0]) if arguments else OPAQUE
        else:
            domain = self.value(receiver)
        function = arguments[0] if arguments else None
        if isinstance(function, ast.Lambda):
            saved = dict(self.values)
            for argument in function.args.args:
                self._forget(argument.arg)
                self.values[argument.arg] = domain
            found = self.value(function.body)
            self.values = saved
            return found
        called = getattr(function, "id", getattr(function, "attr", ""))
        if called in self.program.functions:
            return self._entered(self.program.functions[called], [domain], {})
        table = self.value(function)
        if table.is_literal:
            return self.looked_up(table, domain)
        return domain | OPAQUE if domain.is_literal or not table.origins else domain | table

    def _own(self, node: ast.Call, functions: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> Value:
        given = [self.value(argument) for argument in node.args]
        named = {key.arg: self.value(key.value) for key in node.keywords if key.arg}
        return self._entered(functions, given, named)

    def _entered(
        self,
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef],
        given: list[Value],
        named: dict[str, Value],
    ) -> Value:
        """What functions of the folder return, which are given values."""
        found = NOTHING
        for function in functions[:8]:
            names = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            for name, value in [*zip(names, given, strict=False), *named.items()]:
                key = (id(function), name)
                self.program.given[key] = self.program.given.get(key, NOTHING) | value
            returned = self.program.returned.get(id(function))
            if returned is not None:
                found = found | returned
            elif any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(function)):
                found = found | OPAQUE
        return found

    def _read(self, node: ast.Call, receiver: ast.expr | None) -> Value:
        inside = self._all(node.args[:1]) if node.args else NOTHING
        path = self.folder.text(node.args[0]) if node.args else self.folder.text(receiver)
        if path is None and node.args and isinstance(node.args[0], ast.Call) and inside.origins:
            return inside  # json.load(open(…)), read_csv(StringIO(…))
        if path is None and receiver is not None and (base := self.value(receiver)).origins:
            return base  # open(…).read()
        if path is None and inside.origins:
            return inside
        return self.file_value(path)

    def _parsed(self, node: ast.Call) -> Value | None:
        """What is read from a text that is typed in: as many values as it has words; None where it is no such text."""
        value, text = self.value(node.args[0]), self.folder.text(node.args[0])
        if text is None or not value.is_literal:
            return None
        words = len(re.findall(r"[^\s,;:|\[\](){}]+", text))
        place = (node.lineno, node.col_offset, max(words, value.weight))
        return Value(value.origins | {Origin.TABLE}, frozenset({place})) if words > 1 else value

    def _listed(self, node: ast.Call, receiver: ast.expr | None) -> Value:
        """The names of files in a folder, which is one of the test or of the training data."""
        texts = [self.folder.text(part) for part in (receiver, *node.args[:1])]
        parts = "/".join(text for text in texts if text).lower().split("/")
        kinds = {kind for part in parts for kind in ("train", "test") if re.match(rf"{kind}(?:$|[\W_\d])", part)}
        return {"test": TEST, "train": TRAIN}.get(kinds.pop(), OPAQUE) if len(kinds) == 1 else OPAQUE

    def file_value(self, path: str | None) -> Value:
        """Where the content of a file comes from, by its name."""
        name = (path or "").replace(UNKNOWN, "").rsplit("/", 1)[-1].lower()
        if not name:
            return OPAQUE
        if name in self.files:
            return self.files[name]
        if name in self.program.typed_files:
            return Value(frozenset({Origin.TYPED_FILE}))
        stem = name.rsplit(".", 1)[0]
        if "sample" in stem or "test" in stem or "submission" in stem:
            return TEST
        return TRAIN if name.endswith((".csv", ".json", ".tsv", ".txt", ".parquet", ".feather", ".jsonl")) else OPAQUE

    # --- what is written ---

    def _sink(self, node: ast.Call, name: str, receiver: ast.expr | None) -> None:
        path: ast.expr | None
        if name in ("to_csv", "write_csv", "sink_csv") and receiver is not None:
            value, path = self.value(receiver), node.args[0] if node.args else None
        elif name == "savetxt" and len(node.args) >= 2:
            value, path = self.value(node.args[1]), node.args[0]
        elif name in ("write_text", "write_bytes") and receiver is not None and node.args:
            value, path = self.value(node.args[0]), receiver
        elif name == "write" and isinstance(receiver, ast.Call) and node.args:
            value, path = self.value(node.args[0]), receiver.args[0] if receiver.args else None
        elif name in ("copy", "copyfile", "copy2", "move", "rename") and len(node.args) == 2:
            source = self.folder.text(node.args[0])
            value, path = self.file_value(source), node.args[1]
        elif name == "print" and (handle := next((key.value for key in node.keywords if key.arg == "file"), None)):
            if isinstance(handle, ast.Name) and handle.id in self.handles:
                where, before, line = self.handles[handle.id]
                value = self.controlled(self._all(node.args))
                value = value.adding(Origin.TABLE) if value.is_literal else value
                self.handles[handle.id] = (where, before | value, line)
            return
        else:
            return
        path = path or next((key.value for key in node.keywords if key.arg in ("path_or_buf", "path", "fname")), None)
        if isinstance(path, ast.Name) and path.id in self.handles:
            where, before, line = self.handles[path.id]
            self.handles[path.id] = (where, before | value, line)
            return
        text = self.folder.text(path)
        if text is not None:
            self.files[text.rsplit("/", 1)[-1].lower()] = value
        self.written.append(Written(node.lineno, value, text))


def _only_texts(nodes: list[ast.expr]) -> bool:
    """Whether arguments are a header: names of columns."""
    return all(
        isinstance(part, ast.Constant) and isinstance(part.value, str)
        for node in nodes
        for part in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node])
    )
