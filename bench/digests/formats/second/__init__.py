"""The second set: formats that nobody who builds digest kinds had looked at when it was first run."""

from . import builds, commands, data, logs, mixtures, sources, tests, texts  # noqa: F401
