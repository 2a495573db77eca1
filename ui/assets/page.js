"use strict";
// Everything on the page that needs no server: language, light, views, chips, sources, the list of conversations.
const gpuAdvisor = (() => {
  const root = document.documentElement;
  const store = { // private windows may refuse storage; the page then simply forgets
    get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* forgotten */ } },
  };
  const words = (key) => { const row = document.querySelector(`[data-words="${key}"]`); return row ? row.dataset[root.dataset.ui] : ""; };
  const address = () => new URL(location.href);
  const box = () => document.querySelector("#question textarea, #question input");

  // Language and light are set before the first paint.
  root.dataset.ui = store.get("ui") || (/^zh/i.test(navigator.language) ? "zh" : "en");
  const dark = () => (store.get("light") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const applyLight = () => { root.classList.toggle("dark", dark()); if (document.body) document.body.classList.toggle("dark", dark()); };
  const applyLanguage = () => {
    root.lang = root.dataset.ui === "zh" ? "zh-CN" : "en";
    document.title = root.dataset.ui === "zh" ? "GPU 顾问" : "GPU Advisor";
    const field = box(), send = document.querySelector("#send");
    if (field) { field.placeholder = words("placeholder"); field.setAttribute("aria-label", words("composer")); }
    if (send && words("send")) send.textContent = words("send");
  };

  const conversation = (create) => {
    const here = address();
    let id = here.searchParams.get("c") || "";
    if (!id && create) {
      id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
      here.searchParams.set("c", id);
      history.replaceState(null, "", here);
    }
    return id;
  };
  const known = () => { try { return JSON.parse(store.get("conversations") || "[]"); } catch { return []; } };
  const remember = (id, title) => {
    const rest = known().filter((row) => row.id !== id), old = known().find((row) => row.id === id);
    store.set("conversations", JSON.stringify([{ id, title: old ? old.title : title.slice(0, 80) }, ...rest].slice(0, 60)));
  };
  const listConversations = () => {
    const list = document.querySelector("#history-list");
    if (!list) return;
    list.replaceChildren();
    for (const { id, title } of known()) {
      const row = document.createElement("div"), link = document.createElement("a");
      row.className = "entry"; link.href = `/?c=${encodeURIComponent(id)}`; link.textContent = title;
      if (id === conversation(false)) link.setAttribute("aria-current", "page");
      row.append(link);
      for (const act of ["rename", "delete"]) {
        const button = document.createElement("button");
        button.type = "button"; button.dataset[act] = id; button.textContent = words(act);
        row.append(button);
      }
      list.append(row);
    }
    if (!list.childElementCount) list.textContent = words("none_yet");
  };
  const fill = (text, send) => {
    const field = box();
    if (!field) return;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
    field.setSelectionRange(text.length, text.length);
    if (send) setTimeout(() => document.querySelector("#send").click(), 30);
  };
  const view = () => { const name = location.hash.slice(1); return ["cards", "documents"].includes(name) ? name : "ask"; };
  const showView = () => {
    root.dataset.view = view();
    markView();
    if (view() === "cards") loadCards();
    if (view() === "documents") showDocuments();
  };
  const markView = () => {
    document.querySelectorAll("a[data-view]").forEach((link) => { link.toggleAttribute("aria-current", link.dataset.view === view()); });
  };
  const goTo = (name) => { const here = address(); here.hash = name === "ask" ? "" : name; history.pushState(null, "", here); showView(); };

  // The catalog of cards.
  let cards = [], order = { column: 1, down: true };
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
  const drawCards = () => {
    const body = document.querySelector("#cards-table tbody"), wanted = document.querySelector("#cards-filter").value.toLowerCase().split(/\s+/);
    const shown = cards.filter((card) => wanted.every((word) => card.haystack.includes(word)));
    shown.sort((a, b) => (a.cells[order.column].key < b.cells[order.column].key ? -1 : 1) * (order.down ? -1 : 1));
    body.replaceChildren(...shown.map((card) => {
      const row = document.createElement("tr");
      card.cells.forEach((cell, index) => {
        const place = document.createElement(index ? "td" : "th");
        if (index) place.textContent = cell.text;
        else { const button = document.createElement("button"); button.type = "button"; button.textContent = cell.text; button.dataset.card = cell.text; place.scope = "row"; place.append(button); }
        row.append(place);
      });
      return row;
    }));
    document.querySelectorAll("#cards-table thead th").forEach((head, index) => head.setAttribute("aria-sort", index === order.column ? (order.down ? "descending" : "ascending") : "none"));
  };
  let loading = false;
  const loadCards = async () => { // called whenever the view is on show; draws once, when both rows and table are there
    const body = document.querySelector("#cards-table tbody");
    if (!body || body.childElementCount || loading) return;
    loading = true;
    const answer = cards.length ? null : await fetch("/v1/catalog/gpus?limit=1000");
    loading = false;
    if (answer) cards = (await answer.json()).rows.map((gpu) => ({ cells: cells(gpu), haystack: [gpu.id, gpu.name, gpu.vendor, gpu.architecture, ...gpu.aliases].join(" ").toLowerCase() }));
    drawCards();
  };

  // Documents: what a text claims, and what the library holds.
  const FORMS = { md: "markdown", markdown: "markdown", txt: "text", html: "html", htm: "html" };
  const post = (path, data) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });
  const make = (name, text, className) => { const node = document.createElement(name); if (text) node.textContent = text; if (className) node.className = className; return node; };
  const sendDocument = async (path) => {
    const file = document.querySelector("#document-file").files[0], typed = document.querySelector("#document-text"), report = document.querySelector("#document-report");
    const text = file ? await file.text() : typed.value;
    if (!text.trim()) { typed.focus(); return; }
    const form = FORMS[file ? file.name.split(".").pop().toLowerCase() : "txt"] || "text";
    report.textContent = "…";
    const answer = await post(`/v1/kb/${path}`, { name: file ? file.name : `text ${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`, text, form });
    const data = await answer.json();
    report.replaceChildren();
    if (!answer.ok) { report.append(make("p", data.detail, "refused")); return; }
    if (path === "documents") { report.append(make("p", words("kept"))); listDocuments(); }
    if (!data.findings.length) report.append(make("p", words("none_found"), "quiet"));
    report.append(...data.findings.map(finding));
  };
  const finding = (found) => {
    const row = make("div", "", `finding ${found.verdict}`), value = found.claimed_value && (found.correct_value && found.verdict !== "holds" ? `${found.claimed_value} → ${found.correct_value}` : found.claimed_value);
    row.append(make("p", [words(`verdict_${found.verdict}`), found.subject, found.attribute, value].filter(Boolean).join(" · ")));
    row.append(make("blockquote", found.quote || (found.statements || []).map((said) => `${words("line")} ${said.line}: ${said.value}`).join(" ≠ ")));
    if (found.line) row.append(make("p", [`${words("line")} ${found.line}`, found.source].filter(Boolean).join(" · "), "quiet"));
    return row;
  };
  const listDocuments = async () => {
    const list = document.querySelector("#document-list");
    if (!list) return;
    const rows = await (await fetch("/v1/kb/documents")).json();
    const rank = { uploaded: 0, ingested: 1, bundled: 2 };
    rows.sort((a, b) => rank[a.kind] - rank[b.kind] || (a.name < b.name ? -1 : 1));
    list.replaceChildren(...rows.map((row) => {
      const item = make("li");
      item.append(make("b", row.title || row.name), make("span", ` ${row.name} · ${row.language} · ${words(`kind_${row.kind}`)}`, "quiet"));
      if (row.kind === "uploaded") { const button = make("button", words("delete"), "button"); button.type = "button"; button.dataset.remove = row.name; item.append(" ", button); }
      return item;
    }));
  };
  let listed = false;
  const showDocuments = () => { if (listed || !document.querySelector("#document-list")) return; listed = true; listDocuments(); };

  const openSource = (id) => {
    const source = document.getElementById(id);
    if (!source) return;
    source.closest("details").open = true;
    document.querySelectorAll(".sources .shown").forEach((other) => other.classList.remove("shown"));
    source.classList.add("shown");
    source.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "center" });
    source.focus({ preventScroll: true });
  };
  const actions = [
    ["[data-source]", (hit, event) => { event.preventDefault(); openSource(hit.dataset.source); }],
    ["[data-ask]", (hit) => fill(hit.dataset.ask, true)],
    ["[data-fill]", (hit) => fill(hit.dataset.fill, false)],
    ["[data-card]", (hit) => { goTo("ask"); fill(`${hit.dataset.card} `, false); }],
    ["a[data-view]", (hit, event) => { event.preventDefault(); goTo(hit.dataset.view); }],
    ["[data-skip]", (hit, event) => { event.preventDefault(); box().focus(); }],
    ["[data-language]", () => { root.dataset.ui = root.dataset.ui === "zh" ? "en" : "zh"; store.set("ui", root.dataset.ui); applyLanguage(); listConversations(); }],
    ["[data-theme-switch]", () => { store.set("light", dark() ? "light" : "dark"); applyLight(); }],
    ["[data-sort]", (hit) => { const column = Number(hit.dataset.sort); order = { column, down: order.column === column ? !order.down : column !== 0 }; drawCards(); }],
    ["[data-document]", (hit) => sendDocument(hit.dataset.document)],
    ["[data-remove]", async (hit) => { await fetch(`/v1/kb/documents/${encodeURIComponent(hit.dataset.remove)}`, { method: "DELETE" }); listDocuments(); }],
    ["[data-copy-link]", async (hit) => { await navigator.clipboard.writeText(location.href); hit.textContent = words("copied"); }],
    ["[data-helpful]", async (hit) => { const sent = await post("/v1/feedback", { conversation_id: hit.dataset.of, answer_id: hit.dataset.answer, helpful: hit.dataset.helpful === "yes" }); if (sent.ok) hit.parentElement.textContent = words("thanks"); }],
    ["[data-rename]", (hit) => { const rows = known(), row = rows.find((one) => one.id === hit.dataset.rename), title = prompt(words("rename"), row.title); if (title) { row.title = title.slice(0, 80); store.set("conversations", JSON.stringify(rows)); listConversations(); } }],
    ["[data-delete]", async (hit) => { const id = hit.dataset.delete; await fetch(`/v1/conversations/${encodeURIComponent(id)}`, { method: "DELETE" }); store.set("conversations", JSON.stringify(known().filter((row) => row.id !== id))); if (id === conversation(false)) location.href = "/"; else listConversations(); }],
  ];
  document.addEventListener("click", (event) => {
    for (const [selector, act] of actions) { const hit = event.target.closest(selector); if (hit) { act(hit, event); break; } }
    document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); }); });
  document.addEventListener("input", (event) => { if (event.target.id === "cards-filter") drawCards(); });
  document.addEventListener("toggle", (event) => { if (event.target.id === "history" && event.target.open) listConversations(); }, true);
  addEventListener("offline", () => { root.dataset.offline = "yes"; });
  addEventListener("online", () => { delete root.dataset.offline; });
  addEventListener("hashchange", showView);
  addEventListener("popstate", showView);

  // After every change of the conversation: what is asked comes into view, and the tools that need a turn appear.
  let questions = 0;
  const onChange = () => {
    applyLanguage(); markView();
    if (view() === "cards") loadCards();
    if (view() === "documents") showDocuments();
    const asked = document.querySelectorAll("#past .asked, #live .asked");
    root.dataset.started = asked.length ? "yes" : "no";
    const menu = document.querySelector("#export"), id = conversation(false);
    if (menu) { menu.hidden = !asked.length; menu.querySelectorAll("[data-export]").forEach((link) => { link.href = `/v1/conversations/${id}/export?form=${link.dataset.export}`; }); }
    if (asked.length > questions) {
      const last = asked[asked.length - 1];
      if (id) remember(id, asked[0].textContent.trim());
      last.scrollIntoView({ block: "start" });
    }
    questions = asked.length;
  };
  const start = () => {
    applyLight(); showView();
    let queued = false;
    new MutationObserver((changes) => {
      if (queued || !changes.some((change) => change.target.closest && change.target.closest("#past, #live, #top, #composer, body"))) return;
      queued = true;
      requestAnimationFrame(() => { queued = false; onChange(); });
    }).observe(document.body, { childList: true, subtree: true });
    onChange();
  };
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start) : start();
  return { conversation };
})();
window.gpuAdvisor = gpuAdvisor;
