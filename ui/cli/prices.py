"""`gpu-advisor prices`: fetch live rental offers, and say how old the prices are."""

import argparse
import json
import sys
from typing import Any

from kb import clock
from kb.base import BadInput


def add_to(commands: Any) -> None:
    """The `prices` command."""
    prices = commands.add_parser("prices", help="live rental offers: fetch them, see how old they are")
    parts = prices.add_subparsers(dest="part", required=True, metavar="refresh|status")
    refresh = parts.add_parser("refresh", help="fetch the offers that gpuhunt publishes and keep them")
    refresh.add_argument("--provider", action="append", default=[], metavar="NAME", help="only this one; repeatable")
    refresh.add_argument("--timeout", type=float, default=120.0, metavar="S", help="longest wait in all (default: 120)")
    refresh.add_argument("--json", action="store_true")
    refresh.set_defaults(run=run_refresh)
    status = parts.add_parser("status", help="offers held, where they come from and how old they are")
    status.add_argument("--json", action="store_true")
    status.set_defaults(run=run_status)


def run_refresh(options: argparse.Namespace) -> int:
    """Fetch, and say what each provider brought; a provider that failed is named, the others are kept."""
    if not 1 <= options.timeout <= 600:
        raise BadInput("--timeout", "must lie between 1 and 600 seconds.")
    from ingest.prices import refresh

    report = refresh(options.provider, options.timeout)
    if options.json:
        print(json.dumps(vars(report), ensure_ascii=False))
        return 0
    for name, count in sorted(report.fetched.items()):
        print(f"{name}: {count} offers")
    for name, why in sorted(report.failed.items()):
        print(f"{name}: failed: {why}; what was held of it stays", file=sys.stderr)
    print(f"{sum(report.fetched.values())} offers kept, observed at {report.observed_at}")
    return 0


def run_status(options: argparse.Namespace) -> int:
    """How many offers there are and how old, the catalog's and each live provider's."""
    state = status()
    if options.json:
        print(json.dumps(state, ensure_ascii=False))
        return 0
    held = state["catalog"]
    print(
        f"catalog: {held['offers']} offers, read {held['oldest']} to {held['newest']}; {held['stale']} are older than "
        f"{state['stale_after_days']} days, {held['undated']} undated"
    )
    for row in state["live"]:
        old = f" (older than {state['stale_after_days']} days)" if row["stale"] else ""
        print(f"{row['provider']}: {row['offers']} offers of {row['as_of']}, fetched {row['observed_at']}{old}")
    if not state["live"]:
        print("live: none yet; `gpu-advisor prices refresh` fetches them")
    return 0


def status() -> dict[str, Any]:
    """The same as plain JSON."""
    from kb.market.live_prices import path, read
    from kb.market.offers import bundled_offers
    from tools.prices import STALE_AFTER_DAYS, is_stale

    today = clock.today()
    bundled = bundled_offers()
    dates = sorted(one.as_of for one in bundled if one.as_of)
    live = [
        {
            "provider": one.provider,
            "offers": len(one.offers),
            "as_of": one.offers[0].as_of,
            "observed_at": one.observed_at,
            "stale": is_stale(one.offers[0].as_of, today),
        }
        for one in read().providers.values()
    ]
    return {
        "stale_after_days": STALE_AFTER_DAYS,
        "file": str(path()),
        "catalog": {
            "offers": len(bundled),
            "oldest": dates[0],
            "newest": dates[-1],
            "stale": sum(is_stale(one.as_of, today) and one.as_of is not None for one in bundled),
            "undated": sum(one.as_of is None for one in bundled),
        },
        "live": live,
    }
