// The folder of one training. A file in it identifies the training, so that an interrupted training can resume and no
// other one replaces it; another file names the process that is training there.
import { statSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { makeFolder } from '../../base/folders.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { writeWhole } from '../../base/write-whole.ts';
import type { Trainer, TrainRequest } from '../../lab/trainers/trainer.ts';

const lockName = 'icecore-training.lock';
const mostLockBytes = 1024;
const longestWriteMs = 5_000;

class FolderOccupied extends IcecoreError {
  override readonly name = 'FolderOccupied';

  constructor(folder: string, process: number) {
    const who = process === 0 ? 'another process' : `the process ${process}`;
    super('conflict', `${who} is training in the folder ${folder}`, {
      facts: { folder, process },
      remedy: `Wait for it or stop it. If that process is not a training, remove ${join(folder, lockName)}.`,
    });
  }
}

/**
 * Returns a function that releases the folder. Throws FolderOccupied, and NotRegularFile if another program made the
 * file.
 */
export async function occupy(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, lockName);
  const other = occupant(path);
  if (other !== null && (isRunning(other) || isBeingWritten(path, other))) throw new FolderOccupied(folder, other);
  if (other !== null) await rm(path, { force: true });
  try {
    await writeFile(path, `${process.pid}\n`, { flag: 'wx' });
  } catch (fault) {
    // Another process was faster.
    const quicker = (fault as NodeJS.ErrnoException).code === 'EEXIST' ? occupant(path) : null;
    throw quicker === null ? fault : new FolderOccupied(folder, quicker);
  }
  return () => rm(path, { force: true });
}

/** The process that the file names; null if there is no file. Partially written content has no number. */
function occupant(path: string): number | null {
  try {
    return Number.parseInt(readRegularFile(path, mostLockBytes).toString('utf8'), 10) || 0;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fault;
  }
}

/** The file is created before the number is written; one that stays without a number was left by a killed process. */
function isBeingWritten(path: string, pid: number): boolean {
  if (pid !== 0) return false;
  const written = statSync(path, { throwIfNoEntry: false });
  return written !== undefined && Date.now() - written.mtimeMs < longestWriteMs;
}

function isRunning(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export const trainingName = 'icecore-training.json';
const mostTrainingBytes = 16 * 2 ** 20;

/** Everything that identifies a training. */
export interface Training extends Pick<TrainRequest, 'configuration' | 'budget' | 'seed'> {
  readonly environment: string;
  readonly trainer: Trainer['component'];
  /** `base`, a checkpoint's digest, or its name if it has no digest; null for none. */
  readonly from: string | null;
}

class FolderNotFree extends IcecoreError {
  override readonly name = 'FolderNotFree';

  constructor(folder: string, what: string, facts: Readonly<Record<string, unknown>>) {
    super('conflict', `the folder ${folder} contains ${what}`, {
      facts: { folder, ...facts },
      remedy: 'Use a separate folder for each training: name another one, or remove its content.',
    });
  }
}

/** Writes nothing. Throws FolderNotFree for other content, NotRegularFile if its marker is not a file. */
export async function stateOfFolder(folder: string, training: Training): Promise<'free' | 'begun'> {
  const there = await namesIn(folder);
  if (there.length === 0) return 'free';
  const [first, second] = there;
  if (!there.includes(trainingName)) {
    const some = second === undefined ? `${first}` : `${first}, ${second}${there.length > 2 ? ', ...' : ''}`;
    throw new FolderNotFree(folder, `other files (${some})`, { found: there.slice(0, 20) });
  }
  const found = recorded(readRegularFile(join(folder, trainingName), mostTrainingBytes).toString('utf8'));
  const differing = fields.filter((field) => canonicalJson(found[field] ?? null) !== canonicalJson(training[field]));
  if (differing.length === 0) return 'begun';
  const others = Object.fromEntries(
    differing.map((field) => [field, { there: found[field] ?? null, asked: training[field] }]),
  );
  throw new FolderNotFree(folder, `another training: ${differing.map((field) => differs(field, found)).join(', ')}`, {
    differing: others,
  });
}

/** Takes a free folder. */
export async function claim(folder: string, training: Training): Promise<void> {
  makeFolder(folder);
  await writeWhole(join(folder, trainingName), `${JSON.stringify(training, null, 2)}\n`);
}

const fields = ['environment', 'trainer', 'configuration', 'budget', 'seed', 'from'] as const;

type Recorded = Readonly<Partial<Record<(typeof fields)[number], unknown>>>;

/** Partially written or edited content counts as another training. */
function recorded(text: string): Recorded {
  try {
    const found: unknown = parseJson(text);
    return typeof found === 'object' && found !== null ? found : {};
  } catch {
    return {};
  }
}

const longestShown = 60;

/** Short values are shown, because they are easily mistyped. */
function differs(field: (typeof fields)[number], found: Recorded): string {
  const text = JSON.stringify(found[field] ?? null);
  return text.length <= longestShown ? `its ${field} is ${text}` : `its ${field} differs`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name !== `${trainingName}.part`);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fault;
  }
}
