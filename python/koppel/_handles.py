"""What a model's parts are known by while it is built: bodies, points, joints and forces."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from . import _koppel
from ._koppel import Expr

_OF_BODIES = ("x", "y", "z", "angle", "roll", "pitch", "yaw", "rx", "ry", "rz", "wx", "wy", "wz")
_OF_ELEMENTS = ("angle", "position", "length", "s")


def _no_attribute(owner: str, name: str, known) -> AttributeError:
    meant = _koppel.suggest(name, list(known))
    hint = f"; did you mean '{meant}'?" if meant else f"; there are: {', '.join(known)}"
    return AttributeError(f"{owner} has no '{name}'{hint}")


class Handle:
    """Something of a model by its name."""

    def __init__(self, model, name: str):
        self._model, self._name = model, name

    @property
    def name(self) -> str:
        """As in the model."""
        return self._name

    def _in_document(self) -> Any:
        return self._name

    def _symbol(self, member: str) -> Expr:
        return self._model._graph.symbol(f"{self._name}.{member}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} '{self._name}'>"


class Point(Handle):
    """A point of a body. ``x``, ``y``, ``z`` are its world coordinates, where it has a name."""

    def __init__(self, model, name: str, body: str = "", at: Tuple[Any, ...] = ()):
        super().__init__(model, name)
        self._body, self._at = body, at

    def _in_document(self) -> Any:
        return self._name or {self._body: list(self._at)}

    def _coordinate(self, axis: str) -> Expr:
        if not self._name:
            raise AttributeError(f"this point of '{self._body}' has no name; give it one, as in "
                                 f"{self._body}.point(..., name='tip')")
        return self._symbol(axis)

    @property
    def x(self) -> Expr:
        """Its world coordinate x."""
        return self._coordinate("x")

    @property
    def y(self) -> Expr:
        """Its world coordinate y."""
        return self._coordinate("y")

    @property
    def z(self) -> Expr:
        """Its world coordinate z."""
        return self._coordinate("z")

    def __repr__(self) -> str:
        return f"<point '{self._name}'>" if self._name else f"<point {self._at} of '{self._body}'>"


class Body(Handle):
    """A body; as a place, its origin.

    Named points are attributes (``rod.end``), and so is what can be observed: ``x y z`` of its origin,
    in the plane ``angle``, in space ``roll pitch yaw`` and ``rx ry rz``, and ``wx wy wz``.
    """

    def point(self, *at: Any, name: str = "") -> Point:
        """A point in the body frame, under a name where one is given.

        >>> import koppel as kp
        >>> m = kp.Model(dimension=2)
        >>> m.ground.point(1, 0, name="D")
        <point 'ground.D'>
        """
        if len(at) == 1 and not isinstance(at[0], (int, float, str, Expr)):
            at = tuple(at[0])
        if not name:
            return Point(self._model, "", self._name, at)
        entry = self._model._entry("bodies", self._name)
        entry.setdefault("points", {})[name] = self._model._plain(list(at))
        return Point(self._model, f"{self._name}.{name}")

    def _points(self) -> Dict[str, Any]:
        entry = self._model.document.get("bodies", {}).get(self._name)
        return entry.get("points") or {} if isinstance(entry, dict) else {}

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._points():
            return Point(self._model, f"{self._name}.{name}")
        if name in _OF_BODIES:
            return self._symbol(name)
        raise _no_attribute(f"body '{self._name}'", name, (*self._points(), *_OF_BODIES))

    def __dir__(self):
        return [*super().__dir__(), *self._points(), *_OF_BODIES]


class Element(Handle):
    """A joint or a force. What can be observed of it is an attribute: ``angle``, ``position``,
    ``length``, and ``s`` of a cam."""

    def __getattr__(self, name: str) -> Expr:
        if name in _OF_ELEMENTS:
            return self._symbol(name)
        if name.startswith("_"):
            raise AttributeError(name)
        raise _no_attribute(f"'{self._name}'", name, _OF_ELEMENTS)

    def __dir__(self):
        return [*super().__dir__(), *_OF_ELEMENTS]


class Part(Handle):
    """A sub-assembly or a signal: everything of it by its name, ``front.wheel.hub.x``."""

    def __getattr__(self, name: str) -> "Part":
        if name.startswith("_"):
            raise AttributeError(name)
        return Part(self._model, f"{self._name}.{name}")

    def __getitem__(self, name: str) -> "Part":
        return Part(self._model, f"{self._name}.{name}")

    @property
    def value(self) -> Expr:
        """As an expression."""
        return self._model._graph.symbol(self._name)


class Table(Handle):
    """A function of one variable, by points. Called, it makes an expression."""

    def __call__(self, x, order: int = 0) -> Expr:
        """Its value at x, or its derivative of an order."""
        return self._model._graph.call_table(self._name, x, order)
