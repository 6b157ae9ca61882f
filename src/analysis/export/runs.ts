// Which runs an export is of: those that are named, those with a tag, or all.
import type { BundledRun } from '../../../schemas/bundle.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRuns } from '../../ledger/runs.ts';
import { begunRuns } from '../history/runs.ts';

export interface RunsAsked {
  readonly runs?: readonly string[];
  readonly tag?: string;
}

/** Null: all. Throws RunNotFound, RunAmbiguous, NoSuchTag. */
export async function wantedRuns(ledger: Ledger, { runs, tag }: RunsAsked): Promise<readonly BundledRun[] | null> {
  if (runs !== undefined) {
    const found = new Map((await findRuns(ledger, runs)).map(({ run, name }) => [run, { run, name }]));
    return [...found.values()];
  }
  if (tag === undefined) return null;
  const all = await begunRuns(ledger);
  const tagged = all.filter((one) => one.tags.includes(tag)).map(({ run, name }) => ({ run, name }));
  if (tagged.length === 0) throw new NoSuchTag(tag, [...new Set(all.flatMap(({ tags }) => tags))]);
  return tagged;
}

class NoSuchTag extends IcecoreError {
  override readonly name = 'NoSuchTag';

  constructor(tag: string, tags: readonly string[]) {
    const near = nearestNames(tag, tags);
    super('not-found', `no run has the tag "${tag}"`, {
      facts: { field: '--tag', found: tag, allowed: tags.slice(0, 100), nearest: near },
      remedy: didYouMean(near, 'icecore runs shows which tags there are.'),
    });
  }
}
