// The timeline: predicted above measured, rows of units, on one axis of time. It is drawn on a canvas, as there
// may be hundreds of thousands of spans; per frame no more is done than there are pixels. What is chosen is said
// in words below it, so that it can be read without seeing it.
"use strict";
tandem.rowHeight = 22;
tandem.headHeight = 20;
tandem.leftOf = 150;

tandem.part("Timeline", data => {
  const shown = data.timelines.filter(timeline => timeline.count > 0);
  const best = data.calibrations[0]?.winner.predicted ?? data.decisions[0]?.winner ?? data.explanations[0]?.run.label ?? tandem.ranked(data.reports)[0]?.label;
  return shown.length === 0 ? null : new tandem.Timeline(shown, best, data.explanations).element;
});

tandem.Timeline = class {
  // `best`: the policy that is shown at first.
  constructor(timelines, best, explanations) {
    this.timelines = timelines;
    this.explanations = explanations;
    this.from = 0;
    this.chosen = null;   // {timeline, span}
    this.hidden = {policy: new Set(), unit: new Set(), model: new Set()};
    const policies = timelines.map(timeline => timeline.policy);
    this.first = policies.includes(best) ? best : policies[0];
    this.hide("policy", policies, this.first);
    this.end = this.to = this.endOfShown();
    this.request = "";
    this.paths = timelines.map(() => null);
    this.showPath = false;
    this.build();
  }

  build() {
    const {el} = tandem;
    this.canvas = el("canvas", {tabindex: 0, role: "application", "aria-label":
      "timeline; arrows pan, plus and minus zoom, n and p go to the next and previous span of the row, page up and down change the row, 0 shows all"});
    this.told = el("p", {class: "told", "aria-live": "polite"}, "Nothing is chosen: click a span, or press n.");
    this.found = el("input", {type: "search", size: 18, placeholder: "images #12", onchange: () => this.find(this.found.value)});
    const names = key => [...new Set(this.timelines.flatMap(timeline => key(timeline)))];
    this.element = el("div", {class: "timeline-part"},
      el("fieldset", {}, el("legend", {}, "What is shown"),
        this.filter("policy", names(timeline => [timeline.policy]), this.first),
        this.filter("unit", names(timeline => timeline.rows.map(row => row.unit))),
        this.filter("model", names(timeline => timeline.models)),
        el("label", {}, "request ", this.found),
        el("label", {}, el("input", {type: "checkbox", onchange: event => this.setPath(event.target.checked)}), " critical path"),
        el("button", {type: "button", onclick: () => this.zoom(0.5)}, "zoom in"),
        el("button", {type: "button", onclick: () => this.zoom(2)}, "zoom out"),
        el("button", {type: "button", onclick: () => this.show(0, this.end)}, "show all")),
      el("div", {class: "timeline"}, this.canvas), this.told, this.legend(names(timeline => timeline.models)));
    this.models = names(timeline => timeline.models);
    this.modelOfSegment = new Map(this.timelines.map(timeline => [timeline, timeline.segments.map(([model]) => this.models.indexOf(model))]));
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement ?? this.canvas);
    tandem.onColours(() => { this.look = null; this.draw(); });
    this.listen();
  }

  // A list to choose one of, or all.
  filter(what, names, first = "") {
    if (names.length < 2) return null;
    const choose = event => {
      this.hide(what, names, event.target.value);
      if (what === "policy") this.end = this.endOfShown();
      what === "policy" ? this.show(0, this.end) : this.draw();
    };
    return tandem.el("label", {}, what + " ", tandem.el("select", {onchange: choose, "data-filter": what},
      tandem.el("option", {value: ""}, "all"), names.map(name => tandem.el("option", {value: name, selected: name === first}, name))));
  }
  endOfShown() { return Math.max(...this.timelines.filter(t => !this.hidden.policy.has(t.policy)).map(t => t.end_ns)); }
  hide(what, names, but) { this.hidden[what] = new Set(but === "" ? [] : names.filter(name => name !== but)); }

  legend(models) {
    return tandem.el("ul", {class: "legend", "aria-label": "colours"}, [
      ...models.map((model, i) => tandem.el("li", {}, tandem.el("span", {class: "swatch", style: `background:var(--c${i % tandem.colours})`}), " " + model)),
      tandem.el("li", {}, "hatched: a copy"), tandem.el("li", {}, "crossed: a load"), tandem.el("li", {}, "thick edge: critical path")]);
  }

  listen() {
    const {canvas} = this;
    let drag = null;
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / this.width());
      else this.zoom(Math.exp(event.deltaY / 400), this.timeAt(event.offsetX));
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      drag = {x: event.offsetX, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
      if (!drag) return this.hover(event);
      const by = event.offsetX - drag.x;
      if (!drag.moved && Math.abs(by) < 3) return;
      drag = {x: event.offsetX, moved: true};
      this.pan(-by / this.width());
    });
    canvas.addEventListener("pointerup", event => {
      if (drag && !drag.moved) this.choose(this.at(event.offsetX, event.offsetY));
      drag = null;
    });
    canvas.addEventListener("keydown", event => {
      const act = {ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
                   "-": () => this.zoom(2), 0: () => this.show(0, this.end), Home: () => this.show(0, this.end), n: () => this.step(1),
                   p: () => this.step(-1), PageDown: () => this.changeRow(1), PageUp: () => this.changeRow(-1)}[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  width() { return Math.max(50, this.canvas.clientWidth - tandem.leftOf - 4); }
  timeAt(x) { return this.from + (x - tandem.leftOf) / this.width() * (this.to - this.from); }
  xOf(time) { return tandem.leftOf + (time - this.from) / (this.to - this.from) * this.width(); }

  show(from, to) {
    const least = Math.max(10, this.end * 1e-9), length = Math.min(Math.max(to - from, least), this.end || 1);
    this.from = Math.min(Math.max(0, from), Math.max(0, this.end - length));
    this.to = this.from + length;
    this.draw();
  }
  pan(share) { const by = share * (this.to - this.from); this.show(this.from + by, this.to + by); }
  zoom(factor, about = this.chosenMiddle()) { this.show(about + (this.from - about) * factor, about + (this.to - about) * factor); }
  chosenMiddle() {
    const middle = this.chosen ? this.startOf(this.chosen) : (this.from + this.to) / 2;
    return middle >= this.from && middle <= this.to ? middle : (this.from + this.to) / 2;
  }
  startOf({timeline, span}) { return timeline.spans.start_ns[span]; }

  setPath(on) {
    this.showPath = on;
    if (on) this.timelines.forEach((timeline, i) => { this.paths[i] ??= tandem.explainedPath(timeline, this.explanations) ?? tandem.criticalPath(timeline); });
    this.draw();
  }

  // The rows as they stand below each other: heads of timelines and their units.
  lines() {
    return this.timelines.flatMap((timeline, i) => this.hidden.policy.has(timeline.policy) ? [] : [
      {head: timeline.name, height: tandem.headHeight},
      ...timeline.rows.filter(row => !this.hidden.unit.has(row.unit)).map(row => ({timeline, row, path: this.paths[i], height: tandem.rowHeight}))]);
  }
  isShown(timeline, span) {
    return !this.hidden.model.has(tandem.modelOf(timeline, span)) &&
      (this.request === "" || tandem.spanName(timeline, span) === this.request);
  }

  // One frame at the next chance, however often it is asked for.
  draw() {
    this.pending ??= requestAnimationFrame(() => { this.pending = null; this.drawNow(); });
  }
  drawNow() {
    const lines = this.lines(), ratio = devicePixelRatio || 1, axis = 24;
    const height = axis + lines.reduce((sum, line) => sum + line.height, 0), width = this.canvas.clientWidth;
    if (width === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = height + "px";
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.look ??= {front: tandem.colour("front"), soft: tandem.colour("soft"), line: tandem.colour("line"), mark: tandem.colour("mark"), back: tandem.colour("back"),
                 models: this.models.map((_, i) => tandem.colour("c" + i % tandem.colours))};
    context.font = "13px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.drawAxis(context, height);
    let y = axis;
    for (const line of lines) {
      line.head === undefined ? this.drawRow(context, line, y) : this.drawHead(context, line, y);
      y += line.height;
    }
  }
  drawAxis(context, height) {
    const unit = tandem.unitFor([this.to]), step = tandem.niceStep((this.to - this.from) / Math.max(2, this.width() / 110));
    context.fillStyle = this.look.soft;
    context.strokeStyle = this.look.line;
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = Math.round(this.xOf(at)) + 0.5;
      context.beginPath(); context.moveTo(x, 16); context.lineTo(x, height); context.stroke();
      context.fillText(`${+(at / unit[1]).toPrecision(8)} ${unit[0]}`, x + 3, 10);
    }
  }
  drawHead(context, line, y) {
    context.fillStyle = this.look.front;
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(line.head, 4, y + line.height / 2);
    context.font = "13px system-ui, sans-serif";
  }

  drawRow(context, {timeline, row, path}, y) {
    context.fillStyle = this.look.front;
    context.fillText(row.name, 12, y + tandem.rowHeight / 2, tandem.leftOf - 16);
    context.save();
    context.beginPath(); context.rect(tandem.leftOf, y, this.width(), tandem.rowHeight); context.clip();
    const perPixel = (this.to - this.from) / this.width();
    const thin = new tandem.ThinSpans(this.width(), devicePixelRatio || 1);
    let place = tandem.firstAbove(row.end, this.from);
    while (place < row.spans.length && row.start[place] < this.to) {
      const span = row.spans[place], x = this.xOf(row.start[place]), width = Math.max(1, (row.end[place] - row.start[place]) / perPixel);
      if (this.isShown(timeline, span)) {
        if (width < 4) thin.add(x - tandem.leftOf, width, path?.has(span) ? this.look.mark : this.colourOf(timeline, span));
        else this.drawSpan(context, timeline, span, x, y + 2, width, tandem.rowHeight - 4, path?.has(span));
      }
      // What ends before the next pixel begins is not seen behind this one.
      const next = row.end[place] - row.start[place] < perPixel ? tandem.firstAbove(row.end, row.start[place] + perPixel) : place + 1;
      place = Math.max(place + 1, next);
    }
    thin.draw(context, tandem.leftOf, y + 2, tandem.rowHeight - 4);
    context.restore();
  }
  colourOf(timeline, span) { return this.look.models[this.modelOfSegment.get(timeline)[timeline.spans.segment[span]]]; }
  drawSpan(context, timeline, span, x, y, width, height, onPath) {
    const kind = timeline.kinds[timeline.spans.kind[span]];
    context.fillStyle = this.colourOf(timeline, span);
    context.fillRect(x, y, width, height);
    if (kind === "transfer" || kind === "load") this.hatch(context, x, y, width, height, kind === "load");
    context.lineWidth = onPath ? 3 : 1;
    context.strokeStyle = onPath ? this.look.mark : this.look.back;
    context.strokeRect(x + context.lineWidth / 2, y + context.lineWidth / 2, width - context.lineWidth, height - context.lineWidth);
    context.lineWidth = 1;
    if (this.chosen && this.chosen.timeline === timeline && this.chosen.span === span) this.outline(context, x, y, width, height);
    if (width > 44) {
      const shown = Math.max(x, tandem.leftOf);
      context.fillStyle = "#000000";
      context.fillText(tandem.spanName(timeline, span), shown + 4, y + height / 2, Math.max(1, x + width - shown - 8));
    }
  }
  outline(context, x, y, width, height) {
    context.strokeStyle = this.look.mark;
    context.lineWidth = 2;
    context.setLineDash([4, 2]);
    context.strokeRect(x - 1, y - 1, Math.max(4, width + 2), height + 2);
    context.setLineDash([]);
    context.lineWidth = 1;
  }
  hatch(context, x, y, width, height, crossed) {
    context.save();
    context.beginPath(); context.rect(x, y, width, height); context.clip();
    context.strokeStyle = "#000000";
    const begin = Math.max(x, tandem.leftOf), end = Math.min(x + width, tandem.leftOf + this.width());
    for (let at = begin - height; at < end; at += 6) {
      context.beginPath(); context.moveTo(at, y + height); context.lineTo(at + height, y); context.stroke();
      if (!crossed) continue;
      context.beginPath(); context.moveTo(at, y); context.lineTo(at + height, y + height); context.stroke();
    }
    context.restore();
  }

  lineAt(y) {
    let top = 24;
    for (const line of this.lines()) {
      if (y >= top && y < top + line.height) return line;
      top += line.height;
    }
    return null;
  }
  at(x, y) {
    const line = this.lineAt(y);
    if (!line || !line.row || x < tandem.leftOf) return null;
    const time = this.timeAt(x), reach = 2 * (this.to - this.from) / this.width();
    for (let place = tandem.firstAbove(line.row.end, time - reach); place < line.row.spans.length && line.row.start[place] <= time + reach; ++place) {
      if (this.isShown(line.timeline, line.row.spans[place])) return {timeline: line.timeline, span: line.row.spans[place]};
    }
    return null;
  }
  hover(event) {
    const found = this.at(event.offsetX, event.offsetY);
    this.canvas.title = found ? this.text(found) : "";
    this.canvas.style.cursor = found ? "pointer" : "grab";
  }
  text({timeline, span}) {
    const {spans} = timeline, row = timeline.rows[spans.row[span]];
    const time = value => tandem.time(value, tandem.unitFor([this.end]));
    const waited = spans.start_ns[span] - spans.ready_ns[span];
    return `${timeline.name}: ${tandem.spanName(timeline, span)}, ${timeline.kinds[spans.kind[span]]} on ${row.name}\n` +
      `${tandem.modelOf(timeline, span)}, layers ${tandem.layersOf(timeline, span)}\n` +
      `${time(spans.start_ns[span])} to ${time(tandem.spanEnd(timeline, span))}, ${tandem.time(spans.duration_ns[span])}; ` +
      `released ${time(spans.release_ns[span])}, waited ${tandem.time(waited)}`;
  }
  choose(what) {
    if (!what) return;
    this.chosen = what;
    const start = this.startOf(what), end = tandem.spanEnd(what.timeline, what.span);
    if (end < this.from || start > this.to) this.show(start - (this.to - this.from) / 2, start + (this.to - this.from) / 2);
    this.told.textContent = this.text(what);
    this.draw();
  }
  step(by) {
    const {timeline, span} = this.chosen ?? {};
    if (!timeline) return this.changeRow(0);
    const row = timeline.rows[timeline.spans.row[span]];
    for (let place = row.spans.indexOf(span) + by; place >= 0 && place < row.spans.length; place += by) {
      if (this.isShown(timeline, row.spans[place])) return this.choose({timeline, span: row.spans[place]});
    }
  }
  // The span of another row that is nearest to where the chosen one begins.
  changeRow(by) {
    const rows = this.lines().filter(line => line.row && line.row.spans.length > 0);
    if (rows.length === 0) return;
    const now = this.chosen ? rows.findIndex(line => line.timeline === this.chosen.timeline && line.row === this.chosen.timeline.rows[this.chosen.timeline.spans.row[this.chosen.span]]) : 0;
    const line = rows[Math.min(rows.length - 1, Math.max(0, now + by))], at = this.chosen ? this.startOf(this.chosen) : this.from;
    const place = Math.min(line.row.spans.length - 1, tandem.firstAbove(line.row.end, at));
    this.choose({timeline: line.timeline, span: line.row.spans[place]});
  }
  // All spans of a request, or everything where it is empty.
  find(request) {
    this.request = "";
    const wanted = request.trim();
    for (const timeline of wanted === "" ? [] : this.timelines.filter(t => !this.hidden.policy.has(t.policy))) {
      for (let span = 0; span < timeline.count; ++span) {
        if (tandem.spanName(timeline, span) !== wanted) continue;
        this.request = wanted;
        const start = timeline.spans.start_ns[span], length = Math.max(timeline.spans.duration_ns[span] * 8, this.end * 1e-6);
        this.show(start - length / 2, start + length / 2);
        return this.choose({timeline, span});
      }
    }
    this.told.textContent = wanted === "" ? "All requests are shown." : `No request is called ${wanted}.`;
    this.draw();
  }
};

// Spans of a row that are narrower than four pixels: as one line of pixels, which costs the same however many they are.
tandem.ThinSpans = class {
  constructor(width, ratio) {
    this.ratio = ratio;
    this.count = Math.max(1, Math.round(width * ratio));
    this.pixels = null;
  }
  add(x, width, colour) {
    this.pixels ??= new Uint32Array(this.count);
    const begin = Math.max(0, Math.floor(x * this.ratio)), end = Math.min(this.count, Math.max(begin + 1, Math.round((x + width) * this.ratio)));
    this.pixels.fill(tandem.pixelOf(colour), begin, end);
  }
  draw(context, x, y, height) {
    if (!this.pixels) return;
    const line = tandem.ThinSpans.canvas ??= document.createElement("canvas");
    line.width = this.count;
    line.height = 1;
    line.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(this.pixels.buffer), this.count, 1), 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(line, x, y, this.count / this.ratio, height);
  }
};
// "#rrggbb" as a canvas keeps it in memory.
tandem.pixelOf = colour => {
  tandem.pixels ??= new Map();
  if (!tandem.pixels.has(colour)) {
    const part = at => parseInt(colour.slice(at, at + 2), 16);
    tandem.pixels.set(colour, (0xff000000 | part(5) << 16 | part(3) << 8 | part(1)) >>> 0);
  }
  return tandem.pixels.get(colour);
};

// The place of the first of these ascending values that is above `value`.
tandem.firstAbove = (values, value) => {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
};
// 1, 2 or 5 times a power of ten, at least `step`.
tandem.niceStep = step => {
  const power = 10 ** Math.floor(Math.log10(Math.max(step, 1)));
  return [1, 2, 5, 10].map(times => times * power).find(nice => nice >= step);
};
