// Runs one query at a time; a new one replaces the one under way, and leaving the view cancels it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SqlResult } from '../../../../schemas/sql-output.ts';
import { post } from '../../api.ts';

/** More rows are not sent to a browser. */
export const mostRows = 100_000;

export interface Result {
  readonly sql: string;
  readonly answer: SqlResult;
  readonly seconds: number;
}

export interface Query {
  /** When the query under way began, in milliseconds of the page; null: none is. */
  readonly began: number | null;
  /** The last result, which stays while the next query runs. */
  readonly result: Result | null;
  /** Why the last query failed; null: it did not. */
  readonly failure: { readonly sql: string; readonly fault: unknown } | null;
  readonly wasCancelled: boolean;
  run(sql: string): void;
  cancel(): void;
}

export function useQuery(): Query {
  const [began, setBegan] = useState<number | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [failure, setFailure] = useState<Query['failure']>(null);
  const [wasCancelled, setCancelled] = useState(false);
  const underWay = useRef<AbortController | null>(null);
  useEffect(() => () => underWay.current?.abort(), []);

  const run = async (sql: string): Promise<void> => {
    underWay.current?.abort();
    const own = new AbortController();
    underWay.current = own;
    const start = performance.now();
    setBegan(start);
    setFailure(null);
    setCancelled(false);
    try {
      const body = { type: 'application/sql', text: sql };
      const answer = await post<SqlResult>(`/sql?limit=${mostRows}`, body, own.signal);
      if (underWay.current === own) setResult({ sql, answer, seconds: (performance.now() - start) / 1000 });
    } catch (fault) {
      if (underWay.current === own && !own.signal.aborted) setFailure({ sql, fault });
    } finally {
      if (underWay.current === own) {
        underWay.current = null;
        setBegan(null);
      }
    }
  };
  const cancel = (): void => {
    underWay.current?.abort();
    setCancelled(true);
  };
  return { ...{ began, result, failure, wasCancelled }, run: (sql) => void run(sql), cancel };
}
