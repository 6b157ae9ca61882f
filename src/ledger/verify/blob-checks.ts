// The blobs that events name: each must be there and be what its name says, unless its run redacted it, and then it must
// be gone where nothing else names it. A blob that was found sound is not read again while it is remembered.
import type { NamedBlob } from '../../../schemas/texts.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import { isAway } from '../errors.ts';
import { placeOf, uuidOf } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { type RedactedBlob, redactedBlobs } from '../redacted-blobs.ts';
import { judgeRedaction, Redactions } from '../redactions.ts';
import type { StoredEvent } from '../stored.ts';
import type { FaultKind, Finding, NoticeKind } from './findings.ts';

const remembered = 100_000;

/** Of a blob of which its event does not say how long it is. */
const mostRead = 64 * 2 ** 30;

/** So little is read to its end, so that a finding can say how much it is. */
const readAnyway = 1024 * 1024;

export class BlobChecks {
  readonly #blobs: Blobs | null;
  readonly #ledger: Ledger;
  readonly #redactions: Redactions;
  /** By blob, how many bytes it has. */
  readonly #sound = new Map<string, number>();
  #notErased: Promise<readonly RedactedBlob[]> | null = null;

  constructor(blobs: Blobs | null, ledger: Ledger) {
    this.#blobs = blobs;
    this.#ledger = ledger;
    this.#redactions = new Redactions(ledger);
  }

  /** What is wrong with a blob that an event names, or worth knowing; null where nothing is. */
  async check(event: StoredEvent, { field, blob, bytes, isText }: NamedBlob): Promise<Finding | null> {
    const redaction = async () => (isText ? (await this.#redactions.look()).find(event.stream, blob) : null);
    let redacted = await redaction();
    const found = redacted === null ? (this.#sound.get(blob) ?? (await this.#read(blob, bytes))) : 0;
    // A redaction is recorded before the blob goes: one that went while it was looked for is known by now.
    if (typeof found !== 'number') redacted = await redaction();
    if (redacted !== null) return finding('redacted', event, `${field} was redacted: see ${redacted.by}`);
    if (typeof found !== 'number') return finding(found.kind, event, `${field}: ${found.says}`);
    if (this.#sound.size >= remembered) this.#sound.clear();
    this.#sound.set(blob, found);
    if (bytes !== null && bytes !== found) {
      return finding('blob-damaged', event, `${field} says ${bytes} bytes, its blob has ${found}`);
    }
    return null;
  }

  /** What is worth knowing of a Redacted event: claims that do not count, and texts that count as redacted and are there. */
  async checkRedaction(event: StoredEvent): Promise<readonly Finding[]> {
    const found: Finding[] = [];
    let isAnyLeft = false;
    for (const { field, blob, stream, fault } of await judgeRedaction(this.#ledger, event)) {
      if (fault === null) isAnyLeft ||= (await this.#blobs?.has(blob)) === true;
      else {
        const says = `a redaction without authority, which is ignored: ${field} in ${stream}: ${fault}`;
        found.push(finding('redaction-ignored', event, says));
      }
    }
    return isAnyLeft ? [...found, ...(await this.#notErasedBy(event))] : found;
  }

  async #notErasedBy(event: StoredEvent): Promise<readonly Finding[]> {
    const blobs = this.#blobs;
    if (blobs === null) return [];
    this.#notErased ??= this.#findNotErased(blobs);
    const found: Finding[] = [];
    for (const { redaction, neededBy } of await this.#notErased) {
      const { by, field, stream, blob } = redaction;
      if (by !== placeOf(event) || neededBy !== null || !(await blobs.has(blob))) continue;
      // Somebody else may have made that event: nothing here advises to destroy what it claims.
      const says = `${by} says that ${field} in ${stream} was redacted, and its blob ${blob} is still in the store`;
      found.push(finding('blob-not-erased', event, says));
    }
    return found;
  }

  async #findNotErased(blobs: Blobs): Promise<readonly RedactedBlob[]> {
    const known = await this.#redactions.look();
    return await redactedBlobs(this.#ledger, blobs, known, [...known.all()]);
  }

  /**
   * How many bytes it has, read from its first to its last; or what is wrong with it. Where more comes out of it than the
   * event says, the rest is not waited for: it may have no end to speak of.
   */
  async #read(
    blob: string,
    expected: number | null,
  ): Promise<number | { readonly kind: FaultKind; readonly says: string }> {
    if (this.#blobs === null) return { kind: 'blob-missing', says: `blob ${blob}: there is no blob store` };
    try {
      let bytes = 0;
      for await (const piece of this.#blobs.read(blob)) {
        bytes += piece.length;
        if (bytes > mostOf(expected)) return { kind: 'blob-damaged', says: tooLong(blob, expected) };
      }
      return bytes;
    } catch (error) {
      if (error instanceof BlobMissing) return { kind: 'blob-missing', says: error.message };
      if (error instanceof BlobDamaged) return { kind: 'blob-damaged', says: error.message };
      if (isAway(error)) throw error;
      return { kind: 'unreadable', says: error instanceof Error ? error.message : String(error) };
    }
  }
}

function mostOf(expected: number | null): number {
  return expected === null ? mostRead : Math.max(expected, readAnyway);
}

function tooLong(blob: string, expected: number | null): string {
  const says = expected === null ? '' : `; the event says ${expected}`;
  return `blob ${blob} has more than ${mostOf(expected)} bytes${says}`;
}

function finding(kind: FaultKind | NoticeKind, event: StoredEvent, says: string): Finding {
  return { kind, where: placeOf(event), event: uuidOf(event), says };
}
