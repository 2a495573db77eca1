// Charts: every mark speaks. A tip follows pointer and keyboard; arrow keys walk the marks of a chart.
((page) => {
  const MARKS = "svg.plot [data-say-en][role=img]";
  const tip = () => { let place = page.find("#tip"); if (!place) { place = page.make("div", "", ""); place.id = "tip"; place.hidden = true; place.setAttribute("aria-hidden", "true"); document.body.append(place); } return place; };
  const show = (mark) => {
    const place = tip(), box = mark.getBoundingClientRect();
    place.textContent = mark.getAttribute("aria-label");
    place.hidden = false;
    const wide = place.offsetWidth, high = place.offsetHeight, middle = box.left + box.width / 2;
    place.style.left = `${Math.max(8, Math.min(innerWidth - wide - 8, middle - wide / 2))}px`;
    place.style.top = `${box.top - high - 10 < 70 ? box.bottom + 10 : box.top - high - 10}px`;
  };
  const hide = () => { const place = page.find("#tip"); if (place) place.hidden = true; };
  document.addEventListener("pointerover", (event) => { const mark = event.target.closest && event.target.closest(MARKS); if (mark) show(mark); else hide(); });
  document.addEventListener("focusin", (event) => { const mark = event.target.closest(MARKS); if (mark) show(mark); else hide(); });
  addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    const mark = event.target.closest && event.target.closest(MARKS);
    if (!mark) return;
    if (event.key === "Escape") hide();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], marks = page.all("[role=img]", mark.closest("svg"));
    const next = step ? marks[(marks.indexOf(mark) + step + marks.length) % marks.length] : { Home: marks[0], End: marks[marks.length - 1] }[event.key];
    if (!next) return;
    event.preventDefault();
    marks.forEach((one) => one.setAttribute("tabindex", one === next ? "0" : "-1"));
    next.focus();
  });
  page.actions.push(["[data-show]", (hit) => {
    const fold = hit.closest(".frontier");
    page.all("[data-show]", fold).forEach((one) => one.setAttribute("aria-pressed", String(one === hit)));
    page.all("[data-shown]", fold).forEach((one) => { one.hidden = one.dataset.shown !== hit.dataset.show; });
  }]);
  // Two to four configurations side by side.
  const picked = (answer) => page.all(`[data-pick="${answer}"]:checked`).map((box) => Number(box.value));
  page.inputs.push(["[data-pick]", (box) => {
    const answer = box.dataset.pick, count = picked(answer).length;
    page.all(`[data-pick="${answer}"]`).forEach((one) => { one.disabled = count >= 4 && !one.checked; });
    const button = page.find(`[data-compare="${answer}"]`);
    if (button) button.disabled = count < 2;
  }]);
  page.actions.push(["[data-compare]", async (hit) => {
    const answer = hit.dataset.compare, place = page.find(`[data-compared="${answer}"]`), turn = hit.closest("[data-conversation]");
    const found = await page.post("/page/compare", { conversation_id: turn.dataset.conversation, answer_id: answer, ranks: picked(answer) });
    if (found.ok) place.innerHTML = await found.text(); else place.replaceChildren(page.make("p", await page.told(found), "refused"));
    page.applyLanguage();
    place.scrollIntoView({ behavior: page.calm() ? "auto" : "smooth", block: "nearest" });
  }]);
})(gpuAdvisor);
