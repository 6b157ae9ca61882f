// The blobs that the events of a bundle name. Each is read to its end before the bundle is begun: what is missing or damaged
// is then known.
import type { BundleMember } from '../../../../schemas/bundle.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../../../ledger/blobs/errors.ts';
import { isKnown, namedBy } from '../../../ledger/named-blobs.ts';
import { type KnownRedactions, scopeOf } from '../../../ledger/redactions.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';

interface Naming {
  /** Of an event whose type is not known, something may only look like a blob. */
  isCertain: boolean;
  /** False where an event names it as something else than a text. */
  isText: boolean;
  /** The runs and answers that name it. */
  readonly scopes: Set<string>;
}

export class NamedBlobs {
  readonly #named = new Map<string, Naming>();

  look(events: readonly StoredEvent[]): void {
    for (const event of events) {
      for (const { blob, isText } of namedBy(event)) {
        const naming = this.#named.get(blob) ?? { isCertain: false, isText: true, scopes: new Set() };
        this.#named.set(blob, naming);
        naming.isCertain ||= isKnown(event);
        naming.isText &&= isText;
        naming.scopes.add(scopeOf(event.stream));
      }
    }
  }

  has(blob: string): boolean {
    return this.#named.has(blob);
  }

  isCertain(blob: string): boolean {
    return this.#named.get(blob)?.isCertain === true;
  }

  /** By everybody who names it, as a text. */
  isRedacted(blob: string, known: KnownRedactions): boolean {
    const naming = this.#named.get(blob);
    return naming?.isText === true && [...naming.scopes].every((scope) => known.covers(scope, blob));
  }

  inOrder(): readonly string[] {
    return [...this.#named.keys()].sort();
  }
}

export interface FoundBlobs {
  readonly members: readonly BundleMember[];
  readonly lost: readonly string[];
}

/** If more than these are missing, the store is. */
const mostLost = 1000;

/** Throws BlobsLost. */
export async function findBlobs(
  named: NamedBlobs,
  blobs: Blobs | null,
  redacted: KnownRedactions,
  onRead: (blobs: number) => Promise<void>,
): Promise<FoundBlobs> {
  const members: BundleMember[] = [];
  const lost: string[] = [];
  for (const blob of named.inOrder()) {
    if (named.isRedacted(blob, redacted)) continue;
    const bytes = await sizeOf(blob, blobs);
    if (bytes !== null) members.push({ name: `blobs/${blob}`, bytes, sha256: blob });
    else if (named.isCertain(blob)) lost.push(blob);
    if (lost.length > mostLost) throw new BlobsLost(lost.length, blobs?.url ?? null);
    await onRead(members.length);
  }
  return { members, lost };
}

/** Null where it is missing or damaged. */
async function sizeOf(blob: string, blobs: Blobs | null): Promise<number | null> {
  try {
    let bytes = 0;
    for await (const piece of blobs?.read(blob) ?? []) bytes += piece.byteLength;
    return blobs === null ? null : bytes;
  } catch (error) {
    if (error instanceof BlobMissing || error instanceof BlobDamaged) return null;
    throw error;
  }
}

class BlobsLost extends IcecoreError {
  override readonly name = 'BlobsLost';

  constructor(lost: number, url: string | null) {
    const where = url === null ? 'there is no blob store' : `${url} lacks them`;
    super('not-found', `more than ${lost - 1} blobs that the run names are missing: ${where}`, {
      facts: { lost, url },
      remedy: 'Nothing was packed. Name where its blobs are with ICECORE_BLOBS.',
    });
  }
}
