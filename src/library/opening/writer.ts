// A ledger that is written to, created where there is none, with its texts where the settings say.
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { keepingTexts } from '../../producers/intake/text-keeping.ts';
import { ensureHomeFor, findPlace } from '../place/place.ts';
import type { Session } from '../session.ts';
import { blobsUrl, OpenedBlobs } from './blobs.ts';
import { noticingWaits } from './ledger.ts';
import { textPlaceOf } from './texts.ts';

export interface LedgerWriter {
  readonly ledger: Ledger;
  /** Made when somebody asks for it. */
  readonly blobs: () => Promise<Blobs>;
  close(): Promise<void>;
}

export async function openWriter(session: Session): Promise<LedgerWriter> {
  const place = findPlace(session);
  const texts = textPlaceOf(session) ?? 'inline';
  const isCreated = ensureHomeFor(place);
  const onWait = noticingWaits(session);
  const ledger = await openLedger(place.ledger.url, { create: true, onWait, types: session.eventTypes });
  if (isCreated) await session.notify({ kind: 'workspace-created', path: place.home.path });
  const blobs = new OpenedBlobs(blobsUrl(session));
  keepingTexts(ledger, texts, () => blobs.toWrite());
  return {
    ledger,
    blobs: () => blobs.toWrite(),
    close: async () => {
      await ledger.close();
      await blobs.close();
    },
  };
}
