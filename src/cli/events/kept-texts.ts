// The texts of an event that are kept as blobs, for people to read with the event: each is fetched, or said to be
// redacted or missing. Nothing of this is a failure: the event itself is there.
import { blobsIn, type NamedBlob, replaceFields } from '../../../schemas/texts.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import { openBlobsIfThere } from '../../ledger/blobs/open.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Redactions } from '../../ledger/redactions.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { blobsUrl } from '../blobs.ts';
import type { Context } from '../context.ts';
import { Excerpt, Remark } from './pretty.ts';

/** More is not shown of any text. */
const mostFetched = 16 * 1024;

/** The data of an event, with what can be said of its texts beside the blobs that hold them. */
export async function dataWithTexts(context: Context, ledger: Ledger, event: StoredEvent): Promise<unknown> {
  const { type, version, data } = event.envelope;
  const kept = blobsIn(type, version, data).filter(({ isText }) => isText);
  if (kept.length === 0) return data;
  const redacted = await new Redactions(ledger).look();
  const store = new Store(blobsUrl(context));
  try {
    const shown = new Map<string, object>();
    for (const named of kept) {
      const redaction = redacted.find(event.stream, named.blob);
      const said = redaction === null ? await store.fetch(named) : await store.redacted(named, redaction.by);
      shown.set(named.field, { ...stored(named), ...said });
    }
    return replaceFields(type, version, data, shown);
  } finally {
    await store.close();
  }
}

function stored({ blob, bytes, preview }: NamedBlob): object {
  return { blob, bytes, ...(preview === null ? {} : { preview }) };
}

class Store {
  readonly #url: string;
  #opened: Blobs | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async fetch({ blob, bytes }: NamedBlob): Promise<object> {
    try {
      this.#opened ??= await openBlobsIfThere(this.#url);
      if (this.#opened === null) return { missing: new Remark(`there is no blob store at ${this.#url}`) };
      const text = await beginning(this.#opened, blob);
      return { text: new Excerpt(text, bytes ?? Buffer.byteLength(text)) };
    } catch (error) {
      if (error instanceof BlobMissing) return { missing: new Remark(`not in ${this.#url}`) };
      return { unreadable: new Remark(error instanceof Error ? error.message : String(error)) };
    }
  }

  /** The text of its own run's redaction is not shown; that it is not erased is. */
  async redacted({ blob }: NamedBlob, by: string): Promise<object> {
    const isThere = await this.#has(blob);
    if (!isThere) return { erased: new Remark(`see ${by}`) };
    return { redacted: new Remark(`see ${by}; its blob is still in ${this.#url}`) };
  }

  async #has(blob: string): Promise<boolean> {
    try {
      this.#opened ??= await openBlobsIfThere(this.#url);
      return this.#opened !== null && (await this.#opened.has(blob));
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }
}

async function beginning(blobs: Blobs, digest: string): Promise<string> {
  const decoder = new TextDecoder();
  let [text, fetched] = ['', 0];
  for await (const piece of blobs.read(digest)) {
    const some = piece.subarray(0, mostFetched - fetched);
    text += decoder.decode(some, { stream: true });
    fetched += some.byteLength;
    if (fetched >= mostFetched) return text;
  }
  return text + decoder.decode();
}
