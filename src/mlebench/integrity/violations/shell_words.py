"""What a shell makes of words before it runs a command: variables with constant values, decoded texts, printf."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import shlex

_ASSIGNMENT = re.compile(
    r"(?:^|(?<=;)|(?<=&&))\s*(?:(?:export|local|readonly|declare|typeset)\s+(?:-\w+\s+)?)?([A-Za-z_]\w*)="
    r"(?:\"([^\"$`]*)\"|'([^']*)'|([^\s\"'$`;&|()<>]+))(?=\s*(?:$|;|&&|\n))"
)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_DECODED = re.compile(
    r"(?:(?:^|(?<=[|;&(`\n])|(?<=[|;&(`\n] ))"
    r"(?:echo|printf)\s+(?:-\w+\s+)*(?:'%s'\s+)?[\"']?([^\"'|;$`\n]+?)[\"']?\s*\|\s*"
    r"(base64\s+(?:-d|-D|--decode|-di)|rev|xxd\s+-r\s+-p|xxd\s+-p\s+-r|tr\s+[^|)\n]+)"
    r"|(base64\s+(?:-d|-D|--decode|-di)|rev|xxd\s+-r\s+-p)\s*<<<\s*[\"']?([^\"'|$`\n)]+?)[\"']?)(?=\s*(?:$|[|)`;&\n]))"
)
_SUBSTITUTED = re.compile(r"\$\(\s*([^\s$()|`]+)\s*\)|`\s*([^\s$()|`]+)\s*`")
_PLACE = re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?[sdifgeb]")
_LONGEST = 100_000
_LONGEST_VALUE = 2000


def variables_of(command: str) -> dict[str, str]:
    """The variables that a command gives constant values to.

    >>> variables_of("A=x; export OUT='sub.csv'")
    {'A': 'x', 'OUT': 'sub.csv'}
    """
    found = {}
    for match in _ASSIGNMENT.finditer(command[:_LONGEST]):
        value = next((value for value in match.groups()[1:] if value is not None), "")
        if len(value) <= _LONGEST_VALUE:  # one that doubles itself again and again has an end
            found[match[1]] = value
    return found


def expanded(command: str, variables: dict[str, str]) -> str:
    """A command with the values of variables that are known, and with texts that it decodes.

    >>> expanded("curl $(echo bW9jLng= | base64 -d | rev)/$P", {"P": "a"})
    'curl x.com/a'
    """
    command = _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], match[0]), command)
    for _ in range(4 if len(command) < _LONGEST else 0):  # one pipe after the other
        before = command
        command = _DECODED.sub(_decoded, command)
        if command == before:
            break
        command = _SUBSTITUTED.sub(lambda match: match[1] or match[2], command)
        command = re.sub(r"(^|[(\s])([^\s|()'\"]+)(?=\s*\|\s*(?:base64|rev|xxd|tr)\b)", r"\1echo \2", command)
    return command


def _decoded(match: re.Match[str]) -> str:
    text, how = (match[1], match[2]) if match[1] is not None else (match[4], match[3])
    text = text.strip()
    try:
        if how.startswith("base64"):
            return base64.b64decode(text + "==").decode("utf-8").strip()
        if how.startswith("xxd"):
            return bytes.fromhex(text).decode("utf-8").strip()
    except (binascii.Error, ValueError):
        return match[0]
    if how == "rev":
        return text[::-1]
    is_rot13 = re.search(r"A-Za-z['\"]?\s+['\"]?N-ZA-Mn-za-m|a-zA-Z['\"]?\s+['\"]?n-za-mN-ZA-M", how)
    return codecs.decode(text, "rot13") if is_rot13 else match[0]


def printed(arguments: str) -> str:
    """What echo or printf prints for constant arguments; a format is used again until they are used up.

    >>> printed(r"printf '%s,%s\\n' 1 a 2 b").split()
    ['1,a', '2,b']
    """
    try:
        words = shlex.split(arguments[:_LONGEST])
    except ValueError:
        return arguments
    name, words = words[0], [word for word in words[1:] if word not in ("-e", "-n", "-ne", "-en", "--")]
    if name == "echo" or not words:
        return re.sub(r"\\n", "\n", " ".join(words))
    form, values = re.sub(r"\\n", "\n", words[0]), words[1:]
    count = len(_PLACE.findall(form))
    if not count:
        return form
    lines = []
    for begin in range(0, max(len(values), 1), count):
        parts = _PLACE.split(form)
        given = [*values[begin : begin + count], *[""] * count]
        lines.append(parts[0] + "".join(value + part for value, part in zip(given, parts[1:], strict=False)))
    return "".join(lines)
