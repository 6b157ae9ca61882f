// The target of an intake.
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { EventTypes } from '../../../schemas/check.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained, parseStream, streamOf } from '../../../schemas/streams.ts';
import type { Appended, AppendOptions, Ledger } from '../../ledger/ledger.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { AttemptTree } from '../../ledger/seal/attempt.ts';
import { finishedEvent } from '../evidence/reported.ts';
import type { StoredContent } from './ledger-checks.ts';
import { type KeptCounts, longestInline, type Outgoing } from './texts.ts';

/** Where events go: a ledger with its blobs, or a mere check. */
export interface Target {
  readonly maxEventBytes: number;
  /** The allowed types; icecore's own by default. */
  readonly types?: EventTypes;
  /** What is already stored; used for events that name blobs. */
  readonly known: StoredContent;
  readonly kept: KeptCounts;
  /** Appends events of one stream after their own texts. */
  append(
    stream: string,
    outgoing: readonly Outgoing[],
    options: AppendOptions,
  ): Promise<Pick<Appended, 'revision' | 'existed'>>;
  /** Called after all of the input. */
  finish(): Promise<void>;
}

/** Checks events as a ledger would, without storing them: it cannot find out whether an id is taken. */
export function checkingTarget(maxEventBytes: number, known: StoredContent, types: EventTypes = eventTypes): Target {
  return {
    maxEventBytes,
    types,
    known,
    kept: { written: 0, erased: 0 },
    append: async (stream, outgoing) => {
      const events = outgoing.map(({ event }) => event);
      prepareEvents(stream, events, maxEventBytes, types);
      return { revision: -1, existed: events.map(() => false) };
    },
    finish: async () => {},
  };
}

/** The maximum size of an event's texts, in addition to the event. */
const longestTexts = 16 * 1024 * 1024;

/** Prompts in other scripts, written with ASCII escapes, take three times the bytes of their UTF-8 form. */
export function longestPiece(maxEventBytes: number, longest: number): number {
  return 3 * maxEventBytes + 65_536 + (longest === longestInline.everything ? 0 : longestTexts);
}

// Reports of evidence. If evidence has its own store, readers learn of a stream from its report, and later events do
// not count: a stream is reported once, after all of the input.

export class IntakeReports {
  readonly #ledger: Ledger;
  readonly #trees = new Map<string, AttemptTree>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Throws AttemptOver if events follow those that were reported. */
  async appended(stream: string, appended: Appended): Promise<void> {
    if (this.#ledger.capabilities.attempts !== 'reported' || isChained(stream)) return;
    if (appended.existed.includes(false)) {
      const reported = await this.#reportedOf(stream);
      if (reported !== null && appended.revision >= reported) throw new AttemptOver(stream, reported);
    }
    const tree = this.#trees.get(stream) ?? new AttemptTree(this.#ledger, stream);
    this.#trees.set(stream, tree);
    tree.appended(appended);
  }

  /** Only after all of the input: an interrupted input is taken in again, into the same streams. */
  async finish(): Promise<void> {
    for (const [stream, tree] of this.#trees) {
      const name = parseStream(stream);
      if (name?.category !== 'evidence' || (await this.#reportedOf(stream)) !== null) continue;
      const { run, stage, part, attempt } = name;
      const { count, root } = await tree.seal();
      const event = finishedEvent({ run, stage }, { part, attempt, count, root });
      await this.#ledger.append(streamOf.work(run), [event], { expect: 'any' });
    }
    this.#trees.clear();
  }

  /** The number of reported events; null if it is not reported. */
  async #reportedOf(stream: string): Promise<number | null> {
    for await (const ends of this.#ledger.streams(stream)) {
      const end = ends.find((one) => one.stream === stream);
      if (end !== undefined) return end.revision + 1;
    }
    return null;
  }
}

class AttemptOver extends IcecoreError {
  override readonly name = 'AttemptOver';

  constructor(stream: string, events: number) {
    super('conflict', `${stream} was reported with ${events} events: later events do not count`, {
      facts: { stream, events },
      remedy: 'Append them to another attempt, which is the last number in the name of the stream.',
    });
  }
}
