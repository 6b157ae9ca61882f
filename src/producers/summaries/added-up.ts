// The sealed evidence of a stage added up for one module or for several of them: it is read once, whichever are asked for.
// What comes out is plain data, which a thread can hand to another.
import { Behaviour } from './behaviour.ts';
import { type Evidence, rolloutsIn, type ShownSplit } from './evidence.ts';
import { Failures } from './failures.ts';
import { Stats } from './stats.ts';
import type { Seen, Summariser, Sums } from './summary.ts';

/** Training rollouts tell of tasks, those of the shown part of the probe pool of the policy. */
export const splits = { stats: 'train', behaviour: 'probe', failures: 'probe' } as const satisfies Readonly<
  Record<string, ShownSplit>
>;

/** A module that rollouts are added up for. */
export type EvidenceModule = keyof typeof splits;

export interface AddedUp extends Sums {
  readonly module: EvidenceModule;
  /** How many rollouts could be judged. */
  readonly judged: number;
  /** How many could not, by what spoilt them. */
  readonly spoilt: Readonly<Record<string, number>>;
  /** The rollouts of the exemplars, in their order. */
  readonly chosen: readonly Seen[];
}

export interface AddingUp extends Omit<Evidence, 'splits'> {
  /** How many rollouts are shown. */
  readonly exemplars: number;
}

/** One for each module, in their order. Throws EvidenceMissing. */
export async function addedUp(modules: readonly EvidenceModule[], of: AddingUp): Promise<AddedUp[]> {
  const tallies = modules.map((module) => new Tally(module, of));
  const bySplit = Map.groupBy(tallies, ({ module }) => splits[module]);
  for await (const seen of rolloutsIn({ ...of, splits: new Set(bySplit.keys()) })) {
    for (const tally of bySplit.get(seen.data.split as ShownSplit) ?? []) tally.add(seen);
  }
  return tallies.map((tally) => tally.added());
}

class Tally {
  readonly module: EvidenceModule;
  readonly #summariser: Summariser & Partial<Pick<Failures, 'chosen'>>;
  #judged = 0;
  readonly #spoilt = new Map<string, number>();

  constructor(module: EvidenceModule, { descriptor, exemplars }: Pick<AddingUp, 'descriptor' | 'exemplars'>) {
    this.module = module;
    this.#summariser = {
      stats: () => new Stats(descriptor),
      behaviour: () => new Behaviour(descriptor),
      failures: () => new Failures(descriptor, { exemplars }),
    }[module]();
  }

  add(seen: Seen): void {
    this.#summariser.add(seen);
    const { error } = seen.data;
    if (error === undefined) this.#judged += 1;
    else this.#spoilt.set(error.kind, (this.#spoilt.get(error.kind) ?? 0) + 1);
  }

  added(): AddedUp {
    return {
      module: this.module,
      judged: this.#judged,
      spoilt: Object.fromEntries([...this.#spoilt].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...this.#summariser.sums(),
      chosen: this.#summariser.chosen?.() ?? [],
    };
  }
}
