// What the generator makes: the number of agents, and for every size its share of the instances, the share of its cells that are holes,
// and the share of its instances that need a wait. Sizes without a share may be left out.

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
  /** The share of instances in which an agent has to wait. */
  readonly wait: number;
}

export interface LakeConfiguration {
  readonly agents: number;
  /** By size, written as a number: "3" to "10". */
  readonly sizes: Readonly<Record<string, SizeKnobs>>;
}

export const configurableSizes = [3, 4, 5, 6, 7, 8, 9, 10] as const;

/** All sizes equally, of medium difficulty: the default start of a run. */
export const startConfiguration: LakeConfiguration = {
  agents: 2,
  sizes: Object.fromEntries(
    configurableSizes.map((size) => [String(size), { data: 1 / configurableSizes.length, hole: 0.15, wait: 0.25 }]),
  ),
};

// Checks of lake configurations: by the descriptor, and the number of agents.

/** With more agents, small lakes are full: few are solvable, and finding out takes long. */
const maxAgents = 6;

/** `described`: the descriptor with the knobs to check. */
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
  if (Number.isInteger(agents) && (agents as number) >= 1 && (agents as number) <= maxAgents) return [];
  return [{ field: 'agents', found: found(agents), allowed: `a whole number from 1 to ${maxAgents}` }];
}

// The descriptor of the lake: three knobs for every size, and how to read the outcome of a plan.

const step = 0.05;

/** With more holes, hardly any lake is solvable. */
const maxHoles = 0.4;

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
    knob('data', 1, `share of the instances with ${size} x ${size} cells`),
    knob('hole', maxHoles, `share of their cells that are holes`, ['hole']),
    knob('wait', 1, `share of them in which an agent has to wait for another`, ['vertex-conflict', 'swap-conflict']),
  ];
}

/** With more than five agents few of the smallest lakes are solvable; a single agent has no other to avoid. */
const optionalKnobs: Readonly<Record<string, Knob>> = {
  agents: {
    name: 'agents',
    path: ['agents'],
    meaning: 'number of agents in every training instance',
    family: null,
    range: { min: 2, max: 5 },
    step: 1,
    integer: true,
    harder: 'more',
    provokes: ['vertex-conflict', 'swap-conflict'],
  },
};

/** The descriptor with the optional knobs of these names. */
export function descriptorWith(names: readonly string[]): Descriptor {
  if (names.length === 0) return descriptor;
  const added = Object.values(optionalKnobs).filter(({ name }) => names.includes(name));
  return { ...descriptor, knobs: [...added, ...descriptor.knobs] };
}

const meanings: Readonly<Record<FailureClass, string>> = {
  'parse-error': 'the answer is not a plan',
  'missing-agent': 'an agent has no moves',
  'off-grid': 'a move leads off the grid',
  hole: 'an agent falls into a hole',
  'vertex-conflict': 'two agents come to one cell',
  'swap-conflict': 'two agents swap places',
  'goal-missed': 'an agent does not end on its goal',
  horizon: 'the plan has more steps than allowed',
  truncated: 'the answer was truncated',
};

export const descriptor: Descriptor = {
  environment: 'lake',
  version: '1',
  meaning:
    'MAPF-FrozenLake: agents on a square grid with holes, each with its own goal, move at the same time. No two may be ' +
    'on one cell or swap places; agents stay on their goals and still block them.',
  knobs: configurableSizes.flatMap(knobsOf),
  sharesSum: [{ knobs: configurableSizes.map((size) => `${size}.data`), total: 1 }],
  families: configurableSizes.map((size) => ({ family: String(size), meaning: `${size} x ${size} cells` })),
  outcomes: [
    { outcome: 'valid', meaning: 'every agent arrives at its goal without a conflict' },
    ...failureClasses.map((name) => ({ outcome: name, meaning: meanings[name] })),
  ],
  failureClasses: failureClasses.map((name) => ({ class: name, meaning: meanings[name] })),
  facts: [
    { fact: 'agents', meaning: 'number of agents' },
    { fact: 'holes', meaning: 'number of holes' },
    { fact: 'needsWait', meaning: 'whether an agent waits before its final arrival in every optimal plan' },
    { fact: 'optimalCost', meaning: 'minimal sum, over agents, of the step of final arrival' },
  ],
  metrics: [
    { metric: 'cost', meaning: 'of a valid plan: sum, over agents, of the step of final arrival' },
    { metric: 'optimal', meaning: '1 if the plan is valid with minimal cost, else 0' },
    { metric: 'stretch', meaning: 'of a valid plan: its cost as a multiple of the minimal cost' },
    { metric: 'steps', meaning: 'the last step at which an agent on the ice moves' },
    { metric: 'waits', meaning: 'number of waits of agents before their last moves' },
  ],
  drawings:
    '∙ is free ice, ░ a hole; a lower-case letter is the start of an agent, the upper-case one its goal. A line is its path, with ' +
    'an arrow for every step and a number for the steps it waited there; ╳ marks a failure, and arrows in the ' +
    'frame point at it. Below are the moves of every agent (U, D, L, R, and W to wait), the one that failed in brackets',
  // Without a verdict there is no success value, which is not a failure.
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['outcome'] },
  family: { field: ['family'] },
};
