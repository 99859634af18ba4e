"""The methods of Model that add joints, forces, events and constraints, from the program's own tables
of fields: names, order, units and defaults are those of model files."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List

from . import _koppel
from ._callbacks import Callback
from ._document import caller, plain
from ._handles import Element

_METHODS = {"events": "event", "constraints": "constraint", "couplings": "coupling"}
_ENDS = ("first", "second")
_AT_START = ("start", "rate", "near")
_OF_CALLS = ("call", "reads")


def method_name(table: Dict[str, Any]) -> str:
    section = table["section"]
    if section in ("joints", "forces"):
        return table["type"].replace("-", "_")
    return _METHODS.get(section, section)


def has_ends(table: Dict[str, Any]) -> bool:
    return any(field["kind"] == "ends" for field in table["fields"])


def measures(table: Dict[str, Any]) -> List[str]:
    """What ``start`` and ``rate`` are of: the coordinates that the joint can be driven in."""
    units = {f["key"]: f["unit"] for f in table["fields"] if f["kind"] == "joint-value"}
    if "zero" in units:
        return [{"rad": "angle", "m": "position"}[unit] for unit in units["zero"].split(", ")]
    return ["length"] if units else []


def parameters(table: Dict[str, Any]) -> List[inspect.Parameter]:
    """Of the method, after ``self``: what must be given by position too, the rest by name."""
    Parameter = inspect.Parameter
    either, by_name = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    out = [Parameter("name", either)]
    if has_ends(table):
        out += [Parameter(end, either, default=None) for end in _ENDS]
    required = [f["key"] for f in table["fields"] if not f["unless_given"] and f["kind"] != "ends"]
    out += [Parameter(key, by_name if has_ends(table) else either) for key in required]
    out += [Parameter(f["key"], by_name, default=None) for f in table["fields"] if f["key"] not in required]
    if measures(table):
        out += [Parameter(key, by_name, default=None) for key in _AT_START]
    if table["section"] == "events":
        out += [Parameter(key, by_name, default=None) for key in _OF_CALLS]
    return out


def document_text(table: Dict[str, Any]) -> str:
    what = {"joints": "joint", "forces": "force"}.get(table["section"], "")
    text = table["text"][0].upper() + table["text"][1:]
    lines = [f"Adds a {table['type']} {what}".rstrip() + f". {text}"
             + ("" if table["in_plane"] else " (not in the plane)") + ".", "", "Args:"]
    if has_ends(table):
        lines.append("    first, second: its ends, bodies or points of them; or both as `between`")
    for field in table["fields"]:
        words = " or ".join(repr(word) for word in field["words"])
        rest = [words] if words else []
        rest += [field["unit"]] if field["unit"] else []
        rest += [f"default: {field['unless_given']}"] if field["unless_given"] else []
        lines.append(f"    {field['key']}: {field['text']}" + "".join(f"; {part}" for part in rest))
    if measures(table):
        what = " and ".join(measures(table))
        lines += [f"    start, rate: {what} and its rate at the start, exactly",
                  f"    near: {what} at the start, as near as the mechanism allows"]
    if table["section"] == "events":
        lines += ["    call: a function that is called when it happens, with the time and the values of `reads`;",
                  "        it gives values of states ({'F': 3}), False to end the run, or None",
                  "    reads: what it gets, before the event changes it: expressions or names; default: nothing"]
    return "\n".join(lines)


def _misspelt(method: str, given: str, known: List[str]) -> TypeError:
    meant = _koppel.suggest(given, known)
    return TypeError(f"{method}() has no argument '{given}'; "
                     + (f"did you mean '{meant}'?" if meant else f"it has: {', '.join(known)}"))


def _add_start(model, name: str, table: Dict[str, Any], given: Dict[str, Any]) -> None:
    for key, quote, is_wish in (("start", "", False), ("near", "", True), ("rate", "'", False)):
        value = given.pop(key, None)
        if value is None:
            continue
        of = measures(table)
        values = value if isinstance(value, dict) else {of[0]: value}
        for member, number in values.items():
            model.initial(f"{name}.{member}{quote}", number, wish=is_wish)


def make_method(table: Dict[str, Any]) -> Callable[..., Element]:
    method = method_name(table)
    section = table["section"]
    signature = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *parameters(table)])
    known = [p for p in signature.parameters if p != "self"]

    def add(self, *args, **kwargs) -> Element:
        for key in kwargs:
            if key not in signature.parameters:
                raise _misspelt(method, key, known)
        try:
            given = dict(signature.bind(self, *args, **kwargs).arguments)
        except TypeError as error:
            raise TypeError(f"{method}(): {error}") from None
        name = given.pop("name")
        del given["self"]
        ends = [given.pop(end, None) for end in _ENDS] if has_ends(table) else []
        if any(end is not None for end in ends):
            if "between" in given:
                raise TypeError(f"{method}(): the ends are given twice, by position and as 'between'")
            if None in ends:
                raise TypeError(f"{method}() needs two ends; one is given")
            given["between"] = ends
        call, reads = (given.pop(key, None) if section == "events" else None for key in _OF_CALLS)
        starts = {key: given.pop(key) for key in _AT_START if key in given and measures(table)}
        entry = {} if section not in ("joints", "forces") else {"type": table["type"]}
        entry.update({key: value for key, value in given.items() if value is not None})
        self._add(section, name, entry, caller())
        _add_start(self, name, table, starts)
        if call is not None:
            self._callbacks[name] = Callback(call, tuple(str(plain(read)) for read in reads or ()))
        return Element(self, name)

    add.__name__ = method
    add.__qualname__ = f"Model.{method}"
    add.__doc__ = document_text(table)
    add.__signature__ = signature.replace(return_annotation=Element)  # type: ignore[attr-defined]
    return add

