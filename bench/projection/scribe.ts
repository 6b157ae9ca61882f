// Appends the decisions of a run to its stream, one after the other, with the times of a simulated clock.
import { codeOf, type EventData, type NewEvent, streamOf, type TypeName, versionOf } from '../../schemas/index.ts';
import { eventId } from '../../src/ledger/identity/ids.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { continued } from '../../src/producers/history/reading.ts';
import { emptyHistory, type RunHistory } from '../../src/producers/history/run-history.ts';
import { idOf, stageNamed } from '../../src/producers/run/ids.ts';
import type { Decision } from '../../src/producers/run/journal.ts';
import type { Clock } from './clock.ts';

export class Scribe {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  #history: RunHistory;

  constructor(ledger: Ledger, run: string, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#history = emptyHistory(run);
  }

  get history(): RunHistory {
    return this.#history;
  }

  /** Advances the clock by a duration. */
  async decide(decision: Decision, seconds = 0.01): Promise<void> {
    const { run } = this.#history;
    const { type, actor, causes = [], data } = decision;
    const stage = stageNamed(decision);
    const at = this.#clock.after(Math.round(seconds * 1000));
    const event = { id: idOf(run, decision), type, version: versionOf(type), at, actor, run, stage, causes, data };
    const { revision } = this.#history;
    const expect = revision < 0 ? 'none' : revision;
    await this.#ledger.append(streamOf.run(run), [event satisfies NewEvent], { expect });
    this.#history = await continued(this.#ledger, this.#history);
  }

  async claim(fencingToken: number, leaseSeconds: number): Promise<void> {
    const { run } = this.#history;
    const holder = `bench:1:${run}`;
    const place = {
      stream: streamOf.work(run),
      run,
      stage: null,
      index: 2 * fencingToken + (leaseSeconds === 0 ? 1 : 0),
    };
    await this.#beside(place, 'RunClaimed', 'producer/run', { fencingToken, holder, leaseSeconds });
  }

  async note(stage: number, note: string): Promise<void> {
    const { run } = this.#history;
    const place = { stream: streamOf.notes(run), run, stage, index: 0 };
    await this.#beside(place, 'RunAnnotated', 'human/ada', { note, tags: ['bench'] });
  }

  async answer(data: EventData['ModelAnswered']): Promise<void> {
    const place = { stream: streamOf.answer(data.key), run: null, stage: null, index: 0 };
    await this.#beside(place, 'ModelAnswered', 'producer/answers', data);
  }

  async #beside<Type extends TypeName>(
    { stream, run, stage, index }: Beside,
    type: Type,
    actor: string,
    data: EventData[Type],
  ): Promise<void> {
    const id = eventId({ run: run ?? stream.slice('answer-'.length), stage: stage ?? 0, kind: codeOf(type), index });
    const at = this.#clock.after(5);
    const event = { id, type, version: versionOf(type), at, actor, run, stage, causes: [], data };
    await this.#ledger.append(stream, [event], { expect: 'any' });
  }
}

/** The position of an event outside the stream of the run. */
interface Beside {
  readonly stream: string;
  readonly run: string | null;
  readonly stage: number | null;
  readonly index: number;
}
