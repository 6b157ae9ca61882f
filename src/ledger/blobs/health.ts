// The checks of `icecore doctor` for the blobs of a ledger: whether the store can be used, and whether the blobs named by the
// last events exist. `icecore verify` checks all blobs.
import { blobsIn } from '../../../schemas/texts.ts';
import { type Check, failed, failure, ok } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { Redactions } from '../redactions.ts';
import type { Blobs } from './blobs.ts';
import { openBlobsIfThere } from './open.ts';

const lastEvents = 1000;

/**
 * Never throws: a check that cannot be done is a failed check. With null as the ledger's URL, blobs of events are not checked.
 */
export async function checkBlobs(ledgerUrl: string | null, url: string): Promise<readonly Check[]> {
  try {
    const blobs = await openBlobsIfThere(url);
    try {
      // The store may be on another disk than the ledger, so its free space is a separate check.
      const checks = ((await blobs?.check()) ?? []).map((check) =>
        check.name === 'blobs' ? check : { ...check, name: `blobs ${check.name}` },
      );
      return ledgerUrl === null ? checks : [...checks, await present(await namedLately(ledgerUrl), blobs, url)];
    } finally {
      await blobs?.close();
    }
  } catch (error) {
    return [failure('blobs', error)];
  }
}

/** The blobs named by the last events, with the place that names them; without redacted texts. */
async function namedLately(url: string): Promise<ReadonlyMap<string, string>> {
  let ledger: Ledger;
  try {
    ledger = await openLedger(url, { readOnly: true });
  } catch {
    // The ledger's own checks report its faults.
    return new Map();
  }
  try {
    const redacted = await new Redactions(ledger).look();
    const named = new Map<string, string>();
    for await (const events of ledger.readAll({ backwards: true, limit: lastEvents })) {
      for (const { stream, revision, envelope } of events) {
        for (const { field, blob, isText } of blobsIn(envelope.type, envelope.version, envelope.data)) {
          if (!isText || redacted.find(stream, blob) === null) named.set(blob, `${stream}@${revision} ${field}`);
        }
      }
    }
    return named;
  } finally {
    await ledger.close();
  }
}

async function present(named: ReadonlyMap<string, string>, blobs: Blobs | null, url: string): Promise<Check> {
  const missing: string[] = [];
  for (const [blob, where] of named) if (!(await blobs?.has(blob))) missing.push(where);
  const [first] = missing;
  if (first !== undefined)
    return failed(
      'blobs named',
      `${missing.length} of the ${named.size} blobs that the last events name are not in ${url}; the first one belongs to ${first}`,
      'The events remain, but their texts are lost unless the blobs are elsewhere: name that store with ICECORE_BLOBS, or restore the blobs from a copy. `icecore verify` lists all missing blobs.',
    );
  if (blobs === null) return ok('blobs', 'none yet, and no event names one');
  return ok(
    'blobs named',
    named.size === 0 ? 'none by the last events' : `all ${named.size} that the last events name exist`,
  );
}
