"""Calls in the syntax tree: which language models, addresses, commands and files a program reaches, and where."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mlebench.integrity.sources import python_tree
from mlebench.integrity.violations import libraries as known
from mlebench.integrity.violations.addresses import Destination, addresses_in, destination
from mlebench.integrity.violations.folding import UNKNOWN, Folder
from mlebench.integrity.violations.paths import outside
from mlebench.integrity.violations.rules import Rule, Strength
from mlebench.integrity.violations.shell import read_shell

_DEEPEST_EXEC = 3
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?!csv|zip|json|txt|tsv|html?|gz|tar|py|png|jpe?g|pkl|npy|npz|pth?|xlsx?|h5|parquet|pt|data\b)[a-z]{2,12}"
    r"(?::\d+)?(?:/\S*)?|\d+\.\d+\.\d+\.\d+",
    re.IGNORECASE,
)
_BUILT_IN_MODULES = {"kaggle", "kagglehub"}


@dataclass(frozen=True)
class Sign:
    """What a line does against a rule."""

    line: int
    rule: Rule
    strength: Strength
    message: str
    quotation: str | None = None


@dataclass(frozen=True)
class FolderFacts:
    """What is known of the whole folder: files it writes by their names, names that are used, whether vLLM serves."""

    written: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    serves_model: bool = False
    texts: dict[str, str] = field(default_factory=dict)  # other files of the folder that a program may execute


class Module:
    """One program: names of imports and objects, constants, and the calls that are not in dead code."""

    def __init__(self, tree: ast.Module, facts: FolderFacts) -> None:
        self.tree, self.facts = tree, facts
        self.aliases: dict[str, str] = {}
        self.folder = Folder(dotted=self.dotted)
        self.calls: list[tuple[ast.Call, bool]] = []  # (call, whether it is in a function that nothing uses)
        for _ in range(3):  # a constant may be built from another one that stands further down
            self._bind(tree)
        self._collect(tree, dead=False)

    # --- names ---

    def dotted(self, node: ast.expr) -> str:
        """The dotted name of what is called, by imports: `client.chat` of `OpenAI()` is `openai.OpenAI().chat`."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            own = self.aliases.get(ast.unparse(node)) if isinstance(node.value, ast.Name) else None
            base = self.dotted(node.value)
            return own or (f"{base}.{node.attr}" if base else node.attr)
        if isinstance(node, ast.Call):
            name = self.dotted(node.func)
            if name in ("importlib.import_module", "__import__", "importlib.__import__", "import_module"):
                module = self.folder.text(node.args[0]) if node.args else None
                return module or "?"
            if name == "getattr" and len(node.args) >= 2:
                return f"{self.dotted(node.args[0])}.{self.folder.text(node.args[1]) or '?'}"
            if name == "functools.partial" and node.args:
                return self.dotted(node.args[0])
            return f"{name}()"
        if isinstance(node, ast.Subscript):
            if self.dotted(node.value) in ("sys.modules", "globals()", "vars()") and isinstance(node.slice, ast.expr):
                return self.folder.text(node.slice) or "?"
            if isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
                return f"{self.dotted(node.value.value)}.{self.folder.text(node.slice) or '?'}"
            return ""
        if isinstance(node, ast.Await):
            return self.dotted(node.value)
        if isinstance(node, ast.NamedExpr):
            return self.dotted(node.value)
        return ""

    def _bind(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.Import():
                    for name in node.names:
                        self.aliases[name.asname or name.name.split(".")[0]] = (
                            name.name if name.asname else name.name.split(".")[0]
                        )
                case ast.ImportFrom() if node.module and not node.level:
                    for name in node.names:
                        self.aliases[name.asname or name.name] = f"{node.module}.{name.name}"
                case ast.Assign() | ast.AnnAssign() if node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        self._assign(target, node.value)
                case ast.NamedExpr():
                    self._assign(node.target, node.value)
                case ast.AugAssign(op=ast.Add()) if isinstance(node.target, ast.Name):
                    pass
                case ast.With() | ast.AsyncWith():
                    for item in node.items:
                        if item.optional_vars is not None:
                            self._assign(item.optional_vars, item.context_expr)
                case ast.For() if isinstance(node.target, ast.Name):
                    values = self.folder.fold(node.iter)
                    if isinstance(values, list) and values:
                        suspicious = [value for value in values if isinstance(value, str) and _is_suspicious(value)]
                        self._constant(node.target.id, (suspicious or values)[0])
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    given = [*node.args.posonlyargs, *node.args.args]
                    for argument, default in zip(reversed(given), reversed(node.args.defaults), strict=False):
                        self._constant(argument.arg, self.folder.fold(default))
                    for argument, preset in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=False):
                        self._constant(argument.arg, self.folder.fold(preset))
                case ast.Call():
                    self._bind_arguments(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(one, other)
            return
        if not isinstance(target, ast.Name | ast.Attribute):
            return
        name = target.id if isinstance(target, ast.Name) else ast.unparse(target)
        found = self.folder.fold(value)
        if found is not None:
            self._constant(name, found)
            return
        if isinstance(value, ast.Call | ast.Attribute | ast.Name | ast.Await | ast.Subscript):
            dotted = self.dotted(value)
            root = dotted.split(".")[0].split("(")[0]
            is_named = isinstance(value, ast.Call) or "." in dotted
            if dotted and dotted != name and root != name and is_named and len(dotted) < 300:
                self.aliases[name] = dotted

    def _constant(self, name: str, value: Any) -> None:
        before = self.folder.names.get(name)
        if value is None or (isinstance(before, str) and _is_suspicious(before)):
            return
        self.folder.names[name] = value

    def _bind_arguments(self, call: ast.Call) -> None:
        """Constants that are given to functions of this program are values of their parameters."""
        if not isinstance(call.func, ast.Name):
            return
        function = self._functions.get(call.func.id)
        if function is None:
            return
        names = [argument.arg for argument in function.args.args]
        given = [*zip(names, call.args, strict=False), *((key.arg, key.value) for key in call.keywords if key.arg)]
        for name, value in given:
            self._constant(name, self.folder.fold(value))

    @property
    def _functions(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        if not hasattr(self, "_found_functions"):
            self._found_functions = {
                node.name: node
                for node in ast.walk(self.tree)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }
        return self._found_functions

    # --- calls ---

    def _collect(self, node: ast.AST, *, dead: bool) -> None:
        stack: list[tuple[ast.AST, bool]] = [(node, dead)]
        while stack:
            current, is_dead = stack.pop()
            if isinstance(current, ast.Call):
                self.calls.append((current, is_dead))
            if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                is_special = current.name.startswith("__") or current.decorator_list
                is_dead = is_dead or (not is_special and current.name not in self.facts.used)
            if isinstance(current, ast.If) and isinstance(current.test, ast.Constant) and not current.test.value:
                stack += [(child, is_dead) for child in current.orelse]
                continue
            stack += [(child, is_dead) for child in ast.iter_child_nodes(current)]
        self.calls.sort(key=lambda entry: entry[0].lineno)


def _is_suspicious(text: str) -> bool:
    """Whether a constant is worth keeping although its name gets another value as well."""
    return ("://" in text and destination(text) in (Destination.MODEL, Destination.OUTSIDE)) or bool(outside(text))


def signs(tree: ast.Module, facts: FolderFacts, depth: int = 0) -> Iterator[Sign]:
    """What the calls of a program do against the rules."""
    module = Module(tree, facts)
    for call, is_dead in module.calls:
        for sign in _of_call(module, call, facts, depth):
            weak = Sign(sign.line, sign.rule, Strength.WEAK, f"{sign.message} Nothing calls it.", sign.quotation)
            yield weak if is_dead else sign


def _of_call(module: Module, call: ast.Call, facts: FolderFacts, depth: int) -> Iterator[Sign]:
    name = module.dotted(call.func)
    line, strong = call.lineno, Strength.STRONG
    if known.is_model_call(name):
        local = facts.serves_model and _is_local_client(module, call)
        strength = Strength.WEAK if local or _is_constructor_of_nothing(name) else strong
        yield Sign(
            line, Rule.EXTERNAL_MODEL, strength, f"The program calls {_shown(name)}, a client of language models."
        )
        return
    if name in ("boto3.client", "boto3.resource", "boto3.Session().client"):
        service = module.folder.text(call.args[0]) if call.args else None
        if service and service.startswith("bedrock"):
            yield Sign(line, Rule.EXTERNAL_MODEL, strong, "The program calls models of Amazon Bedrock.")
        elif service:
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, f"The program reaches {service} of Amazon.")
        return
    if known.RUNS_COMMAND.match(name):
        yield from _commands(module, call, facts, depth)
        return
    if name in ("exec", "eval", "compile", "runpy.run_path", "builtins.exec", "builtins.eval", "execfile"):
        yield from _executed(module, call, facts, depth)
        return
    if known.OUTSIDE_DATA.match(name) and not name.startswith("kagglehub.model"):
        if not name.endswith(("authenticate", "KaggleApi")):
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, f"The program gets data by {_shown(name)}.")
        return
    if known.TORCH_DATASETS.match(name):
        wanted = next((key.value for key in call.keywords if key.arg == "download"), None)
        if isinstance(wanted, ast.Constant) and wanted.value is True and not name.endswith(("ImageFolder", "FakeData")):
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, f"The program downloads {_shown(name)}.")
        return
    if known.HUB_DATASETS.match(name):
        which = module.folder.text(call.args[0] if call.args else _keyword(call, "path"))
        if which and which not in known.LOCAL_BUILDERS and not which.startswith((".", "/")) and UNKNOWN not in which:
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, f"The program downloads the data set {which}.")
        return
    if known.HUB_FILES.match(name):
        if module.folder.text(_keyword(call, "repo_type")) == "dataset":
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, "The program downloads a data set.")
        return
    yield from _reached(module, call, name, facts)


def _reached(module: Module, call: ast.Call, name: str, facts: FolderFacts) -> Iterator[Sign]:
    """Addresses and files that a call names."""
    line, strong = call.lineno, Strength.STRONG
    texts = list(_texts(module, call))
    is_network = bool(known.NETWORK.match(name) or known.SOCKETS.match(name))
    is_reader = bool(known.READERS.search(name))
    says = bool(known.SAYS.search(name)) and not is_network
    found = [address for text in texts for address in addresses_in(text)]
    if is_network and not found:
        found = [text for text in texts if _HOST.fullmatch(text.strip())]
    places = [destination(address) for address in found]
    if Destination.MODEL in places and not says and not (facts.serves_model and _all_local(found)):
        yield Sign(
            line, Rule.EXTERNAL_MODEL, strong, "The program calls a language model by its address.", _first(found)
        )
        return
    if Destination.OUTSIDE in places and (is_network or is_reader) and not _only_parses(name):
        outer = next(address for address, place in zip(found, places, strict=True) if place is Destination.OUTSIDE)
        if not _finds_own_address(outer, call):
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, f"The program reaches {outer}.", None)
        return
    if is_network and not any(places):
        written = ast.unparse(call)
        keys = [text for text in texts if text.startswith("${")]
        if (
            _posts_conversation(module, call)
            or any(known.names_model_key(key) for key in keys)
            or (known.names_model_key(written) and "os." in written)
        ):
            yield Sign(line, Rule.EXTERNAL_MODEL, strong, "The program sends messages to a model.")
        return
    if not says and (is_reader or known.OPENERS.search(name)):
        yield from _files(module, call, name, texts, facts)


def _files(module: Module, call: ast.Call, name: str, texts: list[str], facts: FolderFacts) -> Iterator[Sign]:
    if name.endswith("open") and _mode(module, call).startswith(("w", "a", "x")):
        return
    own = module.folder.text(call)  # a path that is put together: os.path.join, Path
    if isinstance(call.func, ast.Attribute) and (receiver := module.folder.text(call.func.value)) is not None:
        texts = [receiver, *texts]
    for text in [*texts, *([own] if own else [])]:
        why = outside(text)
        if why == "answers" and text.rsplit("/", 1)[-1] in facts.written:
            continue  # its own file of that name
        if why:
            yield Sign(call.lineno, Rule.OUTSIDE_RESOURCES, Strength.STRONG, f"The program reads {why}: {text[:200]}.")
            return


def _commands(module: Module, call: ast.Call, facts: FolderFacts, depth: int) -> Iterator[Sign]:
    for argument in [
        *call.args,
        *(key.value for key in call.keywords if key.arg in ("args", "cmd", "command", "input")),
    ]:
        value = module.folder.fold(argument)
        if isinstance(value, list):
            words = [UNKNOWN if word is None else str(word) for word in value]
            shell = (
                len(words) > 2 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1] in ("-c", "-lc")
            )
            is_python = len(words) > 2 and "python" in words[0] + UNKNOWN and words[1] == "-c"
            if (is_python or (len(words) > 2 and words[0] == UNKNOWN and words[1] == "-c")) and depth < _DEEPEST_EXEC:
                yield from _parsed(words[2], call.lineno, facts, depth)
                continue
            value = words[2] if shell else " ".join(words)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str):
            continue
        reading = read_shell(value)
        for sign in reading.signs:
            yield Sign(call.lineno, sign.rule, sign.strength, sign.message, sign.quotation)
        for _, program in reading.programs:
            if depth < _DEEPEST_EXEC:
                yield from _parsed(program, call.lineno, facts, depth)


def _executed(module: Module, call: ast.Call, facts: FolderFacts, depth: int) -> Iterator[Sign]:
    if not call.args or depth >= _DEEPEST_EXEC:
        return
    text = module.folder.text(call.args[0])
    if text is None:
        inner = call.args[0]
        while isinstance(inner, ast.Call) and not (isinstance(inner.func, ast.Name) and inner.func.id == "open"):
            inner = inner.func.value if isinstance(inner.func, ast.Attribute) else inner.args[0] if inner.args else call
            if inner is call:
                return
        path = module.folder.text(inner.args[0]) if isinstance(inner, ast.Call) and inner.args else None
        text = facts.texts.get((path or "").rsplit("/", 1)[-1])
    if text:
        yield from _parsed(text, call.lineno, facts, depth)


def _parsed(text: str, line: int, facts: FolderFacts, depth: int) -> Iterator[Sign]:
    """What a program in a text does, on the line of the call that runs it."""
    tree = python_tree(text)
    for sign in () if tree is None else signs(tree, facts, depth + 1):
        yield Sign(line, sign.rule, sign.strength, f"{sign.message} It is in a text that is executed.", sign.quotation)


def _texts(module: Module, call: ast.Call) -> Iterator[str]:
    for argument in [*call.args, *(key.value for key in call.keywords)]:
        node = argument.value if isinstance(argument, ast.Starred) else argument
        value = module.folder.fold(node)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, bytes):
                part = part.decode("utf-8", "replace")
            if isinstance(part, str):
                yield part
        if isinstance(node, ast.Dict):
            yield from (text for entry in node.values if (text := module.folder.text(entry)))


def _posts_conversation(module: Module, call: ast.Call) -> bool:
    """Whether a request has the form of those to language models: a model and messages or a prompt."""
    for key in call.keywords:
        if key.arg not in ("json", "data", "content", "body"):
            continue
        node: ast.AST | None = key.value
        if isinstance(node, ast.Name):
            wanted = node.id
            node = next(
                (
                    assigned.value
                    for assigned in ast.walk(module.tree)
                    if isinstance(assigned, ast.Assign)
                    and any(isinstance(target, ast.Name) and target.id == wanted for target in assigned.targets)
                ),
                None,
            )
        if node is None:
            continue
        keys = {
            name.value
            for entry in ast.walk(node)
            if isinstance(entry, ast.Dict)
            for name in entry.keys
            if isinstance(name, ast.Constant)
        }
        if "messages" in keys or {"model", "prompt"} <= keys:
            return True
    return False


def _is_local_client(module: Module, call: ast.Call) -> bool:
    address = module.folder.text(_keyword(call, "base_url"))
    return address is None or _all_local([address])


def _all_local(found: list[str]) -> bool:
    return all("localhost" in address or "127.0.0.1" in address or "0.0.0.0" in address for address in found)


def _is_constructor_of_nothing(name: str) -> bool:
    """Whether a call of such a module cannot reach a model, such as counting tokens or setting a key."""
    return name.endswith((".api_key", ".encoding_for_model", ".get_encoding", ".token_counter", ".set_verbose"))


def _only_parses(name: str) -> bool:
    return name.startswith("urllib.parse") or name.endswith((".Timeout", ".HTTPAdapter", ".Retry", ".mount"))


def _finds_own_address(address: str, call: ast.Call) -> bool:
    """Whether a connection only tells a program its own address, as one to a name server does."""
    return address in ("8.8.8.8", "1.1.1.1") and isinstance(call.func, ast.Attribute) and call.func.attr == "connect"


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((key.value for key in call.keywords if key.arg == name), None)


def _mode(module: Module, call: ast.Call) -> str:
    is_method = isinstance(call.func, ast.Attribute) and not module.dotted(call.func).startswith(
        ("io.", "codecs.", "gzip.")
    )
    place = 0 if is_method else 1
    node = _keyword(call, "mode") or (call.args[place] if len(call.args) > place else None)
    return module.folder.text(node) or "r"


def _first(found: list[str]) -> str | None:
    return next((address for address in found if destination(address) is Destination.MODEL), None)


def _shown(name: str) -> str:
    return name.replace("()", "")[:80]
