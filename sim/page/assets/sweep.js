// Sweeps: what is best where, where the winner changes, what matters, and the figure along an axis.
"use strict";
tandem.isTime = figure => figure.endsWith("_ns");
tandem.figureTitle = figure => tandem.plain(figure.replace(/_ns$/, ""));
tandem.valueText = value => typeof value === "string" ? value : typeof value === "number" ? tandem.figure(value) : JSON.stringify(value);
tandem.pointText = point => Object.entries(point).map(([axis, value]) => `${axis} ${tandem.valueText(value)}`).join(", ");
tandem.figureText = (figure, value, unit) => tandem.isTime(figure) && value !== undefined ? tandem.time(value, unit) : tandem.figure(value);

// By what the rows of a sweep were compared, and the objective of one by that.
tandem.byDrawsOf = sweep => sweep.compared_by === "draws";
tandem.comparedFigure = (sweep, row) => (tandem.byDrawsOf(sweep) ? row.medians : row.figures)?.[sweep.objective];

tandem.sweepVerdict = sweep => {
  const row = sweep.rows.find(row => row.key === sweep.best[0]);
  const without = sweep.failed + sweep.missing.length;
  const left = without > 0 ? ` ${tandem.counted(without, "run")} of ${sweep.rows.length + sweep.missing.length} failed or ${without > 1 ? "are" : "is"} missing.` : "";
  if (!row) return `No run of ${sweep.name} may be called best.${left}`;
  const close = sweep.close > 0 ? `; ${tandem.counted(sweep.close, "other run")} cannot be told from it` : "";
  return `${tandem.name(row.policy)} ${close ? "leads" : "is best"} by ${tandem.figureTitle(sweep.objective)} at ${tandem.pointText(row.point)}: ` +
    `${tandem.figureText(sweep.objective, tandem.comparedFigure(sweep, row))}${tandem.byDrawsOf(sweep) ? " in the median over the draws" : ""}${close}.${left} ${sweep.winners.map(axis => axis.says + ".").join(" ")}`.trimEnd();
};

// Axes whose values are numbers, at least two of them.
tandem.numericAxes = sweep => sweep.axes.filter(axis => {
  const values = new Set(sweep.rows.map(row => row.point[axis]));
  return values.size > 1 && [...values].every(value => typeof value === "number");
});

// Those whose figures can be drawn beside each other.
tandem.comparedRows = sweep => sweep.rows.filter(row => row.status === "ok" && tandem.comparedFigure(sweep, row) !== undefined);

// Of each policy the mean of the figure at each value of the axis: {at, lines: [{policy, values}]}; null where there is none.
tandem.alongAxis = (sweep, axis) => {
  const rows = tandem.comparedRows(sweep), policies = [...new Set(rows.map(row => row.policy))];
  const at = [...new Set(rows.map(row => row.point[axis]))].sort((a, b) => a - b);
  return {at, lines: policies.map(policy => ({policy, values: at.map(value => {
    const those = rows.filter(row => row.policy === policy && row.point[axis] === value).map(row => tandem.comparedFigure(sweep, row));
    return those.length === 0 ? null : those.reduce((sum, one) => sum + one, 0) / those.length;
  })}))};
};

tandem.axisFigure = sweep => {
  const axes = tandem.numericAxes(sweep), rows = tandem.comparedRows(sweep);
  if (axes.length === 0 || rows.length === 0) return null;
  const {el} = tandem, unit = tandem.isTime(sweep.objective) ? tandem.unitFor(rows.map(row => tandem.comparedFigure(sweep, row))) : ["", 1];
  const choice = el("select", {onchange: () => figure.redraw()}, axes.map(axis => el("option", {value: axis}, axis)));
  const others = sweep.axes.length > 1 ? "; the mean over the other axes" : "";
  const title = tandem.figureTitle(sweep.objective);
  const figure = tandem.figureOf(`${title}${tandem.byDrawsOf(sweep) ? " in the median over the draws" : ""} along an axis, a line a policy${others}. Click a name to hide its line.`, `${title} along ${axes.join(" or ")}`,
    (box, width) => tandem.axisPlot(tandem.alongAxis(sweep, choice.value), choice.value, title, unit, box, width));
  return [axes.length > 1 ? el("label", {}, "axis ", choice) : null, figure];
};
tandem.axisPlot = ({at, lines}, axis, title, unit, box, width) => new uPlot({
  width, height: Math.min(360, Math.max(220, width * 0.45)), legend: tandem.legend, scales: {x: {time: false}},
  axes: [tandem.axis(axis, ["", 1]), tandem.axis(title + (unit[0] ? ", " + unit[0] : ""), unit)],
  series: [{label: axis, value: (_, value) => tandem.figure(value)}, ...lines.map((line, i) => ({
    label: line.policy, stroke: tandem.colour("c" + i % tandem.colours), width: 2, dash: tandem.dashOf(i),
    points: {show: at.length < 60, size: 6}, value: (_, value) => value === null ? "-" : tandem.figure(value / unit[1]) + " " + unit[0]}))],
}, [at, ...lines.map(line => line.values)], box);

tandem.rowsTable = (sweep, caption, rows, figures) => {
  const units = figures.map(figure => tandem.isTime(figure) ? tandem.unitFor(rows.map(row => row.figures[figure] ?? 0)) : null);
  const number = (value, i) => units[i] ? tandem.time(value, units[i], false) : tandem.figure(value);
  const between = (ends, i) => ends ? `${number(ends[0], i)} to ${number(ends[1], i)}` : "-";
  const titles = (figure, i) => [tandem.figureTitle(figure) + (units[i] ? `, ${units[i][0]}` : ""), ...(sweep.interval ? [`in ${tandem.figure(sweep.interval)} % of draws`, "median"] : [])];
  return tandem.table(caption, ["run", ...sweep.axes.map(axis => "<" + axis), "<policy", ...figures.flatMap(titles), "<"],
    rows.map(row => ({cells: [row.key, ...sweep.axes.map(axis => tandem.valueText(row.point[axis])), row.policy,
      ...figures.flatMap((figure, i) => [number(row.figures[figure], i), ...(sweep.interval ? [between(row.intervals?.[figure], i), row.medians?.[figure] === undefined ? "-" : number(row.medians[figure], i)] : [])]),
      row.status === "ok" ? "" : `${row.status}: ${row.message ?? ""}`]})));
};

tandem.part("Sweep", data => data.sweeps.length === 0 ? null : data.sweeps.map(sweep => {
  const byKey = new Map(sweep.rows.map(row => [row.key, row])), of = keys => keys.map(key => byKey.get(key));
  const title = tandem.figureTitle(sweep.objective), most = 500;
  const unit = tandem.isTime(sweep.objective) ? tandem.unitFor(sweep.effects.map(effect => effect.best_mean)) : undefined;
  const mean = value => tandem.figureText(sweep.objective, value, unit);
  return [
    tandem.axisFigure(sweep),
    sweep.best.length > 0 ? tandem.rowsTable(sweep, `the best by ${title}`, of(sweep.best), [sweep.objective]) : null,
    sweep.winners.length > 0 ? tandem.el("ul", {}, sweep.winners.map(axis => tandem.el("li", {}, axis.says + "."))) : null,
    sweep.pareto ? tandem.rowsTable(sweep, `none is as good in ${sweep.front.map(tandem.figureTitle).join(" and ")}`, of(sweep.pareto), sweep.front) : null,
    sweep.effects.length > 0 ? tandem.table(`what matters for ${title}`, ["axis", "<", "share of what varies", "<best at", "mean there", "<worst at", "mean there"],
      sweep.effects.map(effect => ({cells: [effect.axis, tandem.shareBar([[effect.share, "c0"], [1 - effect.share, "line"]], tandem.percent(effect.share)), tandem.percent(effect.share),
        String(effect.best), mean(effect.best_mean), String(effect.worst), mean(effect.worst_mean)]}))) : null,
    tandem.el("details", {}, tandem.el("summary", {}, `all rows${sweep.rows.length > most ? `: the first ${most} of ${sweep.rows.length}` : ""}`),
      tandem.rowsTable(sweep, "every run", sweep.rows.slice(0, most), [sweep.objective]))];
}));
