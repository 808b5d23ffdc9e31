"""Filler for the sixth set: a film studio, in words that no other set uses. The mechanics are the fourth set's."""

from ..bulk import namer
from ..fourth.stock import Clock, camel, distinct, entries, fill, hexes, ip, uuid

THINGS = (
    "scene reel take camera lens dolly boom mixer costume prop stage spotlight clapper script dubbing foley trailer "
    "matte farm storyboard subtitle score palette negative projector casting location closeup cutaway"
).split()
DEEDS = (
    "shoot edit dub grade cut light rehearse cast splice cue record mix screen revise sync slate wrap crop "
    "composite bundle"
).split()
HOSTS = "cut-01 cut-02 farm-a farm-b dailies-3 stage-east sound-7 vault-2".split()
PEOPLE = "Anouk Bruno Celia Darko Elsa Faruk Greta Hugo Irena Jonas Kira Lucio Mina Nils Odile Pavel".split()

__all__ = [
    "Clock", "DEEDS", "HOSTS", "PEOPLE", "THINGS", "camel", "distinct", "entries", "fill", "hexes", "ident", "idents", "ip", "uuid",
]

ident, idents = namer(DEEDS, THINGS)
