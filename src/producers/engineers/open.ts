// Opens the engineer that somebody chose, with whatever of a run's lab it works with.

import { IcecoreError } from '../../../schemas/errors.ts';
import { openCommandEngineer } from '../../lab/engineers/command.ts';
import { contextModules, type Engineer } from '../../lab/engineers/engineer.ts';
import { openIntrospective } from '../../lab/engineers/introspective.ts';
import { openLanguageEngineer } from '../../lab/engineers/language.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Checkpoint, Policy } from '../../lab/policies/policy.ts';
import { type AllowProgram, type CommandWords, programName } from '../../lab/programs/program.ts';
import { refuseMissing } from '../programs.ts';
import { type EngineerChoice, humanName } from './choice.ts';

export interface Workplace {
  readonly environment: Environment;
  /** The policy with a snapshot, for engineers that ask it. */
  readonly policyOf: (checkpoint: Checkpoint | null) => Promise<Policy>;
  /** The model that the policy is; null where it is none. */
  readonly spoken: Model | null;
  readonly modelOf: (name: string) => Model;
  /** Names of other engineers, which no program may go by. */
  readonly takenNames: readonly string[];
  /** Where programs run. */
  readonly folder: string;
  readonly allow: AllowProgram;
}

/** Nothing is asked of a person from here. */
const human: Engineer = {
  identity: { name: humanName, version: '1', reads: [...contextModules] },
  reads: contextModules,
  propose: async () => {
    throw new IcecoreError('usage', 'a person is not asked by a program', {
      remedy: 'Decide with icecore adopt, then continue with icecore resume.',
    });
  },
  close: async () => {},
};

/** Throws ProgramNotStarted where there is no such program. */
export function openEngineer(choice: EngineerChoice, workplace: Workplace): Engineer {
  const { environment, policyOf, spoken, modelOf, takenNames, folder, allow } = workplace;
  const check = environment.check.bind(environment);
  switch (choice.kind) {
    case 'rule':
      return choice.engineer;
    case 'human':
      return human;
    case 'model':
      return openLanguageEngineer({
        model: modelOf(choice.entry.name),
        name: choice.entry.name,
        check,
        snapshot: () => null,
      });
    case 'program':
      refuseMissing('engineer', choice.command, folder);
      return openCommandEngineer({
        command: choice.command,
        name: nameBeside(choice.command, takenNames),
        allow: () => allow('engineer', choice.command),
      });
    case 'snapshot':
      return spoken === null
        ? openIntrospective({ identity: choice.name, environment, policyOf })
        : openLanguageEngineer({ model: spoken, name: choice.name, check, snapshot: (checkpoint) => checkpoint });
  }
}

/** A program `./rules` is not the engineer `rules`. */
function nameBeside(command: CommandWords, taken: readonly string[]): string {
  const name = programName(command);
  return taken.includes(name) ? `${name}-program` : name;
}
