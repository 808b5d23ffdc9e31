"""The fifth set: large outputs, by three authors who knew neither how digests are made nor the other sets' cases."""

from . import builds, changes, commands, data, listings, logs, mixtures, sources, tests, texts  # noqa: F401
