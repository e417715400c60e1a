// How a timeline looks: where its spans stand on the canvas, and how they are drawn. Per frame no more is done
// than there are pixels, as there may be hundreds of thousands of spans.
"use strict";
tandem.rowHeight = 22;
tandem.headHeight = 20;
tandem.axisHeight = 24;
tandem.thin = 8;  // pixels: what is narrower is drawn with its neighbours
// Beside its colour each model has a pattern: the rows, of six that a span has, that are dark.
tandem.patternRows = 6;
tandem.patterns = [[], [0], [5], [0, 5], [1], [4], [0, 4], [1, 5]];
tandem.patternOf = model => tandem.patterns[model % tandem.patterns.length];

// What of which time stands where: `lines` are heads of timelines and rows of units, below each other.
tandem.TimelineView = class {
  constructor(canvas, models) {
    this.canvas = canvas;
    this.models = models;
    this.from = this.to = 0;
    this.lines = [];
    this.isShown = () => true;  // (timeline, span)
    this.chosen = null;         // {timeline, span}
  }

  left() { return Math.min(150, Math.max(70, Math.round(0.24 * this.canvas.clientWidth))); }
  width() { return Math.max(50, this.canvas.clientWidth - this.left() - 4); }
  timeAt(x) { return this.from + (x - this.left()) / this.width() * (this.to - this.from); }
  xOf(time) { return this.left() + (time - this.from) / (this.to - this.from) * this.width(); }
  lineAt(y) {
    let top = tandem.axisHeight;
    for (const line of this.lines) {
      if (y >= top && y < top + line.height) return line;
      top += line.height;
    }
    return null;
  }
  spanAt(x, y) {
    const line = this.lineAt(y);
    if (!line || !line.row || x < this.left()) return null;
    const time = this.timeAt(x), reach = 2 * (this.to - this.from) / this.width();
    for (let place = tandem.firstAbove(line.row.end, time - reach); place < line.row.spans.length && line.row.start[place] <= time + reach; ++place) {
      if (this.isShown(line.timeline, line.row.spans[place])) return {timeline: line.timeline, span: line.row.spans[place]};
    }
    return null;
  }

  forgetColours() { this.look = null; }
  draw() {
    const ratio = devicePixelRatio || 1;
    const height = tandem.axisHeight + this.lines.reduce((sum, line) => sum + line.height, 0), width = this.canvas.clientWidth;
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
    this.look.pixels ??= this.look.models.map((colour, i) => tandem.pixelsOf(colour, tandem.patternOf(i)));
    this.look.markPixels ??= tandem.pixelsOf(this.look.mark, []);
    context.font = "13px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.drawAxis(context, height);
    let y = tandem.axisHeight;
    for (const line of this.lines) {
      line.head === undefined ? this.drawRow(context, line, y) : this.drawHead(context, line, y);
      y += line.height;
    }
  }
  drawAxis(context, height) {
    const unit = tandem.unitFor([this.to]), step = tandem.niceStep((this.to - this.from) / Math.max(2, this.width() / 110));
    context.fillStyle = this.look.soft;
    context.strokeStyle = this.look.line;
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = Math.round(this.xOf(at)) + 0.5, text = `${+(at / unit[1]).toPrecision(8)} ${unit[0]}`;
      context.beginPath(); context.moveTo(x, 16); context.lineTo(x, height); context.stroke();
      if (x + 3 + context.measureText(text).width <= this.canvas.clientWidth) context.fillText(text, x + 3, 10);
    }
  }
  drawHead(context, line, y) {
    context.fillStyle = this.look.front;
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(line.head, 4, y + line.height / 2);
    context.font = "13px system-ui, sans-serif";
  }

  drawRow(context, {timeline, row, path}, y) {
    const left = this.left(), height = tandem.rowHeight - 4;
    context.fillStyle = this.look.front;
    context.fillText(row.name, 12, y + tandem.rowHeight / 2, left - 16);
    context.save();
    context.beginPath(); context.rect(left, y, this.width(), tandem.rowHeight); context.clip();
    const perPixel = (this.to - this.from) / this.width();
    const thin = new tandem.ThinSpans(this.width(), devicePixelRatio || 1);
    let place = tandem.firstAbove(row.end, this.from);
    while (place < row.spans.length && row.start[place] < this.to) {
      const span = row.spans[place], x = this.xOf(row.start[place]), width = Math.max(1, (row.end[place] - row.start[place]) / perPixel);
      if (this.isShown(timeline, span)) {
        const model = timeline.modelOfSegment[timeline.spans.segment[span]];
        if (width >= tandem.thin) this.drawSpan(context, timeline, span, model, x, y + 2, width, height, path?.has(span));
        else thin.add(x - left, width, path?.has(span) ? this.look.markPixels : this.look.pixels[model]);
      }
      // What ends before the next pixel begins is not seen behind this one.
      const next = row.end[place] - row.start[place] < perPixel ? tandem.firstAbove(row.end, row.start[place] + perPixel) : place + 1;
      place = Math.max(place + 1, next);
    }
    thin.draw(context, left, y + 2, height);
    context.restore();
  }
  drawSpan(context, timeline, span, model, x, y, width, height, onPath) {
    const kind = timeline.kinds[timeline.spans.kind[span]], left = this.left();
    context.fillStyle = this.look.models[model];
    context.fillRect(x, y, width - 1, height);  // a gap before the next
    context.fillStyle = tandem.dark;
    for (const row of tandem.patternOf(model)) context.fillRect(x, y + row * height / tandem.patternRows, width - 1, height / tandem.patternRows);
    if (kind !== "compute") this.hatch(context, x, y, width, height, kind !== "transfer");
    if (kind === "lost") this.hatch(context, x, y, width, height, false);
    if (onPath) {
      context.lineWidth = 3;
      context.strokeStyle = this.look.mark;
      context.strokeRect(x + 1.5, y + 1.5, width - 4, height - 3);
      context.lineWidth = 1;
    }
    if (this.chosen && this.chosen.timeline === timeline && this.chosen.span === span) this.outline(context, x, y, width, height);
    if (width > 44) this.drawName(context, tandem.spanName(timeline, span), Math.max(x, left), x + width, y + height / 2);
  }
  // Where it fits, a little narrower if need be.
  drawName(context, name, begin, end, y) {
    const usual = 7 * name.length, room = Math.min(end, this.canvas.clientWidth) - begin - 8;
    if (room < 0.75 * usual) return;
    context.fillStyle = "#000000";
    context.fillText(name, begin + 4, y, room);
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
    const left = this.left();
    context.save();
    context.beginPath(); context.rect(x, y, width, height); context.clip();
    context.strokeStyle = "#000000";
    const begin = Math.max(x, left), end = Math.min(x + width, left + this.width());
    for (let at = begin - height; at < end; at += 6) {
      context.beginPath(); context.moveTo(at, y + height); context.lineTo(at + height, y); context.stroke();
      if (!crossed) continue;
      context.beginPath(); context.moveTo(at, y); context.lineTo(at + height, y + height); context.stroke();
    }
    context.restore();
  }
};

// Spans of a row that are narrower than eight pixels: as a few lines of pixels, which cost the same however many they are.
tandem.ThinSpans = class {
  constructor(width, ratio) {
    this.ratio = ratio;
    this.count = Math.max(1, Math.round(width * ratio));
    this.pixels = null;
  }
  // `colours`: of each line of pixels.
  add(x, width, colours) {
    this.pixels ??= new Uint32Array(this.count * tandem.patternRows);
    const begin = Math.max(0, Math.floor(x * this.ratio)), end = Math.min(this.count, Math.max(begin + 1, Math.round((x + width) * this.ratio)));
    const filled = end - begin > 3 ? end - 1 : end;  // a gap before the next
    for (let row = 0, line = 0; row < tandem.patternRows; ++row, line += this.count) {
      for (let at = line + begin; at < line + filled; ++at) this.pixels[at] = colours[row];
    }
  }
  draw(context, x, y, height) {
    if (!this.pixels) return;
    const line = tandem.ThinSpans.canvas ??= document.createElement("canvas");
    line.width = this.count;
    line.height = tandem.patternRows;
    line.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(this.pixels.buffer), this.count, tandem.patternRows), 0, 0);
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

tandem.darkShare = 0.55;
tandem.dark = `rgba(0, 0, 0, ${tandem.darkShare})`;  // above the colour, so that it is as dark as this pixel:
tandem.pixelsOf = (colour, dark) => Uint32Array.from({length: tandem.patternRows}, (_, row) => dark.includes(row) ? tandem.darkerPixelOf(colour) : tandem.pixelOf(colour));
tandem.darkerPixelOf = colour => {
  const pixel = tandem.pixelOf(colour), part = shift => Math.round((pixel >>> shift & 255) * (1 - tandem.darkShare)) << shift;
  return (0xff000000 | part(16) | part(8) | part(0)) >>> 0;
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
