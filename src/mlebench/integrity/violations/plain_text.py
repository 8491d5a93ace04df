"""Code that no parser of ours knows: R, other languages, and Python with mistakes, read line by line as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlebench.integrity.sources import Language, Source
from mlebench.integrity.violations import libraries
from mlebench.integrity.violations.addresses import Destination, addresses_in, destination
from mlebench.integrity.violations.calls import Sign
from mlebench.integrity.violations.paths import outside
from mlebench.integrity.violations.rules import Rule, Strength
from mlebench.integrity.violations.shell import read_shell, typed_rows

_COMMENTS = {".js": "//", ".mjs": "//", ".ts": "//", ".go": "//", ".rs": "//", ".cpp": "//", ".cc": "//", ".c": "//"}
_COMMENTS |= {".java": "//", ".scala": "//", ".kt": "//", ".swift": "//", ".cs": "//", ".cu": "//", ".php": "//"}
_COMMENTS |= {".sql": "--", ".lua": "--", ".hs": "--", ".m": "%"}
_SAYS = re.compile(
    r"^\s*(?:print|cat|message|println!?|console\.log|printf|puts|echo|warning|stop|library|@?info|disp)\s*\(?"
)
_FETCH = re.compile(
    r"\b(?:httr2?::)?(?:GET|POST|PUT|VERB|request|download\.file|read\.csv|read_csv|fread|readLines|url|curl_\w+|getURL|"
    r"source|fromJSON|HTTP\.\w+|Downloads\.download|download|fetch|axios(?:\.\w+)?|http\.\w+|https\.\w+|got|"
    r"http\.Get|http\.Post|reqwest::\w+|LWP::\w+|Net::HTTP|file_get_contents|curl_init|requests?\.\w+|urlopen)\s*\(",
    re.IGNORECASE,
)
_SHELL = re.compile(r"\b(?:system2?|shell|exec|execSync|spawnSync|run|os\.system|qx)\s*\(\s*([\"'])(.*?)\1\s*(?:,|\))")
_MODEL_CLIENTS = re.compile(
    r"\blibrary\((?:openai|chatgpt|ellmer|rollama|gptstudio|tidyllm)\)|\bopenai::|\bcreate_chat_completion\(|"
    r"\bchat_(?:openai|anthropic|claude|google_gemini|groq)\(|new\s+(?:OpenAI|Anthropic|GoogleGenerativeAI)\s*\(|"
    r"\busing\s+OpenAI\b|require\(['\"](?:openai|@anthropic-ai/sdk)['\"]\)|from\s+['\"](?:openai|@anthropic-ai/sdk)['\"]"
)
_PYTHON_CLIENTS = re.compile(
    r"^\s*(?:from|import)\s+(?:openai|anthropic|cohere|groq|mistralai|google\.generativeai|litellm)\b"
)
_IMPORTED = re.compile(
    r"\b(?:import|py_import|pyimport|py_module_import)\(\s*[\"']([\w.]+)[\"']"
)  # Python's, from others
_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_READS = re.compile(
    r"\b(?:read\w*|fread|open|load|file|source|import|scan|unzip|CSV\.\w+|readRDS|vroom)\b", re.IGNORECASE
)
_LITERALS = re.compile(r"\bc\(((?:[^()]|\n)*)\)")
_MODELS = re.compile(
    r"\bpredict\s*\(|randomForest|xgboost|xgb\.|lgb\.|\bglm\(|\blm\(|\btrain\(|ranger|caret|keras|fit!?\(|gbm\(|svm\(|"
    r"glmnet|rpart|mean\s*\(|median\s*\(|MLJ|Flux|DecisionTree|torch",
)
_WRITES = re.compile(
    r"write\.csv|write_csv|fwrite|write\.table|CSV\.write|writeFile|fs\.write|write\s*\(|ofstream|fopen|fprintf|PrintWriter|os\.Create|File::create|>\s*\S+\.csv|sink\("
)
_RULES = re.compile(r"\b(?:ifelse|case_when|if_else|fcase)\s*\(")
_ARRAYS = re.compile(r"[\[{]([^\[\]{}]*)[\]}]")
_FEWEST = 6
_FEWEST_ITEMS = 20  # of an array in another language


def text_signs(source: Source) -> Iterator[Sign]:
    """What a text does against the rules."""
    mark = _COMMENTS.get(source.path.suffix.lower(), "#")
    lines = [_without_comment(line, mark) for line in source.text.split("\n")]
    for number, line in enumerate(lines, start=1):
        if not line.strip() or len(line) > 20_000:
            continue
        yield from _line(source, number, line)
    numbered = [(number, line[:20_000]) for number, line in enumerate(lines, start=1)]
    commands = [(number, found[2]) for number, line in numbered for found in _SHELL.finditer(line)]
    rows = [(number, row) for number, command in commands for _, row in read_shell(command).rows]
    for sign in typed_rows(rows):
        yield Sign(sign.line, sign.rule, sign.strength, sign.message, sign.quotation)
    if source.language is Language.R:
        yield from _typed(lines, _LITERALS, _FEWEST)
    elif "submission" in source.text and source.path.suffix.lower() not in (".py", ".ipynb"):
        yield from _typed(lines, _ARRAYS, _FEWEST_ITEMS)


def can_write(source: Source) -> bool:
    """Whether a text may have written a submission."""
    return bool(_WRITES.search(source.text))


def _without_comment(line: str, mark: str) -> str:
    if mark not in line:
        return line
    quote: str | None = None
    for place, character in enumerate(line[:20_000]):
        if quote is None and character in "\"'":
            quote = character
        elif character == quote:
            quote = None
        elif quote is None and line.startswith(mark, place):
            return line[:place]
    return line


def _line(source: Source, number: int, line: str) -> Iterator[Sign]:
    strong = Strength.STRONG
    if _MODEL_CLIENTS.search(line) or (source.path.suffix == ".py" and _PYTHON_CLIENTS.search(line)):
        yield Sign(number, Rule.EXTERNAL_MODEL, strong, "The program uses a client of language models.")
        return
    if any(libraries.is_model_call(found[1]) for found in _IMPORTED.finditer(line)):
        yield Sign(number, Rule.EXTERNAL_MODEL, strong, "The program imports a client of language models.")
        return
    says = _SAYS.match(line) and not _FETCH.search(line)
    for address in [] if says else addresses_in(line):
        where = destination(address)
        if where is Destination.MODEL:
            yield Sign(number, Rule.EXTERNAL_MODEL, strong, "The program names the address of a language model.")
            return
        if where is Destination.OUTSIDE and _FETCH.search(line):
            yield Sign(number, Rule.OUTSIDE_RESOURCES, strong, f"The program reaches {address}.")
            return
    for found in _SHELL.finditer(line):
        for sign in read_shell(found[2]).signs:
            yield Sign(number, sign.rule, sign.strength, sign.message)
            return
    if _READS.search(line) and not says:
        for found in _QUOTED.finditer(line):
            if why := outside(found[1] or found[2] or ""):
                yield Sign(number, Rule.OUTSIDE_RESOURCES, strong, f"The program reads {why}.")
                return


def _typed(lines: list[str], literals: re.Pattern[str], fewest: int) -> Iterator[Sign]:
    """Tables or rules that become a submission in a program without a model."""
    text = "\n".join(lines)
    if _MODELS.search(text) or not _WRITES.search(text):
        return
    for found in literals.finditer(text):
        values = [
            part
            for part in found[1].split(",")
            if re.match(r"^\s*(?:-?\d+(?:\.\d+)?L?|\"[^\"]*\"|'[^']*'|TRUE|FALSE)\s*$", part)
        ]
        if len(values) >= fewest:
            line = text.count("\n", 0, found.start()) + 1
            message = f"A table of {len(values)} typed values becomes the submission."
            yield Sign(line, Rule.MANUAL_PREDICTIONS, Strength.STRONG, message)
            return
    if rules := _RULES.search(text):
        line = text.count("\n", 0, rules.start()) + 1
        yield Sign(line, Rule.MANUAL_PREDICTIONS, Strength.STRONG, "Rules that are typed in become the submission.")
