// Examines the ledger piece by piece: hashes every event's stored bytes, compares their content with where they are filed, with the
// event before, with the catalogue and with the blobs they name, and builds the Merkle trees for seals and heads. Its memory is
// bounded by the piece. Event types of plugins are functions and cannot be sent to other threads, so those threads leave events
// of these types unchecked for the thread that has the types.
import { isCanonicalText } from '../../../schemas/canonical-text.ts';
import type { Cause, Envelope } from '../../../schemas/envelope.ts';
import { describeIssue, IcecoreError } from '../../../schemas/errors.ts';
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import { checksOf } from '../../../schemas/own-events.ts';
import { isChained, parseStream } from '../../../schemas/streams.ts';
import { blobsIn, namesBlobs } from '../../../schemas/texts.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { EvidenceMissing } from '../errors.ts';
import { type Cursor, isWithin, placeOf } from '../event.ts';
import { type EventRange, eventAt, type Ledger, lastEventOf, type UnreportedEvidence } from '../ledger.ts';
import { treeOf } from '../seal/span.ts';
import { impossibilities, misfilings, StoredEvent, typesOf } from '../stored.ts';
import { Account, type AccountState } from './account.ts';
import { BlobChecks } from './blob-checks.ts';
import { FastCheck } from './fast-check.ts';
import { whyUnreadable } from './findings.ts';
import type { SealIndex } from './seals.ts';

/** Revisions of a stream, both ends inclusive. */
interface StreamJob {
  readonly kind: 'stream';
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

export interface RangeJob extends EventRange {
  readonly kind: 'range';
  /** The index of its first event in the ledger; null: no tree over all events is needed. */
  readonly first: number | null;
}

/** For one run, or for everything. */
export type Job = RangeJob | StreamJob | { readonly kind: 'audit'; readonly run: string | null };

export interface Outcome {
  readonly account: AccountState;
  /** Events whose types this thread does not have. */
  readonly unchecked: readonly Unchecked[];
}

type Unchecked = ConstructorParameters<typeof StoredEvent>;

interface Piece {
  readonly account: Account;
  readonly needsTree: boolean;
  /** Unreadable events, each of which is already a fault. */
  passedOver: number;
  readonly unchecked: Unchecked[];
  /** Unknown kinds of events, each reported once. */
  readonly opaque: Set<string>;
}

/** The number of findings of a piece that are kept; the rest is counted. */
const mostFindings = 200;

function begin(first: number | null): Piece {
  const account = new Account(null, first ?? 0, mostFindings);
  return { account, needsTree: first !== null, passedOver: 0, unchecked: [], opaque: new Set() };
}

/** The event before another in its stream. */
interface Predecessor {
  readonly revision: number;
  /** The hash of its bytes. */
  readonly hashed: string;
  /** Its recorded digest, which differs only if it is damaged; that is its own fault and not its successor's. */
  readonly said: string;
  /** Its place in the ledger; null: it was just read, so it is before its successor. */
  readonly cursor: Cursor | null;
}

/** Null: it is missing. `first`: there is none. */
type Before = Predecessor | null | 'first';

/** The number of streams whose last events are cached: a scan can begin anywhere, so others are looked up. */
const mostRemembered = 10_000;

export class Scan {
  readonly #ledger: Ledger;
  readonly #sealIndex: SealIndex;
  readonly #last = new Map<string, Predecessor>();
  readonly #blobs: BlobChecks;
  readonly #fastCheck = new FastCheck();
  readonly #elsewhere: ReadonlySet<string>;

  /** `elsewhere` are event types of another thread, which checks these events. */
  constructor(ledger: Ledger, blobs: Blobs | null, sealIndex: SealIndex, elsewhere: readonly string[] = []) {
    this.#ledger = ledger;
    this.#sealIndex = sealIndex;
    this.#elsewhere = new Set(elsewhere);
    this.#blobs = new BlobChecks(blobs, ledger);
  }

  /** Throws errors that prevent the examination: an unavailable store, a closed ledger. */
  async look(job: Job): Promise<Outcome> {
    const piece = begin(job.kind === 'range' ? job.first : null);
    const { account } = piece;
    try {
      if (job.kind === 'audit') {
        const onUnreported = (evidence: UnreportedEvidence): void => account.addUnreported(evidence, this.#sealIndex);
        const options = { wholly: job.run === null, run: job.run, onUnreported };
        for await (const { where, what } of this.#ledger.audit(options)) account.fault('store', where, what);
      } else {
        const pages = job.kind === 'stream' ? this.#readStreamAround(job, piece) : this.#readAround(job, piece);
        for await (const events of pages) await this.#examineAll(events, piece);
        const expected = job.kind === 'stream' ? job.to - job.from + 1 - (await this.#foreignIn(job)) : job.events;
        const missing = expected - account.tally.events - piece.passedOver;
        if (missing > 0) account.fault('missing', whereOf(job), `${missing} of ${expected} events are missing`);
      }
    } catch (error) {
      account.fault('unreadable', whereOf(job), whyUnreadable(error));
    }
    return { account: account.toJSON(), unchecked: piece.unchecked };
  }

  /** Checks events that another thread left unchecked. */
  async check(unchecked: readonly Unchecked[]): Promise<AccountState> {
    const piece = begin(null);
    for (const fields of unchecked) {
      const event = new StoredEvent(...fields);
      event.types = typesOf(this.#ledger);
      try {
        if (reportMalformation(event, event.envelope, piece)) await this.#references(event, event.envelope, piece);
      } catch (error) {
        spoilt(event, error, piece);
      }
    }
    return piece.account.toJSON();
  }

  /** The readable events of a range of a stream. After a failure the rest is halved, as with a range of the ledger. */
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
        piece.account.fault('unreadable', `${stream}@${to}`, says);
        piece.passedOver += to - next + 1;
        return;
      }
      const middle = Math.floor((next + to) / 2);
      yield* this.#readStreamAround({ stream, from: next, to: middle }, piece);
      yield* this.#readStreamAround({ stream, from: middle + 1, to }, piece);
    }
  }

  /** The readable events of a range. After a failure the rest is halved until the unreadable event is found. */
  async *#readAround(range: EventRange, piece: Piece): AsyncGenerator<readonly StoredEvent[]> {
    let { after, events: left } = range;
    const rest = () => ({ after: after ?? undefined, until: range.until });
    try {
      for await (const events of this.#ledger.readAll(rest())) {
        yield events;
        after = events.at(-1)?.cursor ?? after;
        left -= events.length;
      }
    } catch (error) {
      if (error instanceof EvidenceMissing && error.past !== null) {
        this.#lacks(error, piece);
        const rest = { after: error.past, until: range.until, events: left - passedOverBy(error) };
        if (rest.events > 0) yield* this.#readAround(rest, piece);
        return;
      }
      const says = whyUnreadable(error);
      if (left <= 1) {
        piece.account.fault('unreadable', range.until, says);
        piece.passedOver += left;
        return;
      }
      for (const half of await this.#ledger.ranges(Math.ceil(left / 2), rest())) yield* this.#readAround(half, piece);
    }
  }

  #lacks(error: EvidenceMissing, piece: Piece): void {
    piece.account.fault('missing', error.stream ?? 'evidence', error.message);
    piece.passedOver += passedOverBy(error);
  }

  async #examineAll(events: readonly StoredEvent[], piece: Piece): Promise<void> {
    for (const event of events) {
      // A faulty event must not prevent the examination of those after it.
      try {
        const before = this.#take(event, piece);
        // Nearly all events are sound evidence: nothing is awaited for them.
        if (before !== null && this.#fastCheck.isSound(event)) requireContinuation(event, null, before, piece.account);
        else await this.#examine(event, before, piece);
      } catch (error) {
        spoilt(event, error, piece);
      }
    }
  }

  /** Checks the bytes of the next event. The event before it in its stream if that was read last; otherwise null. */
  #take(event: StoredEvent, { account, needsTree }: Piece): Predecessor | null {
    const { stream, revision, hashed, digest } = event;
    account.count(event, hashed, this.#sealIndex);
    if (needsTree) account.leaves.add(hashed);
    if (hashed !== digest) {
      account.fault('altered', event, `its bytes hash to ${hashed}, it was recorded as ${digest}`);
    }
    for (const says of impossibilities(event)) account.fault('malformed', event, says);
    const last = this.#last.get(stream);
    if (last === undefined && this.#last.size >= mostRemembered) this.#last.clear();
    this.#last.set(stream, { revision, hashed, said: digest, cursor: null });
    return last?.revision === revision - 1 ? last : null;
  }

  async #examine(event: StoredEvent, known: Predecessor | null, piece: Piece): Promise<void> {
    const { account } = piece;
    const envelope = envelopeOf(event);
    if (envelope === null) {
      account.fault('malformed', event, 'its bytes are not those of an event');
      return;
    }
    for (const says of misfilings(event, envelope)) account.fault('misfiled', event, says);
    const isWell = this.#isWell(event, envelope, piece);
    const before = known ?? (await this.#before(event));
    const place = before === 'first' ? null : (before?.cursor ?? null);
    if (place !== null && !isWithin(this.#ledger.compareCursors(place, event.cursor)))
      account.fault('reordered', event, 'the event before it in its stream comes after it in the ledger');
    requireContinuation(event, envelope.previous, before, account);
    if (isWell) await this.#references(event, envelope, piece);
  }

  #isWell(event: StoredEvent, envelope: Envelope, piece: Piece): boolean {
    if (!this.#elsewhere.has(envelope.type)) return reportMalformation(event, envelope, piece);
    const { stream, revision, type, filedId, recordedMs, digest, body, cursor } = event;
    piece.unchecked.push([stream, revision, type, filedId, recordedMs, digest, body, cursor]);
    return false;
  }

  async #references(event: StoredEvent, { type, version, data, causes }: Envelope, piece: Piece): Promise<void> {
    const { account } = piece;
    for (const cause of causes) if (isSpan(cause)) await this.#cause(event, cause, account);
    if (!namesBlobs(type, version, data)) return;
    const named = blobsIn(type, version, data);
    account.tally.blobs += named.length;
    for (const one of named) {
      const found = await this.#blobs.check(event, one);
      if (found !== null) account.findings.add(found);
    }
    if (type === 'Redacted') for (const one of await this.#blobs.checkRedaction(event)) account.findings.add(one);
  }

  /** The number of records of other programs in a range, which the audit reports. */
  async #foreignIn({ stream, from, to }: StreamJob): Promise<number> {
    const foreign = (await this.#ledger.foreign?.(stream)) ?? new Set<number>();
    return [...foreign].filter((revision) => revision >= from && revision <= to).length;
  }

  /** Throws errors of reading it. */
  async #before({ stream, revision }: StoredEvent): Promise<Before> {
    if (revision === 0) return 'first';
    let found = await eventAt(this.#ledger, { stream, revision: revision - 1 });
    if (found === null) {
      // Records of other programs may be between an event and the one before it.
      const foreign = await this.#ledger.foreign?.(stream);
      let before = revision - 1;
      while (foreign?.has(before) === true) before--;
      if (before < 0) return 'first';
      found = before === revision - 1 ? null : await eventAt(this.#ledger, { stream, revision: before });
    }
    if (found === null) return null;
    return { revision: found.revision, hashed: found.hashed, said: found.digest, cursor: found.cursor };
  }

  /** Checks a cited range of a stream, whose root must be the cited one. */
  async #cause(event: StoredEvent, cause: SpanCause, account: Account): Promise<void> {
    const { stream, from, to, root } = cause;
    const tree = await treeOf(this.#ledger, { stream, from, to });
    const isWhole = tree.to === to - from + 1;
    if (isWhole && tree.root() === root) return;
    const cited = `it cites ${stream} from ${from} to ${to}`;
    if (tree.to === 0 && (await lastEventOf(this.#ledger, stream)) === null)
      account.fault('cited-elsewhere', event, `${cited}, a stream that is not in this ledger`);
    else
      account.fault('cause-broken', event, `${cited}, ${isWhole ? 'which have changed' : `of which ${tree.to} exist`}`);
  }
}

/** An event that the store cannot read is a fault of the store; other errors come from nonsense in the event. */
function spoilt(event: StoredEvent, error: unknown, piece: Piece): void {
  const says = whyUnreadable(error);
  if (error instanceof IcecoreError)
    piece.account.fault('unreadable', event, `what it refers to cannot be read: ${says}`);
  else piece.account.fault('malformed', event, `its content cannot be processed (${says})`);
}

function whereOf(job: Job): string {
  if (job.kind === 'audit') return 'file';
  if (job.kind === 'stream') return `${job.stream}@${job.from} to ${job.to}`;
  return job.after === null ? `up to ${job.until}` : `after ${job.after}, up to ${job.until}`;
}

type SpanCause = Extract<Cause, { readonly root: string }>;

function isSpan(cause: Cause): cause is SpanCause {
  return typeof cause === 'object' && cause !== null && 'root' in cause;
}

/** Checks that an event follows the one before it in its stream. */
function requireContinuation(event: StoredEvent, previous: string | null, before: Before, account: Account): void {
  const { stream, revision } = event;
  const place = placeOf({ stream, revision: revision - 1 });
  if (before === null) account.fault('missing', place, 'it is missing');
  if (!isChained(stream) || before === 'first') {
    if (previous === null) return;
    const is = isChained(stream) ? 'it is the first of its stream' : 'its stream is not a chain';
    account.fault('chain-broken', event, `${is}, but it names a previous event`);
  } else if (before !== null && previous !== before.hashed && previous !== before.said) {
    account.fault('chain-broken', event, `it continues ${previous}, but ${place} hashes to ${before.hashed}`);
  }
}

/** In the order of canonical JSON. */
const members = 'actor at causes data id previous revision run stage stream type version'.split(' ');

/** Null: the bytes are not those of an event. */
function envelopeOf({ body }: StoredEvent): Envelope | null {
  const envelope = jsonOrUndefined(body);
  if (!isObject(envelope)) return null;
  let at = 0;
  for (const member in envelope) if (member !== members[at++]) return null;
  return at === members.length ? (envelope as unknown as Envelope) : null;
}

const hiddenKey = '"__proto__":';

/** Whether it is valid for its type. An unknown event may be anything, so its references are not followed. */
function reportMalformation(event: StoredEvent, envelope: Envelope, { account, opaque }: Piece): boolean {
  const { id, type, version, at, actor, run, stage, causes, data, stream } = envelope;
  if (!isCanonicalText(event.body)) account.fault('malformed', event, 'its bytes are not canonical JSON');
  const known = event.types.get(type);
  if (known === undefined || version > known.versions.length || parseStream(stream) === null) {
    const kind = `${type} version ${version}`;
    const says = `${kind} is unknown here: its bytes were checked, but not its content`;
    if (!opaque.has(kind)) account.fault('unknown-type', event, says);
    opaque.add(kind);
    account.tally.opaque++;
    return false;
  }
  const issues = checksOf(event.types).fields(stream, { id, type, version, at, actor, run, stage, causes, data });
  for (const issue of issues) account.fault('malformed', event, describeIssue(issue));
  if (event.body.includes(hiddenKey)) account.fault('malformed', event, 'it has a key named __proto__');
  return issues.length === 0;
}

function passedOverBy({ missing, unread }: EvidenceMissing): number {
  return (missing ?? 0) + unread;
}
