// The folder of one training. What is trained there stands in a file in it, so that the same training goes on where it
// was stopped, and nothing else ever takes its place.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { writeWhole } from '../../base/write-whole.ts';
import type { Trainer, TrainRequest } from '../../lab/trainers/trainer.ts';

export const trainingName = 'icecore-training.json';
const mostTrainingBytes = 16 * 2 ** 20;

/** Everything that tells a training from another one. */
export interface Training extends Pick<TrainRequest, 'configuration' | 'budget' | 'seed'> {
  readonly environment: string;
  readonly trainer: Trainer['component'];
  /** `base`, the digest of a checkpoint, or its name where it has none; null: nothing. */
  readonly from: string | null;
}

export class FolderNotFree extends IcecoreError {
  override readonly name = 'FolderNotFree';

  constructor(folder: string, what: string, facts: Readonly<Record<string, unknown>>) {
    super('conflict', `the folder ${folder} holds ${what}`, {
      facts: { folder, ...facts },
      remedy: 'Each training has a folder of its own: name another one, or remove what is there.',
    });
  }
}

/** Writes nothing. Throws FolderNotFree where anything else is there, NotRegularFile where its name is no file. */
export async function stateOfFolder(folder: string, training: Training): Promise<'free' | 'begun'> {
  const there = await namesIn(folder);
  if (there.length === 0) return 'free';
  const [first, second] = there;
  if (!there.includes(trainingName)) {
    const some = second === undefined ? `${first}` : `${first}, ${second}${there.length > 2 ? ', ...' : ''}`;
    throw new FolderNotFree(folder, `other things (${some})`, { found: there.slice(0, 20) });
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

/** Takes a folder that is free. */
export async function claim(folder: string, training: Training): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeWhole(join(folder, trainingName), `${JSON.stringify(training, null, 2)}\n`);
}

const fields = ['environment', 'trainer', 'configuration', 'budget', 'seed', 'from'] as const;

type Recorded = Readonly<Partial<Record<(typeof fields)[number], unknown>>>;

/** What was cut as it was written, or changed by hand, is another training. */
function recorded(text: string): Recorded {
  try {
    const found: unknown = parseJson(text);
    return typeof found === 'object' && found !== null ? found : {};
  } catch {
    return {};
  }
}

const longestShown = 60;

/** Short values are shown, for they are easily mistyped. */
function differs(field: (typeof fields)[number], found: Recorded): string {
  const text = JSON.stringify(found[field] ?? null);
  return text.length <= longestShown ? `its ${field} is ${text}` : `its ${field} is another`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name !== `${trainingName}.part`);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fault;
  }
}
