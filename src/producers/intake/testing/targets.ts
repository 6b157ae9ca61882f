// Targets for tests: a ledger with a blob store that is opened on demand.
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { StoredContent } from '../ledger-checks.ts';
import { checkingTarget, IntakeReports, type Target } from '../target.ts';
import { KeptTexts } from '../texts.ts';

/** If there is neither a ledger nor a blob store. */
const nothing: StoredContent = { blobsUrl: 'folder:nowhere', ledger: async () => null, blobs: async () => null };

export function targetOf(ledger: Ledger, blobs: Blobs | null = null): Target {
  const kept = new KeptTexts(async () => {
    if (blobs === null) throw new Error('this test has no blob store');
    return blobs;
  });
  const reports = new IntakeReports(ledger);
  return {
    maxEventBytes: ledger.capabilities.maxEventBytes,
    known: { blobsUrl: blobs?.url ?? nothing.blobsUrl, ledger: async () => ledger, blobs: async () => blobs },
    kept,
    append: async (stream, outgoing, options) => {
      await kept.keep(ledger, stream, outgoing);
      const events = outgoing.map(({ event }) => event);
      const appended = await ledger.append(stream, events, options);
      await reports.appended(stream, appended);
      return appended;
    },
    finish: async () => await reports.finish(),
  };
}

export function onlyChecking(maxEventBytes = 1_000_000): Target {
  return checkingTarget(maxEventBytes, nothing);
}
