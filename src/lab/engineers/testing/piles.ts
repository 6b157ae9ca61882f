// A fast environment of three families with one level each, and checkpoints that expect of a task what a test says.
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Configuration, Environment, GenerateRequest, Task } from '../../environments/environment.ts';
import { knobValues } from '../../environments/knobs.ts';
import { policyThat } from '../../evaluation/testing/stubs.ts';
import type { Checkpoint, Policy } from '../../policies/policy.ts';

const families = ['low', 'middle', 'high'] as const;

export const piles: Descriptor = {
  environment: 'piles',
  knobs: families.flatMap((family) => [
    { name: `${family}.share`, path: [family, 'share'], meaning: '', family, range: { min: 0, max: 1 }, step: 0.05 },
    {
      name: `${family}.level`,
      path: [family, 'level'],
      meaning: '',
      family,
      range: { min: 1, max: 9 },
      step: 1,
      integer: true,
      harder: 'more',
      provokes: ['toppled'],
    },
  ]),
  sharesSum: [{ knobs: families.map((family) => `${family}.share`), total: 1 }],
  families: families.map((family) => ({ family })),
  failureClasses: ['toppled', 'unfinished'].map((name) => ({ class: name, meaning: '' })),
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['outcome'] },
  family: { field: ['family'] },
};

export const pilesNow: Configuration = Object.fromEntries(
  families.map((family) => [family, { share: 1 / 3, level: 5 }]),
);

/** The last family has more than its part. */
export const mostlyHigh: Configuration = {
  low: { share: 0.25, level: 5 },
  middle: { share: 0.25, level: 5 },
  high: { share: 0.5, level: 5 },
};

/** Every knob at an end of its range. */
export const pilesAtTheEnds: Configuration = {
  low: { share: 1, level: 1 },
  middle: { share: 0, level: 9 },
  high: { share: 0, level: 9 },
};

/** Records its requests for the test. */
export class Piles implements Pick<Environment, 'descriptor' | 'generate'> {
  readonly descriptor = piles;
  readonly asked: GenerateRequest[] = [];

  /** Only the family that has a share. */
  async *generate(request: GenerateRequest) {
    this.asked.push(request);
    const { configuration, count } = request;
    const values = knobValues(piles, configuration);
    const family = values.find(({ knob, value }) => knob.endsWith('.share') && value > 0)?.family ?? 'low';
    const level = values.find(({ knob }) => knob === `${family}.level`)?.value ?? 0;
    for (let i = 0; i < count; i++) {
      const facts = { level, i };
      yield { id: `${i}`, family, instance: { family, ...facts }, facts } satisfies Task;
    }
    return [];
  }
}

export const snapshot: Checkpoint = { reference: 'the snapshot', stage: 2 };

/** The expectation for a task; undefined: it reports no certainty. */
export function snapshotThat(expects: (family: string, level: number, i: number) => number | undefined): Policy {
  return policyThat(({ family, facts }) => {
    const value = expects(family, Number(facts['level']), Number(facts['i']));
    return { answer: null, ...(value === undefined ? {} : { sureness: { logProbability: -1, entropy: 1, value } }) };
  });
}
