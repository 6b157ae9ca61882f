// A process of its own that appends a million rollouts, or reads them, and says how much memory it ever held and how the
// rate changed as the ledger grew. `node bench/million.ts append|read PATH EVENTS`
import { existsSync, readFileSync } from 'node:fs';
import { openLedger } from '../src/ledger/open.ts';
import { rollouts, stream } from './rollouts.ts';

export interface Million {
  readonly events: number;
  readonly seconds: number;
  readonly peakMiB: number;
  /** The rate of the last tenth to that of the first. */
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
  const peakMiB = Math.round(peakKiB() / 1024);
  return {
    events,
    seconds: Math.round(milliseconds) / 1000,
    peakMiB,
    lastToFirst: Math.round(lastToFirst * 100) / 100,
  };
}

/** Linux counts what a process held before it became this program into maxRSS; its own peak stands elsewhere. */
function peakKiB(): number {
  const status = '/proc/self/status';
  const own = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  return own === undefined ? process.resourceUsage().maxRSS : Number(own);
}

if (program?.endsWith('million.ts') && path !== undefined) {
  console.log(JSON.stringify(task === 'append' ? await append(path, Number(count)) : await read(path)));
}
