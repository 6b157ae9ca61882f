// A ledger with an event of every type and version, as in the golden files, and evidence in several attempts.

import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { golden, goldenFiles } from '../../../schemas/testing/golden.ts';
import { rolloutIn } from '../../ledger/contract/samples.ts';
import { eventIds } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const owner = 'k3v9q2m8x1tz';

export async function writeVaried(ledger: Ledger, rollouts = 60): Promise<void> {
  const ids = eventIds({ run: owner, stage: 0, kind: 119 });
  for (const [index, name] of goldenFiles.entries()) {
    const { stream, event } = golden(name);
    await ledger.append(stream, [{ ...event, id: ids(index) } as NewEvent], { expect: 'any' });
  }
  for (const shard of [0, 1]) await writeRollouts(ledger, 0, rollouts / 2, shard);
}

/** Evidence of one more shard, or more of it. */
export async function writeRollouts(ledger: Ledger, from: number, count: number, shard = 0): Promise<void> {
  const stream = streamOf.evidence(owner, 3, shard, 1);
  const events = Array.from({ length: count }, (_, i) => rolloutIn(stream, from + i));
  if (events.length > 0) await ledger.append(stream, events, { expect: 'any' });
}
