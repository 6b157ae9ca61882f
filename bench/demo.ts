// The cost of recording every rollout in the demo: all its steps, each in a separate process as from a shell, alternately with every rollout
// recorded and with a sample. Compares processor time, because other programs may use the machine.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { dungeonSteps, runSteps, storySteps, usualRun } from '../src/cli/demo/demo.ts';
import { writeRunFile } from '../src/cli/demo/dungeon.ts';
import { inFolder } from './folder.ts';
import { median } from './measure.ts';
import { type Line, type Report, ratioLine } from './report.ts';

const rounds = 3;
const least = { run: 0.87, recomputed: 20_000 } as const;
const most = { seconds: 60, ledger: 250 } as const;
const program = join(import.meta.dirname, '../bin/icecore.cjs');

interface Cost {
  readonly seconds: number;
  readonly processor: number;
}

interface Demo {
  readonly whole: Cost;
  /** Of the experiment itself, without the later commands. */
  readonly run: Cost;
}

interface Recorded {
  readonly ledger: number;
  readonly perSecond: number;
}

export async function demoBench(): Promise<Report[]> {
  const demos = { all: [] as Demo[], sample: [] as Demo[] };
  const recorded: Recorded[] = [];
  for (let round = 0; round < rounds; round++) {
    demos.sample.push(await inFolder(async (folder) => await demo(folder, 'sample')));
    await inFolder(async (folder) => {
      demos.all.push(await demo(folder, 'all'));
      recorded.push(recomputed(folder));
    });
  }
  const ratioOf = (cost: (of: Demo) => Cost): number =>
    median(demos.all.map((one, i) => cost(demos.sample[i] ?? one).processor / cost(one).processor));
  const [run, whole] = [ratioOf((one) => one.run), ratioOf((one) => one.whole)];
  const seconds = median(demos.all.map((one) => one.whole.seconds));
  const ledger = Math.round(median(recorded.map((one) => one.ledger)));
  const perSecond = median(recorded.map((one) => one.perSecond));
  const lines: Line[] = [
    ratioLine('its run, not recorded to recorded', run, least.run),
    ratioLine('all its steps', whole, least.run),
    {
      what: 'all its steps, in seconds',
      value: seconds.toFixed(1),
      target: `at most ${most.seconds}`,
      met: seconds <= most.seconds,
    },
    {
      what: 'a rollout in SQLite',
      value: `${ledger} B`,
      target: `at most ${most.ledger} B`,
      met: ledger <= most.ledger,
    },
    {
      what: 'rejudged by verify',
      value: `${perSecond.toLocaleString('en')}/s`,
      target: `at least ${least.recomputed.toLocaleString('en')}/s`,
      met: perSecond >= least.recomputed,
    },
  ];
  const title = `the demo in processor time, every rollout recorded, the median of ${rounds} rounds`;
  return [{ title, lines, data: { rounds, run, whole, seconds, ledger, perSecond } }];
}

async function demo(folder: string, record: string): Promise<Demo> {
  const costs: Cost[] = [];
  let run: Cost = { seconds: 0, processor: 0 };
  const lake = runSteps([...usualRun, '--record', record], false);
  writeRunFile(folder);
  for (const step of [...lake, ...storySteps(null), ...dungeonSteps(false)]) {
    const cost = timed(folder, step.argv);
    costs.push(cost);
    if (step === lake.at(-1)) run = cost;
  }
  const sum = (of: (cost: Cost) => number): number => costs.reduce((total, cost) => total + of(cost), 0);
  return { whole: { seconds: sum(({ seconds }) => seconds), processor: sum(({ processor }) => processor) }, run };
}

/** GNU time reports the processor time of a process and its children. */
function timed(cwd: string, argv: readonly string[]): Cost {
  const begun = performance.now();
  const { status, stderr } = spawnSync(
    '/usr/bin/time',
    ['-f', '%U %S', process.execPath, program, ...argv, '--quiet'],
    {
      cwd,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds: (performance.now() - begun) / 1000, processor: user + system };
}

function recomputed(folder: string): Recorded {
  const args = [program, 'verify', '--recompute', '--json'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const { recomputed } = JSON.parse(stdout) as { recomputed: { rollouts: number; rolloutsPerSecond: number } };
  const { size } = statSync(join(folder, '.icecore', 'ledger.db'));
  return { ledger: size / recomputed.rollouts, perSecond: recomputed.rolloutsPerSecond };
}
