#!/usr/bin/env node
// Runs the plan that lies beside this file with ONNX Runtime (npm package onnxruntime-node), one process per slot
// of a unit, and prints what it measured as JSON: docs/emit.md of tandem says what the files mean.
import {execFileSync, fork} from 'node:child_process';
import {createHash} from 'node:crypto';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';

const SCRIPT = fileURLToPath(import.meta.url);
const FOLDER = path.dirname(SCRIPT);
const PACKAGE = 'onnxruntime-node';
const WARM_UP_RUNS = 2;
const SPIN_NS = 1.5e6;  // timers of node come a millisecond late: the rest is waited for awake
const USAGE = `usage: node run.mjs [--repeat N] [--inputs DIR] [--outputs DIR] [--seed N] [--no-pin] [--onnxruntime DIR] [--allow-commands]
  --repeat N         run the plan so many times, and tell of the median (1)
  --inputs DIR       DIR/SESSION.raw holds the inputs of a session in order, as little-endian float32; else random
  --seed N           of random inputs (1)
  --outputs DIR      write DIR/STREAM.raw, the outputs of the first request of each stream, in the same way
  --no-pin           leave all threads to the system
  --onnxruntime DIR  where ${PACKAGE} lies; else $TANDEM_ONNXRUNTIME, else as node finds it
  --allow-commands   start the programs of the plan's units, where a stage is one`;

class Trouble extends Error {}

const readJson = (name) => JSON.parse(fs.readFileSync(path.join(FOLDER, name), 'utf8'));

function loadRuntime(folder) {
  const home = folder || process.env.TANDEM_ONNXRUNTIME;
  const near = home ? path.resolve(home) : FOLDER;
  const places = home ? [near, path.join(near, PACKAGE), path.join(near, 'node_modules', PACKAGE)] : [PACKAGE];
  for (const place of places) {
    if (home && !fs.existsSync(path.join(place, 'package.json'))) continue;
    if (home && path.basename(fs.realpathSync(place)) !== PACKAGE) continue;
    for (const from of [SCRIPT, path.join(process.cwd(), 'x.js')]) {
      try {
        return createRequire(from)(place);
      } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') throw error;
      }
    }
  }
  throw new Trouble(`${PACKAGE} is not ${home ? 'in ' + near : 'to be found'}; npm install ${PACKAGE} fetches it, ` +
                    '--onnxruntime DIR says where it is');
}

// Whole numbers of 32 bits, the same everywhere.
function* randomBits(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

const sizeOf = (shape) => shape.reduce((product, extent) => product * extent, 1);

// The inputs of a session by name: the same for every request.
function inputsOf(name, session, options) {
  const sizes = Object.values(session.inputs).map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let values;
  if (options.inputs) {
    const bytes = fs.readFileSync(path.join(options.inputs, `${name}.raw`));
    values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    if (values.length !== total) {
      throw new Trouble(`${name}.raw holds ${values.length} numbers, the model takes ${total}`);
    }
  } else {
    const bits = randomBits(options.seed);
    values = Float32Array.from({length: total}, () => bits.next().value / 2 ** 31 - 1);
  }
  let at = 0;
  return Object.fromEntries(Object.keys(session.inputs).map(
      (input, i) => [input, values.subarray(at, at += sizes[i])]));
}

// ---- a slot of a unit: a process of its own ------------------------------------------------------------------

// The caller's thread is the first of ONNX Runtime's: the process stays on the unit's first core, the other threads
// have the others by a session option.
function pin(core) {
  execFileSync('taskset', ['-a', '-p', '-c', String(core), String(process.pid)], {stdio: ['ignore', 'ignore', 'pipe']});
}

// How many threads may run where.
function threadsOf() {
  const counts = {};
  for (const task of fs.existsSync('/proc/self/task') ? fs.readdirSync('/proc/self/task') : []) {
    const status = fs.readFileSync(`/proc/self/task/${task}/status`, 'utf8');
    const cores = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)[1];
    counts[cores] = (counts[cores] || 0) + 1;
  }
  return Object.entries(counts).map(([cores, threads]) => ({cores, threads}));
}

class Slot {
  constructor(unitName, options) {
    this.options = options;
    this.plan = readJson('run.json');
    this.unit = this.plan.units.find((unit) => unit.name === unitName);
    this.segments = new Map();  // by "session/segment"
    this.kept = new Map();      // by request: what this process made and reads again
  }

  async open() {
    if (this.options.pin && this.unit.cores.length > 0) pin(this.unit.cores[0]);
    const sessionOf = Object.fromEntries(this.plan.streams.map((stream) => [stream.name, stream.session]));
    for (const [stream, segment] of this.unit.order) {
      const name = sessionOf[stream];
      if (!this.segments.has(`${name}/${segment}`)) await this.openSegment(name, segment);
    }
    return {type: 'open', version: this.ort?.env?.versions?.node ?? null};
  }

  async openSegment(name, segment) {
    const session = readJson(`sessions/${name}.json`);
    const description = session.segments[segment];
    if (description.stage) return this.openStage(name, segment, description, session);
    this.ort ??= loadRuntime(this.options.onnxruntime);
    const options = structuredClone(description.options[this.unit.name]);
    if (options.executionProviders.length === 0) {
      throw new Trouble(`sessions/${name}.json has no execution provider for it; ` +
                        'put yours into executionProviders');
    }
    if (!this.options.pin) delete options.extra['session.intra_op_thread_affinities'];
    const opened = {...description, shapes: session.inputs, inputsOfModel: inputsOf(name, session, this.options)};
    opened.session = await this.ort.InferenceSession.create(path.join(FOLDER, description.file),
                                                            {...options, logSeverityLevel: 3});
    this.segments.set(`${name}/${segment}`, opened);
    const blank = opened.session.inputMetadata.map((input) => [input.name, new Float32Array(sizeOf(input.shape))]);
    for (let i = 0; i < WARM_UP_RUNS; ++i) await this.compute(opened, {...Object.fromEntries(blank), ...opened.inputsOfModel});
  }

  // What only a program of its own can look into: a file that the plan's owner has filled in.
  async openStage(name, segment, description, session) {
    const stage = await import(pathToFileURL(path.join(FOLDER, description.stage)));
    const told = (error) => { throw new Trouble(`${description.stage}: ${error.message}`); };
    await Promise.resolve(stage.open?.({unit: this.unit.name, cores: this.unit.cores, allowCommands: this.options['allow-commands']})).catch(told);
    const run = async (inputs) => checkedStage(description, await stage.run(inputs));
    const opened = {...description, run: (inputs) => run(inputs).catch(told), inputsOfModel: inputsOf(name, session, this.options)};
    this.segments.set(`${name}/${segment}`, opened);
  }

  async compute(segment, values) {
    if (segment.stage) return segment.run(Object.fromEntries(segment.inputs.map((layer) => [layer, values[layer]])));
    const feeds = {};
    for (const input of segment.session.inputMetadata) {
      feeds[input.name] = new this.ort.Tensor('float32', values[input.name], input.shape);
    }
    const results = await segment.session.run(feeds);
    // Outputs by the layers that make them: their names in the file may be those of nodes behind them.
    return Object.fromEntries(segment.outputs.map((layer, i) => [layer, results[segment.session.outputNames[i]].data]));
  }

  async run({session, segment, request, values, keep, send, leaves, last}) {
    const begin = process.hrtime.bigint();
    const opened = this.segments.get(`${session}/${segment}`);
    const made = await this.compute(opened, {...opened.inputsOfModel, ...this.kept.get(request), ...values});
    const ns = Number(process.hrtime.bigint() - begin);
    const pick = (layers) => Object.fromEntries(layers.map((layer) => [layer, made[layer]]));
    const hashes = Object.fromEntries(leaves.map((layer) => [layer, hashOf(made[layer])]));
    if (last) this.kept.delete(request);
    else if (keep.length > 0) this.kept.set(request, {...this.kept.get(request), ...pick(keep)});
    return {type: 'ran', ns, hashes, sent: pick(send)};
  }

  async answer(message) {
    if (message.type === 'open') return this.open();
    if (message.type === 'run') return this.run(message);
    return {type: 'threads', threads: threadsOf()};
  }
}

function checkedStage({outputs, sizes}, made) {
  for (const layer of outputs) {
    const values = made?.[layer];
    if (values instanceof Float32Array && values.length === sizes[layer]) continue;
    const found = values instanceof Float32Array ? `${values.length} numbers` : 'no Float32Array';
    throw new Error(`of "${layer}" it returns ${found}; ${sizes[layer]} numbers are expected`);
  }
  return made;
}

const hashOf = (values) =>
    createHash('sha256').update(Buffer.from(values.buffer, values.byteOffset, values.byteLength)).digest('hex');

function serveSlot(unit, options) {
  const slot = new Slot(unit, options);
  process.on('message', async (message) => {
    try {
      process.send(await slot.answer(message));
    } catch (error) {
      process.send({type: 'trouble', text: `unit ${unit}: ${error.stderr?.toString().trim() || error.message}`});
    }
  });
  process.on('disconnect', () => process.exit(0));
}

// ---- the plan: who is ready, who runs what next --------------------------------------------------------------

// The least number first.
class Heap {
  items = [];
  get top() { return this.items[0]; }
  push(item) {
    let at = this.items.push(item) - 1;
    for (let up; at > 0 && this.items[up = (at - 1) >> 1] > item; at = up) this.items[at] = this.items[up];
    this.items[at] = item;
  }
  pop() {
    const [top] = this.items, item = this.items.pop();
    if (this.items.length === 0) return top;
    let at = 0;
    for (let down; (down = 2 * at + 1) < this.items.length; at = down) {
      if (down + 1 < this.items.length && this.items[down + 1] < this.items[down]) ++down;
      if (this.items[down] >= item) break;
      this.items[at] = this.items[down];
    }
    this.items[at] = item;
    return top;
  }
}

class Process {
  constructor(unit, options) {
    this.unit = unit;
    this.child = fork(SCRIPT, ['--worker', JSON.stringify({unit: unit.name, options})], {
      serialization: 'advanced',
      stdio: ['ignore', 2, 2, 'ipc'],
      env: {...process.env, UV_THREADPOOL_SIZE: '1'},  // the thread that calls ONNX Runtime
    });
    this.child.on('message', (message) => this.settle(message));
    this.child.on('exit', (code, signal) => this.settle({type: 'trouble', text: `unit ${unit.name}: its process ended (${signal || code})`}));
  }
  ask(message) {
    return new Promise((resolve, reject) => {
      this.pending = {resolve, reject};
      this.child.send(message);
    });
  }
  settle(message) {
    const pending = this.pending;
    this.pending = undefined;
    if (message.type === 'trouble') pending?.reject(new Trouble(message.text));
    else pending?.resolve(message);
  }
  end() {
    this.child.removeAllListeners('exit');
    this.child.kill();
  }
}

class Run {
  constructor(plan, sessions, processes) {
    this.plan = plan;
    this.sessions = sessions;
    this.streams = new Map(plan.streams.map((stream) => [stream.name, {...stream, requests: new Map(), dependents: []}]));
    for (const stream of this.streams.values()) {
      if (stream.arrival.type !== 'after') continue;
      for (const before of [stream.arrival.stream, ...stream.arrival.joins ?? []]) this.streams.get(before).dependents.push(stream);
    }
    this.left = 0;
    this.units = plan.units.map((unit) => ({
      ...unit, ready: new Heap(), head: 0, busy_ns: 0, done: 0,
      idle: processes.filter((process) => process.unit.name === unit.name), tasks: [],
    }));
    for (const unit of this.units) this.expand(unit);
    for (const stream of this.streams.values()) this.link(stream);
    for (const stream of this.streams.values()) this.countWaits(stream);
  }

  expand(unit) {
    for (const [name, segment, first, count] of unit.order) {
      const stream = this.streams.get(name);
      for (let index = first; index < first + count; ++index) {
        if (!stream.requests.has(index)) {
          stream.requests.set(index, {stream, index, tasks: new Map(), left: 0, values: {}, hashes: {}, outputs: {}, waiting: []});
          ++this.left;
        }
        const request = stream.requests.get(index);
        request.tasks.set(segment, {request, segment, unit, place: unit.tasks.length, blockers: 1});
        unit.tasks.push(request.tasks.get(segment));
        ++request.left;
      }
    }
  }

  // Those of its index that there are, of the streams that it follows.
  countWaits(stream) {
    for (const {requests} of stream.dependents) {
      for (const index of stream.requests.keys()) if (requests.has(index)) requests.get(index).waits = (requests.get(index).waits ?? 0) + 1;
    }
  }

  // Who makes what a task reads; a task waits for its request's release and for those.
  link(stream) {
    const {segments, inputs, outputs} = this.sessions[stream.session];
    stream.leaves = new Set(outputs);
    for (const request of stream.requests.values()) {
      const maker = new Map();
      for (const [segment, task] of request.tasks) {
        for (const layer of segments[segment].outputs) if (!maker.has(layer)) maker.set(layer, task);
      }
      for (const [segment, task] of request.tasks) {
        task.feeds ??= [];
        task.reads = segments[segment].inputs.filter((layer) => !(layer in inputs));
        for (const by of new Set(task.reads.map((layer) => maker.get(layer)))) {
          if (!by) throw new Trouble(`stream ${stream.name}: nothing makes what part ${segment} reads`);
          ++task.blockers;
          (by.feeds ??= []).push(task);
        }
      }
    }
  }

  now() { return Number(process.hrtime.bigint() - this.zero); }

  // Resolves when all requests have ended.
  run() {
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
      const due = [];
      this.zero = process.hrtime.bigint();
      for (const stream of this.streams.values()) {
        const {type, release_ns: at} = stream.arrival;
        for (const request of stream.requests.values()) {
          if (type === 'offline') this.release(request, 0);
          if (type === 'at') due.push([at[request.index], request]);
        }
        if (type === 'closed') for (let i = 0; i < stream.arrival.in_flight; ++i) this.nextQuery(stream, 0);
      }
      due.sort((a, b) => a[0] - b[0]);
      this.releaseDue(due, 0);
      this.dispatch();
      if (this.left === 0) resolve();
    });
  }

  releaseDue(due, next) {
    for (; next < due.length && due[next][0] <= this.now(); ++next) this.release(due[next][1], due[next][0]);
    this.dispatch();
    if (next === due.length || this.left === 0) return;
    const wait = due[next][0] - this.now() - SPIN_NS;
    const again = () => this.releaseDue(due, next);
    wait > 0 ? setTimeout(again, wait / 1e6) : setImmediate(again);
  }

  nextQuery(stream, at) {
    const per = stream.arrival.per_query, query = stream.next_query ?? 0;
    stream.next_query = query + 1;
    for (let index = query * per; index < (query + 1) * per; ++index) {
      const request = stream.requests.get(index);
      if (request) this.release(request, at);
    }
  }

  release(request, at) {
    request.release = at;
    for (const task of request.tasks.values()) this.unblock(task);
  }

  unblock(task) {
    if (--task.blockers === 0) task.unit.ready.push(task.place);
  }

  dispatch() {
    for (const unit of this.units) {
      while (unit.idle.length > 0 && unit.ready.top !== undefined) {
        if (unit.takes === 'next' && unit.ready.top !== unit.head) break;
        ++unit.head;
        this.start(unit, unit.tasks[unit.ready.pop()], unit.idle.pop());
      }
    }
  }

  async start(unit, task, process) {
    const {request, segment} = task, {stream} = request;
    const stays = (reader) => reader.unit === unit && unit.slots === 1;
    const outputs = this.sessions[stream.session].segments[segment].outputs;
    const readBy = (layer, which) => task.feeds.some((reader) => reader.reads.includes(layer) && which(reader));
    const leaves = outputs.filter((layer) => stream.leaves.has(layer));
    try {
      const answer = await process.ask({
        type: 'run', session: stream.session, segment, request: `${stream.name}/${request.index}`, leaves,
        values: Object.fromEntries(task.reads.filter((layer) => layer in request.values).map((layer) => [layer, request.values[layer]])),
        keep: outputs.filter((layer) => readBy(layer, stays)),
        send: outputs.filter((layer) => readBy(layer, (reader) => !stays(reader)) || (stream.wanted === request.index && leaves.includes(layer))),
        last: ![...request.tasks.values()].some((other) => other !== task && other.unit === unit && !other.done),
      });
      unit.idle.push(process);
      this.end(unit, task, answer);
    } catch (error) {
      this.fail(error);
    }
  }

  end(unit, task, {ns, hashes, sent}) {
    const {request} = task;
    task.done = true;
    unit.busy_ns += ns;
    ++unit.done;
    Object.assign(request.hashes, hashes);
    Object.assign(request.values, sent);
    for (const reader of task.feeds) this.unblock(reader);
    if (--request.left === 0) this.endRequest(request);
    this.dispatch();
    if (this.left === 0) this.finish();
  }

  endRequest(request) {
    const {stream} = request;
    request.end = this.now();
    if (stream.wanted === request.index) stream.outputs = request.values;
    request.values = {};
    --this.left;
    for (const dependent of stream.dependents) {
      const next = dependent.requests.get(request.index);
      if (next && --next.waits === 0) this.release(next, request.end);
    }
    if (stream.arrival.type !== 'closed') return;
    const query = Math.floor(request.index / stream.arrival.per_query);
    stream.ended ??= new Map();
    stream.ended.set(query, (stream.ended.get(query) ?? 0) + 1);
    const size = [...Array(stream.arrival.per_query).keys()].filter((i) => stream.requests.has(query * stream.arrival.per_query + i)).length;
    if (stream.ended.get(query) === size) this.nextQuery(stream, request.end);
  }
}

// ---- what came out -------------------------------------------------------------------------------------------

// The least value that so many percent of them do not exceed.
const percentile = (sorted, percent) => sorted[Math.max(0, Math.ceil(sorted.length * percent / 100) - 1)];
const ascending = (values) => [...values].sort((a, b) => a - b);

function streamResult(stream, predicted) {
  const requests = [...stream.requests.values()].sort((a, b) => a.index - b.index);
  const latencies = ascending(requests.map((request) => request.end - request.release));
  const hashes = new Set(requests.map((request) => Object.values(request.hashes).join(' ')));
  const missed = stream.deadline_ns === null ? 0 : latencies.filter((latency) => latency > stream.deadline_ns).length;
  return {
    name: stream.name, session: stream.session, completed: requests.length, missed,
    last_completion_ns: Math.max(0, ...requests.map((request) => request.end)),
    latency_ns: latencies.length === 0 ? null : {
      mean: Math.round(latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length),
      p50: percentile(latencies, 50), p99: percentile(latencies, 99), max: latencies.at(-1),
    },
    predicted,
    output_sha256: [...hashes],
    requests: requests.map((request) => [request.index, request.release, request.end]),
  };
}

function resultOf(plan, run) {
  const streams = plan.streams.map((stream) => streamResult(run.streams.get(stream.name), stream.predicted));
  const makespan = Math.max(0, ...streams.map((stream) => stream.last_completion_ns));
  const units = run.units.map((unit) => ({name: unit.name, tasks: unit.done, busy_ns: unit.busy_ns}));
  return {makespan, streams, units};
}

// A name with '/' gets '_' there, and a number where another stream has that name.
function fileNames(streams) {
  const names = new Map(streams.filter((name) => !name.includes('/')).map((name) => [name, name]));
  const taken = new Set(names.keys());
  for (const name of streams.filter((name) => name.includes('/'))) {
    const plain = name.replaceAll('/', '_');
    let unique = plain;
    for (let number = 2; taken.has(unique); ++number) unique = `${plain}_${number}`;
    taken.add(unique);
    names.set(name, unique);
  }
  return names;
}

function writeOutputs(folder, plan, sessions, run) {
  fs.mkdirSync(folder, {recursive: true});
  const names = fileNames([...run.streams.keys()]);
  for (const stream of run.streams.values()) {
    if (!stream.outputs) continue;
    const parts = sessions[stream.session].outputs.map((layer) => stream.outputs[layer]);
    const bytes = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    fs.writeFileSync(path.join(folder, `${names.get(stream.name)}.raw`), Buffer.concat(bytes));
  }
}

function readOptions() {
  const {values} = parseArgs({options: {
    repeat: {type: 'string', default: '1'}, inputs: {type: 'string'}, outputs: {type: 'string'}, seed: {type: 'string', default: '1'},
    'no-pin': {type: 'boolean', default: false}, 'allow-commands': {type: 'boolean', default: false}, onnxruntime: {type: 'string'}, worker: {type: 'string'}, help: {type: 'boolean', short: 'h'},
  }});
  const number = (name) => {
    if (/^[1-9][0-9]{0,8}$/.test(values[name])) return Number(values[name]);
    throw new Trouble(`--${name}: expected a whole number from 1, found "${values[name]}"`);
  };
  const inputs = values.inputs && path.resolve(values.inputs);
  return {...values, repeat: number('repeat'), seed: number('seed'), inputs, pin: !values['no-pin']};
}

// A slot more than `slots` says would have nothing to do; all of them hold all sessions of their unit.
async function main(options) {
  const plan = readJson('run.json');
  const sessions = Object.fromEntries(plan.streams.map((stream) => [stream.session, readJson(`sessions/${stream.session}.json`)]));
  const hasSessions = Object.values(sessions).some((session) => session.segments.some((segment) => segment.file));
  if (hasSessions) loadRuntime(options.onnxruntime);  // one clear line where it is missing
  const processes = plan.units.flatMap((unit) => Array.from({length: unit.slots}, () => new Process(unit, options)));
  try {
    const opened = await Promise.all(processes.map((process) => process.ask({type: 'open'})));
    const runs = [];
    for (let i = 0; i < options.repeat; ++i) {
      const run = new Run(plan, sessions, processes);
      if (options.outputs && i === 0) {
        for (const stream of run.streams.values()) stream.wanted = Math.min(...stream.requests.keys());
      }
      await run.run();
      if (options.outputs && i === 0) writeOutputs(options.outputs, plan, sessions, run);
      runs.push(resultOf(plan, run));
    }
    const threads = await Promise.all(processes.map((process) => process.ask({type: 'threads'})));
    return report(plan, runs, opened, processes.map((process, i) => ({unit: process.unit.name, threads: threads[i].threads})));
  } finally {
    for (const process of processes) process.end();
  }
}

function report(plan, runs, opened, processes) {
  const spans = ascending(runs.map((run) => run.makespan)), median = percentile(spans, 50);
  const shown = runs.find((run) => run.makespan === median);
  const predicted = plan.predicted.makespan_ns;
  return {
    runtime: {name: PACKAGE, version: opened.find((answer) => answer.version)?.version ?? null, node: process.version},
    machine: {cpus: os.cpus().length, model: os.cpus()[0]?.model ?? null},
    scenario: plan.scenario, policy: plan.policy, predicted: plan.predicted,
    makespan_ns: median, runs_ns: runs.map((run) => run.makespan),
    error: median > 0 ? predicted / median - 1 : null,  // as tandem has it
    streams: shown.streams,
    units: shown.units.map((unit) => ({...unit, processes: processes.filter((process) => process.unit === unit.name).map((process) => process.threads)})),
  };
}

// Lists of numbers on a line each.
const textOf = (result) => JSON.stringify(result, null, 1).replace(
    /\[[-\d.,\s]+\]/g, (list) => list.replace(/\s+/g, '').replaceAll(',', ', '));

try {
  const options = readOptions();
  if (options.help) {
    console.log(USAGE);
  } else if (options.worker) {
    const {unit, options: given} = JSON.parse(options.worker);
    serveSlot(unit, given);
  } else {
    console.log(textOf(await main(options)));
  }
} catch (error) {
  const usage = error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(`run.mjs: ${error.message}${usage ? '\n' + USAGE : ''}`);
  process.exitCode = error instanceof Trouble || usage ? 2 : 3;
}
