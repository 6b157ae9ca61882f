// The names of runs by their identities.
import { useRef } from 'preact/hooks';
import { type LiveEvent, useAnswer } from '../api.ts';
import { type SqlAnswer, sqlPath } from './sql-answer.ts';

export interface RunNames {
  /** Its name, or its identity where the name is not known. */
  of(run: string): string;
  readonly all: readonly string[];
}

interface Row {
  readonly run_id: string;
  readonly run: string;
}

/** Runs that start meanwhile are known by their events. */
export function useRunNames(events: readonly LiveEvent[]): RunNames {
  const answer = useAnswer<SqlAnswer<Row>>(sqlPath('SELECT run_id, run FROM runs ORDER BY started_at DESC', 10_000));
  const started = useRef(new Map<string, string>());
  for (const { type, data } of events) {
    if (type !== 'RunStarted' || typeof data['run'] !== 'string') continue;
    const { name } = (data['data'] ?? {}) as { readonly name?: unknown };
    if (typeof name === 'string') started.current.set(data['run'], name);
  }
  const names = new Map(started.current);
  for (const { run_id, run } of answer.value?.rows ?? []) names.set(run_id, run);
  return { of: (run) => names.get(run) ?? run, all: [...new Set(names.values())] };
}
