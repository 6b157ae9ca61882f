// Facts of a context as its modules tell them, and contexts made of them.
import { wilson } from '../../../statistics/wilson.ts';
import type { Fact, Shown } from '../../engineer.ts';

export type Told = Readonly<Record<string, readonly Fact[]>>;

export const solved = (group: string, rate: number, of = 100): Fact => ({
  ...counted(`B${group}.valid`, group, 'valid', rate, of),
});

export const measured = (group: string, measure: string, value: number): Fact => ({
  label: `B${group}.${measure}`,
  group,
  measure,
  value,
});

/** A share of what failed of the group. */
export const failing = (group: string, failureClass: string, share: number, of = 100): Fact => ({
  ...counted(`FC${group}.${failureClass}`, group, 'failures', share, of),
  about: failureClass,
});

/** Training tells intervals, and not of how many. */
export const signal = (group: string | null, share: number, of = 400): Fact => ({
  label: `T${group ?? ''}.signal`,
  group,
  measure: 'signal',
  value: share,
  ...wilson(Math.round(share * of), of),
});

/** Of groups of which none was made, nothing is told. */
export const made = (group: string, count: number, of = 100): Fact => ({
  label: `S${group}.tasks`,
  group,
  measure: 'tasks',
  value: count / of,
  count,
  of,
});

export const set = (stage: number, group: string, knob: string, value: number): Fact => ({
  label: `H${stage}.${group}.${knob}`,
  group,
  measure: 'knob',
  about: `${group}.${knob}`,
  value,
});

export const came = (stage: number, group: string, rate: number, of = 400): Fact => ({
  ...counted(`H${stage}.${group}.valid`, group, 'valid', rate, of),
  ...wilson(Math.round(rate * of), of),
});

function counted(label: string, group: string | null, measure: string, value: number, of: number): Fact {
  return { label, group, measure, value, count: Math.round(value * of), of };
}

export function shown(told: Told): Shown {
  const modules = Object.entries(told).map(([module, facts]) => ({ module, facts, exemplars: [] }));
  return {
    digest: '0'.repeat(64),
    text: '',
    form: { modules: Object.keys(told) },
    modules,
    labels: new Set(modules.flatMap(({ facts }) => facts.map(({ label }) => label))),
  };
}

export function without(told: Told, module: string): Told {
  return Object.fromEntries(Object.entries(told).filter(([name]) => name !== module));
}

/** Of the lake, in which every module has something of its own to say. */
export const telling: Told = {
  training: ['3', '4', '5', '6', '7', '8', '9', '10'].map((group, i) => signal(group, 0.5 + i / 20)),
  stats: ['3', '5', '6', '7', '8', '9', '10'].map((group) => made(group, 14, 98)),
  behaviour: ['3', '4', '5', '6', '7', '8', '9', '10'].map((group, i) => solved(group, 0.9 - i / 10)),
  failures: ['3', '4', '5', '6', '7', '8', '9', '10'].map((group, i) => failing(group, 'hole', 0.1 + i / 12)),
  history: [...[set(1, '5', 'hole', 0.1), came(1, '5', 0.9)], ...[set(2, '5', 'hole', 0.2), came(2, '5', 0.6)]],
};
