// What `icecore doctor` can say of a ledger's blobs: whether the store can be used, and whether what the last events name
// is there. `icecore verify` examines all of them.
import { blobsIn } from '../../../schemas/texts.ts';
import { type Check, failed, failure, ok } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { Redactions } from '../redactions.ts';
import type { Blobs } from './blobs.ts';
import { openBlobsIfThere } from './open.ts';

const lastEvents = 1000;

/**
 * Never throws: what cannot be checked is a failed check. Null instead of the ledger's URL: it cannot say which blobs its events
 * name.
 */
export async function checkBlobs(ledgerUrl: string | null, url: string): Promise<readonly Check[]> {
  try {
    const blobs = await openBlobsIfThere(url);
    try {
      const checks = ((await blobs?.check()) ?? []).map(named);
      return ledgerUrl === null ? checks : [...checks, await present(await namedLately(ledgerUrl), blobs, url)];
    } finally {
      await blobs?.close();
    }
  } catch (error) {
    return [failure('blobs', error)];
  }
}

/** The ledger has a disk of its own, and may be writable where its blobs are not. */
function named(check: Check): Check {
  return check.name === 'blobs' ? check : { ...check, name: `blobs ${check.name}` };
}

/** Where each blob is named by the last events; texts that their run redacted left out. */
async function namedLately(url: string): Promise<ReadonlyMap<string, string>> {
  let ledger: Ledger;
  try {
    ledger = await openLedger(url, { readOnly: true });
  } catch {
    // Its own checks say what is wrong with the ledger.
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
  if (first === undefined) return sound(named.size, blobs);
  return failed(
    'blobs named',
    `${missing.length} of the ${named.size} that the last events name are not in ${url}; the first is that of ${first}`,
    'The events stand, their texts are lost unless the store is elsewhere: name it with ICECORE_BLOBS, or bring it back from a copy. `icecore verify` names all.',
  );
}

function sound(named: number, blobs: Blobs | null): Check {
  if (blobs === null) return ok('blobs', 'none yet, and no event names one');
  return ok(
    'blobs named',
    named === 0 ? 'none by the last events' : `all ${named} that the last events name are there`,
  );
}
