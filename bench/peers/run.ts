// Records the same rollouts with common tools and with icecore, in one run. Every tool runs in a separate process, three times in turn, so that
// a slow machine affects all of them.
//   node bench/peers/run.ts             measures, prints a table and a line of JSON
//   node bench/peers/run.ts --install   installs the tools
import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { median } from '../measure.ts';
import { rollout } from '../rollouts.ts';
import type { Recorded, Way } from './appending.ts';
import { install } from './install.ts';
import { findPython, hasEmmett, howToInstall, peersFolder } from './places.ts';

export interface PeerResult extends Recorded {
  readonly how: string;
  /** The mode of icecore with the same guarantee: all durable together, or each before the next. */
  readonly against: Way;
  /** icecore's events/s in that mode relative to this tool's: the median of the rounds' ratios. */
  readonly ratio: number;
  /** The same for icecore one by one, where each rollout is durable before the next. */
  readonly ratioSingle: number;
}

interface Contender {
  readonly tool: string;
  readonly how: string;
  readonly against: Way;
  /** Enough for a few seconds. */
  readonly events: number;
  readonly command: string;
  readonly args: (file: string, count: string, folder: string) => readonly string[];
}

const rounds = 3;
const timeout = 300_000;

const store = (tool: string, script: string, way: Way, events: number): Contender => ({
  tool,
  how: way === 'batches' ? 'batches of 1000' : 'one by one',
  against: way,
  events,
  command: process.execPath,
  args: (file, count, folder) => [join(import.meta.dirname, script), way, file, count, folder],
});

const icecore = [store('icecore', 'icecore.ts', 'batches', 80_000), store('icecore', 'icecore.ts', 'single', 5000)];
const emmett = [store('emmett', 'emmett.mjs', 'batches', 80_000), store('emmett', 'emmett.mjs', 'single', 500)];

const pythonTools = [
  { tool: 'mlflow', how: 'log_batch of 1000 metrics', events: 4000 },
  { tool: 'wandb', how: 'offline run.log, finish', events: 10_000 },
  { tool: 'aim', how: 'run.track, close', events: 4000 },
  { tool: 'trackio', how: 'log, finish', events: 40_000 },
];

function python(command: string): Contender[] {
  return pythonTools.map((tool) => ({
    ...tool,
    against: 'batches',
    command,
    args: (file, count, folder) => [join(import.meta.dirname, 'record.py'), tool.tool, file, count, folder],
  }));
}

export async function peers(): Promise<PeerResult[]> {
  mkdirSync(peersFolder, { recursive: true });
  const folder = mkdtempSync(join(peersFolder, 'data-'));
  try {
    const contenders = installed();
    const file = await writeRollouts(folder, Math.max(...contenders.map(({ events }) => events)));
    const records = new Map(contenders.map((contender): [Contender, Recorded[]] => [contender, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [contender, recorded] of records) {
        const outcome = await record(contender, file, join(folder, 'store'));
        if (typeof outcome === 'string') {
          console.error(`${contender.tool} (${contender.how}) is skipped: ${outcome}`);
          records.delete(contender);
        } else recorded.push(outcome);
      }
    }
    return results(records);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function installed(): Contender[] {
  const interpreter = findPython();
  if (interpreter === null) console.error(`The Python tools are skipped; to install them: ${howToInstall}`);
  if (!hasEmmett()) console.error(`emmett is skipped; to install it: ${howToInstall}`);
  return [...icecore, ...(hasEmmett() ? emmett : []), ...(interpreter === null ? [] : python(interpreter))];
}

async function writeRollouts(folder: string, count: number): Promise<string> {
  const file = join(folder, 'rollouts.ndjson');
  const lines = function* () {
    for (let index = 0; index < count; index++) yield `${JSON.stringify(rollout(index))}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return file;
}

/** The recording, or why it failed. Every run starts with an empty store. */
async function record(contender: Contender, file: string, folder: string): Promise<Recorded | string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    const args = contender.args(file, String(contender.events), folder);
    const { stdout } = await promisify(execFile)(contender.command, args, { cwd: folder, timeout });
    return JSON.parse(lastLine(stdout));
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return lastLine(stderr ?? '') || message;
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

function results(records: ReadonlyMap<Contender, readonly Recorded[]>): PeerResult[] {
  const rates = (contender: Contender | undefined) =>
    (contender === undefined ? undefined : records.get(contender))?.map(({ perSecond }) => perSecond) ?? [];
  const own = (way: Way) => rates(icecore.find(({ against }) => against === way));
  return [...records].map(([contender, recorded]) => {
    const ratioTo = (ours: readonly number[]) =>
      hundredths(median(rates(contender).map((rate, round) => (ours[round] ?? Number.NaN) / rate)));
    const { tool, how, against } = contender;
    return {
      ...middle(recorded),
      tool,
      how,
      against,
      ratio: ratioTo(own(against)),
      ratioSingle: ratioTo(own('single')),
    };
  });
}

function middle(recorded: readonly Recorded[]): Recorded {
  const sorted = [...recorded].sort((a, b) => a.perSecond - b.perSecond);
  const found = sorted[sorted.length >> 1];
  if (found === undefined) throw new Error('Nothing was recorded.');
  return found;
}

export function printPeers(found: readonly PeerResult[]): void {
  const head = ['tool', 'version', 'how', 'events', 'events/s', 'icecore / it', 'one by one / it', 'durable'];
  const rows = found.map((one) => [
    one.tool,
    one.version,
    one.how,
    whole(one.events),
    whole(one.perSecond),
    `${one.ratio.toFixed(2)} (${one.against === 'batches' ? 'batches' : 'one by one'})`,
    one.ratioSingle.toFixed(2),
    one.note,
  ]);
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const numeric = new Set([3, 4, 5, 6]);
  for (const row of table) {
    const cells = row.map((cell, column) =>
      numeric.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    console.log(cells.join('  ').trimEnd());
  }
  console.log(JSON.stringify({ bench: 'peers', rounds, results: found }));
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

const whole = (value: number): string => Math.round(value).toLocaleString('en');

if (import.meta.main) {
  if (process.argv.includes('--install')) process.exitCode = install() ? 0 : 1;
  else printPeers(await peers());
}
