// Whether a stream is still whose it was. Its holder knows it up to its own last event; of what others have sent to the lane
// since, only what bears the stream's name is looked at, and nothing is taken into the index: whoever wants to read does that.
import { after, refusalOf, type StreamState } from './admission.ts';
import type { Asking } from './asking.ts';
import type { Lane } from './lanes.ts';
import type { Own } from './session.ts';
import type { FoundRecord } from './transport/transport.ts';
import { Placing } from './wire.ts';

interface Held {
  readonly lane: Lane;
  readonly stream: string;
  readonly own: Own;
}

/** As the stream stands at an offset of its lane. */
export async function stateAt(
  asking: Asking,
  { lane, stream, own }: Held,
  offset: number,
  signal: AbortSignal,
): Promise<StreamState> {
  const key = Buffer.from(stream);
  const placing = new Placing();
  let { state } = own;
  for (let from = own.next; from < offset; ) {
    const { records, next } = await asking.fetch(lane, { from, known: () => offset, signal });
    for (const record of records) {
      if (record.offset < offset && record.key?.equals(key) === true) state = behind(state, placing, record);
    }
    from = next;
  }
  return state;
}

function behind(state: StreamState, placing: Placing, record: FoundRecord): StreamState {
  const placed = placing.placedIn(record);
  return typeof placed === 'string' || refusalOf(placed, state) !== null ? state : after(placed);
}
