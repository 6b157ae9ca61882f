// What an ablation is: the histories it replays, the arms that decide again, and what each arm must do; the decisions of a run it
// replays; the environment as the run recorded it; and its identity, which follows from all of these, so that the same question is
// the same ablation.
import type { AblationOptions } from '../../../schemas/ablation-options.ts';
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
import { nameOf } from '../by-hand/asking.ts';
import type { Form } from '../contexts/forms.ts';
import type { RunHistory } from '../history/run-history.ts';
import type { Factor } from './cells.ts';

export type Started = EventData['AblationStarted'];
/** How far an ablation replays a decision: it only proposes, trains the stage, or runs on. */
export type Depth = Started['depth'];

/** A contrast that is declared before anything is decided. */
export interface Declared extends NonNullable<Started['primary']> {
  /** Of a main effect, whose sides are two engineers or two contexts of the matrix; null: of two arms. */
  readonly factor: Factor | null;
}

/** An engineer as somebody names it: an identity, a model of the project, or a program with its arguments. */
export type EngineerWord = RunSettings['engineer'];

/** A run whose decisions are taken again. */
export interface Replayed {
  readonly run: string;
  readonly name: string;
  readonly settings: RunSettings;
  /** As far as it is replayed. */
  readonly history: RunHistory;
  /** Complete stages, after each of which is decided again. */
  readonly stages: readonly number[];
}

/** A training seed of a history: what the statistics count. */
export interface Unit {
  readonly unit: string;
  /** Which of the histories. */
  readonly history: number;
  readonly seed: RunSettings['seed'];
  /** Which of the seeds of its history; models are asked for as many proposals. */
  readonly sample: number;
}

/** One way to decide. */
export interface Arm {
  readonly arm: string;
  /** Null: what was really decided. */
  readonly engineer: EngineerWord | null;
  readonly identity: Identity;
  /** Null: its engineer is shown nothing. */
  readonly form: Form | null;
  /** Modules and items that are left out on purpose: the form has the modules no more. */
  readonly without: readonly string[];
  readonly baseline: boolean;
  /** Modules of the form that its engineer cannot use. */
  readonly notApplicable: readonly string[];
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
  /** The confidence of intervals. */
  readonly level: number;
  /** Differences below it count as none; null: nobody said. */
  readonly margin: number | null;
  readonly preset: string | null;
  /** Of one training; null: what the history had. */
  readonly budget: Amounts | null;
  /** What was asked for, as it was resolved. */
  readonly options: AblationOptions;
  readonly tags: readonly string[];
  readonly says: string | null;
}

/** What is done once: an arm decides after a stage, in a unit, and is perhaps trained on what it decided. */
export interface Task {
  readonly arm: Arm;
  readonly unit: Unit;
  readonly stage: number;
}

/** The arm that does what was really done. */
export const recordedArm = 'actual';

export function replayedIn({ histories }: Pick<Design, 'histories'>, { history }: Pick<Unit, 'history'>): Replayed {
  const found = histories[history];
  if (found === undefined) throw new Error(`there is no history ${history}`);
  return found;
}

/**
 * Unit after unit, so that what is there when it is stopped is of whole units. An arm that goes on to the end does so
 * once, from the first of the stages.
 */
export function tasksOf(design: Pick<Design, 'depth' | 'histories' | 'units' | 'arms'>): readonly Task[] {
  return design.units.flatMap((unit) => {
    const { stages } = replayedIn(design, unit);
    const begun = design.depth === 'run' ? stages.slice(0, 1) : stages;
    return begun.flatMap((stage) => design.arms.map((arm) => ({ arm, unit, stage })));
  });
}

/** The settings of the history, as far as an arm of this unit is held to them. */
export function settingsIn(design: Design, unit: Unit): RunSettings {
  const { settings } = replayedIn(design, unit);
  const { budget } = design;
  return { ...settings, seed: unit.seed, ...(budget === null ? {} : { budget: { ...budget } }) };
}

/** `entries`: what the models that are named mean here. How much is done at a time, and what it may cost, change nothing. */
export function identityOf(design: Omit<Design, 'ablation'>, entries: ReadonlyMap<string, ModelEntry>): string {
  const { name, depth, histories, units, arms, declared, level, margin, preset, budget } = design;
  const asked = {
    ...{ name, depth, declared, level, margin, preset, budget },
    histories: histories.map((one) => ({
      ...{ run: one.run, stages: one.stages, ...vouchedFor(one, depth) },
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

/** The last event of the run's own stream that is replayed: it vouches for all before it. */
export function vouchedFor(
  { history, stages }: Replayed,
  depth: Design['depth'],
): { revision: number; digest: string } {
  const { started, initial, completed } = history;
  const shared = history.shares[0]?.stage ?? 0;
  const last = depth === 'run' ? Number.POSITIVE_INFINITY : Math.max(...stages);
  const own = history.stages.filter(({ stage }) => stage > shared && stage <= last);
  // What is decided after the last stage that a fork shares is its own.
  const after = history.stages.filter(({ stage }) => stage >= shared && stage <= last);
  const decided = [...own.map(({ completed: over }) => over), ...after.map(({ adopted }) => adopted)];
  const events = [started, ...(shared > 0 ? [] : [initial]), ...decided, depth === 'run' ? completed : null];
  const { revision, digest } = events.reduce(
    (one, other) => (other !== null && other.revision > one.revision ? other : one),
    { revision: -1, digest: '' },
  );
  return { revision, digest };
}

/** Null where the run does not say what its environment is. */
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
  throw new Error('a recorded environment makes no tasks and judges nothing');
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
          ? `Continue it first: icecore resume ${shellWord(name)}`
          : `icecore ablate ${shellWord(`${name}@next`)} asks the arms what they would decide next.`,
    });
  }
}
