// Answers of models as events: each is recorded in a stream named after its question before it is used, so that no
// answer is paid for twice. If another process recorded an answer first, that one is used.

import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Answered, Book } from '../../lab/models/conversation.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import { placeOf } from '../../ledger/event.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { KeptTexts, longestInline, withoutLongTexts } from '../intake/texts.ts';

/** Another process asked the same question at the same time and recorded its answer first: that answer counts. */
export class AnsweredBefore extends IcecoreError {
  override readonly name = 'AnsweredBefore';

  constructor(key: string) {
    super('conflict', `another answer was recorded in ${streamOf.answer(key)} first`, {
      facts: { key },
      remedy: 'Ask again to get the recorded answer.',
    });
  }
}

/**
 * The answer was paid for and recorded, but its text no longer exists. Asking again would give a second answer to the
 * same question.
 */
class AnswerLost extends IcecoreError {
  override readonly name = 'AnswerLost';

  constructor(key: string, place: string, blobs: string) {
    super('not-found', `the text of the answer recorded at ${place} is not in ${blobs}: it was erased or lost`, {
      facts: { key, place, blobs },
      remedy: 'Restore the blob, or ask for another answer with another seed.',
    });
  }
}

/** Recorded by a newer icecore in a format that this version does not know. */
class AnswerUnreadable extends IcecoreError {
  override readonly name = 'AnswerUnreadable';

  constructor(key: string, place: string) {
    super('newer-format', `the answer recorded at ${place} was written by a newer icecore`, {
      facts: { key, place },
      remedy: 'Use that icecore, or a newer one.',
    });
  }
}

type Recorded = EventData['ModelAnswered'];
type RecordedText = NonNullable<Recorded['prompt']>;

/**
 * The id follows from the key, so a second answer to the same question has the same id: it is the same event or is
 * refused.
 */
function recordOf(answered: Answered, actor: string, at: string): NewEventOf<'ModelAnswered'> {
  const { prompt, answer, reasoning, ...rest } = answered;
  return {
    id: eventId({ run: answered.key, stage: 0, kind: codeOf('ModelAnswered'), index: 0 }),
    type: 'ModelAnswered',
    version: versionOf('ModelAnswered'),
    at,
    actor,
    run: null,
    stage: null,
    causes: [],
    data: {
      ...rest,
      prompt: { text: prompt },
      answer: answer === null ? null : { text: answer },
      ...(reasoning === undefined ? {} : { reasoning: { text: reasoning } }),
    },
  };
}

/** `textOf` reads a text from the blobs; null if it no longer exists. */
async function answeredFrom(
  { prompt, answer, reasoning, ...rest }: Recorded,
  textOf: (text: RecordedText) => Promise<string | null>,
  onLost: () => Error,
): Promise<Answered> {
  const said = answer === null ? null : await textOf(answer);
  if (said === null && answer !== null) throw onLost();
  const thoughts = reasoning === undefined ? null : await textOf(reasoning);
  return {
    // Parsed from JSON, so no field is undefined.
    ...(rest as Omit<Answered, 'prompt' | 'answer' | 'reasoning'>),
    // The caller knows the question, and its text may have been erased.
    prompt: prompt === undefined ? '' : ((await textOf(prompt)) ?? ''),
    answer: said,
    ...(thoughts === null ? {} : { reasoning: thoughts }),
  };
}

/** Storage of long texts. */
interface TextStore {
  readonly url: string;
  /** Null if there is none. */
  toRead(): Promise<Blobs | null>;
  /** Creates it if there is none. */
  toWrite(): Promise<Blobs>;
}

const actor = 'producer/answers';

export class LedgerBook implements Book {
  readonly #ledger: Ledger;
  readonly #store: TextStore;
  readonly #texts: KeptTexts;
  readonly #underWay = new Set<Promise<void>>();
  /** The number of answers recorded here, and of those already recorded when they were requested. */
  recorded = 0;
  found = 0;

  constructor(ledger: Ledger, store: TextStore) {
    this.#ledger = ledger;
    this.#store = store;
    this.#texts = new KeptTexts(() => store.toWrite());
  }

  /** Throws AnswerLost if it was recorded and its text no longer exists. */
  async find(key: string): Promise<Answered | null> {
    for await (const events of this.#ledger.read(streamOf.answer(key))) {
      const event = events.find(({ type }) => type === 'ModelAnswered');
      if (event === undefined) continue;
      this.found += 1;
      return await this.#read(key, event);
    }
    return null;
  }

  /** Throws AnsweredBefore if another answer to the same question was recorded first. */
  async keep(answered: Answered): Promise<void> {
    const keeping = this.#append(answered).finally(() => this.#underWay.delete(keeping));
    this.#underWay.add(keeping);
    await keeping;
  }

  /** Resolves when all submitted answers are durable or refused: then the ledger may be closed. */
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

export function askedOnce(model: Model): Model {
  const ask: Model['ask'] = async (question) => {
    try {
      return await model.ask(question);
    } catch (fault) {
      if (!(fault instanceof AnsweredBefore)) throw fault;
      // The answer is recorded now, so it is found.
      return await model.ask(question);
    }
  };
  return Object.create(model, { ask: { value: ask } }) as Model;
}
