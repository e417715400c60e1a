// What a policy costs: deadlines missed and energy, as bars that stand below each other.
"use strict";
tandem.part("Deadlines and energy", data => {
  const reports = data.reports.filter(report => !report.failed);
  const late = reports.some(report => report.missed > 0), known = reports.some(report => report.energy_j !== null && report.energy_j !== undefined);
  if (!late && !known) return null;
  const requests = report => report.streams.reduce((sum, stream) => sum + stream.completed + stream.dropped, 0);
  const most = Math.max(...reports.map(report => report.energy_j ?? 0));
  const rest = report => report.energy_j - report.units.reduce((sum, unit) => sum + (unit.energy_j ?? 0), 0);  // what is no unit's
  const ofUnits = report => [...report.units.map((unit, i) => [most > 0 ? (unit.energy_j ?? 0) / most : 0, "c" + i % tandem.colours]), [rest(report) / most, "soft"]];
  const said = report => [...report.units.map(unit => `${unit.name} ${tandem.figure(unit.energy_j ?? null)} J`),
    rest(report) > 1e-6 * most ? `the rest of the board ${tandem.figure(rest(report))} J` : null].filter(Boolean).join(", ");
  return [
    late ? tandem.table("requests that missed their deadlines, dropped ones among them", ["policy", "<", "share", "missed", "of"], reports.map(report => ({cells: [data.labelOf(report),
      tandem.shareBar([[report.missed / requests(report), "c3"], [1 - report.missed / requests(report), "line"]], tandem.percent(report.missed / requests(report)) + " missed"),
      tandem.percent(report.missed / requests(report)), String(report.missed), String(requests(report))]}))) : null,
    known ? tandem.table("energy, a colour a unit", ["policy", "<", "energy, J", "<of it"], reports.map(report => ({cells: [data.labelOf(report),
      report.energy_j === null ? "-" : tandem.shareBar(ofUnits(report), said(report)), tandem.figure(report.energy_j), report.energy_j === null ? "-" : said(report)]}))) : null];
});
