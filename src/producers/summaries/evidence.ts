// The rollouts a stage is summed up from: those of the attempts that its seal names, of the splits asked for, one after the
// other. Only what engineers may see can be asked for: the hidden part of the pool and benchmarks can not.
import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { failureClassOf, familyOf, isFailed } from '../../lab/environments/recorded.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Seen, ShownSplit } from './summary.ts';

export interface Evidence {
  readonly ledger: Ledger;
  readonly sealed: EventData['EvidenceSealed'];
  readonly descriptor: Descriptor;
  readonly splits: ReadonlySet<ShownSplit>;
  readonly signal?: AbortSignal | undefined;
}

/** What training and evaluations recorded of themselves is in other parts: nothing of it reaches engineers. */
function shardsIn({ attempts }: EventData['EvidenceSealed']): EventData['EvidenceSealed']['attempts'] {
  return attempts.filter(({ stream }) => {
    const name = parseStream(stream);
    return name?.category === 'evidence' && name.shard !== null;
  });
}

/** A failure is told right after its rollout. What belongs to no family of the descriptor is passed over. */
export async function* rolloutsIn({ ledger, sealed, descriptor, splits, signal }: Evidence): AsyncGenerator<Seen> {
  const families = new Set(descriptor.families.map(({ family }) => family));
  for (const attempt of shardsIn(sealed)) {
    let held = null as Seen | null;
    for await (const events of sealedEvents(ledger, attempt)) {
      signal?.throwIfAborted();
      for (const event of events) {
        // What cannot matter is not even parsed.
        if (event.type !== 'RolloutRecorded' && (event.type !== 'FailureRecorded' || held === null)) continue;
        const { id, reading } = event;
        if (!reading.known) continue;
        if (reading.type === 'FailureRecorded' && held !== null && reading.data.rollout === held.id) {
          held = { ...held, failure: { id, data: reading.data } };
        }
        if (reading.type !== 'RolloutRecorded') continue;
        if (held !== null) yield held;
        const isShown = (splits as ReadonlySet<string>).has(reading.data.split);
        const seen = isShown ? seenIn(descriptor, id, reading.data) : null;
        held = seen !== null && families.has(seen.family) ? seen : null;
      }
    }
    if (held !== null) yield held;
  }
}

function seenIn(descriptor: Descriptor, id: string, data: EventData['RolloutRecorded']): Seen | null {
  const family = familyOf(descriptor, data);
  if (family === null) return null;
  const failureClass = isFailed(descriptor, data) ? (failureClassOf(descriptor, data) ?? 'unclassified') : null;
  return { id, data, family, failureClass, failure: null };
}

/** Pages of them, each revision once: a store may deliver it again. */
async function* sealedEvents(
  ledger: Ledger,
  { stream, count }: EventData['EvidenceSealed']['attempts'][number],
): AsyncGenerator<readonly StoredEvent[]> {
  if (count === 0) return;
  let next = 0;
  for await (const events of ledger.read(stream, { from: 0, to: count - 1 })) {
    // So that somebody who wants it to stop is heard.
    await setImmediate();
    yield events.filter(({ revision }) => {
      if (revision > next) throw missingFrom(stream, next, count);
      if (revision < next) return false;
      next += 1;
      return true;
    });
  }
  if (next < count) throw missingFrom(stream, next, count);
}

function missingFrom(stream: string, revision: number, sealed: number): EvidenceMissing {
  const what = `${stream} has no event ${revision}; its seal vouches for ${sealed}`;
  return new EvidenceMissing(what, { stream, revision, sealed });
}
