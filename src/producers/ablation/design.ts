// The design of an ablation: the histories it replays, its arms and their tasks, the recorded environment, and its
// identity, which follows from all of these, so that the same question is the same ablation.
import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import { canUseNothing } from '../../../schemas/arm-names.ts';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { Amounts } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Identity } from '../../lab/engineers/engineer.ts';
import { checkConfiguration } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { runIdFrom } from '../../ledger/identity/ids.ts';
import type { Form } from '../contexts/forms.ts';
import { commandToComplete, nameOf } from '../history/name.ts';
import type { RunHistory } from '../history/run-history.ts';
import type { Factor } from './cells.ts';

export type Started = EventData['AblationStarted'];
/** How far an ablation replays a decision: it only proposes, trains the stage, or runs on. */
export type Depth = Started['depth'];

/** A contrast declared before any arm decides. */
export interface Declared extends NonNullable<Started['primary']> {
  /** For a main effect, whose sides are two engineers or two contexts of the matrix; null for two arms. */
  readonly factor: Factor | null;
}

/** An engineer as the user names it: an identity, a model of the project, or a program with its arguments. */
export type EngineerWord = RunSettings['engineer'];

/** A run whose decisions are replayed. */
export interface Replayed {
  readonly run: string;
  readonly name: string;
  readonly settings: RunSettings;
  /** Up to the last replayed decision. */
  readonly history: RunHistory;
  /** Complete stages, after each of which is decided again. */
  readonly stages: readonly number[];
}

/** A training seed of a history: the unit of the statistics. */
export interface Unit {
  readonly unit: string;
  /** The index of its history. */
  readonly history: number;
  readonly seed: RunSettings['seed'];
  /** The index among the seeds of its history; models are asked for one proposal each. */
  readonly sample: number;
}

/** One way to decide. */
export interface Arm {
  readonly arm: string;
  /** Null: the actual decisions. */
  readonly engineer: EngineerWord | null;
  readonly identity: Identity;
  /** Null: its engineer sees no context. */
  readonly form: Form | null;
  /** Modules and items that are left out on purpose; the form no longer contains these modules. */
  readonly without: readonly string[];
  readonly baseline: boolean;
  /** Modules of the form that its engineer cannot use. */
  readonly notApplicable: readonly string[];
}

/** Whether its engineer can use something of its context, or needs none. */
export function isApplicable({ form, notApplicable }: Pick<Arm, 'form' | 'notApplicable'>): boolean {
  return !canUseNothing({ modules: form?.modules ?? null, notApplicable });
}

export interface Design {
  /** Its identity. */
  readonly ablation: string;
  readonly name: string | null;
  readonly depth: Depth;
  readonly histories: readonly Replayed[];
  readonly units: readonly Unit[];
  readonly arms: readonly Arm[];
  readonly declared: readonly Declared[];
  /** The confidence level of intervals. */
  readonly level: number;
  /** Smaller differences count as none; null if not set. */
  readonly margin: number | null;
  readonly preset: string | null;
  /** Per training; null for that of the history. */
  readonly budget: Amounts | null;
  /** The resolved options. */
  readonly options: AblationOptions;
  readonly tags: readonly string[];
  readonly says: string | null;
}

/** A unit of work: an arm decides after a stage in a unit, and possibly trains. */
export interface Task {
  readonly arm: Arm;
  readonly unit: Unit;
  readonly stage: number;
}

/** The arm with the actual decisions. */
export const recordedArm = 'actual';

export function replayedIn({ histories }: Pick<Design, 'histories'>, { history }: Pick<Unit, 'history'>): Replayed {
  const found = histories[history];
  if (found === undefined) throw new Error(`there is no history ${history}`);
  return found;
}

/**
 * Unit by unit, so that an interrupted ablation has complete units. An arm that runs on to the end has one task, at the
 * first of the stages.
 */
export function tasksOf(design: Pick<Design, 'depth' | 'histories' | 'units' | 'arms'>): readonly Task[] {
  return design.units.flatMap((unit) => {
    const { stages } = replayedIn(design, unit);
    const begun = design.depth === 'run' ? stages.slice(0, 1) : stages;
    return begun.flatMap((stage) => design.arms.map((arm) => ({ arm, unit, stage })));
  });
}

/** The settings of the history that apply to an arm in this unit. */
export function settingsIn(design: Design, unit: Unit): RunSettings {
  const { settings } = replayedIn(design, unit);
  const { budget } = design;
  return { ...settings, seed: unit.seed, ...(budget === null ? {} : { budget: { ...budget } }) };
}

/** `entries` says what the named models mean here. Concurrency and spending limits are not part of the identity. */
export function identityOf(design: Omit<Design, 'ablation'>, entries: ReadonlyMap<string, ModelEntry>): string {
  const { name, depth, histories, units, arms, declared, level, margin, preset, budget } = design;
  const asked = {
    ...{ name, depth, declared, level, margin, preset, budget },
    histories: histories.map((one) => ({
      ...{ run: one.run, stages: one.stages, ...replayedRevision(one, depth) },
      policy: modelOf(entries.get(one.settings.policy)),
    })),
    units: units.map(({ history, seed }) => ({ history, seed })),
    arms: arms.map(({ arm, engineer, form, without }) => ({
      ...{ arm, engineer, form, without },
      model: typeof engineer === 'string' ? modelOf(entries.get(engineer)) : null,
    })),
  };
  return runIdFrom([canonicalJson(asked)]);
}

function modelOf(entry: ModelEntry | undefined): object | null {
  if (entry === undefined) return null;
  const { url, model, parameters } = entry;
  return { url, model, parameters: { ...parameters } };
}

/** The last replayed event of the run's own stream, which identifies everything before it. */
export function replayedRevision(
  { history, stages }: Replayed,
  depth: Design['depth'],
): { revision: number; digest: string } {
  const { started, initial, completed } = history;
  const shared = history.shares[0]?.stage ?? 0;
  const last = depth === 'run' ? Number.POSITIVE_INFINITY : Math.max(...stages);
  const own = history.stages.filter(({ stage }) => stage > shared && stage <= last);
  // Decisions after the last shared stage belong to the fork itself.
  const after = history.stages.filter(({ stage }) => stage >= shared && stage <= last);
  const decided = [...own.map(({ completed: over }) => over), ...after.map(({ adopted }) => adopted)];
  const events = [started, ...(shared > 0 ? [] : [initial]), ...decided, depth === 'run' ? completed : null];
  const { revision, digest } = events.reduce(
    (one, other) => (other !== null && other.revision > one.revision ? other : one),
    { revision: -1, digest: '' },
  );
  return { revision, digest };
}

/** Null if the run did not record its environment. */
export function recordedEnvironment({ settings, history }: Pick<Replayed, 'settings' | 'history'>): Environment | null {
  const descriptor = history.started?.data.descriptor;
  if (descriptor === undefined) return null;
  const start = settings.configuration;
  return {
    descriptor,
    start,
    suites: [],
    check: (configuration) => checkConfiguration(descriptor, configuration, start),
    generate: notHere,
    probe: notHere,
    suite: notHere,
    judge: notHere,
    rollout: notHere,
    close: async () => {},
  };
}

function notHere(): never {
  throw new Error('a recorded environment cannot generate or judge');
}

/** `named`: complete stages, after which is decided again; null for all that were decided after. Throws NothingToDecide. */
export function replayedOf(history: RunHistory, settings: RunSettings, named: readonly number[] | null): Replayed {
  const complete = history.stages.filter(({ completed }) => completed !== null);
  const stages = named ?? complete.filter(({ adopted }) => adopted !== null).map(({ stage }) => stage);
  if (stages.length === 0) throw new NothingToDecide(history, complete.length);
  return { run: history.run, name: nameOf(history), settings, history, stages: [...stages].sort((a, b) => a - b) };
}

/** The run has no recorded decision. */
class NothingToDecide extends IcecoreError {
  override readonly name = 'NothingToDecide';

  constructor(history: RunHistory, complete: number) {
    const name = nameOf(history);
    super('not-found', `${name} has no decision yet, so there is none to replay`, {
      facts: { run: history.run, complete },
      remedy:
        complete === 0
          ? `Name another run. If no process works on this one, continue it: ${commandToComplete(history)}`
          : `icecore ablate ${shellWord(`${name}@next`)} asks the arms what they would decide next.`,
    });
  }
}
