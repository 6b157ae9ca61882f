// The settings of a run: options beat the run file, which beats the defaults. Also names of runs, and command lines typed as one
// text, which no shell reads.
import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { name as nameSchema } from '../../../schemas/primitives.ts';
import { type RunFile, type RunSettings, runFile } from '../../../schemas/run-file.ts';
import { translate } from '../../../schemas/translate.ts';
import { withEveryFamily } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { Random } from '../../lab/random.ts';
import { settingsWith } from '../../lab/trainers/grpo/settings.ts';
import { withStartingHyperparameters } from '../../lab/trainers/knobs.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { commandIn } from '../../producers/programs.ts';
import { ownPools } from '../../producers/run/opening.ts';
import { external, isExternal, trainerKnobsOf } from '../../producers/trainers/trainers.ts';
import { requireAgentSteps } from './budget.ts';

const word = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))(?=\s|$)/y;

/** Throws where a quote is not closed. */
export function wordsIn(text: string, field: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let at = 0;
  const end = text.trimEnd().length;
  while (at < end) {
    word.lastIndex = at;
    const found = word.exec(text);
    if (found === null) throw unreadable(text, field);
    const [, double, single, plain] = found;
    words.push(single ?? (double ?? plain ?? '').replaceAll(/\\(.)/g, '$1'));
    at = word.lastIndex;
  }
  const [first, ...others] = words;
  if (first === undefined) throw unreadable(text, field);
  return [first, ...others];
}

/** What has a space or a path in it is a program; one word may be a name. */
export function namesProgram(text: string): boolean {
  return /\s/.test(text.trim()) || /[/\\]/.test(text);
}

function unreadable(text: string, field: string): IcecoreError {
  return new IcecoreError('usage', `${field}: found "${text}", allowed: a name, or a program with its arguments`, {
    facts: { field, found: text },
    remedy: 'Close every quote: "python3 \'my program.py\' --fast".',
  });
}

export function jsonIn(path: string, cwd: string, field: string): unknown {
  const text = textIn(resolve(cwd, path), field).replace(/^\ufeff/, '');
  try {
    return parseJson(text);
  } catch {
    const { line, column, found, allowed } = findJsonFault(text);
    throw new IcecoreError(
      'bad-input',
      `${path}, line ${line}, column ${column}: found ${found}, allowed: ${allowed}`,
      {
        facts: { field, path, line, column, found, allowed },
        remedy: 'Correct the JSON there.',
      },
    );
  }
}

function textIn(path: string, field: string): string {
  try {
    return boundedText(path);
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'there is no such file' : message;
    throw new IcecoreError('not-found', `${field}: ${path}: ${what}`, { facts: { field, path }, cause: fault });
  }
}

/** Settings are short. A pipe is read to its end; what has no end, such as a device, only up to the limit. */
const mostBytes = 64 * 1024 * 1024;

function boundedText(path: string): string {
  const file = openSync(path, 'r');
  const pieces: Buffer[] = [];
  try {
    for (let bytes = 0; ; ) {
      const piece = Buffer.alloc(1 << 16);
      const read = readSync(file, piece);
      if (read === 0) return Buffer.concat(pieces).toString('utf8');
      pieces.push(piece.subarray(0, read));
      bytes += read;
      if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
    }
  } finally {
    closeSync(file);
  }
}

const first =
  'amber azure bold brave brisk bright calm clear cold cool crisp deep dry eager early fair fast fine firm fresh frosty gentle ' +
  'glad golden green grey hardy high icy keen kind late light lively lone long lucid mellow mild misty neat noble pale patient ' +
  'plain polar proud quick quiet rapid rare round sharp shy silent silver sleek slow small snowy soft solid spare still stout ' +
  'sunny swift tall tame thin tidy true vast vivid warm wide wild windy wise young';
const second =
  'auk bay bear beluga berg bluff brook cape char cliff cloud coast cod cove creek crest crow current dale deer delta drift ' +
  'dune eider elk ermine falcon fell fern field finch fjord floe fox frost gale geyser glacier grouse gull hare harbour hawk heron ' +
  'hill ibex island jay lake lark ledge lemming lichen loon lynx marten marsh mink moose moss narwhal oak orca otter owl peak ' +
  'perch petrel pike pine plover pond ptarmigan puffin raven reef ridge river seal shore skua slope snow spruce stoat stone ' +
  'stream summit swan tarn tern thaw tide trout tundra valley vole walrus wave whale willow wind wolf wren';

class NameTaken extends IcecoreError {
  override readonly name = 'NameTaken';

  constructor(name: string, run: string) {
    super('conflict', `there is a run called ${name} already`, {
      facts: { name, run },
      remedy: `Give this one another name. To go on with that one: icecore resume ${shellWord(name)}`,
    });
  }
}

/** The names of all runs, with their identities. */
export async function namesTaken(ledger: Ledger): Promise<ReadonlyMap<string, string>> {
  const taken = new Map<string, string>();
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const { reading, envelope } of events) {
      if (reading.known && reading.type === 'RunStarted') taken.set(reading.data.name, envelope.run ?? '');
    }
  }
  return taken;
}

/** Throws NameTaken, and where the name could not be told from other words of the command line. */
export function checkedName(name: string, taken: ReadonlyMap<string, string>): string {
  const isClear = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(name) && nameSchema.safeParse(name).success;
  if (!isClear || name === 'latest') {
    throw new IcecoreError('usage', `--name: found "${name}", allowed: letters, digits, ".", "_" and "-", not latest`, {
      facts: { field: '--name', found: name },
    });
  }
  const run = taken.get(name);
  if (run !== undefined) throw new NameTaken(name, run);
  return name;
}

/** Two words that follow from the run's identity; with a number where others have them already. */
export function nameFor(run: string, taken: ReadonlyMap<string, string>): string {
  const random = new Random(run, 'name');
  const [firsts, seconds] = [first.split(' '), second.split(' ')];
  const name = `${firsts[random.below(firsts.length)]}-${seconds[random.below(seconds.length)]}`;
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}

export interface SettingsOptions {
  readonly file?: string;
  readonly stages?: number;
  readonly engineer?: string | string[];
  readonly context?: string;
  readonly environment?: string | string[];
  readonly config?: string;
  readonly seed?: RunSettings['seed'];
  readonly policy?: string;
  readonly trainer?: string | string[];
  readonly budget?: Budget;
  readonly suite?: readonly string[];
  readonly shards?: number;
  readonly onError?: NonNullable<RunSettings['onError']>;
  readonly record?: NonNullable<RunSettings['record']>;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly notes?: string;
}

/** A sensible experiment of a minute or two on two cores. */
const usual = {
  environment: 'lake',
  stages: 5,
  seed: 1,
  trainer: 'grpo',
  engineer: 'checkpoint',
  context: 'abstract',
  validation: 400,
  perCell: 2,
  samples: 2,
  trained: 200,
  shards: 1,
  record: 'all',
  exemplars: 8,
  contextTokens: 6000,
  onError: 'stop',
} as const;
const usualBudget = { ofLake: { 'agent-steps': 600_000 }, ofOthers: { 'agent-steps': 100_000 } } as const;
/** So many of the benchmarks that an environment lists first. */
const usualSuites = 3;

const settingNames = [
  ...([
    'file',
    'stages',
    'engineer',
    'context',
    'environment',
    'config',
    'seed',
    'policy',
    'trainer',
    'budget',
  ] as const),
  ...(['suite', 'shards', 'onError', 'record', 'name', 'tag', 'notes'] as const),
] satisfies readonly (keyof SettingsOptions)[];

/** Of the options of a command, those that set the run, and not how the command works. */
export function settingsIn(options: SettingsOptions): SettingsOptions {
  return Object.fromEntries(
    settingNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** What was asked for, before anything is looked at that depends on the environment. */
export function fileFrom(options: SettingsOptions, cwd: string): RunFile {
  const { file, config, budget, suite, tag, ...same } = options;
  const written = file === undefined ? {} : checkedFile(jsonIn(file, cwd, '--file'), file);
  if (budget !== undefined && !isOfProgram(options.trainer) && !isOfProgram(written.trainer)) requireAgentSteps(budget);
  return {
    ...written,
    ...same,
    ...(config === undefined ? {} : { configuration: jsonIn(config, cwd, '--config') as RunSettings['configuration'] }),
    ...(budget === undefined ? {} : { budget: { ...budget } }),
    ...(suite === undefined ? {} : { suites: [...new Set(suite)].filter((one) => one !== 'none') }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
  };
}

/** What decides which knobs there are. */
export function labIn({
  environment = usual.environment,
  trainer = usual.trainer,
}: RunFile): Pick<RunSettings, 'environment' | 'trainer'> {
  return { environment, trainer };
}

/** Everything that was left out filled in. */
export function settingsFrom(file: RunFile, { start, suites, descriptor }: Environment, name: string): RunSettings {
  const isLake = descriptor.environment === usual.environment;
  const trainer = resolvedTrainer(file.trainer ?? usual.trainer);
  const configuration = withStartingHyperparameters(file.configuration ?? start, trainerKnobsOf(trainer));
  return {
    ...usual,
    policy: isLake ? 'neural' : 'policy',
    budget: { ...(isLake ? usualBudget.ofLake : usualBudget.ofOthers) },
    suites: suites
      .map((suite) => suite.name)
      .filter((suite) => !ownPools.includes(suite))
      .slice(0, usualSuites),
    tags: [],
    ...file,
    configuration: { ...withEveryFamily(descriptor, configuration, start) },
    trainer,
    name,
  };
}

/** Named with one of its hyper-parameters, it has all of them: what is recorded depends on no later default. */
function resolvedTrainer(trainer: RunSettings['trainer']): RunSettings['trainer'] {
  if (typeof trainer === 'string' || !('name' in trainer) || trainer.name === external) return trainer;
  const { name, knobs, ...given } = trainer;
  const { saveEvery: _, ...hyperparameters } = settingsWith(given);
  return { ...hyperparameters, ...(knobs === undefined ? {} : { knobs }), name };
}

function isOfProgram(trainer: RunFile['trainer']): boolean {
  return commandIn(trainer) !== null || isExternal(trainer);
}

function checkedFile(value: unknown, path: string): RunFile {
  const issues = issuesIn(value);
  const [first] = issues;
  if (first === undefined) return value as RunFile;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const place = first.field === '' ? path : `${path}, ${first.field}`;
  throw new IcecoreError('bad-input', `${place}: found ${first.found}, allowed: ${first.allowed}${more}`, {
    facts: { path, issues },
    remedy: 'Its settings are called as the options of icecore run; docs/runs.md lists them all.',
  });
}

function issuesIn(value: unknown): readonly Issue[] {
  const findings = runFile.safeParse(value).error?.issues ?? [];
  return translate(findings, value, z.toJSONSchema(runFile) as JsonSchema);
}
