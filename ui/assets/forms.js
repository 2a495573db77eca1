// Plain forms: what is filled in is worked out at once, and the result redrawn.
((page) => {
  const timers = {}, turns = {};
  const work = async (form) => {
    const name = form.dataset.form, place = page.find(`#result-${name}`), mine = (turns[name] || 0) + 1;
    turns[name] = mine;
    place.setAttribute("aria-busy", "true");
    let text = "", refused = "";
    try {
      const answer = await page.post(`/page/form/${name}`, Object.fromEntries(new FormData(form)));
      if (answer.ok) text = await answer.text(); else refused = await page.told(answer);
    } catch { refused = page.words("lost"); }
    if (turns[name] !== mine) return; // a later change is on its way
    const folds = page.all("details", place).map((fold) => fold.open);
    if (refused) place.replaceChildren(page.make("p", refused, "refused"));
    else { place.innerHTML = text; page.all("details", place).forEach((fold, index) => { fold.open = Boolean(folds[index]); }); }
    place.removeAttribute("aria-busy");
    page.applyLanguage();
  };
  const soon = (form, wait) => { clearTimeout(timers[form.dataset.form]); timers[form.dataset.form] = setTimeout(() => work(form), wait); };
  const shown = (name) => {
    page.all("[data-tab]").forEach((tab) => { const mine = tab.dataset.tab === name; tab.setAttribute("aria-selected", String(mine)); tab.tabIndex = mine ? 0 : -1; });
    page.all("[role=tabpanel]").forEach((one) => { one.hidden = one.id !== `form-${name}`; });
    const form = page.find(`[data-form="${name}"]`);
    if (form && !page.find(`#result-${name}`).childElementCount) work(form);
  };
  page.views.forms = () => { page.suggest(); const tab = page.find("[data-tab][aria-selected=true]"); if (tab) shown(tab.dataset.tab); };
  page.inputs.push(["[data-form] :is(input, select)", (field) => soon(field.form, 250)]);
  page.actions.push(["[data-tab]", (hit) => shown(hit.dataset.tab)]);
  document.addEventListener("submit", (event) => { if (event.target.dataset.form) { event.preventDefault(); soon(event.target, 0); } });
  document.addEventListener("keydown", (event) => {
    const tab = event.target.closest && event.target.closest("[data-tab]"), step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!tab || !step) return;
    const tabs = page.all("[data-tab]"), next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus(); shown(next.dataset.tab);
  });
})(gpuAdvisor);
