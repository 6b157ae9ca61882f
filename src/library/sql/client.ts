// Questions in SQL from a program: rows as objects, one by one or all at once, or a stream of Arrow. They run in a process of their
// own under limits of memory and time, as those of the command line do.
import type { ZodType } from 'zod';
import { parseJson } from '../../../schemas/json-text.ts';
import { withLedgerToRead } from '../opening/ledger.ts';
import { noticeStanding, withTablesFile } from '../opening/tables.ts';
import type { Session } from '../session.ts';
import type { Format } from './formats/write.ts';
import type { ProcessLimits } from './process/messages.ts';
import { QuestionProcess } from './process/question-process.ts';
import { type SqlOptions, type SqlRow, UnexpectedRow } from './rows.ts';

const usualLimits: ProcessLimits = { seconds: 60, memoryMegabytes: 1024, diskMegabytes: 4096 };

/** Asks one question at a time; the process stays for the next one. */
export class SqlClient {
  readonly #session: Session;
  readonly #limits: ProcessLimits;
  readonly #process: QuestionProcess;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: Session, limits: ProcessLimits = usualLimits) {
    this.#session = session;
    this.#limits = limits;
    this.#process = new QuestionProcess(limits);
  }

  async rows<Row = SqlRow>(
    sql: string,
    { schema }: SqlOptions<Row> = {},
    signal: AbortSignal = this.#session.signal,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const lines = new Lines();
    const take = (line: string): void => void rows.push(rowOf(line, rows.length + 1, schema));
    await this.#ask(sql, 'ndjson', signal, async (bytes) => lines.take(bytes, take));
    lines.end(take);
    return rows;
  }

  /** As a stream in the format of Arrow's IPC, whole. */
  async arrow(sql: string, signal: AbortSignal = this.#session.signal): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    // A piece of memory is the process's again once it was taken.
    await this.#ask(sql, 'arrow', signal, async (bytes) => void pieces.push(Uint8Array.from(bytes)));
    return Buffer.concat(pieces);
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  #ask(sql: string, format: Format, signal: AbortSignal, take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const asking = this.#last
      .then(() => this.#askNow(sql, format, signal, take))
      .catch((fault: unknown) => {
        // Whoever stops a call gets the reason back, wherever it was.
        throw signal.aborted ? signal.reason : fault;
      });
    this.#last = asking.catch(() => undefined);
    return asking;
  }

  async #askNow(
    sql: string,
    format: Format,
    signal: AbortSignal,
    take: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const session = this.#session;
    await withLedgerToRead(session, (ledger) =>
      withTablesFile(session, ledger, signal, async (tables, standing) => {
        await noticeStanding(session, standing);
        const layout = {
          ...{ isTTY: false, columns: 80, colours: false, limit: null, more: '' },
          ...{ asOf: new Date().toISOString(), behind: standing.behind, unknown: 0 },
        };
        await this.#process.ask({ request: 'answer', tables, limits: this.#limits, sql, format, layout }, signal, take);
      }),
    );
  }
}

/** Bytes that come in pieces, as lines. */
class Lines {
  readonly #decoder = new TextDecoder();
  #rest = '';

  take(bytes: Uint8Array, line: (text: string) => void): void {
    const [first = '', ...others] = this.#decoder.decode(bytes, { stream: true }).split('\n');
    this.#rest += first;
    for (const next of others) {
      line(this.#rest);
      this.#rest = next;
    }
  }

  end(line: (text: string) => void): void {
    if (this.#rest !== '') line(this.#rest);
  }
}

function rowOf<Row>(line: string, number: number, schema: ZodType<Row> | undefined): Row {
  const row = parseJson(line);
  if (schema === undefined) return row as Row;
  const read = schema.safeParse(row);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [column = ''] = issue?.path ?? [];
  const value = column === '' ? row : (row as SqlRow)[String(column)];
  throw new UnexpectedRow(number, String(column), value, issue?.message ?? 'what the schema says');
}
