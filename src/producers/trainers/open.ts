// A trainer from words: the one that is built in where there are none, else the program that they are the command line of.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import { openCommandTrainer } from '../../lab/trainers/command/open.ts';
import { openGrpo } from '../../lab/trainers/grpo/grpo.ts';
import type { GivenSettings } from '../../lab/trainers/grpo/settings.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import { refuseMissing } from '../programs.ts';

export interface TrainerWords {
  /** The program and its arguments; none for the trainer that is built in. */
  readonly command: readonly string[];
  /** What it trains on, as the descriptor says it. */
  readonly environment: string;
  /** Where programs run. */
  readonly folder: string;
  readonly allow: AllowProgram;
  /** Of the trainer that is built in; as many as there are cores unless told otherwise. */
  readonly threads?: number;
  /** Its hyper-parameters, where they are not as usual. */
  readonly settings?: GivenSettings;
}

/** Throws where the program is not allowed, ProgramNotStarted where there is no such program, and NotBuiltIn where only a program could. */
export function openTrainer({ command, environment, folder, allow, threads, settings }: TrainerWords): Trainer {
  const [program, ...words] = command;
  if (program !== undefined) {
    refuseMissing('training', [program, ...words], folder);
    return openCommandTrainer({ program: allow('trainer', [program, ...words]), environment });
  }
  if (environment !== builtInFor) throw new NotBuiltIn(environment);
  return openGrpo({ ...(threads === undefined ? {} : { threads }), ...(settings === undefined ? {} : { settings }) });
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
