// What the generator is told to make: how many agents, and for every size its share of the instances, the share of its
// cells that are holes, and the share of its instances that need a wait. Sizes that have no share are left out at will.

import type { Descriptor, Knob } from '../../schemas/environment.ts';
import { found, type Issue } from '../../schemas/errors.ts';
import { checkConfiguration } from '../../src/library/plugins/index.ts';
import { BadConfiguration } from '../../src/library/plugins/tools.ts';
import { type FailureClass, failureClasses } from './judge.ts';

export interface SizeKnobs {
  /** The share of all instances that have this size; the shares sum to 1. */
  readonly data: number;
  /** The share of cells that are holes. */
  readonly hole: number;
  /** The share of instances in which somebody has to wait. */
  readonly wait: number;
}

export interface LakeConfiguration {
  readonly agents: number;
  /** By size, written as a number: "3" to "10". */
  readonly sizes: Readonly<Record<string, SizeKnobs>>;
}

export const configurableSizes = [3, 4, 5, 6, 7, 8, 9, 10] as const;

/** All sizes alike, neither easy nor hard: where a run begins unless told otherwise. */
export const startConfiguration: LakeConfiguration = {
  agents: 2,
  sizes: Object.fromEntries(
    configurableSizes.map((size) => [String(size), { data: 1 / configurableSizes.length, hole: 0.15, wait: 0.25 }]),
  ),
};

// What is wrong with a configuration of the lake: what the descriptor can tell, and the number of agents.

/** With more, small lakes are full: hardly any is solvable, and telling so takes long. */
const mostAgents = 6;

/** `described`: with what knobs. */
export function checkLake(configuration: unknown, described = descriptor): Issue[] {
  const issues = checkConfiguration(described, configuration, { ...startConfiguration });
  const isAgentsKnob = described.knobs.some(({ name }) => name === 'agents');
  return isAgentsKnob ? issues : [...issues, ...wrongAgents(configuration)];
}

/** Throws BadConfiguration. */
export function checkedLake(configuration: unknown, described = descriptor): LakeConfiguration {
  const issues = checkLake(configuration, described);
  if (issues.length > 0) throw new BadConfiguration(descriptor.environment, issues);
  return configuration as LakeConfiguration;
}

function wrongAgents(configuration: unknown): Issue[] {
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration)) return [];
  const { agents } = configuration as { readonly agents?: unknown };
  if (Number.isInteger(agents) && (agents as number) >= 1 && (agents as number) <= mostAgents) return [];
  return [{ field: 'agents', found: found(agents), allowed: `a whole number from 1 to ${mostAgents}` }];
}

// What the lake says about itself: three knobs for every size, and how to read what became of a plan.

const step = 0.05;

/** With more holes, hardly any lake is solvable. */
const mostHoles = 0.4;

function knobsOf(size: number): Knob[] {
  const family = String(size);
  const knob = (name: string, max: number, meaning: string, provokes: readonly FailureClass[] = []): Knob => ({
    name: `${family}.${name}`,
    path: ['sizes', family, name],
    meaning,
    family,
    range: { min: 0, max },
    step,
    ...(provokes.length === 0 ? {} : { harder: 'more', provokes: [...provokes] }),
  });
  return [
    knob('data', 1, `the share of the instances that have ${size} x ${size} cells`),
    knob('hole', mostHoles, `the share of their cells that are holes`, ['hole']),
    knob('wait', 1, `the share of them in which an agent has to wait for another`, [
      'vertex-conflict',
      'swap-conflict',
    ]),
  ];
}

/** With more than five agents few of the smallest lakes are solvable; one alone has nobody to avoid. */
const optionalKnobs: Readonly<Record<string, Knob>> = {
  agents: {
    name: 'agents',
    path: ['agents'],
    meaning: 'how many agents there are in every instance that is trained on',
    family: null,
    range: { min: 2, max: 5 },
    step: 1,
    integer: true,
    harder: 'more',
    provokes: ['vertex-conflict', 'swap-conflict'],
  },
};

/** The lake with the optional knobs of these names. */
export function descriptorWith(names: readonly string[]): Descriptor {
  if (names.length === 0) return descriptor;
  const added = Object.values(optionalKnobs).filter(({ name }) => names.includes(name));
  return { ...descriptor, knobs: [...added, ...descriptor.knobs] };
}

const meanings: Readonly<Record<FailureClass, string>> = {
  'parse-error': 'the answer is no plan',
  'missing-agent': 'there are no moves for an agent',
  'off-grid': 'a move leads off the grid',
  hole: 'an agent falls into a hole',
  'vertex-conflict': 'two agents come to one cell',
  'swap-conflict': 'two agents change places',
  'goal-missed': 'an agent ends elsewhere than on its goal',
  horizon: 'there are more steps than are allowed',
  truncated: 'the answer was cut before its end',
};

export const descriptor: Descriptor = {
  environment: 'lake',
  version: '1',
  meaning:
    'MAPF-FrozenLake: agents on a square grid with holes, each with a goal of its own, move at the same time. No two may be ' +
    'on one cell or change places; agents stay on their goals and still block them.',
  knobs: configurableSizes.flatMap(knobsOf),
  sharesSum: [{ knobs: configurableSizes.map((size) => `${size}.data`), total: 1 }],
  families: configurableSizes.map((size) => ({ family: String(size), meaning: `${size} x ${size} cells` })),
  outcomes: [
    { outcome: 'valid', meaning: 'every agent arrives at its goal and nobody gets in the way of another' },
    ...failureClasses.map((name) => ({ outcome: name, meaning: meanings[name] })),
  ],
  failureClasses: failureClasses.map((name) => ({ class: name, meaning: meanings[name] })),
  facts: [
    { fact: 'agents', meaning: 'how many agents there are' },
    { fact: 'holes', meaning: 'how many cells are holes' },
    { fact: 'needsWait', meaning: 'whether in every optimal plan an agent waits before its final arrival' },
    { fact: 'optimalCost', meaning: 'the least sum, over agents, of the step of final arrival' },
  ],
  metrics: [
    { metric: 'cost', meaning: 'of a valid plan: the sum, over agents, of the step of final arrival' },
    { metric: 'optimal', meaning: '1 where the plan is valid at the least cost, 0 otherwise' },
    { metric: 'stretch', meaning: 'of a valid plan: its cost as a multiple of the least cost' },
    { metric: 'steps', meaning: 'the last step at which an agent on the ice has a move' },
    { metric: 'waits', meaning: 'how often agents wait before their last move' },
  ],
  drawings:
    '∙ is free ice, ░ a hole; a small letter is where an agent starts, the capital one is its goal. A line is its way, with ' +
    'an arrow for every step and a figure for the steps it waited there; ╳ is where something went wrong, and arrows in the ' +
    'frame point at it. Below are the moves of every agent (U, D, L, R, and W to wait), the one that went wrong in brackets',
  // What nothing can be said about has no success: it did not fail.
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['outcome'] },
  family: { field: ['family'] },
};
