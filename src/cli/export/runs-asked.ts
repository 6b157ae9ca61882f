// The runs an export is of.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunsAsked } from '../../analysis/export/runs-wanted.ts';

export interface RunsTyped {
  readonly run?: readonly string[];
  readonly tag?: string;
}

export function runsAsked({ run, tag }: RunsTyped): RunsAsked {
  if (run !== undefined && tag !== undefined)
    throw new IcecoreError('usage', 'found --run and --tag, allowed: one of them', {
      facts: { found: ['--run', '--tag'] },
    });
  if (tag !== undefined) return { tag };
  return run === undefined ? {} : { runs: run };
}
