"""Quotations: tables of parts and prices, parameters of tenders."""

from kb.artifacts.artifact import Format
from kb.artifacts.quotations import parts, tender

FORMATS: tuple[Format, ...] = (parts.FORMAT, tender.FORMAT)
