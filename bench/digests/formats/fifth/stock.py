"""Filler for the fifth set: a hospital's laboratory, in words that no other set uses. The mechanics are the fourth set's."""

from ..bulk import namer
from ..fourth.stock import Clock, camel, distinct, entries, fill, hexes, ip, uuid

THINGS = (
    "sample centrifuge pipette assay reagent specimen vial incubator rack barcode requisition ward analyzer culture "
    "plate slide biopsy plasma serum freezer cuvette swab courier printer panel aliquot tray lot"
).split()
DEEDS = (
    "spin thaw label stain dilute draw accession verify amend dispatch rerun pool aliquot calibrate image titrate "
    "quarantine collect freeze score"
).split()
HOSTS = "lis-01 lis-02 analyzer-a analyzer-b cold-store-3 pacs-east hl7gw-2 bench-7".split()
PEOPLE = "Aino Bastien Chidi Dunja Emeka Freya Goran Hana Isidro Jun Katja Lamine Mirek Nadia Oluf Perla".split()

__all__ = [
    "Clock", "DEEDS", "HOSTS", "PEOPLE", "THINGS", "camel", "distinct", "entries", "fill", "hexes", "ident", "idents", "ip", "uuid",
]

ident, idents = namer(DEEDS, THINGS)
