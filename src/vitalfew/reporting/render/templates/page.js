(() => {
  "use strict";
  const PAGE = 25;
  const find = (selector, at = document) => at.querySelector(selector);
  const all = (selector, at = document) => [...at.querySelectorAll(selector)];

  // Theme: what the system prefers until the button is pressed; nothing is stored.
  const root = document.documentElement, theme = find("#theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-label", `Change to ${isDark() ? "light" : "dark"} colors`); };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();
  theme.hidden = false;

  // Numbers, as the rest of the page writes them.
  const minus = (text) => text.replace(/^-/, "\u2212");
  const number = (v, digits = 3) => {
    if (v === null || v === undefined) return "–";
    const size = Math.abs(v);
    if (Number.isInteger(v)) return minus(v.toLocaleString("en-US"));
    if (size < 1e-4) return minus(v.toExponential(digits - 1).replace(/\.?0*e/, "e").replace(/e([+-])(\d)$/, "e$10$2"));
    if (size >= 10 ** (digits - 1)) return minus(v.toLocaleString("en-US", { maximumFractionDigits: 0 }));
    return minus(v.toFixed(digits - 1 - Math.floor(Math.log10(size))).replace(/\.?0+$/, ""));
  };
  const FORMS = {
    text: (v) => (v === null ? "–" : v.trim() === "" ? "(blank)" : v),
    count: number, number, bar: number,
    p: (v) => (v !== null && v < 1e-4 ? "< 0.0001" : number(v, 2)),
    share: (v) => (v === null ? "–" : `${number(100 * v, Math.abs(v) >= 0.01 ? 3 : 2)}%`),
    flag: (v) => (v ? "yes" : "no"),
  };

  const unpack = (column) => {
    if (Array.isArray(column)) return column;
    if (column.of) return column.place.map((i) => column.of[i]);
    const values = new Array(column.n).fill(column.rest);
    column.at.forEach((i, j) => { values[i] = column.is[j]; });
    return values;
  };

  // Long tables: one page of rows at a time, built from text nodes only.
  const longTable = (table) => {
    const section = table.closest("section"), body = find("tbody", table), noun = table.dataset.noun;
    const packed = JSON.parse(find(`#${section.id}-data`).textContent);
    const heads = all("thead th", table).map((cell) => ({ cell, key: cell.dataset.key, form: cell.dataset.form }));
    const columns = {};
    for (const { key } of heads) columns[key] = unpack(packed[key]);
    const n = heads.length ? columns[heads[0].key].length : 0;
    const words = new Array(n);
    const texts = heads.filter((h) => h.form === "text" && h.key !== "values" && h.key !== "group").map((h) => columns[h.key]);
    for (let i = 0; i < n; i++) words[i] = texts.map((t) => t[i] ?? "").join("\n").toLowerCase();
    const largest = {};
    for (const h of heads) if (h.form === "bar") largest[h.key] = columns[h.key].reduce((m, v) => Math.max(m, v || 0), 0);
    const search = find("input[type=search]", section), flag = find("input[data-flag]", section);
    const count = find(".status", section), pager = find(".pager", section), where = find(".where", section);
    const state = { rows: [], page: 0, sort: null, falls: false };

    const compare = (key, form, falls) => {
      const values = columns[key], sign = falls ? -1 : 1;
      const order = form === "text" ? new Intl.Collator("en", { numeric: true }).compare : (a, b) => a - b;
      return (i, j) => {
        const a = values[i], b = values[j];
        if (a === null || b === null) return (a === null) - (b === null) || i - j;
        return sign * order(a, b) || i - j;
      };
    };
    const choose = () => {
      const wanted = search.value.trim().toLowerCase(), flags = flag && flag.checked ? columns[flag.dataset.flag] : null;
      const rows = [];
      for (let i = 0; i < n; i++) if ((!wanted || words[i].includes(wanted)) && (!flags || flags[i])) rows.push(i);
      if (state.sort) rows.sort(compare(state.sort.key, state.sort.form, state.falls));
      state.rows = rows;
      state.page = 0;
      show();
    };
    const cellOf = ({ key, form }, i) => {
      const cell = document.createElement("td"), value = columns[key][i], text = FORMS[form](value);
      cell.className = form + (form === "text" || form === "flag" ? "" : " right");
      if (form === "text" && value !== null) {
        const name = document.createElement("bdi");
        name.className = "name";
        name.textContent = text;
        cell.append(name);
      } else cell.textContent = text;
      if (form === "flag" && value) cell.classList.add("yes");
      if (form === "bar" && value > 0) cell.style.backgroundSize = `${(100 * value / largest[key]).toFixed(1)}% 1.65em`;
      return cell;
    };
    const show = () => {
      const pages = Math.max(1, Math.ceil(state.rows.length / PAGE)), from = state.page * PAGE;
      const part = state.rows.slice(from, from + PAGE);
      body.replaceChildren(...part.map((i) => {
        const row = document.createElement("tr");
        row.append(...heads.map((head) => cellOf(head, i)));
        return row;
      }));
      const some = (k) => `${number(k)} ${noun}${k === 1 ? "" : "s"}`;
      const range = part.length ? `${number(from + 1)} to ${number(from + part.length)} of ` : "";
      count.textContent = range + some(state.rows.length) + (state.rows.length < n ? ` (filtered from ${number(n)})` : "");
      where.textContent = `page ${number(state.page + 1)} of ${number(pages)}`;
      pager.hidden = pages === 1;
      for (const button of all("button", pager)) button.disabled = /first|back/.test(button.dataset.go) ? state.page === 0 : state.page === pages - 1;
    };
    pager.addEventListener("click", ({ target }) => {
      const pages = Math.ceil(state.rows.length / PAGE);
      const to = { first: 0, back: state.page - 1, on: state.page + 1, last: pages - 1 }[target.dataset.go];
      if (to === undefined) return;
      state.page = Math.min(Math.max(to, 0), pages - 1);
      show();
      if (target.disabled) find("button:not(:disabled)", pager)?.focus();
    });
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.cell.textContent;
      head.cell.replaceChildren(button);
      if (head.cell.hasAttribute("aria-sort")) state.sort = head;
      button.addEventListener("click", () => {
        // Words and ranks begin at their start, amounts at their largest.
        state.falls = state.sort === head ? !state.falls : !/text|count|^p$/.test(head.form);
        for (const other of heads) other.cell.removeAttribute("aria-sort");
        head.cell.setAttribute("aria-sort", state.falls ? "descending" : "ascending");
        state.sort = head;
        choose();
      });
    }
    search.addEventListener("input", choose);
    if (flag) flag.addEventListener("change", choose);
    find(".tools", section).hidden = false;
    choose();
  };
  all("table.long").forEach(longTable);

  // What is under the pointer, or under the arrow keys once a chart has the focus.
  const tip = find("#tip");
  const tell = (mark) => {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
  };
  const place = (x, y) => {
    const box = tip.getBoundingClientRect(), room = 8;
    const left = Math.min(Math.max(room, x + 14), window.innerWidth - box.width - room);
    const top = y + 18 + box.height > window.innerHeight - room ? y - box.height - 12 : y + 18;
    tip.style.left = `${Math.max(room, left)}px`;
    tip.style.top = `${Math.max(room, top)}px`;
  };
  for (const chart of all("svg.chart")) {
    const marks = all("[data-tip]", chart);
    if (!marks.length) continue;
    let at = -1;
    const hide = () => { tip.hidden = true; for (const m of marks) m.classList.remove("at"); };
    chart.addEventListener("pointermove", (event) => {
      const mark = event.target.closest("[data-tip]");
      if (!mark) return hide();
      tell(mark);
      place(event.clientX, event.clientY);
    });
    chart.addEventListener("pointerdown", (event) => { const mark = event.target.closest("[data-tip]"); if (mark) { tell(mark); place(event.clientX, event.clientY); } });
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("blur", hide);
    chart.tabIndex = 0;
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") return hide();
      if (!step) return;
      event.preventDefault();
      hide();
      at = at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length;
      marks[at].classList.add("at");
      tell(marks[at]);
      const box = marks[at].getBoundingClientRect();
      place(box.left + box.width / 2, box.top + box.height / 2);
      spoken.textContent = marks[at].dataset.tip;
    });
  }
  const spoken = document.createElement("div");
  spoken.className = "spoken";
  spoken.setAttribute("aria-live", "polite");
  document.body.append(spoken);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // Copying, where the browser allows it; otherwise the text is selected.
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = find("code", button.parentElement);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        window.getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // Paper shows what is folded.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = all("details:not([open]):not([data-long])");
    for (const details of folded) details.open = true;
  });
  window.addEventListener("afterprint", () => { for (const details of folded) details.open = false; });
})();
