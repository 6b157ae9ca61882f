// What a policy or an environment does that breaks its contract: what they did could not be told apart from what they were
// asked for, and an evaluation of it would be one of something else.
import { IcecoreError } from '../../../schemas/errors.ts';

export class OutOfOrder extends IcecoreError {
  override readonly name = 'OutOfOrder';

  constructor(planned: string, expected: string | null) {
    super('internal', `a policy planned for the task ${planned} out of order`, { facts: { planned, expected } });
  }
}

export class EndedEarly extends IcecoreError {
  override readonly name = 'EndedEarly';

  constructor(rollouts: number, task: string | null) {
    const where = task === null ? '' : `, and none for the task ${task}`;
    super('internal', `plans and verdicts ended before the tasks did: there are ${rollouts}${where}`, {
      facts: { rollouts, task },
    });
  }
}

export class TooManyVerdicts extends IcecoreError {
  override readonly name = 'TooManyVerdicts';

  constructor(environment: string) {
    super('internal', `the environment ${environment} gave more verdicts than there were tries`, {
      facts: { environment },
    });
  }
}
