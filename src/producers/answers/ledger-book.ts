// The book of answers on a ledger: each answer is one event in a stream named after its question, durable before anybody
// sees it. Whoever asks the same again, in whatever process and after whatever stop, finds it there.
import { streamOf } from '../../../schemas/streams.ts';
import type { Answered, Book } from '../../lab/models/conversation.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import { placeOf } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { KeptTexts, longestInline } from '../intake/texts.ts';
import { AnsweredBefore, AnswerLost, AnswerUnreadable } from './errors.ts';
import { answeredFrom, type RecordedText, recordOf, withoutLongTexts } from './recorded-answer.ts';

/** Where long texts are. */
export interface TextStore {
  readonly url: string;
  /** Null where there is none. */
  toRead(): Promise<Blobs | null>;
  /** Made where there is none. */
  toWrite(): Promise<Blobs>;
}

const actor = 'producer/answers';

export class LedgerBook implements Book {
  readonly #ledger: Ledger;
  readonly #store: TextStore;
  readonly #texts: KeptTexts;
  readonly #underWay = new Set<Promise<void>>();
  /** Answers that were recorded here, and that were there when they were asked for. */
  recorded = 0;
  found = 0;

  constructor(ledger: Ledger, store: TextStore) {
    this.#ledger = ledger;
    this.#store = store;
    this.#texts = new KeptTexts(() => store.toWrite());
  }

  /** Throws AnswerLost where it was recorded and its text is no more. */
  async find(key: string): Promise<Answered | null> {
    for await (const events of this.#ledger.read(streamOf.answer(key))) {
      const event = events.find(({ type }) => type === 'ModelAnswered');
      if (event === undefined) continue;
      this.found += 1;
      return await this.#read(key, event);
    }
    return null;
  }

  /** Throws AnsweredBefore where another answer to the same question was recorded first. */
  async keep(answered: Answered): Promise<void> {
    const keeping = this.#append(answered).finally(() => this.#underWay.delete(keeping));
    this.#underWay.add(keeping);
    await keeping;
  }

  /** Comes back when everything that was handed in is durable, or refused: then the ledger may be closed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #append(answered: Answered): Promise<void> {
    const stream = streamOf.answer(answered.key);
    const outgoing = withoutLongTexts(recordOf(answered, actor, new Date().toISOString()), longestInline.byDefault);
    try {
      await this.#texts.keep(this.#ledger, stream, [outgoing]);
      await this.#ledger.append(stream, [outgoing.event], { expect: 'none' });
      this.recorded += 1;
    } catch (fault) {
      if (fault instanceof DuplicateId || fault instanceof WrongRevision) throw new AnsweredBefore(answered.key);
      throw fault;
    }
  }

  async #read(key: string, event: StoredEvent): Promise<Answered> {
    const { reading } = event;
    if (!reading.known || reading.type !== 'ModelAnswered') throw new AnswerUnreadable(key, placeOf(event));
    const lost = (): AnswerLost => new AnswerLost(key, placeOf(event), this.#store.url);
    return await answeredFrom(reading.data, (text) => this.#fetch(text), lost);
  }

  async #fetch(text: RecordedText): Promise<string | null> {
    if ('text' in text) return text.text;
    const blobs = await this.#store.toRead();
    try {
      return blobs === null ? null : Buffer.from(await blobs.get(text.blob)).toString('utf8');
    } catch (fault) {
      if (fault instanceof BlobMissing) return null;
      throw fault;
    }
  }
}
