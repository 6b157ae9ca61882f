// The policy as it is after the training of a stage, for as long as somebody needs it.
import { join } from 'node:path';
import type { Policy } from '../../../lab/policies/policy.ts';
import { type At, known, stageIn } from '../at.ts';
import { toPlanWith } from '../checkpoints.ts';
import type { Lab } from '../lab.ts';

type Opening = Pick<At, 'history' | 'folder' | 'blobs'> & { readonly lab: Pick<Lab, 'learner'> };

export async function withPolicy<Result>(
  { history, lab, folder, blobs }: Opening,
  stage: number,
  body: (policy: Policy) => Promise<Result>,
): Promise<Result> {
  const training = known(stageIn(history, stage).training, 'training');
  const recorded = training.data.checkpoint ?? null;
  const policy = await lab.learner.policyOf(
    await toPlanWith(recorded, lab.learner, { folder: join(folder, 'checkpoints'), blobs }),
  );
  try {
    // Events name it as it is kept, not as it lies here.
    return await body(recorded === null ? policy : named(policy, recorded));
  } finally {
    await policy.close();
  }
}

function named(policy: Policy, checkpoint: NonNullable<Policy['checkpoint']>): Policy {
  const { component, canBeGreedy = true } = policy;
  return {
    component,
    checkpoint,
    canBeGreedy,
    plan: (request) => policy.plan(request),
    close: () => policy.close(),
  };
}
