"""Judge claims about cards, machines, instances, models and software by asking the public tools.

    python tests/bench/judge_claims.py CLAIMS… [--details]

CLAIMS: YAML list or JSON lines of {subject, attribute, claimed_value, verdict, …}; those with `checkable_by` other than
a catalog are left out. Prints how many are judged right, by verdict; `--details` every one that is not.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from judging.judge import RIGHT, judge

CATALOGS = {"catalog", "cloud catalog"}


def load(path: Path) -> list[dict[str, Any]]:
    """Claims of a file that a catalog can check."""
    text = path.read_text(encoding="utf-8")
    rows = (
        yaml.safe_load(text)
        if path.suffix in (".yaml", ".yml")
        else [json.loads(one) for one in text.splitlines() if one]
    )
    return [row for row in rows if row.get("checkable_by", "catalog") in CATALOGS]


def main(arguments: list[str]) -> int:
    """Judge every file and print the share that comes out right."""
    paths = [Path(one) for one in arguments if not one.startswith("--")]
    for path in paths:
        right, total = Counter[str](), Counter[str]()
        for row in load(path):
            ruling = judge(row["subject"], row["attribute"], str(row["claimed_value"]), row.get("claim_en", ""))
            total[row["verdict"]] += 1
            good = ruling.ruling in RIGHT[row["verdict"]]
            right[row["verdict"]] += good
            if "--details" in arguments and not good:
                said = f"{row['subject']} | {row['attribute']} | {row['claimed_value']}"
                print(f"{row.get('id', ''):10} {row['verdict']:11} {ruling.ruling:13} {said} -> {ruling.found[:110]}")
        share = sum(right.values()) / max(1, sum(total.values()))
        print(f"{path.name}: {sum(right.values())} of {sum(total.values())} judged right ({share:.1%})")
        for verdict, count in total.items():
            print(f"  {verdict:12} {right[verdict]:4} of {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
