"""The fourth set: larger outputs, written without knowledge of the digest kinds, their rules and the other sets' cases."""

from . import builds, data, listings, logs, tests  # noqa: F401
