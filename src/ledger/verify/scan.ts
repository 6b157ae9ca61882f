// Looks at one piece of the ledger: hashes every event's stored bytes, holds what they say against where they stand,
// against the event before, the catalogue and the blobs they name, and gathers the Merkle trees that seals and heads are
// held to. It keeps no more than the piece.

import type { Cause, Envelope } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { blobsIn, namesBlobs } from '../../../schemas/texts.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type Cursor, isWithin } from '../cursor.ts';
import { uuidOf } from '../filed.ts';
import type { EventRange, Ledger } from '../ledger.ts';
import { lastOf, placeOf } from '../places.ts';
import { treeOf } from '../seal/tree.ts';
import { impossibilities, misfilings } from '../skim.ts';
import { EvidenceMissing } from '../split/errors.ts';
import type { StoredEvent } from '../stored.ts';
import { BlobChecks } from './blob-checks.ts';
import { whyUnreadable } from './findings.ts';
import { envelopeOf, reportMalformation } from './form.ts';
import { Glance } from './glance.ts';
import type { Job, Outcome, StreamJob } from './jobs.ts';
import { Piece } from './piece.ts';
import { type Predecessor, Predecessors } from './predecessors.ts';
import type { Vouchers } from './vouchers.ts';

export class Scan {
  readonly #ledger: Ledger;
  readonly #vouchers: Vouchers;
  readonly #predecessors: Predecessors;
  readonly #blobs: BlobChecks;
  readonly #glance = new Glance();

  constructor(ledger: Ledger, blobs: Blobs | null, vouchers: Vouchers) {
    this.#ledger = ledger;
    this.#vouchers = vouchers;
    this.#predecessors = new Predecessors(ledger);
    this.#blobs = new BlobChecks(blobs, ledger);
  }

  /** Throws what keeps it from looking: a store that does not answer, a ledger that was closed. */
  async look(job: Job): Promise<Outcome> {
    const piece = new Piece(this.#vouchers, job.kind === 'range' ? job.first : null);
    try {
      if (job.kind === 'audit') {
        for await (const { where, what } of this.#ledger.audit({ wholly: job.run === null, run: job.run }))
          piece.fault('store', where, what);
      } else {
        for await (const events of this.#read(job, piece)) {
          for (const event of events) {
            const more = this.#tryToExamine(event, piece);
            if (more !== undefined) await more;
          }
        }
        const missing = expectedOf(job) - piece.events - piece.passedOver;
        if (missing > 0) piece.fault('missing', whereOf(job), `${missing} of ${expectedOf(job)} events are not there`);
      }
    } catch (error) {
      piece.fault('unreadable', whereOf(job), whyUnreadable(error));
    }
    return piece.outcome();
  }

  #read(job: Exclude<Job, { kind: 'audit' }>, piece: Piece): AsyncIterable<readonly StoredEvent[]> {
    return job.kind === 'stream' ? this.#readStreamAround(job, piece) : this.#readAround(job, piece);
  }

  /** What can be read of a range of a stream. Where reading fails, the rest is halved, as that of a range is. */
  async *#readStreamAround({ stream, from, to }: StreamJob, piece: Piece): AsyncGenerator<readonly StoredEvent[]> {
    let next = from;
    try {
      for await (const events of this.#ledger.read(stream, { from, to })) {
        yield events;
        next = (events.at(-1)?.revision ?? next) + 1;
      }
    } catch (error) {
      if (error instanceof EvidenceMissing) return this.#lacks(error, piece);
      const says = whyUnreadable(error);
      if (next >= to) {
        piece.fault('unreadable', `${stream}@${to}`, says);
        piece.passOver(to - next + 1);
        return;
      }
      const middle = Math.floor((next + to) / 2);
      yield* this.#readStreamAround({ stream, from: next, to: middle }, piece);
      yield* this.#readStreamAround({ stream, from: middle + 1, to }, piece);
    }
  }

  /** What can be read of a range. Where reading fails, the rest is halved until the event that cannot be read is found. */
  async *#readAround(range: EventRange, piece: Piece): AsyncGenerator<readonly StoredEvent[]> {
    let after = range.after ?? undefined;
    let left = range.events;
    try {
      for await (const events of this.#ledger.readAll({ ...from(after), until: range.until })) {
        yield events;
        after = events.at(-1)?.cursor;
        left -= events.length;
      }
    } catch (error) {
      if (error instanceof EvidenceMissing) {
        this.#lacks(error, piece);
        const rest = { after: error.past, until: range.until, events: left - error.missing };
        if (rest.events > 0) yield* this.#readAround(rest, piece);
        return;
      }
      const says = whyUnreadable(error);
      if (left <= 1) {
        piece.fault('unreadable', range.until, says);
        piece.passOver(left);
        return;
      }
      const halves = await this.#ledger.ranges(Math.ceil(left / 2), { ...from(after), until: range.until });
      for (const half of halves) yield* this.#readAround(half, piece);
    }
  }

  #lacks({ stream, missing, message }: EvidenceMissing, piece: Piece): void {
    piece.fault('missing', stream, message);
    piece.passOver(missing);
  }

  /** What one event holds must not keep those behind it from being looked at. */
  #tryToExamine(event: StoredEvent, piece: Piece): void | Promise<void> {
    try {
      return this.#examine(event, piece)?.catch((error) => spoilt(event, error, piece));
    } catch (error) {
      spoilt(event, error, piece);
    }
  }

  /** Waits only where something must be looked up: for most events nothing is. */
  #examine(event: StoredEvent, piece: Piece): void | Promise<void> {
    const { hashed } = event;
    piece.count(event, hashed);
    if (hashed !== event.digest) {
      piece.faultOf(event, 'altered', `its bytes hash to ${hashed}, it was recorded as ${event.digest}`);
    }
    for (const says of impossibilities(event)) piece.faultOf(event, 'malformed', says);
    const before = this.#predecessors.lastSeen(event.stream, event.revision);
    this.#predecessors.remember(event.stream, event.revision, hashed, event.digest);
    if (before !== null && this.#glance.isSound(event)) {
      piece.continues(event, null, before);
      return;
    }
    const envelope = envelopeOf(event);
    if (envelope === null) {
      piece.faultOf(event, 'malformed', 'its bytes are not those of an event');
      return;
    }
    for (const says of misfilings(event, envelope)) piece.faultOf(event, 'misfiled', says);
    const isWell = reportMalformation(event, envelope, piece);
    const { type, version, data, causes } = envelope;
    const spans = isWell ? causes.filter(isSpan) : [];
    const blobs = isWell && namesBlobs(type, version, data);
    if (spans.length === 0 && !blobs && before !== null) {
      this.#follows(event, envelope, before, piece);
      return;
    }
    return this.#lookUp(event, envelope, before, { spans, blobs }, piece);
  }

  #follows(event: StoredEvent, envelope: Envelope, before: Predecessor | null, piece: Piece): void {
    if (before?.cursor != null && !isWithin(this.#ledger.compareCursors(before.cursor, event.cursor))) {
      piece.faultOf(event, 'reordered', 'the event before it in its stream stands behind it in the ledger');
    }
    piece.continues(event, envelope.previous, before);
  }

  async #lookUp(
    event: StoredEvent,
    envelope: Envelope,
    lastSeen: Predecessor | null,
    { spans, blobs }: { readonly spans: readonly Cause[]; readonly blobs: boolean },
    piece: Piece,
  ): Promise<void> {
    const before = lastSeen ?? (await this.#predecessors.lookUp(event.stream, event.revision));
    this.#follows(event, envelope, before, piece);
    for (const cause of spans) await this.#cause(event, cause, piece);
    if (!blobs) return;
    const { type, version, data } = envelope;
    const named = blobsIn(type, version, data);
    piece.countBlobs(named.length);
    for (const one of named) piece.add(await this.#blobs.check(event, one));
    if (type === 'Redacted') for (const one of await this.#blobs.checkRedaction(event)) piece.add(one);
  }

  /** A span of a stream that an event cites: its root must be what was cited. */
  async #cause(event: StoredEvent, cause: Cause, piece: Piece): Promise<void> {
    if (!('root' in cause)) return;
    const { stream, from, to, root } = cause;
    const tree = await treeOf(this.#ledger, { stream, from, to });
    if (tree.to === to - from + 1 && tree.root() === root) return;
    if (tree.to === 0 && (await lastOf(this.#ledger, stream)) === null) {
      const says = `it cites ${stream} from ${from} to ${to}, a stream that is not in this ledger`;
      piece.add({ kind: 'cited-elsewhere', where: placeOf(event), event: uuidOf(event), says });
      return;
    }
    const found = tree.to === to - from + 1 ? 'which are others now' : `of which ${tree.to} are there`;
    piece.faultOf(event, 'cause-broken', `it cites ${stream} from ${from} to ${to}, ${found}`);
  }
}

/** What the store cannot read is a fault of the store; anything else is for want of sense in what the event says. */
function spoilt(event: StoredEvent, error: unknown, piece: Piece): void {
  const says = whyUnreadable(error);
  if (error instanceof IcecoreError) piece.faultOf(event, 'unreadable', `what it refers to cannot be read: ${says}`);
  else piece.faultOf(event, 'malformed', `what it says cannot be followed (${says})`);
}

function from(after: Cursor | undefined): { readonly after?: Cursor } {
  return after === undefined ? {} : { after };
}

function expectedOf(job: Exclude<Job, { kind: 'audit' }>): number {
  return job.kind === 'stream' ? job.to - job.from + 1 : job.events;
}

function whereOf(job: Job): string {
  if (job.kind === 'audit') return 'file';
  if (job.kind === 'stream') return `${job.stream}@${job.from} to ${job.to}`;
  return job.after === null ? `up to ${job.until}` : `after ${job.after}, up to ${job.until}`;
}

function isSpan(cause: Cause): boolean {
  return typeof cause === 'object' && cause !== null && 'root' in cause;
}
