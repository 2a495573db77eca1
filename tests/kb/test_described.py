"""Schemas tell what each field means; commands that show none do not read it."""

import subprocess
import sys

from kb.base import Frozen
from kb.described import meanings


class Slot(Frozen):
    """A place for a card."""

    lanes: int
    """PCIe lanes it has."""
    bare: int = 0


class WideSlot(Slot):
    """One that takes two."""

    bare: int = 1
    """Said here, not before."""
    beside: Slot | None = None
    """Its
    neighbour."""


def test_schema_tells_what_each_field_means() -> None:
    properties = WideSlot.model_json_schema()["properties"]
    assert properties["lanes"]["description"] == "PCIe lanes it has."
    assert properties["bare"]["description"] == "Said here, not before."
    assert properties["beside"]["description"] == "Its\nneighbour."


def test_a_field_without_a_string_beneath_has_no_meaning() -> None:
    assert set(meanings(Slot)) == {"lanes"}
    assert "description" not in Slot.model_json_schema()["properties"]["bare"]


def test_a_shape_without_source_has_the_meanings_of_its_ancestors() -> None:
    made = type("Made", (Slot,), {"__module__": "nowhere"})
    assert meanings(made) == meanings(Slot)


def test_a_command_that_shows_no_schema_reads_no_meaning() -> None:
    asked = "main(['tool', 'find_gpus', '--limit', '1'])"
    code = f"import sys; from ui.cli import main; {asked}; sys.exit('kb.described' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0
