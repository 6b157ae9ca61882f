// Checks the blobs that events name: each must exist and match its digest, unless its run redacted it; then it must not exist
// unless another event names it. A blob that was found sound is not read again while it is remembered.
import type { NamedBlob } from '../../../schemas/texts.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { BlobDamaged, BlobMissing } from '../blobs/errors.ts';
import { placeOf } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { judgeRedaction, type RedactedBlob, Redactions, redactedBlobs } from '../redactions.ts';
import type { StoredEvent } from '../stored.ts';
import { type FaultKind, type Finding, finding, whyUnreadable } from './findings.ts';

const mostRemembered = 100_000;

/** The limit for a blob whose event does not record its length. */
const mostRead = 64 * 2 ** 30;

/** A blob up to this length is read completely, so that a finding can state its length. */
const readAnyway = 1024 * 1024;

export class BlobChecks {
  readonly #blobs: Blobs | null;
  readonly #ledger: Ledger;
  readonly #redactions: Redactions;
  /** The number of bytes by blob. */
  readonly #sound = new RecentMap<string, number>(mostRemembered);
  #notErased: Promise<readonly RedactedBlob[]> | null = null;

  constructor(blobs: Blobs | null, ledger: Ledger) {
    this.#blobs = blobs;
    this.#ledger = ledger;
    this.#redactions = new Redactions(ledger);
  }

  /** The fault or notice for a blob that an event names; null: none. */
  async check(event: StoredEvent, { field, blob, bytes, isText }: NamedBlob): Promise<Finding | null> {
    const redaction = async () => (isText ? (await this.#redactions.look()).find(event.stream, blob) : null);
    let redacted = await redaction();
    const found = redacted === null ? (this.#sound.get(blob) ?? (await this.#read(blob, bytes))) : 0;
    // A redaction is recorded before the blob is erased, so a redaction explains a blob that disappeared meanwhile.
    if (typeof found !== 'number') redacted = await redaction();
    if (redacted !== null) return finding('redacted', event, `${field} was redacted: see ${redacted.by}`);
    if (typeof found !== 'number') return finding(found.kind, event, `${field}: ${found.says}`);
    this.#sound.set(blob, found);
    if (bytes === null || bytes === found) return null;
    return finding('blob-damaged', event, `${field} says ${bytes} bytes, its blob has ${found}`);
  }

  /** The notices for a Redacted event: claims without authority, and redacted texts that still exist. */
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
      // The event may come from an attacker, so the message does not advise erasing anything.
      const says = `${by} says that ${field} in ${stream} was redacted, and its blob ${blob} is still in the store`;
      found.push(finding('blob-not-erased', event, says));
    }
    return found;
  }

  /**
   * The number of bytes, read from first to last, or the fault. Reading stops when there are more bytes than the event records,
   * since the content may be endless.
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
