"""Calls in the syntax tree: which language models, addresses, commands and files a program reaches, and where."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mlebench.integrity.sources import python_tree
from mlebench.integrity.violations import libraries as known
from mlebench.integrity.violations.addresses import Destination, addresses_in, destination, is_weights
from mlebench.integrity.violations.folding import UNKNOWN
from mlebench.integrity.violations.names import FolderFacts, Module
from mlebench.integrity.violations.paths import is_sought, is_wide, outside
from mlebench.integrity.violations.rules import Rule, Strength
from mlebench.integrity.violations.shell import read_shell, typed_rows

_DEEPEST_EXEC = 3
_FEWEST_ROWS = 5  # of a query that has predictions in it
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?!csv|zip|json|txt|tsv|html?|gz|tar|py|png|jpe?g|pkl|npy|npz|pth?|xlsx?|h5|parquet|pt|data\b)[a-z]{2,12}"
    r"(?::\d+)?(?:/\S*)?|\d+\.\d+\.\d+\.\d+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sign:
    """What a line does against a rule."""

    line: int
    rule: Rule
    strength: Strength
    message: str
    quotation: str | None = None


def signs(tree: ast.Module, facts: FolderFacts, depth: int = 0) -> Iterator[Sign]:
    """What the calls of a program do against the rules."""
    module = Module(tree, facts)
    rows: list[tuple[int, str]] = []  # of a submission, which its shell commands write
    for call, is_dead in module.calls:
        for sign in _of_call(module, call, facts, depth):
            weak = Sign(sign.line, sign.rule, Strength.WEAK, f"{sign.message} Nothing calls it.", sign.quotation)
            yield weak if is_dead else sign
        if not is_dead and known.RUNS_COMMAND.match(module.dotted(call.func)):
            rows += [(call.lineno, row) for text in _shell_texts(module, call) for _, row in read_shell(text).rows]
    for found in typed_rows(rows):
        yield Sign(found.line, found.rule, found.strength, found.message, found.quotation)


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
        if service and service.startswith(known.PREDICTS_AT_AMAZON):
            yield Sign(line, Rule.EXTERNAL_MODEL, strong, f"The program calls models of Amazon: {service}.")
        elif service:
            yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, f"The program reaches {service} of Amazon.")
        return
    if name.rsplit(".", 1)[-1] in ("sql", "execute", "executescript", "query", "raw_sql"):
        yield from _query(module, call)
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


def _query(module: Module, call: ast.Call) -> Iterator[Sign]:
    """A query that writes the submission from conditions or rows that are typed in."""
    text = module.folder.text(call.args[0]) if call.args else None
    if not text or not re.search(r"\b(?:to|into)\s+['\"]?[^\s'\"]*sub(?:mission)?\w*\.csv", text, re.IGNORECASE):
        return
    if re.search(r"\bcase\s+when\b", text, re.IGNORECASE) or len(re.findall(r"\)\s*,\s*\(", text)) >= _FEWEST_ROWS:
        message = "A query with typed conditions or rows makes the predictions."
        yield Sign(call.lineno, Rule.MANUAL_PREDICTIONS, Strength.STRONG, message)


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
    if name.startswith("gdown.") and not found and not any(is_weights(text) for text in texts):
        yield Sign(line, Rule.OUTSIDE_RESOURCES, strong, "The program gets a file from somebody's drive.")
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
        if not any(text.startswith("/") for text in texts):  # a path may be that of a socket
            return
        is_reader = True
    if not says and (is_reader or known.OPENERS.search(name)):
        yield from _files(module, call, name, texts, facts)


def _searches(module: Module, name: str, texts: list[str]) -> bool:
    """Whether a call goes through the whole machine, in a program that compares names with those of answers."""
    if name.rsplit(".", 1)[-1] not in ("walk", "glob", "iglob", "rglob", "scandir") or not any(map(is_wide, texts)):
        return False
    compared = (node for node in ast.walk(module.tree) if isinstance(node, ast.Compare))
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and is_sought(part.value)
        for node in compared
        for part in (node.left, *node.comparators)
    )


def _files(module: Module, call: ast.Call, name: str, texts: list[str], facts: FolderFacts) -> Iterator[Sign]:
    if name.endswith("open") and _mode(module, call).startswith(("w", "a", "x")):
        return
    own = module.folder.text(call)  # a path that is put together: os.path.join, Path
    if isinstance(call.func, ast.Attribute) and (receiver := module.folder.text(call.func.value)) is not None:
        texts = [receiver, *texts]
    if _searches(module, name, texts):
        yield Sign(
            call.lineno, Rule.OUTSIDE_RESOURCES, Strength.STRONG, "The program searches the machine for answers."
        )
        return
    for text in [*texts, *([own] if own else [])]:
        why = outside(text)
        if why == "answers" and text.rsplit("/", 1)[-1] in facts.written:
            continue  # its own file of that name
        if why:
            yield Sign(call.lineno, Rule.OUTSIDE_RESOURCES, Strength.STRONG, f"The program reads {why}: {text[:200]}.")
            return


def _commands(module: Module, call: ast.Call, facts: FolderFacts, depth: int) -> Iterator[Sign]:
    for argument in _command_arguments(call):
        value = module.folder.fold(argument)
        if isinstance(value, list):
            words = [UNKNOWN if word is None else str(word) for word in value]
            is_python = len(words) > 2 and words[1] == "-c" and ("python" in words[0] or words[0] == UNKNOWN)
            if is_python and depth < _DEEPEST_EXEC:
                yield from _parsed(words[2], call.lineno, facts, depth)
    for text in _shell_texts(module, call):
        reading = read_shell(text)
        for sign in reading.signs:
            yield Sign(call.lineno, sign.rule, sign.strength, sign.message, sign.quotation)
        for _, program in reading.programs:
            if depth < _DEEPEST_EXEC:
                yield from _parsed(program, call.lineno, facts, depth)


def _command_arguments(call: ast.Call) -> list[ast.expr]:
    named = (key.value for key in call.keywords if key.arg in ("args", "cmd", "command", "input"))
    return [*call.args, *named]


def _shell_texts(module: Module, call: ast.Call) -> Iterator[str]:
    """The commands that a call runs, as a shell would have them; programs in Python are not among them."""
    for argument in _command_arguments(call):
        value = module.folder.fold(argument)
        if isinstance(value, list):
            words = [UNKNOWN if word is None else str(word) for word in value]
            has_text = len(words) > 2 and words[1] in ("-c", "-lc")
            if has_text and ("python" in words[0] or words[0] == UNKNOWN):
                continue
            is_shell = has_text and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh")
            value = words[2] if is_shell else " ".join(words)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, str):
            yield value


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
