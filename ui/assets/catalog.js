// The catalog of cards: filtered, sorted, compared.
((page) => {
  let cards = [], order = { column: 1, down: true }, loading = false;
  const chosen = new Set();
  const big = (value, unit) => value ? { key: value, text: `${(value / 1e12).toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit}` } : { key: -1, text: "–" };
  const cells = (gpu) => [
    { key: gpu.name.toLowerCase(), text: gpu.name },
    { key: gpu.memory_bytes, text: `${Math.round(gpu.memory_bytes / 2 ** 30)} GiB` },
    big(gpu.bandwidth_bytes_per_s, "TB/s"), big(gpu.bf16_flops, "TFLOP/s"),
    { key: gpu.nvlink_bytes_per_s || -1, text: gpu.nvlink_bytes_per_s ? `${gpu.nvlink_bytes_per_s / 1e9} GB/s` : "–" },
    { key: gpu.tdp_w || -1, text: gpu.tdp_w ? `${gpu.tdp_w} W` : "–" },
    { key: gpu.year, text: String(gpu.year) },
    { key: gpu.price_low_usd || -1, text: gpu.price_low_usd ? `$${Math.round(gpu.price_low_usd).toLocaleString("en")}${gpu.price_as_of ? " · " + gpu.price_as_of : ""}` : "–" },
  ];
  const number = (id) => Number(page.find(id).value) || 0;
  const draw = () => {
    const body = page.find("#cards-table tbody"), wanted = page.find("#cards-filter").value.toLowerCase().split(/\s+/);
    const vendor = page.find("#cards-vendor").value, market = page.find("#cards-market").value, least = number("#cards-memory") * 2 ** 30;
    const shown = cards.filter((card) => wanted.every((word) => card.haystack.includes(word)) && (!vendor || card.gpu.vendor === vendor) && (!market || card.gpu.market === market) && card.gpu.memory_bytes >= least);
    shown.sort((a, b) => (a.cells[order.column].key < b.cells[order.column].key ? -1 : 1) * (order.down ? -1 : 1));
    body.replaceChildren(...shown.map((card) => {
      const row = page.make("tr");
      card.cells.forEach((cell, index) => {
        const place = page.make(index ? "td" : "th");
        if (index) place.textContent = cell.text;
        else {
          const box = page.make("input"), button = page.make("button", cell.text);
          box.type = "checkbox"; box.checked = chosen.has(card.gpu.id); box.dataset.chosen = card.gpu.id; box.setAttribute("aria-label", `${page.words("pick")}: ${cell.text}`);
          button.type = "button"; button.dataset.card = cell.text; place.scope = "row";
          place.append(box, " ", button);
        }
        row.append(place);
      });
      return row;
    }));
    page.find("#cards-count").textContent = `${shown.length} / ${cards.length}`;
    page.all("#cards-table thead th").forEach((head, index) => head.setAttribute("aria-sort", index === order.column ? (order.down ? "descending" : "ascending") : "none"));
  };
  const options = (id, values) => page.find(id).append(...[...new Set(values)].sort().map((value) => { const option = page.make("option", value); option.value = value; return option; }));
  page.views.cards = async () => { // called whenever the view is on show; draws once, when both rows and table are there
    const body = page.find("#cards-table tbody");
    if (!body || body.childElementCount || loading) return;
    loading = true;
    const answer = cards.length ? null : await fetch("/v1/catalog/gpus?limit=1000");
    loading = false;
    if (answer) {
      cards = (await answer.json()).rows.map((gpu) => ({ gpu, cells: cells(gpu), haystack: [gpu.id, gpu.name, gpu.vendor, gpu.architecture, ...gpu.aliases].join(" ").toLowerCase() }));
      options("#cards-vendor", cards.map((card) => card.gpu.vendor)); options("#cards-market", cards.map((card) => card.gpu.market).filter(Boolean));
    }
    draw();
  };
  page.inputs.push(
    ["#cards-filter, #cards-vendor, #cards-market, #cards-memory", draw],
    ["[data-chosen]", (box) => {
      if (box.checked) chosen.add(box.dataset.chosen); else chosen.delete(box.dataset.chosen);
      if (chosen.size > 4) { box.checked = false; chosen.delete(box.dataset.chosen); }
      page.find("#cards-compare").disabled = chosen.size < 2;
    }],
  );
  page.actions.push(
    ["[data-sort]", (hit) => { const column = Number(hit.dataset.sort); order = { column, down: order.column === column ? !order.down : column !== 0 }; draw(); }],
    ["[data-card]", (hit) => { page.goTo("ask"); page.fill(`${hit.dataset.card} `, false); }],
    ["#cards-compare", async () => {
      const place = page.find("#cards-compared"), answer = await page.post("/page/cards", { gpus: [...chosen] });
      if (answer.ok) place.innerHTML = await answer.text(); else place.replaceChildren(page.make("p", await page.told(answer), "refused"));
      place.scrollIntoView({ behavior: page.calm() ? "auto" : "smooth", block: "nearest" });
    }],
  );
})(gpuAdvisor);
