// Sources: a marker opens its source; a document opens beside the answer at the cited lines.
((page) => {
  const openSource = (id) => {
    const source = document.getElementById(id);
    if (!source) return;
    source.closest("details").open = true;
    page.all(".sources .shown").forEach((other) => other.classList.remove("shown"));
    source.classList.add("shown");
    source.scrollIntoView({ behavior: page.calm() ? "auto" : "smooth", block: "center" });
    source.focus({ preventScroll: true });
  };
  const panel = () => {
    let place = page.find("#panel");
    if (place) return place;
    place = page.make("dialog"); place.id = "panel"; place.setAttribute("aria-labelledby", "panel-title");
    document.body.append(place);
    place.addEventListener("click", (event) => { if (event.target === place) place.close(); });
    return place;
  };
  const openDocument = async (button) => {
    const { open, first, last } = button.dataset, place = panel(), inside = page.make("div", "", "inside");
    const found = await fetch(`/page/passage?${new URLSearchParams({ document: open, first, last })}`, { headers: { "Accept-Language": page.root.dataset.ui } });
    if (found.ok) inside.innerHTML = await found.text(); else inside.append(page.make("p", await page.told(found), "refused"));
    const shut = page.make("button", page.words("close"), "button");
    shut.type = "button"; shut.addEventListener("click", () => place.close());
    place.replaceChildren(shut, inside);
    inside.tabIndex = 0;
    place.addEventListener("close", () => button.focus(), { once: true });
    place.showModal();
    const cited = place.querySelector(".cited");
    if (cited) cited.scrollIntoView({ block: "center" });
  };
  page.actions.push(
    ["[data-source]", (hit, event) => { event.preventDefault(); openSource(hit.dataset.source); }],
    ["[data-open]", openDocument],
  );
})(gpuAdvisor);
