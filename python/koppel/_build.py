"""Building a model in code: each method adds an entry to the model's document, as a file would have it."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _koppel
from ._callbacks import SLOW, Callback
from ._document import Place, caller, plain
from ._element_methods import ElementMethods
from ._errors import Note, error
from ._handles import Body, Part, Point, Table
from ._koppel import Expr

Number = Union[int, float, str, Expr]


class Builder(ElementMethods):
    """The methods of Model that build. Numbers may be expressions, or texts such as ``"45 deg"``."""

    _graph: Any
    _places: Dict[Tuple[str, str], Place]
    _callbacks: Dict[str, Callback]

    @property
    def document(self) -> Dict[str, Any]:
        raise NotImplementedError

    # What all of them do.

    def _plain(self, value: Any) -> Any:
        return plain(value)

    def _entry(self, section: str, name: str) -> Dict[str, Any]:
        """The entry of a body, made for the ground when it is new."""
        entries = self.document.setdefault(section, {})
        if entries.get(name) is None:
            entries[name] = {}
        return entries[name]

    def _add(self, section: str, name: str, entry: Any, place: Optional[Place]) -> None:
        entries = self.document.setdefault(section, {})
        if isinstance(entries, list):  # a list of names, as in files
            entries = self.document[section] = {item: None for item in entries}
        if name in entries:
            before = self._places.get((section, name))
            where = f", in {before[0]}:{before[1]}" if before else ""
            raise error("model.duplicate-name", f"{section} has '{name}' already{where}.",
                        "Give it another name.", *(place or ("", 0)))
        entries[name] = plain(entry)
        if place:
            self._places[section, name] = place

    def _symbol_of(self, section: str, name: str, entry: Any) -> Expr:
        self._add(section, name, entry, caller())
        return self._graph.symbol(name)

    def _sum(self, section: str, term: Number) -> None:
        before = self.document.get(section)
        text = str(plain(term))
        self.document[section] = text if before is None else f"{before} + {text}"
        if place := caller():
            self._places[section, ""] = place

    # Bodies.

    @property
    def ground(self) -> Body:
        """The body that does not move."""
        return Body(self, "ground")

    def body(self, name: str, *, mass: Optional[Number] = None, com: Any = None, inertia: Any = None,
             density: Optional[Number] = None, point_mass: Optional[Number] = None, shape: Any = None,
             points: Optional[Dict[str, Any]] = None, axes: Optional[Dict[str, Any]] = None,
             position: Any = None, angle: Optional[Number] = None, rotation: Any = None,
             quaternion: Any = None, cardan: Any = None, frame: Any = None) -> Body:
        """Adds a body, with the keys of bodies in model files.

        Args:
            mass, com, inertia: mass (kg), centre of mass (m, in the body frame) and moments about it
                (kg m2): in the plane a number, else three or six
            density, shape: or these, such as ``shape={"box": {"size": [1, 2]}}``
            point_mass: or this: a body without rotation
            points, axes: named points and directions in the body frame
            position, angle, rotation, quaternion, cardan: where the body frame is expected at the start
            frame: points and vectors of the model that the body frame follows from

        >>> import koppel as kp
        >>> m = kp.Model(dimension=2)
        >>> wheel = m.body("wheel", mass=2, inertia=0.1, points={"rim": (0.3, 0)})
        >>> wheel.rim.x
        Expr(wheel.rim.x)
        """
        given = locals()
        keys = ("mass", "com", "inertia", "density", "point_mass", "shape", "points", "axes", "position",
                "angle", "rotation", "quaternion", "cardan", "frame")
        self._add("bodies", name, {key: given[key] for key in keys if given[key] is not None}, caller())
        return Body(self, name)

    def rod(self, name: str, *, mass: Number, length: Number, radius: Optional[Number] = None,
            position: Any = None, angle: Optional[Number] = None, **body: Any) -> Body:
        """Adds a thin homogeneous rod along the x axis of its body, with the points ``start`` and ``end``.

        Other keywords are those of :meth:`body`.
        """
        rest = [0] * (1 if self._is_planar() else 2)
        shape: Dict[str, Any] = {"to": [length, *rest]}
        if radius is not None:
            shape["radius"] = radius
        points = {"start": [0, *rest], "end": [length, *rest], **body.pop("points", {})}
        return self.body(name, mass=mass, shape={"rod": shape}, points=points, position=position,
                         angle=angle, **body)

    def point(self, name: str, start: Any = None, *, moves: Optional[str] = None, given: Any = None) -> Point:
        """Adds a point of the model's own, for frames of bodies: expected at ``start``, or ``given`` by
        others."""
        self._add("points", name, self._own(start, moves, given), caller())
        return Point(self, name)

    def vector(self, name: str, start: Any = None, *, moves: Optional[str] = None, given: Any = None) -> Point:
        """Adds a vector of the model's own, as :meth:`point`."""
        self._add("vectors", name, self._own(start, moves, given), caller())
        return Point(self, name)

    @staticmethod
    def _own(start: Any, moves: Optional[str], given: Any) -> Any:
        if given is not None:
            return {"is": given}
        return start if moves is None else {"start": start, "moves": moves}

    def include(self, name: str, file: str = "", *, urdf: str = "", parameters: Any = None,
                position: Any = None, **placement: Any) -> Part:
        """Adds a sub-assembly of another model file, or the robot of a URDF file; its names get a prefix.

        ``front.wheel`` of what is returned is the wheel of ``front``.
        """
        entry: Dict[str, Any] = {"urdf": urdf} if urdf else {"file": file}
        entry.update({"parameters": parameters, "position": position, **placement})
        self._add("include", name, {k: v for k, v in entry.items() if v is not None}, caller())
        return Part(self, name)

    # Names.

    @property
    def time(self) -> Expr:
        """The time t."""
        return self._graph.symbol("t")

    def parameter(self, name: str, value: Number) -> Expr:
        """Adds a parameter: a number under a name, that runs may change (:attr:`parameters`)."""
        return self._symbol_of("parameters", name, value)

    def input(self, name: str, *, min: Optional[float] = None, max: Optional[float] = None) -> Expr:
        """Adds an input: a force or torque that an actuator applies, with its limits."""
        limits = {key: value for key, value in (("min", min), ("max", max)) if value is not None}
        return self._symbol_of("inputs", name, limits or None)

    def coordinate(self, name: str, start: Optional[Number] = None, *, rate: Optional[Number] = None,
                   fixed: bool = False) -> Expr:
        """Adds a generalised coordinate (a Lagrangian model); its ``.rate`` is its rate.

        >>> import koppel as kp
        >>> m = kp.Model("oscillator")
        >>> x = m.coordinate("x", start=1)
        >>> m.kinetic(x.rate**2 / 2)
        >>> m.potential(2 * kp.pi**2 * x**2)
        >>> run = m.simulate(end=1, tolerance=1e-12)
        >>> round(float(run["x"][-1]), 9)  # after one period
        1.0
        """
        entry = {"start": start, "rate": rate, "fixed": fixed or None}
        given = {key: value for key, value in entry.items() if value is not None}
        return self._symbol_of("coordinates", name, given or None)

    def kinetic(self, energy: Number) -> None:
        """Adds to the kinetic energy, of coordinates and their rates."""
        self._sum("kinetic", energy)

    def potential(self, energy: Number) -> None:
        """Adds to the potential energy."""
        self._sum("potential", energy)

    def dissipation(self, power: Number) -> None:
        """Adds to Rayleigh's dissipation function."""
        self._sum("dissipation", power)

    def generalized_force(self, coordinate: Union[str, Expr], force: Number) -> None:
        """Adds a force on a generalised coordinate."""
        self._add("generalized_forces", str(coordinate), force, caller())

    def state(self, name: str, rate: Optional[Number] = None, *, start: Number = 0) -> Expr:
        """Adds a state x with x' = rate; where that depends on x itself, give it by :meth:`rate_of`."""
        return self._symbol_of("states", name, {"rate": 0 if rate is None else rate, "start": start})

    def callback(self, name: Union[str, Sequence[str]], function: Callable[..., Any], *, every: float,
                 reads: Sequence[Union[str, Expr]] = (), start: float = 0.0) -> Any:
        """Adds a function of Python as a digital controller: it is called every so many seconds, and what it
        gives is held until the next call. The result stands in forces as any expression.

        Slow, and not smooth: the run stops at each call. Where the law is an expression, write it as one.

        Args:
            name: what the function gives; a list of names where it gives several values
            function: called with the time and the values of ``reads``
            every: the sampling period, s
            reads: what it gets: expressions or names of quantities and rates
            start: the value until the first call, which is that at the start of the run

        >>> import koppel as kp, warnings
        >>> warnings.simplefilter("ignore", kp.Note)
        >>> m = kp.Model(gravity=(0, -9.81))
        >>> rod = m.rod("rod", mass=1, length=1, angle="-90 deg")
        >>> pivot = m.revolute("pivot", m.ground, rod.start, zero="-90 deg", start=0.5)
        >>> brake = m.callback("brake", lambda t, rate: -2 * rate, reads=[pivot.angle.rate], every=0.01)
        >>> drive = m.effort("drive", on=pivot.angle, effort=brake)
        >>> bool(abs(m.simulate(end=10)["pivot.angle"][-1]) < 0.1)
        True
        """
        names = [name] if isinstance(name, str) else list(name)
        place = caller()
        for each in names:
            self._add("states", each, {"rate": 0, "start": start}, place)
        texts = tuple(str(plain(read)) for read in reads)
        self._callbacks[names[0]] = Callback(function, texts, float(every), tuple(names))
        warnings.warn(SLOW, Note, stacklevel=2)
        symbols: List[Expr] = [self._graph.symbol(each) for each in names]
        return symbols[0] if isinstance(name, str) else symbols

    def rate_of(self, state: Union[str, Expr], rate: Number) -> None:
        """Gives the rate of a state that is there."""
        entry = self.document.get("states", {}).get(str(state))
        if entry is None:
            raise error("model.unknown-name", f"there is no state '{state}'.", "Add it with state().")
        entry["rate"] = plain(rate)

    def table(self, name: str, x: Sequence[float], y: Sequence[float], *, type: str = "spline",
              outside: Optional[str] = None) -> Table:
        """Adds a function of one variable by points: 'spline', 'linear' or 'held'."""
        entry = {"type": type, "x": x, "y": y, **({"outside": outside} if outside else {})}
        self._add("tables", name, entry, caller())
        table = self.document["tables"][name]
        self._graph.add_table(name, table["x"], table["y"], type)
        return Table(self, name)

    def definition(self, name: str, value: Number) -> Expr:
        """Gives an expression of the motion a name."""
        return self._symbol_of("definitions", name, value)

    def signal(self, name: str, value: Optional[Number] = None, **fields: Any) -> Part:
        """Adds an expression of time under a name, or with ``type=`` a time law or a path.

        >>> import koppel as kp
        >>> m = kp.Model()
        >>> c = m.signal("c", type="rest-to-rest", duration=3)
        >>> line = m.signal("line", type="line", **{"from": [0, 0, 0]}, to=[1, 2, 0], law=c)
        >>> 2 * line.x.value
        Expr(2 * line.x)
        """
        self._add("signals", name, fields if value is None else value, caller())
        return Part(self, name)

    # What is asked of the motion.

    def initial(self, quantity: Union[str, Expr], value: Number, *, wish: bool = False) -> None:
        """Gives a quantity or a rate a value at the start; as a wish, as near as can be."""
        self._add("initial", str(quantity), {"value": value, "wish": True} if wish else value, caller())

    def output(self, name: str, value: Number) -> Expr:
        """Adds a column of the result."""
        self._add("outputs", name, value, caller())
        return value if isinstance(value, Expr) else self._graph.parse(str(value))

    def servo(self, name: str, output: Optional[Number] = None, reference: Any = None, **fields: Any) -> None:
        """Prescribes an output: :meth:`inverse` makes it follow a reference, an expression of time."""
        given = {"output": output, "reference": reference, **fields}
        self._add("servo", name, {k: v for k, v in given.items() if v is not None}, caller())

    def positive(self, name: str, value: Number) -> None:
        """Tells branches apart: what is positive on the one that is meant."""
        self._add("positive", name, value, caller())

    def _is_planar(self) -> bool:
        return str(self.document.get("dimension", 3)) == "2"
