"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const { data, charts } = JSON.parse(document.getElementById("payload").textContent);
  const chosen = { dataset: "", family: "", metric: "" };
  const LARGE = 3000; // rows beyond which a chart is painted rather than built of elements
  const SHOWN = 200; // rows of a data table
  const EVERY = "*"; // stands for all data sets together

  // Light or dark: the reader's choice, else the system's.
  const THEME = "uqalign-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => { try { return localStorage.getItem(THEME); } catch { return null; } };
  const remember = (value) => { try { localStorage.setItem(THEME, value); } catch { /* a file may have no storage */ } };
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const COLOURS = {
    light: {
      ink: "#1b2430", card: "#ffffff", muted: "#6f7b8a", grid: "#e3e7ec",
      category: ["#0072b2", "#d55e00", "#00866a", "#b8579a", "#8c6d00", "#3a9bd9", "#6b6b6b"],
      diverging: ["#9a3b00", "#e58a4a", "#f4f4f2", "#6aa5d6", "#00497a"],
    },
    dark: {
      ink: "#e6eaf0", card: "#1a2028", muted: "#93a0b0", grid: "#2b343f",
      category: ["#5ab4f0", "#f28e3b", "#3cc8a0", "#e08bc4", "#e3c34b", "#9ad0f5", "#b5b5b5"],
      diverging: ["#b04a08", "#7a3c14", "#262d36", "#1d5480", "#1f78c1"],
    },
  };
  const configOf = ({ ink, grid, category, diverging }) => ({
    background: "transparent",
    font: "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
    range: { category, diverging },
    view: { stroke: grid },
    axis: {
      labelColor: ink, titleColor: ink, gridColor: grid, domainColor: grid, tickColor: grid, labelFontSize: 11,
      titleFontSize: 11, titleFontWeight: "normal", labelLimit: 170,
    },
    legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 11, titleFontWeight: "normal", labelLimit: 220 },
    header: { labelColor: ink, titleColor: ink, labelFontSize: 12, labelFontWeight: "bold", labelAnchor: "start" },
    title: { color: ink },
    text: { color: ink },
  });

  // Data: CSV text, read when a chart is drawn.
  const READ = {
    number: (text) => (text === "" ? null : Number(text)),
    boolean: (text) => text === "True",
    string: (text) => text,
  };
  const cellsOf = (csv) => {
    const lines = [[]];
    for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n|$)/g)) {
      if (quoted === undefined && plain === "" && end === "" && !lines.at(-1).length) break; // after the last line
      lines.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      if (end === "\n") lines.push([]);
      if (end === "") break;
    }
    return lines.filter((line) => line.length);
  };
  const rowsOf = (name) => {
    const [names, ...lines] = cellsOf(data[name].csv);
    const readers = names.map((column) => READ[data[name].types[column]]);
    return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [names[i], readers[i](cell)])));
  };
  const kept = (rows) => {
    if (!rows.length) return rows;
    let found = rows;
    if ("dataset" in rows[0]) {
      const pooled = rows.some((row) => row.dataset === EVERY);
      if (chosen.dataset) found = found.filter((row) => row.dataset === chosen.dataset);
      else if (pooled) found = found.filter((row) => row.dataset === EVERY);
    }
    if (chosen.metric.startsWith("kind:")) {
      const kind = chosen.metric.slice(5);
      if ("kind" in rows[0]) found = found.filter((row) => row.kind === kind);
    } else if (chosen.metric && "metric" in rows[0]) found = found.filter((row) => row.metric === chosen.metric);
    return found;
  };

  // A specification for this width and these colours.
  const fitted = (spec, width, colours, rows) => {
    const tokens = { "@ink": colours.ink, "@muted": colours.muted, "@card": colours.card };
    const columns = Math.max(1, Math.floor(width / 130));
    const walk = (value, key) => {
      if (Array.isArray(value)) return value.map((item) => walk(item));
      if (value && typeof value === "object") {
        const made = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]));
        if (key === "legend" && "columns" in made) made.columns = columns;
        return made;
      }
      return Object.hasOwn(tokens, value) ? tokens[value] : value;
    };
    const made = walk(spec);
    const { panel, margin } = spec.usermeta ?? {};
    if (margin && !panel) made.width = Math.max(130, width - margin);
    if (panel) {
      const panels = new Set(rows.map((row) => row[spec.facet.field])).size;
      made.columns = Math.max(1, Math.min(panels, Math.floor(width / (panel + margin))));
      made.spec.width = Math.round(Math.min(420, Math.max(130, width / made.columns - margin)));
    }
    return made;
  };

  const views = new Map();
  const draw = async (id) => {
    const place = document.querySelector(`[data-chart="${id}"]`);
    if (place.closest("[hidden]")) return;
    const chart = charts[id];
    const light = chart.paper || !dark();
    const colours = COLOURS[light ? "light" : "dark"];
    const frames = Object.fromEntries(chart.data.map((name) => [name, kept(rowsOf(name))]));
    const largest = Math.max(...Object.values(frames).map((rows) => rows.length));
    const spec = fitted(chart.spec, place.clientWidth, colours, frames[chart.data[0]]);
    const view = await vegaEmbed(place, { ...spec, datasets: frames }, {
      actions: false, config: configOf(colours), renderer: largest > LARGE ? "canvas" : "svg",
      tooltip: { theme: light ? "light" : "dark" },
    });
    views.get(id)?.finalize();
    views.set(id, view);
    // The chart is one picture with one description, which the page gives.
    place.querySelector("svg, canvas").setAttribute("aria-hidden", "true");
    place.dataset.drawn = String(Number(place.dataset.drawn || 0) + 1);
    reachable(place.parentElement);
  };
  // What scrolls sideways can be scrolled by keyboard.
  const reachable = (box) => { if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; else box.removeAttribute("tabindex"); };

  // Charts are drawn when they come near, and again when something changes.
  let stale = new Set(Object.keys(charts));
  const near = new Set();
  let queue = Promise.resolve();
  let waits = 0;
  const pending = (more) => { waits += more; root.dataset.drawing = String(waits); };
  pending(0);
  const drawNear = () => {
    for (const id of near) {
      if (!stale.has(id)) continue;
      stale.delete(id);
      pending(1);
      queue = queue.then(() => draw(id)).catch((error) => console.error(`${id}: ${error}`)).then(() => pending(-1));
    }
  };
  const redraw = () => { stale = new Set(Object.keys(charts)); drawNear(); };
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const id = entry.target.dataset.chart;
      if (entry.isIntersecting) near.add(id); else near.delete(id);
    }
    drawNear();
  }, { rootMargin: "300px" });
  all("[data-chart]").forEach((place) => watcher.observe(place));

  // Choices hide what does not belong to them.
  const belongs = (block) => {
    const families = block.dataset.families;
    if (chosen.family && families && !families.split(" ").includes(chosen.family)) return false;
    const datasets = block.dataset.datasets;
    if (chosen.dataset && datasets && !datasets.split(" ").includes(chosen.dataset)) return false;
    return !block.dataset.frame || kept(rowsOf(block.dataset.frame)).length > 0;
  };
  const apply = () => {
    for (const section of all("main > section")) {
      const blocks = all(":scope > [id]:not(h2)", section);
      blocks.forEach((block) => { block.hidden = !belongs(block); });
      section.querySelector(".nothing").hidden = !blocks.length || blocks.some((block) => !block.hidden);
    }
    all("[data-dataset]").forEach((cell) => { cell.hidden = Boolean(chosen.dataset) && cell.dataset.dataset !== chosen.dataset; });
    all("details[data-table][open]").forEach(fillTable);
    const charts_ = all("figure.card").filter((figure) => !figure.hidden).length;
    const told = all("[data-choice]").filter((s) => s.value).map((s) => s.selectedOptions[0].text);
    document.querySelector(".status").textContent = told.length ? `${told.join(", ")}: ${charts_} charts` : "";
    redraw();
    all("main .scroll").forEach(reachable);
  };
  const form = document.querySelector("form.choices");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => { chosen[event.target.dataset.choice] = event.target.value; apply(); });
  form.addEventListener("reset", () => {
    Object.keys(chosen).forEach((name) => { chosen[name] = ""; });
    setTimeout(apply);
  });

  // Data as CSV, as a table; charts as PNG.
  all("[data-csv]").forEach((link) => {
    link.href = URL.createObjectURL(new Blob([data[link.dataset.csv].csv], { type: "text/csv;charset=utf-8" }));
  });
  const fillTable = (details) => {
    const rows = kept(rowsOf(details.dataset.table));
    const names = Object.keys(data[details.dataset.table].types);
    const table = document.createElement("table");
    const more = rows.length > SHOWN ? `The first ${SHOWN} of ${rows.length.toLocaleString("en")} rows; the CSV has all.` : `${rows.length} rows.`;
    table.createCaption().textContent = more;
    const head = table.createTHead().insertRow();
    names.forEach((name) => { const cell = document.createElement("th"); cell.scope = "col"; cell.textContent = name; head.append(cell); });
    const body = table.createTBody();
    rows.slice(0, SHOWN).forEach((row) => {
      const line = body.insertRow();
      names.forEach((name) => {
        const cell = line.insertCell();
        cell.textContent = row[name] ?? "--";
        if (data[details.dataset.table].types[name] === "number") cell.className = "number";
      });
    });
    const box = document.createElement("div");
    box.className = "scroll";
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Data");
    box.append(table);
    details.querySelector(".scroll")?.remove();
    details.append(box);
    reachable(box);
  };
  all(".card > details").forEach((details) => details.addEventListener("toggle", () => all(".scroll", details).forEach(reachable)));
  all("details[data-table]").forEach((details) => details.addEventListener("toggle", () => { if (details.open) fillTable(details); }));
  all("[data-png]").forEach((button) => button.addEventListener("click", async () => {
    const id = button.dataset.png;
    if (!views.has(id)) { stale.delete(id); await draw(id); }
    const link = document.createElement("a");
    link.href = await views.get(id).view.toImageURL("png", 2);
    link.download = `${id}.png`;
    link.click();
  }));

  // Theme, width, and where one is.
  const toggle = document.getElementById("theme");
  const setTheme = (value) => {
    if (value) root.dataset.theme = value;
    toggle.setAttribute("aria-pressed", String(dark()));
    redraw();
  };
  toggle.addEventListener("click", () => { const value = dark() ? "light" : "dark"; remember(value); setTheme(value); });
  system.addEventListener("change", () => setTheme(root.dataset.theme));
  let width = innerWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's bars come and go
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => { redraw(); all(".scroll").forEach(reachable); }, 200);
  });
  const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
  const place = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  all("main > section").forEach((section) => place.observe(section));
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".contents details").open = false;
  setTheme(remembered());
  apply();
})();
