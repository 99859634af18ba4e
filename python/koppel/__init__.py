"""Koppel models, simulates and controls mechanisms.

    import koppel as kp
    m = kp.Model(gravity=(0, -9.81))
    a = m.rod("upper", mass=1, length=1)
    b = m.rod("lower", mass=1, length=1)
    m.revolute("hip", m.ground, a.start)
    m.revolute("knee", a.end, b.start, start=0.3)
    run = m.simulate(end=10)
    run["knee.angle"]                     # a NumPy array, no copy

A model is built in code (Model), or read: load("crane.yaml"), load("slider_crank") for a built-in one,
Model.from_yaml, Model.from_dict, Model.from_urdf. The same questions can be asked of all:

    m.check()      what it consists of, its freedoms, and any faults
    m.equations()  the equations of motion
    m.simulate()   the motion: a Run, named arrays over time
    m.inverse()    inputs that make outputs follow their references
    m.linearize()  A, B, C, D and modes
    m.compare()    many methods side by side
    m.budget()     what a fixed-cost step costs
    m.sweep()      many variants, by threads or by any executor
    m.export()     C, CUDA, WebAssembly, an FMU, Octave

Lengths are in metres, masses in kilograms, times in seconds, angles in radians. Mistakes are
koppel.Error, with all diagnostics; results that should not be trusted are warned of (koppel.Doubtful).
"""

from __future__ import annotations

import math
import os
from typing import List, Sequence, Union

from . import _koppel
from ._errors import Diagnostic, Doubtful, Error, Failed, Interrupted, Note, UnknownName, error as _error
from ._handles import Body, Element, Part, Point, Table
from ._koppel import (
    Expr,
    Function,
    abs,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    diff,
    equal,
    exp,
    gradient,
    log,
    max,
    min,
    select,
    sign,
    simplify,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from ._model import Model
from ._reports import Budget, Check, Comparison, Equations, Linear, Mode
from ._run import Run
from ._studies import Batch, Fit, Optimum, Sensitivity
from ._sweep import Sweep, sweep

__version__: str = _koppel.version
pi: float = math.pi
deg: float = math.pi / 180  #: a degree, in radians

_free = _koppel.Graph()  # of symbols that belong to no model
_models = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def models() -> List[str]:
    """Names of the built-in models.

    >>> "slider_crank" in models()
    True
    """
    return sorted(name[:-5] for name in os.listdir(_models) if name.endswith(".yaml"))


def load(path: str, **parameters: Union[float, str]) -> Model:
    """A model from a file, or a built-in one by its name; parameters may be given other values.

    >>> load("pendulum", l=0.5).parameters["l"]
    0.5
    """
    file = os.fspath(path)
    if not os.path.isfile(file):
        if file not in models():
            meant = _koppel.suggest(file, models())
            advice = (f"Did you mean the built-in model '{meant}'? koppel.models() lists them." if meant
                      else "Give the path of a model file, or a built-in model: koppel.models() lists them.")
            raise _error("model.no-file", "there is no such file.", advice, file)
        file = os.path.join(_models, file + ".yaml")
    with open(file, encoding="utf-8", errors="surrogateescape") as text:
        content = text.read()
    if file.endswith((".urdf", ".xml")):
        return Model.from_urdf(file)
    model = Model.from_yaml(content, file=file)
    for name, value in parameters.items():
        model.parameters[name] = value
    return model


def symbols(names: str) -> Union[Expr, List[Expr]]:
    """Free names for expressions: ``x, y = symbols("x y")``; one name gives one expression."""
    found = [_free.symbol(name) for name in names.replace(",", " ").split()]
    return found[0] if len(found) == 1 else found


def parse(text: str) -> Expr:
    """The expression that a text says; its names are free ones.

    >>> parse("x^2 + 1")
    Expr(x^2 + 1)
    """
    return _free.parse(text)


def compile(inputs: Union[Expr, Sequence[Expr]], outputs: Union[Expr, Sequence[Expr]], *, native: str = "auto") -> Function:
    """A function of names, as machine code: called with numbers or with arrays, which are broadcast.

    ``f.map(X)`` takes all arguments as one array. ``native="cc"`` uses the C compiler.

    >>> x, y = symbols("x y")
    >>> f = compile([x, y], [sqrt(x**2 + y**2), atan2(y, x)])
    >>> f(3.0, 4.0)[0]
    5.0
    >>> f([3.0, 5.0], [4.0, 12.0])[0].tolist()
    [5.0, 13.0]
    """
    is_single = not isinstance(outputs, Sequence)
    results = outputs if isinstance(outputs, Sequence) else [outputs]
    return _koppel.compile(inputs if isinstance(inputs, Sequence) else [inputs], results, is_single, native)


def coordinates() -> List[str]:
    """Names of the coordinate sets; which of them a model has: ``Model.coordinate_sets``."""
    return ["absolute", "cardan", "joint", "natural", "directors", "lagrange"]


def formulations() -> List[str]:
    """Names of the formulations."""
    return _koppel.formulations()


def integrators() -> List[str]:
    """Names of the integrators.

    >>> "taylor" in integrators()
    True
    """
    return _koppel.integrators()


__all__ = [
    "Batch", "Body", "Budget", "Check", "Comparison", "Diagnostic", "Doubtful", "Element", "Equations", "Error", "Expr",
    "Failed", "Fit", "Function", "Interrupted", "Linear", "Mode", "Model", "Note", "Optimum", "Part", "Point", "Run", "Sensitivity",
    "Sweep", "Table", "UnknownName",
    "acos", "asin", "atan", "atan2", "compile", "coordinates", "cos", "cosh", "deg", "diff", "equal", "exp",
    "formulations", "gradient", "integrators", "load", "log", "models", "parse", "pi", "select", "sign",
    "simplify", "sin", "sinh", "sqrt", "sweep", "symbols", "tan", "tanh",
]
