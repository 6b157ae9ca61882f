// Writes a ledger again with some events changed: ids stay, digests, chains and seals are made again, so that only
// recomputation can find the change.
import type { Cause, NewEvent } from '../../../../schemas/envelope.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { AttemptTree } from '../../../ledger/seal/attempt.ts';
import { treeOf } from '../../../ledger/seal/span.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';

/** The new data of an event; null to drop it. */
export type Forge = (event: StoredEvent, data: Data) => Data | null;

/** Tests modify it freely. */
// biome-ignore lint/suspicious/noExplicitAny: the content depends on the type of the event
export type Data = any;

export async function forge(from: Ledger, to: Ledger, forged: Forge): Promise<void> {
  for await (const events of from.readAll()) {
    for (const [stream, together] of runsOf(events)) {
      const written: NewEvent[] = [];
      for (const event of together) {
        const data = forged(event, structuredClone(event.envelope.data));
        if (data === null) continue;
        const causes = await recited(to, data.causes ?? event.envelope.causes);
        written.push(rewritten(event, await resealed(to, data), causes));
      }
      if (written.length > 0) await to.append(stream, written, { expect: 'any' });
    }
  }
}

/** Adjacent events of one stream. */
function* runsOf(events: readonly StoredEvent[]): Generator<readonly [string, readonly StoredEvent[]]> {
  let from = 0;
  for (let to = 1; to <= events.length; to++) {
    const { stream } = events[from] as StoredEvent;
    if (events[to]?.stream === stream) continue;
    yield [stream, events.slice(from, to)];
    from = to;
  }
}

function rewritten({ envelope }: StoredEvent, data: Data, causes: readonly Cause[]): NewEvent {
  const { type, version, at, actor, run, stage } = envelope;
  const id = data.id ?? envelope.id;
  return { id, type, version, at, actor: data.actor ?? actor, run, stage, causes, data: withoutEnvelope(data) };
}

/** The data may set the event's id, actor and causes. */
function withoutEnvelope({ id: _, actor: __, causes: ___, ...data }: Data): Data {
  return data;
}

/** Streams are cited with their current roots; those without a root keep the requested one. */
async function recited(to: Ledger, causes: readonly Cause[]): Promise<readonly Cause[]> {
  return await Promise.all(
    causes.map(async (cause) => {
      if (!('stream' in cause)) return cause;
      if (cause.root === '') return { ...cause, root: (await treeOf(to, cause)).root() };
      const { count, root } = await new AttemptTree(to, cause.stream).seal();
      return { ...cause, to: count - 1, root };
    }),
  );
}

async function resealed(to: Ledger, data: Data): Promise<Data> {
  if (!Array.isArray(data.attempts)) return data;
  const attempts = await Promise.all(
    data.attempts.map(({ stream }: { stream: string }) => new AttemptTree(to, stream).seal()),
  );
  return { ...data, attempts };
}
