// Tables in one file each, in a format that icecore sql answers in.
import { join } from 'node:path';
import type { TableWriter } from '../../analysis/export/tables/parquet.ts';
import { openQuestions, type Questions } from '../../projections/query/questions.ts';
import { paintFor } from '../output/paint.ts';
import { intoFile } from '../sql/destinations.ts';
import { writeAnswer } from '../sql/formats/write.ts';

export type OneFileFormat = 'arrow' | 'ndjson';

/** Longer than anybody waits; whoever does not want to stops it. */
const limits = { memoryMegabytes: 1024, seconds: 1_000_000 };

export async function oneFileWriter(snapshot: string, format: OneFileFormat): Promise<TableWriter> {
  const questions = await openQuestions(snapshot, limits);
  return {
    write: async ({ table: { name }, query }, folder, signal) => {
      const path = `${name}.${format}`;
      const rows = await written(questions, query, { path: join(folder, path), format, signal });
      return { files: [{ path, rows }], partitions: [] };
    },
    close: () => questions.close(),
  };
}

interface Into {
  readonly path: string;
  readonly format: OneFileFormat;
  readonly signal: AbortSignal;
}

async function written(questions: Questions, query: string, { path, format, signal }: Into): Promise<number> {
  return await intoFile(path, async (out) => {
    const answer = await questions.ask(query, signal);
    const { rows } = await writeAnswer(answer, format, {
      out,
      paint: paintFor(out, {}),
      limit: null,
      asOf: new Date().toISOString(),
      behind: 0,
      unknown: 0,
      more: '',
    });
    return rows;
  });
}
