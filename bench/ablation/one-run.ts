// A generated run with ten complete stages and a given number of rollouts, with the summaries and decisions that the loop would have recorded.
// `node bench/ablation/one-run.ts URL ROLLOUTS`

import type { RunSettings } from '../../schemas/run-file.ts';
import { keepingTasks } from '../../src/lab/environments/caching.ts';
import type { Environment } from '../../src/lab/environments/environment.ts';
import { allowingAll } from '../../src/lab/programs/testing/allowed.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { Models } from '../../src/producers/models/models.ts';
import { openLab } from '../../src/producers/run/opening.ts';
import { openLake } from '../../testbed/lake/environment.ts';
import { registry } from '../../testbed/testing/registry.ts';
import { Clock } from '../projection/clock.ts';
import { follow } from '../projection/course.ts';
import { Pools } from '../projection/pools.ts';
import { Scribe } from '../projection/scribe.ts';

const run = 'replayed0000';
/** Each followed by a decision; the run is in the next one. */
const stages = 10;

/** Number of tasks in each cell of the probe split. */
const perCell = 10;
const probed = 0.8;

export async function makeRun(url: string, rollouts: number): Promise<void> {
  const environment: Environment = { ...keepingTasks(openLake()), close: async () => {} };
  const asked = settingsOf(environment);
  const pools = await Pools.make(environment, asked);
  const perStage = Math.floor(rollouts / stages);
  const samples = Math.max(1, Math.round((probed * perStage) / pools.probe.length));
  const settings = { ...asked, samples, trained: Math.max(20, perStage - samples * pools.probe.length) };
  const models = new Models({ entries: new Map(), environment: {}, permit: () => {} });
  const lab = await openLab(settings, environment, {
    cwd: process.cwd(),
    entries: new Map(),
    models,
    allow: allowingAll(),
    registry,
    threads: 1,
  });
  const ledger = await openLedger(url, { create: true });
  const clock = new Clock(Date.UTC(2026, 0, 5, 8));
  const scribe = new Scribe(ledger, run, clock);
  const quota = { left: stages * perStage + 1 };
  try {
    await follow({ ledger, run, settings, lab, pools, scribe, clock, parent: null, losesAttemptIn: 0, quota });
  } finally {
    await lab.close();
    await ledger.close();
  }
}

function settingsOf(environment: Environment): RunSettings {
  return {
    environment: 'lake',
    configuration: environment.start,
    stages: stages + 1,
    budget: { 'agent-steps': 400_000 },
    seed: 1,
    policy: 'neural',
    trainer: 'grpo',
    engineer: 'rules',
    context: 'combined',
    suites: [],
    validation: 400,
    perCell,
    samples: 1,
    trained: 20,
    exemplars: 8,
    contextTokens: 6000,
    name: 'replayed',
    tags: [],
  };
}

const [, program, url, rollouts] = process.argv;
if (program?.endsWith('one-run.ts') && url !== undefined) await makeRun(url, Number(rollouts));
