// Seeing the whole without reading it: streams by name, digests and ranges. These take the decisions first and then the
// evidence, each in its own order, so that they cost no more than in the parts, and what is hashed over them depends on
// nothing that no digest covers.
import type { Cursor } from '../cursor.ts';
import type { DigestsOf, EventRange, Head, StreamEnd } from '../ledger.ts';
import { type Cut, type Cuts, nothing } from './cuts.ts';
import { merged } from './merging.ts';
import { type Both, mayHoldNames, type Part, partOf, parts, type Store } from './parts.ts';

export class Survey {
  readonly #stores: Both<Store>;
  readonly #cuts: Cuts;

  constructor(stores: Both<Store>, cuts: Cuts) {
    this.#stores = stores;
    this.#cuts = cuts;
  }

  async *streams(prefix: string): AsyncGenerator<readonly StreamEnd[]> {
    const ends = (part: Part): AsyncIterable<readonly StreamEnd[]> =>
      mayHoldNames(part, prefix) ? this.#stores[part].pages((ledger) => ledger.streams(prefix)) : none();
    yield* merged(
      { decisions: ends('decisions'), evidence: ends('evidence') },
      {
        isBefore: (decision, evidence) => decision.stream < evidence.stream,
        make: (part, { stream, revision, cursor }) => {
          return { stream, revision, cursor: this.#cuts.cursorOf({ ...nothing, [part]: cursor }) };
        },
        weigh: () => 1,
      },
    );
  }

  async *digests(of: DigestsOf): AsyncGenerator<string> {
    if ('stream' in of) {
      yield* this.#stores[partOf(of.stream)].pages((ledger) => ledger.digests(of));
      return;
    }
    const after = this.#cuts.cutOf(of.after);
    const end = of.until === undefined ? null : this.#cuts.cutOf(of.until);
    for (const part of parts) {
      const until = end?.[part] ?? null;
      if (end !== null && until === null) continue;
      const span = { after: after[part], ...(until === null ? {} : { until }) };
      yield* this.#stores[part].pages((ledger) => ledger.digests(span));
    }
  }

  async ranges(events: number, span: { after?: Cursor; until?: Cursor }): Promise<readonly EventRange[]> {
    const after = this.#cuts.cutOf(span.after);
    const until = span.until === undefined ? await this.#end() : this.#cuts.cutOf(span.until);
    const decisions = await this.#rangesOf('decisions', events, { after, until });
    const evidence = await this.#rangesOf('evidence', events, {
      after: { ...after, decisions: until.decisions },
      until,
    });
    return [...decisions, ...evidence];
  }

  /** Of one part, while the other stays where it is. */
  async #rangesOf(
    part: Part,
    events: number,
    { after, until }: { after: Cut; until: Cut },
  ): Promise<readonly EventRange[]> {
    const [from, to] = [after[part], until[part]];
    if (to === null) return [];
    const span = { ...(from === null ? {} : { after: from }), until: to };
    const found = await this.#stores[part].ask((ledger) => ledger.ranges(events, span));
    return found.map((range) => {
      const start = { ...after, [part]: range.after ?? from };
      const isFirst = start.decisions === null && start.evidence === null;
      return {
        after: isFirst ? null : this.#cuts.cursorOf(start),
        until: this.#cuts.cursorOf({ ...after, [part]: range.until }),
        events: range.events,
      };
    });
  }

  async head(): Promise<Head> {
    const { cut, events } = await this.#heads();
    return { cursor: this.#cuts.cursorOf(cut), events };
  }

  async #end(): Promise<Cut> {
    return (await this.#heads()).cut;
  }

  /** The decisions' first: whatever they vouch for is then within that of the evidence. */
  async #heads(): Promise<{ readonly cut: Cut; readonly events: number }> {
    let cut = nothing;
    let events = 0;
    for (const part of parts) {
      const head = await this.#stores[part].ask((ledger) => ledger.head());
      // Of a part without events nobody has read any, and so has every cursor of one who has read all.
      if (head.events > 0) cut = { ...cut, [part]: head.cursor };
      events += head.events;
    }
    return { cut, events };
  }
}

async function* none(): AsyncGenerator<readonly StreamEnd[]> {}
