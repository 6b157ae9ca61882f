// The actor of what a command records: the current user, unless another is named.
import { userInfo } from 'node:os';
import { IcecoreError } from '../../schemas/errors.ts';
import { actor as actorSchema } from '../../schemas/primitives.ts';

export function actorOf(named: string | undefined): string {
  const actor = named ?? `human/${userName()}`;
  if (actorSchema.safeParse(actor).success) return actor;
  throw new IcecoreError('usage', `--actor: found "${actor}", allowed: kind/identity`, {
    facts: { field: '--actor', found: actor },
    remedy: 'Write it as human/ada or engineer/gpt.',
  });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A process may run under a user id without a name.
    return 'unknown';
  }
}
