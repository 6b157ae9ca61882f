// The rule by which records count, once more in a few lines: for the tests that hold the index to it.
import type { Lane, Lanes } from '../lanes.ts';
import type { OutgoingRecord } from '../transport/transport.ts';
import type { Logged } from './random-logs.ts';

export interface ModelEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly digest: string;
  readonly offset: number;
  readonly body: string;
}

export type Verdict = 'counts' | 'late' | 'gap' | 'unchained' | 'fenced' | 'foreign' | 'empty';

/** One lane: what lies in it, what each offset is, and what its streams hold. */
export class ModelLane {
  readonly records: readonly (OutgoingRecord | null)[];
  readonly verdicts: readonly Verdict[];
  readonly events: readonly ModelEvent[];
  readonly #lane: Lane;
  readonly #lanes: Lanes;
  readonly #writers = new Map<string, string>();

  constructor(lanes: Lanes, lane: Lane, log: readonly Logged[]) {
    this.#lanes = lanes;
    this.#lane = lane;
    this.records = log.filter(({ stream }) => lanes.ofStream(stream) === lane).map(({ record }) => record);
    const events: ModelEvent[] = [];
    this.verdicts = this.records.map((record, offset) => {
      const verdict = record === null ? 'empty' : this.#verdict(record, events);
      if (verdict === 'counts' && record !== null) events.push(eventIn(record, offset));
      return verdict;
    });
    this.events = events;
  }

  of(stream: string): readonly ModelEvent[] {
    return this.events.filter((event) => event.stream === stream);
  }

  #verdict({ key, headers }: OutgoingRecord, events: readonly ModelEvent[]): Verdict {
    if (headers['ce_id'] === undefined || this.#lanes.ofStream(key) !== this.#lane) return 'foreign';
    const there = events.filter(({ stream }) => stream === key);
    const revision = Number(headers['ce_revision']);
    if (revision !== there.length) return revision < there.length ? 'late' : 'gap';
    if (key.startsWith('notes-')) return headers['ce_previous'] === there.at(-1)?.digest ? 'counts' : 'unchained';
    const [epoch, session, first] = (headers['ce_writer'] ?? '').split('.');
    const [writer, current] = [`${epoch}.${session}`, this.#writers.get(key) ?? '0.'];
    const takesOver = Number(epoch) > Number.parseInt(current, 10) && Number(first) === revision;
    if (writer !== current && !takesOver) return 'fenced';
    this.#writers.set(key, writer);
    return 'counts';
  }
}

function eventIn({ key, headers, value }: OutgoingRecord, offset: number): ModelEvent {
  return {
    stream: key,
    revision: Number(headers['ce_revision']),
    id: (headers['ce_id'] ?? '').replaceAll('-', ''),
    digest: headers['ce_digest'] ?? '',
    offset,
    body: value,
  };
}
