// Evidence in reported attempts: if evidence has its own store, an attempt is one stream, written in one session and
// announced by AttemptFinished in the work stream. A resumed run compares new events with earlier attempts instead of
// appending them again, and starts a new attempt at the first difference.

import { setTimeout } from 'node:timers/promises';
import { CanonicalText, canonicalJson } from '../../../schemas/canonical.ts';
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { AttemptBroken, DuplicateId, EvidenceMissing } from '../../ledger/errors.ts';
import { eventId, indexOfId } from '../../ledger/identity/ids.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import type { Appended, EvidencePlace, Ledger } from '../../ledger/ledger.ts';
import { type SealedAttempt, sealBeginning } from '../../ledger/seal/attempt.ts';
import { Span } from '../../ledger/seal/span.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { longestInline, withoutLongTexts } from '../intake/texts.ts';
import { type EvidencePart, idsOfAnAttempt, mostAttempts, rolloutActor } from './parts.ts';

type Finished = EventData['AttemptFinished'];

/** An attempt that was reported under a valid claim. */
export interface FinishedAttempt extends Pick<Finished, 'attempt' | 'count' | 'root'> {
  /** The number of events of its part before its first one. */
  readonly begin: number;
  /** The number of its events that count: those before the first event of the next attempt. */
  readonly counting: number;
}

/** The attempts that count after one more report: earlier ones count up to its first event. */
export function withFinished(
  before: readonly FinishedAttempt[],
  { attempt, begin = 0, count, root }: Pick<Finished, 'attempt' | 'begin' | 'count' | 'root'>,
): readonly FinishedAttempt[] {
  return [...attemptsBefore(before, begin), { attempt, begin, count, root, counting: count }];
}

/** The attempts that count up to an event of their part. */
function attemptsBefore(attempts: readonly FinishedAttempt[], event: number): readonly FinishedAttempt[] {
  return attempts
    .filter(({ begin }) => begin < event)
    .map((one) => ({ ...one, counting: Math.min(one.counting, event - one.begin) }));
}

/** The maximum size of an attempt: it ends at whichever limit is reached first. */
export interface AttemptLimits {
  readonly rollouts: number;
  readonly seconds: number;
}

export const usualLimits: AttemptLimits = { rollouts: 10_000, seconds: 60 };

/** Numbers of attempts are unique per part and claim; a run sees few claims. */
export const attemptsOfAClaim = 100_000;

/** Reports and numbers the attempts of a claim while the claim is valid. */
export class Reports {
  readonly limits: AttemptLimits;
  readonly #options: ReportsOptions;
  readonly #begun = new Map<string, number>();

  constructor(options: ReportsOptions) {
    this.#options = options;
    this.limits = options.limits ?? usualLimits;
  }

  /** Throws if another process holds the claim. */
  async check(): Promise<void> {
    await this.#options.check();
  }

  get earlierClaims(): number {
    return this.#options.fencingToken - 1;
  }

  /** The valid reports of a part, in order. */
  async finishedAt({ stage, part }: EvidencePart): Promise<readonly FinishedAttempt[]> {
    return await this.#options.finishedAt(stage, String(part));
  }

  /**
   * A number that no other attempt at the part has, computed without reading streams from the claim's unique fencing
   * token and the number of attempts started under it. The first claim starts with 0.
   */
  nextAttempt({ stage, part }: EvidencePart): number {
    const key = `${stage}/${part}`;
    const begun = this.#begun.get(key) ?? 0;
    if (begun >= attemptsOfAClaim) throw new TooManyAttempts(key);
    this.#begun.set(key, begun + 1);
    return this.earlierClaims * attemptsOfAClaim + begun;
  }

  /** Throws if another process holds the claim; then nothing was written. */
  async report(part: EvidencePart, finished: Omit<Finished, 'part' | 'fencingToken'>): Promise<void> {
    const { fencingToken, write } = this.#options;
    await write(finishedEvent(part, { part: String(part.part), ...finished, fencingToken }));
  }
}

class TooManyAttempts extends IcecoreError {
  override readonly name = 'TooManyAttempts';

  /** `part` describes the stage and the part. */
  constructor(part: string) {
    super('conflict', `${part}: more than ${attemptsOfAClaim} attempts under one claim of the run`, {
      facts: { part, attempts: attemptsOfAClaim },
      remedy: 'Resume the run: a new claim numbers its own attempts, and reported attempts are kept.',
    });
  }
}

interface ReportsOptions {
  readonly fencingToken: number;
  readonly check: () => Promise<void>;
  readonly finishedAt: (stage: number, part: string) => Promise<readonly FinishedAttempt[]>;
  /**
   * Appends to the work stream of the recorder; throws if another process holds the claim, and then has written
   * nothing.
   */
  readonly write: (event: NewEventOf<'AttemptFinished'>) => Promise<void>;
  readonly limits?: AttemptLimits;
}

/** Its id follows from its attempt: a repeated report after a lost reply has the same id. */
export function finishedEvent(
  { run, stage }: Omit<EvidencePart, 'part'>,
  data: Finished,
): NewEventOf<'AttemptFinished'> {
  const kind = codeOf('AttemptFinished');
  return {
    id: eventId({ run: `${run}/${data.part}`, stage, kind, index: data.attempt }),
    type: 'AttemptFinished',
    version: versionOf('AttemptFinished'),
    at: new Date().toISOString(),
    actor: rolloutActor,
    run,
    stage,
    causes: [],
    data,
  };
}

/**
 * The events of one rollout, which are stored together. Ids follow from the rollout's place and a series: 0, unless an
 * abandoned attempt has already used these ids or has another rollout at this place.
 */
export type Rollout = (series: number) => readonly NewEvent[];

interface OpenAttempt {
  readonly attempt: number;
  readonly begin: number;
  /** In milliseconds of a monotonic clock. */
  readonly since: number;
  readonly tree: Span;
  /** Kept until it is reported, because a store may break the attempt off. */
  readonly rollouts: Rollout[];
  place: EvidencePlace | null;
}

const rolloutsOfAnAppend = 500;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

export class ReportedPart {
  readonly #ledger: Ledger;
  readonly #part: EvidencePart;
  readonly #reports: Reports;
  #finished: readonly FinishedAttempt[];
  #open: OpenAttempt | null = null;
  #series = 0;

  private constructor(ledger: Ledger, part: EvidencePart, reports: Reports, finished: readonly FinishedAttempt[]) {
    this.#ledger = ledger;
    this.#part = part;
    this.#reports = reports;
    this.#finished = finished;
  }

  static async open(ledger: Ledger, part: EvidencePart, reports: Reports): Promise<ReportedPart> {
    return new ReportedPart(ledger, part, reports, whole(await reports.finishedAt(part)));
  }

  /** The number of stored events of the part. */
  get end(): number {
    const { begin, tree } = this.#open ?? { begin: endOf(this.#finished), tree: null };
    return begin + (tree?.to ?? 0);
  }

  /**
   * Resolves with the number of events once they are durable. `at` is the number of events of the part before them, all
   * of which are stored.
   */
  async record(at: number, rollouts: readonly Rollout[], signal?: AbortSignal): Promise<number> {
    await this.#reports.check();
    if (this.#isOverdue() || at < this.end) await this.finish();
    const stored = at < this.end ? await this.#stored(at, rollouts) : { rollouts: 0, events: 0 };
    return stored.events + (await this.#append(rollouts.slice(stored.rollouts), signal));
  }

  /** Reports what is stored, so that it survives a crash. */
  async finish(): Promise<void> {
    const open = this.#open;
    if (open !== null && open.tree.to > 0) {
      const { attempt, begin, tree, place } = open;
      const finished = { attempt, begin, count: tree.to, root: tree.root() };
      await this.#reports.report(this.#part, { ...finished, ...(place === null ? {} : { place }) });
      this.#finished = withFinished(this.#finished, finished);
    }
    this.#open = null;
  }

  /** The attempts with the first events of the part, in order, once all of them are reported. */
  async sealed(events: number): Promise<SealedAttempt[]> {
    await this.finish();
    const sealed: SealedAttempt[] = [];
    for (const { attempt, count, counting, root } of attemptsBefore(this.#finished, events)) {
      const stream = this.#streamOf(attempt);
      sealed.push(counting === count ? { stream, count, root } : await sealBeginning(this.#ledger, stream, counting));
    }
    return sealed;
  }

  #streamOf(attempt: number): string {
    const { run, stage, part } = this.#part;
    return streamOf.evidence(run, stage, part, attempt);
  }

  #isOverdue(): boolean {
    const { seconds } = this.#reports.limits;
    return this.#open !== null && performance.now() - this.#open.since >= seconds * 1000;
  }

  /** The number of these rollouts that are already recorded identically; recorded events after them do not count. */
  async #stored(at: number, rollouts: readonly Rollout[]): Promise<{ rollouts: number; events: number }> {
    const recorded = this.#recordedFrom(at);
    let events = 0;
    try {
      for (const [i, rollout] of rollouts.entries()) {
        const next = await recorded.next();
        if (next.done === true) {
          // If events of an attempt are lost, the attempt ends before them.
          this.#finished = attemptsBefore(this.#finished, at + events);
          return { rollouts: i, events };
        }
        const series = Math.floor(indexOfId(next.value.id) / idsOfAnAttempt);
        const repeated = rollout(series);
        let found: StoredEvent | null = next.value;
        for (const event of repeated) {
          if (found === null || !isSame(found, event)) {
            this.#series = Math.max(this.#series, series + 1);
            this.#finished = attemptsBefore(this.#finished, at + events);
            return { rollouts: i, events };
          }
          if (event !== repeated.at(-1)) found = (await recorded.next()).value ?? null;
        }
        events += repeated.length;
      }
      return { rollouts: rollouts.length, events };
    } finally {
      await recorded.return(undefined);
    }
  }

  async *#recordedFrom(at: number): AsyncGenerator<StoredEvent, undefined> {
    for (const { attempt, begin, counting } of this.#finished) {
      if (begin + counting <= at) continue;
      const from = Math.max(0, at - begin);
      let next = from;
      try {
        for await (const events of this.#ledger.read(this.#streamOf(attempt), { from, to: counting - 1 })) {
          for (const event of events) {
            // A store may deliver an event again.
            if (event.revision !== next) continue;
            next += 1;
            yield event;
          }
        }
      } catch (fault) {
        if (!(fault instanceof EvidenceMissing)) throw fault;
      }
      // Lost events that are not sealed yet are recorded again.
      if (next < counting) return;
    }
  }

  async #append(rollouts: readonly Rollout[], signal: AbortSignal | undefined): Promise<number> {
    const { limits } = this.#reports;
    const before = this.end;
    for (let done = 0; done < rollouts.length; ) {
      const room = limits.rollouts - (this.#open?.rollouts.length ?? 0);
      const portion = rollouts.slice(done, done + Math.min(room, rolloutsOfAnAppend));
      await this.#store(portion, signal);
      done += portion.length;
      if ((this.#open?.rollouts.length ?? 0) >= limits.rollouts) await this.finish();
    }
    return this.end - before;
  }

  async #store(portion: readonly Rollout[], signal: AbortSignal | undefined): Promise<void> {
    let rollouts = portion;
    let brokenSince: number | null = null;
    for (let pause = firstPauseMs; ; ) {
      this.#open ??= this.#begun();
      try {
        return await this.#send(this.#open, rollouts, signal);
      } catch (fault) {
        if (fault instanceof DuplicateId && this.#series + 1 < mostAttempts) {
          await this.finish();
          // Each earlier claim may have left an abandoned attempt.
          this.#series = Math.max(this.#series + 1, this.#reports.earlierClaims % mostAttempts);
          continue;
        }
        brokenSince ??= performance.now();
        const broken = attemptBrokenIn(fault);
        if (broken === null || performance.now() - brokenSince >= broken.patienceSeconds * 1_000) throw fault;
        // The stored part of the broken attempt is abandoned and never reported.
        rollouts = [...this.#open.rollouts, ...rollouts];
        this.#open = null;
        await setTimeout(pause, undefined, signal === undefined ? {} : { signal });
        await this.#reports.check();
        pause = Math.min(2 * pause, longestPauseMs);
      }
    }
  }

  #begun(): OpenAttempt {
    const attempt = this.#reports.nextAttempt(this.#part);
    const begin = endOf(this.#finished);
    return { attempt, begin, since: performance.now(), tree: new Span(), rollouts: [], place: null };
  }

  async #send(open: OpenAttempt, rollouts: readonly Rollout[], signal: AbortSignal | undefined): Promise<void> {
    const events = rollouts.flatMap((rollout) => rollout(this.#series));
    const options = { expect: 'any', isNew: open.tree.to === 0, ...(signal === undefined ? {} : { signal }) } as const;
    const appended = await this.#ledger.append(this.#streamOf(open.attempt), events, options);
    open.tree.addAll(appended.digests);
    open.rollouts.push(...rollouts);
    open.place = joined(open.place, appended);
  }
}

/** The attempts without gaps from the first event of a part: another process's report may leave a gap. */
function whole(finished: readonly FinishedAttempt[]): readonly FinishedAttempt[] {
  let end = 0;
  const gap = finished.findIndex(({ begin, counting }) => {
    const follows = begin === end;
    end += counting;
    return !follows;
  });
  return gap < 0 ? finished : finished.slice(0, gap);
}

function endOf(finished: readonly FinishedAttempt[]): number {
  const last = finished.at(-1);
  return last === undefined ? 0 : last.begin + last.counting;
}

/** Ignores the time, the measurements, the place, and whether texts are inline or in blobs. */
function isSame({ body, stream, revision }: StoredEvent, event: NewEvent): boolean {
  const data = event.data instanceof CanonicalText ? parseJson(event.data.text) : event.data;
  const given: NewEvent = { ...event, data };
  const isAs = (made: NewEvent): boolean =>
    differences(body, canonicalJson({ ...made, stream, revision, previous: null })).length === 0;
  return isAs(given) || isAs(withoutLongTexts(given, longestInline.nothing).event);
}

function joined(before: EvidencePlace | null, { place }: Appended): EvidencePlace | null {
  if (place === undefined || before === null) return place ?? null;
  return { ...before, to: place.to };
}

/** A ledger of two stores says which one broke it off. */
function attemptBrokenIn(fault: unknown): AttemptBroken | null {
  if (fault instanceof AttemptBroken) return fault;
  return fault instanceof Error && fault.cause instanceof AttemptBroken ? fault.cause : null;
}
