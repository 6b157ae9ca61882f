// Asking brokers for what must be there of a lane: whoever asks knows that it is stored. Where nothing comes, a broker has
// just begun to lead, a transaction of somebody else holds back all that lies behind its beginning, or the log was cut off.
import { type Patience as Bounded, patiently } from '../remote/patience.ts';
import { Stumble } from '../remote/stumble.ts';
import { HistoryShrank, Undecided } from './errors.ts';
import type { Lane } from './lanes.ts';
import type { Fetched, Transport } from './transport/transport.ts';

/** Of one answer of a broker. */
export const pageBytes = 2 ** 20;
const leaderWaitMs = 100;
/** A broker that has just begun to lead knows within this how far all replicas have come. */
const leadingMs = 5_000;

/** How long what must be there is waited for, and who is told of it. */
export type Patience = Omit<Bounded, 'signal'>;

export interface Asked {
  readonly from: number;
  /** How far the lane was seen to go. */
  readonly known: () => number;
  readonly bytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const { signal: never } = new AbortController();

export class Asking {
  readonly #transport: Transport;
  readonly #patience: Patience;

  constructor(transport: Transport, patience: Patience) {
    this.#transport = transport;
    this.#patience = patience;
  }

  /** Goes on behind where it was asked for. Throws HistoryShrank, Undecided. */
  async fetch(lane: Lane, { from, known, bytes = pageBytes, signal }: Asked): Promise<Fetched> {
    const options = { maxBytes: bytes, maxWaitMs: leaderWaitMs, ...(signal === undefined ? {} : { signal }) };
    const attempt = async (): Promise<Fetched> => {
      signal?.throwIfAborted();
      const fetched = await this.#transport.fetch(lane.topic, lane.partition, from, options);
      if (fetched.next > from) return fetched;
      throw nothingOf(lane, from, fetched.written, known());
    };
    return await patiently({ ...this.#patience, signal: signal ?? never }, attempt, () => new Undecided(lane, from));
  }
}

function nothingOf(lane: Lane, from: number, written: number, known: number): Stumble {
  const where = `${lane.topic}/${lane.partition}`;
  if (written >= known) {
    return new Stumble(`a transaction of somebody else keeps ${where} from being read from offset ${from} on`, {
      maybeDone: false,
    });
  }
  const soon = { withinMs: leadingMs, otherwise: () => new HistoryShrank(lane, 0, written, known) };
  return new Stumble(`${where} ends at offset ${written}`, { maybeDone: false, soon });
}
