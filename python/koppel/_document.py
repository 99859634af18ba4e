"""A model as a document of the model format: mappings, lists, numbers and texts, with the line of the
script that each entry comes from."""

from __future__ import annotations

import json
import linecache
import os
import re
import sys
from types import FrameType
from typing import Any, Dict, List, Optional, Tuple

from ._errors import Diagnostic, Error, error
from ._koppel import Expr as _Expr

Place = Tuple[str, int]

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*$")  # needs no quotes in YAML
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")


def caller() -> Optional[Place]:
    """The line of the first frame that is not of this package."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if os.path.dirname(os.path.abspath(file)) != _PACKAGE:
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def plain(value: Any) -> Any:
    """A value as it stands in a document: what has a text is that text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if hasattr(value, "_in_document"):
        return value._in_document()
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # of numpy
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (int, float)):
        return value
    if callable(value) and not isinstance(value, _Expr):
        raise error("python.wrong-option", "a Python function stands where a number or an expression is expected.",
                    "Write the law as an expression, or sample it: F = m.callback(\"F\", function, every=0.01).")
    return str(value)  # an expression


def _text(value: str) -> str:
    if (_PLAIN.match(value) and value.lower() not in _WORDS) or _NUMBER.match(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any) -> str:
    """A value in one line of YAML."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value) if value.lower() not in ("true", "false") else value.lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(flow(item) for item in value) + "]"


def write(document: Dict[str, Any], places: Dict[Tuple[str, str], Place]) -> Tuple[str, List[Optional[Place]]]:
    """The text of a document, and for each of its lines where it comes from."""
    lines: List[str] = []
    origins: List[Optional[Place]] = []

    def add(line: str, key: Tuple[str, str]) -> None:
        lines.append(line)
        origins.append(places.get(key))

    for section, content in document.items():
        if isinstance(content, dict) and content and section != "run":
            add(f"{_text(section)}:", (section, ""))
            for name, entry in content.items():
                add(f"  {_text(str(name))}: {flow(entry)}", (section, str(name)))
        elif content is not None and content != {}:
            add(f"{_text(section)}: {flow(content)}", (section, ""))
    return "\n".join(lines) + "\n", origins


def numbers(value: Any) -> Any:
    """A document as it was read, its texts that are numbers as numbers."""
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    if isinstance(value, str) and _NUMBER.match(value):
        return int(value) if re.match(r"[-+]?\d+$", value) else float(value)
    if value in ("true", "false"):
        return value == "true"
    return value


def relocated(error: Error, file: str, origins: List[Optional[Place]]) -> Error:
    """The error with lines of the script in place of those of the text that was made of it."""
    diagnostics = []
    for d in error.diagnostics:
        origin = origins[d.line - 1] if d.file == file and 0 < d.line <= len(origins) else None
        if origin:
            line = linecache.getline(*origin).strip()
            d = Diagnostic(d.id, d.text, d.advice, *origin, 0, line, d.subject)
        elif d.file == file:
            d = Diagnostic(d.id, d.text, d.advice, subject=d.subject)
        diagnostics.append(d)
    return Error(diagnostics)
