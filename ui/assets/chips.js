// What was understood can be corrected: a chip opens a small editor, and the next turn changes exactly that field.
((page) => {
  let open = null, opener = null;
  const fields = () => { page.editors = page.editors || JSON.parse(page.find("[data-editors]").dataset.editors); return page.editors; };
  const lists = async () => {
    if (page.find("#models option") || page.naming) return;
    page.naming = true;
    const found = await (await fetch("/page/suggestions")).json();
    for (const [id, names] of Object.entries(found)) {
      const place = page.find(`datalist#${id}`);
      if (place) place.replaceChildren(...names.map((name) => { const option = page.make("option"); option.value = name; return option; }));
    }
  };
  page.suggest = lists;
  const labelled = (text, input) => { const label = page.make("label", text, "field"); label.append(input); return label; };
  const input = (value, { list, ...options } = {}) => { const field = page.make("input"); Object.assign(field, { value: value ?? "", autocomplete: "off", ...options }); if (list) field.setAttribute("list", list); return field; };
  const select = (choices, value) => {
    const field = page.make("select");
    field.append(...choices.map(([key, text]) => { const option = page.make("option", text); option.value = key; return option; }));
    if (value && !choices.some(([key]) => key === value)) { const option = page.make("option", value); option.value = value; field.prepend(option); }
    field.value = value ?? choices[0][0];
    return field;
  };
  const number = (text) => {
    const match = /^\s*([\d.,，]+)\s*(k|m|b|万|亿)?\s*$/i.exec(text);
    if (!match) return null;
    const times = { k: 1e3, m: 1e6, b: 1e9, "万": 1e4, "亿": 1e8 }[(match[2] || "").toLowerCase()] || 1;
    return Number(match[1].replace(/[,，]/g, "")) * times;
  };
  const shown = (value) => typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 3 }) : String(value);
  // Each editor gives the inputs, and reads them: the value of the field, and how to say it.
  const scaled = (factor, unit) => ({
    draw: (value) => [input(value ? value / factor : "", { inputMode: "decimal" })],
    read: ([field]) => { const found = number(field.value); return found && found > 0 ? [Math.round(found * factor * 1e6) / 1e6, `${shown(found)}${unit}`] : null; },
  });
  const kinds = {
    number: scaled(1, ""), gib: scaled(2 ** 30, " GiB"), billion: scaled(1e9, "B"), hours: scaled(3600, " h"),
    text: { draw: (value) => [input(value)], read: ([field]) => field.value.trim() ? [field.value.trim(), field.value.trim()] : null },
    model: { draw: (value) => [input(value ? String(value).split("/").pop() : "", { list: "models", spellcheck: false })], read: ([field]) => field.value.trim() ? [field.value.trim(), field.value.trim()] : null },
    choice: {
      draw: (value, spec, language) => [select(spec.choices.map(([key, en, zh]) => [key, language === "zh" ? zh : en]), value)],
      read: ([field]) => [field.value, field.selectedOptions[0].textContent],
    },
    choices: {
      draw: (value, spec, language) => [select(spec.choices.map(([key, en, zh]) => [key, language === "zh" ? zh : en]), value && value[0])],
      read: ([field]) => [[field.value], field.selectedOptions[0].textContent],
    },
    cards: {
      draw: (value) => {
        const rows = (value && value.length ? value : [{ gpu: "", count: 1 }]).map((row) => typeof row === "string" ? { gpu: row, count: null } : row);
        return rows.flatMap((row) => [input(row.count ?? "", { inputMode: "numeric", className: "count" }), input(row.gpu, { list: "cards", spellcheck: false })]);
      },
      read: (inputs, name) => {
        const rows = [];
        for (let at = 0; at < inputs.length; at += 2) {
          const gpu = inputs[at + 1].value.trim(), count = number(inputs[at].value) || null;
          if (gpu) rows.push({ gpu, count });
        }
        if (!rows.length) return null;
        const said = rows.map((row) => row.count ? `${row.count} × ${row.gpu}` : row.gpu).join(", ");
        return [name === "gpus_asked" ? rows.map((row) => row.gpu) : rows, said];
      },
    },
    budget: {
      draw: (value, spec, language) => [
        input(value ? value.amount : "", { inputMode: "decimal" }), select(["USD", "CNY", "EUR", "GBP"].map((one) => [one, one]), value && value.currency),
        select([["", "–"], ["buy", page.words("buy")], ["rent", page.words("rent")]], value && value.mode ? value.mode : ""),
        select([["", "–"], ["hour", page.words("per_hour")], ["month", page.words("per_month")], ["year", page.words("per_year")]], value && value.period ? value.period : ""),
      ],
      read: ([amount, currency, mode, period]) => {
        const found = number(amount.value);
        if (!found) return null;
        const said = [`${shown(found)} ${currency.value}`, period.value && period.selectedOptions[0].textContent, mode.value && mode.selectedOptions[0].textContent].filter(Boolean).join(" ");
        return [{ amount: found, currency: currency.value, mode: mode.value || null, period: period.value || null }, said];
      },
    },
  };
  const sentence = (language, name, said) => said === null
    ? (language === "zh" ? `不限定${name}。` : `Drop the ${name}.`)
    : (language === "zh" ? `把${name}改成 ${said}。` : `Change the ${name} to ${said}.`);
  const close = (back) => { if (!open) return; open.remove(); open = null; if (opener) { opener.removeAttribute("aria-expanded"); if (back) opener.focus(); } };
  const edit = (chip) => {
    close(false);
    lists();
    const names = chip.dataset.edit.split(" "), language = page.root.dataset.ui, asker = chip.closest("[data-asker]").dataset.asker;
    const value = chip.dataset.value ? JSON.parse(chip.dataset.value) : null, form = page.make("form", "", "editor"), parts = page.make("div", "", "parts");
    let name = names[0], inputs = [];
    const draw = () => {
      const spec = fields()[name];
      inputs = kinds[spec.kind].draw(value, spec, language);
      const caption = spec[language];
      inputs.forEach((field, index) => field.setAttribute("aria-label", inputs.length > 1 ? `${caption} ${index + 1}` : caption));
      parts.replaceChildren(...inputs);
    };
    form.setAttribute("role", "group"); form.setAttribute("aria-label", page.words("correct_me"));
    if (names.length > 1) {
      const chooser = select(names.map((one) => [one, fields()[one][language]]), name);
      chooser.addEventListener("change", () => { name = chooser.value; draw(); });
      form.append(labelled(page.words("what_to_add"), chooser));
    } else form.append(page.make("b", fields()[name][language]));
    draw();
    const error = page.make("p", "", "refused"), row = page.make("p", "", "chips"), save = page.make("button", page.words("apply"), "button strong"), cancel = page.make("button", page.words("cancel"), "button");
    error.hidden = true; error.setAttribute("role", "alert"); save.type = "submit"; cancel.type = "button";
    cancel.addEventListener("click", () => close(true));
    row.append(save, cancel);
    if (value !== null) {
      const drop = page.make("button", page.words("drop_it"), "button"); drop.type = "button";
      drop.addEventListener("click", () => send(null, null));
      row.append(drop);
    }
    const send = (found, said) => {
      const spec = fields()[name], empty = ["cards", "choices"].includes(spec.kind) ? [] : null;
      close(false);
      page.ask(sentence(asker, spec[asker], said), { [name]: found === null ? empty : found });
    };
    form.append(parts, error, row);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const read = kinds[fields()[name].kind].read(inputs, name);
      if (!read) { error.textContent = `${fields()[name][language]}: ${page.words("not_usable")}`; error.hidden = false; inputs[0].focus(); return; }
      send(...read);
    });
    form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(true); } });
    chip.closest(".understood").append(form);
    chip.setAttribute("aria-expanded", "true");
    open = form; opener = chip;
    inputs[inputs.length > 1 && fields()[name].kind === "cards" ? 1 : 0].focus();
  };
  page.actions.push(["[data-edit]", (hit) => { if (opener === hit && open) close(true); else edit(hit); }]);
  page.closeEditor = close;
})(gpuAdvisor);
