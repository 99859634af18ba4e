"""Functions of Python that a run calls: by controllers at their samples, and by events."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from ._errors import error

Answer = Tuple[List[Tuple[str, float]], bool]  # values of states, and whether the run goes on

SLOW = ("Python callbacks are slow and not smooth: the run stops at each sample, and the value is held between. "
        "Where the law can be written as an expression, that is faster and exact.")


class Callback(NamedTuple):
    function: Callable[..., Any]
    reads: Tuple[str, ...]  #: what it gets, as texts of expressions
    every: Optional[float] = None  #: the sampling period, s; None: when the event of this name happens
    sets: Tuple[str, ...] = ()  #: the states that it gives, in this order; an event's names them itself


def _number(name: str, of: str, value: Any) -> Tuple[str, float]:
    try:
        return name, float(value)
    except (TypeError, ValueError):
        raise error("python.wrong-answer", f"the callback of '{of}' gave {value!r} for '{name}'; a number is expected.") from None


def _answer(name: str, callback: Callback, given: Any) -> Answer:
    """What a callback gave: a number, several, a mapping of states, None, or False, which ends the run."""
    if given is None or isinstance(given, bool):
        return [], given is not False
    if isinstance(given, dict):
        return [_number(str(state), name, value) for state, value in given.items()], True
    sets = callback.sets
    is_list = hasattr(given, "__len__") and not isinstance(given, str)
    values = list(given) if is_list else [given]
    if len(values) != len(sets):
        expected = ("None, False or a dict of states is" if not sets else "a number is" if len(sets) == 1
                    else f"{len(sets)} numbers ({', '.join(sets)}) are")
        raise error("python.wrong-answer", f"the callback of '{name}' gave {given!r}; {expected} expected.")
    return [_number(state, name, value) for state, value in zip(sets, values)], True


class Calls:
    """The callbacks of one run. What they answer is kept, so that the same run can be integrated again."""

    def __init__(self, callbacks: Dict[str, Callback], answers: Optional[Dict[str, List[Answer]]] = None):
        self.answers: Dict[str, List[Answer]] = {name: [] for name in callbacks}
        self.all = [(name, callback.every, list(callback.reads),
                     self._recorded(name, callback) if answers is None else self._replayed(answers[name]))
                    for name, callback in callbacks.items()]

    def _recorded(self, name: str, callback: Callback) -> Callable[..., Answer]:
        def call(t: float, *reads: float) -> Answer:
            out = _answer(name, callback, callback.function(t, *reads))
            self.answers[name].append(out)
            return out

        return call

    @staticmethod
    def _replayed(answers: List[Answer]) -> Callable[..., Answer]:
        left = iter(answers)
        return lambda t, *reads: next(left, ([], True))
