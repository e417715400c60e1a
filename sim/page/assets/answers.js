// Explanations, regressions and what else a command says.
"use strict";
tandem.part("Why it takes so long", data => {
  if (data.explanations.length === 0) return null;
  return data.explanations.map(({run, decisions, faster, objective}) => {
    const asTime = ["makespan", "mean_latency", "p99_latency"].includes(objective), byObjective = tandem.plain(objective) + (asTime ? `, ${tandem.unitFor([run.objective])[0]}` : "");
    const value = of => asTime ? tandem.time(of, tandem.unitFor([run.objective]), false) : tandem.figure(of);
    const causes = Object.entries(run.causes).map(([name, ns]) => [tandem.plain(name.replace(/_ns$/, "")), ns]).filter(([, ns]) => ns > 0);
    const all = causes.reduce((sum, [, ns]) => sum + ns, 0), unit = tandem.unitFor([all]), show = ns => tandem.time(ns, unit, false);
    causes.sort((a, b) => b[1] - a[1]);
    const most = 500, what = piece => `${piece.stream} #${piece.index}` + (piece.model ? `, ${piece.model}` : "");
    const pieces = run.path.slice(-most).map(piece => ({cells: [tandem.plain(piece.cause), tandem.time(piece.from_ns, tandem.unitFor([run.makespan_ns]), false),
      show(piece.to_ns - piece.from_ns), what(piece), piece.unit ?? "", (piece.behind ?? []).map(stay => stay.model).join(", ")]}));
    const tried = decisions.best.map(d => ({cells: [`${d.change}: ${d.model}`, `${d.from} to ${d.to}`, show(d.makespan_ns), value(d.objective)]}));
    return [
      tandem.table(`the critical path of ${run.label}, ${tandem.time(all, unit)}, by cause`, ["cause", "<", `time, ${unit[0]}`, "share"],
        causes.map(([name, ns]) => ({cells: [name, tandem.shareBar([[ns / all, "c0"]], tandem.percent(ns / all)), show(ns), tandem.percent(ns / all)]}))),
      tandem.el("details", {}, tandem.el("summary", {}, `the path, piece by piece${run.path.length > most ? `: the last ${most} of ${run.path.length}` : ""}`),
        tandem.table("from the first piece to the last", ["cause", `at, ${tandem.unitFor([run.makespan_ns])[0]}`, `for, ${unit[0]}`, "<request", "<unit", "<behind"], pieces)),
      tried.length > 0 ? tandem.table("decisions tried otherwise", ["change", "<of unit", `makespan, ${unit[0]}`, byObjective], tried)
                       : tandem.el("p", {class: "notes"}, decisions.why_none ?? "No single decision makes it better."),
      faster.length > 0 ? tandem.table("were a part of the board twice as fast", ["part", `makespan, ${unit[0]}`, byObjective],
        faster.map(f => ({cells: [f.unit ? "unit " + f.unit : "link " + f.link, show(f.makespan_ns), value(f.objective)]}))) : null];
  });
});

tandem.part("What became of the baseline", data => {
  if (data.regressions.length === 0) return null;
  return data.regressions.map(regression => {
    const shown = regression.figures.filter(f => f.verdict !== "same" && f.verdict !== "within");
    const counts = ["missing", "worse", "different", "warnings", "better", "within", "same"].map(name => `${name} ${regression[name]}`).join(", ");
    const marks = {worse: "✗ ", missing: "✗ ", different: "? ", warning: "! ", better: "✓ "};
    return [tandem.el("p", {}, counts),
      shown.length === 0 ? null : tandem.table("figures that moved, worst first", ["verdict", "<scenario", "<policy", "<figure", "before", "after", "change", "<why"],
        shown.map(f => ({cells: [marks[f.verdict] + f.verdict, f.scenario, f.policy, tandem.plain(f.figure), String(f.before ?? "-"), String(f.after ?? "-"), tandem.signed(f.change, 2), f.why ?? ""]})))];
  });
});
