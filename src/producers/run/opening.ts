// Opens the lab that a run needs. Whatever cannot be opened or combined is found here, before anything of the run is
// written: its budget, its suites, its engineer, and whether a context fits its token budget.

import { availableParallelism } from 'node:os';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { commandIn, isExternal, nameIn, type RunSettings } from '../../../schemas/run-file.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { keepingTasks } from '../../lab/environments/caching.ts';
import { openCommand } from '../../lab/environments/command/open.ts';
import { BadConfiguration, type Environment } from '../../lab/environments/environment.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import type { Registry } from '../../lab/registry.ts';
import { withTrainerKnobs } from '../../lab/trainers/knobs.ts';
import { BadBudget, type Trainer } from '../../lab/trainers/trainer.ts';
import { askedOnce } from '../answers/answers.ts';
import { buildContext, builderOf } from '../contexts/build.ts';
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
import { refuseMissing } from '../programs.ts';
import { openExternal, openTrainer, trainerKnobsOf } from '../trainers/trainers.ts';
import { type Learner, openLearner } from './learner.ts';
import type { Lab } from './session.ts';
import { adoptFirst, start } from './steps/bounds.ts';
import { probeHoldout, validation } from './steps/evaluate.ts';

const allowed = 'a whole number from 1';

/** `units` are those that its trainer supports, if it is restricted. Throws BadBudget. */
function requireBudget(budget: RunSettings['budget'], units: readonly string[] | undefined): void {
  const amounts = Object.entries(budget);
  if (amounts.length === 0) throw new BadBudget({ field: 'budget', found: '{}', allowed: 'at least one unit' });
  const other = units === undefined ? undefined : amounts.find(([unit]) => !units.includes(unit));
  if (other !== undefined) {
    const [unit, amount] = other;
    throw new BadBudget({ field: `budget.${unit}`, found: String(amount), allowed: `only ${units?.join(', ')}` });
  }
  for (const [unit, amount] of amounts) {
    if (!Number.isSafeInteger(amount) || amount < 1) {
      throw new BadBudget({ field: `budget.${unit}`, found: String(amount), allowed });
    }
  }
}

export interface Surroundings {
  /** The working folder of programs and base of relative paths. */
  readonly cwd: string;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly models: Models;
  readonly allow: AllowProgram;
  /** The registered environments, policies, trainers and engineers. */
  readonly registry: Registry;
  readonly threads?: number;
  /** Replaces the default way to open an environment. */
  readonly open?: typeof environmentOf;
}

/** What opening an environment requires. */
export type Opening = Pick<Surroundings, 'allow' | 'registry'>;

/** The environment of a run with its trainer's knobs. Throws BadTrainerKnobs. */
export async function environmentOf(
  { environment, trainer }: Pick<RunSettings, 'environment' | 'trainer'>,
  by: Opening,
  signal?: AbortSignal,
): Promise<Environment> {
  const opened = await openEnvironment(environment, by, signal);
  try {
    return withTrainerKnobs(opened, trainerKnobsOf(trainer, by.registry));
  } catch (fault) {
    await opened.close();
    throw fault;
  }
}

/** The environment without trainer knobs. */
export async function openEnvironment(
  environment: RunSettings['environment'],
  { allow, registry }: Opening,
  signal?: AbortSignal,
): Promise<Environment> {
  const command = commandIn(environment);
  if (command !== null) {
    const program = allow('environment', command);
    refuseMissing('environment', command, program.folder);
    return await openCommand({ program, ...(signal === undefined ? {} : { signal }) });
  }
  const name = nameIn(environment) ?? '';
  const entry = registry.environments.get(name);
  if (entry === undefined) throw new UnknownEnvironment(name, [...registry.environments.keys()]);
  const knobs = typeof environment === 'object' && 'knobs' in environment ? environment.knobs : [];
  return await entry.open({ knobs, ...(signal === undefined ? {} : { signal }) });
}

/** The environment is closed with the lab, even if opening the lab fails. */
export async function openLab(settings: RunSettings, opened: Environment, surroundings: Surroundings): Promise<Lab> {
  const environment = keepingTasks(opened);
  const closing: (() => Promise<void>)[] = [() => environment.close()];
  try {
    requireConfiguration(environment, settings);
    await requireSuites(environment, settings.suites);
    const learner = await learnerOf(settings, environment, surroundings);
    const trainer = await trainerOf(settings, environment, surroundings);
    closing.push(() => trainer.close());
    requireBudget(settings.budget, surroundings.registry.trainers.get(nameIn(settings.trainer) ?? '')?.units);
    const choice = chosenEngineer(settings.engineer, surroundings.entries, surroundings.registry);
    requireStageAsked(choice, settings);
    const decider = openDecider(choice, { environment, learner }, surroundings);
    const { engineer } = decider;
    closing.push(() => engineer.close());
    requireNarrator(settings, decider.narrator !== null);
    const lab = {
      environment,
      trainer,
      trainerKnobs: trainerKnobsOf(settings.trainer, surroundings.registry),
      learner,
      ...decider,
      contextModules: surroundings.registry.contextModules,
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

/** The engineer, and the model for self-summaries. Throws errors of opening a model or a program. */
export function openDecider(
  choice: EngineerChoice,
  { environment, learner }: Pick<Lab, 'environment' | 'learner'>,
  { cwd, entries, models, allow, registry }: Surroundings,
): Pick<Lab, 'engineer' | 'isByHand' | 'engineerAsks' | 'narrator'> {
  const modelOf = (name: string) => askedOnce(models.open(name));
  const workplace = {
    ...{ environment, policyOf: learner.policyOf, spoken: learner.model, modelOf, folder: cwd, allow },
    takenNames: engineerNames(entries.keys(), registry),
    ownModules: [...registry.contextModules.keys()],
  };
  return {
    engineer: openEngineer(choice, workplace),
    isByHand: choice.kind === 'human',
    engineerAsks: choice.kind === 'snapshot' ? choice.asks : null,
    narrator: choice.kind === 'model' ? modelOf(choice.entry.name) : learner.model,
  };
}

/** No decision follows the last stage. */
function requireStageAsked(choice: EngineerChoice, { stages }: RunSettings): void {
  if (choice.kind !== 'snapshot' || typeof choice.asks !== 'number' || choice.asks < stages) return;
  const facts = { field: 'engineer', found: choice.name, stages };
  throw new IcecoreError(
    'usage',
    `engineer: found ${choice.name}, and the last proposal comes after stage ${stages - 1}`,
    {
      facts,
      remedy: 'Name an earlier stage, or checkpoint for the latest checkpoint.',
    },
  );
}

export async function learnerOf(
  settings: RunSettings,
  environment: Environment,
  surroundings: Surroundings,
): Promise<Learner> {
  const { cwd, entries, models, registry, threads = availableParallelism() } = surroundings;
  return openLearner({
    word: settings.policy,
    environment,
    isProgram: commandIn(settings.environment) !== null,
    ...{ entries, models, registry, threads, cwd },
    seed: String(settings.seed),
  });
}

export async function trainerOf(
  { trainer, name }: RunSettings,
  { descriptor }: Environment,
  surroundings: Surroundings,
): Promise<Trainer> {
  if (isExternal(trainer)) return openExternal(name);
  const { cwd: folder, allow, registry, threads = availableParallelism() } = surroundings;
  return await openTrainer(trainer, { environment: descriptor.environment, folder, allow, registry, threads });
}

function requireConfiguration(environment: Environment, { configuration }: RunSettings): void {
  const issues = environment.check(configuration);
  const { descriptor, start } = environment;
  if (issues.length > 0) throw new BadConfiguration(descriptor.environment, issues, start, descriptor.knobs);
}

/** The names of pools that a run always evaluates. */
export const ownPools: readonly string[] = [validation, probeHoldout];

/** An environment may support more suites than it lists. Throws UnknownSuite. */
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
    { facts: { field: 'context', found: context }, remedy: 'Use another form, or a model as policy or engineer.' },
  );
}

class UnknownEnvironment extends UnknownName {
  override readonly name = 'UnknownEnvironment';

  constructor(environment: string, known: readonly string[]) {
    const near = nearestNames(environment, known);
    const there =
      known.length === 0
        ? 'No plugin provides one'
        : `There ${known.length === 1 ? 'is' : 'are'} ${joinWithAnd(known)}`;
    super(environment, `there is no environment "${environment}"`, {
      facts: { environment, known, nearest: near },
      remedy: didYouMean(near, `${there}; name a program with its arguments: "python3 environment.py".`),
    });
  }
}

class SuiteOfOwnName extends IcecoreError {
  override readonly name = 'SuiteOfOwnName';

  constructor(suite: string) {
    super('usage', `suites: found "${suite}", a name that icecore reserves`, {
      facts: { field: 'suites', found: suite },
      remedy: 'Remove it, or rename the suite of the environment.',
    });
  }
}

/** Throws ContextTooSmall and ContextModuleMissing. */
async function requireRoom(settings: RunSettings, lab: Lab): Promise<void> {
  const { contextTokens: budget, context } = settings;
  const form = formNamed(context);
  builderOf(form, lab.contextModules);
  if (budget === 0) return;
  const { descriptor } = lab.environment;
  const history = briefest(settings, lab, form.modules);
  const own = lab.contextModules ?? new Map();
  await buildContext({ descriptor, history, stage: 1, form, budget, own, textOf: async () => null });
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
