// Answers of a separate DuckDB instance, and how they are written, for tests.
import { DuckDBBlobValue, type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { paintFor } from '../../../../base/paint.ts';
import type { Sink } from '../../../../base/sink.ts';
import type { Answer } from '../../../../projections/query/questions.ts';
import type { Options, Written } from '../batches.ts';
import { defaultLimit, type Format, writeAnswer } from '../write.ts';

interface CountedAnswer extends Answer {
  /** The number of chunks taken, and whether the query was ended. */
  readonly taken: { chunks: number; ended: boolean };
}

export class Duck {
  readonly connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.connection = connection;
  }

  static async open(): Promise<Duck> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new Duck(instance, connection);
  }

  async ask(sql: string): Promise<CountedAnswer> {
    const result = await this.connection.stream(sql);
    const names = result.columnNames();
    const taken = { chunks: 0, ended: false };
    async function* chunks(): AsyncGenerator<DuckDBDataChunk> {
      try {
        for (;;) {
          const chunk = await result.fetchChunk();
          if (chunk === null || chunk.rowCount === 0) return;
          taken.chunks++;
          yield chunk;
        }
      } finally {
        taken.ended = true;
      }
    }
    return { columns: result.columnTypes().map((type, i) => ({ name: names[i] ?? '', type })), chunks, taken };
  }

  /** All results of a query as DuckDB's own texts, passed as bytes so that no character is lost. */
  async texts(sql: string): Promise<readonly (readonly (string | null)[])[]> {
    const reader = await this.connection.runAndReadAll(`SELECT encode(COLUMNS(*)::VARCHAR) FROM (${sql})`);
    return reader
      .getRows()
      .map((row) => row.map((cell) => (cell instanceof DuckDBBlobValue ? Buffer.from(cell.bytes).toString() : null)));
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

interface TextWritten extends Written {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Writes to a pipe, or to a terminal with this number of columns. */
export async function writeToText(
  answer: Answer,
  format: Format,
  asked: { readonly limit?: number | null; readonly terminal?: number; readonly colours?: true } = {},
): Promise<TextWritten> {
  const pieces: Uint8Array[] = [];
  const out = collecting(pieces, asked.terminal);
  const env = asked.colours === true ? {} : { NO_COLOR: '1' };
  const options: Options = {
    out,
    paint: paintFor(out, env),
    limit: asked.limit === undefined ? defaultLimit(format) : asked.limit,
    asOf: '2026-07-01T12:00:00.000Z',
    behind: 0,
    unknown: 0,
    more: '--limit N, or --format csv for all',
  };
  const written = await writeAnswer(answer, format, options);
  const bytes = Buffer.concat(pieces);
  return { ...written, bytes, text: bytes.toString('utf8') };
}

function collecting(pieces: Uint8Array[], terminal: number | undefined): Sink {
  return {
    isTTY: terminal !== undefined,
    columns: terminal ?? 80,
    write: async (text) => {
      pieces.push(typeof text === 'string' ? Buffer.from(text) : text);
    },
  };
}
