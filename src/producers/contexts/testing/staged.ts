// A staged lake run for tests: real rollouts of a scripted policy, recorded and sealed on a real ledger, with the
// decisions as the loop records them. The properties that distinguish two runs of the same seed can be set: identity
// and time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, type EventData, type TypeName } from '../../../../schemas/catalogue.ts';
import { openLake } from '../../../../testbed/lake/environment.ts';
import { greedyPolicy, randomPolicy } from '../../../../testbed/scripted.ts';
import type { Configuration, Environment } from '../../../lab/environments/environment.ts';
import { recordedConfiguration } from '../../../lab/environments/knobs.ts';
import { judged } from '../../../lab/evaluation/judged.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { wilson } from '../../../lab/statistics/distributions.ts';
import { eventId } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { Attempt } from '../../evidence/attempt.ts';
import { RolloutEvents } from '../../evidence/rollout-events.ts';
import {
  emptyHistory,
  newStage,
  type Recorded,
  type RunHistory,
  type StageHistory,
} from '../../history/run-history.ts';
import { type SummaryModule, summaryModules } from '../../summaries/modules.ts';
import { summarise } from '../../summaries/summarise.ts';

interface Setting {
  readonly run: string;
  readonly at: string;
  /** The configurations of the stages. */
  readonly configurations: readonly Configuration[];
  readonly exemplars: number;
  /** Whether rollouts come in reverse order. */
  readonly isReversed?: boolean;
}

/** The configurations of three stages. */
export function laterLakes(start: Configuration): Configuration[] {
  const sizes = start['sizes'] as Readonly<Record<string, Readonly<Record<string, number>>>>;
  const fewerHoles = {
    ...start,
    sizes: { ...sizes, '8': { ...sizes['8'], hole: 0.1 }, '9': { ...sizes['9'], wait: 0.5 } },
  };
  const moreData = {
    ...start,
    sizes: { ...fewerHoles.sizes, '3': { ...sizes['3'], data: 0.025 }, '8': { ...fewerHoles.sizes['8'], data: 0.225 } },
  };
  return [start, fewerHoles, moreData];
}

export const setting: Omit<Setting, 'configurations'> = {
  run: 'a-run',
  at: '2030-01-01T00:00:00Z',
  exemplars: 3,
};

/** The ledger is closed and removed after the test. */
export async function withLedger<Value>(use: (ledger: Ledger) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-contexts-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The history of a run with complete stages. */
export async function stagedRun(
  ledger: Ledger,
  of: Setting,
  environment: Environment = openLake(),
): Promise<RunHistory> {
  const first = of.configurations[0] as Configuration;
  let history: RunHistory = {
    ...emptyHistory(of.run),
    started: recorded(of, 'RunStarted', 0, 0, {
      name: of.run,
      environment: { name: environment.descriptor.environment },
      descriptor: environment.descriptor,
      suites: [{ name: 'wait-25' }],
      stages: 4,
      budget: { 'agent-steps': 40_000 },
      measured: { host: of.at },
    }),
    initial: recorded(of, 'ConfigAdopted', 0, 0, adoption(environment, first, 'initial')),
    revision: 1,
  };
  for (const [i, configuration] of of.configurations.entries()) {
    history = await withStage(ledger, of, environment, history, i + 1, configuration);
  }
  return history;
}

async function withStage(
  ledger: Ledger,
  of: Setting,
  environment: Environment,
  before: RunHistory,
  stage: number,
  configuration: Configuration,
): Promise<RunHistory> {
  const known = recordedConfiguration(environment.descriptor, configuration);
  const sealed = await sealedEvidence(ledger, of, environment, stage, configuration);
  const next = of.configurations[stage];
  const whole: StageHistory = {
    ...newStage(stage, recorded(of, 'StageStarted', stage, 0, { configuration: known })),
    training: recorded(of, 'TrainingRecorded', stage, 0, training(stage, environment)),
    evaluations: [recorded(of, 'EvaluationRecorded', stage, 0, evaluation('validation', stage, environment))],
    sealed: recorded(of, 'EvidenceSealed', stage, 0, { attempts: [...sealed] }),
    completed: recorded(of, 'StageCompleted', stage, 0, {}),
    adopted:
      next === undefined ? null : recorded(of, 'ConfigAdopted', stage, 0, adoption(environment, next, 'engineer')),
  };
  let history: RunHistory = { ...before, revision: stage * 10, stages: [...before.stages, whole] };
  for (const module of summaryModules) history = await withSummary(ledger, of, environment, history, stage, module);
  return history;
}

async function withSummary(
  ledger: Ledger,
  of: Setting,
  environment: Environment,
  history: RunHistory,
  stage: number,
  module: SummaryModule,
): Promise<RunHistory> {
  const { exemplars } = of;
  const summary = await summarise(module, { ledger, environment, history, stage, exemplars, textOf });
  const index = summaryModules.indexOf(module);
  return inStage(history, stage, ({ summaries }) => ({
    summaries: [...summaries, recorded(of, 'SummaryRecorded', stage, index, summary)],
  }));
}

export const textOf = async (text: { readonly text: string } | { readonly blob: string }): Promise<string | null> =>
  'text' in text ? text.text : null;

export function inStage(
  history: RunHistory,
  stage: number,
  change: (before: StageHistory) => Partial<StageHistory>,
): RunHistory {
  return { ...history, stages: history.stages.map((one) => (one.stage === stage ? { ...one, ...change(one) } : one)) };
}

export function recorded<Type extends TypeName>(
  { run, at }: Pick<Setting, 'run' | 'at'>,
  type: Type,
  stage: number,
  index: number,
  data: EventData[Type],
): Recorded<Type> {
  const id = eventId({ run, stage, kind: codeOf(type), index });
  const envelope = { run, stage, at, actor: 'producer/run', causes: [] };
  return { id, revision: stage * 10 + index, digest: at.replace(/\D/g, '').padEnd(64, '0'), envelope, data };
}

async function sealedEvidence(
  ledger: Ledger,
  { run, at, isReversed = false }: Setting,
  environment: Environment,
  stage: number,
  configuration: Configuration,
) {
  const attempt = new Attempt(ledger, { run, stage, part: 0, attempt: 0 });
  let next = 0;
  const inOrder = <Thing>(things: readonly Thing[]): readonly Thing[] => (isReversed ? things.toReversed() : things);
  for (const [split, count] of Object.entries(counts) as [keyof typeof counts, number][]) {
    const tasks = await all(environment.generate({ configuration, split, count, seed: `tasks ${stage}` }));
    for (const [i, policy] of inOrder([...policies.entries()])) {
      const own = inOrder(tasks.filter((_, index) => index % policies.length === i));
      const provenance = { run, stage, environment: 'lake', split, policy, actor: 'producer/rollouts', now: () => at };
      const events = new RolloutEvents(provenance, next);
      const planned = policy.plan({ tasks: own, seed: `plans ${stage}` });
      for await (const _ of attempt.record(judged(environment, planned), events));
      next = events.next;
    }
  }
  return await attempt.seal();
}

/** One that fails at others, and one that fails at everything. */
const policies: readonly Policy[] = [greedyPolicy(), randomPolicy()];

const counts = { probe: 48, train: 32, 'probe-holdout': 8 } as const;

async function all<Thing>(things: AsyncIterable<Thing>): Promise<Thing[]> {
  const list: Thing[] = [];
  for await (const thing of things) list.push(thing);
  return list;
}

function adoption(
  environment: Environment,
  configuration: Configuration,
  by: 'initial' | 'engineer',
): EventData['ConfigAdopted'] {
  return {
    by,
    proposal: null,
    context: null,
    configuration: recordedConfiguration(environment.descriptor, configuration),
    previous: null,
    changes: [],
    kept: null,
    clamps: [],
    rationale: null,
  };
}

function training(stage: number, { descriptor }: Environment): EventData['TrainingRecorded'] {
  const signal = (family: string | null, sampleGroups: number, withVariance: number) => ({
    family,
    sampleGroups,
    withVariance,
    share: withVariance / sampleGroups,
    entropy: 1 / stage,
    kl: 0.01 * stage,
  });
  return {
    trainer: { name: 'grpo', parameters: { learningRate: 0.000123 } },
    spent: { 'agent-steps': 40_120, updates: 61 },
    learningSignal: [
      signal(null, 400, Math.round(200 / stage)),
      ...descriptor.families.map(({ family }, i) => signal(family, 500, Math.max(1, 400 - 50 * i - 40 * stage))),
    ],
    sampled: [{ family: '8', tasks: 50, share: 0.125 }],
  };
}

export function evaluation(suite: string, stage: number, { descriptor }: Environment): EventData['EvaluationRecorded'] {
  const rate = (family: string | null, count: number, of: number) => ({
    family,
    measure: 'valid',
    value: count / of,
    count,
    of,
    ...wilson(count, of),
  });
  const results = descriptor.families.map(({ family }, i) => rate(family, Math.min(40, 40 - 4 * i + 2 * stage), 40));
  const all = results.reduce((sum, { count }) => sum + count, 0);
  return {
    suite: { name: suite },
    split: suite === 'validation' ? 'validation' : suite === 'probe-holdout' ? 'probe-holdout' : 'test',
    rollouts: 40 * results.length,
    results: [rate(null, all, 40 * results.length), ...results],
  };
}
