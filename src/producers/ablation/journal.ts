// The stream of an ablation, as the one who conducts it writes it. Arms come to their ends in any order: what they came to is
// appended one after the other.
import { codeOf, type EventData, type NewEventOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { WrongRevision } from '../../ledger/errors.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withoutLongTexts } from '../answers/recorded-answer.ts';
import { KeptTexts } from '../intake/kept-texts.ts';
import { longestInline } from '../intake/texts.ts';
import { AblationRecord } from './record.ts';

/** An event of the ablation's stream, without what follows from its place. */
export type Entry = {
  readonly [Type in TypeName]: {
    readonly type: Type;
    /** The run whose history it is of; null: of none. */
    readonly run: string | null;
    readonly stage: number | null;
    /** Which of its type and stage, from 0: its id follows from it. */
    readonly index: number;
    readonly actor: string;
    readonly causes?: readonly Cause[];
    readonly data: EventData[Type];
  };
}[TypeName];

export interface Writing {
  readonly ledger: Ledger;
  /** Where long texts go. */
  readonly blobs: () => Promise<Blobs>;
  /** Throws where the ablation is in other hands by now. */
  readonly check: () => Promise<void>;
}

export class AblationJournal {
  readonly record: AblationRecord;
  readonly #writing: Writing;
  readonly #texts: KeptTexts;
  #last: Promise<void> = Promise.resolve();

  private constructor(record: AblationRecord, writing: Writing) {
    this.record = record;
    this.#writing = writing;
    this.#texts = new KeptTexts(writing.blobs);
  }

  static async open(ablation: string, writing: Writing): Promise<AblationJournal> {
    return new AblationJournal(await AblationRecord.read(writing.ledger, ablation), writing);
  }

  /** Comes back when it is durable. */
  async append(entry: Entry): Promise<void> {
    const appended = this.#last.then(async () => await this.#append(entry));
    this.#last = appended.catch(() => {});
    await appended;
  }

  async #append(entry: Entry): Promise<void> {
    const { ledger, check } = this.#writing;
    // What an arm came to may be told again by whoever goes on in the middle of it.
    if (this.record.has(idIn(this.record.ablation, entry))) return;
    const stream = streamOf.ablation(this.record.ablation);
    const outgoing = withoutLongTexts(eventOf(this.record.ablation, entry), longestInline.byDefault);
    await this.#texts.keep(ledger, stream, [outgoing]);
    for (;;) {
      await check();
      const { revision } = this.record;
      try {
        await ledger.append(stream, [outgoing.event], { expect: revision < 0 ? 'none' : revision });
        return await this.record.goOn(ledger);
      } catch (fault) {
        if (!(fault instanceof WrongRevision)) throw fault;
        // Whoever had it before wrote until then, or has it again: `check` tells.
        await this.record.goOn(ledger);
      }
    }
  }
}

export function idIn(ablation: string, { type, stage, index }: Pick<Entry, 'type' | 'stage' | 'index'>): string {
  return eventId({ run: ablation, stage: stage ?? 0, kind: codeOf(type), index });
}

function eventOf(ablation: string, entry: Entry): NewEvent {
  const { type, run, stage, actor, causes = [], data } = entry;
  return {
    id: idIn(ablation, entry),
    type,
    version: versionOf(type),
    at: new Date().toISOString(),
    actor,
    run,
    stage,
    causes,
    data,
  } satisfies NewEvent as NewEventOf<TypeName>;
}
