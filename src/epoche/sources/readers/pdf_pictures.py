"""Pages of a PDF that are pictures: scanned, or drawn letter by letter."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_float
from dataclasses import dataclass
from typing import Any

#: Share of a page that pictures cover, if the page is one.
PICTURE = 0.4
#: A page that is a picture holds fewer characters than this: a stamp, a name, a number.
FEW = 200
#: Lines and curves of which a page without text is drawn.
_DRAWN = 500
#: Objects of a page that are looked at, and forms in forms.
_OBJECTS, _DEPTH = 20_000, 4
#: The page is looked at in as many cells each way.
_CELLS = 32


@dataclass(slots=True)
class Drawing:
    """What stands on a page beside its text."""

    #: Share of the page that pictures cover.
    covered: float
    #: Number of lines and curves.
    paths: int

    def problem(self, characters: int) -> str:
        """Why the page is not read, with so many characters of text; empty if it is."""
        if characters < FEW and self.covered >= PICTURE:
            return "the page is a picture (scanned): run it through text recognition (OCR)"
        if not characters and self.paths > _DRAWN:
            return "the page is drawn, not written: run it through text recognition (OCR)"
        return ""


def drawing(raw: Any, page: Any) -> Drawing:
    """What stands on a page beside its text.

    Args:
        raw: `pypdfium2.raw`.
        page: the handle of the page.
    """
    box = raw.FS_RECTF()
    if not raw.FPDF_GetPageBoundingBox(page, byref(box)):
        return Drawing(0.0, 0)
    width, height = box.right - box.left, box.top - box.bottom
    if not (width > 0 and height > 0):
        return Drawing(0.0, 0)
    cells: set[tuple[int, int]] = set()
    paths = 0
    for thing, picture in _things(raw, page):
        if not picture:
            paths += 1
        elif len(cells) < _CELLS**2 and (bounds := _bounds(raw, thing)):
            left, bottom, right, top = bounds
            cells |= {
                (i, j)
                for i in _range((left - box.left) / width, (right - box.left) / width)
                for j in _range((bottom - box.bottom) / height, (top - box.bottom) / height)
            }
    return Drawing(len(cells) / _CELLS**2, paths)


def _things(raw: Any, page: Any) -> Iterator[tuple[Any, bool]]:
    """Pictures (True) and lines (False); a form that holds a picture is one."""
    for index in range(min(raw.FPDFPage_CountObjects(page), _OBJECTS)):
        thing = raw.FPDFPage_GetObject(page, index)
        kind = raw.FPDFPageObj_GetType(thing)
        if kind == raw.FPDF_PAGEOBJ_FORM:
            kinds = list(_inside(raw, thing))
            if raw.FPDF_PAGEOBJ_IMAGE in kinds:
                yield thing, True
            yield from ((thing, False) for k in kinds if k == raw.FPDF_PAGEOBJ_PATH)
        elif kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH):
            yield thing, kind == raw.FPDF_PAGEOBJ_IMAGE


def _inside(raw: Any, form: Any, depth: int = 1) -> Iterator[int]:
    """Kinds of what a form holds."""
    for index in range(min(raw.FPDFFormObj_CountObjects(form), 1000)):
        thing = raw.FPDFFormObj_GetObject(form, index)
        kind = raw.FPDFPageObj_GetType(thing)
        if kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEPTH:
            yield from _inside(raw, thing, depth + 1)
        yield kind


def _bounds(raw: Any, thing: Any) -> tuple[float, float, float, float] | None:
    left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    if not raw.FPDFPageObj_GetBounds(thing, byref(left), byref(bottom), byref(right), byref(top)):
        return None
    return left.value, bottom.value, right.value, top.value


def _range(low: float, high: float) -> range:
    """Cells whose middle lies between two shares of the page."""
    low, high = sorted((min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)))
    return range(int(low * _CELLS + 0.5), int(high * _CELLS + 0.5))
