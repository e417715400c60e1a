// Figures by uPlot: distributions of latencies, predicted against measured.
"use strict";
tandem.axis = (label, unit) => ({
  label, stroke: tandem.colour("front"), grid: {stroke: tandem.colour("line"), width: 1}, ticks: {stroke: tandem.colour("line")},
  values: (_, splits) => splits.map(value => value === null ? "" : unit ? tandem.figure(value / unit[1]) : tandem.percent(value, value > 0 && value < 0.01 ? 2 : 0)),
});

// A figure that is drawn when it is in the page, and anew where its width or the colours change. `draw(width)`
// makes a plot in the figure.
tandem.figureOf = (caption, label, draw) => {
  const box = tandem.el("div", {role: "img", "aria-label": label});
  let plot = null, width = 0;
  const redraw = () => {
    plot?.destroy();
    plot = width > 0 ? draw(box, width) : null;
  };
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now === width) return;
    width = now;
    redraw();
  }).observe(box);
  tandem.onColours(redraw);
  const figure = tandem.el("figure", {}, box, tandem.el("figcaption", {}, caption));
  figure.redraw = redraw;
  return figure;
};

// Ascending values as steps: at each the share of those that are at most that.
tandem.stepsOf = values => {
  const sorted = Float64Array.from(values).sort();
  return {at: sorted, share: Float64Array.from(sorted, (_, i) => (i + 1) / sorted.length)};
};

tandem.part("Latencies", data => {
  const runs = tandem.runsOf(data.timelines)
    .map(run => ({...run, latencies: run.timelines.flatMap(tandem.requestsOf).map(request => request.end - request.release)}))
    .filter(run => run.latencies.length > 0);
  if (runs.length === 0) return null;
  const unit = tandem.unitFor(runs.flatMap(run => [tandem.median(run.latencies)]));
  const tail = tandem.el("input", {type: "checkbox", onchange: () => figure.redraw()});
  const label = `share of requests by latency: ${runs.map(run => run.name).join(", ")}`;
  const figure = tandem.figureOf("The share of requests whose latency is at most that. A colour and a stroke a policy; what was measured is thick. Click a name to hide its line.", label,
    (box, width) => tandem.latencyPlot(runs, unit, tail.checked, box, width));
  return [tandem.el("label", {}, tail, " the tail: the share that takes longer, logarithmic"), figure];
});

// Do latencies span more than an axis of equal steps can show?
tandem.isLongTailed = runs => {
  const all = runs.flatMap(run => run.latencies).filter(latency => latency > 0);
  return all.length > 0 && all.reduce((a, b) => Math.max(a, b)) > 10 * tandem.median(all);
};

tandem.placeOf = (policy, runs) => [...new Set(runs.map(run => run.policy))].indexOf(policy);
tandem.colourOf = (policy, runs) => "c" + tandem.placeOf(policy, runs) % tandem.colours;
// Lines are of different strokes, too; those of one colour never of the same.
tandem.dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
tandem.dashOf = place => tandem.dashes[Math.floor(place / tandem.colours + place) % tandem.dashes.length];
// The legend's marks have the strokes of their lines, as far as borders can be drawn.
tandem.legend = {markers: {width: 3, fill: "transparent", dash: (plot, series) => {
  const dash = plot.series[series].dash ?? [];
  return dash.length === 0 ? "solid" : dash[0] < 5 ? "dotted" : dash.length === 2 ? "dashed" : "double";
}}};

tandem.latencyPlot = (runs, unit, tail, box, width) => new uPlot({
  width, height: Math.min(360, Math.max(220, width * 0.45)), legend: tandem.legend,
  scales: {x: tandem.isLongTailed(runs) ? {time: false, distr: 3} : {time: false}, y: tail ? {distr: 3} : {range: [0, 1]}},
  axes: [tandem.axis(`latency, ${unit[0]}`, unit), tandem.axis(tail ? "share above" : "share at most", null)],
  series: [{label: "latency", value: (_, value) => tandem.time(value, unit)}, ...runs.map(run => ({
    label: run.name, stroke: tandem.colour(tandem.colourOf(run.policy, runs)), width: run.measured ? 4 : 1.5, dash: tandem.dashOf(tandem.placeOf(run.policy, runs)),
    paths: uPlot.paths.stepped({align: 1}), points: {show: false}, spanGaps: true, value: (_, value) => tandem.percent(value)}))],
}, uPlot.join(runs.map(run => {
  const {at, share} = tandem.stepsOf(run.latencies);
  return [at, tail ? share.map(below => Math.max(1 - below, 0.5 / at.length)) : share];  // the last one is above none
})), box);

tandem.accuracyFigure = (policies, unit) => {
  const shown = policies.filter(p => p.predicted_ns !== null && p.measured_ns !== null);
  if (shown.length === 0) return null;
  const points = [...shown].sort((a, b) => a.measured_ns - b.measured_ns);
  const all = points.flatMap(p => [p.predicted_ns, p.measured_ns, ...(p.predicted_interval_ns ?? []), ...(p.measured_interval_ns ?? [])]);
  const low = 0.97 * Math.min(...all), high = 1.03 * Math.max(...all);
  const label = "predicted against measured makespans: " + points.map(p => `${p.label} ${tandem.signed(p.error)}`).join(", ");
  return tandem.figureOf("A point a plan, with its intervals; on the line both are alike.", label, (box, width) => new uPlot({
    width: Math.min(width, 560), height: Math.min(width, 460), legend: {show: false}, cursor: {show: false},
    scales: {x: {time: false, range: [low, high]}, y: {range: [low, high]}},
    axes: [tandem.axis(`measured, ${unit[0]}`, unit), tandem.axis(`predicted, ${unit[0]}`, unit)],
    series: [{}, {stroke: tandem.colour("c0"), width: 0, points: {show: true, size: 9, fill: tandem.colour("c0")}}],
    hooks: {draw: [plot => tandem.drawIntervals(plot, points, [low, high])]},
  }, [points.map(p => p.measured_ns), points.map(p => p.predicted_ns)], box));
};

tandem.drawIntervals = (plot, points, [low, high]) => {
  const {ctx} = plot, x = value => plot.valToPos(value, "x", true), y = value => plot.valToPos(value, "y", true);
  const line = (a, b, c, d, colour) => {
    ctx.strokeStyle = tandem.colour(colour);
    ctx.beginPath(); ctx.moveTo(a, b); ctx.lineTo(c, d); ctx.stroke();
  };
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  line(x(low), y(low), x(high), y(high), "soft");
  ctx.fillStyle = tandem.colour("front");
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  const corners = [[7, -7, "left"], [-7, 14, "right"], [7, 14, "left"], [-7, -7, "right"]];  // names of neighbours stand apart
  for (const [i, p] of points.entries()) {
    const [px, py] = [x(p.measured_ns), y(p.predicted_ns)];
    if (p.predicted_interval_ns) line(px, y(p.predicted_interval_ns[0]), px, y(p.predicted_interval_ns[1]), "c0");
    if (p.measured_interval_ns) line(x(p.measured_interval_ns[0]), py, x(p.measured_interval_ns[1]), py, "c0");
    const [dx, dy, align] = corners[i % corners.length];
    ctx.textAlign = align;
    ctx.fillText(p.label, px + dx * devicePixelRatio, py + dy * devicePixelRatio);
  }
  ctx.restore();
};
