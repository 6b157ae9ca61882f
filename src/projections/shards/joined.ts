// The tables of all shards as those of one ledger. A file for the time of the question has for each filled table a view that is
// all shards' tables of that name, and on top of these the views of people: what joins events is a view, so these say of the
// shards together what they say of a single file.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import { isAsLaidOut } from '../projector/inventory.ts';
import { inOrder, isOf, isUpToDefinition, type Position, positionOf, unknownIn } from '../projector/layout.ts';
import { idOfShard } from '../projector/source.ts';
import type { TableFiles } from '../query/open.ts';
import { tableCatalogue, tableDefinitions } from '../tables/catalogue.ts';
import { type Attached, holdWith } from '../warehouse/attaching.ts';
import type { HoldOptions } from '../warehouse/holding.ts';
import { Provenance } from '../warehouse/provenance.ts';
import { type AskedGroup, groupFolder, type ShardFile, ShardNotFilled } from './place.ts';

export interface Joined {
  readonly files: TableFiles;
  readonly shards: ReadonlyMap<string, ShardStanding>;
}

export interface ShardStanding {
  /** Null where nothing is known of the shard yet. */
  readonly position: Position | null;
  readonly unknown: readonly UnknownEvents[];
}

/** No table is called so: a name before a dot is that of a table or of nothing. */
function nameOf(shard: string): string {
  return `shard-${shard}`;
}

/** Hands over the views and what they are views of, open nowhere in this process. Throws ShardNotFilled, and what holding a
 * file throws. */
export async function withJoined<Result>(
  asked: AskedGroup,
  shards: readonly ShardFile[],
  options: HoldOptions,
  body: (joined: Joined) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-shards-'));
  const views = join(folder, 'shards.duckdb');
  const attached = shards.map(({ shard, path }) => ({ name: nameOf(shard), path }));
  const admit = (path: string): void => {
    const file = shards.find((one) => one.path === path);
    if (file !== undefined) provenanceOf(asked, file).requireSettled(path);
  };
  try {
    const standings = await makeViews(asked, shards, { views, attached }, { ...options, admit });
    const label = groupFolder(asked.tables, asked.group);
    return await body({ files: { path: views, attached, label }, shards: standings });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function provenanceOf({ ledger, trust }: AskedGroup, { shard }: ShardFile): Provenance {
  return new Provenance(idOfShard(ledger, shard), trust);
}

/** Once the files are attached, nothing in them reaches any other: before anything of theirs is read. */
const lock = [
  'SET allow_community_extensions = false',
  'SET enable_external_access = false',
  'SET lock_configuration = true',
];

async function makeViews(
  asked: AskedGroup,
  files: readonly ShardFile[],
  { views, attached }: { readonly views: string; readonly attached: readonly Attached[] },
  options: HoldOptions,
): Promise<ReadonlyMap<string, ShardStanding>> {
  const held = await holdWith(views, attached, {}, options);
  try {
    const locking = await held.connect();
    for (const step of lock) await locking.run(step);
    const standings = new Map<string, ShardStanding>();
    for (const file of files) standings.set(file.shard, await standingIn(await held.connect(), asked, file));
    await unite(await held.connect(), attached);
    return standings;
  } finally {
    held.release();
  }
}

async function standingIn(connection: DuckDBConnection, asked: AskedGroup, file: ShardFile): Promise<ShardStanding> {
  const { shard, path } = file;
  const name = nameOf(shard);
  const isUnrecorded = provenanceOf(asked, file).originOf(path).is === 'unrecorded';
  if (isUnrecorded && !(await isAsLaidOut(connection, tableCatalogue(), name)))
    throw new ShardNotFilled(asked, [shard], 'is not laid out as this icecore does it');
  await connection.run(`USE "${name}"`);
  const id = idOfShard(asked.ledger, shard);
  if (!(await isOf(connection, id, name)) || !(await isUpToDefinition(connection, tableCatalogue())))
    throw new ShardNotFilled(asked, [shard], 'is of another ledger or another icecore');
  return { position: await positionOf(connection, id), unknown: await unknownIn(connection, eventTypes) };
}

async function unite(connection: DuckDBConnection, attached: readonly Attached[]): Promise<void> {
  const definitions = tableDefinitions();
  await connection.run('CREATE SCHEMA log');
  for (const table of ['streams', ...definitions.flatMap(({ stored }) => [...stored.keys()])]) {
    const all = attached.map(({ name }) => `SELECT * FROM "${name}".log.${table}`);
    await connection.run(`CREATE VIEW log.${table} AS ${all.join(' UNION ALL ')}`);
  }
  for (const statement of inOrder(definitions.flatMap(({ made }) => made))) await connection.run(statement);
}
