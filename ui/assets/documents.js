// Documents: what a text claims, what the library holds, and how far a file has come on its way there.
((page) => {
  const TEXTS = { md: "markdown", markdown: "markdown", txt: "text", html: "html", htm: "html" };
  const encoded = (file) => new Promise((done, failed) => { const reader = new FileReader(); reader.onload = () => done(reader.result.split(",")[1]); reader.onerror = failed; reader.readAsDataURL(file); });
  const written = async (file) => {
    const form = TEXTS[file.name.split(".").pop().toLowerCase()];
    return form ? { name: file.name, text: await file.text(), form } : { name: file.name, content: await encoded(file) };
  };
  const finding = (found) => {
    const row = page.make("div", "", `finding ${found.verdict}`), value = found.claimed_value && (found.correct_value && found.verdict !== "holds" ? `${found.claimed_value} → ${found.correct_value}` : found.claimed_value);
    row.append(page.make("p", [page.words(`verdict_${found.verdict}`), found.subject, found.attribute, value].filter(Boolean).join(" · ")));
    row.append(page.make("blockquote", found.quote || (found.statements || []).map((said) => `${page.words("line")} ${said.line}: ${said.value}`).join(" ≠ ")));
    if (found.line) row.append(page.make("p", [`${page.words("line")} ${found.line}`, found.source].filter(Boolean).join(" · "), "quiet"));
    return row;
  };
  // What takes longer than a request waits is accepted, and its end is told at an address of its own.
  const POLL_MS = 400;
  const ended = async (answer) => {
    if (!answer.ok) return { refused: await page.told(answer) };
    if (answer.status !== 202) return { data: answer.status === 204 ? null : await answer.json() };
    for (;;) {
      await new Promise((done) => setTimeout(done, POLL_MS));
      const asked = await fetch(answer.headers.get("Location"), { headers: { "Accept-Language": page.root.dataset.ui } });
      if (!asked.ok) return { refused: await page.told(asked) };
      const taking = await asked.json();
      if (taking.state !== "running") return taking.problem ? { refused: taking.problem.detail } : { data: taking.added };
    }
  };
  const send = async (path) => {
    const files = [...page.find("#document-file").files], typed = page.find("#document-text"), report = page.find("#document-report");
    if (!files.length && !typed.value.trim()) { typed.focus(); return; }
    const bar = page.make("progress"), state = page.make("p", "", "quiet");
    bar.max = Math.max(files.length, 1); bar.value = 0; bar.setAttribute("aria-label", page.words("progress"));
    report.replaceChildren(bar, state);
    const works = files.length ? files : [null];
    for (const [index, file] of works.entries()) {
      const name = file ? file.name : page.words("pasted");
      state.textContent = `${index + 1} / ${works.length} · ${name} …`;
      const body = file ? await written(file) : { name: `text ${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`, text: typed.value, form: "text" };
      const { refused, data } = await ended(await page.post(`/v1/kb/${path}`, body)), box = page.make("section", "", "report");
      if (refused) box.append(page.make("h3", name), page.make("p", refused, "refused"));
      else {
        const counts = {};
        data.findings.forEach((found) => { counts[found.verdict] = (counts[found.verdict] || 0) + 1; });
        box.append(page.make("h3", name));
        if (path === "documents") box.append(page.make("p", page.words("kept")));
        box.append(page.make("p", data.findings.length ? Object.entries(counts).map(([verdict, count]) => `${count} × ${page.words(`verdict_${verdict}`)}`).join(" · ") : page.words("none_found"), "quiet"), ...data.findings.map(finding));
      }
      report.append(box);
      bar.value = index + 1;
    }
    state.textContent = page.words("all_read");
    if (path === "documents") list();
  };
  const list = async () => {
    const place = page.find("#document-list");
    if (!place) return;
    const rows = await (await fetch("/v1/kb/documents")).json(), rank = { uploaded: 0, ingested: 1, bundled: 2 };
    rows.sort((a, b) => rank[a.kind] - rank[b.kind] || (a.name < b.name ? -1 : 1));
    page.find("#document-count").textContent = rows.length;
    place.replaceChildren(...rows.map((row) => {
      const item = page.make("li"), words = page.make("span");
      words.append(page.make("b", row.title || row.name), page.make("span", ` ${row.name} · ${row.language} · ${page.words(`kind_${row.kind}`)}`, "quiet"));
      item.append(words);
      if (row.kind === "uploaded") { const button = page.make("button", page.words("delete"), "button"); button.type = "button"; button.dataset.remove = row.name; button.setAttribute("aria-label", `${page.words("delete")}: ${row.name}`); item.append(" ", button); }
      return item;
    }));
  };
  let listed = false;
  page.views.documents = () => { if (listed || !page.find("#document-list")) return; listed = true; list(); };
  page.actions.push(
    ["[data-document]", (hit) => send(hit.dataset.document)],
    ["[data-remove]", async (hit) => { await ended(await fetch(`/v1/kb/documents/${encodeURIComponent(hit.dataset.remove)}`, { method: "DELETE" })); list(); }],
  );
})(gpuAdvisor);
