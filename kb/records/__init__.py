"""Typed, frozen records of everything the catalog knows."""
