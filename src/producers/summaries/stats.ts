// What the generator knows of what it made, and nothing of what became of it: how many tasks each group had, which share
// of all that is, and the means of the facts that it tells of a task.

import type { Descriptor } from '../../../schemas/environment.ts';
import { entry } from '../../base/entry.ts';
import { distinct, labelOf } from './labels.ts';
import { Means } from './means.ts';
import { type Fact, figure, metGroups, type Seen, type Summariser, type Sums, taskOf } from './summary.ts';

interface Counts {
  /** A task that was tried several times is one. */
  readonly tasks: Set<string>;
  readonly means: Means;
}

export class Stats implements Summariser {
  readonly module = 'stats';
  readonly #descriptor: Descriptor;
  readonly #groups = new Map<string, Counts>();

  constructor(descriptor: Descriptor) {
    this.#descriptor = descriptor;
  }

  add(seen: Seen): void {
    const { data, group } = seen;
    const counts = entry(this.#groups, group, () => ({ tasks: new Set<string>(), means: new Means() }));
    const task = taskOf(seen);
    if (counts.tasks.has(task)) return;
    counts.tasks.add(task);
    for (const [name, value] of Object.entries(data.instance?.facts ?? {})) counts.means.add(name, value);
  }

  sums(): Sums {
    const groups = metGroups(this.#descriptor, new Set(this.#groups.keys()));
    const all = groups.reduce((sum, group) => sum + (this.#groups.get(group) as Counts).tasks.size, 0);
    const facts = groups.flatMap((group) => factsOf(group, this.#groups.get(group) as Counts, all));
    return { facts: distinct(facts), exemplars: [] };
  }
}

function factsOf(group: string, { tasks, means }: Counts, all: number): Fact[] {
  const share: Fact = {
    label: labelOf('S', group, 'tasks'),
    group,
    measure: 'tasks',
    value: figure(tasks.size / all),
    count: tasks.size,
    of: all,
  };
  return [share, ...means.facts('S', group).filter(({ measure }) => measure !== share.measure)];
}
