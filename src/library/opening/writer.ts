// A ledger opened for writing, with its texts where the settings say.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { keepingTexts } from '../../producers/intake/text-keeping.ts';
import { ensureWorkspaceFor, findPlace } from '../place/place.ts';
import type { Session } from '../session.ts';
import { blobsUrl, OpenedBlobs } from './blobs.ts';
import { advisingIfMissing, noticingWaits } from './ledger.ts';
import { textPlaceOf } from './texts.ts';

export interface LedgerWriter {
  readonly ledger: Ledger;
  readonly blobs: OpenedBlobs;
  close(): Promise<void>;
}

interface WriterOptions {
  /** Create a missing workspace and ledger. */
  readonly create: boolean;
}

/** Commands that only read load no plugin, so the plugins' tables are recorded where their events are written. */
export async function noteOwnTables(session: Session, ledger: Ledger): Promise<void> {
  if ((await session.plugins.atHand()).tables.length === 0) return;
  const { tablesToFill } = await import('./tables.ts');
  try {
    await tablesToFill(session, ledger);
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    await session.notify({ kind: 'note', text: fault.message });
  }
}

export async function openWriter(session: Session, { create }: WriterOptions): Promise<LedgerWriter> {
  const place = findPlace(session);
  const texts = textPlaceOf(session) ?? 'inline';
  const isCreated = create && ensureWorkspaceFor(place);
  const onWait = noticingWaits(session);
  const { eventTypes: types } = await session.plugins.atHand();
  const ledger = await advisingIfMissing(session, place, () => openLedger(place.ledger.url, { create, onWait, types }));
  await noteOwnTables(session, ledger);
  const blobs = new OpenedBlobs(blobsUrl(session));
  keepingTexts(ledger, texts, () => blobs.toWrite());
  if (isCreated) await session.notify({ kind: 'workspace-created', path: place.workspace.path });
  return {
    ledger,
    blobs,
    close: async () => {
      await ledger.close();
      await blobs.close();
    },
  };
}
