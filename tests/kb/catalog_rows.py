"""What every row of any kind in the catalog must satisfy: the base of the integrity tests."""

import re
from typing import ClassVar

from pydantic import BaseModel

from kb.catalog import sources

DATE = re.compile(r"20\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class Rows:
    """Ids, sources, dates and texts of the rows; one subclass for each kind."""

    rows: ClassVar[tuple[BaseModel, ...]] = ()
    dated: ClassVar[tuple[str, ...]] = ()

    def test_ids_are_unique(self) -> None:
        ids = [row.id for row in self.rows]
        assert len(ids) == len(set(ids))

    def test_every_row_cites_a_known_source(self) -> None:
        known = set(sources())
        for row in self.rows:
            cited = set(row.sources) if hasattr(row, "sources") else {row.source}
            assert cited, row.id
            assert cited <= known, (row.id, cited - known)

    def test_dates_are_iso_dates_months_or_years(self) -> None:
        for row in self.rows:
            for field in self.dated:
                value = getattr(row, field)
                assert value is None or DATE.fullmatch(value), (row.id, field, value)

    def test_no_text_is_padded_or_empty(self) -> None:
        for row in self.rows:
            for field, value in row:
                if isinstance(value, str) and field != "notes":
                    assert value.strip() == value != "", (row.id, field, value)
