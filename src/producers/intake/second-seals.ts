// A stage of a run is sealed once. A second seal would count for nothing and be reported by every verification, so it is
// refused; the same seal again is a success, as any event is.

import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Known, Sorted } from './named-blobs.ts';
import type { Refused, Taken } from './window.ts';

export class SecondSeals {
  readonly #known: Pick<Known, 'ledger'>;
  /** The ids of seals by stream and stage, as far as they were asked for, and those that were taken in since. */
  readonly #seals = new Map<string, Map<number | null, string>>();

  constructor(known: Pick<Known, 'ledger'>) {
    this.#known = known;
  }

  /** The events that may be appended, and seals of stages that are sealed already, in the ledger or among these. */
  async sort(all: readonly Taken[]): Promise<Sorted> {
    const refused: Refused[] = [];
    for (const { piece, stream, event } of all) {
      const { type, run, stage, id } = event;
      if (type !== 'EvidenceSealed' || run === null || stream !== streamOf.run(run)) continue;
      const seals = await this.#sealsIn(stream);
      const before = seals.get(stage) ?? id;
      seals.set(stage, before);
      if (before !== id) refused.push({ piece, fault: new SecondSeal(run, stage, before) });
    }
    if (refused.length === 0) return { taken: all, refused };
    const bad = new Set(refused.map(({ piece }) => piece));
    return { taken: all.filter(({ piece }) => !bad.has(piece)), refused };
  }

  async #sealsIn(stream: string): Promise<Map<number | null, string>> {
    const known = this.#seals.get(stream);
    if (known !== undefined) return known;
    const found = new Map<number | null, string>();
    const ledger = await this.#known.ledger();
    for await (const events of ledger?.readAll({ streams: [stream], types: ['EvidenceSealed'] }) ?? []) {
      for (const { envelope, id } of events) if (!found.has(envelope.stage)) found.set(envelope.stage, id);
    }
    this.#seals.set(stream, found);
    return found;
  }
}

export class SecondSeal extends IcecoreError {
  override readonly name = 'SecondSeal';

  constructor(run: string, stage: number | null, by: string) {
    super('conflict', `stage ${stage} of run ${run} is sealed already, by event ${by}`, {
      facts: { run, stage, by },
      remedy: 'The first seal of a stage counts. Leave this event out.',
    });
  }
}
