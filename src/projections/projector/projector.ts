// ledger -> DuckDB. Opens the file of tables that is in use, brings it up to date and closes it; where there is none, or it
// cannot be used, another is built beside it and put in use.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Cursor } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import { catalogueIn, isIcecores } from '../tables/own.ts';
import { BrokenTables, firstLine, isBroken, storageFault, TablesBusy } from '../warehouse/errors.ts';
import { fillingIn, hold } from '../warehouse/holding.ts';
import {
  buildingPath,
  generationIn,
  generationPath,
  leaveHint,
  makeTablesFolder,
  publish,
  readHint,
  removeDatabase,
  removeLeftovers,
  removeLinks,
  removeLogs,
  spoolOf,
} from '../warehouse/place.ts';
import { type Knowledge, Provenance, type TablesTrust } from '../warehouse/provenance.ts';
import { begin, type CaughtUp, catchUp, type FillOptions, type Way } from './catching-up.ts';
import { catalogueDigest } from './layout.ts';
import { ReadAhead, type Source } from './source.ts';

export interface Projected extends CaughtUp {
  /** The file of tables. */
  readonly path: string;
  /** Why it was built anew; null where it was not. */
  readonly built: string | null;
}

export interface ProjectOptions extends FillOptions {
  /** Builds all tables anew, whatever is there. */
  readonly rebuild?: boolean;
  /** How long to wait for others, in milliseconds. */
  readonly patience?: number;
  /** Whose word is taken for the files that are there; without it, the records of this process's user. */
  readonly trust?: TablesTrust | undefined;
  /** Called with what the user should know besides: a line of text. */
  readonly onNote?: ((note: string) => void) | undefined;
}

type Cataloguing = ProjectOptions & { readonly catalogue: TableCatalogue };

/** No ledger is rebuilt as often. */
const highestNumber = 100_000_000;

export async function project(source: Source, folder: string, given: ProjectOptions = {}): Promise<Projected> {
  const options = { ...given, catalogue: given.catalogue ?? catalogueIn(folder) };
  makeTablesFolder(folder, options.trust?.isNamed);
  const provenance = new Provenance(source.id, options.trust);
  let why = options.rebuild === true ? whyAsked : null;
  for (;;) {
    const generation = generationIn(folder);
    if (why === null && generation === 0) why = whyNone;
    const path = generationPath(folder, generation);
    try {
      if (why !== null) {
        const built = await build(source, folder, generation + 1, provenance, options);
        noteStorage(provenance, options);
        if (built !== null) return { ...built, built: why };
        why = null;
        continue;
      }
      const done = await bringToEnd(source, path, provenance, options);
      noteStorage(provenance, options);
      // Somebody may have put another file in use meanwhile; then this one is nobody's.
      if (generationIn(folder) === generation) return { ...done, path, built: null };
    } catch (error) {
      // And then it is of no matter what became of this one.
      if (why === null && generationIn(folder) !== generation) continue;
      const fault = storageFault(path, error);
      if (fault !== null) throw fault;
      if (why !== null || !isBroken(error)) throw error;
      why = error instanceof BrokenTables ? String(error.facts['why']) : firstLine(error);
      // Numbers end somewhere, and a file that somebody gave a high one would stay the last.
      if (generation >= highestNumber) removeDatabase(path);
    }
  }
}

async function bringToEnd(
  source: Source,
  path: string,
  provenance: Provenance,
  options: Cataloguing,
): Promise<CaughtUp> {
  const hint = readHint(path);
  const ahead = hint === null || hint === '' ? null : new ReadAhead(source, hint);
  try {
    const admit = (): void => admitToWrite(path, provenance);
    return await workOn(path, admit, options, async (connection) => {
      const isUnrecorded = provenance.originOf(path).is === 'unrecorded';
      provenance.noteWriting(path);
      const caughtUp = await catchUp(connection, wayTo(ahead ?? source, path, isUnrecorded), options);
      await connection.run('CHECKPOINT');
      provenance.noteWritten(path, knowledgeOf(caughtUp, options));
      leaveHint(path, caughtUp.cursor);
      return caughtUp;
    });
  } finally {
    ahead?.stop();
  }
}

/** Null where the ledger is empty. */
function knowledgeOf({ position, unknown }: CaughtUp, { catalogue }: Cataloguing): Knowledge | null {
  return position === null ? null : { ...position, unknown, definitions: catalogueDigest(catalogue) };
}

const whyNone = 'there were none';
const whyAsked = 'it was asked for';

/** For who asks the tables, and does not look at how they were made. */
export function noteRebuild({ built, remade }: Projected, { onNote }: ProjectOptions): void {
  const own = remade.filter((table) => !isIcecores(table));
  const icecores = remade.filter(isIcecores);
  if (built === null && icecores.length > 0)
    onNote?.(`tables that another version of icecore had left were filled anew: ${icecores.join(', ')}`);
  if (built === null && own.length > 0) onNote?.(`tables of plugins were filled: ${own.join(', ')}`);
  if (built !== null && built !== whyNone && built !== whyAsked) onNote?.(`the tables were built anew: ${built}`);
}

function noteStorage({ storageFault: fault, folder }: Provenance, { onNote }: ProjectOptions): void {
  if (fault === null) return;
  onNote?.(
    `icecore cannot record in ${folder} that it made these tables (${firstLine(fault)}), so the next command builds them ` +
      'anew; ICECORE_TABLES=FOLDER names a folder of yours that needs no record',
  );
}

/**
 * Builds the next file of tables and puts it in use; null where somebody else has done so meanwhile. Whoever else wants it
 * built waits for this one, and goes on with it should this process die. A beginning that cannot be gone on with is left
 * lying, since others may have it open, and another is made under the number behind it.
 */
async function build(
  source: Source,
  folder: string,
  generation: number,
  provenance: Provenance,
  options: Cataloguing,
): Promise<(CaughtUp & { readonly path: string }) | null> {
  const buildAs = (number: number): Promise<(CaughtUp & { readonly path: string }) | null> => {
    const path = buildingPath(folder, number);
    return workOn(
      path,
      () => admitToBuild(path, provenance),
      options,
      async (connection) => {
        const isUnrecorded = provenance.originOf(path).is === 'unrecorded';
        provenance.noteWriting(path);
        if (generationIn(folder) >= generation) {
          removeDatabase(path);
          provenance.forget(path);
          return null;
        }
        await begin(connection, source);
        const done = await catchUp(connection, wayTo(source, path, isUnrecorded), options);
        // What the log of a file holds would not be found under another name.
        await connection.run('CHECKPOINT');
        const target = generationPath(folder, number);
        provenance.noteRenaming(path, target);
        publish(folder, number);
        provenance.noteWritten(target, knowledgeOf(done, options));
        provenance.forgetGone();
        leaveHint(target, done.cursor);
        return { ...done, path: target };
      },
    );
  };
  let number = generation;
  while (isInTheWay(buildingPath(folder, number), provenance)) number++;
  return await buildAs(number).catch((error: unknown) => {
    if (!isBroken(error)) throw error;
    return buildAs(number + 1);
  });
}

/** Where no records can be kept, a beginning may be that of another process, and is left to it. */
function isInTheWay(path: string, provenance: Provenance): boolean {
  if (provenance.originOf(path).is !== 'refused') return false;
  provenance.noteCreating(path);
  if (provenance.storageFault === null) removeDatabase(path);
  else provenance.forget(path);
  return provenance.storageFault !== null;
}

/** Nothing may be there but what a process of this user made: DuckDB would read it, and a log beside a name that is free. */
function admitToBuild(path: string, provenance: Provenance): void {
  if (provenance.originOf(path).is === 'missing') {
    removeLogs(path);
    provenance.noteCreating(path);
  }
  admitToWrite(path, provenance);
}

/** What a killed process had in its log is not read back: it is filled in again from the ledger. */
function admitToWrite(path: string, provenance: Provenance): void {
  const origin = provenance.originOf(path);
  if (origin.is === 'refused') throw new BrokenTables(path, origin.why);
  removeLinks(path);
  if (origin.is === 'interrupted' || origin.is === 'unrecorded') removeLogs(path);
}

function wayTo(source: Source, path: string, isUnrecorded: boolean): Way {
  return { source, path, folder: spoolOf(path), isUnrecorded };
}

async function workOn<Result>(
  path: string,
  admit: () => void,
  options: ProjectOptions,
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const held = await hold(path, fillingIn(path), { ...options, admit });
  try {
    removeLeftovers(path);
    return await body(await held.connect());
  } finally {
    held.release();
  }
}

// Keeping tables up to date while others write: each time the ledger has grown, they are brought up to its end. Between
// two times the file is closed, so that queries find it free.

/** Tells of the tables as they are, and again whenever events were added, until the signal aborts. */
export async function* follow(ledger: Ledger, folder: string, options: ProjectOptions): AsyncGenerator<Projected> {
  const { signal } = options;
  const first = await project(ledger, folder, options);
  yield first;
  let { cursor } = first;
  // Only that there is something new is asked for: what it is, the projector reads.
  const growth = { types: [], ...startAfter(cursor), ...(signal ? { signal } : {}) };
  for await (const delivery of ledger.subscribe(growth)) {
    if (cursor !== null && ledger.compareCursors(cursor, delivery.cursor) === 'equal') continue;
    const done = await patiently(ledger, folder, options);
    cursor = delivery.cursor;
    if (done.added > 0) yield done;
  }
}

function startAfter(cursor: Cursor | null): { readonly after?: Cursor } {
  return cursor === null ? {} : { after: cursor };
}

/** However long somebody else keeps the tables: they are brought up to date when they are free. */
async function patiently(ledger: Ledger, folder: string, options: ProjectOptions): Promise<Projected> {
  for (;;) {
    try {
      return await project(ledger, folder, { ...options, rebuild: false });
    } catch (error) {
      if (!(error instanceof TablesBusy)) throw error;
    }
  }
}
