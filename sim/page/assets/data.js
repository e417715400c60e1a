// The results that the page has: documents as the commands print them, by their kinds, and timelines.
"use strict";
tandem.read = text => {
  const page = JSON.parse(text);
  const of = kind => page.results.filter(result => result.tandem === kind + "/1");
  const fileOf = new Map(page.results.map((result, i) => [result, page.files?.[i] ?? ""]));
  // Reports that may be held beside each other: of one file, of one decision; those of a validation are what it predicts, beside its calibration.
  const ofFile = file => of("report").filter(report => fileOf.get(report) === file);
  const sets = [...[...new Set(of("report").map(report => fileOf.get(report)))].map(file => ({file, reports: ofFile(file)})),
                ...of("decision").map(decision => ({file: fileOf.get(decision), reports: decision.reports})),
                {file: "", reports: page.predicted ?? []}].filter(set => set.reports.length > 0);
  for (const {file, reports} of sets) for (const report of reports) fileOf.set(report, file);
  return {
    page,
    fileOf,
    sets,
    reports: sets.flatMap(set => set.reports),
    // Of one of several sets: which.
    labelOf: report => report.label + (sets.length > 1 && fileOf.get(report) ? `, ${fileOf.get(report)}` : ""),
    decisions: of("decision"),
    calibrations: of("calibration"),
    explanations: of("explanation"),
    sweeps: of("sweep_summary"),
    regressions: of("regression"),
    capacities: of("capacity"),
    boardChoices: of("board_choice"),
    stateChoices: of("state_choice"),
    supposed: tandem.supposedOf(page.results),
    board: page.board ?? null,
    timelines: (page.timelines ?? []).map(tandem.timelineOf),
  };
};

// What --what-if has changed, as sentences: [] where nothing is supposed.
tandem.supposedOf = results => [...new Set(results.flatMap(result => result.what_if ?? []).map(what =>
  typeof what === "string" ? what : what.asked + (what.changes?.length > 0 ? ` (${what.changes.join("; ")})` : "")))];

// Spans in columns, as they were written: of each row by their start; the rest by their own number.
tandem.timelineOf = written => {
  const {spans} = written;
  const count = spans.start_ns.length;
  const rows = written.rows.map(row => ({...row, spans: []}));
  for (let span = 0; span < count; ++span) rows[spans.row[span]].spans.push(span);
  for (const row of rows) {
    row.spans.sort((a, b) => spans.start_ns[a] - spans.start_ns[b] || a - b);
    row.start = Float64Array.from(row.spans, span => spans.start_ns[span]);
    row.end = Float64Array.from(row.spans, span => spans.start_ns[span] + spans.duration_ns[span]);
  }
  const end = spans.start_ns.reduce((most, start, span) => Math.max(most, start + spans.duration_ns[span]), 0);
  const models = [...new Set(written.segments.map(([model]) => model))];
  return {...written, rows, count, models, end_ns: end};
};

tandem.modelOf = (timeline, span) => timeline.segments[timeline.spans.segment[span]][0];
tandem.layersOf = (timeline, span) => timeline.segments[timeline.spans.segment[span]][1];

tandem.spanName = (timeline, span) =>
  timeline.streams[timeline.spans.stream[span]] + " #" + timeline.spans.index[span];
tandem.spanEnd = (timeline, span) => timeline.spans.start_ns[span] + timeline.spans.duration_ns[span];

// Runs that are of the same plan, predicted or measured: [{name: "measured: eft", policy, measured, timelines}].
tandem.runsOf = timelines => {
  const runs = new Map();
  for (const timeline of timelines) {
    const name = `${timeline.measured ? "measured" : "predicted"}: ${timeline.policy}`;
    if (!runs.has(name)) runs.set(name, {name, policy: timeline.policy, measured: timeline.measured, timelines: []});
    runs.get(name).timelines.push(timeline);
  }
  return [...runs.values()];
};

// Of each request of a timeline when it was released and when its last span ended.
tandem.requestsOf = timeline => {
  const requests = new Map();
  const {spans} = timeline;
  for (let span = 0; span < timeline.count; ++span) {
    if (timeline.kinds[spans.kind[span]] === "load") continue;
    const key = spans.stream[span] + "/" + spans.index[span];
    const request = requests.get(key) ?? {stream: spans.stream[span], release: spans.release_ns[span], end: 0};
    request.end = Math.max(request.end, tandem.spanEnd(timeline, span));
    requests.set(key, request);
  }
  return [...requests.values()];
};

// The spans at work on the path that an explanation of this run gives; null where there is none.
tandem.explainedPath = (timeline, explanations) => {
  const run = explanations.flatMap(({run, versus}) => versus ? [run, versus] : [run]).find(run => run.label === timeline.policy);
  if (!run || timeline.measured) return null;
  const {spans} = timeline, path = new Set();
  for (const piece of run.path) {
    if (!["compute", "dispatch", "transfer", "load", "contention"].includes(piece.cause)) continue;
    for (const row of timeline.rows.filter(row => row.unit === piece.unit)) {
      for (let place = tandem.firstAbove(row.end, piece.from_ns); place < row.spans.length && row.start[place] < piece.to_ns; ++place) {
        const span = row.spans[place];
        if (spans.index[span] === piece.index && timeline.streams[spans.stream[span]] === piece.stream) path.add(span);
      }
    }
  }
  return path;
};

// What the last span to end waited for, and so on to the start: either what ran before it on its unit, or the
// span of its own request that ended last before it was ready.
tandem.criticalPath = timeline => {
  const {spans} = timeline;
  const byRequest = new Map(), placeOf = new Int32Array(timeline.count);
  for (const row of timeline.rows) row.spans.forEach((span, place) => { placeOf[span] = place; });
  let last = -1;
  for (let span = 0; span < timeline.count; ++span) {
    const key = spans.stream[span] + "/" + spans.index[span];
    if (!byRequest.has(key)) byRequest.set(key, []);
    byRequest.get(key).push(span);
    if (last < 0 || tandem.spanEnd(timeline, span) > tandem.spanEnd(timeline, last)) last = span;
  }
  const latestBefore = (candidates, at, not) => {
    let found = -1;
    for (const candidate of candidates) {
      const end = tandem.spanEnd(timeline, candidate);
      if (candidate === not || end > at || spans.start_ns[candidate] >= at) continue;
      if (found < 0 || end > tandem.spanEnd(timeline, found)) found = candidate;
    }
    return found;
  };
  const path = new Set();
  for (let span = last; span >= 0 && !path.has(span);) {
    path.add(span);
    const waited = spans.start_ns[span] > spans.ready_ns[span];
    if (waited) {
      const place = placeOf[span];
      span = place > 0 ? timeline.rows[spans.row[span]].spans[place - 1] : -1;
    } else if (spans.ready_ns[span] > spans.release_ns[span]) {
      span = latestBefore(byRequest.get(spans.stream[span] + "/" + spans.index[span]), spans.ready_ns[span], span);
    } else {
      span = -1;  // it came then
    }
  }
  return path;
};
