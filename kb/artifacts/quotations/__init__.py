"""Quotations: tables of parts and prices, parameters of tenders."""

from kb.artifacts.artifact import Format

FORMATS: tuple[Format, ...] = ()
