// Checkpoint files for tests, as a training leaves them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { architecture, encode, tensorsOf } from '../../../../testbed/neural/checkpoint.ts';
import { freshWeights } from '../../../../testbed/neural/network.ts';

/** An untrained network, optionally of another architecture. Returns the path of its file. */
export async function untrainedIn(folder: string, name = 'update-0', as: string = architecture): Promise<string> {
  const path = join(folder, `${name}.safetensors`);
  const tensors = tensorsOf('policy', freshWeights('untrained'));
  await writeFile(path, encode({ tensors, metadata: { architecture: as } }));
  return path;
}
