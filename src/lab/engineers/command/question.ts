// What a program that is an engineer is told: everything about one decision, as JSON. docs/engineers.md is for who writes
// one.
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Configuration, Seed } from '../../environments/environment.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import type { Asked, ContextModule, Shown } from '../engineer.ts';

export interface CommandQuestion {
  readonly protocol: 1;
  readonly descriptor: Descriptor;
  readonly stage: number;
  readonly stages: number | null;
  readonly current: Configuration;
  readonly first: Configuration;
  readonly context: {
    readonly form: Shown['form'];
    readonly digest: string;
    readonly text: string;
    readonly modules: readonly ContextModule[];
    /** What may be cited. */
    readonly evidenceIds: readonly string[];
  } | null;
  readonly checkpoint: Checkpoint | null;
  readonly sample: number;
  readonly seed: Seed;
}

export function questionFor(asked: Asked): CommandQuestion {
  const { descriptor, stage, stages, current, first, context, checkpoint, sample, seed } = asked;
  return {
    protocol: 1,
    descriptor,
    stage,
    stages,
    current,
    first,
    context: context === null ? null : contextFor(context),
    checkpoint,
    sample,
    seed,
  };
}

function contextFor({ form, digest, text, modules, evidenceIds }: Shown): CommandQuestion['context'] {
  return { form, digest, text, modules, evidenceIds: [...evidenceIds] };
}
