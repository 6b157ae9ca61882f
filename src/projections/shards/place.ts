// Where the tables of a group are: in a folder of its own among those of the ledger, and in that a folder for each shard, with
// files that follow each other as those of a whole ledger do.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearest } from '../../../schemas/nearest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { generationIn, generationPath } from '../warehouse/place.ts';
import type { TablesTrust } from '../warehouse/provenance.ts';

/** The name of a folder, and of a consumer group of Kafka's. */
const groupPattern = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/** The tables of a group that questions are about. */
export interface AskedGroup {
  readonly ledger: Ledger;
  /** Of the ledger's tables. */
  readonly tables: string;
  readonly group: string;
  readonly trust?: TablesTrust | undefined;
}

export interface ShardFile {
  readonly shard: string;
  readonly path: string;
}

/** Throws BadGroup. */
export function groupFolder(tables: string, group: string): string {
  if (!groupPattern.test(group)) throw new BadGroup(group);
  return join(groupsFolder(tables), group);
}

export function shardFolder(groupFolder: string, shard: string): string {
  return join(groupFolder, shard);
}

/** One of each shard of the ledger. Throws ShardNotFilled. */
export function filledFiles(asked: AskedGroup): readonly ShardFile[] {
  const folder = groupFolder(asked.tables, asked.group);
  const found = asked.ledger.shards().names.map((shard) => {
    const own = shardFolder(folder, shard);
    return { shard, own, generation: generationIn(own) };
  });
  const lacking = found.filter(({ generation }) => generation === 0).map(({ shard }) => shard);
  if (lacking.length > 0)
    throw new ShardNotFilled(asked, lacking, lacking.length === 1 ? 'is not filled' : 'are not filled');
  return found.map(({ shard, own, generation }) => ({ shard, path: generationPath(own, generation) }));
}

/** The groups that have tables on this machine, or wherever the folder is shared. */
function groupsIn(tables: string): readonly string[] {
  try {
    return readdirSync(groupsFolder(tables)).sort();
  } catch {
    return [];
  }
}

function groupsFolder(tables: string): string {
  return join(tables, 'shards');
}

class BadGroup extends IcecoreError {
  override readonly name = 'BadGroup';

  constructor(found: string) {
    const allowed = 'up to 64 small letters, digits, dots, dashes and underscores, a letter or digit first and last';
    super('usage', `--group: found "${found}", allowed: ${allowed}`, { facts: { field: '--group', found, allowed } });
  }
}

/** Of a shard there are no tables that could be asked: an answer without it would be wrong. */
export class ShardNotFilled extends IcecoreError {
  override readonly name = 'ShardNotFilled';

  constructor({ tables, group }: AskedGroup, shards: readonly string[], why: string) {
    const groups = groupsIn(tables);
    const near = groups.includes(group) ? null : nearest(group, groups);
    const remedy = near === null ? '' : `Did you mean --group ${shellWord(near)}? `;
    super('not-found', `the tables of group ${group} cannot be asked: ${shards.join(', ')} ${why}`, {
      facts: { group, shards, why, groups },
      remedy: `${remedy}Fill them: icecore project --group ${group}`,
    });
  }
}
