"use strict";
// The page's own object: language, light, words, small tools. The other scripts add to it; nothing here needs a server.
const gpuAdvisor = { actions: [], inputs: [], changed: [], views: {} };
((page) => {
  const root = document.documentElement;
  page.root = root;
  page.store = { // private windows may refuse storage; the page then simply forgets
    get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* forgotten */ } },
  };
  page.find = (selector) => document.querySelector(selector);
  page.all = (selector, within = document) => [...within.querySelectorAll(selector)];
  page.make = (name, text, className) => { const node = document.createElement(name); if (text) node.textContent = text; if (className) node.className = className; return node; };
  page.words = (key) => { const row = page.find(`[data-words="${key}"]`); return row ? row.dataset[root.dataset.ui] : ""; };
  page.post = (path, data) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "Accept-Language": root.dataset.ui }, body: JSON.stringify(data) });
  page.calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  page.address = () => new URL(location.href);
  page.box = () => page.find("#question textarea, #question input");
  page.told = async (answer) => { try { return (await answer.json()).detail || answer.statusText; } catch { return answer.statusText; } };

  // Language and light are set before the first paint.
  root.dataset.ui = page.store.get("ui") || (/^zh/i.test(navigator.language) ? "zh" : "en");
  page.dark = () => (page.store.get("light") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  page.applyLight = () => { root.classList.toggle("dark", page.dark()); if (document.body) document.body.classList.toggle("dark", page.dark()); };
  page.applyLanguage = () => {
    const language = root.dataset.ui;
    root.lang = language === "zh" ? "zh-CN" : "en";
    if (!page.shared) document.title = language === "zh" ? "GPU 顾问" : "GPU Advisor";
    const field = page.box(), send = page.find("#send");
    if (field) { field.placeholder = page.words("placeholder"); field.setAttribute("aria-label", page.words("composer")); }
    if (send && page.words("send") && send.textContent.trim() !== page.words("send")) send.textContent = page.words("send");
    page.all("[data-say-en]").forEach((node) => node.setAttribute("aria-label", language === "zh" ? node.dataset.sayZh : node.dataset.sayEn));
    page.all("option[data-en]").forEach((node) => { if (node.textContent !== node.dataset[language]) node.textContent = node.dataset[language]; });
  };
  page.actions.push(
    ["[data-language]", () => { root.dataset.ui = root.dataset.ui === "zh" ? "en" : "zh"; page.store.set("ui", root.dataset.ui); page.applyLanguage(); page.changed.forEach((act) => act()); }],
    ["[data-theme-switch]", () => { page.store.set("light", page.dark() ? "light" : "dark"); page.applyLight(); }],
    ["[data-skip]", (hit, event) => { event.preventDefault(); if (page.box()) page.box().focus(); }],
  );
})(gpuAdvisor);
window.gpuAdvisor = gpuAdvisor;
