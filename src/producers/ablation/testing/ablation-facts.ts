// The reproducible results of an ablation: everything but times, the order in which arms finish, and measurements of
// the process.
import { streamOf } from '../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';

export async function ablationFacts(ledger: Ledger, ablation: string): Promise<readonly object[]> {
  const facts: { readonly id: string; readonly event: object }[] = [];
  for await (const events of ledger.read(streamOf.ablation(ablation))) {
    for (const event of events) if (event.type !== 'RunTakenOver') facts.push({ id: event.id, event: lasting(event) });
  }
  return facts.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ event }) => event);
}

function lasting({ envelope }: StoredEvent): object {
  const { at: _, previous: __, revision: ____, data, ...rest } = envelope;
  const { measured = {}, ...content } = data as { readonly measured?: { readonly sharedWith?: string } };
  const { sharedWith } = measured;
  return { ...rest, data: { ...content, ...(sharedWith === undefined ? {} : { sharedWith }) } };
}
