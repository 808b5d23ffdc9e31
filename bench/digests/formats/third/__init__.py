"""The third set: written without knowledge of the digest kinds, their rules and the cases of the other sets."""

from . import builds, changes, commands, data, listings, logs, mixtures, sources, tests, texts  # noqa: F401
