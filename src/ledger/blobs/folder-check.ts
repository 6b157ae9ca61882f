// What `icecore doctor` can say of a folder of blobs. Looking changes nothing.
import { access, constants, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, failure, ok, warning } from '../checks.ts';
import { digestOf } from './digests.ts';
import { translate } from './faults.ts';
import { incomingIn } from './folder-layout.ts';

const lowSpaceBytes = 1024 * 1024 * 1024;

export async function checkFolder(root: string): Promise<readonly Check[]> {
  return [
    await look('blobs', root, async () => ok('blobs', `${root}: ${await count(root)} blobs`)),
    await look('writing', root, () => checkWritable(root)),
    await look('disk', root, () => checkSpace(root)),
  ];
}

async function look(name: string, path: string, at: () => Promise<Check>): Promise<Check> {
  try {
    return await at();
  } catch (error) {
    return failure(name, translate(error, path));
  }
}

async function count(root: string): Promise<number> {
  let found = 0;
  for (const shard of await readdir(root)) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    for (const name of await readdir(join(root, shard))) if (digestOf(`${shard}/${name}`) !== null) found++;
  }
  return found;
}

async function checkWritable(root: string): Promise<Check> {
  for (const folder of [root, incomingIn(root)]) await access(folder, constants.W_OK);
  return ok('writing', 'possible');
}

async function checkSpace(root: string): Promise<Check> {
  const { bavail, bsize } = await statfs(root);
  const free = bavail * bsize;
  const found = `${(free / 2 ** 30).toFixed(1)} GiB free in ${root}`;
  return free < lowSpaceBytes ? warning('disk', found, 'Free some space before a long run.') : ok('disk', found);
}
