"""The fourth set: larger outputs, written without knowledge of the digest kinds, their rules and the other sets' cases."""

from . import builds, changes, data, listings, logs, sources, tests, texts  # noqa: F401
