// The time of `icecore compare` for twenty runs of a long history, minus that of a command that reads one event of the same ledger, which is the
// cost of starting. Comparing by probe tasks also reads rollouts and has no target. ICECORE_BENCH_LEDGER names an existing ledger, sqlite:PATH;
// otherwise a history with ICECORE_BENCH_ROLLOUTS rollouts is generated.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { listRuns } from '../src/analysis/history/runs.ts';
import { openLedger } from '../src/ledger/open.ts';
import { inFolder } from './folder.ts';
import { median } from './measure.ts';
import { Histories } from './projection/histories.ts';
import type { Line, Report } from './report.ts';

const program = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const limitMs = 1000;
const rounds = 7;
const compared = 20;

export async function compareBench(): Promise<Report[]> {
  const named = process.env['ICECORE_BENCH_LEDGER'];
  if (named !== undefined) return [await reportOn(named)];
  return await inFolder(async (folder) => [await reportOn((await new Histories(folder).of(rollouts)).url)]);
}

async function reportOn(url: string): Promise<Report> {
  const { events, runs } = await longestRuns(url);
  const start: number[] = [];
  const beyond = { decisions: [] as number[], tasks: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const begun = milliseconds(['event', 'show', `run-${runs[0]}@0`, '--ledger', url]);
    const decisions = milliseconds(['compare', ...runs, '--ledger', url]);
    const tasks = milliseconds(['compare', ...runs, '--suite', 'probe', '--ledger', url]);
    // The first round warms up.
    if (round < 0) continue;
    start.push(begun);
    beyond.decisions.push(decisions - begun);
    beyond.tasks.push(tasks - begun);
  }
  const found = {
    decisions: Math.round(median(beyond.decisions)),
    tasks: Math.round(median(beyond.tasks)),
    start: Math.round(median(start)),
  };
  return {
    title: `icecore compare, ${runs.length} runs of a ledger of ${events.toLocaleString('en')} events`,
    lines: [
      {
        what: 'by validation, beyond icecore event show',
        value: `${found.decisions} ms`,
        target: `within ${limitMs} ms`,
        met: found.decisions <= limitMs,
      },
      plain('by probe tasks, beyond icecore event show', found.tasks),
      plain('icecore event show', found.start),
    ],
    data: { events, runs: runs.length, ...found },
  };
}

function plain(what: string, ms: number): Line {
  return { what, value: `${ms} ms`, target: '', met: null };
}

/** The identities of the runs with the most stages. */
async function longestRuns(url: string): Promise<{ events: number; runs: readonly string[] }> {
  const ledger = await openLedger(url, { readOnly: true });
  try {
    const { rows } = await listRuns(ledger, { limit: 1000 });
    const longest = rows.toSorted((a, b) => b.done - a.done).slice(0, compared);
    if (longest.length < 2) throw new Error(`${url} contains fewer than two runs`);
    return { events: (await ledger.head()).events, runs: longest.map(({ run }) => run) };
  } finally {
    await ledger.close();
  }
}

function milliseconds(args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`icecore ${args.join(' ')} ended with ${status}`);
  return performance.now() - started;
}
