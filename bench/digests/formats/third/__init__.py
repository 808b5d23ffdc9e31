"""The third set: written without knowledge of how digests are made, and of the cases of the other sets."""

from . import builds, changes, commands, data, listings, logs, mixtures, sources, tests, texts  # noqa: F401
