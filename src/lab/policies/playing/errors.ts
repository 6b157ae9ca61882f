import { IcecoreError } from '../../../../schemas/errors.ts';

export class CannotPlay extends IcecoreError {
  override readonly name = 'CannotPlay';

  constructor(environment: string, policy: string) {
    super('unsupported', `the environment ${environment} lets nobody play by himself, and so ${policy} cannot play`, {
      facts: { environment, policy },
      remedy: 'Let it understand "rollout": see docs/environments.md.',
    });
  }
}
