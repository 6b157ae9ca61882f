// Staging of events between the ledger and DuckDB: NDJSON files, one for each type, in a private folder of this
// process. DuckDB reads files faster than single values. The stored bytes are written unchanged; only events of old
// versions are parsed.
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { currentVersion } from '../../../schemas/family.ts';
import { belongsIn, readAgainst } from '../../../schemas/reading.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { type Cursor, isMoment } from '../../ledger/event.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type TableCatalogue, tableCatalogue } from '../tables/catalogue.ts';

/** DuckDB reads a file of less than 32 MB with one thread. */
const fileBytes = 4_000_000;

/** The size of a write. */
const pieceBytes = 1 << 18;

/** The file that lists the batch's streams with the first and last revision of each. */
export const streamsFile = 'streams';

/** The file for events of unknown types and versions: their data stays JSON. */
const opaque = 'opaque';

export interface Batch {
  /** By type, or `opaque`: the files, which several threads read in parallel. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Of its last event. */
  readonly end: { readonly cursor: Cursor; readonly digest: string };
  /** Of the previous event. */
  readonly before: Cursor | null;
  /** The prefix of the batch's files. */
  readonly path: string;
  /** The number of characters in the files. */
  readonly characters: number;
}

type Catalogue = Pick<TableCatalogue, 'types' | 'ownTypes'>;

/** The staging folder of one read, whose batches are removed once they are processed. */
export class Staging {
  readonly #folder: string;
  readonly #catalogue: Catalogue;
  /** The last revision of each stream, over all batches. */
  readonly #last = new Map<string, number>();
  #batches = 0;

  constructor(folder: string, catalogue: Catalogue = tableCatalogue()) {
    mkdirSync(folder, { mode: 0o700 });
    this.#folder = folder;
    this.#catalogue = catalogue;
  }

  begin(): BatchWriter {
    return new BatchWriter(join(this.#folder, String(this.#batches++)), this.#catalogue, this.#last);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Open {
  readonly paths: string[];
  descriptor: number;
  /** The next bytes to write, and their number. */
  piece: Buffer;
  filled: number;
  /** The size of the last file. */
  bytes: number;
}

interface Extent {
  readonly first: number;
  last: number;
  events: number;
}

export class BatchWriter {
  readonly #path: string;
  readonly #catalogue: Catalogue;
  readonly #staged: Map<string, number>;
  readonly #files = new Map<string, Open>();
  readonly #streams = new Map<string, Extent>();
  #last: StoredEvent | null = null;
  #before: Cursor | null = null;
  events = 0;
  characters = 0;

  constructor(path: string, catalogue: Catalogue, staged: Map<string, number>) {
    this.#path = path;
    this.#catalogue = catalogue;
    this.#staged = staged;
  }

  /** Skips an event that was already staged, because a store may deliver it twice. */
  add(event: StoredEvent): void {
    const { stream, revision } = event;
    if (revision <= (this.#staged.get(stream) ?? -1)) return;
    this.#staged.set(stream, revision);
    this.#extend(event);
    this.#before = this.#last?.cursor ?? null;
    this.#last = event;
    this.events += 1;
    const { kind, fields } = readable(this.#catalogue, event);
    const line = `{"recorded":${isMoment(event.recordedMs) ? event.recordedMs : null},"digest":"${event.digest}",${fields}}\n`;
    this.#write(kind, line);
    this.characters += line.length;
  }

  /** The batch; null if it is empty. */
  end(): Batch | null {
    if (this.#last === null) return null;
    for (const [stream, { first, last, events }] of this.#streams)
      this.#write(streamsFile, `${JSON.stringify({ ...placeOf(stream), stream, first, last, events })}\n`);
    const files = new Map<string, readonly string[]>();
    for (const [kind, open] of this.#files) {
      flush(open);
      files.set(kind, open.paths);
    }
    this.close();
    const { cursor, digest } = this.#last;
    const { characters } = this;
    return { files, end: { cursor, digest }, before: this.#before, path: this.#path, characters };
  }

  /** Also closes files that will not become a batch. */
  close(): void {
    for (const { descriptor } of this.#files.values()) closeSync(descriptor);
    this.#files.clear();
  }

  #extend({ stream, revision }: StoredEvent): void {
    const extent = getOrCreate(this.#streams, stream, () => ({ first: revision, last: revision, events: 0 }));
    extent.last = revision;
    extent.events += 1;
  }

  #write(kind: string, line: string): void {
    const open = getOrCreate(this.#files, kind, () => this.#openFirst(kind));
    // No character has more than three bytes.
    const room = 3 * line.length;
    if (open.filled + room > open.piece.length) {
      flush(open);
      if (open.bytes >= fileBytes) this.#openNext(open, kind);
      if (room > open.piece.length) open.piece = Buffer.allocUnsafe(room);
    }
    open.filled += open.piece.write(line, open.filled);
  }

  #openNext(open: Open, kind: string): void {
    closeSync(open.descriptor);
    open.paths.push(`${this.#path}-${kind}-${open.paths.length}.ndjson`);
    open.descriptor = openNew(open.paths);
    open.bytes = 0;
  }

  #openFirst(kind: string): Open {
    const paths = [`${this.#path}-${kind}-0.ndjson`];
    return { paths, descriptor: openNew(paths), piece: Buffer.allocUnsafe(pieceBytes), filled: 0, bytes: 0 };
  }
}

export function removeBatch({ files }: Batch): void {
  for (const file of [...files.values()].flat()) rmSync(file, { force: true });
}

function openNew(paths: readonly string[]): number {
  return openSync(paths.at(-1) ?? '', 'wx', 0o600);
}

function flush(open: Open): void {
  for (let from = 0; from < open.filled; ) from += writeSync(open.descriptor, open.piece, from, open.filled - from);
  open.bytes += open.filled;
  open.filled = 0;
}

interface Readable {
  /** Its type, or `opaque`. */
  readonly kind: string;
  /** Members of a JSON object. */
  readonly fields: string;
}

/**
 * The file of the event, and its text in the current version on one line: text after a line break could pass for
 * another event.
 */
function readable(catalogue: Catalogue, event: StoredEvent): Readable {
  const { kind, fields } = current(catalogue, event);
  return { kind, fields: fields.includes('\n') ? fields.replaceAll('\n', ' ') : fields };
}

function current({ types, ownTypes }: Catalogue, event: StoredEvent): Readable {
  const declared = types.get(event.type);
  const fields = `"event":${event.body}`;
  if (ownTypes.has(event.type)) return { kind: event.type, fields };
  if (declared === undefined || !belongsIn(declared, event.stream)) return { kind: opaque, fields };
  const version = currentVersion(declared);
  // The version comes last, because canonical JSON sorts members by name.
  if (event.body.endsWith(`"version":${version}}`)) return { kind: event.type, fields };
  return upcast(types, event) ?? { kind: opaque, fields };
}

/** Null for unknown types and invalid JSON: the reader of the file counts the event as unreadable. */
function upcast(types: Catalogue['types'], event: StoredEvent): Readable | null {
  try {
    const { envelope } = event;
    const { type, version, data } = envelope;
    const original = canonicalJson(data);
    const reading = readAgainst(types, type, version, data);
    if (!reading.known) return null;
    return {
      kind: event.type,
      fields: `"event":${JSON.stringify({ ...envelope, data: reading.data })},"original":${original}`,
    };
  } catch {
    return null;
  }
}

function placeOf(stream: string): Record<string, unknown> {
  const name = parseStream(stream);
  if (name === null) return { kind: 'other' };
  const { category, ...place } = name;
  return { kind: category, ...place };
}
