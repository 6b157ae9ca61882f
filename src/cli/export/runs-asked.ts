// The runs an export is of, as they were typed.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunsAsked } from '../../analysis/export/runs-wanted.ts';

export interface RunsTyped {
  readonly runs?: string;
  readonly tag?: string;
}

export function runsAsked({ runs, tag }: RunsTyped): RunsAsked {
  if (runs !== undefined && tag !== undefined)
    throw new IcecoreError('usage', 'found --runs and --tag, allowed: one of them', {
      facts: { found: ['--runs', '--tag'] },
    });
  if (tag !== undefined) return { tag };
  return runs === undefined ? {} : { runs: listed('--runs', runs) };
}

/** A list with commas. */
export function listed(field: string, typed: string): readonly string[] {
  const found = typed.split(',').map((one) => one.trim());
  if (!found.includes('')) return found;
  throw new IcecoreError('usage', `${field}: found "${typed}", allowed: names with commas between them`, {
    facts: { field, found: typed },
  });
}
