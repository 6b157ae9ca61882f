// Opens the lab that a run needs. Whatever cannot be opened or combined is found here, before anything of the run is written: its
// budget, its suites, its engineer, and whether a context fits its token budget.

import { availableParallelism } from 'node:os';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { keepingTasks } from '../../lab/environments/caching.ts';
import { openCommand } from '../../lab/environments/command/open.ts';
import { BadConfiguration, type Environment } from '../../lab/environments/environment.ts';
import { openLake } from '../../lab/lake/environment.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import { BadBudget, type GivenSettings } from '../../lab/trainers/grpo/settings.ts';
import { withTrainerKnobs } from '../../lab/trainers/knobs.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import { askedOnce } from '../answers/answers.ts';
import { buildContext } from '../contexts/build.ts';
import { formNamed } from '../contexts/forms.ts';
import { chosenEngineer, type EngineerChoice, engineerNames, openEngineer } from '../engineers/engineers.ts';
import {
  emptyHistory,
  newStage,
  nowhere,
  type Recorded,
  type RunHistory,
  type StageHistory,
} from '../history/run-history.ts';
import type { Models } from '../models/models.ts';
import { commandIn, nameIn } from '../programs.ts';
import { external, isExternal, openExternal, openTrainer, trainerKnobsOf } from '../trainers/trainers.ts';
import { type Learner, openLearner } from './learner.ts';
import type { Lab } from './session.ts';
import { adoptFirst, start } from './steps/bounds.ts';
import { probeHoldout, validation } from './steps/evaluate.ts';

const unitOfOwn = 'agent-steps';
const allowed = 'a whole number from 1';

/** The trainer that is built in counts agent steps and nothing else. Throws BadBudget. */
function requireBudget(budget: RunSettings['budget'], isForOwn: boolean): void {
  const amounts = Object.entries(budget);
  if (amounts.length === 0) throw new BadBudget({ field: 'budget', found: '{}', allowed: 'at least one unit' });
  const other = isForOwn ? amounts.find(([unit]) => unit !== unitOfOwn) : undefined;
  if (other !== undefined) {
    const [unit, amount] = other;
    throw new BadBudget({ field: `budget.${unit}`, found: String(amount), allowed: `only ${unitOfOwn}` });
  }
  for (const [unit, amount] of amounts) {
    if (!Number.isSafeInteger(amount) || amount < 1) {
      throw new BadBudget({ field: `budget.${unit}`, found: String(amount), allowed });
    }
  }
}

export interface Surroundings {
  /** Where programs run and relative paths begin. */
  readonly cwd: string;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly models: Models;
  readonly allow: AllowProgram;
  readonly threads?: number;
  /** Opens an environment, where that is not as usual. */
  readonly open?: typeof environmentOf;
}

/** The environment of a run, with the knobs that its trainer offers. Throws BadTrainerKnobs. */
export async function environmentOf(
  { environment, trainer }: Pick<RunSettings, 'environment' | 'trainer'>,
  allow: AllowProgram,
  signal?: AbortSignal,
): Promise<Environment> {
  const opened = await openEnvironment(environment, allow, signal);
  try {
    return withTrainerKnobs(opened, trainerKnobsOf(trainer));
  } catch (fault) {
    await opened.close();
    throw fault;
  }
}

/** The environment by itself, as its tasks and verdicts need it. */

export async function openEnvironment(
  environment: RunSettings['environment'],
  allow: AllowProgram,
  signal?: AbortSignal,
): Promise<Environment> {
  const command = commandIn(environment);
  if (command !== null) {
    const program = allow('environment', command);
    return await openCommand({ program, ...(signal === undefined ? {} : { signal }) });
  }
  const name = nameIn(environment) ?? '';
  if (name !== 'lake') throw new UnknownEnvironment(name);
  const knobs = typeof environment === 'object' && 'knobs' in environment ? environment.knobs : [];
  return openLake({ knobs });
}

/** The environment is closed with the lab, also where the lab cannot be opened. */
export async function openLab(settings: RunSettings, opened: Environment, surroundings: Surroundings): Promise<Lab> {
  const environment = keepingTasks(opened);
  const closing: (() => Promise<void>)[] = [() => environment.close()];
  try {
    requireConfiguration(environment, settings);
    requireBudget(settings.budget, isBuiltIn(settings.trainer));
    await requireSuites(environment, settings.suites);
    const learner = await learnerOf(settings, environment, surroundings);
    const trainer = trainerOf(settings, environment, surroundings);
    closing.push(() => trainer.close());
    const choice = chosenEngineer(settings.engineer, surroundings.entries);
    requireStageAsked(choice, settings);
    const decider = openDecider(choice, { environment, learner }, surroundings);
    const { engineer } = decider;
    closing.push(() => engineer.close());
    requireNarrator(settings, decider.narrator !== null);
    const lab = {
      environment,
      trainer,
      learner,
      ...decider,
      close: async () => {
        await Promise.all(closing.map((close) => close()));
      },
    };
    if (settings.stages > 1 && engineer.reads.length > 0) await requireRoom(settings, lab);
    return lab;
  } catch (fault) {
    await Promise.allSettled(closing.map((close) => close()));
    throw fault;
  }
}

/** Who decides, with whom a self-summary is asked of. Throws what opening a model or a program does. */
export function openDecider(
  choice: EngineerChoice,
  { environment, learner }: Pick<Lab, 'environment' | 'learner'>,
  { cwd, entries, models, allow }: Surroundings,
): Pick<Lab, 'engineer' | 'isByHand' | 'engineerAsks' | 'narrator'> {
  const modelOf = (name: string) => askedOnce(models.open(name));
  const workplace = {
    ...{ environment, policyOf: learner.policyOf, spoken: learner.model, modelOf, folder: cwd, allow },
    takenNames: engineerNames(entries.keys()),
  };
  return {
    engineer: openEngineer(choice, workplace),
    isByHand: choice.kind === 'human',
    engineerAsks: choice.kind === 'snapshot' ? choice.asks : null,
    narrator: choice.kind === 'model' ? modelOf(choice.entry.name) : learner.model,
  };
}

/** After the last stage nobody is asked. */
function requireStageAsked(choice: EngineerChoice, { stages }: RunSettings): void {
  if (choice.kind !== 'snapshot' || typeof choice.asks !== 'number' || choice.asks < stages) return;
  const facts = { field: 'engineer', found: choice.name, stages };
  throw new IcecoreError(
    'usage',
    `engineer: found ${choice.name}, and the last proposal comes after stage ${stages - 1}`,
    {
      facts,
      remedy: 'Name an earlier stage, or checkpoint for the snapshot of the stage that is over.',
    },
  );
}

export async function learnerOf(
  settings: RunSettings,
  environment: Environment,
  surroundings: Surroundings,
): Promise<Learner> {
  const { cwd, entries, models, threads = availableParallelism() } = surroundings;
  return openLearner({
    word: settings.policy,
    environment,
    isProgram: commandIn(settings.environment) !== null,
    entries,
    models,
    threads,
    cwd,
    seed: String(settings.seed),
  });
}

const builtInTrainer = 'grpo';

/** By its name, or with its hyper-parameters. */
export function isBuiltIn(trainer: RunSettings['trainer']): boolean {
  return nameIn(trainer) === builtInTrainer;
}

export function trainerOf(
  { trainer, name }: RunSettings,
  { descriptor }: Environment,
  surroundings: Surroundings,
): Trainer {
  const { cwd, allow, threads = availableParallelism() } = surroundings;
  if (isExternal(trainer)) return openExternal(name);
  const place = { environment: descriptor.environment, folder: cwd, allow, threads };
  const command = commandIn(trainer);
  if (command !== null) return openTrainer({ command, ...place });
  if (!isBuiltIn(trainer)) throw new UnknownTrainer(nameIn(trainer) ?? '');
  return openTrainer({ command: [], ...place, settings: hyperparametersOf(trainer) });
}

/** Of the built-in trainer, as far as the settings give them. */
function hyperparametersOf(trainer: RunSettings['trainer']): GivenSettings {
  if (typeof trainer === 'string' || !('name' in trainer) || trainer.name === external) return {};
  const { name: _, knobs: __, ...hyperparameters } = trainer;
  return hyperparameters;
}

function requireConfiguration(environment: Environment, { configuration }: RunSettings): void {
  const issues = environment.check(configuration);
  if (issues.length > 0) throw new BadConfiguration(environment.descriptor.environment, issues);
}

/** What a run measures in every stage under these names. */
export const ownPools: readonly string[] = [validation, probeHoldout];

/** An environment may know more suites than it lists. Throws UnknownSuite. */
async function requireSuites(environment: Environment, suites: readonly string[]): Promise<void> {
  for (const name of suites) {
    if (ownPools.includes(name)) throw new SuiteOfOwnName(name);
    if (environment.suites.some((suite) => suite.name === name)) continue;
    const tasks = environment.suite(name);
    await tasks.next();
    await tasks.return([]);
  }
}

function requireNarrator({ context }: RunSettings, hasNarrator: boolean): void {
  if (hasNarrator || !formNamed(context).modules.includes('self-summary')) return;
  throw new IcecoreError(
    'usage',
    `the form ${context} has a self-summary, and neither the policy nor the engineer is a model that could write one`,
    { facts: { field: 'context', found: context }, remedy: 'Take another form, or a model as policy or engineer.' },
  );
}

class UnknownEnvironment extends IcecoreError {
  override readonly name = 'UnknownEnvironment';

  constructor(environment: string) {
    super('not-found', `there is no environment "${environment}"`, {
      facts: { environment, known: ['lake'] },
      remedy: 'There is lake; any other is a program, written with its arguments: "python3 environment.py".',
    });
  }
}

class UnknownTrainer extends IcecoreError {
  override readonly name = 'UnknownTrainer';

  constructor(trainer: string) {
    super('not-found', `there is no trainer "${trainer}"`, {
      facts: { trainer, known: [builtInTrainer, external] },
      remedy: `There are ${builtInTrainer} and ${external}; any other is a program, written with its arguments: "python3 train.py".`,
    });
  }
}

class SuiteOfOwnName extends IcecoreError {
  override readonly name = 'SuiteOfOwnName';

  constructor(suite: string) {
    super('usage', `suites: found "${suite}", which is what every run measures under that name`, {
      facts: { field: 'suites', found: suite },
      remedy: 'Leave it out, or give the suite of the environment another name.',
    });
  }
}

/** Throws ContextTooSmall. */
async function requireRoom(settings: RunSettings, lab: Lab): Promise<void> {
  const { contextTokens: budget, context } = settings;
  if (budget === 0) return;
  const form = formNamed(context);
  const { descriptor } = lab.environment;
  const history = briefest(settings, lab, form.modules);
  await buildContext({ descriptor, history, stage: 1, form, budget, textOf: async () => null });
}

function briefest(settings: RunSettings, lab: Lab, modules: readonly string[]): RunHistory {
  const empty = emptyHistory('');
  const begun = start({ settings, lab }, {});
  const first = adoptFirst({ settings, lab });
  const summaries = modules.map((module) => ({
    ...nowhere,
    data: { module, facts: [], exemplars: [], text: null },
  }));
  const stage: StageHistory = { ...newStage(1, { ...nowhere, data: {} }), summaries };
  return {
    ...empty,
    started: { ...nowhere, data: begun.data } as Recorded<'RunStarted'>,
    initial: { ...nowhere, data: first.data } as Recorded<'ConfigAdopted'>,
    stages: [stage],
  };
}
