// Facts of context modules, and contexts made from them.
import { wilson } from '../../statistics/distributions.ts';
import type { Fact, ShownContext } from '../engineer.ts';

export type ModuleFacts = Readonly<Record<string, readonly Fact[]>>;

export const solved = (family: string, rate: number, of = 100): Fact => ({
  ...counted(`B${family}.valid`, family, 'valid', rate, of),
});

export const measured = (family: string, measure: string, value: number): Fact => ({
  evidenceId: `B${family}.${measure}`,
  family,
  measure,
  value,
});

/** A share of the family's failures. */
export const failing = (family: string, failureClass: string, share: number, of = 100): Fact => ({
  ...counted(`FC${family}.${failureClass}`, family, 'failures', share, of),
  about: failureClass,
});

/** The training module shows intervals without counts. */
export const signal = (family: string | null, share: number, of = 400): Fact => ({
  evidenceId: `T${family ?? ''}.signal`,
  family,
  measure: 'signal',
  value: share,
  ...wilson(Math.round(share * of), of),
});

/** Families without generated tasks are not listed. */
export const made = (family: string, count: number, of = 100): Fact => ({
  evidenceId: `S${family}.tasks`,
  family,
  measure: 'tasks',
  value: count / of,
  count,
  of,
});

export const set = (stage: number, family: string, knob: string, value: number): Fact => ({
  evidenceId: `H${stage}.${family}.${knob}`,
  family,
  measure: 'knob',
  about: `${family}.${knob}`,
  value,
});

export const came = (stage: number, family: string, rate: number, of = 400): Fact => ({
  ...counted(`H${stage}.${family}.valid`, family, 'valid', rate, of),
  ...wilson(Math.round(rate * of), of),
});

function counted(evidenceId: string, family: string | null, measure: string, value: number, of: number): Fact {
  return { evidenceId, family, measure, value, count: Math.round(value * of), of };
}

export function contextWith(facts: ModuleFacts): ShownContext {
  const modules = Object.entries(facts).map(([module, facts]) => ({ module, facts, exemplars: [] }));
  return {
    digest: '0'.repeat(64),
    text: '',
    form: { modules: Object.keys(facts) },
    modules,
    evidenceIds: new Set(modules.flatMap(({ facts }) => facts.map(({ evidenceId }) => evidenceId))),
  };
}

export function without(facts: ModuleFacts, module: string): ModuleFacts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => name !== module));
}

/** For the lake, with distinct facts in every module. */
export const telling: ModuleFacts = {
  training: ['3', '4', '5', '6', '7', '8', '9', '10'].map((family, i) => signal(family, 0.5 + i / 20)),
  stats: ['3', '5', '6', '7', '8', '9', '10'].map((family) => made(family, 14, 98)),
  behaviour: ['3', '4', '5', '6', '7', '8', '9', '10'].map((family, i) => solved(family, 0.9 - i / 10)),
  failures: ['3', '4', '5', '6', '7', '8', '9', '10'].map((family, i) => failing(family, 'hole', 0.1 + i / 12)),
  history: [...[set(1, '5', 'hole', 0.1), came(1, '5', 0.9)], ...[set(2, '5', 'hole', 0.2), came(2, '5', 0.6)]],
};
