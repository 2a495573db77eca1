"""Nothing the API is sent makes it fail; the long form sends ten thousand cases."""

from fuzz import run


def test_no_case_of_the_schema_and_no_bytes_make_an_address_fail() -> None:
    tallies = run(120, 250)
    assert [fault for tally in tallies.values() for fault in tally.faults] == []
    assert all(tally.cases >= 100 for tally in tallies.values())
