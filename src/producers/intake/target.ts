// Where an intake puts events, and what it asks of it.
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { EventTypes } from '../../../schemas/check.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isChained, parseStream, streamOf } from '../../../schemas/streams.ts';
import type { Appended, AppendOptions, Ledger } from '../../ledger/ledger.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { AttemptTree } from '../../ledger/seal/attempt.ts';
import { finishedEvent } from '../evidence/reported.ts';
import type { Known } from './ledger-checks.ts';
import { type Kept, longestInline, type Outgoing } from './texts.ts';

/** Where events go: a ledger with its blobs, or what only checks them. */
export interface Target {
  readonly maxEventBytes: number;
  /** The types that events may be of; icecore's own where it is missing. */
  readonly types?: EventTypes;
  /** What is there already; asked where events name blobs. */
  readonly known: Known;
  readonly kept: Kept;
  /** Appends events of one stream, their own texts before them. */
  append(
    stream: string,
    outgoing: readonly Outgoing[],
    options: AppendOptions,
  ): Promise<Pick<Appended, 'revision' | 'existed'>>;
  /** All of the input is taken in. */
  finish(): Promise<void>;
}

/** Checks events as a ledger would, and keeps nothing: what it cannot know is whether an id is taken. */
export function checkingTarget(maxEventBytes: number, known: Known, types: EventTypes = eventTypes): Target {
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

/** Beside what an event holds, its texts may be as long as this. */
const longestTexts = 16 * 1024 * 1024;

/** Texts of prompts in other scripts, written with ASCII escapes, take three times the bytes they have in a store. */
export function longestPiece(maxEventBytes: number, longest: number): number {
  return 3 * maxEventBytes + 65_536 + (longest === longestInline.everything ? 0 : longestTexts);
}

// What an intake reports of evidence. Where evidence has a store of its own, others know of a stream from its report, and what
// comes after that counts nowhere: a stream is reported once, when all of the input is taken in.

export class IntakeReports {
  readonly #ledger: Ledger;
  readonly #trees = new Map<string, AttemptTree>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Throws AttemptOver where events came after those that were reported. */
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

  /** Once all is taken in: an input that was broken off is taken in again, into the same streams. */
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

  /** With how many events; null where it is not reported. */
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
    super('conflict', `${stream} was reported with ${events} events: what comes after them counts nowhere`, {
      facts: { stream, events },
      remedy: 'Append it to another attempt: the last number in the name of the stream.',
    });
  }
}
