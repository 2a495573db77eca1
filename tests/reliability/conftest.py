"""Put the measuring scripts beside these tests within reach; each test runs one of them in short."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench" / "reliability"))
