"""The fourth set: larger outputs, written without knowledge of the digest kinds, their rules and the other sets' cases."""

from . import builds, changes, commands, data, listings, logs, mixtures, sources, tests, texts  # noqa: F401
