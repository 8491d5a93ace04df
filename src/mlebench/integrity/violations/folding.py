"""The texts that a program builds from constants: joined, reversed, encoded, compressed or formatted.

Nothing of the program is run: expressions are evaluated over constants only, by a list of operations that is here.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mlebench.integrity.violations.statements import returned

UNKNOWN = "\ufffc"  # stands in a text for a part that is not known
_LONGEST = 2_000_000  # characters or items of a value that is built
_DEEPEST = 60
_MOST_STEPS = 20_000  # statements of functions of the program that are followed


OwnFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Folder:
    """Evaluates expressions over constants; `names` are the variables whose values are known."""

    def __init__(self, names: Mapping[str, Any] | None = None, dotted: Callable[[ast.expr], str] | None = None) -> None:
        self.names: dict[str, Any] = dict(names or {})
        self.dotted = dotted or _dotted
        self.functions: dict[str, OwnFunction] = {}  # of the program itself
        self.steps = _MOST_STEPS
        self._depth = 0

    def fold(self, node: ast.expr | None) -> Any:
        """The value of an expression; None where it is not known."""
        if node is None or self._depth > _DEEPEST:
            return None
        self._depth += 1
        try:
            value = self._fold(node)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, LookupError, MemoryError):
            return None
        except (zlib.error, binascii.Error, RecursionError):
            return None
        finally:
            self._depth -= 1
        return None if isinstance(value, str | bytes | list | tuple) and len(value) > _LONGEST else value

    def text(self, node: ast.expr | None) -> str | None:
        """The value of an expression if it is a text, or bytes that are one."""
        value = self.fold(node)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return value if isinstance(value, str) else None

    def _fold(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self.names.get(node.id)
            case ast.Attribute():
                return self.names.get(_dotted(node))
            case ast.List() | ast.Tuple():
                return [self.fold(item) for item in node.elts]
            case ast.JoinedStr():
                return "".join(self._part(part) for part in node.values)
            case ast.BinOp():
                return self._operation(node)
            case ast.UnaryOp(op=ast.USub()):
                return -self.fold(node.operand)
            case ast.BoolOp(op=ast.Or()):
                return next((value for part in node.values if (value := self.fold(part)) is not None), None)
            case ast.IfExp():
                value = self.fold(node.body)
                return value if value is not None else self.fold(node.orelse)
            case ast.Subscript():
                return self._item(node)
            case ast.GeneratorExp() | ast.ListComp():
                return self._comprehension(node)
            case ast.NamedExpr():
                return self.fold(node.value)
            case ast.Call():
                return self._call(node)
            case ast.Await():
                return self.fold(node.value)
        return None

    def _part(self, part: ast.expr) -> str:
        if isinstance(part, ast.FormattedValue):
            value = self.fold(part.value)
            return UNKNOWN if value is None else str(value)
        return str(self.fold(part))

    def _operation(self, node: ast.BinOp) -> Any:
        left, right = self.fold(node.left), self.fold(node.right)
        if isinstance(node.op, ast.Add):
            if isinstance(left, str) or isinstance(right, str):
                known = isinstance(left, str | None) and isinstance(right, str | None)
                return f"{UNKNOWN if left is None else left}{UNKNOWN if right is None else right}" if known else None
            return None if left is None or right is None else left + right
        if isinstance(node.op, ast.Div) and (isinstance(left, str) or isinstance(right, str)):  # of paths
            return f"{UNKNOWN if left is None else left}/{UNKNOWN if right is None else right}"
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            given = tuple(UNKNOWN if value is None else value for value in right) if isinstance(right, list) else right
            return left % (UNKNOWN if given is None else given)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult) and isinstance(left, str | int | list) and isinstance(right, str | int | list):
            size = len(left) if isinstance(left, str | list) else len(right) if isinstance(right, str | list) else 1
            times = right if isinstance(right, int) else left
            return left * right if isinstance(times, int) and size * abs(times) <= _LONGEST else None  # type: ignore[operator]
        if isinstance(node.op, ast.BitXor):
            return left ^ right
        if isinstance(node.op, ast.Sub):
            return left - right
        return None

    def _item(self, node: ast.Subscript) -> Any:
        name = self.dotted(node.value)
        if name == "os.environ":
            return f"${{{self.text(node.slice) or ''}}}"
        value = self.fold(node.value)
        if value is None:
            return None
        if isinstance(node.slice, ast.Slice):
            cut = slice(self.fold(node.slice.lower), self.fold(node.slice.upper), self.fold(node.slice.step))
            return value[cut]
        return value[self.fold(node.slice)]

    def _comprehension(self, node: ast.GeneratorExp | ast.ListComp) -> Any:
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
            return None
        items = self.fold(node.generators[0].iter)
        if not isinstance(items, list | tuple | str | bytes) or len(items) > 20_000:
            return None
        name, before = node.generators[0].target.id, dict(self.names)
        built = []
        try:
            for item in items:
                self.names[name] = item
                built.append(self.fold(node.elt))
        finally:
            self.names = before
        return built

    def _call(self, node: ast.Call) -> Any:
        name = self.dotted(node.func)
        first = self.fold(node.args[0]) if node.args else None
        if name in ("os.getenv", "os.environ.get"):
            default = self.fold(node.args[1]) if len(node.args) > 1 else None
            default = default or next((self.fold(key.value) for key in node.keywords if key.arg == "default"), None)
            return f"${{{first}}}{default or ''}"
        if name in ("os.path.join", "posixpath.join"):
            parts = [self.fold(part) for part in node.args]
            return "/".join(UNKNOWN if part is None else str(part) for part in parts)
        if name.removesuffix("()").endswith(("Path.home", "Path.cwd", "os.getcwd")):
            return "~" if name.endswith("home") else "."
        if name in _PATHS and node.args:
            parts = [self.fold(part) for part in node.args]
            return "/".join(UNKNOWN if part is None else str(part) for part in parts)
        if name == "map" and len(node.args) == 2:
            return self._mapped(node)
        if name == "print":
            return None
        function = _FUNCTIONS.get(name)
        if function is not None:
            rest = [self.fold(argument) for argument in node.args[1:]]
            return None if first is None else function(first, *rest)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        own = self.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return self._own(own, node) if own is not None else None

    def _own(self, function: OwnFunction, call: ast.Call) -> Any:
        """What a function of the program returns for constants, as far as its statements can be followed."""
        self.steps -= 1
        if self.steps < 0:
            return None
        with self.given(function, call):
            if isinstance(function, ast.Lambda):
                return self.fold(function.body)
            return returned(self, function.body)

    @contextmanager
    def given(self, function: OwnFunction, call: ast.Call) -> Iterator[None]:
        """Within this block the parameters of a function have the values that a call gives them."""
        before = self.names
        names = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
        values = dict(zip(names, (self.fold(argument) for argument in call.args), strict=False))
        values |= {key.arg: self.fold(key.value) for key in call.keywords if key.arg}
        self.names = {**before, **{name: value for name, value in values.items() if value is not None}}
        try:
            yield
        finally:
            self.names = before

    def _mapped(self, node: ast.Call) -> Any:
        items = self.fold(node.args[1])
        function = self.dotted(node.args[0])
        if not isinstance(items, list | tuple | str | bytes) or len(items) > 20_000:
            return None
        if isinstance(node.args[0], ast.Lambda) and len(node.args[0].args.args) == 1:
            name, before, built = node.args[0].args.args[0].arg, dict(self.names), []
            try:
                for item in items:
                    self.names[name] = item
                    built.append(self.fold(node.args[0].body))
            finally:
                self.names = before
            return built
        known = _FUNCTIONS.get(function)
        own = self.functions.get(function)
        if known is None and own is not None:
            return [self._own(own, ast.Call(node.args[0], [ast.Constant(item)], [])) for item in items]
        return [known(item) for item in items] if known else None

    def _method(self, node: ast.Call, function: ast.Attribute) -> Any:
        value = self.fold(function.value)
        given = [self.fold(argument) for argument in node.args]
        if value is None:
            return None
        if function.attr == "join" and isinstance(value, str | bytes) and isinstance(given[0], list | str):
            if isinstance(value, bytes):
                return value.join(given[0])  # type: ignore[arg-type]
            return value.join(UNKNOWN if part is None else str(part) for part in given[0])
        if function.attr == "format" and isinstance(value, str):
            if len(value) > 10_000:
                return value
            named = {key.arg: self.fold(key.value) for key in node.keywords if key.arg}
            values = [UNKNOWN if part is None else part for part in given]
            return value.format(*values, **{key: UNKNOWN if part is None else part for key, part in named.items()})
        if function.attr == "decode" and isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if function.attr == "encode" and isinstance(value, str):
            return value.encode("utf-8")
        if function.attr == "translate":
            return None
        if function.attr in _METHODS and isinstance(value, str | bytes):
            return getattr(value, function.attr)(*given)
        if function.attr in ("expanduser", "resolve", "absolute", "as_posix") and isinstance(value, str):
            return value
        if function.attr == "joinpath" and isinstance(value, str):
            return "/".join([value, *(UNKNOWN if part is None else str(part) for part in given)])
        return None


_METHODS = {"replace", "strip", "lstrip", "rstrip", "lower", "upper", "split", "title", "swapcase", "removeprefix"}
_METHODS |= {"removesuffix", "casefold", "hex", "splitlines"}
_PATHS = {"Path", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "PurePosixPath"}


def _bytes_of(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8")


def _unpacked(data: Any, *_: Any) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(_bytes_of(data), _LONGEST)


def _decoded(value: Any, encoding: Any = "utf-8", *_: Any) -> Any:
    encoding = str(encoding).lower().replace("-", "_")
    if encoding in ("rot13", "rot_13"):
        return codecs.decode(value if isinstance(value, str) else value.decode(), "rot13")
    if encoding in ("hex", "hex_codec"):
        return bytes.fromhex(_bytes_of(value).decode())
    if encoding in ("base64", "base64_codec"):
        return base64.b64decode(_bytes_of(value))
    if encoding == "unicode_escape":
        return codecs.decode(_bytes_of(value), "unicode_escape")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _range(*given: Any) -> list[int] | None:
    numbers = range(*given)
    return list(numbers) if len(numbers) <= 20_000 else None


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "base64.b64decode": lambda value, *_: base64.b64decode(_bytes_of(value) + b"=="),
    "base64.standard_b64decode": lambda value, *_: base64.b64decode(_bytes_of(value) + b"=="),
    "base64.urlsafe_b64decode": lambda value, *_: base64.urlsafe_b64decode(_bytes_of(value) + b"=="),
    "base64.decodebytes": lambda value, *_: base64.b64decode(_bytes_of(value)),
    "base64.b32decode": lambda value, *_: base64.b32decode(_bytes_of(value)),
    "base64.b16decode": lambda value, *_: base64.b16decode(_bytes_of(value), casefold=True),
    "base64.b85decode": lambda value, *_: base64.b85decode(_bytes_of(value)),
    "base64.a85decode": lambda value, *_: base64.a85decode(_bytes_of(value)),
    "bytes.fromhex": lambda value, *_: bytes.fromhex(value),
    "bytearray.fromhex": lambda value, *_: bytes.fromhex(value),
    "binascii.unhexlify": lambda value, *_: bytes.fromhex(_bytes_of(value).decode()),
    "binascii.a2b_hex": lambda value, *_: bytes.fromhex(_bytes_of(value).decode()),
    "binascii.a2b_base64": lambda value, *_: base64.b64decode(_bytes_of(value)),
    "codecs.decode": _decoded,
    "zlib.decompress": _unpacked,
    "gzip.decompress": _unpacked,
    "urllib.parse.unquote": lambda value, *_: __import__("urllib.parse").parse.unquote(value),
    "urllib.parse.urljoin": lambda value, *rest: f"{value.rstrip('/')}/{str(rest[0]).lstrip('/')}" if rest else value,
    "chr": lambda value, *_: chr(value),
    "ord": lambda value, *_: ord(value),
    "str": lambda value, *_: value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value),
    "int": lambda value, *rest: int(value, *rest),
    "bytes": lambda value, *_: bytes(value) if isinstance(value, list | tuple) else _bytes_of(value),
    "bytearray": lambda value, *_: bytes(value) if isinstance(value, list | tuple) else _bytes_of(value),
    "list": lambda value, *_: list(value),
    "tuple": lambda value, *_: list(value),
    "sorted": lambda value, *_: sorted(value),
    "reversed": lambda value, *_: list(reversed(value)),
    "range": _range,
    "len": lambda value, *_: len(value),
    "os.path.expanduser": lambda value, *_: value,
    "os.path.expandvars": lambda value, *_: value,
    "os.path.abspath": lambda value, *_: value,
    "os.path.realpath": lambda value, *_: value,
    "os.fspath": lambda value, *_: value,
    "shlex.split": lambda value, *_: value.split(),
    "textwrap.dedent": lambda value, *_: value,
    "open": lambda value, *_: None,
}


def _dotted(node: ast.expr) -> str:
    """The dotted name of an expression; empty where it is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])
