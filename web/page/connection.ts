// What requests and the feed find out about the server, for the whole page: whether it answers, and whether it refuses the token.
import { useEffect, useState } from 'preact/hooks';

interface Connection {
  readonly isAway: boolean;
  /** Why the last token, or none, was refused; null: nothing was. */
  readonly refusal: string | null;
}

let connection: Connection = { isAway: false, refusal: null };
const watchers = new Set<(connection: Connection) => void>();

export function noteConnection(changed: Partial<Connection>): void {
  const next = { ...connection, ...changed };
  if (next.isAway === connection.isAway && next.refusal === connection.refusal) return;
  connection = next;
  for (const watch of watchers) watch(connection);
}

export function useConnection(): Connection {
  const [state, setState] = useState(connection);
  useEffect(() => {
    setState(connection);
    watchers.add(setState);
    return () => void watchers.delete(setState);
  }, []);
  return state;
}
