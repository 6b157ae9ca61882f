// Checkpoints for tests: files as a training leaves them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { architecture, encode, tensorsOf } from '../../../../testbed/neural/checkpoint.ts';
import { freshWeights } from '../../../../testbed/neural/network.ts';

/** A network that was never trained; another architecture where one is named. The path of its file. */
export async function untrainedIn(folder: string, name = 'update-0', as: string = architecture): Promise<string> {
  const path = join(folder, `${name}.safetensors`);
  const tensors = tensorsOf('policy', freshWeights('untrained'));
  await writeFile(path, encode({ tensors, metadata: { architecture: as } }));
  return path;
}
