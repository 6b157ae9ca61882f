// The blobs that events name: each must be there and be what its name says, unless its run redacted it, and then it must
// be gone where nothing else names it. A blob that was found sound is not read again while it is remembered.
import type { NamedBlob } from '../../../schemas/texts.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import { placeOf } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { judgeRedaction, type RedactedBlob, Redactions, redactedBlobs } from '../redactions.ts';
import type { StoredEvent } from '../stored.ts';
import { type FaultKind, type Finding, finding, whyUnreadable } from './findings.ts';

const mostRemembered = 100_000;

/** Of a blob whose event does not say how long it is. */
const mostRead = 64 * 2 ** 30;

/** A blob no longer than this is read to its end, so that a finding can say how much it is. */
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
    if (this.#sound.size >= mostRemembered) this.#sound.clear();
    this.#sound.set(blob, found);
    if (bytes === null || bytes === found) return null;
    return finding('blob-damaged', event, `${field} says ${bytes} bytes, its blob has ${found}`);
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
    return isAnyLeft && this.#blobs !== null ? [...found, ...(await this.#notErasedBy(event, this.#blobs))] : found;
  }

  async #notErasedBy(event: StoredEvent, blobs: Blobs): Promise<readonly Finding[]> {
    this.#notErased ??= this.#redactions
      .look()
      .then((known) => redactedBlobs(this.#ledger, blobs, known, [...known.all()]));
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

  /**
   * How many bytes it has, read from its first to its last; or what is wrong with it. Where more comes out of it than the
   * event says, the rest is not waited for: it may have no end to speak of.
   */
  async #read(
    blob: string,
    expected: number | null,
  ): Promise<number | { readonly kind: FaultKind; readonly says: string }> {
    if (this.#blobs === null) return { kind: 'blob-missing', says: `blob ${blob}: there is no blob store` };
    const most = expected === null ? mostRead : Math.max(expected, readAnyway);
    try {
      let bytes = 0;
      for await (const piece of this.#blobs.read(blob)) {
        bytes += piece.length;
        if (bytes <= most) continue;
        const event = expected === null ? '' : `; the event says ${expected}`;
        return { kind: 'blob-damaged', says: `blob ${blob} has more than ${most} bytes${event}` };
      }
      return bytes;
    } catch (error) {
      const says = whyUnreadable(error);
      if (error instanceof BlobMissing) return { kind: 'blob-missing', says };
      return { kind: error instanceof BlobDamaged ? 'blob-damaged' : 'unreadable', says };
    }
  }
}
