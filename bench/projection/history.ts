// A generated history like a real one: runs of ten stages with several engineers and forms, forks, lost attempts at evidence, answers of a model
// and notes, and a last run in the middle of a stage. Deterministic in the number of rollouts and the seed.

import type { RunSettings } from '../../schemas/run-file.ts';
import { keepingTasks } from '../../src/lab/environments/caching.ts';
import type { Environment } from '../../src/lab/environments/environment.ts';
import { allowingAll } from '../../src/lab/programs/testing/allowed.ts';
import { Random } from '../../src/lab/random.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { parentAt } from '../../src/producers/by-hand/forking.ts';
import type { RunHistory } from '../../src/producers/history/run-history.ts';
import { Models } from '../../src/producers/models/models.ts';
import { openLab } from '../../src/producers/run/opening.ts';
import type { Lab } from '../../src/producers/run/session.ts';
import { openLake } from '../../testbed/lake/environment.ts';
import { registry } from '../../testbed/testing/registry.ts';
import { Clock } from './clock.ts';
import { follow } from './course.ts';
import { speaking } from './engineers.ts';
import { Pools } from './pools.ts';
import { Scribe } from './scribe.ts';

export interface HistoryAsked {
  readonly rollouts: number;
  readonly seed: number;
}

const stages = 10;
/** The maximum of rollouts per stage, and the approximate minimum of stages in a history. */
const mostPerStage = 5000;
const leastStages = 40;
const forkedAfter = 4;
const forksEvery = 5;
const model = { name: 'gpt', model: 'gpt-5.4' };
/** One of them is a rule that answers like a model. */
const engineers = ['rules', model.name, 'schedule', 'rules', 'random', model.name, 'static-small'] as const;
const forms = ['combined', 'v4', 'training+stats+behaviour+failures+history', 'v1'] as const;
const suites = ['agents-2-wait-25', 'agents-2-wait-50', 'agents-2-wait-75'];

/** Creates a missing ledger; existing content must have another seed. */
export async function makeHistory(url: string, { rollouts, seed }: HistoryAsked): Promise<void> {
  const ledger = await openLedger(url, { create: true });
  const environment: Environment = { ...keepingTasks(openLake()), close: async () => {} };
  const plan = { environment, seed, rollouts };
  const pools = await Pools.make(environment, settingsOf(plan, 0));
  const quota = { left: rollouts };
  const clock = new Clock(Date.UTC(2026, 0, 5, 8));
  let before: RunHistory | null = null;
  try {
    for (let index = 0; quota.left > 0; index++) {
      const run = runIdOf(seed, index);
      const settings = settingsOf(plan, index);
      const scribe = new Scribe(ledger, run, clock);
      const lab = await labOf(settings, environment, scribe);
      const parent =
        before !== null && index % forksEvery === forksEvery - 1 ? await parentAt(ledger, before, forkedAfter) : null;
      const losesAttemptIn = index % 2 === 1 ? 6 : 0;
      await follow({ ledger, run, settings, lab, pools, scribe, clock, parent, losesAttemptIn, quota });
      await lab.close();
      before = scribe.history;
    }
  } finally {
    await ledger.close();
  }
}

interface Plan extends HistoryAsked {
  readonly environment: Environment;
}

function settingsOf({ environment, seed, rollouts }: Plan, index: number): RunSettings {
  const perStage = Math.min(mostPerStage, Math.max(400, Math.round(rollouts / leastStages)));
  const inProbePool = 2 * cells;
  const samples = Math.max(1, Math.round((0.8 * perStage) / inProbePool));
  return {
    environment: 'lake',
    configuration: environment.start,
    stages,
    budget: { 'agent-steps': 400_000 },
    seed: seed * 10_000 + index,
    policy: 'neural',
    trainer: 'grpo',
    engineer: engineers[index % engineers.length] ?? 'rules',
    context: forms[index % forms.length] ?? 'combined',
    suites: [...suites],
    validation: 400,
    perCell: 2,
    samples,
    trained: Math.max(20, perStage - samples * inProbePool),
    exemplars: 8,
    contextTokens: 6000,
    name: `sweep-${seed}-${String(index + 1).padStart(3, '0')}`,
    tags: ['bench', index % 2 === 0 ? 'even' : 'odd'],
  };
}

/** Cells of the probe split. */
const cells = 97;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

function runIdOf(seed: number, index: number): string {
  const random = new Random(String(seed), 'run', index);
  return Array.from({ length: 12 }, () => alphabet[random.below(alphabet.length)]).join('');
}

async function labOf(settings: RunSettings, environment: Environment, scribe: Scribe): Promise<Lab> {
  const models = new Models({ entries: new Map(), environment: {}, permit: () => {} });
  const isModel = settings.engineer === model.name;
  const rule = isModel ? { ...settings, engineer: 'rules' } : settings;
  const lab = await openLab(rule, environment, {
    cwd: process.cwd(),
    entries: new Map(),
    models,
    allow: allowingAll(),
    registry,
    threads: 1,
  });
  if (!isModel) return lab;
  return { ...lab, engineer: speaking(lab.engineer, model, (answered) => scribe.answer(answered)) };
}
