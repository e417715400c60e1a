// The first sentence: who wins, by how much, how sure, and how near to the best possible.
"use strict";
tandem.objectiveText = (objective, value = objective.value, unit = null) => {
  if (value === null) return "-";
  if (objective.unit === "ns") return tandem.time(value, unit ?? tandem.unitFor([value]));
  if (objective.unit === "requests") return tandem.counted(value, "request");
  return tandem.figure(value) + (objective.unit === "1/s" ? " a second" : objective.unit ? " " + objective.unit : "");
};

// Those that count, the best first: who keeps all limits or, where nobody does, breaks them the least.
tandem.excess = report => (report.limits ?? []).reduce((sum, limit) => sum + limit.excess, 0);
// By the median over the draws where all have one, else by the run in which every task takes its median.
tandem.byDraws = reports => reports.length > 0 && reports.every(r => (r.objective.median ?? null) !== null);
tandem.rankedBy = reports => tandem.byDraws(reports) ? r => r.objective.median : r => r.objective.value;
tandem.ranked = reports => {
  const sign = reports[0]?.objective.better === "higher" ? -1 : 1;
  const may = reports.filter(r => !r.failed && !r.beside && r.objective.value !== null);
  const least = Math.min(...may.map(tandem.excess));
  const rivals = may.filter(r => tandem.excess(r) === least), by = tandem.rankedBy(rivals);
  return rivals.sort((a, b) => sign * (by(a) - by(b)));
};

// "19.4 % better" of two figures of one objective.
tandem.ahead = (winner, other) => {
  const [a, b] = [winner, other].map(tandem.rankedBy([winner, other]));
  if (a === b) return "as good";
  if (!a || !b) return null;
  return tandem.smallPercent(Math.abs(winner.objective.better === "higher" ? a / b - 1 : b / a - 1)) + " ahead";
};
tandem.aheadOf = (winner, other) => {
  const ahead = tandem.ahead(winner, other), name = tandem.name(other.label);
  if (ahead === null) return `ahead of ${name} with ${tandem.objectiveText(other.objective)}`;
  return ahead + (ahead === "as good" ? " as " : " of ") + name;
};
// How much better any schedule may be; a bound that is far off says little, and says it as a factor.
tandem.gapText = (gap, than) => {
  if (gap === null || gap === undefined) return "";
  if (gap === 0) return `no schedule can be better${than}`;
  return `no schedule can be better${than} by more than ${gap > 1 ? "a factor of " + tandem.figure(Number((1 + gap).toPrecision(3))) : tandem.percent(Math.max(gap, 0.001))}`;
};

// Who else may well be the best: ", eft in 31 %".
tandem.othersWin = order => order.slice(1).filter(report => report.win_probability >= 0.1).map(report => `, ${tandem.name(report.label)} in ${tandem.percent(report.win_probability)}`).join("");

// Which limits could give way alone: "; p99 <= 5 ms alone would have to be relaxed by 20 %, under eft".
tandem.relaxationsText = limits => limits.filter(limit => limit.relaxation).map(({limit, bound, relaxation}) => {
  const far = bound > 0 ? "by " + tandem.smallPercent(Math.abs(relaxation.value / bound - 1)) : "to " + tandem.figure(relaxation.value);
  return `; ${limit} alone would have to be relaxed ${far}, under ${relaxation.searched ? "a schedule of " : ""}${tandem.name(relaxation.policy)}`;
}).join("");

tandem.reportsVerdict = reports => {
  const order = tandem.ranked(reports);
  if (order.length === 0) {
    const failed = reports.find(r => r.failed);
    if (failed) return `No policy has a whole run: ${tandem.name(failed.label)} failed, ${failed.failed}.`;
    return reports.every(r => r.complete) ? `No policy has a figure to be judged by: ${tandem.plain(reports[0].objective.name)} of none is known.` : "No policy has a whole run.";
  }
  const [best, next] = order;
  const by = tandem.plain(best.objective.name);
  let text = `${tandem.name(best.label)} is best by ${by}: ${tandem.objectiveText(best.objective)}`;
  if (tandem.byDraws(order)) text += `, ${tandem.objectiveText(best.objective, best.objective.median)} in the median over the draws`;
  if (next) text += ", " + tandem.aheadOf(best, next);
  const gap = tandem.gapText(best.objective_gap, "");
  if (gap) text += "; " + gap;
  const broken = (best.limits ?? []).filter(limit => !limit.kept).map(limit => limit.limit);
  if (broken.length > 0) text += `; no policy keeps all limits, and it breaks ${broken.join(", ")} by the least${tandem.relaxationsText(best.limits)}`;
  const sure = best.win_probability;
  if (order.length > 1) {
    text += sure === null || sure === undefined ? `; how sure that is, is not known${best.win_probability_why ? ": " + best.win_probability_why : ""}` : `; it wins in ${tandem.percent(sure)} of the draws${tandem.othersWin(order)}`;
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
  const better = reports[0]?.objective.better ?? (["throughput", "balanced_gain"].includes(calibration.objective) ? "higher" : "lower");
  const order = calibration.policies.filter(p => p.measured !== null && p.measured !== undefined && !p.beside && p.counts !== false)
    .sort((a, b) => (better === "higher" ? -1 : 1) * (a.measured - b.measured));
  const best = order.find(p => p.label === calibration.winner.measured), next = order.find(p => p !== best);
  if (!best || !next || !(best.measured > 0) || !(next.measured > 0)) return "";
  const lead = best.measured === next.measured ? 0 : Math.abs(better === "higher" ? best.measured / next.measured - 1 : next.measured / best.measured - 1);
  return lead === 0 ? `, as good as ${tandem.name(next.label)}` : `, ${tandem.smallPercent(lead)} ahead of ${tandem.name(next.label)}`;
};
tandem.boundOf = (label, reports) => {
  const text = tandem.gapText(reports.find(report => report.label === label)?.objective_gap, " than its prediction");
  return text && ". " + text[0].toUpperCase() + text.slice(1);
};

tandem.calibrationVerdict = (calibration, reports) => {
  const {winner} = calibration;
  const measured = calibration.policies.filter(p => p.error !== null && p.counts !== false);
  const errors = measured.map(p => Math.abs(p.error)).sort((a, b) => a - b);
  const predicted = winner.predicted === null ? "No policy" : tandem.name(winner.predicted), sure = winner.probability?.[winner.predicted];
  const was = predicted + (winner.instead_of ? `, simpler than ${tandem.name(winner.instead_of)} and not told from it,` : "") + " was predicted to win" +
    (sure === null || sure === undefined ? "" : ` in ${tandem.percent(sure)} of the draws`);
  if (measured.length === 0) return was + (calibration.policies.some(p => p.error !== null) ? "; none of the runs counts." : "; nothing was measured.");
  let text = winner.predicted === winner.measured ? was + " and does" : `${was}; measured best is ${winner.measured === null ? "none" : tandem.name(winner.measured)}`;
  text += tandem.measuredLead(calibration, reports);
  if (winner.regret !== null) {
    const says = {within: "it loses at most the " + tandem.percent(calibration.regret_bar) + " that count",
                  outside: `it loses ${tandem.percent(winner.regret)}`, unknown: "whether it loses anything cannot be told"};
    text += "; " + says[winner.verdict];
    if (winner.regret_interval) text += ` (${winner.regret_interval.map(r => tandem.signed(r)).join(" to ")})`;
  } else if (calibration.policies.some(p => p.label === winner.predicted && p.counts === false)) {
    text += "; how much it loses cannot be told: none of its runs counts";
  } else if (calibration.policies.length > 1) {
    text += "; how sure that is cannot be told of so few runs";
  }
  text += tandem.boundOf(winner.measured, reports);
  if (errors.length > 0) {
    const worst = measured.reduce((a, b) => Math.abs(b.error) > Math.abs(a.error) ? b : a);
    text += `. Makespans are predicted within ${tandem.percent(errors[Math.floor(errors.length / 2)])} in the median, ${tandem.signed(worst.error)} at worst (${tandem.name(worst.label)})`;
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
  return `${tandem.name(decision.winner)} is taken, the simplest of those that cannot be told apart: ${decision.not_told_apart.map(tandem.name).join(", ")}. ` + tandem.reportsVerdict(decision.reports);
};

// What the run is made of, and what of the board would make it shorter.
tandem.explanationVerdict = ({run, versus, faster, decisions, objective}) => {
  const parts = new Map();
  for (const piece of run.path) {
    const name = tandem.causeText(piece.cause) + (piece.unit ? (piece.cause === "unit" ? " " : " on ") + tandem.name(piece.unit) : "");
    parts.set(name, (parts.get(name) ?? 0) + piece.to_ns - piece.from_ns);
  }
  const [most, all] = [[...parts].sort((a, b) => b[1] - a[1])[0], [...parts.values()].reduce((a, b) => a + b, 0)];
  const what = run.follows ? `${tandem.name(run.follows.stream)} #${run.follows.index} takes ${tandem.time(run.follows.latency_ns)}${run.follows.since ? ` since the release of ${tandem.name(run.follows.since)} #${run.follows.index}` : ""} under ${tandem.name(run.label)}` : `${tandem.name(run.label)} takes ${tandem.time(run.makespan_ns)}`;
  const best = [...faster].sort((a, b) => a.makespan_ns - b.makespan_ns)[0];
  const saved = best ? 1 - best.makespan_ns / run.makespan_ns : 0;
  return what + (versus ? `, ${tandem.againstText(run, versus, objective)}` : "") + (most && all > 0 ? `; ${tandem.percent(most[1] / all)} of that is ${most[0]}` : "") +
    (best && saved > 0 ? `; were ${tandem.name(best.unit ?? best.link)} twice as fast, the makespan would be ${tandem.percent(saved)} shorter` : "") +
    (decisions.why_none === null && decisions.best.length === 0 ? "; no single decision makes it better" : "") + ".";
};
tandem.causeText = cause => ({unit: "waiting for", room: "waiting for room", held_back: "being held back", arrival: "waiting for release", lost: "lost work on", away: "waiting for the return of"})[cause] ?? tandem.plain(cause);
tandem.againstText = (run, versus, objective) => {
  const as = {ns: ["makespan", "mean_latency", "p99_latency"].includes(objective)}, show = value => as.ns ? tandem.time(value) : tandem.figure(value);
  return objective === "makespan" && !run.follows ? `${tandem.name(versus.label)} ${tandem.time(versus.makespan_ns)}`
    : `${tandem.plain(objective)} ${show(run.objective)}, under ${tandem.name(versus.label)} ${show(versus.objective)}`;
};

// The most, or the least, under the best policy and the next.
tandem.capacityVerdict = capacity => {
  const bound = of => (!of.ended ? "" : capacity.find === "least" ? "at most " : "at least ") + tandem.figure(of.limit) + (capacity.unit ? " " + capacity.unit : "");
  const have = capacity.policies.filter(of => of.limit !== null);
  // The best by draws need not be that by runs; files that know no best have a winner alone.
  const best = have.find(of => of.best) ?? have.find(of => of.winner), byDraws = have.every(of => (of.median ?? null) !== null);
  const value = of => byDraws ? of.median : of.limit, close = have.filter(of => of.close).map(of => tandem.name(of.label));
  const next = have.filter(of => of !== best).sort((a, b) => (capacity.find === "least" ? 1 : -1) * (value(a) - value(b)))[0];
  if (!best) return `Under no policy ${capacity.until} holds at any value of ${capacity.vary} that was tried.`;
  const interval = best.interval ?? best.over_seeds;
  return `The ${capacity.find} of ${capacity.vary} at which ${capacity.until} is ${bound(best)}, under ${tandem.name(best.label)}` +
    (interval ? ` (${interval.map(tandem.figure).join(" to ")}${byDraws ? `, ${tandem.figure(best.median)} in the median over the draws` : ""})` : "; how sure that is, is not known") +
    (next ? `; under ${tandem.name(next.label)} it is ${bound(next)}` : "") +
    (close.length > 0 ? `; the draws cannot tell ${tandem.name(best.label)} from ${close.join(", ")}` : "") + `. Now it is ${tandem.figure(capacity.now)}.`;
};

tandem.boardChoiceVerdict = choice => {
  const ran = choice.boards.filter(row => row.report), best = ran.find(row => row.winner);
  if (!best) return `No board can run ${tandem.name(choice.scenario)}.`;
  const rest = tandem.ranked(ran.filter(row => row !== best).map(row => row.report)), next = ran.find(row => row.report === rest[0]);
  return `${tandem.name(best.board)} is best by ${tandem.plain(choice.objective)}, under ${tandem.name(best.report.label)}: ${tandem.objectiveText(best.report.objective)}` +
    (next ? `, ${tandem.aheadOf(best.report, {...next.report, label: next.board})}` : "") + (choice.verdict ? `; ${choice.verdict}` : "") + ".";
};

tandem.stateChoiceVerdict = choice => {
  const best = choice.choices.find(row => row.winner);
  if (!best) return `${tandem.name(choice.scenario)} runs in none of these states.`;
  const states = best.states.map((state, i) => `${tandem.name(choice.units[i])} in ${tandem.name(state)}`).join(", ");
  const gap = tandem.gapText(choice.gap, ""), own = choice.choices.find(row => row.as_asked && row !== best && row.report);
  return `${states}: best by ${tandem.plain(choice.objective)}, under ${tandem.name(best.report.label)}: ${tandem.objectiveText(best.report.objective)}` +
    (own ? `, ${tandem.aheadOf(best.report, {...own.report, label: "the scenario's own states"})}` : "") + (gap ? `; in any of them, ${gap}` : "") +
    (choice.verdict ? `; ${choice.verdict}` : "") + ".";
};

// A sentence for each result; with several files it says which it is of. One that cannot be made takes no other with it.
tandem.verdicts = data => {
  const several = new Set(data.page.files).size > 1, of = (results, make) => results.map(result => {
    const file = result.file ?? data.fileOf.get(result);
    let text;
    try {
      text = make(result);
    } catch (error) {
      console.error(error);
      text = `This ${tandem.plain((result.tandem ?? "result").replace(/[/].*$/, ""))} cannot be read: ${error.message}.`;
    }
    return (several && file ? tandem.name(file) + ": " : "") + text;
  });
  const alone = data.sets.filter(set => set.reports !== data.page.predicted && !data.decisions.some(decision => decision.reports === set.reports));
  return [...of(data.calibrations, calibration => tandem.calibrationVerdict(calibration, data.reports)), ...of(data.decisions, tandem.decisionVerdict),
          ...of(alone, set => tandem.reportsVerdict(set.reports)), ...of(data.capacities, tandem.capacityVerdict), ...of(data.boardChoices, tandem.boardChoiceVerdict), ...of(data.stateChoices, tandem.stateChoiceVerdict),
          ...of(data.explanations, tandem.explanationVerdict), ...of(data.regressions, tandem.regressionVerdict), ...of(data.sweeps, tandem.sweepVerdict)];
};
