// Computes the summaries of a stage for one or more modules in a single pass over its sealed evidence. The results are
// plain data, which threads can exchange.

import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { failureClassOf, familyOf, isFailed } from '../../lab/environments/rollout-reading.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type EvidenceModuleName, evidenceModules } from './modules.ts';
import type { Seen, ShownSplit, Summariser, Sums } from './summary.ts';

export interface EvidenceSums extends Sums {
  readonly module: EvidenceModuleName;
  /** The number of judged rollouts. */
  readonly judged: number;
  /** The number of rollouts without a verdict, by fault. */
  readonly spoilt: Readonly<Record<string, number>>;
  /** The rollouts of the exemplars, in order; null if the module shows none. */
  readonly chosen: readonly Seen[] | null;
}

export interface SummingOptions extends Omit<Evidence, 'splits'> {
  /** The number of exemplars to show. */
  readonly exemplars: number;
}

/** One result per module, in order. Throws EvidenceMissing. */
export async function sumEvidence(modules: readonly EvidenceModuleName[], of: SummingOptions): Promise<EvidenceSums[]> {
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

  constructor(module: EvidenceModuleName, { descriptor, exemplars }: Pick<SummingOptions, 'descriptor' | 'exemplars'>) {
    this.module = module;
    this.#summariser = evidenceModules[module].summariser(descriptor, exemplars);
  }

  add(seen: Seen): void {
    this.#summariser.add(seen);
    const { error } = seen.data;
    if (error === undefined) this.#judged += 1;
    else this.#spoilt.set(error.kind, (this.#spoilt.get(error.kind) ?? 0) + 1);
  }

  added(): EvidenceSums {
    return {
      module: this.module,
      judged: this.#judged,
      spoilt: Object.fromEntries([...this.#spoilt].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...this.#summariser.sums(),
      chosen: this.#summariser.chosen?.() ?? null,
    };
  }
}

// The rollouts that a stage's summaries are based on: those of the sealed attempts and the requested splits. Only
// splits that engineers may see can be requested, not the hidden probes or benchmarks.

interface Evidence {
  readonly ledger: Ledger;
  readonly sealed: EventData['EvidenceSealed'];
  readonly descriptor: Descriptor;
  readonly splits: ReadonlySet<ShownSplit>;
  readonly signal?: AbortSignal | undefined;
}

/** An attempt has fewer events than its seal covers. */
function missingEvidence(stream: string, revision: number, sealed: number): EvidenceMissing {
  const what = `${stream} has no event ${revision}; its seal covers ${sealed}`;
  return new EvidenceMissing(what, { stream, revision, sealed });
}

/** Evidence of trainings and evaluations is in other parts and never reaches engineers. */
function shardsIn({ attempts }: EventData['EvidenceSealed']): EventData['EvidenceSealed']['attempts'] {
  return attempts.filter(({ stream }) => {
    const name = parseStream(stream);
    return name?.category === 'evidence' && name.shard !== null;
  });
}

/** A failure follows right after its rollout. Rollouts without a family of the descriptor are skipped. */
export async function* rolloutsIn({ ledger, sealed, descriptor, splits, signal }: Evidence): AsyncGenerator<Seen> {
  const families = new Set(descriptor.families.map(({ family }) => family));
  for (const attempt of shardsIn(sealed)) {
    let held = null as Seen | null;
    for await (const events of sealedEvents(ledger, attempt)) {
      signal?.throwIfAborted();
      for (const event of events) {
        // Irrelevant events are skipped without parsing.
        if (event.type !== 'RolloutRecorded' && (event.type !== 'FailureRecorded' || held === null)) continue;
        const { id, reading } = event;
        if (!reading.known) continue;
        if (reading.type === 'FailureRecorded' && held !== null && reading.data.rollout === held.id) {
          held = { ...held, failure: { id, data: reading.data } };
        }
        if (reading.type !== 'RolloutRecorded') continue;
        if (held !== null) yield held;
        const isShown = (splits as ReadonlySet<string>).has(reading.data.split);
        const seen = isShown ? seenIn(descriptor, id, reading.data) : null;
        held = seen !== null && families.has(seen.family) ? seen : null;
      }
    }
    if (held !== null) yield held;
  }
}

function seenIn(descriptor: Descriptor, id: string, data: EventData['RolloutRecorded']): Seen | null {
  const family = familyOf(descriptor, data);
  if (family === null) return null;
  const failureClass = isFailed(descriptor, data) ? (failureClassOf(descriptor, data) ?? 'unclassified') : null;
  return { id, data, family, failureClass, failure: null };
}

/** In pages, each revision once: a store may deliver it again. */
async function* sealedEvents(
  ledger: Ledger,
  { stream, count }: EventData['EvidenceSealed']['attempts'][number],
): AsyncGenerator<readonly StoredEvent[]> {
  if (count === 0) return;
  let next = 0;
  for await (const events of ledger.read(stream, { from: 0, to: count - 1 })) {
    // Yields to the event loop, so that signals are handled.
    await setImmediate();
    yield events.filter(({ revision }) => {
      if (revision > next) throw missingEvidence(stream, next, count);
      if (revision < next) return false;
      next += 1;
      return true;
    });
  }
  if (next < count) throw missingEvidence(stream, next, count);
}
