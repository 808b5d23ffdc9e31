"""The second set: formats that nobody who works on digests had looked at when it was first run."""

from . import builds, commands, data, logs, mixtures, sources, tests, texts  # noqa: F401
