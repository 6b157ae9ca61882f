// The settings in which runs differ.
import type { RunRow } from '../../../schemas/run-output.ts';
import { type Answer, useAnswer } from '../api.ts';
import { type Rows, sqlPath } from '../place.ts';
import { textOf } from './values.ts';

/** A setting that not all runs have the same value of. */
export interface Setting {
  readonly name: string;
  readonly of: ReadonlyMap<string, string>;
}

const query = 'SELECT run_id, seed, model, policy, trainer, budgets AS budget, parent, code, options FROM runs';

type Row = Readonly<Record<string, unknown>> & { readonly run_id: string };

/** What the table has in columns of its own. */
const inTable: ReadonlySet<string> = new Set(['name', 'tags', 'engineer', 'environment', 'context', 'stages']);

export function useSettings(isShown: boolean, version: number): Answer<Rows<Row>> {
  return useAnswer<Rows<Row>>(isShown ? sqlPath(query, 10_000) : null, version);
}

export function differingSettings(runs: readonly RunRow[], { rows }: Rows<Row>): readonly Setting[] {
  const shown = new Set(runs.map(({ run }) => run));
  const settings = new Map<string, Map<string, string>>();
  for (const { run_id, options, ...columns } of rows) {
    if (!shown.has(run_id)) continue;
    // The columns are set last: they say what an option of the same name came to.
    for (const [name, value] of Object.entries({ ...optionsIn(options), ...columns })) {
      if (inTable.has(name)) continue;
      const of = settings.get(name) ?? new Map<string, string>();
      settings.set(name, of.set(run_id, textOf(value)));
    }
  }
  return [...settings].flatMap(([name, of]) => {
    const values = new Set(runs.map(({ run }) => of.get(run) ?? ''));
    return values.size < 2 ? [] : [{ name, of }];
  });
}

function optionsIn(options: unknown): Readonly<Record<string, unknown>> {
  const value: unknown = typeof options === 'string' ? JSON.parse(options) : options;
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
