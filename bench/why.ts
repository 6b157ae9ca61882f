// The time of `icecore why` on a long history, minus that of a command that reads one event of the same ledger, which is the cost of starting, and
// minus that of a bare `node -e 0`. ICECORE_BENCH_LEDGER names an existing ledger, sqlite:PATH; otherwise a history with ICECORE_BENCH_ROLLOUTS
// rollouts is generated.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listRuns } from '../src/analysis/history/runs.ts';
import { openLedger } from '../src/ledger/open.ts';
import { readRun } from '../src/producers/history/reading.ts';
import { inFolder } from './folder.ts';
import { Histories } from './projection/histories.ts';
import type { Line, Report } from './report.ts';

const program = join(fileURLToPath(new URL('..', import.meta.url)), 'bin', 'icecore.cjs');
const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const limitMs = 100;
const rounds = 20;
/** The number of decisions to alternate between, from runs all over the ledger. */
const decisions = 5;

export async function whyBench(): Promise<Report[]> {
  const named = process.env['ICECORE_BENCH_LEDGER'];
  if (named !== undefined) return [await reportOn(named)];
  return await inFolder(async (folder) => {
    const { url } = await new Histories(folder).of(rollouts);
    return [await reportOn(url)];
  });
}

interface Query {
  readonly stage: string;
  readonly knob: string;
  readonly event: string;
}

async function reportOn(url: string): Promise<Report> {
  const { events, asked } = await somethingToAsk(url);
  const taken = { bare: [] as number[], event: [] as number[], knob: [] as number[], stage: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const { stage, knob, event } = asked[(round + asked.length) % asked.length] as Query;
    const once = {
      bare: milliseconds(['-e', '0']),
      event: milliseconds([program, 'event', 'show', event, '--ledger', url]),
      knob: milliseconds([program, 'why', stage, knob, '--ledger', url]),
      stage: milliseconds([program, 'why', stage, '--detail', '4', '--ledger', url]),
    };
    // The first one warms up.
    if (round >= 0) for (const [name, ms] of Object.entries(once)) taken[name as keyof typeof taken].push(ms);
  }
  // The fastest of each: other work on the machine only adds time.
  const beyond = (which: 'knob' | 'stage' | 'event', start: 'event' | 'bare'): number =>
    Math.round(Math.min(...taken[which]) - Math.min(...taken[start]));
  const found = {
    knobBeyondEvent: beyond('knob', 'event'),
    stageBeyondEvent: beyond('stage', 'event'),
    knobBeyondNode: beyond('knob', 'bare'),
    eventBeyondNode: beyond('event', 'bare'),
  };
  return {
    title: `icecore why on a ledger of ${events.toLocaleString('en')} events`,
    lines: [
      held('one knob, down to the rollouts, beyond icecore event show', found.knobBeyondEvent),
      held('a stage with all its knobs, beyond icecore event show', found.stageBeyondEvent),
      plain('one knob, beyond node -e 0', found.knobBeyondNode),
      plain('icecore event show, beyond node -e 0', found.eventBeyondNode),
    ],
    data: { events, ...found },
  };
}

function held(what: string, ms: number): Line {
  return { what, value: `${ms} ms`, target: `within ${limitMs} ms`, met: ms <= limitMs };
}

function plain(what: string, ms: number): Line {
  return { what, value: `${ms} ms`, target: '', met: null };
}

/** The last decisions of some runs that changed a knob. */
async function somethingToAsk(url: string): Promise<{ events: number; asked: readonly Query[] }> {
  const ledger = await openLedger(url, { readOnly: true });
  try {
    const { rows } = await listRuns(ledger, { limit: 1000 });
    const asked: Query[] = [];
    for (const row of rows) {
      const { adoptions } = await readRun(ledger, row);
      const last = [...adoptions].findLast(([, { data }]) => data.changes.length > 0);
      const [change] = last?.[1].data.changes ?? [];
      if (last !== undefined && change !== undefined) {
        asked.push({ stage: `${row.run}@${last[0]}`, knob: change.knob, event: last[1].id });
      }
    }
    const every = Math.max(1, Math.floor(asked.length / decisions));
    const some = asked.filter((_, i) => i % every === 0).slice(0, decisions);
    if (some.length === 0) throw new Error(`no run of ${url} has a decision that changed a knob`);
    return { events: (await ledger.head()).events, asked: some };
  } finally {
    await ledger.close();
  }
}

function milliseconds(args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
  return performance.now() - started;
}
