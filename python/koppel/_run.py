"""Run: what came out of a simulation, as named arrays over time."""

from __future__ import annotations

import contextlib
import html
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np

from . import _koppel
from ._callbacks import Answer, Calls
from ._errors import Diagnostic, Error, UnknownName, error

_SHOWN = ("outputs", "inputs")  # what is plotted unless asked for otherwise


class Run(Mapping):
    """Named columns over time, as NumPy arrays that are not copied.

    A mapping: ``run["knee.angle"]``, ``list(run)``, ``run.items()``. Any quantity of the model can be asked
    for by its name, be it a column or not: ``run["rod.tip.x'"]``. ``run(t)`` gives the motion at other
    times.

    >>> import koppel
    >>> run = koppel.load("pendulum").simulate(end=2)
    >>> run.t[-1]
    2.0
    >>> run.units["x"]
    'm'
    """

    def __init__(self, model, result, given: Optional[Dict[str, Any]], times: Any = None,
                 answers: Optional[Dict[str, List[Answer]]] = None):
        """Of the model, with the options that were given and what callbacks answered; of a run at other times,
        these in any order."""
        self._model, self._result, self._given, self._answers = model, result, given, answers or {}
        self._is_instant = times is not None and np.ndim(times) == 0
        self._rows = None if times is None else _nearest(result.view(0), np.atleast_1d(times))
        self._index = {name: i for i, (name, _, _) in enumerate(result.columns)}
        self._asked: Dict[str, np.ndarray] = {}
        self._summary: Optional[Dict[str, Any]] = None

    # A mapping.

    def __getitem__(self, name: str) -> Any:
        """A column, or any other quantity of the model."""
        name = str(name)
        if name in self._index:
            values = self._result.view(self._index[name])
        else:
            if name not in self._asked:
                try:
                    self._asked[name] = self._result.quantity(name)
                except Error as wrong:
                    raise self._explained(wrong, name) from None
            values = self._asked[name]
        if self._rows is None:
            return values
        return float(values[self._rows[0]]) if self._is_instant else values[self._rows]

    def _explained(self, wrong: Error, name: str) -> Error:
        """The error of a name that is not known, with what could be meant."""
        if wrong.id != "results.unknown-column":
            return wrong
        diagnostic = wrong.diagnostics[0]
        what = name.split(".")[0].rstrip("'")
        bodies, joints = (self._model.document.get(section) or {} for section in ("bodies", "joints"))
        if diagnostic.advice:
            advice = diagnostic.advice
        elif what in bodies:
            points = (bodies[what] or {}).get("points") or {}
            known = [f"{what}.x", f"{what}.y", f"{what}.angle", *(f"{what}.{point}.x" for point in points)]
            advice = f"'{what}' is a body; it has {', '.join(known)}, …"
        elif what in joints:
            advice = f"'{what}' is a joint; it has {what}.angle or {what}.position, or both."
        else:
            advice = "Quantities are such as body.x, body.point.y, joint.angle, with a quote for a rate; list(run) has the columns."
        return UnknownName([Diagnostic(diagnostic.id, diagnostic.text, advice)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: object) -> bool:
        if name in self._index:
            return True
        try:
            self[str(name)]
            return True
        except Error:
            return False

    # About it.

    @property
    def t(self) -> Any:
        """The times of the rows, s."""
        return self["t"]

    @property
    def units(self) -> Dict[str, str]:
        """Of the columns; empty where there is none, or none is known."""
        return {name: unit for name, unit, _ in self._result.columns}

    @property
    def groups(self) -> Dict[str, str]:
        """What the columns are about: outputs, coordinates, energy, …"""
        return {name: group for name, _, group in self._result.columns}

    @property
    def status(self) -> str:
        """'done', 'doubtful', 'stopped' or 'failed'."""
        return self._result.status

    @property
    def text(self) -> str:
        """What went wrong, or is doubtful; empty where nothing is."""
        return self._result.text

    @property
    def summary(self) -> Dict[str, Any]:
        """What came out, in numbers: method, steps, drift, times, events, notes."""
        if self._summary is None:
            self._summary = json.loads(self._result.summary)
        return self._summary

    @property
    def reached(self) -> float:
        """The time up to which there are results, s."""
        return self.summary["reached"]

    def __repr__(self) -> str:
        width = max((len(label) for label, _ in self._result.lines), default=0)
        head = f"<koppel.Run of '{self.summary['model']}', {self.status}>"
        return "\n".join([head, *(f"  {label:{width}}  {text}" for label, text in self._result.lines)])

    # The motion between the rows.

    def __call__(self, t: Union[float, Sequence[float]]) -> "Run":
        """The motion at a time, or at many: what the integrator's dense output has there.

        The run is integrated once more, with the same steps: ask for all times at once.

        >>> import koppel
        >>> run = koppel.load("pendulum").simulate(end=2, samples=11)
        >>> bool(abs(run(0.2)["x"] - run["x"][1]) < 1e-15)
        True
        """
        if self._given is None:
            raise TypeError("only simulations that came to their end give the motion between rows")
        times = np.atleast_1d(np.asarray(t, dtype=float))
        low, high = 0.0, self.reached
        if times.ndim != 1 or not np.all((times >= low) & (times <= high)):
            raise ValueError(f"times must be between {low:g} and {high:g} s")
        options = {**self._given, "end": self.summary["end"], "samples": np.unique(times)}
        calls = Calls({name: self._model._callbacks[name] for name in self._answers}, self._answers)
        result = self._model._ask(_koppel.Model.simulate, options, None, calls.all)
        return Run(self._model, result, None, np.asarray(t, dtype=float))

    def __reduce__(self):
        """Pickled with its columns, as they are; other quantities stay behind."""
        kept = _Kept(self._result, [np.array(self._result.view(i)) for i in range(len(self))])
        return _restore, (self._model, kept, self._given, self._answers)

    # To other programs.

    def to_pandas(self):
        """A DataFrame over time, a column for each of the run's."""
        import pandas  # type: ignore[import]

        data = {name: np.asarray(self[name]) for name in self if name != "t"}
        frame = pandas.DataFrame(data, index=pandas.Index(np.asarray(self.t), name="t"))
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self):
        """A Dataset over time, with units."""
        import xarray

        columns = {name: ("t", np.asarray(self[name]), {"units": self.units[name]}) for name in self if name != "t"}
        return xarray.Dataset(columns, coords={"t": ("t", np.asarray(self.t), {"units": "s"})},
                              attrs={"model": self.summary["model"]})

    def to_csv(self, path: str) -> None:
        """Writes all columns, as `koppel run` does."""
        self._result.write_csv(os.fspath(path))

    def to_hdf5(self, path: str) -> None:
        """Writes all columns with units, and the summary."""
        self._result.write_hdf5(os.fspath(path))

    def to_html(self, path: Optional[str] = None) -> str:
        """The report: a page with plots and the running mechanism, which needs nothing else."""
        page = self._result.html()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.to_html(), quote=True)}" '
                'style="width:100%;height:640px;border:0" loading="lazy"></iframe>')

    def plot(self, *names: str, ax=None):
        """Plots columns or quantities over time with Matplotlib, those of one unit together.

        Without names: the outputs and inputs, or the coordinates where there are none. Returns the axes.
        """
        import matplotlib.pyplot as plt  # type: ignore[import]

        wanted: List[str] = list(names)
        for groups in (_SHOWN, ("coordinates",)):
            wanted = wanted or [name for name, _, group in self._result.columns if group in groups]
        by_unit: Dict[str, List[str]] = {}
        for name in wanted:
            by_unit.setdefault(self.units.get(name, ""), []).append(name)
        if ax is not None:
            axes = [ax] * len(by_unit)
        else:
            _, grid = plt.subplots(len(by_unit), sharex=True, squeeze=False, figsize=(7, 1 + 2.2 * len(by_unit)))
            axes = list(grid[:, 0])
        for axis, (unit, group) in zip(axes, by_unit.items()):
            for name in group:
                axis.plot(self.t, self[name], label=name)
            axis.set_ylabel(unit)
            axis.legend(loc="upper right")
        axes[-1].set_xlabel("t in s")
        return ax if ax is not None else axes[0] if len(axes) == 1 else axes


def _nearest(rows: np.ndarray, times: np.ndarray) -> np.ndarray:
    """For each time the row that is nearest, of rows in ascending order."""
    after = np.clip(np.searchsorted(rows, times), 1, max(len(rows) - 1, 1))
    is_before = times - rows[after - 1] <= rows[np.minimum(after, len(rows) - 1)] - times
    return np.where(is_before, after - 1, np.minimum(after, len(rows) - 1))


class _Kept:
    """What is left of a result that was pickled."""

    is_interrupted = False

    def __init__(self, result, arrays: List[np.ndarray]):
        self.status, self.text, self.summary = result.status, result.text, result.summary
        self.messages, self.lines, self.columns = result.messages, result.lines, result.columns
        self._arrays = arrays

    def view(self, index: int) -> np.ndarray:
        return self._arrays[index]

    def quantity(self, name: str) -> np.ndarray:
        meant = _koppel.suggest(name, [column[0] for column in self.columns])
        advice = f"Did you mean '{meant}'?" if meant else "A run that was pickled has its columns only."
        raise error("results.unknown-column", f"there is no column '{name}'.", advice)

    def __getattr__(self, name: str):
        if name in ("html", "write_csv", "write_hdf5"):
            raise TypeError("a run that was pickled writes no files; write them before")
        raise AttributeError(name)


def _restore(model, kept: _Kept, given: Optional[Dict[str, Any]], answers: Dict[str, List[Answer]]) -> Run:
    return Run(model, kept, given, answers=answers)


class Bar:
    """A bar of the time that a run has reached: of tqdm where that is installed, else a line of text."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __call__(self, t: float, end: float) -> None:
        if self._bar is None:
            self._bar = _make_bar(end)
        self._bar.n = t
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _make_bar(end: float) -> Any:
    try:
        from tqdm.auto import tqdm  # type: ignore[import]
    except ImportError:
        return _Line(end)
    return tqdm(total=end, bar_format="{l_bar}{bar}| {n:.4g}/{total:.4g} s [{elapsed}<{remaining}]")


class _Line:
    def __init__(self, end: float):
        self.n, self._end = 0.0, end

    def refresh(self) -> None:
        print(f"\r{self.n:.4g} of {self._end:.4g} s", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print(file=sys.stderr)


@contextlib.contextmanager
def reporter(progress) -> Iterator[Optional[Callable[[float, float], Any]]]:
    """What is called while a run goes on; a bar for True, which is closed in the end."""
    if progress is not True:
        yield progress or None
        return
    bar = Bar()
    try:
        yield bar
    finally:
        bar.close()
