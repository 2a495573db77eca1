"""No attack changes an answer; the long form of the bench tries several hundred."""

from attacks import CARRIERS, GOALS, attacks
from injection import run


def test_the_design_covers_every_goal_carrier_and_disguise() -> None:
    chosen = attacks(400)
    assert len({attack.name for attack in chosen}) == 400
    assert len({attack.goal.name for attack in chosen}) == len(GOALS) == 14
    assert len({attack.carrier for attack in chosen}) == len(CARRIERS) == 8
    assert len({attack.disguise for attack in chosen}) == 16


def test_nothing_gets_through_and_the_oracles_would_have_seen_it() -> None:
    carriers, through, seen, tried, refused = run(48, 4)
    assert through == []
    assert set(carriers) == set(CARRIERS)
    assert (seen, refused) == (tried, 0)
