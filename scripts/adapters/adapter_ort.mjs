#!/usr/bin/env node
// Makes ONNX Runtime, by the npm package onnxruntime-node, a unit of tandem's backend "command": it speaks the protocol
// of docs/command_protocol.md. Sessions are those that `tandem plan --emit onnxruntime` writes: one thread on each core,
// spinning off, all graph optimisations. A platform names it so:
//   {"name": "ort0", "kind": "cpu", "memory": "dram", "backend": "command", "cores": [0],
//    "command": ["node", "scripts/adapters/adapter_ort.mjs", "--models", "models", "--cores", "0"]}
// Models are ONNX files, or names NAME for which --models has NAME.onnx (NAME_bN.onnx for a batch of N);
// `tandem models export NAME` writes it. Inputs are random, the same for the same seed.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const SCRIPT = fileURLToPath(import.meta.url);
const PACKAGE = 'onnxruntime-node';
const USAGE = `usage: node adapter_ort.mjs [--models DIR] [--cores 0,1] [--threads N] [--seed N] [--onnxruntime DIR]
  --models DIR       where NAME.onnx is
  --cores 0,1        a thread on each of these cores; without, ONNX Runtime takes what it likes
  --threads N        so many threads, instead of one for each core
  --seed N           of the inputs (1)
  --onnxruntime DIR  where ${PACKAGE} lies; else $TANDEM_ONNXRUNTIME, else as node finds it`;

class Trouble extends Error {}

function loadRuntime(folder) {
  const home = folder || process.env.TANDEM_ONNXRUNTIME;
  const places = home ? [home, path.join(home, PACKAGE), path.join(home, 'node_modules', PACKAGE)].map((p) => path.resolve(p)) : [PACKAGE];
  for (const place of places) {
    if (home && (!fs.existsSync(path.join(place, 'package.json')) || path.basename(fs.realpathSync(place)) !== PACKAGE)) continue;
    for (const from of [SCRIPT, path.join(process.cwd(), 'x.js')]) {
      try {
        return createRequire(from)(place);
      } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') throw error;
      }
    }
  }
  throw new Trouble(`${PACKAGE} is not ${home ? 'in ' + home : 'to be found'}: npm install ${PACKAGE} fetches it, --onnxruntime DIR says where it is`);
}

// In [-1, 1), the same everywhere.
function randomFloats(count, seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return Float32Array.from({length: count}, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 31 - 1;
  });
}

class Adapter {
  constructor(options) {
    this.options = options;
    this.models = new Map();
    // The thread that calls is the first of ONNX Runtime's: the process stays on the first core.
    if (options.cores.length > 0) {
      execFileSync('taskset', ['-a', '-p', '-c', String(options.cores[0]), String(process.pid)], {stdio: ['ignore', 'ignore', 'pipe']});
    }
    this.ort = loadRuntime(options.onnxruntime);
  }

  greeting() {
    return `tandem-unit/1 adapter_ort 1 onnxruntime=${this.ort.env?.versions?.node ?? 'unknown'} node=${process.versions.node}`;
  }

  fileOf(model, batch) {
    if (model.includes('/') || model.endsWith('.onnx')) {
      if (!model.endsWith('.onnx')) throw new Trouble(`${model} is no ONNX file`);
      return model;
    }
    if (!this.options.models) throw new Trouble(`where is ${model}.onnx? --models DIR says it`);
    const names = batch > 1 ? [`${model}_b${batch}`, model] : [model];
    const found = names.map((name) => path.join(this.options.models, `${name}.onnx`)).find((file) => fs.existsSync(file));
    if (found) return found;
    const file = path.join(this.options.models, `${names[0]}.onnx`);
    throw new Trouble(`${file}: no such file; \`tandem models export ${model}${batch > 1 ? ' --batch ' + batch : ''} -o ${file}\` writes one`);
  }

  sessionOptions() {
    const {cores, threads} = this.options;
    const options = {
      executionProviders: ['cpu'], graphOptimizationLevel: 'all', executionMode: 'sequential', logSeverityLevel: 3,
      extra: {'session.intra_op.allow_spinning': '0', 'session.inter_op.allow_spinning': '0'},
    };
    if (threads > 0) Object.assign(options, {intraOpNumThreads: threads, interOpNumThreads: 1});
    // ONNX Runtime counts processors from 1 and wants a place for each thread but the first.
    if (cores.length > 1 && cores.length === threads) {
      options.extra['session.intra_op_thread_affinities'] = cores.slice(1).map((core) => core + 1).join(';');
    }
    return options;
  }

  async load(handle, batch, model) {
    const session = await this.ort.InferenceSession.create(this.fileOf(model, Number(batch)), this.sessionOptions());
    const feeds = {};
    for (const input of session.inputMetadata) {
      if (input.type !== 'float32') throw new Trouble(`input ${input.name} is no float32 tensor`);
      const shape = input.shape.map((extent, axis) => typeof extent === 'string' && axis === 0 ? Number(batch) : extent);
      if (shape.some((extent) => !(extent > 0))) throw new Trouble(`input ${input.name} has no fixed shape`);
      if (shape[0] !== Number(batch)) throw new Trouble(`the file has batch ${shape[0]}, asked for is ${batch}`);
      const size = shape.reduce((product, extent) => product * extent, 1);
      feeds[input.name] = new this.ort.Tensor('float32', randomFloats(size, this.options.seed), shape);
    }
    await session.run(feeds);  // the first run makes what later ones find ready
    this.models.set(handle, {session, feeds});
  }

  async run(handle, count) {
    const model = this.models.get(handle);
    if (!model) throw new Trouble(`no model is loaded as ${handle}`);
    let outputs;
    for (let i = 0; i < Number(count); ++i) outputs = await model.session.run(model.feeds);
    const hash = createHash('sha256');
    for (const name of model.session.outputNames) {
      const {buffer, byteOffset, byteLength} = outputs[name].data;
      hash.update(Buffer.from(buffer, byteOffset, byteLength));
    }
    return hash.digest('hex');
  }

  async unload(handle) {
    await this.models.get(handle)?.session.release?.();
    this.models.delete(handle);
  }

  async answer(line) {
    const [request, ...words] = line.split(' ');
    if (!['load', 'run', 'unload'].includes(request)) throw new Trouble(`unknown request ${request}`);
    const given = request === 'load' ? [words[0], words[1], words.slice(2).join(' ')] : words;
    const begin = process.hrtime.bigint();
    const hash = await this[request](...given);
    return `ok ${process.hrtime.bigint() - begin}${hash ? ' ' + hash : ''}`;
  }
}

function readOptions() {
  const text = (fallback) => ({type: 'string', default: fallback});
  const {values} = parseArgs({options: {
    models: {type: 'string'}, cores: text(''), threads: text('0'), seed: text('1'), onnxruntime: {type: 'string'}, help: {type: 'boolean', short: 'h'},
  }});
  const whole = (name, word) => {
    if (/^[0-9]{1,9}$/.test(word)) return Number(word);
    throw new Trouble(`--${name}: expected a whole number, found "${word}"`);
  };
  const cores = values.cores === '' ? [] : values.cores.split(',').map((word) => whole('cores', word));
  return {...values, cores, threads: whole('threads', values.threads) || cores.length, seed: whole('seed', values.seed)};
}

const sentence = (error) => `error ${(error.stderr?.toString() || error.message).split(/\s+/).filter(Boolean).join(' ')}`;
const say = (line) => fs.writeSync(1, line + '\n');

function serve(options) {
  const adapter = new Adapter(options);
  say(adapter.greeting());
  let before = Promise.resolve();  // one request at a time
  readline.createInterface({input: process.stdin}).on('line', (line) => {
    if (line === 'quit') before = before.then(() => process.exit(0));
    else before = before.then(() => adapter.answer(line)).then(say, (error) => say(sentence(error)));
  }).on('close', () => before.then(() => process.exit(0)));
}

try {
  process.env.UV_THREADPOOL_SIZE = '1';  // the thread that calls ONNX Runtime
  const options = readOptions();
  if (options.help) console.log(USAGE);
  else serve(options);
} catch (error) {
  say(sentence(error));
  process.exitCode = 1;
}
