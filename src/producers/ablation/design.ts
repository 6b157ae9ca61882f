// What an ablation is: histories that are replayed, arms that decide anew, and what is asked of each of them.
import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { Identity } from '../../lab/engineers/engineer.ts';
import type { Form } from '../contexts/forms.ts';
import type { Amounts } from '../run/amounts.ts';
import type { RunHistory } from '../run/history.ts';
import type { Factor } from './cells.ts';

export type Started = EventData['AblationStarted'];
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
  /** Stages that are over, after each of which is decided anew. */
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
