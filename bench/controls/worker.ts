// Runs sets of a control one after the other, each in a workspace of its own, and writes their results.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../src/base/write-whole.ts';
import { openWorkspace } from '../../src/index.ts';
import type { Control } from './protocol.ts';
import { runSet } from './set.ts';

const [folder = '', control = '', keeps = '', ...sets] = process.argv.slice(2);

for (const set of sets.map(Number)) {
  const place = join(folder, `${control}-${set}`);
  // A set that was stopped starts again; it takes seconds.
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  await using workspace = await openWorkspace({ cwd: place, config: false });
  const result = await runSet(workspace, control as Control, set);
  await workspace.close();
  await writeWhole(`${place}.json`, Buffer.from(JSON.stringify(result)));
  if (keeps !== 'keep') await rm(place, { recursive: true, force: true });
  process.stderr.write(`${control}: set ${set}\n`);
}
