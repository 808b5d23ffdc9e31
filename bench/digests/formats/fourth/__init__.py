"""The fourth set: large outputs, written without knowledge of how digests are made and of the other sets' cases."""

from . import builds, changes, commands, data, listings, logs, mixtures, sources, tests, texts  # noqa: F401
