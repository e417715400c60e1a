// Runs one ONNX model by ONNX Runtime's CPU provider, for scripts/bench/kernels.
// usage: node onnxruntime_peer.js PACKAGE MODEL INPUT OUTPUT REPEAT THREADS
// INPUT holds all inputs in order, OUTPUT gets all outputs, as raw float32. Prints JSON.
'use strict';
const fs = require('fs');

const kWarmUpMs = 200;

function readFloats(file) {
  const bytes = fs.readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function feedsOf(ort, session, values) {
  const feeds = {};
  let at = 0;
  for (const input of session.inputMetadata) {
    const size = input.shape.reduce((product, extent) => product * extent, 1);
    feeds[input.name] = new ort.Tensor('float32', values.slice(at, at + size), input.shape);
    at += size;
  }
  if (at !== values.length) throw new Error(`the input holds ${values.length} numbers, the model takes ${at}`);
  return feeds;
}

async function timed(session, feeds) {
  const begin = process.hrtime.bigint();
  const results = await session.run(feeds);
  return [Number(process.hrtime.bigint() - begin) / 1e6, results];
}

async function main([packageFolder, model, input, output, repeat, threads]) {
  const ort = require(packageFolder);
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['cpu'],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const feeds = feedsOf(ort, session, readFloats(input));
  let results;
  for (let spent = 0; spent < kWarmUpMs;) {
    const [ms, last] = await timed(session, feeds);
    spent += ms;
    results = last;
  }
  const parts = session.outputNames.map((name) => Buffer.from(results[name].data.buffer.slice(0)));
  fs.writeFileSync(output, Buffer.concat(parts));
  const samples = [];
  for (let i = 0; i < Number(repeat); ++i) samples.push((await timed(session, feeds))[0]);
  samples.sort((a, b) => a - b);
  const median = samples[(samples.length - 1) >> 1];
  const version = ort.env.versions.node;
  console.log(JSON.stringify({median_ms: median, min_ms: samples[0], samples: samples.length, version}));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
