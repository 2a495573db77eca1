// The conversation: its id, its list, the question box, what is said while an answer is on its way, a lost connection.
((page) => {
  page.conversation = (create) => {
    const here = page.address();
    let id = here.searchParams.get("c") || "";
    if (!id && create) {
      id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
      here.searchParams.set("c", id);
      history.replaceState(null, "", here);
    }
    return id;
  };
  const known = () => { try { return JSON.parse(page.store.get("conversations") || "[]"); } catch { return []; } };
  const keep = (rows) => page.store.set("conversations", JSON.stringify(rows.slice(0, 60)));
  const remember = (id, title) => {
    const old = known().find((row) => row.id === id);
    keep([{ id, title: old ? old.title : title.slice(0, 80) }, ...known().filter((row) => row.id !== id)]);
  };
  const list = () => {
    const place = page.find("#history-list");
    if (!place) return;
    place.replaceChildren(...known().map(({ id, title }) => {
      const row = page.make("div", "", "entry"), link = page.make("a", title);
      link.href = `/?c=${encodeURIComponent(id)}`;
      if (id === page.conversation(false)) link.setAttribute("aria-current", "page");
      row.append(link);
      for (const act of ["rename", "delete"]) {
        const button = page.make("button", page.words(act));
        button.type = "button"; button.dataset[act] = id; button.setAttribute("aria-label", `${page.words(act)}: ${title}`);
        row.append(button);
      }
      return row;
    }));
    if (!place.childElementCount) place.textContent = page.words("none_yet");
  };
  const renaming = (button) => {
    const rows = known(), row = rows.find((one) => one.id === button.dataset.rename), entry = button.closest(".entry"), field = page.make("input");
    field.value = row.title; field.maxLength = 80; field.setAttribute("aria-label", page.words("rename"));
    entry.replaceChildren(field); field.focus(); field.select();
    let over = false;
    const end = (save) => {
      if (over) return;
      over = true;
      if (save && field.value.trim()) { row.title = field.value.trim(); keep(rows); page.post("/page/rename", { conversation_id: row.id, title: row.title }); }
      list();
    };
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") end(true); if (event.key === "Escape") { event.stopPropagation(); end(false); } });
    field.addEventListener("blur", () => end(true));
  };
  page.fill = (text, send) => {
    const field = page.box();
    if (!field) return;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
    field.setSelectionRange(text.length, text.length);
    if (send) setTimeout(() => page.find("#send").click(), 30);
  };
  // Fields that a chip's editor changed travel with the very sentence that says so, and with no other.
  let pending = null;
  page.ask = (text, changes) => { pending = changes ? { text, changes } : null; page.fill(text, true); };
  page.takeChanges = (question) => { const mine = pending && pending.text === question ? JSON.stringify(pending.changes) : ""; pending = null; return mine; };

  const draft = () => `draft:${page.conversation(false)}`;
  page.inputs.push(["#question textarea, #question input", (field) => page.store.set("draft", field.value)]);
  page.restoreDraft = () => { const kept = page.store.get("draft"), field = page.box(); if (kept && field && !field.value && !page.find("#live .pending")) page.fill(kept, false); };

  // A turn that stops moving: the server finishes and keeps it, so the page waits for it there and says so.
  // An answer that is kept may be reaching the page at this very moment: the page loads anew only when several looks
  // in a row find it kept and not here, or it would take away what is just being read and clicked.
  const LOOKS = 3;
  let moved = Date.now(), watching = false, before = 0, kept = 0;
  const lost = (state) => { if (state) page.root.dataset.lost = state; else delete page.root.dataset.lost; };
  const look = async () => {
    try {
      const answer = await fetch(`/page/turns/${encodeURIComponent(page.conversation(false))}`);
      if (!answer.ok) return;
      lost("");
      kept = (await answer.json()).turns > before ? kept + 1 : 0;
      if (kept >= LOOKS && page.find("#live .pending")) location.reload();
    } catch { lost("yes"); }
  };
  const watch = () => {
    if (watching) return;
    watching = true; kept = 0;
    const timer = setInterval(() => {
      if (!page.find("#live .pending")) { clearInterval(timer); watching = false; lost(""); return; }
      if (Date.now() - moved > 4000) look();
    }, 2000);
  };
  const toast = (text) => { const place = page.find("#said"); if (place) { place.textContent = ""; setTimeout(() => { place.textContent = text; }, 30); } };
  page.say = toast;

  // While a turn is worked out the page is too short to bring its question to the top: done again when the answer is there,
  // unless the person has scrolled meanwhile.
  let asked = 0, answered = null, left = -1;
  const toTop = () => { const questions = page.all("#past .asked, #live .asked"); if (questions.length) questions[questions.length - 1].scrollIntoView({ block: "start" }); left = scrollY; };
  page.changed.push(() => {
    const questions = page.all("#past .asked, #live .asked"), id = page.conversation(false), menu = page.find("#export");
    moved = Date.now(); kept = 0;
    page.root.dataset.started = questions.length ? "yes" : "no";
    if (menu) { menu.hidden = !questions.length; page.all("[data-export]", menu).forEach((link) => { link.href = `/v1/conversations/${id}/export?form=${link.dataset.export}`; }); }
    if (questions.length > asked) {
      const last = questions[questions.length - 1];
      if (id) remember(id, questions[0].textContent.trim());
      toTop();
      page.store.set("draft", "");
    }
    asked = questions.length;
    if (page.find("#live .pending")) { before = page.all("#past .reply").length; watch(); answered = false; }
    else if (answered === false && page.find("#live .reply")) { answered = true; if (Math.abs(scrollY - left) < 8) toTop(); const verdict = page.find("#live .reply .verdict"); toast(`${page.words("answered")} ${verdict ? verdict.innerText : ""}`); }
  });
  page.actions.push(
    ["[data-ask]", (hit) => page.ask(hit.dataset.ask)],
    ["[data-fill]", (hit) => page.fill(hit.dataset.fill, false)],
    ["[data-copy-link]", async (hit) => { await navigator.clipboard.writeText(location.href); hit.textContent = page.words("copied"); }],
    ["[data-share]", async (hit) => {
      const sent = await page.post("/page/share", { conversation_id: page.conversation(false) }), place = page.find("#shared-link");
      if (!sent.ok) { place.textContent = await page.told(sent); return; }
      const link = page.make("a", location.origin + (await sent.json()).path);
      link.href = link.textContent; link.target = "_blank"; link.rel = "noopener";
      const stop = page.make("button", page.words("unshare"), "chip");
      stop.type = "button"; stop.dataset.unshare = "";
      place.replaceChildren(link, " ", stop);
      try { await navigator.clipboard.writeText(link.href); toast(page.words("copied")); } catch { link.focus(); }
    }],
    ["[data-unshare]", async () => {
      const sent = await page.post("/page/unshare", { conversation_id: page.conversation(false) });
      page.find("#shared-link").textContent = sent.ok ? page.words("unshared") : await page.told(sent);
    }],
    ["[data-helpful]", async (hit) => {
      const sent = await page.post("/v1/feedback", { conversation_id: hit.dataset.of, answer_id: hit.dataset.answer, helpful: hit.dataset.helpful === "yes" });
      if (!sent.ok) { toast(await page.told(sent)); return; }
      page.all("[data-helpful]", hit.parentElement).forEach((other) => other.setAttribute("aria-pressed", String(other === hit)));
      toast(page.words("thanks"));
    }],
    ["[data-rename]", renaming],
    ["[data-delete]", async (hit) => { const id = hit.dataset.delete; await fetch(`/v1/conversations/${encodeURIComponent(id)}`, { method: "DELETE" }); keep(known().filter((row) => row.id !== id)); if (id === page.conversation(false)) location.href = "/"; else list(); }],
  );
  page.listConversations = list;
  addEventListener("offline", () => lost("yes"));
  addEventListener("online", () => { lost(""); if (page.find("#live .pending")) look(); });
})(gpuAdvisor);
