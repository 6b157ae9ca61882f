// The blobs that events name: each must be there and be what its name says, unless it was erased on purpose, and then it
// must be gone. A blob that was found sound is not read again while it is remembered.
import type { NamedBlob } from '../../../schemas/texts.ts';
import { isAway } from '../away.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import { Erasures } from '../erasures.ts';
import type { Ledger } from '../ledger.ts';
import { placeOf } from '../places.ts';
import { type StoredEvent, uuidOf } from '../stored.ts';
import type { FaultKind, Finding, NoticeKind } from './findings.ts';

const remembered = 100_000;

export class BlobChecks {
  readonly #blobs: Blobs | null;
  readonly #erasures: Erasures;
  /** By blob, how many bytes it has. */
  readonly #sound = new Map<string, number>();

  constructor(blobs: Blobs | null, ledger: Ledger) {
    this.#blobs = blobs;
    this.#erasures = new Erasures(ledger);
  }

  /** What is wrong with a blob that an event names, or worth knowing; null where nothing is. */
  async check(event: StoredEvent, { field, blob, bytes }: NamedBlob): Promise<Finding | null> {
    let by = (await this.#erasures.look()).get(blob);
    const found = by === undefined ? (this.#sound.get(blob) ?? (await this.#read(blob))) : 0;
    // An erasure is recorded before the blob goes: one that went while it was looked for is known by now.
    if (typeof found !== 'number') by = (await this.#erasures.look()).get(blob);
    if (by !== undefined) return finding('redacted', event, `${field} was erased: see ${by}`);
    if (typeof found !== 'number') return finding(found.kind, event, `${field}: ${found.says}`);
    if (this.#sound.size >= remembered) this.#sound.clear();
    this.#sound.set(blob, found);
    if (bytes !== null && bytes !== found) {
      return finding('blob-damaged', event, `${field} says ${bytes} bytes, its blob has ${found}`);
    }
    return null;
  }

  /** Of the blobs that a Redacted event says were destroyed: those that are still there. */
  async leftOver(event: StoredEvent, blobs: readonly string[]): Promise<readonly Finding[]> {
    const found: Finding[] = [];
    for (const blob of blobs) {
      if (!(await this.#blobs?.has(blob))) continue;
      found.push(finding('blob-not-erased', event, `blob ${blob} is still there: redact again`));
    }
    return found;
  }

  /** How many bytes it has, read from its first to its last; or what is wrong with it. */
  async #read(blob: string): Promise<number | { readonly kind: FaultKind; readonly says: string }> {
    if (this.#blobs === null) return { kind: 'blob-missing', says: `blob ${blob}: there is no blob store` };
    try {
      let bytes = 0;
      for await (const piece of this.#blobs.read(blob)) bytes += piece.length;
      return bytes;
    } catch (error) {
      if (error instanceof BlobMissing) return { kind: 'blob-missing', says: error.message };
      if (error instanceof BlobDamaged) return { kind: 'blob-damaged', says: error.message };
      if (isAway(error)) throw error;
      return { kind: 'unreadable', says: error instanceof Error ? error.message : String(error) };
    }
  }
}

function finding(kind: FaultKind | NoticeKind, event: StoredEvent, says: string): Finding {
  return { kind, where: placeOf(event), event: uuidOf(event), says };
}
