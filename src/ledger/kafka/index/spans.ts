// The spans of one stream while a page is taken into the index: a span goes on as long as the stream's next event is near, so
// that reading it reads little else.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

interface Span {
  readonly firstRevision: number;
  lastRevision: number;
  readonly firstOffset: number;
  lastOffset: number;
  bytes: number;
}

/** Further apart than that, two events are not of one span. */
const nearOffsets = 64;
/** What is sought in a span is read from its beginning, and what is read backwards, all at once. */
const longest = 4096;
const largestBytes = 2 ** 21;

interface Statements {
  readonly last: StatementSync;
  readonly keep: StatementSync;
}

const prepared = new WeakMap<DatabaseSync, Statements>();

function statementsOf(db: DatabaseSync): Statements {
  const known = prepared.get(db);
  if (known !== undefined) return known;
  const statements = {
    last: db.prepare(
      `SELECT first_revision AS firstRevision, last_revision AS lastRevision, first_offset AS firstOffset,
              last_offset AS lastOffset, bytes
         FROM spans WHERE stream = ? ORDER BY first_revision DESC LIMIT 1`,
    ),
    keep: db.prepare(
      `INSERT INTO spans (stream, first_revision, last_revision, first_offset, last_offset, bytes)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (stream, first_revision) DO UPDATE
         SET last_revision = excluded.last_revision, last_offset = excluded.last_offset, bytes = excluded.bytes`,
    ),
  };
  prepared.set(db, statements);
  return statements;
}

export class SpanKeeper {
  readonly #statements: Statements;
  readonly #stream: number;
  #span: Span | null | undefined;
  #isChanged = false;

  constructor(db: DatabaseSync, stream: number) {
    this.#statements = statementsOf(db);
    this.#stream = stream;
  }

  add(revision: number, offset: number, bytes: number): void {
    this.#span ??= (this.#statements.last.get(this.#stream) as Span | undefined) ?? null;
    if (this.#span === null || isEnded(this.#span, offset)) {
      this.#write();
      this.#span = { firstRevision: revision, lastRevision: revision, firstOffset: offset, lastOffset: offset, bytes };
    } else {
      this.#span.lastRevision = revision;
      this.#span.lastOffset = offset;
      this.#span.bytes += bytes;
    }
    this.#isChanged = true;
  }

  /** Writes what is not written yet; returns the offset of the stream's last event where there is a new one. */
  keep(): number | null {
    if (!this.#isChanged) return null;
    this.#write();
    return this.#span?.lastOffset ?? null;
  }

  #write(): void {
    if (!this.#isChanged || this.#span == null) return;
    const { firstRevision, lastRevision, firstOffset, lastOffset, bytes } = this.#span;
    this.#statements.keep.run(this.#stream, firstRevision, lastRevision, firstOffset, lastOffset, bytes);
  }
}

function isEnded({ firstOffset, lastOffset, bytes }: Span, offset: number): boolean {
  return offset - lastOffset > nearOffsets || offset - firstOffset >= longest || bytes >= largestBytes;
}
