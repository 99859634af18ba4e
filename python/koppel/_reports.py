"""What a model answers beside runs. Each prints as the command line does and has its numbers by name."""

from __future__ import annotations

import json
import textwrap
from typing import Any, Dict, List, NamedTuple

import numpy as np


class Report(dict):
    """A mapping whose entries are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no '{name}'; it has: {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __reduce__(self):
        return _restore, (type(self), dict(self), dict(self.__dict__))


def _restore(cls, content, attributes):
    report = cls.__new__(cls)
    report.update(content)
    report.__dict__.update(attributes)
    return report


class Table(Report):
    """A report that is a table, too: a mapping of its entries, a NumPy array of records, a frame of pandas."""

    def columns_of_table(self) -> Dict[str, Any]:
        """The columns by name; the first names the rows."""
        raise NotImplementedError

    def to_numpy(self) -> np.ndarray:
        """A structured array, a record for each row."""
        columns = {name: np.asarray(values) for name, values in self.columns_of_table().items()}
        size = len(next(iter(columns.values())))
        out = np.empty(size, dtype=[(name, values.dtype) for name, values in columns.items()])
        for name, values in columns.items():
            out[name] = values
        return out

    def to_pandas(self):
        """A DataFrame, a row for each row."""
        import pandas  # type: ignore[import]

        columns = self.columns_of_table()
        return pandas.DataFrame(columns).set_index(next(iter(columns)))


class Check(Report):
    """What `koppel check` finds: ``dof``, ``index``, ``redundant``, ``start``, …"""

    @property
    def is_assembled(self) -> bool:
        """Whether there is a start that satisfies all constraints."""
        return self["start"]["assembled"]

    def __repr__(self) -> str:
        lines = [("coordinates", ", ".join(f"{name} {size['coordinates']}" for name, size in self["sets"].items())),
                 ("constraints", f"{len(self['constraints'])} equations"),
                 ("freedom", str(self["dof"])), ("index", str(self["forward_index"])),
                 ("redundant", ", ".join(self["redundant"]) or "none"), ("start", self["start"]["text"])]
        if "internal_dynamics" in self:
            lines.insert(4, ("servo index", f"{self['index']}; internal dynamics of order {self['internal_dynamics']}"))
        lines += [("no mass", ", ".join(self["massless"]))] * bool(self["massless"])
        lines += [("warning", self["singular_start"])] * bool(self["singular_start"])
        wrapped = (textwrap.fill(text, 90, initial_indent=f"  {label:12}", subsequent_indent=" " * 14)
                   for label, text in lines)
        return "\n".join([self["model"], *wrapped])


class Equations:
    """Equations of motion: their text, and ``latex``, which notebooks show."""

    def __init__(self, text: str, latex: str):
        self.text, self.latex = text, latex

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex}\n$$"


class Mode(NamedTuple):
    """A motion by itself about a state."""

    eigenvalue: complex  #: 1/s
    frequency: float  #: Hz
    damping_ratio: float
    shape: np.ndarray  #: in the coordinates ``q``, the largest component 1


class Linear:
    """z' = A z + B u, y = C z + D u; ``states``, ``inputs`` and ``outputs`` are the names of z, u and y.

    >>> import koppel
    >>> mode = koppel.load("pendulum").linearize(at="rest").modes[0]
    >>> round(mode.frequency, 4)
    0.4985
    """

    def __init__(self, found: Dict[str, Any]):
        self.A: np.ndarray = found["A"]
        self.B: np.ndarray = found["B"]
        self.C: np.ndarray = found["C"]
        self.D: np.ndarray = found["D"]
        self.states: List[str] = found["states"]
        self.inputs: List[str] = found["inputs"]
        self.outputs: List[str] = found["outputs"]
        self.q: List[str] = found["q"]  #: names of coordinates
        self.at: np.ndarray = np.array(found["at"])  #: their values
        self.num_zero: int = found["num_zero"]  #: eigenvalues that are zero
        self.modes: List[Mode] = [Mode(*mode) for mode in found["modes"]]  #: of the others

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of A."""
        return np.linalg.eigvals(self.A)

    def __repr__(self) -> str:
        lines = [f"<koppel.Linear: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"]
        lines += [f"  {m.eigenvalue:.6g} 1/s, {m.frequency:.6g} Hz, damping ratio {m.damping_ratio:.3g}" for m in self.modes]
        return "\n".join(lines)


class _WithText(Report):
    def __init__(self, text: str, numbers: str):
        super().__init__(json.loads(numbers))
        self.__dict__["text"] = text

    def __repr__(self) -> str:
        return self.__dict__["text"]


class Comparison(_WithText):
    """Methods side by side: ``runs``, ``skipped``, ``recommended``."""

    def to_pandas(self):
        """A row for each run."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(self["runs"])


class Budget(_WithText):
    """What a fixed-cost step costs: ``operations``, ``load``, ``stable``, …"""
