// The timeline: predicted above measured, rows of units, on one axis of time. What is chosen is said in words
// below it, so that it can be read without seeing it.
"use strict";
tandem.part("Timeline", data => {
  const shown = data.timelines.filter(timeline => timeline.count > 0);
  const best = data.calibrations[0]?.winner.predicted ?? data.decisions[0]?.winner ?? data.explanations[0]?.run.label ?? tandem.ranked(data.reports)[0]?.label;
  return shown.length === 0 ? null : new tandem.Timeline(shown, best, data.explanations).element;
});

tandem.Timeline = class {
  // `best`: the policy that is shown at first.
  constructor(timelines, best, explanations) {
    const {el} = tandem;
    this.timelines = timelines;
    this.explanations = explanations;
    this.hidden = {policy: new Set(), unit: new Set(), model: new Set()};
    const policies = timelines.map(timeline => timeline.policy);
    this.first = policies.includes(best) ? best : policies[0];
    this.hide("policy", policies, this.first);
    this.request = "";
    this.paths = timelines.map(() => null);
    const models = [...new Set(timelines.flatMap(timeline => timeline.models))];
    for (const timeline of timelines) timeline.modelOfSegment = timeline.segments.map(([model]) => models.indexOf(model));
    this.canvas = el("canvas", {tabindex: 0, role: "application", "aria-label":
      "timeline; arrows pan, plus and minus zoom, n and p go to the next and previous span of the row, page up and down change the row, 0 shows all"});
    this.view = new tandem.TimelineView(this.canvas, models);
    this.view.isShown = (timeline, span) => this.isShown(timeline, span);
    this.end = this.view.to = this.endOfShown();
    this.build(models);
    this.setLines();
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
    tandem.onColours(() => { this.view.forgetColours(); this.view.draw(); });  // at once: paper waits for no frame
    this.listen();
  }

  build(models) {
    const {el} = tandem, names = key => [...new Set(this.timelines.flatMap(timeline => key(timeline)))];
    this.told = el("p", {class: "told", "aria-live": "polite"}, "Nothing is chosen: click a span, or press n.");
    this.tip = el("p", {class: "tip", "aria-hidden": "true", hidden: true});
    this.found = el("input", {type: "search", size: 18, list: "streams", placeholder: names(timeline => timeline.streams)[0] + " #0", onchange: () => this.find(this.found.value)});
    this.element = el("div", {class: "timeline-part"},
      el("fieldset", {}, el("legend", {}, "What is shown"),
        this.filter("policy", names(timeline => [timeline.policy]), this.first),
        this.filter("unit", names(timeline => timeline.rows.map(row => row.unit))),
        this.filter("model", models),
        el("label", {}, "request ", this.found), el("datalist", {id: "streams"}, names(timeline => timeline.streams).map(name => el("option", {value: name}))),
        el("label", {}, el("input", {type: "checkbox", onchange: event => this.setPath(event.target.checked)}), " critical path"),
        el("button", {type: "button", onclick: () => this.zoom(0.5)}, "zoom in"),
        el("button", {type: "button", onclick: () => this.zoom(2)}, "zoom out"),
        el("button", {type: "button", onclick: () => this.show(0, this.end)}, "show all")),
      el("div", {class: "timeline"}, this.canvas, this.tip), this.told, this.legend(models),
      el("p", {class: "notes"}, "Drag to pan, turn the wheel or pinch to zoom. By keyboard: arrows pan, + and - zoom, n and p go from span to span, page up and down from row to row, 0 shows all."));
  }
  // A list to choose one of, or all.
  filter(what, names, first = "") {
    if (names.length < 2) return null;
    const choose = event => {
      this.hide(what, names, event.target.value);
      this.setLines();
      if (what === "policy") this.end = this.endOfShown();
      what === "policy" ? this.show(0, this.end) : this.draw();
    };
    return tandem.el("label", {}, what + " ", tandem.el("select", {onchange: choose, "data-filter": what},
      tandem.el("option", {value: ""}, "all"), names.map(name => tandem.el("option", {value: name, selected: name === first}, name))));
  }
  endOfShown() { return Math.max(...this.timelines.filter(t => !this.hidden.policy.has(t.policy)).map(t => t.end_ns)); }
  hide(what, names, but) { this.hidden[what] = new Set(but === "" ? [] : names.filter(name => name !== but)); }

  legend(models) {
    const {el} = tandem, row = 100 / tandem.patternRows;
    const stripes = i => tandem.patternOf(i).map(at => `linear-gradient(transparent ${at * row}%, ${tandem.dark} ${at * row}% ${(at + 1) * row}%, transparent ${(at + 1) * row}%)`);
    const look = i => [...stripes(i), `linear-gradient(var(--c${i % tandem.colours}), var(--c${i % tandem.colours}))`].join(", ");
    return el("ul", {class: "legend", "aria-label": "colours and patterns"}, [
      ...models.map((model, i) => el("li", {}, el("span", {class: "swatch", style: `background:${look(i)}`}), " " + model)),
      el("li", {}, "hatched: a copy"), el("li", {}, "crossed: a load"), el("li", {}, "thick edge: critical path")]);
  }

  listen() {
    const {canvas, view} = this, down = new Map();
    let moved = false, apart = 0;
    const fingers = () => [...down.values()];
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / view.width());
      else this.zoom(Math.exp(event.deltaY / 400), view.timeAt(event.offsetX));
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      moved = down.size > 0;
      down.set(event.pointerId, event.offsetX);
      const [a, b] = fingers();
      apart = b === undefined ? 0 : Math.abs(a - b);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
      if (!down.has(event.pointerId)) return this.hover(event);
      const by = event.offsetX - down.get(event.pointerId);
      if (!moved && Math.abs(by) < 3) return;
      moved = true;
      down.set(event.pointerId, event.offsetX);
      const [a, b] = fingers();
      if (b === undefined) return this.pan(-by / view.width());
      const now = Math.max(8, Math.abs(a - b));
      if (apart > 0) this.zoom(Math.max(8, apart) / now, view.timeAt((a + b) / 2));
      apart = now;
    });
    canvas.addEventListener("pointerup", event => {
      if (down.has(event.pointerId) && !moved) this.choose(view.spanAt(event.offsetX, event.offsetY));
      down.delete(event.pointerId);
    });
    canvas.addEventListener("pointercancel", event => down.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("keydown", event => {
      const act = {ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
                   "-": () => this.zoom(2), 0: () => this.show(0, this.end), Home: () => this.show(0, this.end), n: () => this.step(1),
                   p: () => this.step(-1), PageDown: () => this.changeRow(1), PageUp: () => this.changeRow(-1)}[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
  }

  show(from, to) {
    const least = Math.max(10, this.end * 1e-9), length = Math.min(Math.max(to - from, least), this.end || 1);
    this.view.from = Math.min(Math.max(0, from), Math.max(0, this.end - length));
    this.view.to = this.view.from + length;
    this.draw();
  }
  length() { return this.view.to - this.view.from; }
  pan(share) { const by = share * this.length(); this.show(this.view.from + by, this.view.to + by); }
  zoom(factor, about = this.chosenMiddle()) { this.show(about + (this.view.from - about) * factor, about + (this.view.to - about) * factor); }
  chosenMiddle() {
    const {from, to, chosen} = this.view, middle = chosen ? this.startOf(chosen) : (from + to) / 2;
    return middle >= from && middle <= to ? middle : (from + to) / 2;
  }
  startOf({timeline, span}) { return timeline.spans.start_ns[span]; }

  setPath(on) {
    if (on) this.timelines.forEach((timeline, i) => { this.paths[i] ??= tandem.explainedPath(timeline, this.explanations) ?? tandem.criticalPath(timeline); });
    this.showPath = on;
    this.setLines();
    this.draw();
  }
  // Heads of timelines and their units.
  setLines() {
    this.view.lines = this.timelines.flatMap((timeline, i) => this.hidden.policy.has(timeline.policy) ? [] : [
      {head: timeline.name, height: tandem.headHeight},
      ...timeline.rows.filter(row => !this.hidden.unit.has(row.unit)).map(row => ({timeline, row, path: this.showPath ? this.paths[i] : null, height: tandem.rowHeight}))]);
  }
  isShown(timeline, span) {
    return !this.hidden.model.has(tandem.modelOf(timeline, span)) &&
      (this.request === "" || tandem.isOf(timeline, span, this.request));
  }

  // One frame at the next chance, however often it is asked for.
  draw() {
    this.pending ??= requestAnimationFrame(() => { this.pending = null; this.view.draw(); });
  }

  hover(event) {
    const found = this.view.spanAt(event.offsetX, event.offsetY);
    this.canvas.style.cursor = found ? "pointer" : "grab";
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.replaceChildren(...tandem.said(this.text(found)));
    const right = event.offsetX > this.canvas.clientWidth / 2;
    this.tip.style.top = event.offsetY + 16 + "px";
    this.tip.style.left = right ? "auto" : event.offsetX + 8 + "px";
    this.tip.style.right = right ? this.canvas.clientWidth - event.offsetX + 8 + "px" : "auto";
  }
  text({timeline, span}) {
    const {spans} = timeline, row = timeline.rows[spans.row[span]];
    const time = value => tandem.time(value, tandem.unitFor([this.end]));
    const waited = spans.start_ns[span] - spans.ready_ns[span];
    const {name} = tandem;
    return `${name(timeline.name)}: ${name(tandem.spanName(timeline, span))}, ${timeline.kinds[spans.kind[span]]} on ${name(row.name)}\n` +
      `${name(tandem.modelOf(timeline, span))}, layers ${tandem.layersOf(timeline, span)}\n` +
      `${time(spans.start_ns[span])} to ${time(tandem.spanEnd(timeline, span))}, ${tandem.time(spans.duration_ns[span])}; ` +
      `released ${time(spans.release_ns[span])}, waited ${tandem.time(waited)}`;
  }
  choose(what) {
    if (!what) return;
    this.view.chosen = what;
    const start = this.startOf(what), end = tandem.spanEnd(what.timeline, what.span);
    if (end < this.view.from || start > this.view.to) this.show(start - this.length() / 2, start + this.length() / 2);
    this.told.replaceChildren(...tandem.said(this.text(what)));
    this.draw();
  }
  step(by) {
    const {timeline, span} = this.view.chosen ?? {};
    if (!timeline) return this.changeRow(0);
    const row = timeline.rows[timeline.spans.row[span]];
    for (let place = row.spans.indexOf(span) + by; place >= 0 && place < row.spans.length; place += by) {
      if (this.isShown(timeline, row.spans[place])) return this.choose({timeline, span: row.spans[place]});
    }
  }
  // The shown span of another row that is nearest after where the chosen one begins, else the last before that.
  changeRow(by) {
    const {chosen, lines} = this.view, rows = lines.filter(line => line.row && line.row.spans.some(span => this.isShown(line.timeline, span)));
    if (rows.length === 0) return;
    const now = chosen ? rows.findIndex(line => line.timeline === chosen.timeline && line.row === chosen.timeline.rows[chosen.timeline.spans.row[chosen.span]]) : 0;
    const {timeline, row} = rows[Math.min(rows.length - 1, Math.max(0, now + by))], at = chosen ? this.startOf(chosen) : this.view.from;
    const place = tandem.firstAbove(row.end, at), is = span => this.isShown(timeline, span);
    this.choose({timeline, span: row.spans.slice(place).find(is) ?? row.spans.slice(0, place).findLast(is)});
  }
  // All spans of a request, or of a stream, or everything where it is empty.
  find(request) {
    this.request = "";
    const wanted = request.trim();
    for (const timeline of wanted === "" ? [] : this.timelines.filter(t => !this.hidden.policy.has(t.policy))) {
      for (let span = 0; span < timeline.count; ++span) {
        if (!tandem.isOf(timeline, span, wanted)) continue;
        this.request = wanted;
        const start = timeline.spans.start_ns[span], length = Math.max(timeline.spans.duration_ns[span] * 8, this.end * 1e-6);
        tandem.spanName(timeline, span) === wanted ? this.show(start - length / 2, start + length / 2) : this.show(0, this.end);
        return this.choose({timeline, span});
      }
    }
    this.told.textContent = wanted === "" ? "All requests are shown." : `No request and no stream is called ${wanted}.`;
    this.draw();
  }
};
// Is the span of the request "images #12", or of the stream "images"?
tandem.isOf = (timeline, span, name) => tandem.spanName(timeline, span) === name || timeline.streams[timeline.spans.stream[span]] === name;
