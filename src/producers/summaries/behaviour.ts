// The policy's behaviour: success rates by family, means of the metrics of its rollouts and of its certainty, and which
// agents conflict. The failure classes are in another module.

import type { Descriptor } from '../../../schemas/environment.ts';
import { escapeControls } from '../../base/escape.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { alertLines, byMeasure, explained, figureText, type Meanings, spoiltLines } from './figures.ts';
import type { Part, Sheet } from './sheet.ts';
import {
  distinct,
  type EvidenceModule,
  evidenceIdOf,
  type Fact,
  figure,
  isSpoilt,
  Means,
  metFamilies,
  type Recorded,
  type Seen,
  type Summariser,
  type Sums,
  taskOf,
} from './summary.ts';

export const behaviourModule: EvidenceModule = {
  meaning: 'how often the policy succeeds in each family, and how it behaves',
  split: 'probe',
  summariser: (descriptor) => new Behaviour(descriptor),
  sheet: behaviourSheet,
};

interface Counts {
  rollouts: number;
  valid: number;
  /** Tries of one task are correlated, so the interval depends on the number of tasks. */
  readonly tasks: Set<string>;
  readonly means: Means;
  /** The number of rollouts in which each pair conflicts. */
  readonly pairs: Map<string, number>;
}

/** Only the first ones count if more agents met in one place. */
const mostMet = 8;

export class Behaviour implements Summariser {
  readonly #descriptor: Descriptor;
  readonly #families = new Map<string, Counts>();

  constructor(descriptor: Descriptor) {
    this.#descriptor = descriptor;
  }

  add(seen: Seen): void {
    if (isSpoilt(seen)) return;
    const { data, family, failureClass } = seen;
    const counts = getOrCreate(this.#families, family, () => ({
      rollouts: 0,
      valid: 0,
      tasks: new Set<string>(),
      means: new Means(),
      pairs: new Map(),
    }));
    counts.rollouts += 1;
    counts.tasks.add(taskOf(seen));
    if (failureClass === null) counts.valid += 1;
    const { metrics = {} } = data;
    for (const [name, value] of spentOn(data)) if (!Object.hasOwn(metrics, name)) counts.means.add(name, value);
    for (const name of Object.keys(metrics)) counts.means.add(name, metrics[name]);
    for (const pair of pairsOf(seen)) counts.pairs.set(pair, (counts.pairs.get(pair) ?? 0) + 1);
  }

  sums(): Sums {
    const families = metFamilies(this.#descriptor, new Set(this.#families.keys()));
    const facts = families.flatMap((family) => factsOf(family, this.#families.get(family) as Counts));
    return { facts: distinct(facts), exemplars: [] };
  }
}

/** The cost of a rollout; tokens by kind. A metric of the environment with the same name takes precedence. */
function spentOn({ agentSteps, tokens = {} }: Seen['data']): (readonly [string, number | undefined])[] {
  const spent = Object.entries(tokens).map(([kind, count]) => [`tokens-${kind}`, count] as const);
  return [['agent-steps', agentSteps], ...spent];
}

/** Each pair of agents that a failure names together, by number: `0-1`. */
function pairsOf({ failure }: Seen): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (const { details } of failure?.data.failures ?? []) {
    const agents = details?.['agents'];
    if (!Array.isArray(agents)) continue;
    const numbers = agents.filter((agent): agent is number => Number.isInteger(agent)).slice(0, mostMet);
    numbers.sort((a, b) => a - b);
    numbers.forEach((one, i) => {
      for (const other of numbers.slice(i + 1)) pairs.add(`${one}-${other}`);
    });
  }
  return pairs;
}

const own: readonly string[] = ['valid', 'tried'];

function factsOf(family: string, { rollouts, valid, tasks, means, pairs }: Counts): Fact[] {
  const { low, high } = wilson((valid / rollouts) * tasks.size, tasks.size);
  const rate: Fact = {
    evidenceId: evidenceIdOf('B', family, 'valid'),
    family,
    measure: 'valid',
    value: figure(valid / rollouts),
    count: valid,
    of: rollouts,
    low: figure(low),
    high: figure(high),
  };
  const tried: Fact = { evidenceId: evidenceIdOf('B', family, 'tried'), family, measure: 'tried', value: tasks.size };
  const blocking = [...pairs]
    .sort(([a, often], [b, seldom]) => seldom - often || (a < b ? -1 : 1))
    .map(
      ([pair, count]): Fact => ({
        evidenceId: evidenceIdOf('B', family, 'blocking', pair),
        family,
        measure: 'blocking',
        about: pair,
        value: figure(count / rollouts),
        count,
        of: rollouts,
      }),
    );
  return [rate, tried, ...means.facts('B', family).filter(({ measure }) => !own.includes(measure)), ...blocking];
}

function behaviourSheet({ metrics = [] }: Descriptor, summary: Recorded): Sheet {
  const { module, facts, alerts } = summary;
  const measured = facts.filter(({ measure }) => measure !== 'blocking');
  const blocking = facts.filter(({ measure }) => measure === 'blocking');
  const meanings: Meanings = [
    ['valid', 'the share of rollouts that succeed'],
    ['tried', 'number of tasks tried; intervals are over tasks, because tries of one task are correlated'],
    ...metrics.map(({ metric, meaning }) => [metric, meaning] as const),
    ...ownMetrics.filter(([own]) => !metrics.some(({ metric }) => metric === own)),
  ];
  const opening = [
    'From a fixed pool of tasks of all families, independent of the training data; the policy samples its actions.',
    ...triesLines(facts),
    ...spoiltLines(summary),
    ...alertLines(alerts),
  ];
  if (facts.length === 0) return { module, opening, parts: [] };
  const table = explained({ title: 'By family', prefix: 'B', facts: measured, columnOf: byMeasure }, meanings);
  return { module, opening, parts: [table, ...(blocking.length === 0 ? [] : [blockingPart(blocking)])] };
}

/** If tasks were tried several times, there are fewer tasks than rollouts. */
function triesLines(facts: readonly Fact[]): string[] {
  const [tasks, tries] = [sumOf(facts, 'tried', ({ value }) => value), sumOf(facts, 'valid', ({ of }) => of)];
  if (tasks === 0) return [];
  const often = tries / tasks;
  const word = ['once', 'twice'][often - 1] ?? `${often} times`;
  const tried = Number.isInteger(often) ? `each tried ${word}` : `tried ${tries} times in total`;
  return [
    `${tasks} tasks, ${tried}. Rates have 95% intervals; everything else is a mean over the rollouts in which it could be measured.`,
  ];
}

function sumOf(facts: readonly Fact[], measure: string, of: (fact: Fact) => unknown): number {
  return facts.reduce((sum, fact) => {
    const value = fact.measure === measure ? of(fact) : 0;
    return sum + (typeof value === 'number' ? value : 0);
  }, 0);
}

/** Metrics that icecore itself records. */
const ownMetrics: Meanings = [
  ['agent-steps', 'number of actions of the agents'],
  ['entropy', "entropy of the policy's choices, in nats: how uncertain it is"],
  ['logProbability', 'mean log-probability of its actions: how likely they were to the policy'],
  ['value', 'the reward that the policy expected'],
  ['tokens-input', 'number of tokens it read'],
  ['tokens-output', 'number of tokens it wrote'],
];

function blockingPart(facts: readonly Fact[]): Part {
  return {
    kind: 'rows',
    title: 'Conflicts: the share of rollouts in which two agents, numbered from 0, block each other',
    columns: ['', 'family', 'agents', 'rollouts'],
    items: facts.map((fact) => ({
      evidenceIds: [fact.evidenceId],
      ...(fact.family === null ? {} : { family: fact.family }),
      cells: [
        fact.evidenceId,
        escapeControls(fact.family ?? 'all'),
        escapeControls(fact.about ?? ''),
        figureText(fact),
      ],
    })),
  };
}
