// What was generated, without any results: the number and share of tasks per family, and the means of task facts.

import type { Descriptor } from '../../../schemas/environment.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { byMeasure, explained, type Meanings } from './figures.ts';
import type { Sheet } from './sheet.ts';
import {
  distinct,
  type EvidenceModule,
  evidenceIdOf,
  type Fact,
  figure,
  Means,
  metFamilies,
  type Recorded,
  type Seen,
  type Summariser,
  type Sums,
  taskOf,
} from './summary.ts';

export const statsModule: EvidenceModule = {
  meaning: 'what was generated: counts, shares, facts; no results',
  split: 'train',
  summariser: (descriptor) => new Stats(descriptor),
  sheet: statsSheet,
};

interface Counts {
  /** A task that was tried several times counts once. */
  readonly tasks: Set<string>;
  readonly means: Means;
}

export class Stats implements Summariser {
  readonly #descriptor: Descriptor;
  readonly #families = new Map<string, Counts>();

  constructor(descriptor: Descriptor) {
    this.#descriptor = descriptor;
  }

  add(seen: Seen): void {
    const { data, family } = seen;
    const counts = getOrCreate(this.#families, family, () => ({ tasks: new Set<string>(), means: new Means() }));
    const task = taskOf(seen);
    if (counts.tasks.has(task)) return;
    counts.tasks.add(task);
    for (const [name, value] of Object.entries(data.task?.facts ?? {})) counts.means.add(name, value);
  }

  sums(): Sums {
    const families = metFamilies(this.#descriptor, new Set(this.#families.keys()));
    const all = families.reduce((sum, family) => sum + (this.#families.get(family) as Counts).tasks.size, 0);
    const facts = families.flatMap((family) => factsOf(family, this.#families.get(family) as Counts, all));
    return { facts: distinct(facts), exemplars: [] };
  }
}

function factsOf(family: string, { tasks, means }: Counts, all: number): Fact[] {
  const share: Fact = {
    evidenceId: evidenceIdOf('S', family, 'tasks'),
    family,
    measure: 'tasks',
    value: figure(tasks.size / all),
    count: tasks.size,
    of: all,
  };
  return [share, ...means.facts('S', family).filter(({ measure }) => measure !== share.measure)];
}

function statsSheet({ facts: descriptions = [] }: Descriptor, { module, facts }: Recorded): Sheet {
  const meanings: Meanings = [
    ['tasks', "the family's share of all tasks"],
    ...descriptions.map(({ fact, meaning }) => [fact, meaning] as const),
  ];
  const opening = ['From a sample of tasks generated like the training tasks.'];
  return {
    module,
    opening,
    parts: [explained({ title: 'By family', prefix: 'S', facts, columnOf: byMeasure }, meanings)],
  };
}
