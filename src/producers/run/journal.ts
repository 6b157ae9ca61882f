// The stream of a run, as the one who runs it writes it: each decision against the revision it was made on, by whoever
// holds the run. Where somebody else wrote in between, what is known is read again, and nothing is written.
import { type EventData, type NewEventOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { WrongRevision } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withoutLongTexts } from '../answers/recorded-answer.ts';
import { KeptTexts } from '../intake/kept-texts.ts';
import { longestInline } from '../intake/texts.ts';
import type { RunHistory } from './history.ts';
import { idOf } from './ids.ts';
import { continued, readHistory } from './reading.ts';

/** What a step came to: an event of the run's stream, without what follows from its place. */
export type Decision = {
  readonly [Type in TypeName]: {
    readonly type: Type;
    readonly stage: number | null;
    /** Which of its type and stage, from 0: its id follows from it. */
    readonly index: number;
    readonly actor: string;
    readonly causes?: readonly Cause[];
    readonly data: EventData[Type];
  };
}[TypeName];

export interface Writing {
  readonly ledger: Ledger;
  /** Where long texts go. */
  readonly blobs: () => Promise<Blobs>;
  /** Throws where the run is in other hands by now. */
  readonly check: () => Promise<void>;
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

  static async open(run: string, writing: Writing): Promise<Journal> {
    return new Journal(writing, await readHistory(writing.ledger, run));
  }

  get history(): RunHistory {
    return this.#history;
  }

  /** False where somebody else wrote first: then nothing was written, and `history` has what they wrote. */
  async append(decision: Decision): Promise<boolean> {
    const { ledger, check } = this.#writing;
    const { run, revision } = this.#history;
    const stream = streamOf.run(run);
    const outgoing = withoutLongTexts(eventOf(run, decision), longestInline.byDefault);
    await this.#texts.keep(ledger, stream, [outgoing]);
    await check();
    const isWritten = await ledger.append(stream, [outgoing.event], { expect: revision < 0 ? 'none' : revision }).then(
      () => true,
      (fault: unknown) => {
        if (fault instanceof WrongRevision) return false;
        throw fault;
      },
    );
    this.#history = await continued(ledger, this.#history);
    return isWritten;
  }
}

function eventOf(run: string, decision: Decision): NewEvent {
  const { type, stage, actor, causes = [], data } = decision;
  return {
    id: idOf(run, decision),
    type,
    version: versionOf(type),
    at: new Date().toISOString(),
    actor,
    run,
    stage,
    causes,
    data,
  } satisfies NewEvent as NewEventOf<TypeName>;
}
