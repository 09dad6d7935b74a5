(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const findings = [...document.querySelectorAll("article.finding")];
  const groups = [...document.querySelectorAll("section.group")];
  const form = byId("filters"), search = byId("q"), count = byId("count"), nothing = byId("nothing");
  const selects = ["document", "engine", "level"].map(byId);
  const buttons = [...form.querySelectorAll("button[data-verdict]")];
  let texts = null, code = "", current = -1, timer = 0;

  const pressed = () => buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.verdict);
  const words = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);

  function apply() {
    const verdicts = new Set(pressed()), wanted = words();
    if (wanted.length && !texts) texts = findings.map((f) => f.textContent.toLowerCase());
    let shown = 0;
    findings.forEach((f, i) => {
      const d = f.dataset;
      const fits = (!verdicts.size || verdicts.has(d.verdict)) && (!code || d.code === code)
        && selects.every((s) => !s.value || d[s.id] === s.value)
        && wanted.every((w) => texts[i].includes(w));
      if (f.hidden === fits) f.hidden = !fits;
      shown += fits;
    });
    for (const g of groups) g.hidden = !g.querySelector("article.finding:not([hidden])");
    nothing.hidden = shown > 0;
    count.textContent = shown + " of " + findings.length + " findings" + (code ? " (" + code + ")" : "");
  }

  function remember() {
    const state = new URLSearchParams();
    if (search.value) state.set("q", search.value);
    if (pressed().length) state.set("verdict", pressed().join(","));
    for (const s of selects) if (s.value) state.set(s.id, s.value);
    if (code) state.set("code", code);
    const text = state.toString();
    history.replaceState(null, "", text ? "#?" + text : location.pathname + location.search);
  }

  function set(state) {
    search.value = state.get("q") || "";
    const verdicts = (state.get("verdict") || "").split(",");
    for (const b of buttons) b.setAttribute("aria-pressed", String(verdicts.includes(b.dataset.verdict)));
    for (const s of selects) {
      s.value = state.get(s.id) || "";
      if (s.selectedIndex < 0) s.value = "";
    }
    code = state.get("code") || "";
    apply();
  }

  function changed() { code = ""; apply(); remember(); }

  function follow() {
    const hash = location.hash;
    if (hash.startsWith("#?")) {
      set(new URLSearchParams(hash.slice(2)));
      byId("h-findings").scrollIntoView();
      return;
    }
    let name = hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* as written */ }
    const target = name && byId(name);
    if (target && target.matches("article.finding")) {
      if (target.hidden) set(new URLSearchParams());
      go(findings.indexOf(target), true);
    }
  }

  function go(index, unfold) {
    if (current >= 0) findings[current].classList.remove("here");
    current = index;
    const f = findings[index], details = f.querySelector("details");
    f.classList.add("here");
    if (unfold) details.open = true;
    f.scrollIntoView({ block: unfold ? "start" : "nearest" });
    f.querySelector("summary").focus({ preventScroll: true });
  }

  function step(by) {
    const active = document.activeElement && document.activeElement.closest("article.finding");
    let i = active ? findings.indexOf(active) : by > 0 ? -1 : findings.length;
    for (i += by; i >= 0 && i < findings.length; i += by) if (!findings[i].hidden) return go(i, false);
  }

  const foldAll = (open) => { for (const f of findings) if (!f.hidden) f.querySelector("details").open = open; };

  form.hidden = false;
  form.addEventListener("submit", (e) => e.preventDefault());
  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(changed, 120); });
  for (const s of selects) s.addEventListener("change", changed);
  for (const b of buttons) b.addEventListener("click", () => {
    b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
    changed();
  });
  byId("clear").addEventListener("click", () => { set(new URLSearchParams()); remember(); });
  byId("unfold").addEventListener("click", () => foldAll(true));
  byId("fold").addEventListener("click", () => foldAll(false));
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => { for (const f of findings) if (!f.hidden) f.querySelector("details").open = true; });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "Escape") { set(new URLSearchParams()); remember(); if (typing) e.target.blur(); return; }
    if (typing) return;
    if (e.key === "/") { e.preventDefault(); search.focus(); search.select(); }
    else if (e.key === "j") step(1);
    else if (e.key === "k") step(-1);
  });
  apply();
  follow();
})();
