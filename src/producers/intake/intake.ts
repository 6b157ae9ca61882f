// Takes in events from any input: reads window by window, appends stream by stream, and either stops at the first bad
// piece or sets bad ones aside and continues. Every event has an id, so that repeating an input has no effect.
import { IcecoreError } from '../../../schemas/errors.ts';
import { DuplicateId, InvalidEvents } from '../../ledger/errors.ts';
import type { Expectation } from '../../ledger/event.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { ForeignInput, IntakeStopped, type SoFar } from './faults.ts';
import { NamedBlobs, SecondSeals } from './ledger-checks.ts';
import { type Piece, pieces } from './pieces.ts';
import { type Defaults, type Read, type ReadOptions, readWindow } from './reading.ts';
import { blamed, faultOf } from './refusals.ts';
import { longestPiece, type Target } from './target.ts';
import type { KeptCounts } from './texts.ts';
import { type Group, groupsOf, type Refused, type Taken, windows } from './windows.ts';

export interface IntakeOptions {
  readonly defaults: Defaults;
  /** Longer texts, in bytes, are kept as blobs. */
  readonly longestInline: number;
  /** Applies to the first append; after it, each stream must end where the previous append left it. */
  readonly expect: Expectation;
  /** Called with each bad piece; without it the first one stops the intake. */
  readonly onRefused: ((refused: Refused) => void) | null;
  /** Called with each appended piece, and whether its event existed already. */
  readonly onTaken?: (line: number, existed: boolean) => void;
  readonly onProgress?: (tally: Tally) => Promise<void>;
  /** Called when a window is appended, without waiting for more input; the next window is appended after it resolves. */
  readonly onStored?: (tally: Tally) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Tally extends SoFar {
  /** Bytes of the pieces seen so far. */
  readonly bytes: number;
  readonly streams: number;
  /** There were more streams than are counted. */
  readonly moreStreams: boolean;
  readonly texts: KeptCounts;
}

/** Throws IntakeStopped, or ForeignInput if the input cannot contain events. */
export async function takeIn(
  source: AsyncIterable<Uint8Array>,
  target: Target,
  options: IntakeOptions,
): Promise<Tally> {
  const limit = longestPiece(target.maxEventBytes, options.longestInline);
  const intake = new Intake(target, options);
  const defaults = { ...options.defaults, types: target.types };
  try {
    await takeWindows(windows(pieces(source, limit)), intake, { ...options, defaults, limit });
    await target.finish();
  } catch (fault) {
    throw intake.stoppedBy(fault);
  }
  return intake.tally;
}

/** The next window is read while the ledger processes the current one. */
async function takeWindows(
  all: AsyncGenerator<Piece[]>,
  intake: Intake,
  options: IntakeOptions & ReadOptions,
): Promise<void> {
  let writing = Promise.resolve();
  try {
    for (;;) {
      const { done, value } = await unlessFailed(all.next(), writing);
      if (done === true) break;
      const read = readWindow(value, options);
      await writing;
      await options.onProgress?.(intake.tally);
      options.signal.throwIfAborted();
      writing = intake.write(read);
    }
  } finally {
    // Not awaited, because the input may pause for any time.
    all.return(undefined).catch(() => {});
    await writing;
  }
}

/** The next item, or the failure of concurrent work. */
function unlessFailed<Value>(coming: Promise<Value>, underWay: Promise<unknown>): Promise<Value> {
  return new Promise((resolve, reject) => {
    coming.then(resolve, reject);
    underWay.catch(reject);
  });
}

const mostStreamsCounted = 100_000;

class Intake {
  readonly #target: Target;
  readonly #options: IntakeOptions;
  readonly #named: NamedBlobs;
  readonly #seals: SecondSeals;
  #expect: Expectation;
  #appended = 0;
  #existed = 0;
  #rejected = 0;
  #bytes = 0;
  readonly #streams = new Set<string>();

  constructor(target: Target, options: IntakeOptions) {
    this.#target = target;
    this.#options = options;
    this.#named = new NamedBlobs(target.known);
    this.#seals = new SecondSeals(target.known);
    this.#expect = options.expect;
  }

  get tally(): Tally {
    return {
      appended: this.#appended,
      existed: this.#existed,
      rejected: this.#rejected,
      bytes: this.#bytes,
      streams: this.#streams.size,
      moreStreams: this.#streams.size >= mostStreamsCounted,
      texts: this.#target.kept,
    };
  }

  async write(read: Read): Promise<void> {
    const { onRefused } = this.#options;
    const { bytes } = read;
    const { taken: named, refused: unfounded } = await this.#named.sort(read.taken);
    const { taken, refused: sealedBefore } = await this.#seals.sort(named);
    const refused = [...read.refused, ...unfounded, ...sealedBefore].sort(byLine);
    if (onRefused === null) await this.#appendOrStop(taken, refused);
    else await this.#appendOrReject(taken, refused, onRefused);
    this.#bytes += bytes;
    await this.#options.onStored?.(this.tally);
  }

  /** The error of an intake, with the progress until then. */
  stoppedBy(fault: unknown): unknown {
    if (fault instanceof IntakeStopped || fault instanceof ForeignInput) return fault;
    if (this.#options.signal.aborted) {
      const interrupted = new IcecoreError('interrupted', `stopped by ${String(this.#options.signal.reason)}`);
      return new IntakeStopped(interrupted, null, this.tally);
    }
    return fault instanceof IcecoreError ? new IntakeStopped(fault, null, this.tally) : fault;
  }

  /** If a window has a bad piece, nothing of it is appended; conflicts are only found while appending. */
  async #appendOrStop(taken: readonly Taken[], refused: readonly Refused[]): Promise<void> {
    const groups = groupsOf(taken);
    if (refused.length > 0 || !this.#areValid(groups.slice(1))) this.#stopAtFirst(taken, refused);
    for (const group of groups) {
      try {
        await this.#append(group);
      } catch (fault) {
        if (fault instanceof InvalidEvents) this.#stopAtFirst(taken, refused);
        const at = fault instanceof IcecoreError ? blamed(group.taken, fault, this.#target.types) : null;
        throw at === null ? fault : new IntakeStopped(at.fault, at.piece, this.tally);
      }
    }
  }

  /** An append checks its own events, so the first group of a window needs no separate check. */
  #areValid(groups: readonly Group[]): boolean {
    return groups.every((group) => this.#firstInvalid(group.taken) === null);
  }

  #stopAtFirst(taken: readonly Taken[], refused: readonly Refused[]): never {
    const [first] = [this.#firstInvalid(taken), refused[0] ?? null].filter((one) => one !== null).sort(byLine);
    if (first === undefined) throw new Error('an append refused events that pass the check');
    throw new IntakeStopped(first.fault, first.piece, this.tally);
  }

  #firstInvalid(taken: readonly Taken[]): Refused | null {
    for (const one of taken) {
      try {
        prepareEvents(one.stream, [one.event], this.#target.maxEventBytes, this.#target.types);
      } catch (fault) {
        if (fault instanceof IcecoreError) return { piece: one.piece, fault: faultOf(fault, 0, one) };
        throw fault;
      }
    }
    return null;
  }

  async #appendOrReject(
    taken: readonly Taken[],
    refused: Refused[],
    onRefused: NonNullable<IntakeOptions['onRefused']>,
  ): Promise<void> {
    try {
      for (const group of groupsOf(taken)) await this.#appendGood(group, refused);
    } finally {
      this.#rejected += refused.length;
      for (const one of refused.sort(byLine)) onRefused(one);
    }
  }

  /** Bisects a refused group until the bad event is isolated. */
  async #appendGood(group: Group, refused: Refused[]): Promise<void> {
    try {
      await this.#append(group);
    } catch (fault) {
      if (!(fault instanceof IcecoreError) || !isOfOneEvent(fault)) throw fault;
      if (fault instanceof InvalidEvents && group.taken.length > 1) {
        return await this.#appendValid(group, fault, refused);
      }
      const [only] = group.taken;
      if (group.taken.length === 1 && only !== undefined) {
        refused.push({ piece: only.piece, fault: faultOf(fault, 0, only) });
        return;
      }
      const half = group.taken.length >> 1;
      await this.#appendGood({ ...group, taken: group.taken.slice(0, half) }, refused);
      await this.#appendGood({ ...group, taken: group.taken.slice(half) }, refused);
    }
  }

  /** The ledger reports all invalid events at once: these are dropped, the others stay together. */
  async #appendValid(group: Group, fault: InvalidEvents, refused: Refused[]): Promise<void> {
    const invalid = new Set(fault.issues.map(({ index }) => index));
    for (const index of invalid) {
      const one = group.taken[index] as Taken;
      refused.push({ piece: one.piece, fault: faultOf(fault, index, one) });
    }
    const valid = group.taken.filter((_, index) => !invalid.has(index));
    if (valid.length > 0) await this.#appendGood({ ...group, taken: valid }, refused);
  }

  async #append({ stream, taken }: Group): Promise<void> {
    const expect = this.#expect;
    const { revision, existed } = await this.#target.append(stream, taken, { expect, signal: this.#options.signal });
    if (expect !== 'any' && revision >= 0) this.#expect = revision;
    for (const [index, one] of existed.entries()) {
      if (one) this.#existed++;
      else this.#appended++;
      this.#options.onTaken?.(taken[index]?.piece.line ?? 0, one);
    }
    if (this.#streams.size < mostStreamsCounted) this.#streams.add(stream);
  }
}

function byLine(a: Refused, b: Refused): number {
  return a.piece.line - b.piece.line;
}

/** A fault of an event, not of the ledger or of the expected state of the stream. */
function isOfOneEvent(fault: IcecoreError): boolean {
  return fault.kind === 'bad-input' || fault instanceof DuplicateId;
}
