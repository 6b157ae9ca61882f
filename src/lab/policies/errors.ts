// What can go wrong with a policy, whichever it is.
import { IcecoreError } from '../../../schemas/errors.ts';

export class PolicyClosed extends IcecoreError {
  override readonly name = 'PolicyClosed';

  constructor(policy: string) {
    super('internal', `the policy ${policy} is closed`, { facts: { policy } });
  }
}
