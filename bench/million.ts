// A process that appends or reads a million rollouts and reports its peak memory and how the rate changed as the ledger grew; or that verifies
// or copies a ledger. `node bench/million.ts TASK PATH EVENTS`
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openLedger } from '../src/ledger/open.ts';
import type { Line } from './report.ts';
import { rollouts, stream } from './rollouts.ts';

export interface Million {
  readonly events: number;
  readonly seconds: number;
  readonly peakMiB: number;
  /** The rate of the last tenth relative to the first. */
  readonly lastToFirst: number;
}

const [, program, task, path, count] = process.argv;

async function append(file: string, events: number): Promise<Million> {
  const ledger = await openLedger(`sqlite:${file}`, { create: true });
  const started = performance.now();
  const tenths: number[] = [];
  let spent = 0;
  for (let i = 0; i < events; i += 1000) {
    const batch = rollouts(i, 1000);
    const before = performance.now();
    await ledger.append(stream, batch, { expect: 'any' });
    spent += performance.now() - before;
    if ((i + 1000) % (events / 10) === 0) {
      tenths.push(spent);
      spent = 0;
    }
  }
  await ledger.close();
  return result(events, performance.now() - started, (tenths[0] ?? 0) / (tenths.at(-1) ?? 1));
}

async function read(file: string): Promise<Million> {
  const ledger = await openLedger(`sqlite:${file}`, { readOnly: true });
  const started = performance.now();
  let events = 0;
  for await (const page of ledger.readAll()) for (const event of page) if (event.envelope.revision >= 0) events++;
  await ledger.close();
  return result(events, performance.now() - started, 1);
}

function result(events: number, milliseconds: number, lastToFirst: number): Million {
  return {
    events,
    seconds: Math.round(milliseconds) / 1000,
    peakMiB: peakMiB(),
    lastToFirst: Math.round(lastToFirst * 100) / 100,
  };
}

/** The peak memory of this process. */
export function peakMiB(): number {
  return Math.round(peakKiB() / 1024);
}

/** On Linux, maxRSS includes memory from before exec; the process's own peak is in /proc. */
function peakKiB(): number {
  const status = '/proc/self/status';
  const own = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  return own === undefined ? process.resourceUsage().maxRSS : Number(own);
}

async function verify(file: string): Promise<Million> {
  const { verifyLedger } = await import('../src/ledger/verify/verify.ts');
  const started = performance.now();
  const { tally } = await verifyLedger(`sqlite:${file}`, { blobs: null, run: null, head: null });
  return result(tally.events, performance.now() - started, 1);
}

async function copy(file: string): Promise<Million> {
  const { copyAll } = await import('./copying.ts');
  const started = performance.now();
  return result(await copyAll(file, `${file}.copy.db`), performance.now() - started, 1);
}

const tasks = { append, read, verify, copy };

/** Runs a task in a separate process. */
export function child(what: keyof typeof tasks, file: string, events: number): Million {
  const own = fileURLToPath(import.meta.url);
  const said = execFileSync(process.execPath, [own, what, file, String(events)], { encoding: 'utf8' });
  return JSON.parse(said) as Million;
}

const limitMiB = 300;

export function peak(what: string, { peakMiB }: Million): Line {
  return { what, value: `${peakMiB} MiB`, target: `under ${limitMiB} MiB`, met: peakMiB < limitMiB };
}

if (program?.endsWith('million.ts') && path !== undefined && task !== undefined && task in tasks) {
  console.log(JSON.stringify(await tasks[task as keyof typeof tasks](path, Number(count))));
}
