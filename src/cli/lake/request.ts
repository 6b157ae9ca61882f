// What `icecore lake generate` is asked for, from the options and a file to what is to be made.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { withEveryFamily } from '../../lab/environments/configuration.ts';
import { UnknownSuite } from '../../lab/environments/environment.ts';
import { isObject } from '../../lab/environments/knobs.ts';
import { checkLake, descriptor, type LakeConfiguration, startConfiguration } from '../../lab/lake/configuration.ts';
import { suiteNamed, suites } from '../../lab/lake/generator/suites.ts';
import type { GenerateRequest } from '../../lab/lake/workers/pool.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import type { Context } from '../context.ts';
import type { splits } from '../lake-options.ts';

type Split = (typeof splits)[number];

export interface RequestOptions {
  readonly config?: string;
  readonly agents?: number;
  readonly count?: number;
  readonly seed?: string;
  readonly split?: Split;
  readonly probe?: true;
  readonly suite?: string;
}

const defaults = { count: 100, perKind: 4, seed: 'icecore' } as const;

export function requestOf(context: Context, options: RequestOptions): GenerateRequest {
  if (options.suite !== undefined) return suiteRequest(options, options.suite);
  const configuration = configurationOf(context, options);
  const seed = options.seed ?? defaults.seed;
  if (options.probe !== true) {
    return {
      kind: 'configuration',
      configuration,
      count: options.count ?? defaults.count,
      split: options.split ?? 'train',
      seed,
    };
  }
  const { split = 'probe' } = options;
  if (split !== 'probe' && split !== 'probe-holdout') throw noProbe(split);
  return { kind: 'probe', agents: configuration.agents, perKind: options.count ?? defaults.perKind, split, seed };
}

/** A suite is the same for everybody: nothing about it can be chosen. */
function suiteRequest(options: RequestOptions, name: string): GenerateRequest {
  const chosen = (['config', 'agents', 'count', 'seed', 'split', 'probe'] as const).find(
    (option) => options[option] !== undefined,
  );
  if (chosen !== undefined) {
    throw new IcecoreError('usage', `lake generate: --suite and --${chosen}: a suite is the same for everybody`, {
      facts: { command: 'lake generate' },
      remedy: `Leave --${chosen} out. A smaller suite is called like ${suites[0]?.name}-of-10.`,
    });
  }
  const suite = suiteNamed(name);
  if (suite !== null) return { kind: 'suite', suite };
  const known = suites.map((one) => one.name);
  throw new UnknownSuite('lake', name, known);
}

function noProbe(split: Split): IcecoreError {
  return new IcecoreError('usage', `--split: found "${split}" with --probe, allowed: probe, probe-holdout`, {
    facts: { field: '--split', found: split, allowed: ['probe', 'probe-holdout'] },
  });
}

export function configurationOf(context: Context, { config, agents }: RequestOptions): LakeConfiguration {
  const given: unknown = config === undefined ? startConfiguration : fromFile(resolve(context.io.cwd, config), config);
  const configuration = isObject(given)
    ? {
        ...withEveryFamily(descriptor, given, { ...startConfiguration }),
        ...(agents === undefined ? {} : { agents }),
      }
    : given;
  const [issue, ...more] = checkLake(configuration);
  if (issue === undefined) return configuration as LakeConfiguration;
  const where = [config ?? 'the configuration', ...(issue.field === '' ? [] : [issue.field])].join(': ');
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new IcecoreError(
    config === undefined ? 'usage' : 'bad-input',
    `${where}: found ${issue.found}, allowed: ${issue.allowed}${others}`,
    { facts: { ...issue, issues: [issue, ...more] } },
  );
}

function fromFile(path: string, name: string): unknown {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  try {
    return parseJson(text);
  } catch {
    const { line, column, found, allowed } = findJsonFault(text);
    throw new IcecoreError(
      'bad-input',
      `${name}: line ${line}, column ${column}: found ${found}, allowed: ${allowed}`,
      {
        facts: { path, line, column, found, allowed },
      },
    );
  }
}
