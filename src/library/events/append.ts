// `event append`: appends events from a file or a stream. The ledger and its blobs are opened, or created with the first event.
// Events that a new ledger would refuse are found before it is created, so that a refused append leaves nothing behind.
import type { EventTypes } from '../../../schemas/check.ts';
import type { TextPlace } from '../../../schemas/config.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import type { AppendSummary } from '../../../schemas/output.ts';
import { eventTypesWith } from '../../../schemas/own-events.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import { bodyAt, type Expectation, maxEventBytes, type PreparedEvent } from '../../ledger/event.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import type { AppendOptions, Ledger } from '../../ledger/ledger.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { type Tally, takeIn } from '../../producers/intake/intake.ts';
import type { StoredContent } from '../../producers/intake/ledger-checks.ts';
import { RejectsFile } from '../../producers/intake/refusals.ts';
import { checkingTarget, IntakeReports, type Target } from '../../producers/intake/target.ts';
import { KeptTexts, longestInline, type Outgoing } from '../../producers/intake/texts.ts';
import type { Refused } from '../../producers/intake/windows.ts';
import { blobsUrl, OpenedBlobs } from '../opening/blobs.ts';
import { noticingWaits, openIfThere } from '../opening/ledger.ts';
import { textPlaceOf } from '../opening/texts.ts';
import { noteOwnTables } from '../opening/writer.ts';
import { refuseToOverwrite } from '../place/files.ts';
import { ensureWorkspaceFor, findPlace, type Place } from '../place/place.ts';
import { type Input, openSource } from '../place/source.ts';
import { type Session, SessionProgress } from '../session.ts';

/** What became of one line of an input. */
export type LineOutcome =
  | { readonly line: number; readonly outcome: 'appended' | 'existed' }
  | { readonly line: number; readonly outcome: 'refused'; readonly error: IcecoreError };

/** The events of an input that are stored for good, and the refused lines before the last of them. */
export interface StoredSoFar extends Pick<AppendSummary, 'appended' | 'existed' | 'rejected' | 'bytes'> {}

/** How events are appended from a file or a stream. */
export interface AppendFromOptions {
  /** The stream of events that name none. */
  readonly stream?: string;
  /** The expected state of that stream. */
  readonly expect?: Expectation;
  /** A file for refused lines; all others are appended. Without it, the first refused line is an error. */
  readonly rejects?: string;
  /** Where texts go. By default those over 32 KiB become blobs, unless the settings say otherwise. */
  readonly texts?: TextPlace;
  /** Check every line and append nothing. */
  readonly dryRun?: boolean;
  /** Append what follows a refused line. `onLine` gets the error, and no file of rejects is needed. */
  readonly skipRefused?: boolean;
  /** Called with the outcome of each line. */
  readonly onLine?: (outcome: LineOutcome) => void;
  /** Called when more events are stored; what follows is appended after it resolves. */
  readonly onStored?: (soFar: StoredSoFar) => Promise<void>;
}

/** The maximum length of a text inside its event. */
const longestAt = {
  inline: longestInline.everything,
  blobs: longestInline.nothing,
  byDefault: longestInline.byDefault,
} as const;

/** Appends NDJSON or CloudEvents. Repeating the same input adds nothing. */
export async function appendFrom(
  session: Session,
  input: Input,
  options: AppendFromOptions = {},
): Promise<AppendSummary> {
  const intake = new Intake();
  try {
    return await intake.append(session, input, options);
  } finally {
    await intake.close();
  }
}

/** Appends one input after another, or several at once, with the ledger open between them. */
export class Intake {
  #opening: Promise<Opened> | null = null;

  async append(session: Session, input: Input, options: AppendFromOptions = {}): Promise<AppendSummary> {
    const { stream = null, expect = 'any', rejects: rejectsFile, texts, dryRun = false, skipRefused = false } = options;
    const { onLine, onStored } = options;
    requireStream(options);
    const place = findPlace(session);
    const { files, url } = place.ledger;
    const rejectsPath =
      rejectsFile === undefined
        ? null
        : refuseToOverwrite(session.cwd, rejectsFile, typeof input === 'string' ? input : '-', files);
    const source = openSource(session, input, files);
    const started = performance.now();
    const withTarget = dryRun ? withCheckingTarget : this.#withLedgerTarget.bind(this);
    const tally = await withTarget(session, place, async (target) => {
      const rejects = rejectsPath === null ? null : new RejectsFile(rejectsPath);
      const progress = new SessionProgress(session, 'events');
      const onRefused = (refused: Refused): void => {
        rejects?.add(refused);
        onLine?.({ line: refused.piece.line, outcome: 'refused', error: refused.fault });
      };
      try {
        return await takeIn(source.bytes, target, {
          defaults: { stream, isOnlyStream: expect !== 'any', now: () => new Date().toISOString() },
          longestInline: longestAt[textPlaceOf(session, texts) ?? 'byDefault'],
          expect,
          onRefused: rejects === null && !skipRefused ? null : onRefused,
          ...(onLine === undefined
            ? {}
            : { onTaken: (line, existed) => onLine({ line, outcome: existed ? 'existed' : 'appended' }) }),
          ...(onStored === undefined ? {} : { onStored }),
          onProgress: ({ appended, existed, rejected, bytes }) =>
            progress.update(appended + existed + rejected, null, { bytes, totalBytes: source.totalBytes }),
          signal: session.signal,
        });
      } finally {
        source.close();
        await progress.end();
        rejects?.close();
      }
    });
    const seconds = (performance.now() - started) / 1000;
    return summaryOf(tally, seconds, { ledger: url, rejectsPath, isDryRun: dryRun });
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    // An error of opening was thrown to the caller already.
    await opening?.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  /**
   * An existing ledger is opened before the input is read, so that its errors appear at once. A missing one is created with
   * the first events that it can store, so that a refused input leaves nothing behind.
   */
  async #withLedgerTarget<Result>(
    session: Session,
    place: Place,
    body: (target: Target) => Promise<Result>,
  ): Promise<Result> {
    this.#opening ??= Opened.at(session, place);
    const opened = await this.#opening.catch((fault: unknown) => {
      this.#opening = null;
      throw fault;
    });
    try {
      return await body(new LedgerTarget(opened));
    } catch (fault) {
      // What failed may be the open ledger itself, so the next input opens it again.
      if (!(fault instanceof IcecoreError) || !ofInput.includes(fault.kind)) await this.close();
      throw fault;
    }
  }
}

/** Kinds of errors that say nothing about the ledger. */
const ofInput: readonly ErrorKind[] = ['bad-input', 'conflict', 'interrupted', 'usage'];

/** The expectation needs a single stream. */
function requireStream({ expect, stream }: AppendFromOptions): void {
  if (expect === undefined || stream !== undefined) return;
  throw new IcecoreError('usage', 'an expectation describes one stream, but none is named', {
    facts: { expect },
    remedy: 'Name the stream.',
    commandRemedy: 'Name it with --stream.',
  });
}

interface Circumstances {
  readonly ledger: string;
  readonly rejectsPath: string | null;
  readonly isDryRun: boolean;
}

function summaryOf(tally: Tally, seconds: number, { ledger, rejectsPath, isDryRun }: Circumstances): AppendSummary {
  const valid = tally.appended + tally.existed;
  return {
    ledger,
    dryRun: isDryRun,
    valid,
    appended: isDryRun ? 0 : tally.appended,
    existed: tally.existed,
    rejected: tally.rejected,
    rejects: rejectsPath,
    blobs: tally.texts.written,
    erased: tally.texts.erased,
    streams: tally.streams,
    moreStreams: tally.moreStreams,
    bytes: tally.bytes,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round((valid + tally.rejected) / seconds) : 0,
  };
}

/** Throws what a new ledger would throw on this first append: InvalidEvents, EventTooLarge, WrongRevision, DuplicateId. */
function refuseAsNewLedger(stream: string, events: readonly NewEvent[], expect: Expectation, types: EventTypes): void {
  const prepared = prepareEvents(stream, events, maxEventBytes, types);
  if (expect === 'exists' || typeof expect === 'number') throw new WrongRevision(stream, expect, -1);
  const seen = new Map<string, { readonly event: PreparedEvent; readonly revision: number }>();
  for (const event of prepared) {
    const first = seen.get(event.id);
    if (first === undefined) {
      seen.set(event.id, { event, revision: seen.size });
      continue;
    }
    const differs = differences(bodyAt(first.event, 0, null), bodyAt(event, 0, null));
    if (differs.length > 0) throw new DuplicateId(event.id, { stream, revision: first.revision }, differs);
  }
}

/** The same for a dry run: reads the existing ledger and creates nothing. */
async function withCheckingTarget<Result>(
  session: Session,
  _: Place,
  body: (target: Target) => Promise<Result>,
): Promise<Result> {
  const blobs = new OpenedBlobs(blobsUrl(session));
  let ledger: Promise<Ledger | null> | null = null;
  const known: StoredContent = {
    blobsUrl: blobs.url,
    blobs: () => blobs.toRead(),
    ledger: () => {
      ledger ??= openIfThere(session);
      return ledger;
    },
  };
  try {
    return await body(
      checkingTarget(maxEventBytes, known, eventTypesWith((await session.plugins.atHand()).eventTypes)),
    );
  } finally {
    await ((await ledger) as Ledger | null)?.close();
    await blobs.close();
  }
}

/** A ledger that is open for appending, or is created by the first append. */
class Opened {
  readonly place: Place;
  readonly types: EventTypes;
  readonly blobs: OpenedBlobs;
  readonly #session: Session;
  #ledger: Promise<Ledger> | null = null;

  private constructor(session: Session, place: Place, types: EventTypes) {
    this.#session = session;
    this.place = place;
    this.types = types;
    this.blobs = new OpenedBlobs(blobsUrl(session));
  }

  static async at(session: Session, place: Place): Promise<Opened> {
    const opened = new Opened(session, place, eventTypesWith((await session.plugins.atHand()).eventTypes));
    if (await isLedgerThere(place.ledger.url, { onWait: noticingWaits(session) })) await opened.ledger();
    return opened;
  }

  /** Null if it does not exist yet. */
  get existing(): Promise<Ledger> | null {
    return this.#ledger;
  }

  /** Creates a missing one. */
  ledger(): Promise<Ledger> {
    this.#ledger ??= this.#open();
    return this.#ledger;
  }

  async close(): Promise<void> {
    await this.#ledger?.then(
      (ledger) => ledger.close(),
      () => {},
    );
    await this.blobs.close();
  }

  async #open(): Promise<Ledger> {
    const session = this.#session;
    const isCreated = ensureWorkspaceFor(this.place);
    const { eventTypes: types } = await session.plugins.atHand();
    const ledger = await openLedger(this.place.ledger.url, { create: true, onWait: noticingWaits(session), types });
    await noteOwnTables(session, ledger);
    if (isCreated) await session.notify({ kind: 'workspace-created', path: this.place.workspace.path });
    return ledger;
  }
}

class LedgerTarget implements Target {
  readonly maxEventBytes = maxEventBytes;
  readonly types: EventTypes;
  readonly known: StoredContent;
  readonly kept: KeptTexts;
  readonly #opened: Opened;
  #reports: IntakeReports | null = null;

  constructor(opened: Opened) {
    const { blobs, types } = opened;
    this.types = types;
    this.#opened = opened;
    this.kept = new KeptTexts(() => blobs.toWrite());
    this.known = { blobsUrl: blobs.url, blobs: () => blobs.toRead(), ledger: async () => await opened.existing };
  }

  async append(stream: string, outgoing: readonly Outgoing[], options: AppendOptions): ReturnType<Target['append']> {
    const events = outgoing.map(({ event }) => event);
    if (this.#opened.existing === null) refuseAsNewLedger(stream, events, options.expect, this.types);
    const ledger = await this.#opened.ledger();
    await this.kept.keep(ledger, stream, outgoing);
    const appended = await ledger.append(stream, events, options);
    this.#reports ??= new IntakeReports(ledger);
    await this.#reports.appended(stream, appended);
    return appended;
  }

  async finish(): Promise<void> {
    await this.#reports?.finish();
  }
}
