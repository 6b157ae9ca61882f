// What a view about a run shows, as it is typed in a command: `mine`, `mine@3`, `mine@next`.

export interface Place {
  readonly run: string;
  /** Null: no stage is named. */
  readonly stage: number | 'next' | null;
}

export function placeIn(of: string): Place {
  const [, run = '', stage = ''] = /^(.+)@(\d+|next)$/.exec(of) ?? [];
  if (run === '') return { run: of, stage: null };
  return { run, stage: stage === 'next' ? stage : Number(stage) };
}

export function placeText(run: string, stage: Place['stage']): string {
  return stage === null ? run : `${run}@${stage}`;
}

/** `/runs/mine@3/why?detail=4` */
export function runPath(of: string, rest = ''): string {
  return `/runs/${encodeURIComponent(of).replaceAll('%40', '@')}${rest}`;
}

/** A word of a command line, as a shell reads it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A text in SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The answer to a query, of which a view uses the rows. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
}

/** Answers one SQL query. */
export function sqlPath(query: string, limit = 1_000): string {
  return `/sql?${new URLSearchParams({ query, limit: String(limit) })}`;
}
