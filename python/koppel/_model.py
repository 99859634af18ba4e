"""Model: what a mechanism is, and what can be asked of it."""

from __future__ import annotations

import copy
import json
import os
import warnings
from collections.abc import MutableMapping
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from . import _koppel, _run
from ._build import Builder, Number
from ._callbacks import Calls
from ._document import numbers, plain, relocated, write
from ._errors import Doubtful, Error, Failed, Interrupted, Note, Diagnostic, error
from ._koppel import Expr
from ._operation_methods import OperationMethods, Progress
from ._reports import Budget, Check, Comparison, Equations, Linear
from ._studies import Studies


class Parameters(MutableMapping):
    """The parameters of a model with their values; a value that is given goes before the model's.

    >>> import koppel
    >>> m = koppel.load("pendulum")
    >>> m.parameters["l"] = 0.5
    >>> m.parameters["l"]
    0.5
    """

    def __init__(self, model: "Model"):
        self._model = model

    def __getitem__(self, name: str) -> float:
        values = self._model._loaded().parameters
        if name not in values:
            raise KeyError(self._unknown(name, values))
        return values[name]

    def __setitem__(self, name: str, value: Number) -> None:
        known = self._model._loaded().parameters
        if name not in known:
            raise error("model.unknown-parameter", self._unknown(name, known))
        self._model._set[name] = repr(float(value)) if isinstance(value, (int, float)) else str(value)

    def __delitem__(self, name: str) -> None:
        """The model's own value again."""
        self._model._set.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._model._loaded().parameters)

    def __len__(self) -> int:
        return len(self._model._loaded().parameters)

    def __repr__(self) -> str:
        return repr(self._model._loaded().parameters)

    @staticmethod
    def _unknown(name: str, known: Dict[str, float]) -> str:
        meant = _koppel.suggest(name, list(known))
        rest = f" Did you mean '{meant}'?" if meant else f" Parameters: {', '.join(known) or 'none'}."
        return f"there is no parameter '{name}'.{rest}"


class Model(Builder, OperationMethods, Studies):
    """A mechanism, built in code or read from a file.

    >>> import koppel as kp
    >>> m = kp.Model(gravity=(0, -9.81))
    >>> a = m.rod("upper", mass=1, length=1)
    >>> b = m.rod("lower", mass=1, length=1)
    >>> hip = m.revolute("hip", m.ground, a.start)
    >>> knee = m.revolute("knee", a.end, b.start, start=0.3)
    >>> run = m.simulate(end=10)
    >>> run["knee.angle"].shape
    (1001,)
    """

    def __init__(self, name: str = "model", *, gravity: Optional[Sequence[Number]] = None,
                 dimension: Optional[int] = None, description: str = ""):
        """A model without parts.

        Args:
            gravity: the acceleration of gravity, m/s2; two components make a planar model
            dimension: 2 or 3; that of ``gravity`` unless given
        """
        if dimension is None:
            dimension = 2 if gravity is not None and len(gravity) == 2 else 3
        document: Dict[str, Any] = {"name": name}
        if description:
            document["description"] = description
        document["dimension"] = dimension
        if gravity is not None:
            document["gravity"] = plain(list(gravity))
        self._begin(document, None, name)

    def _begin(self, document: Optional[Dict[str, Any]], text: Optional[str], file: str) -> "Model":
        self._document, self._text, self._file = document, text, file
        self._set: Dict[str, str] = {}
        self._places = {}
        self._callbacks = {}
        self._graph = _koppel.Graph()
        self._read: Any = None  # what was read last, and from which text and settings
        return self

    # Where models come from and go to.

    @classmethod
    def from_yaml(cls, text: str, *, file: str = "model.yaml") -> "Model":
        """From the text of a model file; ``file`` is its name in messages, and where included files are
        looked for from."""
        model = cls.__new__(cls)._begin(None, text, os.fspath(file))
        model._loaded()
        return model

    @classmethod
    def from_dict(cls, document: Dict[str, Any], *, file: str = "model") -> "Model":
        """From a document of the model format as mappings and lists."""
        model = cls.__new__(cls)._begin(plain(copy.deepcopy(document)), None, os.fspath(file))
        model._loaded()
        return model

    @classmethod
    def from_urdf(cls, path: str, *, gravity: Optional[Sequence[Number]] = (0, 0, -9.81), name: str = "robot",
                  **placement: Any) -> "Model":
        """From a robot in URDF; its names get the prefix ``name``. Other keywords: ``position``,
        ``floating`` and what else stands beside ``urdf`` in model files."""
        folder, file = os.path.split(os.fspath(path))
        model = cls(os.path.splitext(file)[0], gravity=gravity)
        model._file = os.path.join(folder, "model")
        model.include(name, urdf=file, **placement)
        model._loaded()
        return model

    @property
    def document(self) -> Dict[str, Any]:
        """The model as mappings and lists, as a model file has it; may be changed."""
        if self._document is None:
            self._document, self._text = numbers(_koppel.parse_yaml(self._text or "", self._file)), None
        return self._document

    def to_dict(self) -> Dict[str, Any]:
        """A copy of :attr:`document`."""
        return copy.deepcopy(self.document)

    def to_yaml(self) -> str:
        """The text of a model file; values given by :attr:`parameters` are not in it."""
        if self._callbacks:
            warnings.warn("Python callbacks are not part of a model file; what they set is constant there.", Note, stacklevel=2)
        return self._text if self._text is not None else write(self.document, {})[0]

    def save(self, path: str) -> None:
        """Writes a model file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_yaml())

    def copy(self) -> "Model":
        """The same again; changes of one are not those of the other."""
        return copy.deepcopy(self)

    def __getstate__(self):
        return {"document": self._document, "text": self._text, "file": self._file, "set": self._set,
                "places": self._places, "callbacks": self._callbacks}

    def __setstate__(self, state) -> None:
        self._begin(state["document"], state["text"], state["file"])
        self._set, self._places = dict(state["set"]), dict(state["places"])
        self._callbacks = dict(state["callbacks"])
        for name, table in ((self._document or {}).get("tables") or {}).items():
            self._graph.add_table(name, table["x"], table["y"], table.get("type", "spline"))

    def __copy__(self) -> "Model":
        return copy.deepcopy(self)

    def __deepcopy__(self, memo) -> "Model":
        model = type(self).__new__(type(self))
        model.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return model

    # The model as the library reads it.

    def _loaded(self):
        text, origins = (self._text, []) if self._text is not None else write(self.document, self._places)
        key = (text, tuple(self._set.items()))
        if self._read is None or self._read[0] != key:
            try:
                loaded = _koppel.Model(text, self._file, list(self._set.items()))
            except Error as wrong:
                raise (relocated(wrong, self._file, origins) if origins else wrong) from None
            for remark, line in loaded.remarks:
                warnings.warn(f"{self._file}:{line}: {remark}", Note, stacklevel=3)
            self._read = key, loaded, origins
        return self._read[1]

    def _ask(self, question: Callable[..., Any], *args: Any) -> Any:
        """A question to the model that was read; errors name the lines of the script."""
        if self._callbacks and question is not _koppel.Model.simulate:
            warnings.warn("the model has Python callbacks, which only simulate() calls; what they set is constant here.",
                          Note, stacklevel=3)
        try:
            return question(self._loaded(), *args)
        except Error as wrong:
            origins = self._read[2] if self._read else []
            if type(wrong) is not Error or not origins:
                raise
            raise relocated(wrong, self._file, origins) from None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._loaded().name

    @property
    def parameters(self) -> Parameters:
        """Parameters and their values; may be changed."""
        return Parameters(self)

    @property
    def bodies(self) -> List[str]:
        """Names of bodies, the ground first."""
        return self._loaded().bodies

    @property
    def joints(self) -> List[str]:
        """Names of joints."""
        return self._loaded().joints

    @property
    def forces(self) -> List[str]:
        """Names of forces."""
        return self._loaded().forces

    @property
    def inputs(self) -> List[str]:
        """Names of inputs."""
        return self._loaded().inputs

    @property
    def outputs(self) -> List[str]:
        """Names of outputs."""
        return self._loaded().outputs

    @property
    def coordinate_sets(self) -> List[str]:
        """What the model can be described in; the first is the default."""
        return self._loaded().coordinate_sets()

    def __getitem__(self, name: str) -> Expr:
        """A quantity, a rate or a parameter by its name, for expressions: ``m["knee.angle'"]``."""
        if not self._loaded().has_symbol(name):
            known = [*self._loaded().quantities, *self._loaded().parameters]
            meant = _koppel.suggest(name, known)
            raise error("model.unknown-name", f"the model knows no '{name}'.",
                        f"Did you mean '{meant}'?" if meant else "")
        return self._graph.symbol(name)

    def __repr__(self) -> str:
        content = self.document
        counts = [f"{len(content[key])} {key}" for key in ("bodies", "joints", "forces", "coordinates",
                                                          "parameters", "inputs", "outputs")
                  if content.get(key)]
        return f"<koppel.Model '{content.get('name', self._file)}': {', '.join(counts) or 'empty'}>"

    # What is asked of it.

    def _check(self, given: Dict[str, Any]) -> Check:
        return Check(json.loads(self._ask(_koppel.Model.check, given)))

    def equations(self, *, coordinates: Optional[str] = None) -> Equations:
        """The equations of motion, as text and in notebooks as formulas."""
        given = {"coordinates": coordinates}
        return Equations(*(self._ask(_koppel.Model.equations, given, latex) for latex in (False, True)))

    def linearize(self, *, coordinates: Optional[str] = None, at: str = "start") -> Linear:
        """z' = A z + B u, y = C z + D u about the start, or ``at='rest'`` about the equilibrium near it.

        Where the start moves and its motion is not steady in these coordinates, the eigenvalues of A say
        nothing about how deviations grow, which is warned of. Joint coordinates serve most steady motions.
        """
        if at not in ("start", "rest"):
            raise error("python.wrong-option", f"`at = {at}` is not known.", "It is 'start' or 'rest'.")
        found = self._ask(_koppel.Model.linearize, {"coordinates": coordinates}, at == "rest")
        if found["unsteady"]:
            warnings.warn(f"A belongs to the instant, and its eigenvalues do not say how deviations grow: "
                          f"{found['unsteady']}", Doubtful, stacklevel=2)
        return Linear(found)

    def _simulate(self, given: Dict[str, Any]) -> "_run.Run":
        progress, tol = given.pop("progress"), given.pop("tol")
        if given["tolerance"] is None:
            given["tolerance"] = tol
        calls = Calls(self._callbacks)
        result = self._run(_koppel.Model.simulate, given, progress, calls.all)
        return _run.Run(self, result, given, answers=calls.answers)

    def _inverse(self, given: Dict[str, Any]) -> "_run.Run":
        progress = given.pop("progress")
        return _run.Run(self, self._run(_koppel.Model.inverse, given, progress), None)

    def _run(self, question: Callable[..., Any], given: Dict[str, Any], progress: Progress, *more: Any) -> Any:
        with _run.reporter(progress) as call:
            result = self._ask(question, given, call, *more)
            if isinstance(call, _run.Bar) and result.status in ("done", "doubtful"):
                summary = json.loads(result.summary)
                call(summary.get("reached", summary["end"]), summary["end"])
        for message in result.messages:
            warnings.warn(message, Note, stacklevel=4)
        if result.status == "done":
            return result
        partial = _run.Run(self, result, None)
        if result.status == "doubtful":
            warnings.warn(result.text, Doubtful, stacklevel=4)
        elif result.is_interrupted:
            raise Interrupted(f"interrupted at t = {partial.reached:g} s; what was reached is in .run", partial)
        elif result.status == "failed":
            kind = "simulate" if question is _koppel.Model.simulate else "control"
            raise Failed([Diagnostic(f"{kind}.failed", result.text)], partial)
        return result

    def compare(self, *, coordinates: Sequence[str] = (), formulations: Sequence[str] = (),
                integrators: Sequence[str] = (), tolerances: Sequence[float] = (1e-8,),
                steps: Sequence[float] = (), end: Optional[float] = None, samples: int = 501,
                limit: float = 20, projection: Optional[str] = None, baumgarte: float = 0,
                native: Optional[str] = None, beside: Sequence["Model"] = ()) -> Comparison:
        """The model by many methods, against one reference: all formulations and integrators of different
        kinds unless given. ``limit`` is the longest that one run may take, s."""
        given = {key: value for key, value in locals().items() if key not in ("self", "beside")}
        for key in ("coordinates", "formulations", "integrators", "tolerances", "steps"):
            given[key] = list(given[key])
        return Comparison(*self._ask(_koppel.Model.compare, given, [m._loaded() for m in beside]))

    def _budget(self, given: Dict[str, Any]) -> Budget:
        return Budget(*self._ask(_koppel.Model.budget, given))

    def export(self, to: str, path: Optional[str] = None, *, name: Optional[str] = None,
               step: Optional[float] = None, tolerance: Optional[float] = None,
               coordinates: Optional[str] = None, formulation: Optional[str] = None,
               integrator: Optional[str] = None, single: bool = False, fmi: int = 2) -> List[str]:
        """Writes the model as code: 'c', 'cuda', 'wasm', 'fmu' or 'octave'.

        ``path`` is the folder, of an FMU the file. Returns the files. ``single`` is C or CUDA in single
        precision.
        """
        if to not in ("c", "cuda", "wasm", "fmu", "octave"):
            raise error("python.wrong-option", f"`to = {to}` is not known.",
                        "It is one of: c, cuda, wasm, fmu, octave.")
        given = {"name": name, "step": step, "tolerance": tolerance, "coordinates": coordinates,
                 "formulation": formulation, "integrator": integrator, "float": single, "fmi": fmi}
        target = os.fspath(path) if path is not None else f"{self.name}.fmu" if to == "fmu" else f"{self.name}-{to}"
        files, _, doubt = self._ask(_koppel.Model.export, given, to, target)
        if doubt:
            warnings.warn(doubt, Doubtful, stacklevel=2)
        if to == "fmu":
            return [target]
        os.makedirs(target, exist_ok=True)
        for file, content in files.items():
            with open(os.path.join(target, file), "wb") as out:
                out.write(content)
        return [os.path.join(target, file) for file in files]
