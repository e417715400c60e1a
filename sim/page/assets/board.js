// The board: memories in a row, their units below them, links between them; and where the times come from.
"use strict";
tandem.bytes = bytes => {
  if (bytes === null || bytes === undefined) return "";
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${tandem.figure(bytes / 1000 ** step)} ${units[step]}`;
};

// As much of a text as a box holds, narrower if need be.
tandem.inBox = text => tandem.el("text", text.length > 18 ? {textLength: Math.min(160, 7.5 * text.length), lengthAdjust: "spacingAndGlyphs"} : {},
  text.length > 36 ? [text.slice(0, 35) + "…", tandem.el("title", {}, text)] : text);
tandem.part("Board", data => {
  if (!data.board) return null;
  const {el} = tandem, {memories, units, links = []} = data.board;
  const column = 210, boxHeight = 46, gap = 12, top = links.length > 0 ? 30 + 26 * links.length : 10;
  const at = memory => memories.findIndex(m => m.name === memory);
  const of = memories.map(memory => units.filter(unit => unit.memory === memory.name));
  const height = top + boxHeight + gap + Math.max(0, ...of.map(list => list.length)) * (boxHeight + gap) + 4;
  const box = (x, y, title, lines) => el("g", {}, el("rect", {class: "box", x, y, width: column - 30, height: boxHeight, rx: 5}),
    [[title, 18, 600], [lines, 36, 400]].map(([text, below, weight]) => el("g", {transform: `translate(${x + 8}, ${y + below})`, "font-weight": weight}, tandem.inBox(text))));
  const drawn = memories.flatMap((memory, m) => {
    const x = 10 + m * column;
    return [box(x, top, memory.name, ["memory", tandem.bytes(memory.capacity_bytes)].filter(Boolean).join(", ")),
      ...of[m].flatMap((unit, u) => {
        const y = top + boxHeight + gap + u * (boxHeight + gap);
        const says = [unit.kind, unit.cores ? tandem.counted(unit.cores.length, "core") : null, (unit.slots ?? 1) > 1 ? `${unit.slots} slots` : null,
                      unit.busy_w !== undefined ? `${unit.idle_w ?? 0} to ${unit.busy_w} W` : null].filter(Boolean).join(", ");
        return [el("line", {class: "link", x1: x + 16, y1: y - gap, x2: x + 16, y2: y}), box(x, y, unit.name, says)];
      })];
  });
  const drawnLinks = links.map((link, i) => {
    const [a, b] = [at(link.from), at(link.to)].map(m => 10 + m * column + (column - 30) / 2), y = 20 + 26 * i;
    return el("g", {}, el("path", {class: "link", d: `M ${a} ${top} V ${y} H ${b} V ${top}`}),
      el("text", {x: Math.min(a, b) + 6, y: y - 4}, `${tandem.bytes(link.bandwidth_bytes_per_s)}/s` + (link.latency_us ? `, ${tandem.figure(link.latency_us)} us` : "")));
  });
  const words = `${data.board.name}: ` + units.map(unit => `${unit.name} (${unit.kind}) in ${unit.memory}`).join(", ") +
    links.map(link => `; ${link.from} to ${link.to} ${tandem.bytes(link.bandwidth_bytes_per_s)}/s`).join("");
  const width = 10 + memories.length * column;
  return el("figure", {class: "wide"}, el("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words}, drawnLinks, drawn),
    el("figcaption", {}, words + (data.board.note ? `. ${data.board.note}` : "")));
});

tandem.part("What the times rest on", data => {
  const {el} = tandem, documents = [...data.reports, ...data.calibrations, ...data.explanations, ...data.boardChoices.flatMap(choice => choice.boards.map(row => row.report).filter(Boolean))];
  const origins = new Map(), says = new Set();
  for (const result of [...documents, ...data.capacities, ...data.sweeps, ...data.regressions]) {
    for (const profile of result.profiles ?? []) origins.set(JSON.stringify(profile), profile);
  }
  for (const result of documents) {
    for (const text of [...(result.estimated ?? []), ...(result.warnings ?? []), ...(result.notes ?? []), ...(result.energy_why ? [`energy unknown: ${result.energy_why}`] : [])]) says.add(text);
  }
  for (const text of data.page.taken ?? []) says.add(text);
  if (origins.size === 0 && says.size === 0) return null;
  const rows = [...origins.values()].map(p => ({cells: [p.profile, p.origin, p.method ?? p.source ?? p.host ?? "", p.date ?? "", p.error === undefined || p.error === null ? "not known" : "± " + tandem.percent(p.error)]}));
  return [rows.length > 0 ? tandem.table("profiles", ["profile", "<times are", "<how, from where", "<date", "error that all share"], rows) : null,
          says.size > 0 ? el("ul", {class: "notes"}, [...says].map(text => el("li", {}, text))) : null];
});
