// Explanations, regressions and what else a command says.
"use strict";
tandem.causeName = cause => cause === "unit" ? "waiting for a unit" : tandem.causeText(cause);
tandem.part("Why it takes so long", data => {
  if (data.explanations.length === 0) return null;
  return data.explanations.map(({run, versus, decisions, faster, objective}) => {
    const asTime = ["makespan", "mean_latency", "p99_latency"].includes(objective), byObjective = tandem.plain(objective) + (asTime ? `, ${tandem.unitFor([run.objective])[0]}` : "");
    const value = of => asTime ? tandem.time(of, tandem.unitFor([run.objective]), false) : tandem.figure(of);
    const other = name => versus?.causes[name] ?? 0;
    const causes = Object.entries(run.causes).map(([name, ns]) => [tandem.causeName(name.replace(/_ns$/, "")), ns, other(name)]).filter(([, ns, theirs]) => ns > 0 || theirs > 0);
    const all = causes.reduce((sum, [, ns]) => sum + ns, 0), unit = tandem.unitFor([all]), show = ns => tandem.time(ns, unit, false);
    const once = (titles, isMakespan = objective === "makespan") => isMakespan ? titles.slice(0, -1) : titles;  // the objective, where it is another figure
    causes.sort((a, b) => b[1] - a[1]);
    const most = 500, what = piece => `${piece.stream} #${piece.index}` + (piece.model ? `, ${piece.model}` : "");
    const pieces = run.path.slice(-most).map(piece => ({cells: [tandem.causeName(piece.cause), tandem.time(piece.from_ns, tandem.unitFor([run.makespan_ns]), false),
      show(piece.to_ns - piece.from_ns), what(piece), piece.unit ?? "", (piece.behind ?? []).map(stay => stay.model).join(", ")]}));
    const tried = decisions.best.map(d => ({cells: once([`${d.change}: ${d.model}`, `${d.from} to ${d.to}`, tandem.withInterval(d.makespan_ns, d.makespan_interval_ns, show), tandem.withInterval(d.objective, d.objective_interval, value)])}));
    return [
      tandem.table(`the critical path of ${run.label}, ${tandem.time(all, unit)}, by cause`, ["cause", "<", `time, ${unit[0]}`, "share", ...(versus ? [`under ${versus.label}, ${unit[0]}`] : [])],
        causes.map(([name, ns, theirs]) => ({cells: [name, tandem.shareBar([[ns / all, "c0"]], tandem.percent(ns / all)), show(ns), tandem.percent(ns / all), ...(versus ? [show(theirs)] : [])]}))),
      tandem.el("details", {}, tandem.el("summary", {}, `the path, piece by piece${run.path.length > most ? `: the last ${most} of ${run.path.length}` : ""}`),
        tandem.table("from the first piece to the last", ["cause", `at, ${tandem.unitFor([run.makespan_ns])[0]}`, `for, ${unit[0]}`, "<request", "<unit", "<behind"], pieces)),
      tried.length > 0 ? tandem.table("decisions tried otherwise", once(["change", "<of unit", `makespan, ${unit[0]}`, byObjective]), tried)
                       : tandem.el("p", {class: "notes"}, decisions.why_none ?? "No single decision makes it better."),
      faster.length > 0 ? tandem.table("were a part of the board twice as fast", once(["part", `makespan, ${unit[0]}`, byObjective]),
        faster.map(f => ({cells: once([f.unit ? "unit " + f.unit : "link " + f.link, tandem.withInterval(f.makespan_ns, f.makespan_interval_ns, show), tandem.withInterval(f.objective, f.objective_interval, value)])}))) : null];
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

tandem.part("What the board carries", data => data.capacities.length === 0 ? null : data.capacities.map(capacity => {
  const value = v => v === null || v === undefined ? "-" : tandem.figure(v), seeds = capacity.policies.some(of => of.over_seeds);
  const medians = capacity.policies.some(of => (of.median ?? null) !== null);
  const limit = of => of.limit === null ? "none" : (!of.ended ? "" : capacity.find === "least" ? "at most " : "at least ") + value(of.limit);
  const title = `the ${capacity.find} of ${capacity.vary}${capacity.unit ? " in " + capacity.unit : ""} at which ${capacity.until}; now ${value(capacity.now)}`;
  return tandem.table(title + (capacity.seeds > 1 ? `; ${capacity.seeds} seeds for every value` : ""),
    ["policy", capacity.find, "interval", ...(medians ? ["median"] : []), ...(seeds ? ["over seeds"] : []), "fails at", "tried", "<"],
    capacity.policies.map(of => ({best: of.winner, cells: [(of.winner ? "* " : "") + of.label, limit(of), tandem.intervalText(of.interval, value), ...(medians ? [value(of.median)] : []),
      ...(seeds ? [tandem.intervalText(of.over_seeds, value)] : []), value(of.fails_at), String(of.tried),
      [of.why, of.interval ? null : of.interval_why && `no interval: ${of.interval_why}`, of.fails_below.length > 0 ? `it does not hold everywhere: not at ${of.fails_below.slice(0, 5).map(value).join(", ")}` : null].filter(Boolean).join("; ")]})));
}));

tandem.part("Boards", data => data.boardChoices.length === 0 ? null : data.boardChoices.map(choice => {
  const price = row => row.price ? `${tandem.figure(row.price.amount)} ${row.price.currency}` : "-";
  const carries = row => row.carries === null ? "-" : (row.at_least ? (row.capacity?.find === "least" ? "at most " : "at least ") : "") + tandem.figure(row.carries);
  return tandem.table(`the best policy of each board for ${choice.scenario}; * best by ${tandem.plain(choice.objective)}`,
    ["board", "<policy", tandem.plain(choice.objective), "W", "price", "carries", "per price", "<"],
    choice.boards.map(row => ({best: row.winner, cells: [(row.winner ? "* " : "") + row.board, row.policy ?? "-", row.report ? tandem.objectiveText(row.report.objective) : "-",
      tandem.figure(row.watts), price(row), carries(row), tandem.figure(row.carries_per_price), [row.why, ...row.left_out].filter(Boolean).join("; ")]})));
}));

tandem.part("Clock states", data => data.stateChoices.length === 0 ? null : data.stateChoices.map(choice => {
  const objective = choice.choices.find(row => row.report)?.report.objective;
  const text = value => objective ? tandem.objectiveText(objective, value) : "-";
  return tandem.table(`the best policy in each choice of states for ${choice.scenario}; * best by ${tandem.plain(choice.objective)}`,
    [...choice.units.map((unit, i) => i === 0 ? unit : "<" + unit), "<policy", tandem.plain(choice.objective), "bound", "best in", "<"],
    choice.choices.map(row => ({best: row.winner, cells: [...row.states.map((state, i) => (i === 0 && row.winner ? "* " : "") + state), row.policy ?? "-",
      row.report ? text(row.report.objective.value) : "-", text(row.bound), tandem.percent(row.win_probability),
      [row.as_asked ? "the scenario's own" : null, row.why, row.cannot_be_best ? "cannot be the best" : null].filter(Boolean).join("; ")]})));
}));
