// The first sentence: who wins, by how much, how sure, and how near to the best possible.
"use strict";
tandem.objectiveText = (objective, value = objective.value, unit = null) => {
  if (value === null) return "-";
  if (objective.unit === "ns") return tandem.time(value, unit ?? tandem.unitFor([value]));
  return tandem.figure(value) + (objective.unit === "1/s" ? " a second" : objective.unit ? " " + objective.unit : "");
};

// Those that count, the best first.
tandem.ranked = reports => {
  const sign = reports[0]?.objective.better === "higher" ? -1 : 1;
  return reports.filter(r => !r.failed && !r.beside && r.objective.value !== null)
    .sort((a, b) => sign * (a.objective.value - b.objective.value));
};

// "19.4 % better" of two figures of one objective.
tandem.ahead = (winner, other) => {
  const [a, b] = [winner.objective.value, other.objective.value];
  if (a === b) return "as good";
  if (!a || !b) return null;
  return tandem.percent(Math.abs(winner.objective.better === "higher" ? a / b - 1 : b / a - 1)) + " ahead";
};

tandem.reportsVerdict = reports => {
  const order = tandem.ranked(reports);
  if (order.length === 0) return `No policy has a whole run${reports.some(r => r.failed) ? `: ${reports.find(r => r.failed).label} failed, ${reports.find(r => r.failed).failed}` : ""}.`;
  const [best, next] = order;
  const by = tandem.plain(best.objective.name);
  let text = `${best.label} is best by ${by}: ${tandem.objectiveText(best.objective)}`;
  if (next) text += `, ${tandem.ahead(best, next) ?? "not comparable"}${best.objective.value === next.objective.value ? " as" : " of"} ${next.label}`;
  if (best.objective_gap !== null && best.objective_gap !== undefined) {
    text += `; no schedule can be better by more than ${tandem.percent(best.objective_gap)}`;
  }
  const sure = best.win_probability;
  if (order.length > 1) {
    text += sure === null || sure === undefined ? "; how sure that is, is not known" : `; it wins in ${tandem.percent(sure)} of the draws`;
  }
  return text + ".";
};

tandem.verdictWords = {within: "within the bar", outside: "outside the bar", unknown: "cannot be told"};
tandem.verdictMark = {within: "✓ ", outside: "✗ ", unknown: "? "};
tandem.verdictClass = {within: "good", outside: "bad", unknown: "unsure"};
tandem.verdictCell = verdict => verdict
  ? tandem.el("span", {class: tandem.verdictClass[verdict]}, tandem.verdictMark[verdict] + tandem.verdictWords[verdict]) : "-";

tandem.median = values => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) / 2)];
};

// Of what was measured: how far ahead of the next the best is, by the objective.
tandem.measuredLead = (calibration, reports) => {
  const better = reports[0]?.objective.better ?? (calibration.objective === "throughput" ? "higher" : "lower");
  const order = calibration.policies.filter(p => p.measured !== null && p.measured !== undefined && !p.beside)
    .sort((a, b) => (better === "higher" ? -1 : 1) * (a.measured - b.measured));
  const best = order.find(p => p.label === calibration.winner.measured), next = order.find(p => p !== best);
  if (!best || !next || !(best.measured > 0) || !(next.measured > 0)) return "";
  const lead = best.measured === next.measured ? 0 : Math.abs(better === "higher" ? best.measured / next.measured - 1 : next.measured / best.measured - 1);
  return `, ${tandem.percent(lead)} ahead of ${next.label}`;
};
tandem.boundOf = (label, reports) => {
  const gap = reports.find(report => report.label === label)?.objective_gap;
  return gap === null || gap === undefined ? "" : `. No schedule can be better than its prediction by more than ${tandem.percent(gap)}`;
};

tandem.calibrationVerdict = (calibration, reports) => {
  const {winner} = calibration;
  const measured = calibration.policies.filter(p => p.error !== null);
  const errors = measured.map(p => Math.abs(p.error));
  if (measured.length === 0) return `${winner.predicted ?? "No policy"} was predicted to win; nothing was measured.`;
  let text = winner.predicted === winner.measured
    ? `${winner.predicted} was predicted to win and does`
    : `${winner.predicted ?? "No policy"} was predicted to win; measured best is ${winner.measured ?? "none"}`;
  text += tandem.measuredLead(calibration, reports);
  if (winner.regret !== null) {
    const says = {within: "it loses at most the " + tandem.percent(calibration.regret_bar) + " that count",
                  outside: `it loses ${tandem.percent(winner.regret)}`, unknown: "whether it loses anything cannot be told"};
    text += "; " + says[winner.verdict];
    if (winner.regret_interval) text += ` (${winner.regret_interval.map(r => tandem.signed(r)).join(" to ")})`;
  } else if (calibration.policies.length > 1) {
    text += "; how sure that is cannot be told of so few runs";
  }
  text += tandem.boundOf(winner.measured, reports);
  if (errors.length > 0) {
    const worst = measured.reduce((a, b) => Math.abs(b.error) > Math.abs(a.error) ? b : a);
    text += `. Makespans are predicted to ${tandem.percent(tandem.median(errors))} in the median, ${tandem.signed(worst.error)} at worst (${worst.label})`;
  }
  return text + ".";
};

tandem.regressionVerdict = regression => {
  const worse = regression.worse ?? regression.figures?.filter(f => f.verdict === "worse").length;
  return worse ? `${tandem.counted(worse, "figure")} became worse.` : "No figure became worse.";
};

// What `tandem plan` took: the simplest of those that cannot be told apart.
tandem.decisionVerdict = decision => {
  if (decision.winner === null) return "No policy wins: none can be judged by the objective.";
  const best = decision.not_told_apart[0] ?? decision.winner;
  if (best === decision.winner) return tandem.reportsVerdict(decision.reports);
  return `${decision.winner} is taken, the simplest of those that cannot be told apart: ${decision.not_told_apart.join(", ")}. ` + tandem.reportsVerdict(decision.reports);
};

// What the run is made of, and what of the board would make it shorter.
tandem.explanationVerdict = ({run, faster, decisions}) => {
  const parts = new Map();
  for (const piece of run.path) {
    const name = tandem.plain(piece.cause) + (piece.unit ? " " + (piece.cause === "unit" ? "waited for: " : "on ") + piece.unit : "");
    parts.set(name, (parts.get(name) ?? 0) + piece.to_ns - piece.from_ns);
  }
  const [most, all] = [[...parts].sort((a, b) => b[1] - a[1])[0], [...parts.values()].reduce((a, b) => a + b, 0)];
  const what = run.follows ? `${run.follows.stream} #${run.follows.index} takes ${tandem.time(run.follows.latency_ns)} under ${run.label}` : `${run.label} takes ${tandem.time(run.makespan_ns)}`;
  const best = [...faster].sort((a, b) => a.makespan_ns - b.makespan_ns)[0];
  const saved = best ? 1 - best.makespan_ns / run.makespan_ns : 0;
  return what + (most && all > 0 ? `; ${tandem.percent(most[1] / all)} of that is ${most[0]}` : "") +
    (best && saved > 0 ? `; were ${best.unit ?? best.link} twice as fast, the makespan would be ${tandem.percent(saved)} shorter` : "") +
    (decisions.why_none === null && decisions.best.length === 0 ? "; no single decision makes it better" : "") + ".";
};

tandem.verdicts = data => [
  ...data.calibrations.map(calibration => tandem.calibrationVerdict(calibration, data.reports)),
  ...data.decisions.map(tandem.decisionVerdict),
  ...(data.decisions.length === 0 && data.calibrations.length === 0 && data.reports.length > 0 ? [tandem.reportsVerdict(data.reports)] : []),
  ...data.explanations.map(tandem.explanationVerdict),
  ...data.regressions.map(tandem.regressionVerdict),
  ...data.sweeps.map(tandem.sweepVerdict),
];
