// What the runs of a ledger are called in the names of folders: by their names; where several have the same, with their
// identities, as in the tables.
import type { Ledger } from '../../../ledger/ledger.ts';
import { begunRuns } from '../../history/runs.ts';

export async function namesOfRuns(ledger: Ledger): Promise<ReadonlyMap<string, string>> {
  const runs = await begunRuns(ledger);
  const times = new Map<string, number>();
  for (const { name } of runs) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(runs.map(({ run, name }) => [run, times.get(name) === 1 ? name : `${name}~${run}`]));
}
