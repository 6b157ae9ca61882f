// What a program says about itself, and that it can be meant.
import { contradictions } from '../../../../schemas/contradictions.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Issue } from '../../../../schemas/errors.ts';
import { namedTwice } from '../../../../schemas/sense.ts';
import { checkConfiguration } from '../check-configuration.ts';
import type { Configuration, Suite } from '../environment.ts';
import { BadDescription } from './errors.ts';
import type { Fields, Program } from './program.ts';
import { type optionalRequests, type Shaped, shapes } from './shapes.ts';

export type OptionalRequest = (typeof optionalRequests)[number];

export interface Description {
  readonly descriptor: Descriptor;
  readonly start: Configuration;
  readonly suites: readonly Suite[];
  readonly understands: ReadonlySet<OptionalRequest>;
}

export function descriptionOf(fields: Fields, program: Program): Description {
  const issues = shapes.describe.issues(fields);
  if (issues.length > 0) throw new BadDescription(program.name, issues);
  const { descriptor, start, suites = [], understands = [] } = fields as Shaped<typeof shapes.describe>;
  const senseless = [
    ...contradictions(descriptor, 'descriptor'),
    ...startIssues(descriptor, start),
    ...namedTwice(
      suites.map(({ name }, i) => ({ name, field: `suites[${i}].name` })),
      'each suite once',
    ),
    ...unreachableSuites(suites, understands),
  ];
  if (senseless.length > 0) throw new BadDescription(program.name, senseless);
  return { descriptor, start, suites: suites as readonly Suite[], understands: new Set(understands) };
}

function startIssues(descriptor: Descriptor, start: Configuration): Issue[] {
  return checkConfiguration(descriptor, start, start).map(({ field, ...issue }) => ({
    ...issue,
    field: field === '' ? 'start' : `start.${field}`,
  }));
}

function unreachableSuites(suites: readonly unknown[], understands: readonly OptionalRequest[]): Issue[] {
  if (suites.length === 0 || understands.includes('suite')) return [];
  return [{ field: 'understands', found: 'no "suite"', allowed: '"suite", as there are suites to ask for' }];
}
