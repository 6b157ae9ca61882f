// Checks the tables against the ledger. The quick check: are they as icecore left them, and filled from the ledger's
// events? The full check: all tables are filled again elsewhere, up to the same event, and compared.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { BadCursor } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Digests, digestsIn, tableDigests } from './digests.ts';
import { isAsLaidOut } from './projector/inventory.ts';
import { isOf, isUpToDefinition, type Position, positionOf, rowsOf, unreadIn } from './projector/layout.ts';
import { project } from './projector/projector.ts';
import type { Source } from './projector/source.ts';
import { lookInto } from './table-state.ts';
import { catalogueIn } from './tables/own.ts';
import { isBroken } from './warehouse/errors.ts';
import { type HoldOptions, reading, within } from './warehouse/holding.ts';
import { generationIn, generationPath } from './warehouse/place.ts';
import { Provenance, type TablesTrust } from './warehouse/provenance.ts';

export interface TablesFault {
  readonly kind: 'altered' | 'outdated' | 'differ';
  /** The file, or the table in it. */
  readonly where: string;
  readonly says: string;
}

export interface TablesVerified {
  readonly path: string;
  /** The number of compared tables. */
  readonly compared: number;
  readonly faults: readonly TablesFault[];
}

export interface VerifyTablesOptions {
  readonly trust: TablesTrust;
  readonly signal: AbortSignal;
  /** Called after each batch of refilled events. */
  readonly onProgress?: (events: number) => void;
}

/** A process that holds the tables for longer is working on them. */
const patience = 3000;

const rebuildHint = 'icecore tables refresh --rebuild rebuilds them';

/** Null if there are none. Changes nothing. */
export async function lookAtTables(
  ledger: Ledger,
  folder: string,
  { trust, signal }: VerifyTablesOptions,
): Promise<TablesVerified | null> {
  const path = pathIn(folder);
  if (path === null) return null;
  const found = await lookInto(ledger, path, { trust, signal, patience });
  if (found.is === 'refused') return { path, compared: 0, faults: [altered(path, found.why)] };
  if (found.is === 'of another history') return { path, compared: 0, faults: [outdated(path)] };
  if (found.is !== 'fit') return { path, compared: 0, faults: [] };
  const provenance = new Provenance(ledger.id, trust);
  const holding = { signal, patience, admit: () => provenance.requireSettled(path) };
  const isSame = await within(path, reading, holding, (connection) => holdsSameEvents(connection, ledger));
  return { path, compared: 0, faults: isSame ? [] : [outdated(path)] };
}

/** Null if there are none. */
export async function verifyTables(
  ledger: Ledger,
  folder: string,
  options: VerifyTablesOptions,
): Promise<TablesVerified | null> {
  const path = pathIn(folder);
  if (path === null) return null;
  const { trust, signal, onProgress } = options;
  const present = await presentIn(ledger, path, { trust, signal });
  if ('faults' in present) return { path, compared: 0, faults: present.faults };
  const elsewhere = mkdtempSync(join(tmpdir(), 'icecore-tables-'));
  try {
    const source = upTo(ledger, present.position);
    const named = { env: { XDG_CONFIG_HOME: elsewhere }, isNamed: true };
    const anewFilled = await project(source, join(elsewhere, 'tables'), {
      ...{ trust: named, signal, progress: onProgress },
      catalogue: catalogueIn(folder),
    });
    const expected = await tableDigests(anewFilled.path, 'tables');
    return { path, ...compared(expected, present.digests) };
  } catch (error) {
    if (error instanceof BadCursor) return { path, compared: 0, faults: [outdated(path)] };
    throw error;
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

function pathIn(folder: string): string | null {
  const generation = generationIn(folder);
  return generation === 0 ? null : generationPath(folder, generation);
}

function altered(path: string, why: string): TablesFault {
  return {
    kind: 'altered',
    where: path,
    says: `${why}: it is not used, and the next query rebuilds it; ${rebuildHint}`,
  };
}

function outdated(path: string): TablesFault {
  return {
    kind: 'outdated',
    where: path,
    says: `the tables have other events than the ledger, which was rewritten or restored since: ${rebuildHint}`,
  };
}

interface Present {
  readonly position: Position | null;
  readonly digests: Digests;
}

/**
 * A file made by icecore is opened read-only and locked even if it was changed since, to find out which tables changed.
 * A file of unknown origin is not opened.
 */
async function presentIn(
  ledger: Ledger,
  path: string,
  { trust, signal }: Pick<VerifyTablesOptions, 'trust' | 'signal'>,
): Promise<Present | { readonly faults: readonly TablesFault[] }> {
  const catalogue = catalogueIn(dirname(path));
  const provenance = new Provenance(ledger.id, trust);
  const origin = provenance.originOf(path);
  if (origin.is === 'refused' && !origin.isAltered) return { faults: [altered(path, origin.why)] };
  const isProven = origin.is !== 'refused' && origin.is !== 'unrecorded';
  const holding: HoldOptions = {
    signal,
    patience,
    ...(isProven ? { admit: () => provenance.requireSettled(path) } : {}),
  };
  try {
    return await within(path, reading, holding, async (connection) => {
      if (!isProven && !(await isAsLaidOut(connection, catalogue)))
        return { faults: [altered(path, 'its layout is not that of this version of icecore')] };
      if (!(await isOf(connection, ledger.id))) return { faults: [altered(path, 'it belongs to another ledger')] };
      if (!(await isUpToDefinition(connection, catalogue))) return { faults: [] };
      return { position: await positionOf(connection, ledger.id), digests: await digestsIn(connection, 'tables') };
    });
  } catch (error) {
    if (!isBroken(error)) throw error;
    return { faults: [altered(path, error instanceof Error ? error.message : String(error))] };
  }
}

/** The ledger up to the last event in the tables. */
function upTo(ledger: Ledger, position: Position | null): Source {
  const read: Source['read'] = (stream, options) => ledger.read(stream, options);
  if (position === null) return { id: ledger.id, read, readAll: async function* () {} };
  return { id: ledger.id, read, readAll: (options) => ledger.readAll({ until: position.cursor, ...options }) };
}

/** Tables about positions and batches, not about content. */
const incidental = ['log.cursors', 'log.meta', 'log.definitions'];

function compared(expected: Digests, found: Digests): Pick<TablesVerified, 'compared' | 'faults'> {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter(
    (name) => !incidental.includes(name),
  );
  const faults = names
    .filter((name) => expected[name] !== found[name])
    .map(
      (name): TablesFault => ({
        kind: 'differ',
        where: name.replace(/^log\./, ''),
        says: difference(expected[name], found[name]),
      }),
    );
  return { compared: names.length, faults };
}

function difference(expected: string | undefined, found: string | undefined): string {
  if (expected === undefined) return `a table that the ledger does not fill: ${rebuildHint}`;
  if (found === undefined) return `the table is missing: ${rebuildHint}`;
  const [there, wanted] = [found, expected].map((digest) => digest.replace(/,.*$/, ''));
  const rows = there === wanted ? `${there}, not the same ones` : `${there}, ${wanted} filled from the ledger`;
  return `${rows}: ${rebuildHint}`;
}

/** The tables with the digests of their events; each event is in one of them. */
const withDigests = ['events', 'rollouts', 'failures', 'model_calls'];

/** The sum of event digests, independent of their order. */
interface Sum {
  readonly events: bigint;
  readonly low: bigint;
  readonly high: bigint;
}

/** Unreadable events have no digest in the tables: then this check is not possible. */
async function holdsSameEvents(connection: DuckDBConnection, ledger: Ledger): Promise<boolean> {
  const position = await positionOf(connection, ledger.id);
  if (position === null || (await unreadIn(connection)) > 0) return true;
  const [there, recorded] = [await sumIn(connection), await sumOf(ledger, position)];
  return there.events === recorded.events && there.low === recorded.low && there.high === recorded.high;
}

async function sumIn(connection: DuckDBConnection): Promise<Sum> {
  const all = withDigests.map((table) => `SELECT digest FROM log.${table}`).join(' UNION ALL ');
  const part = (from: number): string => `coalesce(sum(('0x' || substr(digest, ${from}, 15))::BIGINT), 0)::VARCHAR`;
  const [row] = await rowsOf(
    connection,
    `SELECT count(*) AS events, ${part(1)} AS high, ${part(16)} AS low FROM (${all})`,
  );
  return {
    events: BigInt(String(row?.['events'])),
    low: BigInt(String(row?.['low'])),
    high: BigInt(String(row?.['high'])),
  };
}

async function sumOf(ledger: Ledger, { cursor }: Position): Promise<Sum> {
  let [events, low, high] = [0n, 0n, 0n];
  for await (const digests of ledger.digests({ until: cursor })) {
    for (let at = 0; at < digests.length; at += 64) {
      events++;
      high += BigInt(`0x${digests.slice(at, at + 15)}`);
      low += BigInt(`0x${digests.slice(at + 15, at + 30)}`);
    }
  }
  return { events, low, high };
}
