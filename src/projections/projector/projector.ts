// ledger -> DuckDB. Opens the current file of tables, updates it and closes it; if there is none or it is unusable,
// another is built next to it and replaces it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { measure, traced } from '../../base/tracing.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import { catalogueIn, isIcecores } from '../tables/own.ts';
import {
  BrokenTables,
  firstLine,
  isBroken,
  isOutOfMemory,
  storageFault,
  TablesBusy,
  TablesTooLarge,
} from '../warehouse/errors.ts';
import { type FillingMemory, fillingIn, fillingMemory, hold } from '../warehouse/holding.ts';
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
  stagingFolder,
} from '../warehouse/place.ts';
import { type Knowledge, ownRecords, Provenance, type TablesTrust } from '../warehouse/provenance.ts';
import { claimForSettings } from '../warehouse/settings-part.ts';
import { begin, type CaughtUp, catchUp, type FillOptions, type Way } from './catching-up.ts';
import { catalogueDigest } from './layout.ts';
import { ReadAhead, type Source } from './source.ts';

export interface Projected extends CaughtUp {
  /** The file of tables. */
  readonly path: string;
  /** Why it was rebuilt; null if it was not. */
  readonly built: string | null;
}

export interface ProjectOptions extends FillOptions {
  /** Rebuild all tables in any case. */
  readonly rebuild?: boolean;
  /** How long to wait for other processes, in milliseconds. */
  readonly patience?: number;
  /** The source of trust in existing files; by default the records of this process's user. */
  readonly trust?: TablesTrust | undefined;
  /** Receives notes for the user, a line of text each. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Limits for DuckDB; by default those that fit this machine. */
  readonly memory?: FillingMemory | undefined;
}

type Cataloguing = ProjectOptions & { readonly catalogue: TableCatalogue; readonly megabytes: number };

/** A generous limit for the number of rebuilds. */
const highestNumber = 100_000_000;

/** How far the tables were behind is the number of events that a refresh added. */
export async function project(source: Source, folder: string, given: ProjectOptions = {}): Promise<Projected> {
  return await traced('icecore.tables.refresh', {}, async (operation) => {
    const done = await refreshed(source, folder, given);
    operation.add({ 'icecore.events': done.events, 'icecore.tables.lag': done.added });
    await measure('icecore.tables.lag', '{event}', done.added);
    return done;
  });
}

async function refreshed(source: Source, folder: string, given: ProjectOptions): Promise<Projected> {
  const memory = given.memory ?? fillingMemory();
  let options: Cataloguing = {
    ...given,
    catalogue: given.catalogue ?? catalogueIn(folder),
    megabytes: memory.usualMegabytes,
  };
  const { isNamed, env } = options.trust ?? ownRecords;
  makeTablesFolder(folder, isNamed);
  if (!isNamed) claimForSettings(folder, env);
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
      // Another process may have replaced the file meanwhile; then this one is not used.
      if (generationIn(folder) === generation) return { ...done, path, built: null };
    } catch (error) {
      // In that case the state of this file does not matter.
      if (why === null && generationIn(folder) !== generation) continue;
      const fault = storageFault(path, error);
      if (fault !== null) throw fault;
      if (isOutOfMemory(error)) {
        if (options.megabytes >= memory.mostMegabytes) throw new TablesTooLarge(path, options.megabytes, error);
        options = { ...options, megabytes: memory.mostMegabytes };
        continue;
      }
      if (why !== null || !isBroken(error)) throw error;
      why = error instanceof BrokenTables ? String(error.facts['why']) : firstLine(error);
      // Numbers are limited, and a file with a very high one would always remain the last.
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
      const known = provenance.knowledgeOf(path);
      provenance.noteWriting(path);
      const way = { ...wayTo(ahead ?? source, path, isUnrecorded), known };
      const caughtUp = await catchUp(connection, way, options);
      await connection.run('CHECKPOINT');
      provenance.noteWritten(path, knowledgeOf(caughtUp, options));
      leaveHint(path, caughtUp.cursor);
      return caughtUp;
    });
  } finally {
    ahead?.stop();
  }
}

/** Null if the ledger is empty. */
function knowledgeOf({ position, unknown }: CaughtUp, { catalogue }: Cataloguing): Knowledge | null {
  return position === null ? null : { ...position, unknown, definitions: catalogueDigest(catalogue) };
}

const whyNone = 'there were none';
const whyAsked = 'it was asked for';

/** Notes a rebuild for callers that do not look at the result. */
export function noteRebuild({ built, remade }: Projected, { onNote }: ProjectOptions): void {
  const own = remade.filter((table) => !isIcecores(table));
  const icecores = remade.filter(isIcecores);
  if (built === null && icecores.length > 0)
    onNote?.(`tables of another version of icecore were refilled: ${icecores.join(', ')}`);
  if (built === null && own.length > 0) onNote?.(`tables of plugins were filled: ${own.join(', ')}`);
  if (built !== null && built !== whyNone && built !== whyAsked)
    onNote?.(`the SQL tables were computed again from the events, and nothing is lost: ${built}`);
}

function noteStorage({ storageFault: fault, folder }: Provenance, { onNote }: ProjectOptions): void {
  if (fault === null) return;
  onNote?.(
    `icecore cannot record in ${folder} that it made these tables (${firstLine(fault)}), so the next command rebuilds ` +
      'them; ICECORE_TABLES=FOLDER sets a folder that needs no record',
  );
}

/**
 * Builds the next file of tables and puts it in use; null if another process has done so meanwhile. Other processes
 * that want a rebuild wait for this one, and continue it if this process dies. An unusable partial file is not removed,
 * because others may have it open; another one is made with the next number.
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
        // The log of a file would not be found under another name.
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
    if (!isBroken(error) || isOutOfMemory(error)) throw error;
    return buildAs(number + 1);
  });
}

/** Without records, a partial file may belong to another process and is left alone. */
function isInTheWay(path: string, provenance: Provenance): boolean {
  if (provenance.originOf(path).is !== 'refused') return false;
  provenance.noteCreating(path);
  if (provenance.storageFault === null) removeDatabase(path);
  else provenance.forget(path);
  return provenance.storageFault !== null;
}

/**
 * Only files made by this user's processes may be here, because DuckDB would read any file, and even a log next to a
 * free name.
 */
function admitToBuild(path: string, provenance: Provenance): void {
  if (provenance.originOf(path).is === 'missing') {
    removeLogs(path);
    provenance.noteCreating(path);
  }
  admitToWrite(path, provenance);
}

/** The log of a killed process is not replayed: its events are filled in again from the ledger. */
function admitToWrite(path: string, provenance: Provenance): void {
  const origin = provenance.originOf(path);
  if (origin.is === 'refused') throw new BrokenTables(path, origin.why);
  removeLinks(path);
  if (origin.is === 'interrupted' || origin.is === 'unrecorded') removeLogs(path);
}

function wayTo(source: Source, path: string, isUnrecorded: boolean): Way {
  return { source, path, folder: stagingFolder(path), isUnrecorded };
}

async function workOn<Result>(
  path: string,
  admit: () => void,
  options: Cataloguing,
  body: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const held = await hold(path, fillingIn(path, options.megabytes), { ...options, admit });
  try {
    removeLeftovers(path);
    return await body(await held.connect());
  } finally {
    held.release();
  }
}

// Keeps tables up to date while others write: whenever the ledger has grown, they are updated. In between the file is
// closed, so that queries can use it.

/**
 * A few events take nearly as long as many, and whoever asks does not wait for the next refresh: a refresh is followed by a
 * rest of this many times its duration, but no longer than that.
 */
const rest = { times: 3, longestMs: 2_000 };

/** Yields the state of the tables, and again whenever events were added, until the signal aborts. */
export async function* follow(ledger: Ledger, folder: string, options: ProjectOptions): AsyncGenerator<Projected> {
  const { signal } = options;
  const first = await project(ledger, folder, options);
  yield first;
  let { cursor } = first;
  // Subscribes only to the fact that there are new events; the projector reads them.
  const growth = { types: [], ...startAfter(cursor), ...(signal ? { signal } : {}) };
  for await (const delivery of ledger.subscribe(growth)) {
    if (cursor !== null && ledger.compareCursors(cursor, delivery.cursor) === 'equal') continue;
    const started = performance.now();
    const done = await projectWhenFree(ledger, folder, options);
    cursor = done.cursor ?? delivery.cursor;
    if (done.added > 0) yield done;
    const restMs = Math.min(rest.longestMs, rest.times * (performance.now() - started));
    await sleep(restMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

function startAfter(cursor: Cursor | null): { readonly after?: Cursor } {
  return cursor === null ? {} : { after: cursor };
}

/** Waits for as long as another process holds the tables. */
async function projectWhenFree(ledger: Ledger, folder: string, options: ProjectOptions): Promise<Projected> {
  for (;;) {
    try {
      return await project(ledger, folder, { ...options, rebuild: false });
    } catch (error) {
      if (!(error instanceof TablesBusy)) throw error;
    }
  }
}
