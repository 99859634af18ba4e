"""What koppel raises and warns of."""

from __future__ import annotations

from typing import NamedTuple, Sequence


class Diagnostic(NamedTuple):
    """One mistake: what is wrong, where, and what to do about it."""

    id: str  #: stable, such as ``model.unknown-body``; ``koppel explain ID`` says more
    text: str  #: one sentence
    advice: str = ""  #: what to do; may be empty
    file: str = ""  #: empty: no place is known
    line: int = 0
    column: int = 0
    excerpt: str = ""  #: the line that is wrong, with a caret
    subject: str = ""  #: the part of the model that is wrong, by its name; empty: none, or not known

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}" + (f":{self.column}" if self.column else "")
        lines = [f"{place}: " * bool(place) + f"error[{self.id}]: {self.text}"]
        lines += [f"  {line}" for line in (*self.excerpt.splitlines(), *self.advice.splitlines())]
        return "\n".join(lines)


class Error(Exception):
    """All that koppel raises: a wrong model, wrong options, a run that fails.

    >>> import koppel
    >>> try:
    ...     koppel.load("slider_cranc")
    ... except koppel.Error as error:
    ...     print(error.id, "-", error.diagnostics[0].advice)
    model.no-file - Did you mean the built-in model 'slider_crank'? koppel.models() lists them.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self):
        return type(self), (self.diagnostics,)

    # Of the first mistake; ``diagnostics`` has all of them.

    @property
    def first(self) -> Diagnostic:
        """The first diagnostic."""
        return self.diagnostics[0] if self.diagnostics else Diagnostic("", "")

    @property
    def id(self) -> str:
        """Stable, such as ``model.unknown-body``."""
        return self.first.id

    @property
    def text(self) -> str:
        """What is wrong, one sentence."""
        return self.first.text

    @property
    def file(self) -> str:
        """Where; empty: no place is known."""
        return self.first.file

    @property
    def line(self) -> int:
        """The line in the file, from 1; 0: not known."""
        return self.first.line


class UnknownName(Error, KeyError):
    """A run has no quantity of this name. Also a KeyError, so that ``run.get(name)`` works as for any mapping.

    >>> import koppel
    >>> run = koppel.load("pendulum").simulate(end=0.1)
    >>> run.get("nowhere", "none")
    'none'
    """

    __str__ = Exception.__str__  # that of KeyError puts quotes around the text


class Failed(Error):
    """A run that did not come to its end. All that was reached is in ``run``."""

    def __init__(self, diagnostics: Sequence[Diagnostic], run=None):
        super().__init__(diagnostics)
        self.run = run


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. All that was reached is in ``run``."""

    def __init__(self, text: str, run=None):
        super().__init__(text)
        self.run = run


class Doubtful(UserWarning):
    """A run came to its end, but should not be trusted; the text says why."""


class Note(UserWarning):
    """What was done that one should know: a remark of a model, a note of a run."""


def error(id: str, text: str, advice: str = "", file: str = "", line: int = 0) -> Error:
    return Error([Diagnostic(id, text, advice, file, line)])


for _kind in (Diagnostic, Error, UnknownName, Failed, Interrupted, Doubtful, Note):
    _kind.__module__ = "koppel"  # where users find them: tracebacks say koppel.Error
