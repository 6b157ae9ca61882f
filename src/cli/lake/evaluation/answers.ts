// Where the answers of models are recorded while policies are evaluated: the ledger of this folder, which is made when the
// first question is asked. Rules and networks need none.

import { count, counted } from '../../../base/quantity.ts';
import type { Answered, Book } from '../../../lab/models/conversation.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { blobsUrl, OpenedBlobs } from '../../../library/opening/blobs.ts';
import { noticingWaits } from '../../../library/opening/ledger.ts';
import { textPlaceOf } from '../../../library/opening/texts.ts';
import { ensureHomeFor, findPlace } from '../../../library/place/place.ts';
import { LedgerBook } from '../../../producers/answers/answers.ts';
import { keepingTexts } from '../../../producers/intake/text-keeping.ts';
import type { Context } from '../../context.ts';

export class Answers implements Book {
  readonly #context: Context;
  #opened: Promise<Opened> | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  async find(key: string): Promise<Answered | null> {
    return await (await this.#book()).find(key);
  }

  async keep(answered: Answered): Promise<void> {
    await (await this.#book()).keep(answered);
  }

  /** Waits for what was answered to be recorded, and says what there is now. */
  async close(isDone: boolean): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    if (opened === null || opened === undefined) return;
    const { book, ledger, blobs, madeHome } = opened;
    await book.settled();
    await ledger.close();
    await blobs.close();
    if (madeHome !== null) await this.#context.say(`made ${madeHome}`);
    const there = book.found === 0 ? '' : `, ${count(book.found)} ${book.found === 1 ? 'was' : 'were'} there already`;
    const goesOn = isDone || book.recorded + book.found === 0 ? '' : '; the same command goes on from there';
    await this.#context.say(`recorded ${counted(book.recorded, 'answer')} in ${ledger.url}${there}${goesOn}`);
  }

  async #book(): Promise<LedgerBook> {
    this.#opened ??= this.#open();
    return (await this.#opened).book;
  }

  async #open(): Promise<Opened> {
    const { session } = this.#context;
    const place = findPlace(session);
    const texts = textPlaceOf(session) ?? 'inline';
    const madeHome = ensureHomeFor(place) ? place.home.path : null;
    const ledger = await openLedger(place.ledger.url, { create: true, onWait: noticingWaits(session) });
    const blobs = new OpenedBlobs(blobsUrl(session));
    keepingTexts(ledger, texts, () => blobs.toWrite());
    return { book: new LedgerBook(ledger, blobs), ledger, blobs, madeHome };
  }
}

interface Opened {
  readonly book: LedgerBook;
  readonly ledger: Ledger;
  readonly blobs: OpenedBlobs;
  /** The home that was made for it; null where it was there, or none is needed. */
  readonly madeHome: string | null;
}
