// The names of runs and ablations by their identities.

import { useMemo, useRef } from 'preact/hooks';
import { useAnswer } from '../api.ts';
import type { LiveEvent } from '../live.ts';
import { type Rows, sqlPath } from '../place.ts';

export interface RunNames {
  /** Its name, or its identity where the name is not known. */
  of(run: string): string;
  isAblation(run: string): boolean;
  readonly all: readonly string[];
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly is_ablation: boolean;
}

const query = `SELECT run_id AS id, run AS name, false AS is_ablation FROM runs
UNION ALL SELECT ablation, coalesce(name, ablation), true FROM ablations`;

/** Runs that start meanwhile are known by their events. */
export function useRunNames(events: readonly LiveEvent[]): RunNames {
  const answer = useAnswer<Rows<Row>>(sqlPath(query, 20_000));
  const started = useRef(new Map<string, string>());
  for (const { type, data } of events) {
    if (type !== 'RunStarted' || typeof data['run'] !== 'string') continue;
    const { name } = (data['data'] ?? {}) as { readonly name?: unknown };
    if (typeof name === 'string') started.current.set(data['run'], name);
  }
  const rows = answer.value?.rows ?? [];
  const names = useMemo(() => new Map(rows.map(({ id, name }) => [id, name])), [answer.value]);
  const ablations = useMemo(() => new Set(rows.filter((one) => one.is_ablation).map(({ id }) => id)), [answer.value]);
  return {
    of: (run) => names.get(run) ?? started.current.get(run) ?? run,
    isAblation: (run) => ablations.has(run),
    all: [...names.values(), ...started.current.values()],
  };
}
