"use strict";
// Draws the report from the JSON in this page. Whatever comes from a report reaches the document
// through textContent and the charts through the canvas: a name is never markup.

(() => {
const report = JSON.parse(document.getElementById("data").textContent);
const kernels = report.kernels;
const byId = (id) => document.getElementById(id);

// ---- Text --------------------------------------------------------------------------------------

const prefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/** 66100000000000, "FLOP/s": "66.1 TFLOP/s". */
function scaled(value, unit) {
  if (value === null) return "–";
  const [scale, prefix] = prefixes.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  return `${digits(value / scale)} ${prefix}${unit}`;
}
/** Three significant digits without an exponent; all digits before the point. */
function digits(value) {
  if (value === null) return "–";
  if (value === 0) return "0";
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 8));
}
function percent(share, signed = false) {
  if (share === null || share === undefined) return "–";
  return `${signed && share >= 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
}
function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const [scale, unit] = seconds >= 1 ? [1, "s"] : seconds >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
  return `${digits(seconds * scale)} ${unit}`;
}

// ---- Elements ----------------------------------------------------------------------------------

/** A new element; `properties` are attributes but for text and onclick. */
function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") node.textContent = value;
    else if (name === "onclick") node.addEventListener("click", value);
    else if (value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}
function replace(parent, ...children) { parent.replaceChildren(...children); }
function badge(text) {
  return element("span", { class: `badge ${/^[a-z-]+$/.test(text) ? text : ""}`, text });
}
function fillSelect(select, options, chosen) {
  replace(select, ...options.map(([value, text]) => element("option", { value, text })));
  if (chosen !== undefined) select.value = chosen;
}
function headerRow(titles) {
  return element("tr", {}, ...titles.map(([text, kind]) =>
    element("th", { text, scope: "col", class: kind ?? null })));
}
/** A bar of coloured parts, each a share of its width. */
function bar(parts) {
  const node = element("span", { class: "bar" });
  for (const [share, color] of parts) {
    const part = element("i");
    part.style.width = `${Math.min(100, 100 * share)}%`;
    part.style.background = `var(${color})`;
    node.append(part);
  }
  return node;
}

// ---- Choices -----------------------------------------------------------------------------------

const allLevels = "all";
const levels = ["L1/shared", "L2", "DRAM"];
const levelMarkers = { "L1/shared": "triangle", "L2": "rect", "DRAM": "circle" };
const types = [...new Set(kernels.flatMap((kernel) => kernel.points.map((point) => point.type)))];
const classes = ["bandwidth-bound", "instruction-bound", "latency-bound", "launch-bound",
                 "tail-bound", "inconclusive"];
const state = {
  level: allLevels,
  type: types[0] ?? "fp32",
  ceiling: report.first_ceiling,
  selected: Math.max(0, kernels.findIndex((kernel) => kernel.audit !== null)),
  sort: null,
  descending: false,
};

const classOf = (kernel) => kernel.audit?.class ?? kernel.analysed?.class ?? "inconclusive";
/** Of the verdict; of a kernel that no model knows, why. */
const reasonOf = (kernel) =>
  kernel.audit?.reason ?? kernel.analysed?.reason ?? `not predicted: ${kernel.why_not_audited}`;
const severalShapes = new Set(kernels.map((kernel) => kernel.shape)).size > 1;
const label = (kernel) =>
  severalShapes && kernel.shape ? `${kernel.name} ${kernel.shape}` : kernel.name;
const ceiling = () => report.ceilings[state.ceiling];
/** The level of the indicator table: the one chosen, else DRAM. */
const tableLevel = () => (state.level === allLevels ? "DRAM" : state.level);
const pointAt = (kernel, level) =>
  kernel.points.find((point) => point.type === state.type && point.level === level) ?? null;
const prediction = (kernel) => kernel.audit?.predictions[0] ?? null;

/** Colours of the theme by name, read once: asking the style anew for every tick is slow. */
const palette = new Map();
function color(name) {
  if (!palette.has(name)) {
    palette.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  }
  return palette.get(name);
}

// ---- Tooltip -----------------------------------------------------------------------------------

const tooltip = byId("tooltip");

function showTooltip(lines, x, y) {
  replace(tooltip, element("strong", { text: lines[0] }),
          ...lines.slice(1).map((text) => element("div", { text })));
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  const left = Math.min(x + 14, document.documentElement.clientWidth - box.width - 8);
  tooltip.style.left = `${Math.max(8, left)}px`;
  tooltip.style.top = `${y + 14 + box.height > window.innerHeight ? y - box.height - 14 : y + 14}px`;
}
function hideTooltip() { tooltip.hidden = true; }

/** For Chart.js: `describe` gives the lines of what is pointed at. */
function externalTooltip(describe) {
  return ({ chart, tooltip: model }) => {
    const item = model.dataPoints?.[0];
    if (model.opacity === 0 || !item) {
      hideTooltip();
      return;
    }
    const canvas = chart.canvas.getBoundingClientRect();
    showTooltip(describe(item), canvas.left + model.caretX, canvas.top + model.caretY);
  };
}

// ---- Rooflines ---------------------------------------------------------------------------------

/** What tells the two rooflines apart. */
const flopRoofline = {
  canvas: byId("roofline"),
  xTitle: "arithmetic intensity, FLOP per byte",
  yTitle: "GFLOP/s",
  points: (kernel) => kernel.points.filter((point) => point.type === state.type),
  peaks: () => {
    const roof = ceiling().compute.find((one) => one.type === state.type);
    return roof ? [{ name: roof.type, perS: roof.flop_per_s, unit: "FLOP/s" }] : [];
  },
  slope: (roof) => roof.bytes_per_s,
  slopeText: (roof) => scaled(roof.bytes_per_s, "B/s"),
  rate: (value) => scaled(value, "FLOP/s"),
  intensity: (value) => `${digits(value)} FLOP/byte`,
};
const instructionRoofline = {
  canvas: byId("instruction-roofline"),
  xTitle: "warp instructions per transaction",
  yTitle: "warp GIPS",
  points: (kernel) => kernel.instructions,
  peaks: () => ceiling().instructions_per_s > 0
    ? [{ name: "issue", perS: ceiling().instructions_per_s, unit: "IPS" }] : [],
  slope: (roof) => roof.bytes_per_s / 32,
  slopeText: (roof) => `${scaled(roof.bytes_per_s / 32, "")} transactions/s`,
  rate: (value) => `${scaled(value, "")} warp instructions/s`,
  intensity: (value) => `${digits(value)} warp instructions per transaction`,
};

const chosenLevels = () => (state.level === allLevels ? levels : [state.level]);

function rooflinePoints(kind) {
  const found = [];
  kernels.forEach((kernel, index) => {
    for (const point of kind.points(kernel)) {
      if (chosenLevels().includes(point.level)) found.push({ kernel, index, point });
    }
  });
  return found;
}

/** Lines of a tooltip. */
function describePoint(kind, { kernel, point }) {
  const roof = point.roofs[state.ceiling];
  const lines = [
    label(kernel),
    `${point.level}${kind === flopRoofline ? `, ${point.type}` : ""}`,
    kind.intensity(point.intensity),
    kind.rate(point.per_s),
  ];
  if (roof?.limiter) {
    lines.push(`${percent(roof.share)} of the roof (${roof.limiter})${roof.share > 1 ? ", above it" : ""}`);
  }
  lines.push(kernel.audit
    ? `limited by ${kernel.audit.limiting.resource}, ${kernel.audit.class}`
    : classOf(kernel));
  return lines;
}

/** Where memory roofs end: at the peak; where none is known, above all points. */
function highestRoof(peaks, points) {
  const known = peaks.map((peak) => peak.perS);
  return Math.max(...(known.length > 0 ? known : points.map(({ point }) => 4 * point.per_s)), 1e6);
}

/** Extremes of the axes: all points and the corners where roofs meet, with room around them. */
function rooflineRange(kind, points, highest, memory) {
  const corners = memory.map((roof) => highest / kind.slope(roof));
  const xs = [...corners, ...points.map(({ point }) => point.intensity)].filter(Number.isFinite);
  const ys = points.map(({ point }) => point.per_s);
  return {
    x: [Math.min(...xs) / 4, Math.max(...xs) * 3],
    y: [Math.min(highest / 300, ...ys.map((y) => y / 2)) / 1e9, Math.max(highest, ...ys) * 2 / 1e9],
  };
}

const levelColors = { "L1/shared": "--launch", "L2": "--instruction", "DRAM": "--bandwidth" };

function roofDatasets(kind, range, peaks, highest, memory) {
  const datasets = [];
  const fastest = Math.max(...memory.map(kind.slope));
  const line = (labelText, labelColor, data, flat) => ({
    type: "line", data, roofLabel: labelText, roofColor: labelColor, flat,
    borderColor: labelColor, borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0, order: 2,
  });
  for (const peak of peaks) {
    const from = Math.max(range.x[0], peak.perS / fastest);
    datasets.push(line(`${peak.name} ${scaled(peak.perS, peak.unit)}`, color("--quiet"),
                       [{ x: from, y: peak.perS / 1e9 }, { x: range.x[1], y: peak.perS / 1e9 }],
                       true));
  }
  for (const roof of memory) {
    const from = Math.max(range.x[0], range.y[0] * 1e9 / kind.slope(roof));
    const to = Math.min(range.x[1], highest / kind.slope(roof));
    datasets.push(line(`${roof.level} ${kind.slopeText(roof)}`, color(levelColors[roof.level]),
                       [{ x: from, y: from * kind.slope(roof) / 1e9 },
                        { x: to, y: to * kind.slope(roof) / 1e9 }], false));
  }
  return datasets;
}

const overlaps = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Writes roofs along their lines and kernels beside their points, where there is room. */
const chartLabels = {
  id: "chartLabels",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea } = chart;
    const taken = [];
    ctx.save();
    ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textBaseline = "middle";
    chart.data.datasets.forEach((dataset, index) => {
      if (!dataset.roofLabel) return;
      const [from, to] = chart.getDatasetMeta(index).data;
      const width = ctx.measureText(dataset.roofLabel).width;
      ctx.save();
      ctx.fillStyle = dataset.roofColor;
      if (dataset.flat) {
        ctx.textAlign = "right";
        ctx.fillText(dataset.roofLabel, to.x - 6, to.y - 9);
        taken.push({ left: to.x - 6 - width, right: to.x, top: to.y - 17, bottom: to.y });
      } else {
        const angle = Math.atan2(to.y - from.y, to.x - from.x);
        ctx.translate(from.x, from.y);
        ctx.rotate(angle);
        ctx.fillText(dataset.roofLabel, 10, -9);
        for (let at = 10; at < width + 10; at += 8) {
          const x = from.x + at * Math.cos(angle);
          const y = from.y + at * Math.sin(angle);
          taken.push({ left: x - 12, right: x + 8, top: y - 16, bottom: y + 2 });
        }
      }
      ctx.restore();
    });
    const rightmost = new Map();
    chart.data.datasets.forEach((dataset, index) => {
      if (!dataset.items) return;
      chart.getDatasetMeta(index).data.forEach((node, i) => {
        taken.push({ left: node.x - 6, right: node.x + 6, top: node.y - 6, bottom: node.y + 6 });
        const item = dataset.items[i];
        const best = rightmost.get(item.index);
        if (!best || node.x > best.x) rightmost.set(item.index, { x: node.x, y: node.y, item });
      });
    });
    ctx.fillStyle = color("--text");
    ctx.font = `600 ${ctx.font}`;
    const names = [...rightmost.values()];
    names.sort((a, b) => (b.item.index === state.selected) - (a.item.index === state.selected));
    for (const { x, y, item } of names) {
      const full = label(item.kernel);
      const text = full.length > 28 ? `${full.slice(0, 27)}…` : full;
      const width = ctx.measureText(text).width;
      const places = [[10, 0], [10, -12], [10, 12], [-10 - width, 0], [-width / 2, -15],
                      [-width / 2, 15], [10, -24], [10, 24], [-10 - width, -14], [-10 - width, 14]];
      for (const [dx, dy] of places) {
        const box = { left: x + dx, right: x + dx + width, top: y + dy - 7, bottom: y + dy + 7 };
        const inside = box.left >= chartArea.left && box.right <= chartArea.right &&
                       box.top >= chartArea.top && box.bottom <= chartArea.bottom;
        if (inside && !taken.some((other) => overlaps(box, other))) {
          taken.push(box);
          ctx.fillText(text, box.left, y + dy);
          break;
        }
      }
    }
    ctx.restore();
  },
};

/** 0.01, 1, 10, then 1e4: powers of ten only. */
function decadeTick(value) {
  const decade = Math.log10(value);
  if (Math.abs(decade - Math.round(decade)) > 1e-6) return "";
  return Math.abs(decade) <= 5 ? String(Number(value.toPrecision(1))) : `1e${Math.round(decade)}`;
}
function logAxis(title, [min, max], position) {
  return {
    type: "logarithmic", position, min, max,
    title: { display: true, text: title, color: color("--quiet") },
    grid: { color: (context) => decadeTick(context.tick.value) === "" ? "transparent" : color("--rule"),
            borderColor: color("--quiet") },
    ticks: { color: color("--quiet"), callback: decadeTick, maxRotation: 0, autoSkip: false },
  };
}

const charts = new Map();

/** Draws a chart anew in place of the one before. */
function draw(canvas, config) {
  charts.get(canvas)?.destroy();
  charts.set(canvas, new Chart(canvas, config));
  return charts.get(canvas);
}

function drawRoofline(kind) {
  const points = rooflinePoints(kind);
  const peaks = kind.peaks();
  const memory = ceiling().memory.filter((roof) => chosenLevels().includes(roof.level));
  const highest = highestRoof(peaks, points);
  const range = rooflineRange(kind, points, highest, memory);
  const datasets = roofDatasets(kind, range, peaks, highest, memory);
  for (const level of chosenLevels()) {
    const items = points.filter((item) => item.point.level === level);
    datasets.push({
      items, order: 1,
      data: items.map(({ point }) => ({ x: point.intensity, y: point.per_s / 1e9 })),
      pointStyle: levelMarkers[level],
      pointRadius: items.map(({ index }) => (index === state.selected ? 9 : 6)),
      pointHoverRadius: 10, pointHitRadius: 4, pointBorderWidth: 1.5,
      pointBorderColor: color("--surface"),
      pointBackgroundColor: color(levelColors[level]),
    });
  }
  kind.canvas.setAttribute("aria-label",
    `${kind.xTitle} against ${kind.yTitle}, ${points.length} points; arrow keys go from one to the next`);
  draw(kind.canvas, {
    type: "scatter",
    data: { datasets },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false,
      interaction: { mode: "nearest", intersect: true },
      scales: { x: logAxis(kind.xTitle, range.x, "bottom"), y: logAxis(kind.yTitle, range.y, "left") },
      plugins: {
        legend: { display: false },
        tooltip: {
          enabled: false,
          external: externalTooltip((item) => describePoint(kind, item.dataset.items[item.dataIndex])),
        },
      },
      onClick: (event, hit, chart) => {
        const items = hit.length > 0 ? chart.data.datasets[hit[0].datasetIndex].items : null;
        if (items) select(items[hit[0].index].index);
      },
    },
    plugins: [chartLabels],
  });
}

/** Arrow keys step through the points of a roofline, Enter selects the kernel. */
function addKeyboard(kind) {
  let at = -1;
  const all = () => charts.get(kind.canvas).data.datasets.flatMap((dataset, datasetIndex) =>
    (dataset.items ?? []).map((item, index) => ({ item, datasetIndex, index })))
    .sort((a, b) => a.item.point.intensity - b.item.point.intensity);
  kind.canvas.addEventListener("keydown", (event) => {
    const points = all();
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
    if (event.key === "Enter" && points[at]) {
      select(points[at].item.index);
    } else if (event.key === "Escape") {
      hideTooltip();
    } else if (event.key in steps && points.length > 0) {
      at = (Math.max(at, steps[event.key] > 0 ? -1 : 0) + steps[event.key] + points.length) % points.length;
      const chart = charts.get(kind.canvas);
      const { datasetIndex, index } = points[at];
      const { x, y } = chart.getDatasetMeta(datasetIndex).data[index];
      chart.setActiveElements([{ datasetIndex, index }]);
      chart.tooltip.setActiveElements([{ datasetIndex, index }], { x, y });
      chart.update("none");
    } else {
      return;
    }
    event.preventDefault();
  });
  kind.canvas.addEventListener("blur", hideTooltip);
}

const levelSymbols = { "L1/shared": "▲", "L2": "■", "DRAM": "●" };

function drawLegend() {
  replace(byId("level-legend"), ...levels.map((level) => {
    const symbol = element("span", { class: "symbol", text: levelSymbols[level] });
    symbol.style.color = `var(${levelColors[level]})`;
    return element("li", {}, symbol, level);
  }));
  const without = kernels.filter((kernel) => kernel.points.length === 0);
  byId("without-points").textContent = without.length === 0 ? ""
    : `Not on the left chart, without machine code or multiply-adds: ${without.map(label).join(", ")}.`;
  const opcodes = [...new Set(kernels.flatMap((kernel) => kernel.uncounted_products))];
  byId("uncounted-products").textContent = opcodes.length === 0 ? ""
    : "Not on the left chart, because they are of integers, sparse or of a size that their code " +
      `does not tell: ${opcodes.join(", ")}.`;
}

/** Of types that the chosen ceilings do not know, points have no share of a roof. */
function drawWithoutRoof() {
  const shown = kernels.some((kernel) => flopRoofline.points(kernel).length > 0);
  byId("without-roof").textContent = !shown || flopRoofline.peaks().length > 0 ? ""
    : `The peak of ${state.type} is not among these ceilings (${ceiling().name}): ` +
      "its points have no share of a roof.";
}

// ---- Indicators --------------------------------------------------------------------------------

/** Nothing where the ceilings lack the peak of the type. */
const roofOf = (kernel) => {
  const roof = pointAt(kernel, tableLevel())?.roofs[state.ceiling];
  return roof?.limiter ? roof : null;
};
const rateOf = (kernel) => kernel.analysed?.flop_per_s ?? pointAt(kernel, tableLevel())?.per_s ?? null;

/** Columns of the table: the value to sort by and the text to show. */
const columns = [
  { title: "kernel", value: (kernel) => kernel.name, name: true },
  { title: "shape", value: (kernel) => kernel.shape },
  { title: "measured", value: (kernel) => kernel.measured_s, text: duration },
  { title: "predicted", value: (kernel) => prediction(kernel)?.seconds ?? null, text: duration },
  { title: "error", value: (kernel) => kernel.audit?.error ?? null, text: (value) => percent(value, true) },
  { title: "role", value: (kernel) => (kernel.audit ? kernel.role : "") },
  { title: "GFLOP/s", value: rateOf, text: (value) => (value === null ? "–" : (value / 1e9).toFixed(1)) },
  { title: "of peak", value: (kernel) => kernel.analysed?.share_of_peak ?? null, text: percent },
  { title: "FLOP/byte", value: (kernel) => pointAt(kernel, tableLevel())?.intensity ?? null, text: digits },
  { title: "share of roof", value: (kernel) => roofOf(kernel)?.share ?? null, text: percent },
  { title: "verdict", value: classOf, badge: true },
  { title: "limited by", value: (kernel) => kernel.audit?.limiting.resource ?? "" },
  { title: "share", value: (kernel) => kernel.audit?.limiting.share ?? null, text: percent },
  { title: "occupancy", value: (kernel) => kernel.audit?.occupancy ?? null, text: percent },
  { title: "warp instr.", value: (kernel) => kernel.audit?.warp_instructions ?? null, text: (value) => scaled(value, "") },
  { title: "L2", value: (kernel) => kernel.audit?.l2_bytes ?? null, text: (value) => scaled(value, "B") },
  { title: "DRAM", value: (kernel) => kernel.audit?.dram_bytes ?? null, text: (value) => scaled(value, "B") },
];
const isNumber = (column) => column.text !== undefined;

function compareValues(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
}

function drawTableHead() {
  const cells = columns.map((column, index) => {
    const sorted = state.sort === index ? (state.descending ? "descending" : "ascending") : "none";
    return element("th", { scope: "col", "aria-sort": sorted, class: isNumber(column) ? "number" : null },
      element("button", { type: "button", text: column.title, onclick: () => sortBy(index) }));
  });
  replace(byId("indicator-table").tHead, element("tr", {}, ...cells));
}

function sortBy(index) {
  state.descending = state.sort === index ? !state.descending : isNumber(columns[index]);
  state.sort = index;
  drawTable();
  byId("indicator-table").tHead.querySelectorAll("button")[index].focus();
}

function indicatorCell(column, kernel, index) {
  const value = column.value(kernel);
  if (column.name) {
    return element("td", { class: "name", title: value },
      element("button", { type: "button", class: "link", text: value, onclick: () => select(index) }));
  }
  if (column.badge) return element("td", {}, badge(value));
  return element("td", { class: isNumber(column) ? "number" : null,
                         text: isNumber(column) ? column.text(value) : value });
}

function shownKernels() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = byId("class-filter").value;
  const shown = kernels.map((kernel, index) => ({ kernel, index })).filter(({ kernel }) => {
    const text = [kernel.name, kernel.shape, classOf(kernel), kernel.audit?.limiting.resource,
                  kernel.analysed?.family, kernel.role].join(" ").toLowerCase();
    return words.every((word) => text.includes(word)) && (!wanted || classOf(kernel) === wanted);
  });
  if (state.sort !== null) {
    const { value } = columns[state.sort];
    shown.sort((a, b) => {
      const [left, right] = [value(a.kernel), value(b.kernel)];
      const order = compareValues(left, right);
      return left === null || right === null || !state.descending ? order : -order;
    });
  }
  return shown;
}

function drawTable() {
  drawTableHead();
  const shown = shownKernels();
  replace(byId("indicator-table").tBodies[0], ...shown.map(({ kernel, index }) =>
    element("tr", { class: index === state.selected ? "selected" : null },
            ...columns.map((column) => indicatorCell(column, kernel, index)))));
  byId("row-count").textContent = `${shown.length} of ${kernels.length} kernels`;
}

// ---- Verdicts and one kernel -------------------------------------------------------------------

function drawCards() {
  replace(byId("verdict-cards"), ...kernels.map((kernel, index) => {
    const name = classOf(kernel);
    const card = element("button",
      { type: "button", class: `card ${classes.includes(name) ? name : ""}`,
        "aria-pressed": String(index === state.selected),
        onclick: () => select(index, true) },
      element("strong", { text: label(kernel) }), badge(name));
    const line = (text) => card.append(element("span", { class: "line quiet", text }));
    if (kernel.audit) {
      line(`${kernel.audit.reason}.`);
      line(`First: ${kernel.audit.advice}.`);
    } else {
      line(`${reasonOf(kernel)}.`);
    }
    return card;
  }));
}

function evidenceTable(evidence) {
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, headerRow([["topic"], ["figure"], ["finding"]])),
    element("tbody", {}, ...evidence.map((one) => element("tr", {},
      element("td", { text: one.topic }), element("td", {}, badge(one.kind)),
      element("td", { class: "prose", text: one.finding }))))));
}

function facts(pairs) {
  return element("dl", { class: "facts" }, ...pairs.filter(([, text]) => text !== "–").map(([name, text]) =>
    element("div", {}, element("dt", { text: name }), element("dd", { text }))));
}

/** Rows of a resource, its time and its share. */
function sharesTable(title, rows) {
  return element("div", { class: "scroll" },
    element("h3", { text: title }),
    element("table", {},
      element("thead", {}, headerRow([["resource"], ["time", "number"], ["share", "number"], [""]])),
      element("tbody", {}, ...rows.map(([name, seconds, share, barColor]) => element("tr", {},
        element("td", { text: name }),
        element("td", { class: "number", text: duration(seconds) }),
        element("td", { class: "number", text: percent(share) }),
        element("td", {}, bar([[share, barColor]])))))));
}

function timeTables(kernel) {
  const seconds = kernel.measured_s ?? prediction(kernel).seconds;
  return element("div", { class: "pair" },
    sharesTable("Least time of each resource", kernel.audit.bounds.map((bound) =>
      [bound.resource, bound.seconds, bound.seconds / seconds, "--accent"])),
    sharesTable("Where the time goes", kernel.time_split.map((part, index) =>
      [part.resource, part.share * seconds, part.share, `--part-${index}`])));
}

const address = (value) => value.toString(16).padStart(4, "0");

/** A line as it stands in the data: a list, see reports/page_data.cpp. */
function codeLine([at, text, executions, wavefronts, ideal, sectors, share, stalls]) {
  const reasons = [];
  for (let i = 0; i < stalls.length; i += 2) {
    reasons.push({ resource: report.stall_names[stalls[i]], share: stalls[i + 1] });
  }
  return { address: at, text, executions, wavefronts, ideal_wavefronts: ideal, sectors, share,
           stalls: reasons };
}

function codeTable(hot) {
  const lines = hot.lines.map(codeLine);
  const hottest = Math.max(...lines.map((line) => line.share), 1e-9);
  const rows = lines.map((line) => {
    const issued = line.stalls.find((stall) => stall.resource === "selected")?.share ?? 0;
    const waits = line.stalls
      .filter((stall) => stall.resource !== "selected" && stall.share >= 0.0005).slice(0, 3);
    const conflicts = line.wavefronts > line.ideal_wavefronts * 1.005;
    return element("tr", {},
      element("td", { class: "quiet", text: address(line.address) }),
      element("td", { text: line.text }),
      element("td", { class: "number", text: scaled(line.executions, "") }),
      element("td", { class: "number", text: line.wavefronts > 0
        ? scaled(line.wavefronts, "") + (conflicts ? ` (ideal ${scaled(line.ideal_wavefronts, "")})` : "") : "" }),
      element("td", { class: "number", text: line.sectors > 0 ? scaled(line.sectors, "") : "" }),
      element("td", { class: "number", text: percent(line.share) }),
      element("td", {}, bar([[issued / hottest, "--good"], [(line.share - issued) / hottest, "--instruction"]])),
      element("td", { class: "prose", text: waits.map((stall) =>
        `${stall.resource.replaceAll("_", " ")} ${percent(stall.share)}`).join(", ") }));
  });
  return element("div", { class: "scroll code", tabindex: "0", role: "region", "aria-label": "Machine code" },
    element("table", {},
      element("thead", {}, headerRow([["address"], ["instruction"], ["executions", "number"],
        ["wavefronts", "number"], ["sectors", "number"], ["warp time", "number"], ["issued, waiting"],
        ["why warps wait"]])),
      element("tbody", {}, ...rows)));
}

function hotCode(kernel) {
  const hot = kernel.hot_loop;
  const parts = [element("h3", { text: hot.is_loop ? "Hottest loop" : "Machine code" })];
  const passes = hot.is_loop && hot.trip_count > 0 ? `, ${digits(hot.trip_count)} passes each time it is entered` : "";
  parts.push(element("p", { class: "quiet",
    text: `${percent(hot.share)} of the warps' time${passes}. Executions, wavefronts and sectors are counted, times are predicted; machine code from ${kernel.code}.` }));
  if (hot.left_out > 0) {
    parts.push(element("p", { class: "quiet", text: `${hot.left_out} further instructions are not shown.` }));
  }
  return [...parts, codeTable(hot)];
}

function drawKernel() {
  const kernel = kernels[state.selected];
  const parts = [];
  if (!kernel) {
    replace(byId("kernel-detail"), element("p", { text: "The report has no kernel." }));
    return;
  }
  const { audit, analysed } = kernel;
  const best = prediction(kernel);
  parts.push(element("h3", { text: label(kernel) }));
  if (analysed) parts.push(element("p", { class: "quiet", text: `${analysed.summary}.` }));
  parts.push(element("p", { class: "verdict" }, badge(classOf(kernel)), " ",
                     `${reasonOf(kernel)}.`));
  if (audit) parts.push(element("p", { text: `First: ${audit.advice}.` }));
  parts.push(facts([
    ["measured", duration(kernel.measured_s)],
    ["predicted", duration(best?.seconds)],
    ["in nine of ten cases", best ? `${duration(best.low_s)} to ${duration(best.high_s)}` : "–"],
    [`error (${kernel.role})`, percent(audit?.error, true)],
    ["performance", analysed ? scaled(analysed.flop_per_s, "FLOP/s") : "–"],
    ["of the fp32 peak", percent(analysed?.share_of_peak)],
    ["limited by", audit ? `${audit.limiting.resource} ${percent(audit.limiting.share)}` : "–"],
    ["then", audit ? `${audit.runner_up.resource} ${percent(audit.runner_up.share)}` : "–"],
    ["occupancy", percent(audit?.occupancy)],
    ["blocks × threads", audit ? `${audit.blocks} × ${audit.threads_per_block}` : "–"],
  ]));
  if (audit) {
    parts.push(element("h3", { text: "Evidence" }), evidenceTable(audit.evidence), timeTables(kernel));
  } else {
    parts.push(element("p", { class: "quiet", text: `Not predicted: ${kernel.why_not_audited}.` }));
  }
  if (kernel.hot_loop) parts.push(...hotCode(kernel));
  if (analysed) {
    parts.push(element("h3", { text: `By the source ledger: ${analysed.class}` }),
               element("p", { class: "quiet", text: `${analysed.reason}.` }), evidenceTable(analysed.evidence));
  }
  replace(byId("kernel-detail"), ...parts);
}

function select(index, scroll = false) {
  state.selected = index;
  byId("selected").value = String(index);
  drawCharts();
  drawTable();
  drawCards();
  drawKernel();
  if (scroll) byId("kernel").scrollIntoView();
}

// ---- What if -----------------------------------------------------------------------------------

/** "17.2 % less time" and "10.1 to 25.3 % less time in nine of ten cases". */
function gainTexts({ share, low, high }) {
  const gains = share >= 0;
  const [first, last] = gains ? [low, high] : [-high, -low];
  const word = gains ? "less" : "more";
  return [`${percent(Math.abs(share))} ${word} time`,
          `${(100 * first).toFixed(1)} to ${percent(last)} ${word} time in nine of ten cases`];
}

function interval(one) { return `${duration(one.low_s)} to ${duration(one.high_s)}`; }

function beforeAndAfter(kernel) {
  const { audit, what_if: after } = kernel;
  const limit = (one) => `${one.resource} ${percent(one.share)}`;
  const rows = [
    ...(after.device === audit.device ? [] : [["device", audit.device, after.device]]),
    ["predicted time", duration(prediction(kernel).seconds), duration(after.prediction.seconds)],
    ["in nine of ten cases", interval(prediction(kernel)), interval(after.prediction)],
    ...(after.expected_s === null ? []
      : [["measured, then expected", duration(kernel.measured_s), duration(after.expected_s)]]),
    ["verdict", badge(audit.class), badge(after.class)],
    ["limited by", limit(audit.limiting), limit(after.limiting)],
    ["then", limit(audit.runner_up), limit(after.runner_up)],
  ];
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, headerRow([[""], ["as it is"], ["with the changes"]])),
    element("tbody", {}, ...rows.map(([title, ...states]) => element("tr", {},
      element("th", { text: title, scope: "row" }),
      ...states.map((one) => element("td", {}, one)))))));
}

/** Units of quantities stand beside them, those of counts beside their names. */
function quantity(value, unit) {
  if (unit === "MB") return scaled(1e6 * value, "B");
  if (unit === "GHz") return `${digits(value)} GHz`;
  return Number.isInteger(value) && value < 1000 ? String(value) : scaled(value, "");
}

function movedCounts(counts) {
  const name = ({ count, unit }) => ["", "MB", "GHz"].includes(unit) ? count : `${count}, ${unit}`;
  return element("div", { class: "scroll" },
    element("h3", { text: "What moves" }),
    element("table", {},
      element("thead", {}, headerRow([["count"], ["before", "number"], ["after", "number"],
        ["change", "number"]])),
      element("tbody", {}, ...counts.map((one) => element("tr", {},
        element("td", { text: name(one) }),
        element("td", { class: "number", text: quantity(one.before, one.unit) }),
        element("td", { class: "number", text: quantity(one.after, one.unit) }),
        element("td", { class: "number",
                        text: one.before > 0 ? percent(one.after / one.before - 1, true) : "–" }))))));
}

function whatIfParts(kernel) {
  const after = kernel.what_if;
  const [gain, range] = gainTexts(after.saved);
  const parts = [
    element("h3", { text: `${label(kernel)}: ${after.changes.join(", ")}` }),
    element("p", { class: `gain ${after.saved.share >= 0 ? "faster" : "slower"}`, text: gain }),
    element("p", { class: "quiet", text: range }),
    beforeAndAfter(kernel),
    element("p", { text: `Then: ${after.reason}. First: ${after.advice}.` }),
    ...after.notes.map((text) => element("p", { class: "notice", text: `${text}.` })),
  ];
  if (after.counts.length > 0) parts.push(movedCounts(after.counts));
  return parts;
}

function drawWhatIf() {
  const asked = kernels.filter((kernel) => kernel.what_if);
  byId("what-if").hidden = asked.length === 0;
  replace(byId("what-if-detail"), ...asked.flatMap(whatIfParts));
}

// ---- Predictions and time ----------------------------------------------------------------------

const categoryAxis = () => ({
  grid: { display: false },
  ticks: { color: color("--text"), autoSkip: false,
           callback(value) {
             const text = this.getLabelForValue(value);
             return text.length > 30 ? `${text.slice(0, 29)}…` : text;
           } },
});

/** Bars need room in proportion to their number. */
function setHeight(canvas, count) {
  canvas.parentElement.style.height = `${70 + 26 * Math.max(1, count)}px`;
}

const compared = kernels.filter((kernel) => kernel.audit && kernel.measured_s !== null);
const split = kernels.filter((kernel) => kernel.time_split.length > 0);
byId("predictions").hidden = compared.length === 0;
byId("time").hidden = split.length === 0;

function drawPredictions() {
  const canvas = byId("prediction-chart");
  const rows = compared;
  if (rows.length === 0) return;
  setHeight(canvas, rows.length);
  const ratio = (kernel, seconds) => seconds / kernel.measured_s;
  const lowest = Math.min(...rows.map((kernel) => ratio(kernel, prediction(kernel).low_s)));
  const highest = Math.max(...rows.map((kernel) => ratio(kernel, prediction(kernel).high_s)));
  canvas.setAttribute("aria-label", `Predicted over measured time of ${rows.length} kernels; the table of indicators has the figures`);
  draw(canvas, {
    type: "bar",
    data: {
      labels: rows.map((kernel) => label(kernel) + (kernel.role === "reference" ? " (ref)" : "")),
      datasets: [
        { type: "line", showLine: false, pointRadius: 5, pointHoverRadius: 7, pointStyle: "rectRot",
          pointBackgroundColor: rows.map((kernel) => color(kernel.audit.inside ? "--accent" : "--bad")),
          pointBorderColor: color("--surface"),
          data: rows.map((kernel) => ratio(kernel, prediction(kernel).seconds)) },
        { data: rows.map((kernel) => [ratio(kernel, prediction(kernel).low_s), ratio(kernel, prediction(kernel).high_s)]),
          backgroundColor: color("--rule"), barThickness: 10, borderRadius: 5, borderSkipped: false },
      ],
    },
    options: {
      indexAxis: "y", animation: false, responsive: true, maintainAspectRatio: false,
      interaction: { mode: "nearest", axis: "y", intersect: false },
      scales: {
        x: { title: { display: true, text: "predicted over measured", color: color("--quiet") },
             min: Math.min(0.8, Math.floor(10 * lowest) / 10),
             max: Math.max(1.2, Math.ceil(10 * highest) / 10),
             grid: { color: (context) => color(context.tick.value === 1 ? "--quiet" : "--rule") },
             ticks: { color: color("--quiet") } },
        y: categoryAxis(),
      },
      plugins: {
        legend: { display: false },
        tooltip: { enabled: false, external: externalTooltip((item) => {
          const kernel = rows[item.dataIndex];
          const best = prediction(kernel);
          return [label(kernel), `measured ${duration(kernel.measured_s)}`,
                  `predicted ${duration(best.seconds)} (${percent(kernel.audit.error, true)}, ${kernel.role})`,
                  `${duration(best.low_s)} to ${duration(best.high_s)} in nine of ten cases`];
        }) },
      },
    },
  });
}

function drawTime() {
  const canvas = byId("time-chart");
  const rows = split;
  if (rows.length === 0) return;
  setHeight(canvas, rows.length + 2);
  const parts = rows[0].time_split.map((part) => part.resource);
  canvas.setAttribute("aria-label", `Shares of time by resource of ${rows.length} kernels`);
  draw(canvas, {
    type: "bar",
    data: {
      labels: rows.map(label),
      datasets: parts.map((part, index) => ({
        label: part, barThickness: 16, backgroundColor: color(`--part-${index}`),
        data: rows.map((kernel) => 100 * kernel.time_split[index].share),
      })),
    },
    options: {
      indexAxis: "y", animation: false, responsive: true, maintainAspectRatio: false,
      scales: {
        x: { stacked: true, min: 0, max: 100, grid: { color: color("--rule") },
             title: { display: true, text: "% of the time", color: color("--quiet") },
             ticks: { color: color("--quiet") } },
        y: { ...categoryAxis(), stacked: true },
      },
      plugins: {
        legend: { position: "top", align: "start", labels: { color: color("--text"), boxWidth: 12, boxHeight: 12 } },
        tooltip: { enabled: false, external: externalTooltip((item) =>
          [label(rows[item.dataIndex]), `${item.dataset.label} ${percent(item.raw / 100)} (predicted)`]) },
      },
    },
  });
}

// ---- Ladder ------------------------------------------------------------------------------------

const groupOf = (step) => `${step.family}, ${step.shape}`;

function ladderStep(step) {
  const faster = step.speedup >= 1;
  const gain = faster ? `${digits(step.speedup)}× faster` : `${digits(1 / step.speedup)}× slower`;
  const predicted = step.predicted_speedup === null ? ""
    : `, ${digits(step.predicted_speedup)}× predicted`;
  const head = element("div", {},
    element("div", { text: `${step.from} → ${step.to}` }),
    element("div", { class: `gain ${faster ? "faster" : "slower"}`, text: gain }),
    element("div", { class: "quiet", text: `${duration(step.before_s)} → ${duration(step.after_s)}${predicted}` }));
  const rows = step.changes.slice(0, 6).map((change) => element("tr", {},
    element("td", { text: change.entry }), element("td", {}, badge(change.kind)),
    element("td", { class: "number", text: `${scaled(change.before, "")} → ${scaled(change.after, "")}` }),
    element("td", { class: "number", text: change.ratio === null ? "" : `× ${digits(change.ratio)}` })));
  return element("li", {}, head, element("div", {},
    element("p", { class: "quiet", text: `${step.summary}.` }),
    element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows)))));
}

function drawLadder() {
  byId("ladder").hidden = report.ladder.length === 0;
  const steps = report.ladder.filter((step) => groupOf(step) === byId("ladder-group").value);
  replace(byId("ladder-steps"), ...steps.map(ladderStep));
}

// ---- Origins -----------------------------------------------------------------------------------

function drawOrigins() {
  const table = byId("origin-table");
  replace(table.tHead, headerRow([["figure"], ["value"], ["origin"], ["source"]]));
  replace(table.tBodies[0], ...report.provenance.map((line) => element("tr", {},
    element("td", { text: line.topic }), element("td", { text: line.figure }),
    element("td", {}, ...(line.origin ? [badge(line.origin)] : [])),
    element("td", { class: "prose", text: line.source }))));
  const ceilings = byId("ceiling-table");
  replace(ceilings.tHead, headerRow([["set"], ["roof"], ["value", "number"], ["source"]]));
  replace(ceilings.tBodies[0], ...report.ceilings.flatMap((set) => [
    ...set.memory.map((roof) => [roof.level, scaled(roof.bytes_per_s, "B/s"), roof.source]),
    ...set.compute.map((roof) => [roof.type, scaled(roof.flop_per_s, "FLOP/s"), roof.source]),
    ["issue", `${scaled(set.instructions_per_s, "")} warp instructions/s`, set.issue_source],
  ].map(([name, value, source]) => element("tr", {},
    element("td", { text: set.name }), element("td", { text: name }),
    element("td", { class: "number", text: value }), element("td", { class: "prose", text: source })))));
}

// ---- The page ----------------------------------------------------------------------------------

function drawCharts() {
  drawRoofline(flopRoofline);
  drawRoofline(instructionRoofline);
  drawWithoutRoof();
}

/** Links to sections that this report lacks. */
function hideLinks() {
  for (const link of document.querySelectorAll("nav a")) {
    link.hidden = document.querySelector(link.getAttribute("href")).hidden;
  }
}

/** Charts far down the page are drawn when they come near. */
const late = new Map([[byId("predictions"), drawPredictions], [byId("time"), drawTime]]);
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) drawLate(target);
  }
}, { rootMargin: "400px" });
function drawLate(section) {
  observer.unobserve(section);
  late.get(section)();
}

function setTheme(theme) {
  palette.clear();
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
}
/** Charts have their colours from the style, so a new theme draws them anew. */
function changeTheme(theme) {
  setTheme(theme);
  drawCharts();
  for (const section of late.keys()) drawLate(section);
}

function fillChoices() {
  fillSelect(byId("level"), [[allLevels, "all levels"], ...levels.map((level) => [level, level])], allLevels);
  fillSelect(byId("type"), (types.length > 0 ? types : [state.type]).map((type) => [type, type]), state.type);
  fillSelect(byId("ceiling"), report.ceilings.map((set, index) => [String(index), set.name]), String(state.ceiling));
  fillSelect(byId("class-filter"),
             [["", "all"], ...[...new Set(kernels.map(classOf))].map((name) => [name, name])], "");
  fillSelect(byId("selected"), kernels.map((kernel, index) => [String(index), label(kernel)]), String(state.selected));
  const groups = [...new Set(report.ladder.map(groupOf))];
  fillSelect(byId("ladder-group"), groups.map((group) => [group, group]));
  byId("ladder-controls").hidden = groups.length < 2;
}

function listen() {
  const redraw = (name) => (event) => {
    state[name] = event.target.value;
    drawCharts();
    drawTable();
  };
  byId("level").addEventListener("change", redraw("level"));
  byId("type").addEventListener("change", redraw("type"));
  byId("ceiling").addEventListener("change", (event) => {
    state.ceiling = Number(event.target.value);
    drawCharts();
    drawTable();
  });
  byId("filter").addEventListener("input", drawTable);
  byId("class-filter").addEventListener("change", drawTable);
  byId("selected").addEventListener("change", (event) => select(Number(event.target.value)));
  byId("ladder-group").addEventListener("change", drawLadder);
  byId("theme").addEventListener("click", () =>
    changeTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  addKeyboard(flopRoofline);
  addKeyboard(instructionRoofline);
  let before = "light";
  window.addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    changeTheme("light");
  });
  window.addEventListener("afterprint", () => changeTheme(before));
  window.addEventListener("scroll", hideTooltip, { passive: true });
}

const preferred = matchMedia("(prefers-color-scheme: dark)");
setTheme(preferred.matches ? "dark" : "light");
preferred.addEventListener("change", () => changeTheme(preferred.matches ? "dark" : "light"));
document.title = `${report.title} – perfmodel`;
byId("title").textContent = report.title;
byId("subtitle").textContent =
  `${report.device} (${report.architecture}), ${report.sm_count} SMs, clock ${digits(report.clock.hz / 1e9)} GHz ` +
  `(${report.clock.basis})${report.recording ? `, recording ${report.recording}` : ""}`;
replace(byId("warnings"), ...report.warnings.map((text) => element("p", { class: "notice", text })));
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
fillChoices();
drawLegend();
drawCharts();
drawTable();
drawCards();
drawKernel();
drawWhatIf();
drawLadder();
drawOrigins();
hideLinks();
for (const section of late.keys()) observer.observe(section);
listen();
performance.mark("interactive");
})();
