"""Live offers: a catalog in gpuhunt's own format, served on this machine, and everything that may go wrong with it."""

import csv
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from gpuhunt._internal.storage import CATALOG_V2_FIELDS

from ingest import catalog_download, prices
from kb.base import BadInput, PricesUnavailable
from kb.catalog import offers, providers
from kb.market import live_prices
from kb.market.offers import bundled_offers, current_offers
from kb.settings import settings
from tools.find_offers import OfferQuery, find_offers
from ui.cli import main

ROW = {
    "instance_name": "p5.48xlarge", "location": "us-east-1", "price": "50.0", "cpu": "192", "memory": "2048.0",
    "gpu_count": "8", "gpu_name": "H100", "gpu_memory": "80.0", "spot": "False", "disk_size": "",
    "gpu_vendor": "nvidia", "flags": "", "cpu_arch": "x86", "provider_data": "{}",
}  # fmt: skip


def packed(provider: str, rows: list[dict[str, str]]) -> bytes:
    """A catalog as gpuhunt publishes it: one CSV of its columns in a zip."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CATALOG_V2_FIELDS)
    writer.writeheader()
    writer.writerows({**ROW, **row} for row in rows)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{provider}.csv", text.getvalue())
    return content.getvalue()


class Publisher(ThreadingHTTPServer):
    """Answers with what `files` holds, else 404."""

    files: dict[str, bytes]

    def publish(self, provider: str, rows: list[dict[str, str]], version: str = "20261120-7") -> None:
        self.files[f"/v3/{provider}/version"] = f"{version}\n".encode()
        self.files[f"/v3/{provider}/{version}/catalog.zip"] = packed(provider, rows)


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = self.server.files.get(self.path)  # type: ignore[attr-defined]
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    server = Publisher(("127.0.0.1", 0), Answer)
    server.files = {}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(tmp_path))
    monkeypatch.setenv("GPU_ADVISOR_PRICES_URL", f"http://127.0.0.1:{server.server_address[1]}/v3")
    settings.cache_clear()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
    settings.cache_clear()


def live() -> list[Any]:
    return [one for one in offers() if one.live]


def test_live_offers_join_those_of_the_catalog(publisher: Publisher) -> None:
    publisher.publish("aws", [{}, {"price": "20.5", "spot": "True"}])
    report = prices.refresh(["aws"])
    assert report.fetched == {"aws": 1}
    (one,) = live()
    assert (one.provider, one.instance, one.gpu, one.country) == ("AWS", "p5.48xlarge", "h100-sxm-80gb", "US")
    assert (one.on_demand_usd_per_hour, one.spot_usd_per_hour) == (Decimal("50"), Decimal("20.5"))
    assert (one.as_of, one.source, one.live) == ("2026-11-20", "gpuhunt-live", True)
    assert len(offers()) == len(bundled_offers()) + 1


def test_a_newer_reading_replaces_the_catalogs_in_every_search(publisher: Publisher) -> None:
    query = OfferQuery(instance="p5.48xlarge", region="us-east-1")
    before = find_offers(query).offers
    publisher.publish("aws", [{"price": "41.25"}])
    prices.refresh(["aws"])
    (row,) = find_offers(query).offers
    assert before[0].usd_per_hour != row.usd_per_hour == Decimal("41.25")
    assert row.live
    assert find_offers(query).sources[0].id == "gpuhunt-live"
    assert [one.live for one in current_offers() if (one.instance, one.region) == ("p5.48xlarge", "us-east-1")] == [
        True
    ]


def test_live_prices_older_than_thirty_days_are_flagged(publisher: Publisher) -> None:
    publisher.publish("aws", [{}], version="20260101-1")
    prices.refresh(["aws"])
    (one,) = live()
    assert one.as_of == "2026-01-01"
    rows = find_offers(OfferQuery(instance="p5.48xlarge", include_superseded=True, limit=100)).offers
    row = next(row for row in rows if row.live)
    assert row.stale


def test_of_each_country_the_cheapest_region_is_kept(publisher: Publisher) -> None:
    places = [("us-east-1", "50"), ("us-west-2", "48"), ("eu-west-3", "60"), ("nowhere-1", "55"), ("nowhere-2", "54")]
    publisher.publish("aws", [{"location": place, "price": price} for place, price in places])
    prices.refresh(["aws"])
    assert {(one.region, one.country) for one in live()} == {
        ("us-west-2", "US"), ("eu-west-3", "FR"), ("nowhere-1", None), ("nowhere-2", None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "memory", "instance", "expected"),
    [
        ("H100", 80.0, "p5.48xlarge", "h100-sxm-80gb"), ("H100", 80.0, "gpu_1x_h100_pcie", "h100-pcie-80gb"),
        ("H100", 80.0, "a3-highgpu-8g", "h100-sxm-80gb"),
        ("H100NVL", 94.0, "Standard_NC40ads_H100_v5", "h100-nvl-94gb"),
        ("A100", 80.0, "Standard_NC24ads_A100_v4", "a100-pcie-80gb"), ("A100", 40.0, "p4d.24xlarge", "a100-sxm-40gb"),
        ("A100", 80.0, "Standard_ND96amsr_A100_v4", "a100-sxm-80gb"), ("L40S", 48.0, "g6e.xlarge", "l40s-48gb"),
        ("A10G", 24.0, "g5.xlarge", "a10g-24gb"), ("RTX4090", 24.0, "NVIDIA GeForce RTX 4090", "rtx-4090-24gb"),
        ("RTX3090Ti", 24.0, "x", "rtx-3090-ti-24gb"), ("RTX6000Ada", 48.0, "x", "rtx-6000-ada-48gb"),
        ("B200", 180.0, "p6-b200.48xlarge", "b200-sxm-180gb"), ("MI300X", 192.0, "x", "mi300x-192gb"),
        ("A6000", 48.0, "x", "rtx-a6000-48gb"), ("T4", 16.0, "g4dn.xlarge", "t4-16gb"),
        ("V100", 32.0, "p3dn", "v100-sxm2-32gb"),
        ("NoSuchCard", 24.0, "x", None), ("H100", 24.0, "x", None),
    ],
)  # fmt: skip
def test_a_card_is_known_by_name_memory_and_instance(
    name: str, memory: float, instance: str, expected: str | None
) -> None:
    assert prices.card(name, memory, instance) == expected


def test_slips_are_left_out(publisher: Publisher) -> None:
    rows = [{"price": "0.0"}, {"price": "9999"}, {"gpu_count": "0", "gpu_name": "", "gpu_vendor": ""}, {"price": "nan"}]
    publisher.publish("aws", [*rows[:3], {"instance_name": "p5.4xlarge", "gpu_count": "1", "price": "6.5"}])
    prices.refresh(["aws"])
    assert [one.instance for one in live()] == ["p5.4xlarge"]


def test_a_provider_that_fails_keeps_what_was_fetched_before(publisher: Publisher) -> None:
    publisher.publish("aws", [{}])
    publisher.publish("gcp", [{"instance_name": "a3-highgpu-8g", "location": "us-central1-a"}])
    prices.refresh(["aws", "gcp"])
    del publisher.files["/v3/aws/version"]
    publisher.files["/v3/gcp/20261120-7/catalog.zip"] = packed("gcp", [{"instance_name": "a3-megagpu-8g"}])
    report = prices.refresh(["aws", "gcp"])
    assert set(report.failed) == {"aws"}
    assert "404" in report.failed["aws"]
    assert {one.instance for one in live()} == {"p5.48xlarge", "a3-megagpu-8g"}


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [("/v3/aws/version", b"\xff\xfe", "no catalog"), ("/v3/aws/20261120-7/catalog.zip", b"not a zip", "no catalog"),
     ("/v3/aws/20261120-7/catalog.zip", packed("gcp", [{}]), "no catalog"),
     ("/v3/aws/20261120-7/catalog.zip", packed("aws", []), "lists no GPU")],
)  # fmt: skip
def test_what_is_no_catalog_is_refused_and_nothing_is_lost(
    publisher: Publisher, path: str, body: bytes, said: str
) -> None:
    publisher.publish("aws", [{}])
    prices.refresh(["aws"])
    held = live_prices.path().read_bytes()
    publisher.files[path] = body
    with pytest.raises(PricesUnavailable, match=said):
        prices.refresh(["aws"])
    assert live_prices.path().read_bytes() == held


def test_a_catalog_beyond_the_limit_is_refused(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher.publish("aws", [{"instance_name": f"x{n}"} for n in range(200)])
    monkeypatch.setattr(catalog_download, "SIZE_MAX", 4000)
    with pytest.raises(PricesUnavailable, match=r"more than|larger than"):
        prices.refresh(["aws"])


def test_the_time_for_all_of_it_is_bounded(publisher: Publisher) -> None:
    publisher.publish("aws", [{}])
    with pytest.raises(PricesUnavailable, match=r"too long|timed out"):
        prices.refresh(["aws"], limit_s=-1.0)


def test_without_a_network_the_command_says_so_and_exits_1(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publisher.publish("aws", [{}])
    prices.refresh(["aws"])
    held = live_prices.path().read_bytes()
    monkeypatch.setenv("GPU_ADVISOR_PRICES_URL", "http://127.0.0.1:9/v3")
    settings.cache_clear()
    assert main(["prices", "refresh", "--timeout", "5"]) == 1
    said = capsys.readouterr().err
    assert "Is the network reachable?" in said
    assert "unchanged" in said
    assert live_prices.path().read_bytes() == held


def test_the_command_refreshes_and_tells_the_state(publisher: Publisher, capsys: pytest.CaptureFixture[str]) -> None:
    publisher.publish("aws", [{}])
    assert main(["prices", "refresh", "--provider", "aws", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fetched"] == {"aws": 1}
    assert main(["prices", "status", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert state["catalog"]["offers"] == len(bundled_offers())
    assert [(row["provider"], row["offers"], row["as_of"]) for row in state["live"]] == [("aws", 1, "2026-11-20")]
    assert main(["prices", "status"]) == 0
    assert "aws: 1 offers of 2026-11-20" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["refresh", "--provider", "nosuchcloud"], ["refresh", "--timeout", "0"], ["refresh", "--timeout", "nan"]],
)
def test_bad_input_exits_2(publisher: Publisher, arguments: list[str]) -> None:
    assert main(["prices", *arguments]) == 2


def test_an_unknown_provider_is_refused_before_anything_is_fetched(publisher: Publisher) -> None:
    with pytest.raises(BadInput, match="published catalog"):
        prices.refresh(["nosuchcloud"])
    assert not live_prices.path().exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"version": 1, "providers": {"aws": 3}}', b"\xff", b'{"version": 2, "providers": {}}']
)
def test_a_broken_file_counts_as_nothing_fetched(publisher: Publisher, content: bytes) -> None:
    live_prices.path().parent.mkdir(parents=True)
    live_prices.path().write_bytes(content)
    assert live() == []
    publisher.publish("aws", [{}])
    prices.refresh(["aws"])
    assert len(live()) == 1


def test_every_published_provider_has_a_name_of_ours() -> None:
    known = {one.name for one in providers().values()}
    assert set(prices._words()["providers"].values()) <= known
    assert set(prices._words()["countries"]) <= set(prices.known_providers())


def test_no_file_is_left_half_written(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher.publish("aws", [{}])
    prices.refresh(["aws"])
    held = live_prices.path().read_bytes()

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(live_prices.json, "dump", fail)
    with pytest.raises(OSError, match="disk full"):
        prices.refresh(["aws"])
    assert live_prices.path().read_bytes() == held
    assert {one.name for one in live_prices.path().parent.iterdir()} == {"offers.json", "offers.lock"}


def test_two_refreshes_at_once_keep_the_providers_of_both(publisher: Publisher) -> None:
    names = ("aws", "gcp", "azure", "oci", "nebius")
    for name in names:
        publisher.publish(name, [{}])
    threads = [threading.Thread(target=prices.refresh, args=([name],)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(live_prices.read().providers) == set(names)
