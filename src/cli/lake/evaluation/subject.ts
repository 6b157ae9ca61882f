// What policies are evaluated on, from the options: suites, fresh lakes from a configuration, or lakes in a file.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { UnknownSuite } from '../../../lab/environments/environment.ts';
import { suites as standard, suiteNamed } from '../../../lab/lake/generator/suites.ts';
import type { GenerateRequest } from '../../../lab/lake/workers/pool.ts';
import type { Context } from '../../context.ts';
import { type RequestOptions, requestOf } from '../request.ts';

export interface SubjectOptions {
  readonly suite?: readonly string[];
  readonly config?: string;
  readonly agents?: number;
  readonly count?: number;
  readonly split?: NonNullable<RequestOptions['split']>;
  readonly lakes?: string;
  readonly seed?: string;
}

export type Subject =
  | { readonly kind: 'suites'; readonly names: readonly [string, ...string[]] }
  | { readonly kind: 'fresh'; readonly request: Extract<GenerateRequest, { kind: 'configuration' }> }
  | { readonly kind: 'file'; readonly path: string };

export const defaultSeed = 'icecore';

const freshOptions = ['config', 'agents', 'count', 'split'] as const;

/** Without any option, all suites. */
export function subjectOf(context: Context, options: SubjectOptions): Subject {
  const fresh = freshOptions.find((option) => options[option] !== undefined);
  const given = [
    ...(options.suite === undefined ? [] : ['suite']),
    ...(options.lakes === undefined ? [] : ['lakes']),
    ...(fresh === undefined ? [] : [fresh]),
  ];
  if (given.length > 1) throw tooMuch(given);
  if (options.lakes !== undefined) return { kind: 'file', path: options.lakes };
  if (fresh === undefined)
    return { kind: 'suites', names: suitesNamed(options.suite ?? standard.map(({ name }) => name)) };
  const { suite: _, lakes: __, split = 'validation', ...others } = options;
  const request = requestOf(context, { ...others, split });
  if (request.kind !== 'configuration') throw new Error('fresh lakes come from a configuration');
  return { kind: 'fresh', request };
}

function tooMuch(given: readonly string[]): IcecoreError {
  const named = given.map((option) => `--${option}`);
  return new IcecoreError(
    'usage',
    `${named.join(' and ')}: a policy is evaluated on one of suites, fresh lakes, a file`,
    {
      facts: { found: named },
      remedy: `Leave all but one of them out.`,
    },
  );
}

/** Throws UnknownSuite, and a usage error where two have lakes in common: those would count twice. */
function suitesNamed(words: readonly string[]): readonly [string, ...string[]] {
  const names = [...new Set(words)];
  const bySeed = new Map<string, string>();
  for (const name of names) {
    const suite = suiteNamed(name);
    if (suite === null) {
      const known = standard.map((one) => one.name);
      throw new UnknownSuite('lake', name, known);
    }
    const other = bySeed.get(suite.seed);
    if (other !== undefined) {
      throw new IcecoreError('usage', `--suite: ${name} and ${other} have lakes in common, which would count twice`, {
        facts: { field: '--suite', found: [other, name] },
        remedy: 'Leave one of them out.',
      });
    }
    bySeed.set(suite.seed, name);
  }
  return names as [string, ...string[]];
}
