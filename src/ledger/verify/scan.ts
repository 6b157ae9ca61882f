// Examines one piece of the ledger: hashes every event's stored bytes, compares what they say with where they are, with the
// event before, the catalogue and the blobs they name, and gathers the Merkle trees of seals and heads. Its memory does not
// grow beyond the piece.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Cause, Envelope } from '../../../schemas/envelope.ts';
import { describeIssue, IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { checksOf } from '../../../schemas/own-events.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { blobsIn, namesBlobs } from '../../../schemas/texts.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { EvidenceMissing } from '../errors.ts';
import { isWithin } from '../event.ts';
import { type EventRange, eventAt, type Ledger, lastOf, type UnreportedEvidence } from '../ledger.ts';
import { treeOf } from '../seal/span.ts';
import { impossibilities, misfilings, type StoredEvent } from '../stored.ts';
import { BlobChecks } from './blob-checks.ts';
import { whyUnreadable } from './findings.ts';
import { Glance } from './glance.ts';
import { type Before, type Job, type Outcome, Piece, type Predecessor, type StreamJob } from './piece.ts';
import type { Vouchers } from './vouchers.ts';

/** How many streams' last events are remembered: a scan can begin anywhere, so any other is looked up. */
const mostRemembered = 10_000;

export class Scan {
  readonly #ledger: Ledger;
  readonly #vouchers: Vouchers;
  readonly #last = new Map<string, Predecessor>();
  readonly #blobs: BlobChecks;
  readonly #glance = new Glance();

  constructor(ledger: Ledger, blobs: Blobs | null, vouchers: Vouchers) {
    this.#ledger = ledger;
    this.#vouchers = vouchers;
    this.#blobs = new BlobChecks(blobs, ledger);
  }

  /** Throws what prevents it from looking: a store that does not answer, a ledger that was closed. */
  async look(job: Job): Promise<Outcome> {
    const piece = new Piece(this.#vouchers, job.kind === 'range' ? job.first : null);
    try {
      if (job.kind === 'audit') {
        const onUnreported = (evidence: UnreportedEvidence): void => piece.unreported(evidence);
        const options = { wholly: job.run === null, run: job.run, onUnreported };
        for await (const { where, what } of this.#ledger.audit(options)) piece.fault('store', where, what);
      } else {
        const pages = job.kind === 'stream' ? this.#readStreamAround(job, piece) : this.#readAround(job, piece);
        for await (const events of pages) {
          for (const event of events) {
            const more = this.#tryToExamine(event, piece);
            if (more !== undefined) await more;
          }
        }
        const expected = job.kind === 'stream' ? job.to - job.from + 1 - (await this.#foreignIn(job)) : job.events;
        const missing = expected - piece.events - piece.passedOver;
        if (missing > 0) piece.fault('missing', whereOf(job), `${missing} of ${expected} events are not there`);
      }
    } catch (error) {
      piece.fault('unreadable', whereOf(job), whyUnreadable(error));
    }
    return piece.outcome();
  }

  /** What can be read of a range of a stream. Where reading fails, the rest is halved, as that of a range is. */
  async *#readStreamAround(
    { stream, from, to }: Omit<StreamJob, 'kind'>,
    piece: Piece,
  ): AsyncGenerator<readonly StoredEvent[]> {
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
        piece.passedOver += to - next + 1;
        return;
      }
      const middle = Math.floor((next + to) / 2);
      yield* this.#readStreamAround({ stream, from: next, to: middle }, piece);
      yield* this.#readStreamAround({ stream, from: middle + 1, to }, piece);
    }
  }

  /** What can be read of a range. Where reading fails, the rest is halved until the event that cannot be read is found. */
  async *#readAround(range: EventRange, piece: Piece): AsyncGenerator<readonly StoredEvent[]> {
    let { after, events: left } = range;
    const rest = () => ({ ...(after === null ? {} : { after }), until: range.until });
    try {
      for await (const events of this.#ledger.readAll(rest())) {
        yield events;
        after = events.at(-1)?.cursor ?? after;
        left -= events.length;
      }
    } catch (error) {
      if (error instanceof EvidenceMissing && error.past !== null) {
        this.#lacks(error, piece);
        const rest = { after: error.past, until: range.until, events: left - (error.missing ?? 0) };
        if (rest.events > 0) yield* this.#readAround(rest, piece);
        return;
      }
      const says = whyUnreadable(error);
      if (left <= 1) {
        piece.fault('unreadable', range.until, says);
        piece.passedOver += left;
        return;
      }
      for (const half of await this.#ledger.ranges(Math.ceil(left / 2), rest())) yield* this.#readAround(half, piece);
    }
  }

  #lacks({ stream, missing, message }: EvidenceMissing, piece: Piece): void {
    piece.fault('missing', stream ?? 'evidence', message);
    piece.passedOver += missing ?? 0;
  }

  /** What one event holds must not prevent those after it from being examined. */
  #tryToExamine(event: StoredEvent, piece: Piece): void | Promise<void> {
    try {
      return this.#examine(event, piece)?.catch((error) => spoilt(event, error, piece));
    } catch (error) {
      spoilt(event, error, piece);
    }
  }

  /** Waits only where something must be looked up: for most events nothing is. */
  #examine(event: StoredEvent, piece: Piece): void | Promise<void> {
    const { stream, revision, hashed, digest } = event;
    piece.count(event, hashed);
    if (hashed !== digest) {
      piece.fault('altered', event, `its bytes hash to ${hashed}, it was recorded as ${digest}`);
    }
    for (const says of impossibilities(event)) piece.fault('malformed', event, says);
    const last = this.#last.get(stream);
    const before = last?.revision === revision - 1 ? last : null;
    if (last === undefined && this.#last.size >= mostRemembered) this.#last.clear();
    this.#last.set(stream, { revision, hashed, said: digest, cursor: null });
    if (before !== null && this.#glance.isSound(event)) {
      piece.continues(event, null, before);
      return;
    }
    const envelope = envelopeOf(event);
    if (envelope === null) {
      piece.fault('malformed', event, 'its bytes are not those of an event');
      return;
    }
    for (const says of misfilings(event, envelope)) piece.fault('misfiled', event, says);
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

  #follows(event: StoredEvent, envelope: Envelope, before: Before, piece: Piece): void {
    if (
      before !== 'first' &&
      before?.cursor != null &&
      !isWithin(this.#ledger.compareCursors(before.cursor, event.cursor))
    ) {
      piece.fault('reordered', event, 'the event before it in its stream comes after it in the ledger');
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
    this.#follows(event, envelope, lastSeen ?? (await this.#before(event)), piece);
    for (const cause of spans) await this.#cause(event, cause, piece);
    if (!blobs) return;
    const { type, version, data } = envelope;
    const named = blobsIn(type, version, data);
    piece.countBlobs(named.length);
    for (const one of named) piece.add(await this.#blobs.check(event, one));
    if (type === 'Redacted') for (const one of await this.#blobs.checkRedaction(event)) piece.add(one);
  }

  /** How many records of other programs are in a range: the audit reports them. */
  async #foreignIn({ stream, from, to }: StreamJob): Promise<number> {
    const foreign = (await this.#ledger.foreign?.(stream)) ?? new Set<number>();
    return [...foreign].filter((revision) => revision >= from && revision <= to).length;
  }

  /** Throws what prevents it from being read. */
  async #before({ stream, revision }: StoredEvent): Promise<Before> {
    if (revision === 0) return 'first';
    let found = await eventAt(this.#ledger, { stream, revision: revision - 1 });
    if (found === null) {
      // Records of other programs may lie between an event and the one before it.
      const foreign = await this.#ledger.foreign?.(stream);
      let before = revision - 1;
      while (foreign?.has(before) === true) before--;
      if (before < 0) return 'first';
      found = before === revision - 1 ? null : await eventAt(this.#ledger, { stream, revision: before });
    }
    if (found === null) return null;
    return { revision: found.revision, hashed: found.hashed, said: found.digest, cursor: found.cursor };
  }

  /** A span of a stream that an event cites: its root must be what was cited. */
  async #cause(event: StoredEvent, cause: Cause, piece: Piece): Promise<void> {
    if (!('root' in cause)) return;
    const { stream, from, to, root } = cause;
    const tree = await treeOf(this.#ledger, { stream, from, to });
    const isWhole = tree.to === to - from + 1;
    if (isWhole && tree.root() === root) return;
    const cited = `it cites ${stream} from ${from} to ${to}`;
    if (tree.to === 0 && (await lastOf(this.#ledger, stream)) === null)
      piece.fault('cited-elsewhere', event, `${cited}, a stream that is not in this ledger`);
    else
      piece.fault(
        'cause-broken',
        event,
        `${cited}, ${isWhole ? 'which are others now' : `of which ${tree.to} are there`}`,
      );
  }
}

/** What the store cannot read is a fault of the store; anything else is nonsense in what the event says. */
function spoilt(event: StoredEvent, error: unknown, piece: Piece): void {
  const says = whyUnreadable(error);
  if (error instanceof IcecoreError) piece.fault('unreadable', event, `what it refers to cannot be read: ${says}`);
  else piece.fault('malformed', event, `what it says cannot be followed (${says})`);
}

function whereOf(job: Job): string {
  if (job.kind === 'audit') return 'file';
  if (job.kind === 'stream') return `${job.stream}@${job.from} to ${job.to}`;
  return job.after === null ? `up to ${job.until}` : `after ${job.after}, up to ${job.until}`;
}

function isSpan(cause: Cause): boolean {
  return typeof cause === 'object' && cause !== null && 'root' in cause;
}

/** In the order of canonical JSON. */
const members = 'actor at causes data id previous revision run stage stream type version'.split(' ');

/** Null where the bytes are not those of an event. */
function envelopeOf({ body }: StoredEvent): Envelope | null {
  try {
    const envelope = parseJson(body) as Envelope | null;
    if (typeof envelope !== 'object' || envelope === null) return null;
    let at = 0;
    for (const member in envelope) if (member !== members[at++]) return null;
    return at === members.length ? envelope : null;
  } catch {
    return null;
  }
}

const hiddenKey = '"__proto__":';

/** Whether it is all that its type requires. What is not known here may be anything, and nothing in it is followed. */
function reportMalformation(event: StoredEvent, envelope: Envelope, piece: Piece): boolean {
  const { id, type, version, at, actor, run, stage, causes, data, stream } = envelope;
  if (!isCanonical(event.body, envelope)) piece.fault('malformed', event, 'its bytes are not canonical JSON');
  const known = event.types.get(type);
  if (known === undefined || version > known.versions.length || parseStream(stream) === null) {
    piece.opaque(event, envelope);
    return false;
  }
  const issues = checksOf(event.types).fields(stream, { id, type, version, at, actor, run, stage, causes, data });
  for (const issue of issues) piece.fault('malformed', event, describeIssue(issue));
  if (event.body.includes(hiddenKey)) piece.fault('malformed', event, 'it holds a key named __proto__');
  return issues.length === 0;
}

function isCanonical(body: string, envelope: Envelope): boolean {
  try {
    return canonicalJson(envelope) === body;
  } catch {
    return false;
  }
}
