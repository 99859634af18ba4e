"""Studies of a model: derivatives of runs, optima, parameters from measurements, batches."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _koppel
from ._errors import Diagnostic, Doubtful, Failed, Note, error
from ._reports import Table
from ._sweep import Ranges, Sweep, sweep

Bounds = Tuple[float, float]
Names = Union[str, Sequence[str]]
Controls = Mapping[str, Any]


def _list(names: Names) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _bounded(over: Union[Names, Mapping[str, Optional[Bounds]]]) -> List[Tuple[str, float, float]]:
    """Names with bounds; low above high where there are none."""
    if not isinstance(over, Mapping):
        return [(name, 1.0, 0.0) for name in _list(over)]
    out = []
    for name, bounds in over.items():
        low, high = (float(bound) for bound in bounds) if bounds is not None else (1.0, 0.0)
        if bounds is not None and not low < high:
            raise error("study.bad-range", f"the range of '{name}' is empty: {low:g} is not below {high:g}.",
                        "Give (low, high), or None where there are no bounds.")
        out.append((name, low, high))
    return out


def _controls(controls: Optional[Controls]) -> List[Tuple[str, List[float], List[float], str]]:
    """Inputs with their samples: a number of them, values at equal distances, or (times, values); a parameter that
    they are spread over may stand behind a number or values: (21, 'T')."""
    out = []
    for name, given in (controls or {}).items():
        times, over = [], ""
        if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str):
            given, over = given
        elif isinstance(given, tuple) and len(given) == 2 and np.ndim(given[1]) == 1:
            times, given = [float(t) for t in given[0]], given[1]
        values = np.zeros(given) if isinstance(given, (int, np.integer)) else np.asarray(given, dtype=float)
        out.append((name, [float(x) for x in values], times, over))
    return out


class Sensitivity(Table):
    """Derivatives of criteria by parameters: ``values``, ``derivatives`` (criteria × parameters), ``criteria``,
    ``parameters``; ``s[criterion, parameter]`` is one of them. Where they were asked for, ``second`` (criteria ×
    parameters × parameters) and ``course``, a dictionary of arrays: ``t``, the quantities and ``d(x)/d(a)`` of all."""

    _text = ""

    @property
    def values(self) -> np.ndarray:  # type: ignore[override]
        """Of the criteria."""
        return self["values"]

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return super().__getitem__(key)
        criterion, parameter = key
        row, column = self["criteria"].index(criterion), self["parameters"].index(parameter)
        return float(self["derivatives"][row, column])

    def columns_of_table(self) -> Dict[str, Any]:
        derivatives = {name: self["derivatives"][:, i] for i, name in enumerate(self["parameters"])}
        return {"criterion": self["criteria"], "value": self["values"], **derivatives}

    def __repr__(self) -> str:
        return self._text.rstrip()


class Optimum(Table):
    """The parameters that make a criterion smallest or largest: ``parameters``, ``value``, ``before``, ``after``,
    ``end``, ``is_feasible``, ``remaining_slope`` and, at a kink, ``slope_at_kink``."""

    _text = ""

    @property
    def parameters(self) -> Dict[str, float]:
        """The best values."""
        return self["after"]["parameters"]

    @property
    def value(self) -> float:
        """Of the criterion there."""
        return self["after"]["value"]

    def columns_of_table(self) -> Dict[str, Any]:
        after = self["after"]["parameters"]
        before = self["before"]["parameters"]
        return {"parameter": list(after), "before": [before[name] for name in after], "after": list(after.values())}

    def __repr__(self) -> str:
        return self._text.rstrip()


class Fit(Table):
    """Parameters from measurements: ``values``, ``deviations``, ``covariance``, ``undetermined``, ``columns``."""

    _text = ""

    @property
    def values(self) -> Dict[str, float]:  # type: ignore[override]
        """The fitted values."""
        return {name: entry["value"] for name, entry in self["parameters"].items()}

    @property
    def deviations(self) -> Dict[str, float]:
        """Their standard deviations; infinite where the data do not determine them."""
        return {name: entry["standard_deviation"] if entry["standard_deviation"] is not None else np.inf
                for name, entry in self["parameters"].items()}

    def columns_of_table(self) -> Dict[str, Any]:
        entries = self["parameters"]
        return {"parameter": list(entries), "before": [entry["before"] for entry in entries.values()],
                "value": list(self.values.values()), "standard_deviation": list(self.deviations.values())}

    def __repr__(self) -> str:
        return self._text.rstrip()


class Studies:
    """What a model is asked by many runs, or by derivatives of one."""

    def _ask(self, question: Callable[..., Any], *args: Any) -> Any:
        raise NotImplementedError

    def copy(self) -> Any:
        raise NotImplementedError

    def sensitivity(self, of: Names, over: Names, end: Optional[float] = None, *, mode: str = "auto",
                    second: bool = False, times: Optional[Sequence[float]] = None,
                    controls: Optional[Controls] = None, tolerance: Optional[float] = None,
                    step: Optional[float] = None, coordinates: Optional[str] = None,
                    integrator: Optional[str] = None) -> Sensitivity:
        """Exact derivatives of what a run gives, by parameters and initial values.

        Args:
            of: criteria: 'rod.angle:final', or ':min', ':max', ':mean', ':integral'; 'landing:time' of an event
            over: parameters; 'start.NAME' is the initial value of NAME
            mode: 'forward' (a cost for each parameter), 'adjoint' (for each criterion) or 'auto'
            second: second derivatives too, of values at the end, means and integrals
            times: derivatives of the quantities over time too, at these times
            controls: inputs that are linear between samples F[0], F[1], …, which are parameters: a number of samples,
                their values, (times, values), or (21, 'T') to spread them over the value of a parameter

        >>> import koppel
        >>> s = koppel.load("pendulum").sensitivity("x:final", ["l", "g"], end=1)
        >>> s.derivatives.shape
        (1, 2)
        """
        if mode not in ("auto", "forward", "adjoint"):
            raise error("python.wrong-option", f"`mode = {mode}` is not known.",
                        "It is one of: auto, forward, adjoint.")
        given = {"end": end, "tolerance": tolerance, "step": step, "coordinates": coordinates,
                 "integrator": integrator}
        (status, text, told, criteria, parameters, values, derivatives, is_adjoint, messages, seconds,
         course) = self._ask(_koppel.Model.sensitivity, given, _list(of), _list(over), mode, second,
                             [float(t) for t in times] if times is not None else [], _controls(controls))
        for message in messages:
            warnings.warn(message, Note, stacklevel=2)
        if status not in ("done", "doubtful"):
            raise Failed([Diagnostic("study.failed", text)], None)
        if status == "doubtful":
            warnings.warn(text, Doubtful, stacklevel=2)
        out = Sensitivity(criteria=criteria, parameters=parameters, values=np.array(values),
                          derivatives=derivatives, is_adjoint=is_adjoint)
        if second:
            out["second"] = seconds
        if times is not None:
            out["course"] = course
        out.__dict__["_text"] = told
        return out

    def sweep(self, vary: Union[Ranges, Names, None] = None, outputs: Names = (), **options: Any) -> Sweep:
        """Many variants of the model, a row of numbers each: :func:`koppel.sweep` with this model.

        >>> import koppel
        >>> koppel.load("pendulum").sweep({"l": [1, 2]}, "y:final", end=1)["status"].tolist()
        ['done', 'done']
        """
        return sweep(self, vary, outputs, **options)

    def optimize(self, *, minimize: Names = (), maximize: Names = (), over: Mapping[str, Bounds],
                 subject_to: Names = (), controls: Optional[Controls] = None, end: Optional[float] = None,
                 starts: int = 1, seed: int = 1, evaluations: int = 200, xtol: float = 1e-6,
                 journal: Union[str, "os.PathLike[str]", None] = None, tolerance: Optional[float] = None,
                 step: Optional[float] = None, coordinates: Optional[str] = None,
                 integrator: Optional[str] = None) -> Optimum:
        """The parameters that make a criterion as small, or as large, as possible.

        Args:
            minimize, maximize: a criterion, or several, which are added up
            over: parameters with their bounds: ``{"a": (0.3, 0.5)}``
            subject_to: limits, such as 'rod.angle:max <= 0.5'
            controls: inputs as samples, as for :meth:`sensitivity`; ``"F[*]"`` in ``over`` gives bounds to all of F
            starts: the model's values, and random ones
            xtol: tolerance of the parameters, relative to their ranges
            journal: a file for all runs; an optimisation that was interrupted goes on from what is in it
        """
        if bool(minimize) == bool(maximize):
            raise error("python.wrong-option", "give either `minimize` or `maximize`.")
        given = {"end": end, "tolerance": tolerance, "step": step, "coordinates": coordinates,
                 "integrator": integrator, "starts": starts, "seed": seed, "evaluations": evaluations, "xtol": xtol,
                 "journal": None if journal is None else os.fspath(journal)}
        # Read anew, so that its fingerprint does not depend on what was asked before.
        asked = self if journal is None else self.copy()
        text, found = asked._ask(_koppel.Model.optimize, given, _list(minimize or maximize), bool(maximize),
                                _bounded(over), _list(subject_to), _controls(controls))
        out = Optimum(json.loads(found))
        out.__dict__["_text"] = text
        if "after" not in out:
            raise Failed([Diagnostic("study.no-optimum", f"no run came to its end: {out.get('failure', '')}")], None)
        if out["end"] != "converged":
            warnings.warn(f"the optimum was not found within {evaluations} runs from a start.", Doubtful, stacklevel=2)
        if not out["is_feasible"]:
            warnings.warn(f"no point was found that satisfies all limits; the nearest misses {', '.join(out['missed'])}.", Doubtful,
                          stacklevel=2)
        return out

    def fit(self, data: Mapping[str, Sequence[float]], over: Union[Names, Mapping[str, Optional[Bounds]]], *,
            noise: Optional[Mapping[str, float]] = None, controls: Optional[Controls] = None,
            profiles: bool = False, iterations: int = 50, end: Optional[float] = None,
            tolerance: Optional[float] = None, step: Optional[float] = None, coordinates: Optional[str] = None,
            integrator: Optional[str] = None) -> Fit:
        """The parameters with which the model runs as measured.

        Args:
            data: columns by name, the times first (or under 't'); NaN is a gap. A mapping, a
                pandas frame or a :class:`Run`
            over: parameters, with bounds where there are some: ``["k", "c"]`` or ``{"k": (0, 1e5), "c": None}``
            noise: standard deviations of columns; estimated unless given
            controls: inputs as samples, as for :meth:`sensitivity`: what was applied
            profiles: intervals by profile likelihood too
            end: measurements after this time are left out
        """
        names = list(data.keys())
        if "t" in names:
            names = ["t", *(name for name in names if name != "t")]
        columns = [np.ascontiguousarray(data[name], dtype=float) for name in names]
        if len({len(column) for column in columns}) > 1:
            raise error("study.bad-data", "the columns of the data have different lengths.")
        given = {"tolerance": tolerance, "step": step, "coordinates": coordinates, "integrator": integrator,
                 "profiles": profiles, "iterations": iterations, "end": end}
        text, found = self._ask(_koppel.Model.fit, given, names, columns, _bounded(over), dict(noise or {}),
                                _controls(controls))
        out = Fit(json.loads(found))
        out.__dict__["_text"] = text
        if out["end"] == "failed":
            raise Failed([Diagnostic("study.fit-failed", out.get("text", ""))], None)
        if out["end"] != "converged":
            warnings.warn(f"the fit did not converge within {iterations} iterations.", Doubtful, stacklevel=2)
        if "doubt" in out:
            warnings.warn(f"in the run with these parameters, {out['doubt']}", Doubtful, stacklevel=2)
        return out


class Batch:
    """Many copies of a mechanism that step together, each with its own state, parameters and inputs.

    Steps are of fixed cost, or accurate with ``dop853``; copies go through vector registers and over threads
    (``jobs``), or through the threads of a graphics card (``gpu``), each with the bits that it would have alone.

    >>> import koppel, numpy as np
    >>> cranes = koppel.Batch(koppel.load("pendulum"), 100, step=0.01, observe=["x", "y"])
    >>> cranes.step(steps=10).shape
    (100, 2)
    """

    def __init__(self, model: Any, count: int, *, step: float, observe: Names = (), jobs: int = 1, gpu: bool = False,
                 end: Optional[float] = None, coordinates: Optional[str] = None, integrator: Optional[str] = None,
                 tolerance: Optional[float] = None):
        """Copies at the model's start.

        Args:
            step: of all copies, s
            observe: quantities or expressions of them; the model's outputs unless given
            jobs: threads
            gpu: on a graphics card; its code is compiled by ``nvcc``, which takes seconds. Copies stay on the card
                between steps; :meth:`set` and :meth:`reset` bring them back and forth
            integrator: one of fixed cost, ``rk4`` or ``dop853``; of fixed cost, chosen by trial up to ``end``,
                unless given
            tolerance: of ``dop853``
        """
        if int(count) != count or count < 1:
            raise ValueError(f"a batch has 1 or more copies, not {count}.")
        given = {"step": step, "end": end, "coordinates": coordinates, "integrator": integrator,
                 "tolerance": tolerance}
        self._batch = model._ask(lambda loaded: _koppel.Batch(loaded, int(count), given, _list(observe), jobs, gpu))

    def __len__(self) -> int:
        return self._batch.size

    @property
    def inputs(self) -> List[str]:
        """Names of inputs, the columns of what :meth:`step` takes."""
        return self._batch.inputs

    @property
    def observed(self) -> List[str]:
        """Names of what is observed, the columns of what :meth:`step` gives."""
        return self._batch.observed

    @property
    def method(self) -> str:
        """Coordinates, formulation and integrator, in a line."""
        return self._batch.method

    @property
    def t(self) -> np.ndarray:
        """The time of each copy, s."""
        return self._batch.times()

    @property
    def failures(self) -> Dict[int, str]:
        """With ``dop853``, the copies that failed since their start, and why; their numbers are NaN."""
        return self._batch.failures

    def set(self, **parameters: Union[float, Sequence[float]]) -> None:
        """Values of parameters, one for each copy or one for all; the copies start anew.

        Give those that a start needs together, such as all lengths of a linkage, at once."""
        columns = []
        for name, values in parameters.items():
            try:
                columns.append(np.broadcast_to(np.asarray(values, dtype=float), len(self)))
            except ValueError:
                raise ValueError(f"'{name}' has the shape {np.shape(values)}; it is one number, or one for each of "
                                 f"{len(self)} copies.") from None
        if columns:
            self._batch.set(list(parameters), np.ascontiguousarray(np.stack(columns, axis=1)))

    def reset(self, which: Optional[Sequence[bool]] = None) -> np.ndarray:
        """All copies, or those that are marked, to their start; returns what is observed."""
        self._batch.reset(which)
        return self.observe()

    def step(self, inputs: Optional[Any] = None, steps: int = 1) -> np.ndarray:
        """So many steps with these inputs (copies × inputs; as before unless given); returns what is observed."""
        if inputs is not None:
            shape = (len(self), len(self.inputs))
            inputs = np.asarray(inputs, dtype=float)
            if inputs.size > 0 and not self.inputs:
                raise ValueError("inputs are given, and the model has none.")
            if inputs.shape == (len(self),) and len(self.inputs) == 1:
                inputs = inputs[:, np.newaxis]
            try:
                inputs = np.broadcast_to(inputs, shape)
            except ValueError:
                raise ValueError(f"inputs have the shape {inputs.shape}; copies × inputs is {shape}, and one row "
                                 "serves all copies.") from None
        self._batch.advance(inputs, steps)
        return self.observe()

    def observe(self) -> np.ndarray:
        """What is observed of each copy: copies × observed. Not finite where a copy failed."""
        return self._batch.observe()

    def __repr__(self) -> str:
        return f"<koppel.Batch of {len(self)}: {self.method}, step {self._batch.step_size:g} s>"
