// Writes an answer in the requested format. Formats are loaded on demand.
import type { Answer } from '../../../projections/query/questions.ts';
import type { Options, Written } from './batches.ts';

type Write = (answer: Answer, options: Options) => Promise<Written>;

interface KnownFormat {
  /** Default number of rows; null: all. */
  readonly limit: number | null;
  readonly load: () => Promise<Write>;
}

const known = {
  table: { limit: 100, load: async () => (await import('./grid.ts')).writeTable },
  csv: { limit: null, load: async () => (await import('./csv.ts')).writeCsv },
  ndjson: { limit: null, load: async () => (await import('./json.ts')).writeNdjson },
  json: { limit: 1000, load: async () => (await import('./json.ts')).writeJson },
  markdown: { limit: 100, load: async () => (await import('./grid.ts')).writeMarkdown },
  arrow: { limit: null, load: async () => (await import('./arrow.ts')).writeArrow },
} as const satisfies Readonly<Record<string, KnownFormat>>;

export type Format = keyof typeof known;

export const formats = Object.keys(known) as readonly Format[];

/** The default number of rows of a format; null: all. */
export function defaultLimit(format: Format): number | null {
  return known[format].limit;
}

/** A failing query or reader ends it: PipeClosed is rethrown after the query was ended. */
export async function writeAnswer(answer: Answer, format: Format, options: Options): Promise<Written> {
  const write: Write = await known[format].load();
  return await write(answer, options);
}
