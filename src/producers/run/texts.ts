// Texts of events, wherever they stand: in the event, or in the blob it names.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';

type Text = NonNullable<EventData['RolloutRecorded']['prompt']>;

/** Null where a text was erased, or there is no store that could have it. */
export function textReader(blobs: () => Promise<Blobs | null>): (text: Text) => Promise<string | null> {
  return async (text) => {
    if ('text' in text) return text.text;
    try {
      const store = await blobs();
      return store === null ? null : Buffer.from(await store.get(text.blob)).toString('utf8');
    } catch (fault) {
      if (fault instanceof BlobMissing) return null;
      throw fault;
    }
  };
}
