// The port of a trainer that a plugin defined. A checkpoint is a JSON file with the state and everything needed to resume.
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import { found } from '../../../schemas/errors.ts';
import { trainingRollout } from '../../../schemas/evidence.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { writeWhole } from '../../base/write-whole.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { Random } from '../../lab/random.ts';
import type { TrainerOptions } from '../../lab/registry.ts';
import {
  BadBudget,
  type Point,
  type Progress,
  type RolloutsInCommon,
  rolloutBatch,
  type Sampled,
  type Signal,
  type Trained,
  type Trainer,
  TrainerClosed,
  type TrainingRollout,
  type TrainRequest,
} from '../../lab/trainers/trainer.ts';
import { callWithLimits, deepFreeze, issuesOf, partName } from './faults.ts';
import type { AnyTrainerDefinition, SampleGroup, Updated } from './trainer.ts';
import { updateIssues } from './update-issues.ts';

/** The approximate number of points of a curve, and of saved states. */
const points = 100;
const saves = 10;
const defaultSeconds = 600;
/** The most updates in a row without an agent step, where nothing else uses up the budget. */
const mostIdle = 100;
const units = ['agent-steps', 'updates'] as const;

type Spent = Readonly<Record<(typeof units)[number], number>>;

interface Sums {
  groups: number;
  tries: number;
  valid: number;
  reward: number;
  withVariance: number;
}

type Tally = Record<string, Sums>;

/** Everything needed to resume. */
interface TrainingState {
  readonly state: unknown;
  /** Identifies this training. */
  readonly training: string;
  readonly spent: Spent;
  /** The number of rollouts to record; absent in states of earlier versions, which recorded none. */
  readonly rollouts?: number;
  readonly curve: readonly Point[];
  readonly whole: Tally;
  /** Since the last point. */
  readonly lately: Tally;
}

export function openDefinedTrainer(definition: AnyTrainerDefinition, options: TrainerOptions): Trainer {
  const { name, version = '1', hyperparameters = {} } = definition;
  const usual = Object.entries(hyperparameters).map(([one, { start }]) => [one, options.hyperparameters[one] ?? start]);
  const parameters: Readonly<Record<string, number>> = Object.fromEntries(usual);
  const closing = new AbortController();
  const who = partName('trainer', name, options.plugin);
  return {
    component: { name, version, ...(usual.length === 0 ? {} : { parameters }) },
    isReproducible: true,
    train: (request) => new Training(definition, who, parameters, request, closing.signal).progress(),
    close: async () => closing.abort(new TrainerClosed(name)),
  };
}

class Training {
  readonly #of: AnyTrainerDefinition;
  readonly #who: string;
  readonly #hyperparameters: Readonly<Record<string, number>>;
  readonly #request: TrainRequest;
  readonly #stop: AbortSignal;

  constructor(
    of: AnyTrainerDefinition,
    who: string,
    parameters: Readonly<Record<string, number>>,
    request: TrainRequest,
    closing: AbortSignal,
  ) {
    this.#of = of;
    this.#who = who;
    this.#hyperparameters = deepFreeze({ ...parameters, ...request.hyperparameters });
    this.#request = request;
    this.#stop = AbortSignal.any([closing, ...(request.signal === undefined ? [] : [request.signal])]);
  }

  async *progress(): AsyncGenerator<Progress, Trained, undefined> {
    const { budget, seed } = this.#request;
    this.#stop.throwIfAborted();
    for (const [unit, amount] of Object.entries(budget)) {
      if (!units.some((one) => one === unit))
        throw new BadBudget({ field: unit, found: String(amount), allowed: `only ${units.join(', ')}` });
    }
    const configuration = deepFreeze(structuredClone(this.#request.configuration));
    const partOf = (spent: Spent): number =>
      Math.max(
        ...Object.entries(budget).map(([unit, limit]) => (limit > 0 ? (spent[unit as keyof Spent] ?? 0) / limit : 1)),
      );
    let [current, checkpoint] = (await this.#latest()) ?? [await this.#begun(), null];
    const { rollouts: common } = this.#request;
    let unyielded: TrainingRollout[] = [];
    let paused = performance.now();
    let idle = 0;
    while (partOf(current.spent) < 1) {
      const { spent: before, curve } = current;
      const update = before.updates + 1;
      const request = {
        ...{ configuration, hyperparameters: this.#hyperparameters, update, isRecorded: common !== undefined },
        state: structuredClone(current.state),
        random: new Random(seed, 'update', update),
      };
      const call = callOf(update);
      const { state, agentSteps, groups } = this.#checked(
        await callWithLimits(this.#who, call, () => this.#of.update(request), {
          signal: this.#stop,
          seconds: this.#of.seconds ?? defaultSeconds,
        }),
        call,
      );
      idle = this.#idle(idle, agentSteps, call);
      for (const group of groups) for (const tally of [current.whole, current.lately]) add(tally, group);
      if (common !== undefined) unyielded.push(...this.#rolloutsIn(groups, update, common));
      const spent = { 'agent-steps': before['agent-steps'] + agentSteps, updates: update };
      current = { ...current, state, spent };
      const [was, is] = [partOf(before), partOf(spent)];
      const isSaved = is >= 1 || Math.floor(is * saves) > Math.floor(was * saves);
      if (unyielded.length >= rolloutBatch.rollouts || (isSaved && unyielded.length > 0)) {
        const { rollouts: from = 0 } = current;
        yield { kind: 'rollouts', from, rollouts: unyielded, isBeforeSave: isSaved };
        current = { ...current, rollouts: from + unyielded.length };
        unyielded = [];
      }
      if (Math.floor(is * points) > Math.floor(was * points) || is >= 1) {
        const point: Point = { step: update, spent, values: valuesOf(current.lately) };
        current = { ...current, curve: [...curve, point], lately: {} };
        yield { kind: 'point', point };
      }
      if (isSaved) {
        checkpoint = await this.#save(current);
        yield { kind: 'saved', checkpoint };
      }
      // Signals are delivered only when the event loop runs.
      if (performance.now() - paused > 20) {
        await setImmediate();
        paused = performance.now();
      }
      this.#stop.throwIfAborted();
    }
    const { spent, curve, whole, rollouts } = current;
    const recorded = common === undefined || rollouts === undefined ? {} : { rollouts };
    return { checkpoint, spent, curve, signal: signalOf(whole), sampled: sampledOf(whole), ...recorded };
  }

  #rolloutsIn(groups: readonly SampleGroup[], update: number, common: RolloutsInCommon): TrainingRollout[] {
    return groups.flatMap(({ family, rewards, rollouts = [] }, group) => {
      if (rollouts.length > 0 && rollouts.length !== rewards.length) {
        const field = `groups[${group}].rollouts`;
        const issue = { field, found: found(rollouts), allowed: `one for each of ${rewards.length} rewards` };
        throw PluginFault.invalid(this.#who, callOf(update), [issue]);
      }
      return rollouts.map((one, sample) => {
        const rollout = { ...one, family, sample, trainingStep: update, reward: rewards[sample] };
        const parsed = trainingRollout.safeParse(rollout);
        if (parsed.success) return { ...common, ...parsed.data };
        const issues = issuesOf(parsed.error, rollout, `groups[${group}].rollouts[${sample}]`);
        throw PluginFault.invalid(this.#who, callOf(update), issues);
      });
    });
  }

  async #begun(): Promise<TrainingState> {
    const { from, seed } = this.#request;
    const state =
      from === null ? this.#new(seed) : this.#state((await this.#read(from.reference)).state, 'its checkpoint');
    return { state, training: this.#name(), spent: { 'agent-steps': 0, updates: 0 }, curve: [], whole: {}, lately: {} };
  }

  #new(seed: string): unknown {
    try {
      return this.#state(this.#of.begin(new Random(seed, 'begin')), 'begin');
    } catch (fault) {
      throw fault instanceof PluginFault ? fault : PluginFault.threw(this.#who, 'begin', fault);
    }
  }

  #state(given: unknown, call: string): unknown {
    const parsed = this.#of.state.safeParse(given);
    if (parsed.success) return parsed.data;
    throw PluginFault.invalid(this.#who, call, issuesOf(parsed.error, given, 'state'));
  }

  #checked(updated: Updated<unknown>, call: string): Updated<unknown> {
    const { state, agentSteps, groups } = updated ?? {};
    const issues = updateIssues(agentSteps, groups, this.#request.families);
    if (issues.length > 0) throw PluginFault.invalid(this.#who, call, issues);
    return { state: this.#state(state, call), agentSteps, groups };
  }

  /** The number of updates in a row without an agent step. Throws if a budget in agent steps alone would never be used up. */
  #idle(before: number, agentSteps: number, call: string): number {
    if (agentSteps > 0) return 0;
    const idle = before + 1;
    const isInStepsAlone = Object.keys(this.#request.budget).every((unit) => unit === 'agent-steps');
    if (!isInStepsAlone || idle < mostIdle) return idle;
    const issue = {
      field: 'agentSteps',
      found: `0 in each of the last ${idle} updates`,
      allowed: 'more than 0, because the budget of the training is in agent-steps alone',
    };
    throw PluginFault.invalid(this.#who, call, [issue]);
  }

  #name(): string {
    const { configuration, from, budget, seed } = this.#request;
    const start = from === null ? null : (from.digest ?? from.reference);
    const { name, version = '1' } = this.#of;
    return hash(
      'sha256',
      canonicalJson({
        name,
        version,
        configuration,
        from: start,
        budget,
        seed,
        hyperparameters: this.#hyperparameters,
      }),
    );
  }

  async #save(saved: TrainingState): Promise<Checkpoint> {
    const text = this.#text(saved);
    const step = saved.spent.updates;
    const reference = join(this.#request.folder, `update-${step}.json`);
    await writeWhole(reference, Buffer.from(text));
    return { reference, digest: hash('sha256', text), bytes: Buffer.byteLength(text), step };
  }

  #text(saved: TrainingState): string {
    try {
      return canonicalJson(saved);
    } catch (fault) {
      if (!(fault instanceof NotCanonical)) throw fault;
      throw PluginFault.invalid(this.#who, callOf(saved.spent.updates), [
        { field: fault.field, found: fault.found, allowed: 'a JSON value' },
      ]);
    }
  }

  /** The last state saved by this same training. */
  async #latest(): Promise<[TrainingState, Checkpoint] | null> {
    const { folder } = this.#request;
    const steps = (await readdir(folder)).flatMap((name) => /^update-(\d+)\.json$/.exec(name)?.[1] ?? []).map(Number);
    for (const step of steps.sort((one, other) => other - one)) {
      const reference = join(folder, `update-${step}.json`);
      const text = await readFile(reference, 'utf8');
      const saved = parseJson(text) as TrainingState;
      if (saved?.training !== this.#name()) continue;
      const checkpoint = { reference, digest: hash('sha256', text), bytes: Buffer.byteLength(text), step };
      return [{ ...saved, state: this.#state(saved.state, reference) }, checkpoint];
    }
    return null;
  }

  async #read(path: string): Promise<{ readonly state?: unknown }> {
    try {
      return parseJson(await readFile(path, 'utf8')) as { readonly state?: unknown };
    } catch (fault) {
      throw PluginFault.threw(this.#who, path, fault);
    }
  }
}

/** As errors name it. */
function callOf(update: number): string {
  return `update ${update}`;
}

const everything = '';

function add(tally: Tally, { family, rewards, valid }: SampleGroup): void {
  for (const name of [everything, family]) {
    tally[name] ??= { groups: 0, tries: 0, valid: 0, reward: 0, withVariance: 0 };
    const sums = tally[name];
    sums.groups += 1;
    sums.tries += rewards.length;
    sums.valid += valid;
    sums.reward += rewards.reduce((sum, reward) => sum + reward, 0);
    if (rewards.some((reward) => reward !== rewards[0])) sums.withVariance += 1;
  }
}

function familiesIn(tally: Tally): readonly (readonly [string, Sums])[] {
  return Object.entries(tally)
    .filter(([family]) => family !== everything)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function valuesOf(tally: Tally): Point['values'] {
  const { tries = 0, valid = 0, reward = 0, withVariance = 0, groups = 0 } = tally[everything] ?? {};
  return {
    reward: share(reward, tries),
    valid: share(valid, tries),
    signal: share(withVariance, groups),
    ...Object.fromEntries(
      familiesIn(tally).flatMap(([family, sums]) => [
        [`valid/${family}`, share(sums.valid, sums.tries)],
        [`signal/${family}`, share(sums.withVariance, sums.groups)],
      ]),
    ),
  };
}

function signalOf(tally: Tally): readonly Signal[] {
  const whole = tally[everything];
  const all = [...(whole === undefined ? [] : [[null, whole] as const]), ...familiesIn(tally)];
  return all.map(([family, { groups, withVariance }]) => ({
    ...{ family, sampleGroups: groups, withVariance },
    share: share(withVariance, groups),
  }));
}

function sampledOf(tally: Tally): readonly Sampled[] {
  const groups = tally[everything]?.groups ?? 0;
  return familiesIn(tally).map(([family, sums]) => ({ family, tasks: sums.groups, share: share(sums.groups, groups) }));
}
