// An answer in the format that was asked for. A format is loaded when it is.
import type { Answer } from '../../../projections/query/questions.ts';
import type { Options, Written } from './batches.ts';

type Write = (answer: Answer, options: Options) => Promise<Written>;

interface KnownFormat {
  /** Rows where nobody says how many; null: all. */
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

/** How many rows a format shows where nobody says how many; null: all there are. */
export function usualLimit(format: Format): number | null {
  return known[format].limit;
}

/** A query or a reader that fails ends it: PipeClosed is thrown through, and the query ended. */
export async function writeAnswer(answer: Answer, format: Format, options: Options): Promise<Written> {
  const write: Write = await known[format].load();
  return await write(answer, options);
}
