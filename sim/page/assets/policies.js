// Policies: figure, interval, gap; streams with their deadlines; units; where the time went.
"use strict";
tandem.intervalText = (interval, show) => interval ? interval.map(show).join(" to ") : "-";

tandem.part("Policies", data => {
  if (data.reports.length === 0) return null;
  const reports = data.reports, unit = tandem.unitFor(reports.map(r => r.makespan_ns ?? 0));
  const show = ns => tandem.time(ns, unit, false);
  const best = tandem.ranked(reports)[0];
  const objective = reports[0].objective;
  const asTime = objective.unit === "ns";
  const value = v => asTime ? show(v) : tandem.figure(v);
  const head = ["policy", `${tandem.plain(objective.name)}${asTime ? ", " + unit[0] : ""}`, "interval", "above the bound",
                "wins", ...(objective.name === "makespan" ? [] : [`makespan, ${unit[0]}`]), "a second", `mean, ${unit[0]}`, `p99, ${unit[0]}`, "missed", "energy, J"];
  const rows = reports.map(r => ({best: r === best, cells: [
    (r === best ? "* " : "") + r.label + (r.failed ? ": " + r.failed : r.complete ? "" : " (cut short)"),
    value(r.objective.value), tandem.intervalText(r.objective.interval, value), tandem.percent(r.objective_gap),
    tandem.percent(r.win_probability), ...(objective.name === "makespan" ? [] : [show(r.makespan_ns)]), tandem.figure(r.throughput_per_s),
    show(r.latency_ns?.mean ?? null), show(r.latency_ns?.p99 ?? null), String(r.missed ?? "-"), tandem.figure(r.energy_j)]}));
  const whys = new Map();
  for (const r of reports) if (r.interval_why) whys.set(r.interval_why, [...(whys.get(r.interval_why) ?? []), r.label]);
  const share = reports.find(r => r.interval)?.interval;
  const predicted = data.calibrations.length > 0 ? "as predicted; " : "";
  return [tandem.table(`${predicted}* best by ${tandem.plain(objective.name)}${share ? `; intervals of ${tandem.percent(share)}` : ""}`, head, rows),
          tandem.el("ul", {class: "notes"}, [...whys].map(([why, labels]) =>
            tandem.el("li", {}, `No interval of ${labels.length === reports.length ? "any" : labels.join(", ")}: ${why}.`)))];
});

tandem.part("Predicted and measured", data => {
  if (data.calibrations.length === 0) return null;
  return data.calibrations.map(calibration => {
    const policies = calibration.policies;
    const unit = tandem.unitFor(policies.flatMap(p => [p.predicted_ns ?? 0, p.measured_ns ?? 0]));
    const show = ns => tandem.time(ns, unit, false);
    const head = ["policy", `predicted, ${unit[0]}`, "its interval", `measured, ${unit[0]}`, "its interval", "error", "its interval",
                  "<verdict", "p99 error", "outputs"];
    const rows = policies.map(p => {
      const p99 = calibration.percentiles.find(q => q.label === p.label)?.p99;
      return {best: p.label === calibration.winner.measured, cells: [
        p.label, show(p.predicted_ns), tandem.intervalText(p.predicted_interval_ns, show), show(p.measured_ns),
        tandem.intervalText(p.measured_interval_ns, show), tandem.signed(p.error),
        tandem.intervalText(p.error_interval, e => tandem.signed(e)), tandem.verdictCell(p.verdict),
        tandem.signed(p99?.error ?? null), p.correct === null ? "not compared" : p.correct ? "right" : "wrong"]};
    });
    return [tandem.table(`makespans of ${calibration.scenario}, bar ${tandem.percent(calibration.bar)}`, head, rows),
            tandem.accuracyFigure(policies, unit)];
  });
});

tandem.part("Streams", data => {
  const rows = data.reports.filter(r => !r.failed).flatMap(r => r.streams.map(stream => ({r, stream})));
  if (rows.length === 0) return null;
  const unit = tandem.unitFor(rows.map(({stream}) => stream.latency_ns?.p99 ?? 0));
  const show = ns => tandem.time(ns ?? null, unit, false);
  const units = ", " + unit[0];
  return tandem.table((data.calibrations.length > 0 ? "as predicted: " : "") + "what each stream had of each policy",
    ["stream", "<policy", "completed", "dropped", "deadlines missed", "mean" + units, "p50" + units, "p90" + units, "p99" + units, "most" + units],
    rows.map(({r, stream}) => ({cells: [stream.name, r.label, String(stream.completed), String(stream.dropped), String(stream.missed),
      ...["mean", "p50", "p90", "p99", "max"].map(figure => show(stream.latency_ns?.[figure]))]})));
});

tandem.shareBar = (shares, title) => tandem.el("span", {role: "img", "aria-label": title, title},
  shares.map(([share, colour]) => tandem.el("span", {class: "bar", style: `width:${(100 * Math.max(0, share)).toFixed(2)}px;background:var(--${colour})`})));

tandem.part("Units", data => {
  const rows = data.reports.filter(r => !r.failed).flatMap(r => r.units.map(unit => ({r, unit})));
  if (rows.length === 0) return null;
  const time = tandem.unitFor(rows.map(({unit}) => unit.busy_ns ?? 0));
  return tandem.table((data.calibrations.length > 0 ? "as predicted: " : "") + "how busy the units were",
    ["unit", "<policy", "<utilisation", "", `busy, ${time[0]}`, "tasks", "energy, J"],
    rows.map(({r, unit}) => ({cells: [unit.name, r.label,
      tandem.shareBar([[unit.utilization, "c0"], [1 - unit.utilization, "line"]], tandem.percent(unit.utilization) + " busy"),
      tandem.percent(unit.utilization), tandem.time(unit.busy_ns, time, false), String(unit.tasks), tandem.figure(unit.energy_j)]})));
});

tandem.part("Where the time went", data => {
  const rows = tandem.wentOf(data.timelines);
  if (rows.length === 0) return null;
  const unit = tandem.unitFor(rows.map(row => row.all));
  const kinds = ["compute", "transfer", "load", "idle"], colours = {compute: "c0", transfer: "c1", load: "c2", idle: "line"};
  return tandem.table(`per unit and run; bars are shares of the run: ${kinds.join(", ")}`,
    ["unit", "<run", "<", "busy", ...kinds.map(kind => `${kind}, ${unit[0]}`)],
    rows.map(row => ({cells: [row.unit, row.run,
      tandem.shareBar(kinds.map(kind => [row.times[kind] / row.all, colours[kind]]), kinds.map(kind => `${kind} ${tandem.percent(row.times[kind] / row.all)}`).join(", ")),
      tandem.percent(1 - row.times.idle / row.all),
      ...kinds.map(kind => tandem.time(row.times[kind], unit, false))]})));
});

// Of each row the time of each kind of span, of a plan that was run several times on average; idle is what is left.
tandem.wentOf = timelines => tandem.runsOf(timelines).flatMap(run => run.timelines[0].rows.map((row, place) => {
  const times = {compute: 0, transfer: 0, load: 0, idle: 0};
  let all = 0;
  for (const timeline of run.timelines) {
    const share = 1 / run.timelines.length;
    for (const [kind, time] of Object.entries(tandem.timesOf(timeline, timeline.rows[place]))) times[kind] += share * time;
    all += share * timeline.end_ns;
  }
  return {unit: row.name, run: run.name, times, all};
})).filter(row => row.all > 0);

tandem.timesOf = (timeline, row) => {
  const times = {compute: 0, transfer: 0, load: 0, idle: timeline.end_ns};
  let until = 0;
  row.spans.forEach((span, place) => {
    times[timeline.kinds[timeline.spans.kind[span]]] += timeline.spans.duration_ns[span];
    times.idle -= Math.max(0, row.end[place] - Math.max(until, row.start[place]));
    until = Math.max(until, row.end[place]);
  });
  return times;
};
