"""Every public name has a docstring, and the examples in docstrings run."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import koppel


@pytest.mark.parametrize("name", ["koppel", *(f"koppel.{m.name}" for m in pkgutil.iter_modules(koppel.__path__)
                                              if m.name != "_koppel")])
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


@pytest.mark.parametrize("name", koppel.__all__)
def test_public_names_are_described(name):
    item = getattr(koppel, name)
    if isinstance(item, float):
        return
    assert inspect.getdoc(item)
    if inspect.isclass(item) and item.__module__.startswith("koppel"):
        for key, member in vars(item).items():
            if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{name}.{key}"


def test_help_says_how_to_begin():
    text = koppel.__doc__
    assert "m.simulate()" in text and "koppel.Error" in text
