// Where a bundle is unpacked before anything of it reaches a ledger: a ledger and a blob store of its own in a folder that
// goes when it was looked at.
import { join } from 'node:path';
import type { BundleMember } from '../../../../schemas/bundle.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { BlobSource, Blobs } from '../../../ledger/blobs/blobs.ts';
import { openBlobs } from '../../../ledger/blobs/open.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { Redactions } from '../../../ledger/redactions.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import { NamedBlobs } from './blobs.ts';
import { BundleRefused } from './errors.ts';
import { eventOf, longestPart } from './parts.ts';

/** Blobs up to this size are put several at a time. */
const smallBytes = 64 * 1024;
const atOnce = 64;

/** Events per transaction. */
const batchEvents = 1000;

export class Staging {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly #held = new Set<string>();
  readonly #named = new NamedBlobs();
  #waiting: { readonly member: BundleMember; readonly bytes: Buffer }[] = [];

  private constructor(ledger: Ledger, blobs: Blobs) {
    this.ledger = ledger;
    this.blobs = blobs;
  }

  static async in(folder: string): Promise<Staging> {
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
    return new Staging(ledger, await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true }));
  }

  /** Throws BundleRefused where the member is not what the list says. */
  async take(member: BundleMember, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    if (member.name.startsWith('blobs/')) return await this.#takeBlob(member, pieces);
    await this.#flush();
    await this.#takeEvents(member, await whole(member, pieces, longestPart));
  }

  /** When it resolves, everything is there. Throws BundleRefused where there is a blob that no event names. */
  async finish(): Promise<void> {
    await this.#flush();
    const unnamed = [...this.#held].find((blob) => !this.#named.has(blob));
    if (unnamed !== undefined) throw new BundleRefused(`blobs/${unnamed}`, 'no event in the bundle names it');
  }

  /** How many blobs it holds. */
  get held(): number {
    return this.#held.size;
  }

  /** How many blobs are named that are neither here nor redacted. */
  async lost(): Promise<number> {
    const redacted = await new Redactions(this.ledger).look();
    const isLost = (blob: string): boolean =>
      this.#named.isCertain(blob) && !this.#held.has(blob) && !this.#named.isRedacted(blob, redacted);
    return this.#named.inOrder().filter(isLost).length;
  }

  async close(): Promise<void> {
    await this.ledger.close();
    await this.blobs.close();
  }

  async #takeBlob(member: BundleMember, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const digest = member.name.slice('blobs/'.length);
    if (digest !== member.sha256) throw new BundleRefused(member.name, `its digest is ${member.sha256}`);
    this.#held.add(digest);
    if (member.bytes > smallBytes) return await this.#put(member, pieces);
    this.#waiting.push({ member, bytes: await whole(member, pieces, smallBytes) });
    if (this.#waiting.length >= atOnce) await this.#flush();
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { member, bytes } of waiting) requireDigest(member, sha256(bytes));
    await this.blobs.putAll(waiting.map(({ bytes }) => bytes));
  }

  async #put(member: BundleMember, pieces: BlobSource): Promise<void> {
    requireDigest(member, (await this.blobs.put(pieces)).digest);
  }

  async #takeEvents(member: BundleMember, text: Buffer): Promise<void> {
    requireDigest(member, sha256(text));
    const lines = text.toString('utf8').split('\n');
    if (lines.pop() !== '') throw new BundleRefused(member.name, 'its last line is not ended');
    const events = lines.map((line, index) => {
      const event = eventOf(line);
      if (event === null) throw new BundleRefused(member.name, `line ${index + 1} is no event as the ledger wrote it`);
      return event;
    });
    for (let at = 0; at < events.length; at += batchEvents)
      await this.#store(member, events.slice(at, at + batchEvents));
  }

  async #store(member: BundleMember, events: readonly StoredEvent[]): Promise<void> {
    try {
      const { existed } = await this.ledger.replicate(events);
      if (existed > 0) throw new BundleRefused(member.name, 'it holds an event twice');
    } catch (error) {
      if (error instanceof BundleRefused || !(error instanceof IcecoreError)) throw error;
      if (!['damaged', 'conflict', 'bad-input'].includes(error.kind)) throw error;
      throw new BundleRefused(member.name, error.message, { cause: error });
    }
    this.#named.look(events);
  }
}

function requireDigest({ name, sha256: wanted }: BundleMember, found: string): void {
  if (found !== wanted) throw new BundleRefused(name, `its bytes hash to ${found}, the list says ${wanted}`);
}

async function whole({ name, bytes }: BundleMember, pieces: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  if (bytes > most) throw new BundleRefused(name, `it has ${bytes} bytes, at most ${most} are allowed`);
  const taken: Uint8Array[] = [];
  for await (const piece of pieces) taken.push(piece);
  return Buffer.concat(taken);
}
