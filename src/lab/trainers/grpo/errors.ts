// What can be wrong with a training that is asked of the embedded trainer.
import { describeIssue, IcecoreError, type Issue } from '../../../../schemas/errors.ts';

export class BadBudget extends IcecoreError {
  override readonly name = 'BadBudget';

  constructor(issue: Issue) {
    super('bad-input', `the budget: ${describeIssue(issue)}`, {
      facts: { ...issue },
      remedy: 'For example: {"agent-steps": 1200000}.',
    });
  }
}

export class NothingToLearn extends IcecoreError {
  override readonly name = 'NothingToLearn';

  constructor() {
    super('bad-input', 'no instance could be made of anything this configuration asks for', {
      remedy: 'Ask for fewer holes, fewer agents or larger sizes; icecore lake generate tells what is missing.',
    });
  }
}

export class CannotGoOn extends IcecoreError {
  override readonly name = 'CannotGoOn';

  constructor(path: string, cause: Error) {
    super('damaged', `${path}: what was saved of the training is damaged: ${cause.message}`, {
      facts: { path },
      remedy: 'Remove this file to begin anew.',
      cause,
    });
  }
}
