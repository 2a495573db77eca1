"""Claims of documents, judged against the facts: see `check.py`, then one module for each kind of claim."""

from ingest.claims.check import check, check_document
from ingest.claims.finding import Contradiction, Finding, Statement

__all__ = ["Contradiction", "Finding", "Statement", "check", "check_document"]
