// Makes the golden ledger of the current format: `npm run golden-ledger`. It has an event of every type and every feature of a ledger: runs with
// shards, forks, ablations, errors, answers of a model, notes, a redaction. The content is the same each time, except for the order of shards. It
// needs Python for the arithmetic example. See test/golden/README.md. Only the ledger of an unreleased format may be made again.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync } from 'node:zlib';
import { eventTypes } from '../schemas/catalogue.ts';
import type { Sink } from '../src/base/sink.ts';
import type { Io } from '../src/cli/io.ts';
import { openEndpoint } from './golden-ledger/endpoint.ts';
import { advance, reseed } from './golden-ledger/fixed-world.ts';

/** The folder of the coming release's format. Increase it with the first change after a release. */
const format = '1';
const mostBytes = 300_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'test', 'golden', format);
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-golden-')));

const run = {
  environment: ['python3', 'environment.py'],
  trainer: ['python3', 'trainer.py'],
  policy: 'pupil',
  stages: 2,
  budget: { 'agent-steps': 300 },
  engineer: 'rules',
  context: 'training,stats,behaviour,failures,history',
  suites: [],
  validation: 8,
  perCell: 1,
  samples: 1,
  trained: 6,
  exemplars: 2,
  contextTokens: 0,
};

const nonsense = 'python3 nonsense.py';
const broken = 'python3 broken.py';

/** A rollout with texts that are stored as blobs. */
const spoken = [
  {
    id: '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000001',
    stream: 'evidence-sp0ken000000-1-0-0',
    type: 'RolloutRecorded',
    version: 1,
    at: '2026-01-02T03:00:00Z',
    actor: 'producer/import',
    run: 'sp0ken000000',
    stage: 1,
    causes: [],
    data: {
      environment: 'arithmetic',
      split: 'probe',
      policy: 'gpt',
      outcome: 'right',
      prompt: { text: 'What is 2 + 2?' },
      completion: { text: 'Ada says 4.' },
    },
  },
];

/** As if its evidence were in a separate store. */
const reported = {
  id: '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000002',
  stream: 'work-sp0ken000000',
  type: 'AttemptFinished',
  version: 1,
  at: '2026-01-02T03:00:01Z',
  actor: 'producer/import',
  run: 'sp0ken000000',
  stage: 1,
  causes: [],
  data: { part: '0', attempt: 0, count: 1, root: '0'.repeat(64), place: { partition: 3, from: 41, to: 41 } },
};

let commands = 0;

async function icecore(argv: readonly string[], stdin = '', codes: readonly number[] = [0]): Promise<string> {
  const { main } = await import('../src/cli/main.ts');
  advance(600);
  reseed(++commands);
  const [out, err]: string[][] = [[], []];
  const sink = (into: string[] | undefined): Sink => ({
    isTTY: false,
    columns: 80,
    write: async (text) => void into?.push(typeof text === 'string' ? text : Buffer.from(text).toString()),
  });
  const env = { ...process.env, ICECORE_TRUST: '*', XDG_CONFIG_HOME: join(scratch, 'settings') };
  const io: Io = {
    stdin: Readable.from(
      [Buffer.from(stdin)].filter(({ length }) => length > 0),
      { objectMode: false },
    ),
    stdout: sink(out),
    stderr: sink(err),
    env,
    cwd: scratch,
    signal: new AbortController().signal,
  };
  const code = await main(argv, io);
  if (!codes.includes(code)) throw new Error(`icecore ${argv.join(' ')}: exit ${code}\n${err?.join('')}`);
  return out?.join('') ?? '';
}

async function record(): Promise<void> {
  const first = ['--name', 'first', '--shards', '2', '--tag', 'golden', '--notes', 'the first of all'];
  await icecore(['run', '--file', 'run.json', ...first, '--jobs', '1']);
  const fork = (name: string, ...others: readonly string[]): readonly string[] => [
    ...['fork', 'first@2', '--name', name, '--jobs', '1'],
    ...others,
  ];
  await icecore(fork('forked', '--engineer', 'uniform'));
  await icecore(fork('unanswered', '--engineer', nonsense));
  await icecore(fork('kept', '--engineer', broken, '--on-error', 'keep'));
  await icecore(fork('failed', '--engineer', broken), '', [1]);
  await icecore(
    [
      ...['ablate', 'first', '--engineer', `rules,gpt,${nonsense},${broken}`, '--context', 'failures'],
      ...['--baselines', 'uniform', '--name', 'asked', '--on-error', 'keep', '--jobs', '1'],
    ],
    '',
    [0, 1],
  );
  await icecore([
    ...['ablate', 'first', '--engineer', 'rules', '--context', 'failures', '--depth', 'train'],
    ...['--baselines', 'uniform', '--name', 'trained', '--jobs', '1'],
  ]);
  await icecore(['annotate', 'first@2', 'the sums went well', '--tag', 'seen', '--actor', 'human/ada']);
  await takeOver('failed');
  await icecore(['event', 'append'], `${JSON.stringify(reported)}\n`);
  await icecore(['event', 'append', '--texts', 'blobs'], spoken.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await icecore(['event', 'redact', `${spoken[0]?.stream}@0`, '--reason', 'it names Ada', '--actor', 'human/ada']);
}

/** A run failed on another machine, which is gone: it is taken over, and fails again. */
async function takeOver(name: string): Promise<void> {
  const [run] = /(?<="run":")[a-z0-9]+/.exec(await icecore(['export', 'events', '--run', name])) ?? [];
  const claim = {
    ...{ id: '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000003', stream: `work-${run}`, type: 'RunClaimed', version: 1 },
    ...{ at: '2026-01-02T03:00:02Z', actor: 'producer/run', run, stage: null, causes: [] },
    data: { fencingToken: 7, holder: 'elsewhere:1:00000000', leaseSeconds: 0.01 },
  };
  await icecore(['event', 'append'], `${JSON.stringify(claim)}\n`);
  await icecore(['resume', name, '--jobs', '1'], '', [1]);
}

function requireEveryType(ndjson: string): void {
  const there = new Set([...ndjson.matchAll(/"type":"([A-Za-z]+)","version"/g)].map(([, type]) => type));
  const missing = [...eventTypes.keys()].filter((type) => !there.has(type));
  if (missing.length > 0) throw new Error(`the golden ledger has no ${missing.join(', ')}`);
}

function compressed(name: string, content: string | Uint8Array): void {
  const level = { params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 } };
  writeFileSync(join(target, `${name}.zst`), zstdCompressSync(content, level));
}

async function keep(): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const all = await icecore(['export', 'events']);
  requireEveryType(all);
  if (all.includes(scratch)) throw new Error(`the golden ledger names the folder it was made in: ${scratch}`);
  compressed('forked.ndjson', await icecore(['export', 'events', '--run', 'forked']));
  compressed('ledger.db', readFileSync(join(scratch, '.icecore', 'ledger.db')));
  cpSync(join(scratch, '.icecore', 'ledger.blobs'), join(target, 'ledger.blobs'), { recursive: true });
  await icecore(['export', 'bundle', 'first', '--output', join(target, 'first.icecore.tar.zst')]);
  const { expectationOf } = await import('../test/golden.ts');
  const expected = await expectationOf(join(scratch, '.icecore', 'ledger.db'), join(scratch, 'expected.tables'));
  writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
  const bytes = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0);
  if (bytes > mostBytes) throw new Error(`test/golden/${format} has ${bytes} bytes, allowed: ${mostBytes}`);
  console.error(`test/golden/${format}: ${expected.events} events, ${bytes} bytes`);
}

// Programs start in the folder of the process.
process.chdir(scratch);
const endpoint = await openEndpoint();
try {
  for (const file of readdirSync(join(root, 'examples/arithmetic')).filter((name) => name.endsWith('.py')))
    cpSync(join(root, 'examples/arithmetic', file), join(scratch, file));
  writeFileSync(join(scratch, 'run.json'), JSON.stringify(run));
  writeFileSync(join(scratch, 'nonsense.py'), 'print("Make it easier.")\n');
  writeFileSync(join(scratch, 'broken.py'), 'raise SystemExit("the model is away")\n');
  const models = { gpt: { url: endpoint.url, model: 'golden' } };
  writeFileSync(join(scratch, 'icecore.config.json'), JSON.stringify({ models }));
  await icecore(['init']);
  await record();
  await keep();
} finally {
  await endpoint.close();
  rmSync(scratch, { recursive: true, force: true });
}
