// Opens the policy that somebody chose: a rule, the network trained here from its checkpoint, or a model behind an
// endpoint, whose answers are recorded.
import { readFile } from 'node:fs/promises';
import type { Environment } from '../../lab/environments/environment.ts';
import { LanguagePolicy } from '../../lab/policies/language/language.ts';
import { valuesOf, WrongCheckpoint } from '../../lab/policies/neural/checkpoint.ts';
import { openNeural } from '../../lab/policies/neural/neural.ts';
import { decode, NotSafetensors } from '../../lab/policies/neural/safetensors.ts';
import type { Policy } from '../../lab/policies/policy.ts';
import { greedyPolicy } from '../../lab/policies/scripted/greedy.ts';
import { optimalPolicy } from '../../lab/policies/scripted/optimal.ts';
import { randomPolicy } from '../../lab/policies/scripted/random.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { askedOnce } from '../answers/asked-once.ts';
import type { Models } from '../models/models.ts';
import type { PolicyChoice } from './choice.ts';
import { BadCheckpoint } from './errors.ts';

export interface Opening {
  /** Whose tasks it is to plan for. */
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  readonly threads: number;
  readonly models: Models;
}

const rules = { random: randomPolicy, greedy: greedyPolicy, optimal: optimalPolicy } as const;

/** Throws BadCheckpoint where a file is none, and what models do: BadKey, CostUnknown. */
export async function openPolicy(choice: PolicyChoice, { environment, threads, models }: Opening): Promise<Policy> {
  switch (choice.kind) {
    case 'rule':
      return rules[choice.rule]();
    case 'checkpoint':
      return await fromFile(choice.path, threads);
    case 'model': {
      const { entry, snapshot } = choice;
      const model = askedOnce(models.open(entry.name));
      return new LanguagePolicy({ model, environment, checkpoint: snapshot === null ? null : { reference: snapshot } });
    }
  }
}

async function fromFile(path: string, threads: number): Promise<Policy> {
  const bytes = await readFile(path);
  refuseUnusable(path, bytes);
  return await openNeural({ reference: path, digest: sha256(bytes), bytes: bytes.length }, { threads });
}

function refuseUnusable(path: string, bytes: Buffer): void {
  try {
    const strange = valuesOf('policy', decode(bytes)).find((weight) => !Number.isFinite(weight));
    if (strange !== undefined) throw new WrongCheckpoint(`the weight ${strange}`, 'numbers');
  } catch (fault) {
    if (fault instanceof NotSafetensors || fault instanceof WrongCheckpoint) throw new BadCheckpoint(path, fault);
    throw fault;
  }
}
