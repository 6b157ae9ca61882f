// The sealed evidence of a stage added up for one module or for several of them: it is read once, whichever are asked for.
// What comes out is plain data, which a thread can hand to another.
import { type Evidence, rolloutsIn } from './evidence.ts';
import { type EvidenceModuleName, evidenceModules } from './modules.ts';
import type { Seen, ShownSplit, Summariser, Sums } from './summary.ts';

export interface AddedUp extends Sums {
  readonly module: EvidenceModuleName;
  /** How many rollouts could be judged. */
  readonly judged: number;
  /** How many could not, by what spoilt them. */
  readonly spoilt: Readonly<Record<string, number>>;
  /** The rollouts of the exemplars, in their order; null where the module shows none. */
  readonly chosen: readonly Seen[] | null;
}

export interface AddingUp extends Omit<Evidence, 'splits'> {
  /** How many rollouts are shown. */
  readonly exemplars: number;
}

/** One for each module, in their order. Throws EvidenceMissing. */
export async function addedUp(modules: readonly EvidenceModuleName[], of: AddingUp): Promise<AddedUp[]> {
  const tallies = modules.map((module) => new Tally(module, of));
  const bySplit = Map.groupBy(tallies, ({ module }) => evidenceModules[module].split);
  for await (const seen of rolloutsIn({ ...of, splits: new Set(bySplit.keys()) })) {
    for (const tally of bySplit.get(seen.data.split as ShownSplit) ?? []) tally.add(seen);
  }
  return tallies.map((tally) => tally.added());
}

class Tally {
  readonly module: EvidenceModuleName;
  readonly #summariser: Summariser;
  #judged = 0;
  readonly #spoilt = new Map<string, number>();

  constructor(module: EvidenceModuleName, { descriptor, exemplars }: Pick<AddingUp, 'descriptor' | 'exemplars'>) {
    this.module = module;
    this.#summariser = evidenceModules[module].summariser(descriptor, exemplars);
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
      chosen: this.#summariser.chosen?.() ?? null,
    };
  }
}
