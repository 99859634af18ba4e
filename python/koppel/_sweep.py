"""Sweeps: many variants of a model, computed by threads or by the workers of an executor."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import csv
import fcntl
import functools
import json
import os
import queue
import tempfile
import warnings
from collections.abc import Mapping as MappingOf
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np

from . import _koppel
from ._errors import Doubtful, Error, Interrupted, error

Names = Union[str, Sequence[str]]
Ranges = Mapping[str, Any]

_KINDS = {"random": "random", "latin": "latin", "sobol": "sobol", "morris": "morris", "indices": "saltelli"}
_MOST_IN_FLIGHT = 2048  # pieces that an executor has at a time
_MOST_LOSSES = 2  # of workers with one variant
_TEXTS = ("status", "error", "reason")


class Sweep(MappingOf):
    """The rows of a sweep. A mapping of columns: ``s["l"]``, ``s["y:final"]``, ``s["status"]``; ``s.rows`` has a
    dictionary for each variant.

    >>> import koppel
    >>> s = koppel.sweep("pendulum", {"l": (0.5, 1.5, 3)}, "x:max", end=1)
    >>> s["l"].tolist()
    [0.5, 1.0, 1.5]
    >>> s.rows[0]["status"]
    'done'
    """

    def __init__(self, table: List[Dict[str, str]], manifest: Dict[str, Any], folder: Optional[str],
                 indices: List[Dict[str, Any]], bands: List[Dict[str, Any]]):
        """Of the lines of sweep.csv."""
        columns: Dict[str, np.ndarray] = {}
        for name in table[0]:
            texts = [row[name] for row in table]
            if name in _TEXTS:
                columns[name] = np.array(texts)
            elif name == "variant":
                columns[name] = np.array(texts, dtype=int)
            else:
                columns[name] = np.array([float(text) if text else np.nan for text in texts])
        self._columns = columns
        self.manifest = manifest  #: all that the rows depend on
        self.folder = folder  #: of the files; None: there are none
        self.indices = indices  #: global sensitivities, where they were asked for: a dictionary for each row
        self.bands = bands  #: quantiles over time, where they were asked for: a dictionary for each row

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """A dictionary for each variant, in their order."""
        lists = [values.tolist() for values in self._columns.values()]
        return [dict(zip(self._columns, row)) for row in zip(*lists)]

    @property
    def failed(self) -> int:
        """The number of variants without numbers."""
        return int(self.manifest["failed"])

    @property
    def doubtful(self) -> int:
        """The number of variants whose numbers should not be trusted."""
        return int(self.manifest["doubtful"])

    def to_dict(self) -> Dict[str, np.ndarray]:
        """The columns by name."""
        return dict(self._columns)

    def to_numpy(self) -> np.ndarray:
        """A structured array, a record for each variant."""
        out = np.empty(len(self["variant"]), [(name, values.dtype) for name, values in self._columns.items()])
        for name, values in self._columns.items():
            out[name] = values
        return out

    def to_pandas(self) -> Any:
        """A table with a row for each variant."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(self._columns).set_index("variant")

    def __repr__(self) -> str:
        count = len(self["variant"])
        bad = [f"{n} {word}" for n, word in ((self.failed, "failed"), (self.doubtful, "doubtful")) if n]
        return f"<koppel.Sweep of {count} variants{''.join(', ' + text for text in bad)}: {', '.join(self)}>"


def sweep(model: Any, vary: Union[Ranges, Names, None] = None, outputs: Names = (), *,
          points: Optional[Mapping[str, Sequence[float]]] = None, random: Optional[int] = None,
          latin: Optional[int] = None, sobol: Optional[int] = None, morris: Optional[int] = None,
          indices: Optional[int] = None, seed: Optional[int] = None, bands: Optional[int] = None,
          end: Optional[float] = None, tolerance: Optional[float] = None, step: Optional[float] = None,
          samples: Union[int, str, None] = None, coordinates: Optional[str] = None,
          formulation: Optional[str] = None, integrator: Optional[str] = None, projection: Optional[str] = None,
          baumgarte: Optional[float] = None, executor: Any = None, jobs: Optional[int] = None,
          piece: Optional[int] = None, out: Union[str, "os.PathLike[str]", None] = None, hdf5: bool = False,
          progress: Optional[Callable[[int, int], Any]] = None) -> Sweep:
    """Simulates many variants of a model; each is a row of numbers.

    Args:
        model: a model, or what :func:`load` takes
        vary: ranges of parameters: ``{"l": (0.5, 1.5, 11)}`` for equally spaced values, ``(1, 100, 5, "log")`` for
            equal ratios, a list for the values themselves, ``(0.5, 1.5)`` for other points than a grid; or texts as
            those of ``--vary``
        outputs: criteria, such as ``"x:final"`` or ``"effort=abs(motor.torque):integral"``; the model's outputs at
            the end unless given
        points: the points themselves, columns by parameter
        random, latin, sobol: number of random points, of a Latin hypercube, of a Sobol' sequence
        morris, indices: number of paths for elementary effects, of pairs of points for Sobol' indices
        bands: number of times at which the distribution of the quantities is given
        samples: number of rows for computing criteria, or 'steps'
        executor: who computes: anything with ``submit`` as in ``concurrent.futures``, such as a process pool,
            ``mpi4py.futures.MPIPoolExecutor`` or Dask's ``Client``. Threads of this process unless given
        jobs: number of these threads; one for each core unless given
        piece: number of variants that an executor gets at a time
        out: a folder for the files of `koppel sweep`; the same call continues a sweep that was interrupted
        hdf5: write sweep.h5 too
        progress: called with the number of rows that are there, and that of all

    Rows do not depend on who computed them: they are those of `koppel sweep`, to the last bit.

    >>> import concurrent.futures, koppel
    >>> with concurrent.futures.ThreadPoolExecutor(2) as pool:
    ...     s = koppel.sweep("pendulum", {"l": [1, 2]}, "y:min", end=1, executor=pool)
    >>> len(s.rows)
    2
    """
    model = _model_of(model)
    kind, count = _kind({"random": random, "latin": latin, "sobol": sobol, "morris": morris, "indices": indices},
                        vary, points, seed)
    if seed is None and kind in ("random", "latin", "morris", "saltelli"):
        seed = 1
    columns = {} if points is None else _columns(points)
    texts = list(columns) if points is not None else _ranges(vary)
    _check_settings(model, [text.split("=")[0] for text in texts])
    given = {"end": end, "tolerance": tolerance, "step": step, "samples": samples, "coordinates": coordinates,
             "formulation": formulation, "integrator": integrator, "projection": projection, "baumgarte": baumgarte}
    job = _Job(_text_of(model), _file_of(model), tuple(model._set.items()),
               tuple((key, value) for key, value in given.items() if value is not None), kind, tuple(texts), count, seed,
               tuple((float(values[0]),) for values in columns.values()),
               (outputs,) if isinstance(outputs, str) else tuple(outputs), bands or 0)
    prepared = model._ask(lambda _: job.prepare(tuple(tuple(values.tolist()) for values in columns.values())))
    with _Folder(out) as folder:
        journal = _koppel.SweepJournal(prepared, os.path.join(folder, "journal.txt"))
        total = len(prepared)
        try:
            if executor is None:
                told = None if progress is None else (lambda done: progress(done, total))
                journal.fill(_threads(jobs), told)
            else:
                _Work(executor, job, prepared, journal, columns, progress).run(piece)
        except Error:
            if journal.num_done == 0:  # what cannot even begin does not stand in the way of another sweep
                os.remove(os.path.join(folder, "journal.txt"))
            raise
        except KeyboardInterrupt:
            rest = " The same call continues from there." if out is not None else ""
            raise Interrupted(f"interrupted after {journal.num_done} of {total} variants.{rest}") from None
        title = os.path.splitext(os.path.basename(model._file))[0]
        _, _, bad = journal.write_files(folder, title, hdf5, _threads(jobs))
        result = _read(folder, None if out is None else os.fspath(out))
    if bad:
        warnings.warn(bad, Doubtful, stacklevel=2)
    return result


# What is asked.

def _model_of(model: Any) -> Any:
    if isinstance(model, (str, os.PathLike)):
        from . import load

        return load(os.fspath(model))
    return model


def _text_of(model: Any) -> str:
    if model._text is not None:
        return model._text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of callbacks: _ask warns of them
        return model.to_yaml()


def _file_of(model: Any) -> str:
    """Its place for the files that it includes, also in another folder."""
    return os.path.abspath(model._file) if os.path.exists(model._file) else model._file


def _kind(counts: Dict[str, Optional[int]], vary: Any, points: Any, seed: Optional[int]) -> Tuple[str, int]:
    given = [name for name, value in counts.items() if value is not None] + ["points"] * (points is not None)
    if len(given) > 1:
        raise error("python.wrong-option", f"`{given[0]}` and `{given[1]}` are both given.",
                    "Leave all but one of them out; without any the points are a grid.")
    if points is not None:
        if vary is not None:
            raise error("python.wrong-option", "`vary` and `points` are both given.",
                        "The columns of the points say which parameters are varied.")
        return "table", 0
    if not given:
        if seed is not None:
            raise error("python.wrong-option", "`seed` is given, and the points are a grid.",
                        "Use it with random, latin, sobol, morris or indices.")
        return "grid", 0
    count = counts[given[0]]
    if not isinstance(count, (int, np.integer)) or count < 0:
        raise error("python.wrong-option", f"`{given[0]} = {count}` is not a number of points.")
    return _KINDS[given[0]], int(count)


def _range(name: str, range_: Any) -> str:
    if isinstance(range_, str):
        return f"{name}={range_}"
    try:
        if isinstance(range_, tuple):
            numbers = [repr(float(x)) for x in range_[:2]] + [str(x) for x in range_[2:]]
            return f"{name}={':'.join(numbers)}"
        return f"{name}={','.join(repr(float(x)) for x in range_)}"
    except (TypeError, ValueError):
        raise error("study.bad-range", f"'{name}' has the range {range_!r}, which is not known.",
                    "Give (low, high, n), (low, high, n, 'log'), (low, high) or a list of values.") from None


def _ranges(vary: Union[Ranges, Names, None]) -> List[str]:
    if vary is None:
        return []
    if isinstance(vary, str):
        return [vary]
    if isinstance(vary, MappingOf):
        return [_range(name, range_) for name, range_ in vary.items()]
    return list(vary)


def _columns(points: Mapping[str, Sequence[float]]) -> Dict[str, np.ndarray]:
    columns = {str(name): np.asarray(points[name], dtype=float) for name in points.keys()}
    if len({len(values) for values in columns.values()}) > 1:
        raise error("study.bad-points", "the columns of the points have different lengths.")
    if not columns or not len(next(iter(columns.values()))):
        raise error("study.bad-points", "the points have no rows.", "Give a column of values for each parameter.")
    for name, values in columns.items():
        if not np.isfinite(values).all():
            raise error("study.bad-points", f"the points have no value of '{name}' in row {np.argmin(np.isfinite(values)) + 1}.",
                        "Each row needs a value for every parameter.")
    return columns


def _check_settings(model: Any, varied: Sequence[str]) -> None:
    for name in varied:
        if name in model._set:
            raise error("python.wrong-option", f"'{name}' is both varied and set to {model._set[name]}.",
                        f"Take it back: del model.parameters['{name}'].")


def _threads(jobs: Optional[int]) -> int:
    if jobs is None:
        return os.cpu_count() or 1
    if int(jobs) != jobs or not 1 <= jobs <= 4096:
        raise error("python.wrong-option", f"`jobs = {jobs}` is not a number of threads: 1 to 4096 are possible.")
    return int(jobs)


class _Job(collections.namedtuple("_Job", "text file set given kind vary count seed first outputs bands")):
    """What a worker needs to compute any variant. Points that are given come with the pieces: ``first`` is one."""

    def prepare(self, table: Tuple[Tuple[float, ...], ...] = ()) -> Any:
        """The sweep, with all points that are given or with the first."""
        return _koppel.Sweep(self.text, self.file, list(self.set), dict(self.given), self.kind, list(self.vary),
                             self.count, self.seed, [list(values) for values in table or self.first],
                             list(self.outputs), self.bands)


@functools.lru_cache(maxsize=4)
def _prepared(job: _Job) -> Any:
    return job.prepare()


def compute(job: _Job, manifest: str, numbers: Sequence[int], points: List[List[float]], attempt: int) -> List[str]:
    """What a worker does: the lines of some variants. ``attempt`` tells one try from the next."""
    prepared = _prepared(job)
    other = prepared.differences(manifest)
    if other:
        raise error("study.refused", f"a worker computes another sweep: {other}.",
                    "All workers must have the same version of koppel and see the same files.")
    return prepared.lines(list(numbers), points)


# Where the work is done.

_held: Set[int] = set()  # descriptors of folders that are locked


def _let_go() -> None:
    """In a process that was forked, such as one of a pool: it may outlive the sweep, and must not hold its folder."""
    for lock in _held:
        os.close(lock)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


class _Folder:
    """The folder of the files, which one sweep at a time writes into; or one that is gone afterwards."""

    def __init__(self, path: Union[str, "os.PathLike[str]", None]):
        self._path = None if path is None else os.fspath(path)
        self._lock = -1

    def __enter__(self) -> str:
        if self._path is None:
            self._temporary = tempfile.TemporaryDirectory()
            return self._temporary.name
        os.makedirs(self._path, exist_ok=True)
        self._lock = os.open(self._path, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise error("results.folder-in-use", f"another run is writing into {self._path}.",
                        "Wait for its end, or give another folder.") from None
        except OSError:  # the file system has no locks
            pass
        _held.add(self._lock)
        return self._path

    def __exit__(self, *_: Any) -> None:
        if self._path is None:
            self._temporary.cleanup()
        elif self._lock in _held:
            _held.remove(self._lock)
            os.close(self._lock)


class _Work:
    """The missing rows of a journal, by the workers of an executor. Pieces whose workers were lost are handed out
    again, variant by variant; one that workers are always lost with is a row that failed."""

    def __init__(self, executor: Any, job: _Job, prepared: Any, journal: Any, columns: Dict[str, np.ndarray],
                 progress: Optional[Callable[[int, int], Any]]):
        if not callable(getattr(executor, "submit", None)):
            raise error("python.wrong-option", f"`executor = {executor!r}` has no method submit.",
                        "Give an executor such as concurrent.futures.ProcessPoolExecutor().")
        self._executor, self._job, self._prepared, self._journal = executor, job, prepared, journal
        self._columns, self._progress = columns, progress
        self._manifest = _prepared(job).manifest
        self._finished: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._in_flight: Dict[int, Tuple[Any, List[int]]] = {}
        self._losses: Dict[int, int] = collections.Counter()
        self._attempt = 0

    def run(self, piece: Optional[int]) -> None:
        missing = self._journal.missing()
        # Many more pieces than workers, and few enough not to be work themselves.
        size = piece or max(1, min(64, -(-len(missing) // 1024)))
        waiting = collections.deque(missing[i:i + size] for i in range(0, len(missing), size))
        try:
            while waiting or self._in_flight:
                while waiting and len(self._in_flight) < _MOST_IN_FLIGHT:
                    self._submit(waiting.popleft())
                future = self._finished.get()
                _, numbers = self._in_flight.pop(id(future))
                waiting.extend(self._take(future, numbers))
        finally:
            for future, _ in self._in_flight.values():
                future.cancel()

    def _submit(self, numbers: List[int]) -> None:
        points = [values[numbers].tolist() for values in self._columns.values()]
        self._attempt += 1
        try:
            future = self._executor.submit(compute, self._job, self._manifest, numbers, points, self._attempt)
        except Exception as wrong:
            self._refuse(wrong)
        self._in_flight[id(future)] = future, numbers
        future.add_done_callback(self._finished.put)

    def _take(self, future: Any, numbers: List[int]) -> List[List[int]]:
        """Keeps the rows of a piece; gives the pieces that are to be handed out again."""
        try:
            lines = future.result()
        except Error:
            raise
        except (Exception, asyncio.CancelledError) as wrong:
            # By its name, because Dask need not be there.
            if not any(kind.__name__ == "KilledWorker" for kind in type(wrong).__mro__):
                self._refuse(wrong)
            return self._hand_out_again(numbers)
        for number, line in zip(numbers, lines):
            self._append(number, line)
        return []

    def _hand_out_again(self, numbers: List[int]) -> List[List[int]]:
        if len(numbers) > 1:
            return [[number] for number in numbers]
        number = numbers[0]
        self._losses[number] += 1
        if self._losses[number] < _MOST_LOSSES:
            return [numbers]
        self._append(number, self._prepared.failed_line(number, "study.lost-workers", "all workers were lost with it."))
        return []

    def _append(self, number: int, line: str) -> None:
        self._journal.append(number, line)
        if self._progress is not None:
            self._progress(self._journal.num_done, len(self._prepared))

    def _refuse(self, wrong: BaseException) -> None:
        what = f"{type(wrong).__name__}: {wrong}" if str(wrong) else type(wrong).__name__
        raise error("study.executor-failed", f"the executor failed after {self._journal.num_done} of "
                    f"{len(self._prepared)} variants: {what}",
                    "With `out` the same call, with another executor, continues from there.") from wrong


# What came out.

def _table(path: str) -> List[Dict[str, str]]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _read(folder: str, shown: Optional[str]) -> Sweep:
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    numbers = [[{key: _number(text) for key, text in row.items()} for row in _table(os.path.join(folder, name))]
               if name in manifest["files"] else [] for name in ("indices.csv", "bands.csv")]
    return Sweep(_table(os.path.join(folder, "sweep.csv")), manifest, shown, *numbers)


Sweep.__module__ = "koppel"
