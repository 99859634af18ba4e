"""The methods of Model that add elements, one for each that the program has."""

from . import _koppel
from ._elements import make_method, method_name


class ElementMethods:
    """Joints, forces, events and constraints."""


for _table in _koppel.elements():
    setattr(ElementMethods, method_name(_table), make_method(_table))
