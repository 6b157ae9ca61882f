// A trainer from words: the one that is built in where there are none, else the program that they are the command line of.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { ProgramNotStarted } from '../../lab/programs/errors.ts';
import { nameOf } from '../../lab/programs/name.ts';
import { openCommandTrainer } from '../../lab/trainers/command/open.ts';
import { openGrpo } from '../../lab/trainers/grpo/grpo.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';

export interface TrainerWords {
  /** The program and its arguments; none for the trainer that is built in. */
  readonly command: readonly string[];
  /** What it trains on, as the descriptor says it. */
  readonly environment: string;
  /** The working folder of a program. */
  readonly folder: string;
  /** Of the trainer that is built in; as many as there are cores unless told otherwise. */
  readonly threads?: number;
}

/** Throws ProgramNotStarted where there is no such program, and NotBuiltIn where only a program could. */
export function openTrainer({ command, environment, folder, threads }: TrainerWords): Trainer {
  const [program, ...words] = command;
  if (program !== undefined) {
    refuseMissing(program, command, folder);
    return openCommandTrainer({ command: [program, ...words], environment, folder });
  }
  if (environment !== builtInFor) throw new NotBuiltIn(environment);
  return openGrpo(threads === undefined ? {} : { threads });
}

const builtInFor = 'lake';

export class NotBuiltIn extends IcecoreError {
  override readonly name = 'NotBuiltIn';

  constructor(environment: string) {
    super('unsupported', `the trainer that is built in trains on the lake, not on ${environment}`, {
      facts: { environment },
      remedy: 'Give a program that does: see docs/trainers.md.',
    });
  }
}

/** Known before anything is written for it. Where names have endings that are left out, it shows when it is started. */
function refuseMissing(program: string, command: readonly string[], folder: string): void {
  if (process.platform === 'win32') return;
  const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  if (folders.some((one) => canRun(resolve(folder, one, program)))) return;
  const witness = { role: 'training', program: nameOf(command), during: [], lastWords: [] };
  throw new ProgramNotStarted(witness, `there is no program ${program} that may be executed`, 'ENOENT');
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
