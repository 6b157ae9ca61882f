// The knobs of an environment that a plugin defined: its descriptor, the number of tasks per family, and the cells of a suite.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { AnyDefinition, KnobDefinition } from './environment.ts';

type Numbers = Readonly<Record<string, number>>;

export function descriptorOf(definition: AnyDefinition): Descriptor {
  const { name, version, summary, families, knobs, settings = {}, outcomes, failureClasses, drawings } = definition;
  const { metrics = {}, facts = {} } = definition;
  const names = Object.keys(families);
  const share = { meaning: 'share of the training tasks', range: [0, 1], step: 0.05 } as const;
  return {
    environment: name,
    ...(version === undefined ? {} : { version }),
    meaning: summary,
    knobs: [
      ...names.flatMap((family) =>
        Object.entries({ share, ...knobs }).map(([knob, of]) => knobOf(of, knob, ['families', family, knob], family)),
      ),
      ...Object.entries(settings).map(([setting, of]) => knobOf(of, setting, [setting], null)),
    ],
    sharesSum: [{ knobs: names.map((family) => `${family}.share`), total: 1 }],
    families: Object.entries(families).map(([family, meaning]) => ({ family, meaning })),
    outcomes: Object.entries(outcomes).map(([outcome, meaning]) => ({ outcome, meaning })),
    failureClasses: Object.entries(failureClasses).map(([failure, meaning]) => ({ class: failure, meaning })),
    facts: Object.entries(facts).map(([fact, meaning]) => ({ fact, meaning })),
    metrics: Object.entries(metrics).map(([metric, meaning]) => ({ metric, meaning })),
    ...(drawings === undefined ? {} : { drawings }),
    failed: { all: [{ field: ['success'], equals: false }] },
    failureClass: { field: ['failureClass'] },
    family: { field: ['family'] },
  };
}

function knobOf(of: KnobDefinition, name: string, path: readonly string[], family: string | null): Knob {
  const { meaning, range, step, integer, harder, provokes, teaches } = of;
  return {
    name: family === null ? name : `${family}.${name}`,
    path,
    meaning,
    family,
    range: { min: range[0], max: range[1] },
    step,
    ...(integer === undefined ? {} : { integer }),
    ...(harder === undefined ? {} : { harder }),
    ...(provokes === undefined ? {} : { provokes }),
    ...(teaches === undefined ? {} : { teaches }),
  };
}

/** Whole numbers that sum to `count`, as close to the shares as possible. */
export function countsOf(families: Readonly<Record<string, Numbers>>, count: number): ReadonlyMap<string, number> {
  const exact = Object.entries(families).map(([family, { share = 0 }]) => ({ family, whole: share * count }));
  const counts = new Map(exact.map(({ family, whole }) => [family, Math.floor(whole + 1e-9)]));
  const missing = count - [...counts.values()].reduce((sum, one) => sum + one, 0);
  const rest = exact.map(({ family, whole }) => ({ family, rest: whole - (counts.get(family) ?? 0) }));
  const nearest = rest.filter((one) => one.rest > 0).sort((one, other) => other.rest - one.rest);
  for (const { family } of nearest.slice(0, missing)) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts;
}

export function cellsOf({ range: [min, max], step, integer }: KnobDefinition): readonly number[] {
  const middle = min + Math.round((max - min) / 2 / step) * step;
  return [...new Set([min, integer === true ? Math.round(middle) : middle, max])];
}
