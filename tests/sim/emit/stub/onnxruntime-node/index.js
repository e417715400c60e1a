// Stands in for onnxruntime-node where that cannot be had: of its interface what run.mjs and adapter_ort.mjs use. A layer
// makes the same numbers always, which depend on its name alone, and whoever reads it is held to that: so tensors that
// come to a wrong place are found out. STUB_FAILS names a file that cannot be run.
'use strict';
const fs = require('fs');
const path = require('path');

const kValues = 4;

class Tensor {
  constructor(type, data, dims) {
    if (type !== 'float32' || data.length !== dims.reduce((product, extent) => product * extent, 1)) {
      throw new Error(`a tensor of ${data.length} numbers has the shape ${dims}`);
    }
    Object.assign(this, {type, data, dims});
  }
}

const numbersOf = (layer) => Float32Array.from(
    {length: kValues}, (_, i) => [...layer].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65521, i + 1));

// What the sessions beside the models say of a file.
function descriptionOf(file) {
  const folder = path.join(path.dirname(file), '..', 'sessions');
  for (const name of fs.readdirSync(folder)) {
    const session = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
    for (const segment of session.segments) {
      if (segment.file && path.basename(segment.file) === path.basename(file)) return {...segment, whole: session.inputs};
    }
  }
  throw new Error(`${file}: no session has it`);
}

class InferenceSession {
  static async create(file, options) {
    if (!fs.existsSync(file)) throw new Error(`Load model from ${file} failed`);
    for (const value of Object.values(options.extra)) {
      if (typeof value !== 'string') throw new Error('sessionOptions.extra value must be a string');
    }
    const session = new InferenceSession();
    session.file = file;
    session.about = descriptionOf(file);
    session.inputNames = session.about.inputs;
    session.outputNames = session.about.outputs.map((layer) => `${layer}/node`);
    session.inputMetadata = session.inputNames.map(
        (name) => ({name, isTensor: true, type: 'float32', shape: session.about.whole[name] ?? [1, kValues]}));
    return session;
  }

  async run(feeds) {
    if (process.env.STUB_FAILS && this.file.endsWith(process.env.STUB_FAILS)) throw new Error('a kernel failed');
    for (const name of this.inputNames) {
      if (!(feeds[name] instanceof Tensor)) throw new Error(`input ${name} is missing`);
      if (name in this.about.whole || feeds[name].data.every((value) => value === 0)) continue;  // the warm-up's
      if (feeds[name].data.join() !== numbersOf(name).join()) throw new Error(`input ${name} is another's`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    return Object.fromEntries(this.about.outputs.map(
        (layer, i) => [this.outputNames[i], new Tensor('float32', numbersOf(layer), [1, kValues])]));
  }

  async release() {}
}

module.exports = {InferenceSession, Tensor, env: {versions: {common: '0.0.0-stub', node: '0.0.0-stub'}}};
