import { IcecoreError } from '../../../../schemas/errors.ts';

export class NoPrompt extends IcecoreError {
  override readonly name = 'NoPrompt';

  constructor(environment: string, policy: string) {
    super('unsupported', `the environment ${environment} has nothing to say to ${policy}, a policy that reads`, {
      facts: { environment, policy },
      remedy: 'Let it understand "prompt": see docs/environments.md.',
    });
  }
}
