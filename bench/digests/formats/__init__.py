"""The formats of the bench, one module per family. A case is a function with `@case`; importing its module registers it."""

from . import answers, changes, compilers, dumps, logs, mixtures, packages, searches, sources, tables, tests, texts  # noqa: F401
from . import fifth, fourth, second, sixth, third  # noqa: F401  # Last, so that the first set keeps its order.
from .case import BUILDERS, Case, family_of, found, make, normal, session

__all__ = ["BUILDERS", "Case", "family_of", "found", "make", "normal", "session"]
