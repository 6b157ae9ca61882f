// An environment of three groups with a level each, that makes tasks as fast as they are asked for, and snapshots that
// expect of a task what a test says.
import type { Descriptor } from '../../../../../schemas/environment.ts';
import type { Configuration, Environment, GenerateRequest } from '../../../environments/environment.ts';
import { knobValues } from '../../../environments/knobs.ts';
import type { Task } from '../../../environments/task.ts';
import { policyThat } from '../../../evaluation/testing/stubs.ts';
import type { Checkpoint, Policy } from '../../../policies/policy.ts';

export const groups = ['low', 'middle', 'high'] as const;

export const piles: Descriptor = {
  environment: 'piles',
  knobs: groups.flatMap((group) => [
    { name: `${group}.share`, path: [group, 'share'], meaning: '', group, range: { min: 0, max: 1 }, step: 0.05 },
    {
      name: `${group}.level`,
      path: [group, 'level'],
      meaning: '',
      group,
      range: { min: 1, max: 9 },
      step: 1,
      integer: true,
      harder: 'more',
      provokes: ['toppled'],
    },
  ]),
  sharesSum: [{ knobs: groups.map((group) => `${group}.share`), total: 1 }],
  groups: groups.map((group) => ({ group })),
  failureClasses: ['toppled', 'unfinished'].map((name) => ({ class: name, meaning: '' })),
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['outcome'] },
  group: { field: ['group'] },
};

export const pilesNow: Configuration = Object.fromEntries(groups.map((group) => [group, { share: 1 / 3, level: 5 }]));

/** The last group has more than its part. */
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

/** What it was asked for is kept, for a test to look at. */
export class Piles implements Pick<Environment, 'descriptor' | 'generate'> {
  readonly descriptor = piles;
  readonly asked: GenerateRequest[] = [];

  /** All of the one group that has a share. */
  async *generate(request: GenerateRequest) {
    this.asked.push(request);
    const { configuration, count } = request;
    const values = knobValues(piles, configuration);
    const group = values.find(({ knob, value }) => knob.endsWith('.share') && value > 0)?.group ?? 'low';
    const level = values.find(({ knob }) => knob === `${group}.level`)?.value ?? 0;
    for (let i = 0; i < count; i++) {
      const facts = { level, i };
      yield { id: `${i}`, group, instance: { group, ...facts }, facts } satisfies Task;
    }
    return [];
  }
}

export const snapshot: Checkpoint = { reference: 'the snapshot', stage: 2 };

/** Of a task it expects what is said; undefined: it says nothing of how sure it is. */
export function snapshotThat(expects: (group: string, level: number, i: number) => number | undefined): Policy {
  return policyThat(({ group, facts }) => {
    const value = expects(group, Number(facts['level']), Number(facts['i']));
    return { answer: null, ...(value === undefined ? {} : { sureness: { logProbability: -1, entropy: 1, value } }) };
  });
}
