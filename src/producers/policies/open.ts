// Opens the policy that somebody chose: a rule, the network trained here from its checkpoint, or a model behind an
// endpoint, whose answers are recorded.
import type { Environment } from '../../lab/environments/environment.ts';
import { LanguagePolicy } from '../../lab/policies/language.ts';
import { valuesOf } from '../../lab/policies/neural/checkpoint.ts';
import { openNeural } from '../../lab/policies/neural/neural.ts';
import type { Policy } from '../../lab/policies/policy.ts';
import { scriptedPolicies } from '../../lab/policies/scripted.ts';
import { askedOnce } from '../answers/asked-once.ts';
import type { Models } from '../models/models.ts';
import type { PolicyChoice } from './choice.ts';
import { usableCheckpoint } from './usable.ts';

export interface Opening {
  /** Whose tasks it is to plan for. */
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  readonly threads: number;
  readonly models: Models;
}

/** Throws BadCheckpoint where a file is none, and what models do: BadKey, CostUnknown. */
export async function openPolicy(choice: PolicyChoice, { environment, threads, models }: Opening): Promise<Policy> {
  switch (choice.kind) {
    case 'rule':
      return scriptedPolicies[choice.rule]();
    case 'checkpoint':
      return await openNeural(await usableCheckpoint(choice.path, (file) => valuesOf('policy', file)), { threads });
    case 'model': {
      const { entry, snapshot } = choice;
      const model = askedOnce(models.open(entry.name));
      return new LanguagePolicy({ model, environment, checkpoint: snapshot === null ? null : { reference: snapshot } });
    }
  }
}
