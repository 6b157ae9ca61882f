// What can go wrong between icecore and an environment, whichever it is.
import { describeIssue, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';

/** A configuration that nothing can be generated from. */
export class BadConfiguration extends IcecoreError {
  override readonly name = 'BadConfiguration';
  readonly issues: readonly Issue[];

  constructor(environment: string, issues: readonly Issue[]) {
    const [first] = issues;
    const text = first === undefined ? 'it cannot be used' : describeConfigurationIssue(first);
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super('bad-input', `the configuration of ${environment}: ${text}${more}`, { facts: { environment, issues } });
    this.issues = issues;
  }
}

function describeConfigurationIssue(issue: Issue): string {
  return describeIssue({ ...issue, field: issue.field === '' ? 'the whole' : issue.field });
}

export class UnknownSuite extends IcecoreError {
  override readonly name = 'UnknownSuite';

  constructor(environment: string, suite: string, known: readonly string[]) {
    const near = nearestNames(suite, known);
    super('not-found', `${environment} has no suite "${suite}"`, {
      facts: { environment, suite, known, nearest: near },
      remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : whichThereAre(known),
    });
  }
}

function whichThereAre(suites: readonly string[]): string {
  return suites.length === 0 ? 'It has none.' : `There are ${suites.join(', ')}.`;
}

export class EnvironmentClosed extends IcecoreError {
  override readonly name = 'EnvironmentClosed';

  constructor(environment: string) {
    super('internal', `the environment ${environment} is closed`, { facts: { environment } });
  }
}
