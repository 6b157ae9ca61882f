// The runs whose history an ablation replays: named one by one, or by their tag.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRuns } from '../../ledger/runs.ts';
import type { Replayed } from '../../producers/ablation/design.ts';
import { replayedOf } from '../../producers/ablation/replayed.ts';
import { readHistory } from '../../producers/run/reading.ts';
import { settingsOf } from '../experiment/run.ts';
import type { Wanted } from './asked.ts';

/** Each once, in the order in which they were named, those of the tag behind. Throws NothingToDecide. */
export async function historiesOf(ledger: Ledger, { runs, tag, stages }: Wanted): Promise<readonly Replayed[]> {
  const found = await findRuns(
    ledger,
    runs.map(({ run }) => run),
  );
  const tagged = tag === null ? [] : await taggedWith(ledger, tag);
  const all = [...new Set([...found.map(({ run }) => run), ...tagged])];
  const histories: Replayed[] = [];
  for (const run of all) {
    const history = await readHistory(ledger, run);
    histories.push(replayedOf(history, settingsOf(history), stages));
  }
  return histories;
}

/** Runs that an ablation made go on with the tags of others, and are none of their histories. */
async function taggedWith(ledger: Ledger, tag: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const { reading, envelope } of events) {
      if (!reading.known || reading.type !== 'RunStarted' || reading.data.arm !== undefined) continue;
      if (envelope.run !== null && reading.data.tags?.includes(tag) === true) runs.push(envelope.run);
    }
  }
  if (runs.length > 0) return runs;
  throw new IcecoreError('not-found', `--tag: no run has "${tag}"`, {
    facts: { field: '--tag', found: tag },
    remedy: 'icecore runs shows runs with their tags.',
  });
}
