// The stream of a run as its orchestrator writes it: every event has an id that follows from its place and is appended
// at the revision it was decided on. If another process wrote first, nothing is written and the history is read again.
import { type EventData, type NewEventOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { continued, readHistory } from '../history/reading.ts';
import { NewerHistory, type RunHistory } from '../history/run-history.ts';
import { KeptTexts, longestInline, type Outgoing, withoutLongTexts } from '../intake/texts.ts';
import { idOf, stageNamed } from './ids.ts';

/** The result of a step: an event without the fields that follow from its place. */
export type Decision = {
  readonly [Type in TypeName]: {
    readonly type: Type;
    readonly stage: number | null;
    /** The index within its type and stage, from 0, which determines its id. */
    readonly index: number;
    readonly actor: string;
    readonly causes?: readonly Cause[];
    readonly data: EventData[Type];
  };
}[TypeName];

export interface Writing {
  readonly ledger: Ledger;
  /** Storage of long texts. */
  readonly blobs: () => Promise<Blobs>;
  /** Throws if another process holds the stream. */
  readonly check: () => Promise<void>;
}

/** `owner` is the run or ablation of the stream and determines the id; `run` is the run that the event concerns. */
export function outgoingOf(owner: string, run: string | null, decision: Decision): Outgoing {
  const { type, actor, causes = [], data } = decision;
  const event = {
    id: idOf(owner, decision),
    type,
    version: versionOf(type),
    at: new Date().toISOString(),
    actor,
    run,
    stage: stageNamed(decision),
    causes,
    data,
  } satisfies NewEvent as NewEventOf<TypeName>;
  return withoutLongTexts(event, longestInline.byDefault);
}

/**
 * False if another process wrote first: then nothing was written. Throws the error of the check if the stream is held
 * by another process.
 */
export async function isAppended(
  { ledger, check }: Pick<Writing, 'ledger' | 'check'>,
  stream: string,
  revision: number,
  event: NewEvent,
): Promise<boolean> {
  await check();
  try {
    await ledger.append(stream, [event], { expect: revision < 0 ? 'none' : revision });
    return true;
  } catch (fault) {
    if (!(fault instanceof WrongRevision || fault instanceof DuplicateId)) throw fault;
    await check();
    if (fault instanceof WrongRevision) return false;
    throw fault;
  }
}

export class Journal {
  readonly #writing: Writing;
  readonly #texts: KeptTexts;
  #history: RunHistory;

  private constructor(writing: Writing, history: RunHistory) {
    this.#writing = writing;
    this.#texts = new KeptTexts(writing.blobs);
    this.#history = history;
  }

  /** Throws NewerHistory. */
  static async open(run: string, writing: Writing): Promise<Journal> {
    return new Journal(writing, requireKnown(await readHistory(writing.ledger, run)));
  }

  get history(): RunHistory {
    return this.#history;
  }

  /** False if another process wrote first: then nothing was written, and `history` contains its events. */
  async append(decision: Decision): Promise<boolean> {
    const { ledger } = this.#writing;
    const { run } = this.#history;
    const stream = streamOf.run(run);
    const outgoing = outgoingOf(run, run, decision);
    await this.#texts.keep(ledger, stream, [outgoing]);
    const isWritten = await this.#isFirst(stream, outgoing.event);
    this.#history = requireKnown(await continued(ledger, this.#history));
    return isWritten;
  }

  /** The previous holder may have written the first event, with the same id and other content. */
  async #isFirst(stream: string, event: NewEvent): Promise<boolean> {
    const { revision } = this.#history;
    try {
      return await isAppended(this.#writing, stream, revision, event);
    } catch (fault) {
      if (!(fault instanceof DuplicateId)) throw fault;
      const { revision: now } = await continued(this.#writing.ledger, this.#history);
      if (now === revision) throw fault;
      return false;
    }
  }
}

/** Throws NewerHistory. */
function requireKnown(history: RunHistory): RunHistory {
  const { newer, started, run } = history;
  if (newer !== undefined) throw new NewerHistory(`run ${started?.data.name ?? run}`, newer);
  return history;
}
