// Policies: figure, interval, gap; streams with their deadlines; units; where the time went.
"use strict";
tandem.intervalText = (interval, show) => interval ? interval.map(show).join(" to ") : "-";
// "20.994 (20.643 to 21.342)": a figure with its interval, where it has one.
tandem.withInterval = (value, interval, show) => show(value ?? null) + (interval ? ` (${tandem.intervalText(interval, show)})` : "");

// Why some of these have no intervals, a line for each reason.
tandem.noIntervals = rows => {
  const whys = new Map();
  for (const r of rows) if (r.interval_why) whys.set(r.interval_why, [...(whys.get(r.interval_why) ?? []), r.label]);
  const lacks = [...new Set(rows.map(r => r.interval_lacks).filter(Boolean))];
  return tandem.el("ul", {class: "notes"}, [...whys].map(([why, labels]) =>
    tandem.el("li", {}, `No interval of ${labels.length === rows.length ? "any" : labels.join(", ")}: ${why}.`)),
    lacks.map(what => tandem.el("li", {}, `What no interval tells of: ${what}.`)));
};

// A column that the objective fills already stands there once.
tandem.policyColumns = (objective, time, value) => {
  const show = ns => tandem.time(ns, time, false), as = {ns: ", " + time[0], "": ""}[objective.unit] ?? ", " + objective.unit;
  return [
    [tandem.plain(objective.name) + as, r => value(r.objective.value)], ["interval", r => tandem.intervalText(r.objective.interval, value)],
    ["median", r => value(r.objective.median ?? null), "median"],
    ["above the bound", r => tandem.percent(r.objective_gap)], ["wins", r => tandem.percent(r.win_probability)],
    [`makespan, ${time[0]}`, r => tandem.withInterval(r.makespan_ns, r.makespan_interval_ns, show), "makespan"],
    ["a second", r => tandem.withInterval(r.throughput_per_s, r.throughput_interval_per_s, tandem.figure), "throughput"],
    [`mean, ${time[0]}`, r => tandem.withInterval(r.latency_ns?.mean, r.latency_interval_ns?.mean, show), "mean_latency"],
    [`p99, ${time[0]}`, r => tandem.withInterval(r.latency_ns?.p99, r.latency_interval_ns?.p99, show), "p99_latency"],
    ["missed", r => tandem.withInterval(r.missed, r.missed_interval, missed => String(missed ?? "-")), "misses"], ["limits", r => tandem.limitsKept(r), "limits"],
    ["energy, J", r => tandem.withInterval(r.energy_j, r.energy_interval_j, tandem.figure), "energy"],
  ].filter(([, , name]) => name !== objective.name);
};
tandem.limitsKept = report => report.limits ? `${report.limits.filter(limit => limit.kept).length} of ${report.limits.length}` : "-";

tandem.policiesTable = ({file, reports}, data) => {
  const objective = reports[0].objective, best = tandem.ranked(reports)[0];
  const unit = tandem.unitFor([...reports.map(r => r.makespan_ns), ...(objective.unit === "ns" ? reports.map(r => r.objective.value) : [])]);
  const columns = tandem.policyColumns(objective, unit, v => objective.unit === "ns" ? tandem.time(v, unit, false) : tandem.figure(v))
    .filter(([, , name]) => name !== "limits" || reports.some(r => r.limits))
    .filter(([, , name]) => name !== "median" || reports.some(r => (r.objective.median ?? null) !== null));
  const rows = reports.map(r => ({best: r === best, cells: [
    (r === best ? "* " : "") + r.label + (r.failed ? ": " + r.failed : r.complete ? "" : " (cut short)"), ...columns.map(([, text]) => text(r))]}));
  const share = reports.find(r => r.interval)?.interval;
  const of = (data.sets.length > 1 && file ? file + ": " : "") + (reports === data.page.predicted ? "as predicted; " : "");
  return [tandem.table(`${of}* best by ${tandem.plain(objective.name)}${tandem.byDraws(tandem.ranked(reports)) ? " in the median over the draws" : ""}${share ? `; intervals of ${tandem.percent(share)}` : ""}`, ["policy", ...columns.map(([title]) => title)], rows),
          tandem.noIntervals(reports)];
};
tandem.part("Policies", data => data.sets.length === 0 ? null : data.sets.map(set => tandem.policiesTable(set, data)));

// Makespans, and where something else decides, that too.
tandem.calibrationTable = calibration => {
  const {policies} = calibration;
  const unit = tandem.unitFor(policies.flatMap(p => [p.predicted_ns ?? 0, p.measured_ns ?? 0]));
  const show = ns => tandem.time(ns, unit, false), byMakespan = calibration.objective === "makespan", name = tandem.plain(calibration.objective);
  const figureUnit = {mean_latency: ", ms", p99_latency: ", ms", throughput: ", 1/s", energy: ", J"}[calibration.objective] ?? "";
  const figure = value => value === null || value === undefined ? "-" : figureUnit === ", ms" ? tandem.time(value, ["ms", 1e6], false) : tandem.figure(value);
  const head = ["policy", `predicted, ${unit[0]}`, "its interval", `measured, ${unit[0]}`, "its interval", "error", "its interval",
                "<verdict", ...(byMakespan ? [] : [`${name} predicted${figureUnit}`, "measured", "error"]), "p99 error", "runs that count", "outputs"];
  const rows = policies.map(p => {
    const p99 = (calibration.percentiles ?? []).find(q => q.label === p.label)?.p99, runs = p.runs_ns?.length ?? 0;
    return {best: p.label === calibration.winner.measured, cells: [
      p.label, show(p.predicted_ns), tandem.intervalText(p.predicted_interval_ns, show), show(p.measured_ns),
      tandem.intervalText(p.measured_interval_ns, show), tandem.signed(p.error),
      tandem.intervalText(p.error_interval, e => tandem.signed(e)), tandem.verdictCell(p.verdict),
      ...(byMakespan ? [] : [figure(p.predicted), figure(p.measured), tandem.signed(p.objective_error ?? null)]),
      tandem.signed(p99?.error ?? null) + (p99?.error_interval && p99.verdict !== "within" ? " " + tandem.verdictMark[p99.verdict].trim() : ""), `${runs - (p.disturbed ?? 0)} of ${runs}`, p.correct === null ? "not compared" : p.correct ? "right" : "wrong"]};
  });
  const disturbed = policies.some(p => p.disturbed > 0) ? tandem.el("p", {class: "notes"}, "Runs that do not count: others had the machine meanwhile, or heat held its clocks back.") : null;
  return [tandem.table(`makespans of ${calibration.scenario}, bar ${tandem.percent(calibration.bar)}`, head, rows), tandem.noIntervals(policies), disturbed,
          tandem.accuracyFigure(policies, unit)];
};

// Which work takes longer or shorter than was predicted, those first that differ most.
tandem.workTable = calibration => {
  const most = 200, off = work => Math.abs((work.predicted_ns ?? 0) - (work.measured_ns ?? 0)) * (work.predicted_count ?? 1);
  const works = [...(calibration.layers ?? [])].sort((a, b) => off(b) - off(a)), unit = tandem.unitFor(works.flatMap(work => [work.predicted_ns, work.measured_ns]));
  const layers = of => typeof of === "string" ? of : of.length > 1 ? `${of[0]}..${of[of.length - 1]}` : of[0];
  return works.length === 0 ? null : tandem.el("details", {}, tandem.el("summary", {}, `where the error comes from: medians of each work${works.length > most ? `, the first ${most} of ${works.length}` : ""}`),
    tandem.table("those first whose errors add up to most", ["model", "<layers", "<unit", "times", `predicted, ${unit[0]}`, `measured, ${unit[0]}`, "error"],
      works.slice(0, most).map(work => ({cells: [work.model, layers(work.layers), work.unit, String(work.predicted_count ?? "-"),
        tandem.time(work.predicted_ns, unit, false), tandem.time(work.measured_ns, unit, false), tandem.signed(work.error)]}))));
};
tandem.part("Predicted and measured", data => data.calibrations.length === 0 ? null
  : data.calibrations.map(calibration => [tandem.calibrationTable(calibration), tandem.workTable(calibration)]));

tandem.part("Streams", data => {
  const rows = data.reports.filter(r => !r.failed).flatMap(r => r.streams.map(stream => ({r, stream})));
  if (rows.length === 0) return null;
  const unit = tandem.unitFor(rows.map(({stream}) => stream.age_ns?.p99 ?? stream.end_to_end_ns?.p99 ?? stream.latency_ns?.p99 ?? 0));
  const show = ns => tandem.time(ns ?? null, unit, false);
  const units = ", " + unit[0];
  const any = key => rows.some(({stream}) => stream[key] !== undefined);
  const meanBatch = batches => batches ? tandem.figure(batches.reduce((sum, of) => sum + of.size * of.count, 0) / batches.reduce((sum, of) => sum + of.count, 0)) : "-";
  const more = [
    ["skipped", "skipped", stream => String(stream.skipped ?? "-")],
    ["dropped_per_s", "drops per second", stream => tandem.figure(stream.dropped_per_s)],
    ["end_to_end_ns", "p99 end to end" + units, stream => show(stream.end_to_end_ns?.p99)],
    ["age_ns", "p99 age of results" + units, stream => show(stream.age_ns?.p99)],
    ["drop_age_ns", "mean age at drop" + units, stream => show(stream.drop_age_ns?.mean)],
    ["batches", "requests a batch", stream => meanBatch(stream.batches)]].filter(([key]) => any(key));
  return tandem.table((data.calibrations.length > 0 ? "as predicted: " : "") + "what each stream had of each policy",
    ["stream", "<policy", "completed", "dropped", "deadlines missed", "mean" + units, "p50" + units, "p90" + units, "p99" + units, "most" + units, ...more.map(([, title]) => title)],
    rows.map(({r, stream}) => ({cells: [stream.name, data.labelOf(r), String(stream.completed), String(stream.dropped), String(stream.missed),
      ...["mean", "p50", "p90", "p99", "max"].map(figure => show(stream.latency_ns?.[figure])), ...more.map(([,, cell]) => cell(stream))]})));
});

// Which stage costs what on the way to a last one, as --details has it: means add up, percentiles do not.
tandem.stagesTable = (name, ways, data) => {
  const mean = (way, part) => way.reduce((sum, stage) => sum + stage[part].mean, 0);
  const unit = tandem.unitFor(ways.map(({way}) => mean(way, "waiting_ns") + mean(way, "work_ns")));
  const show = ns => tandem.time(ns, unit, false), units = ", " + unit[0];
  return tandem.table(`${data.calibrations.length > 0 ? "as predicted: " : ""}stages on the way to the end of ${name}, means over all of its requests`,
    ["stage", "<policy", "requests", "waiting" + units, "p99" + units, "work" + units, "p99" + units, "together" + units],
    ways.flatMap(({r, way}) => [
      ...way.map(({stream, requests, waiting_ns: waiting, work_ns: work}) => ({cells: [stream, data.labelOf(r), String(requests),
        show(waiting.mean), show(waiting.p99), show(work.mean), show(work.p99), show(waiting.mean + work.mean)]})),
      {cells: ["end to end", data.labelOf(r), "", show(mean(way, "waiting_ns")), "", show(mean(way, "work_ns")), "", show(mean(way, "waiting_ns") + mean(way, "work_ns"))]}]));
};
tandem.part("What each stage costs", data => {
  const ways = data.reports.filter(r => !r.failed).flatMap(r => r.streams.filter(stream => stream.stages).map(stream => ({r, name: stream.stages.at(-1).stream, way: stream.stages})));
  const names = [...new Set(ways.map(({name}) => name))];
  return names.length === 0 ? null : names.map(name => tandem.stagesTable(name, ways.filter(way => way.name === name), data));
});

tandem.shareBar = (shares, title) => tandem.el("span", {role: "img", "aria-label": title, title},
  shares.map(([share, colour]) => tandem.el("span", {class: "bar", style: `width:${(100 * Math.max(0, share)).toFixed(2)}px;background:var(--${colour})`})));

tandem.part("Units", data => {
  const rows = data.reports.filter(r => !r.failed).flatMap(r => r.units.map(unit => ({r, unit})));
  if (rows.length === 0) return null;
  const time = tandem.unitFor(rows.map(({unit}) => unit.busy_ns ?? 0));
  return tandem.table((data.calibrations.length > 0 ? "as predicted: " : "") + "how busy the units were",
    ["unit", "<policy", "<utilisation", "", `busy, ${time[0]}`, "tasks", "energy, J"],
    rows.map(({r, unit}) => ({cells: [unit.name, data.labelOf(r),
      tandem.shareBar([[unit.utilization, "c0"], [1 - unit.utilization, "line"]], tandem.percent(unit.utilization) + " busy"),
      tandem.percent(unit.utilization), tandem.time(unit.busy_ns, time, false), String(unit.tasks), tandem.figure(unit.energy_j)]})));
});

tandem.part("Where the time went", data => {
  const rows = tandem.wentOf(data.timelines);
  if (rows.length === 0) return null;
  const unit = tandem.unitFor(rows.map(row => row.all));
  const kinds = ["compute", "transfer", "load", ...(rows.some(row => row.times.lost > 0) ? ["lost"] : []), "idle"];
  const colours = {compute: "c0", transfer: "c1", load: "c2", lost: "c3", idle: "line"};
  return tandem.table(`per unit and run; bars are shares of the run: ${kinds.join(", ")}`,
    ["unit", "<run", "<", "busy", ...kinds.map(kind => `${kind}, ${unit[0]}`)],
    rows.map(row => ({cells: [row.unit, row.run,
      tandem.shareBar(kinds.map(kind => [row.times[kind] / row.all, colours[kind]]), kinds.map(kind => `${kind} ${tandem.percent(row.times[kind] / row.all)}`).join(", ")),
      tandem.percent(1 - row.times.idle / row.all),
      ...kinds.map(kind => tandem.time(row.times[kind], unit, false))]})));
});

// Of each row the time of each kind of span, of a plan that was run several times on average; idle is what is left.
tandem.wentOf = timelines => tandem.runsOf(timelines).flatMap(run => run.timelines[0].rows.map((row, place) => {
  const times = {compute: 0, transfer: 0, load: 0, lost: 0, idle: 0};
  let all = 0;
  for (const timeline of run.timelines) {
    const share = 1 / run.timelines.length;
    for (const [kind, time] of Object.entries(tandem.timesOf(timeline, timeline.rows[place]))) times[kind] += share * time;
    all += share * timeline.end_ns;
  }
  return {unit: row.name, run: run.name, times, all};
})).filter(row => row.all > 0);

tandem.timesOf = (timeline, row) => {
  const times = {compute: 0, transfer: 0, load: 0, lost: 0, idle: timeline.end_ns};
  let until = 0;
  row.spans.forEach((span, place) => {
    times[timeline.kinds[timeline.spans.kind[span]]] += timeline.spans.duration_ns[span];
    times.idle -= Math.max(0, row.end[place] - Math.max(until, row.start[place]));
    until = Math.max(until, row.end[place]);
  });
  return times;
};
