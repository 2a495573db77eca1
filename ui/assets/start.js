// Views, one listener for everything that is clicked or typed, and what happens after every change of the page.
((page) => {
  const VIEWS = ["cards", "forms", "documents"];
  const view = () => { const name = location.hash.slice(1); return VIEWS.includes(name) ? name : "ask"; };
  const mark = () => page.all("a[data-view]").forEach((link) => { if (link.dataset.view === view()) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current"); });
  const show = () => { page.root.dataset.view = view(); mark(); const draw = page.views[view()]; if (draw) draw(); };
  page.goTo = (name) => { const here = page.address(); here.hash = name === "ask" ? "" : name; history.pushState(null, "", here); show(); scrollTo(0, 0); };
  page.actions.push(["a[data-view]", (hit, event) => { event.preventDefault(); page.goTo(hit.dataset.view); }]);
  document.addEventListener("click", (event) => {
    for (const [selector, act] of page.actions) { const hit = event.target.closest(selector); if (hit) { act(hit, event); break; } }
    page.all("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target) && document.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") page.all("details.menu[open]").forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); }); });
  document.addEventListener("input", (event) => { for (const [selector, act] of page.inputs) { const hit = event.target.closest(selector); if (hit) act(hit); } });
  document.addEventListener("toggle", (event) => { if (event.target.id === "history" && event.target.open) page.listConversations(); }, true);
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  const onChange = () => { page.applyLanguage(); mark(); const draw = page.views[view()]; if (draw) draw(); page.changed.forEach((act) => act()); };
  const start = () => {
    page.applyLight();
    page.applyLanguage();
    if (page.shared) return;
    show();
    let queued = false, drafted = false;
    new MutationObserver((changes) => {
      if (queued || !changes.some((change) => change.target.closest && change.target.closest("#past, #live, #top, #composer, body"))) return;
      queued = true;
      requestAnimationFrame(() => {
        queued = false;
        onChange();
        if (!drafted && page.box()) { drafted = true; page.restoreDraft(); }
      });
    }).observe(document.body, { childList: true, subtree: true });
    onChange();
  };
  document.addEventListener("DOMContentLoaded", () => { page.shared = document.body.classList.contains("shared"); });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})(gpuAdvisor);
