// The tables of all shards as those of one ledger. A file for the time of the question has for each filled table a view that is
// all shards' tables of that name, and on top of these the views of people: what joins events is a view, so these say of the
// shards together what they say of a single file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { inOrder, isOf, isUpToDefinition, type Position, positionOf } from '../projector/layout.ts';
import { idOfShard } from '../projector/source.ts';
import { openLockedWith } from '../query/open.ts';
import { tableDefinitions } from '../tables/catalogue.ts';
import { type Attached, holdWith } from '../warehouse/attaching.ts';
import type { Held, HoldOptions } from '../warehouse/holding.ts';
import { type AskedGroup, type ShardFile, ShardNotFilled } from './place.ts';

export interface Joined {
  readonly held: Held;
  /** How far each shard is; null where nothing is known of it yet. */
  readonly positions: ReadonlyMap<string, Position | null>;
}

/** No table is called so: a name before a dot is that of a table or of nothing. */
function nameOf(shard: string): string {
  return `shard-${shard}`;
}

/** For reading only and locked down. Throws ShardNotFilled, and what holding a file throws. */
export async function openJoined(
  asked: AskedGroup,
  files: readonly ShardFile[],
  memoryMegabytes: number,
  options: HoldOptions,
): Promise<Joined> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-shards-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const views = join(folder, 'shards.duckdb');
  const attached = files.map(({ shard, path }) => ({ name: nameOf(shard), path }));
  try {
    const positions = await makeViews(asked, files, { views, attached }, options);
    const held = await openLockedWith(views, attached, memoryMegabytes, options);
    const release = (): void => {
      held.release();
      remove();
    };
    return { held: { ...held, release }, positions };
  } catch (error) {
    remove();
    throw error;
  }
}

async function makeViews(
  asked: AskedGroup,
  files: readonly ShardFile[],
  { views, attached }: { readonly views: string; readonly attached: readonly Attached[] },
  options: HoldOptions,
): Promise<ReadonlyMap<string, Position | null>> {
  const held = await holdWith(views, attached, {}, options);
  try {
    const positions = new Map<string, Position | null>();
    for (const { shard } of files) positions.set(shard, await positionIn(await held.connect(), asked, shard));
    await unite(await held.connect(), attached);
    return positions;
  } finally {
    held.release();
  }
}

async function positionIn(connection: DuckDBConnection, asked: AskedGroup, shard: string): Promise<Position | null> {
  await connection.run(`USE "${nameOf(shard)}"`);
  const id = idOfShard(asked.ledger, shard);
  if (!(await isOf(connection, id)) || !(await isUpToDefinition(connection, tableDefinitions())))
    throw new ShardNotFilled(asked, [shard], 'is of another ledger or another icecore');
  return await positionOf(connection, id);
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
