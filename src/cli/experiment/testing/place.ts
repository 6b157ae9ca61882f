// Folders with a tiny run on the arithmetic example, for the verbs that work on runs.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect } from 'vitest';
import type { RunFile } from '../../../../schemas/run-file.ts';
import { createOnce } from '../../../base/testing/folder-content.ts';
import { inFolder, lines, type Ran, temporaryFolder } from '../../testing/harness.ts';

const arithmetic = fileURLToPath(new URL('../../../../examples/arithmetic', import.meta.url));

export const hasPython: boolean = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('Tests on the arithmetic example are skipped: install Python 3.10 or later as python3.');

/** The program that trains. */
export const trainer: readonly [string, string] = ['python3', join(arithmetic, 'trainer.py')];

const environment: readonly [string, string] = ['python3', join(arithmetic, 'environment.py')];

export const tiny: RunFile = {
  environment: [...environment],
  trainer: [...trainer],
  policy: 'pupil',
  stages: 2,
  budget: { 'agent-steps': 500 },
  engineer: 'human',
  context: 'training,stats,behaviour,failures,history',
  suites: [],
  validation: 12,
  perCell: 1,
  samples: 1,
  trained: 12,
  exemplars: 3,
  contextTokens: 0,
};

export interface Place {
  readonly folder: string;
  icecore(...argv: readonly string[]): Promise<Ran>;
  write(name: string, content: unknown): void;
  read(name: string): string;
  /** How many events the ledger has, claims aside. */
  events(): Promise<number>;
}

/** Copies of a folder with a run, and what further command lines record. It is made once in a process. */
export function placeWith(run: RunFile, further: readonly (readonly string[])[] = []): () => Place {
  let folder = '';
  beforeAll(async () => {
    if (!hasPython) return;
    folder = await createOnce(['by hand', run, further], async (folder) => {
      const place = placeIn(folder);
      place.write('run.json', run);
      const lines = [['run', '--file', 'run.json', '--programs', '--jobs', '1'], ...further];
      for (const line of lines) expect(await place.icecore(...line)).toMatchObject({ code: 0 });
    });
  }, 60_000);
  return () => {
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    return placeIn(copy);
  };
}

export function emptyPlace(): Place {
  return placeIn(temporaryFolder());
}

function placeIn(folder: string): Place {
  // A copy in another folder would ask anew for the programs of its run.
  const icecore = inFolder(folder, { env: { ICECORE_TRUST: '*' } });
  return {
    folder,
    icecore,
    write: (name, content) => writeFileSync(join(folder, name), JSON.stringify(content)),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    events: async () => {
      const { stdout } = await icecore('event', 'tail', '--json', '-n', '10000');
      return lines(stdout).filter((line) => !line.includes('"type":"RunClaimed"')).length;
    },
  };
}
