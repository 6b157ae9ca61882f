// Where the answers of models are recorded while policies are evaluated: the ledger of this folder, which is made when the
// first model is asked. Rules and networks need none.

import type { ModelEntry } from '../../../lab/models/entries.ts';
import type { Spending } from '../../../lab/models/spending.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { LedgerBook } from '../../../producers/answers/ledger-book.ts';
import { Models } from '../../../producers/models/models.ts';
import { blobsUrl, OpenedBlobs } from '../../blobs.ts';
import type { Context } from '../../context.ts';
import { ensureHome, findPlace } from '../../home.ts';
import { count, counted } from '../../output/quantity.ts';

export class Answers {
  readonly #context: Context;
  readonly #entries: ReadonlyMap<string, ModelEntry>;
  readonly #spending: Spending | undefined;
  #opened: Promise<Opened> | null = null;

  constructor(context: Context, entries: ReadonlyMap<string, ModelEntry>, spending: Spending | undefined) {
    this.#context = context;
    this.#entries = entries;
    this.#spending = spending;
  }

  readonly models = async (): Promise<Models> => {
    this.#opened ??= this.#open();
    return (await this.#opened).models;
  };

  /** Ends what is under way, waits for what was answered to be recorded, and says what there is now. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    if (opened === null || opened === undefined) return;
    const { models, book, ledger, blobs, madeHome } = opened;
    await models.close();
    await book.settled();
    await ledger.close();
    await blobs.close();
    if (madeHome !== null) await this.#context.say(`made ${madeHome}`);
    const there = book.found === 0 ? '' : `, ${count(book.found)} were there already`;
    await this.#context.say(`recorded ${counted(book.recorded, 'answer')} in ${ledger.url}${there}`);
  }

  async #open(): Promise<Opened> {
    const { io, flags } = this.#context;
    const { home, ledger: place } = findPlace(io, flags);
    const madeHome = place.from === 'home' && ensureHome(home) ? home.path : null;
    const ledger = await openLedger(place.url, { create: true });
    const blobs = new OpenedBlobs(blobsUrl(this.#context));
    const book = new LedgerBook(ledger, blobs);
    const spending = this.#spending === undefined ? {} : { spending: this.#spending };
    const models = new Models({ entries: this.#entries, environment: io.env, book, ...spending });
    return { models, book, ledger, blobs, madeHome };
  }
}

interface Opened {
  readonly models: Models;
  readonly book: LedgerBook;
  readonly ledger: Ledger;
  readonly blobs: OpenedBlobs;
  /** The home that was made for it; null where it was there, or none is needed. */
  readonly madeHome: string | null;
}
