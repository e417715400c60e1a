// What all parts of the page are made of: elements, figures as text, tables.
"use strict";
const tandem = { parts: [] };

// el("td", {class: "text"}, "a", element, ...): an element; attributes that are null or false are left out.
tandem.el = (tag, attributes = {}, ...children) => {
  const made = tag === "svg" || tandem.svgTags.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
                                                         : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ""));
  return made;
};
tandem.svgTags = new Set(["g", "rect", "line", "path", "text", "circle", "title"]);

// A name within a sentence, which it is not to turn round or to end, whatever it is written in; `said` makes elements of the sentence.
tandem.name = text => "\ue000" + String(text).replace(/[\ue000\ue001]/g, "") + "\ue001";
tandem.said = text => text.split(/(\ue000[^\ue001]*\ue001)/).map(piece => piece.startsWith("\ue000") ? tandem.el("bdi", {}, piece.slice(1, -1)) : piece);

tandem.timeUnits = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
// The largest unit of which the longest of these durations is at least one.
tandem.unitFor = durations => {
  const most = durations.reduce((longest, one) => Math.max(longest, Math.abs(one ?? 0)), 0);
  return tandem.timeUnits.find(([, ns]) => most >= ns) ?? tandem.timeUnits[3];
};
tandem.time = (ns, [name, size] = tandem.unitFor([ns]), withUnit = true) =>
  ns === null || ns === undefined ? "-" : (ns / size).toFixed(size === 1 ? 0 : 3) + (withUnit ? " " + name : "");
tandem.percent = (share, digits = 1) =>
  share === null || share === undefined ? "-" : (100 * share).toFixed(digits).replace(/\.0+$/, "") + " %";
tandem.signed = (share, digits = 1) =>
  share === null || share === undefined ? "-" : (share > 0 ? "+" : "") + tandem.percent(share, digits);
// Of what is as good as nothing, and yet something: "less than 0.1 %".
tandem.smallPercent = share => share > 0 && share < 0.0005 ? "less than 0.1 %" : tandem.percent(share);
tandem.figure = value => value === null || value === undefined ? "-" : String(Number(value.toPrecision(5)));
tandem.counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
// Words of file formats: "p99_latency" is "p99 latency".
tandem.plain = name => name.replaceAll("_", " ");

// head: texts, "<" before those of text columns. rows: {cells: [...], best: bool}; the first cell heads its row.
tandem.table = (caption, head, rows) => {
  const el = tandem.el;
  const isText = head.map(title => title.startsWith("<"));
  const cell = (content, column) => column === 0 ? el("th", {scope: "row", class: "text"}, el("span", {class: "name"}, content))
                                                 : el("td", {class: isText[column] ? "text" : null}, content);
  return el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": caption},
    el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map((title, column) =>
        el("th", {scope: "col", class: isText[column] ? "text" : null}, title.replace(/^</, ""))))),
      el("tbody", {}, rows.map(row => el("tr", {class: row.best ? "best" : null}, row.cells.map(cell))))));
};

// A part of the page: its title and what makes it of `data`, null where there is nothing to show.
tandem.part = (title, make) => tandem.parts.push({title, make});
// As they stand on the page, whatever file they are in.
tandem.order = ["Policies", "Predicted and measured", "What the board carries", "Boards", "Clock states", "What became of the baseline", "Sweep", "Timeline", "Latencies", "Streams", "What each stage costs", "Deadlines and energy", "Units", "Where the time went",
                "Why it takes so long", "Board", "What the times rest on", "The command and its results"];

tandem.colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
tandem.colours = 8;
// Paper is light, whatever the screen is.
addEventListener("beforeprint", () => document.documentElement.classList.add("paper"));
addEventListener("afterprint", () => document.documentElement.classList.remove("paper"));
// Drawings that depend on colours are made anew where the reader goes from light to dark, or prints.
tandem.onColours = redraw => {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", redraw);
  addEventListener("afterprint", redraw);
};
