// The options of an ablation and the query built from them.
import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { measuresAt } from '../../analysis/ablation/values.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';
import { type Depth, type EngineerWord, recordedArm } from '../../producers/ablation/design.ts';
import { type Form, formNamed, nameOfForm } from '../../producers/contexts/forms.ts';
import type { ProgramOptions } from '../consent/programs.ts';
import { badOption, checkedShare } from '../option-error.ts';
import { type RunReference, referenceTo } from '../reference.ts';

/** Which decisions to replay, and with which engineers. */
export interface AblationPlanOptions extends ProgramOptions {
  /** All runs with this tag, in addition to the named ones. */
  readonly tag?: string;
  /** Context forms; `+` joins modules (default failures, stats, behaviour and all three). */
  readonly contexts?: readonly string[];
  /** Engineers: names, models, or programs with their arguments (default: the engineer of each run). */
  readonly engineers?: readonly (string | readonly string[])[];
  /** Replay only the decisions after these stages (default: all, or those that the references name). */
  readonly decisions?: 'all' | readonly number[];
  /** Training seeds (default: the seed of each run). */
  readonly seeds?: readonly RunSettings['seed'][];
  /** `propose`, `train` one stage, or `run` to the last stage (default `propose`; `train` with the preset paper). */
  readonly depth?: Depth;
  /** Compare the form with versions that lack one of its modules. */
  readonly leaveOneOut?: boolean;
  /** Compare every combination of these modules. */
  readonly factorial?: readonly string[];
  /** For one decision: leave out each module and each shown rollout in turn. */
  readonly sensitivity?: boolean;
  /** The preset with the two analyses of the paper. */
  readonly preset?: 'paper';
  /** Contrasts: two arms (`rules/failures:rules/stats`), engineers or contexts, or a factor. */
  readonly contrasts?: readonly string[];
  /** Baselines to include (default: all). */
  readonly baselines?: 'none' | readonly string[];
  /** Measure to compare by (default `validation`). */
  readonly measure?: string;
  /** Confidence level of intervals (default 0.95). */
  readonly level?: number;
  /** Treat differences below this as equivalent. */
  readonly margin?: number;
  /** Budget of one training, by unit (default: the budget of the run). */
  readonly budget?: Budget;
  /** Number of arms that run at the same time (default: one per core). */
  readonly jobs?: number;
  /** Name of the ablation. A new name starts a new ablation. */
  readonly name?: string;
  /** Purpose of the ablation. */
  readonly notes?: string;
}

export const allBaselines: readonly string[] = [...blindNames, recordedArm];

/** The parts of an ablation that are known without reading any run. */
export interface AblationQuery {
  readonly runs: readonly RunReference[];
  readonly tag: string | null;
  readonly depth: Depth;
  readonly engineers: readonly EngineerWord[] | null;
  readonly forms: readonly Form[] | null;
  readonly kind: AblationOptions['choice']['kind'];
  readonly factors: readonly string[];
  /** The stages whose decisions are replayed; null: those that the references name, else all. */
  readonly decisions: readonly number[] | null;
  readonly seeds: readonly RunSettings['seed'][] | null;
  readonly contrasts: readonly string[];
  /** Null: all of them. */
  readonly baselines: readonly string[] | null;
  readonly level: number;
  readonly margin: number | null;
  /** Checked again once the trainer is known. */
  readonly budget: RunSettings['budget'] | null;
}

export function queryFrom(named: readonly (string | RunReference)[], options: AblationPlanOptions): AblationQuery {
  const { tag = null, seeds = null, margin = null, level = 0.95 } = options;
  const { decisions, factorial = [], contrasts = [], baselines, budget } = options;
  const forms = options.contexts?.map(formNamed) ?? null;
  const engineers = options.engineers?.map((one) => (typeof one === 'string' ? one : [...one])) ?? null;
  const runs = named.length === 0 && tag === null ? [{ run: 'latest', stage: null }] : named.map(referenceTo);
  checkedShare('level', level, 0.5);
  if (margin !== null) checkedShare('margin', margin);
  const kind = kindOf(options);
  const depth = depthOf(options.depth, kind);
  requireFormsFor(kind, forms);
  requireMeasure(options.measure, depth);
  if (factorial.length > maxFactors)
    throw badOption('--factorial', factorial.join(','), `${maxFactors} modules at most`);
  return {
    ...{ runs, tag, depth, engineers, forms, kind, seeds, contrasts, level, margin },
    factors: [...new Set(factorial)],
    decisions: decisionsIn(decisions, runs),
    baselines: baselines === undefined ? null : baselines === 'none' ? [] : [...new Set(baselines)],
    budget: budget === undefined ? null : { ...budget },
  };
}

/** Refuses options that would otherwise be ignored silently. */
function requireFormsFor(kind: AblationQuery['kind'], forms: AblationQuery['forms']): void {
  if (forms === null) return;
  const text = forms.map(nameOfForm).join(',');
  if (kind === 'paper') throw badOption('--context', text, 'none, because --preset paper defines the contexts');
  const isOfOne = kind === 'factorial' || kind === 'sensitivity';
  if (isOfOne && forms.length > 1) throw badOption('--context', text, `one form together with --${kind}`);
}

function requireMeasure(text: string | undefined, depth: Depth): void {
  const known = measuresAt(depth).map(({ measure }) => measure);
  if (text === undefined || known.includes(text)) return;
  const trained = depth === 'propose' ? '; with --depth train also validation and benchmarks' : '';
  throw badOption('--measure', text, `${known.join(', ')} (at depth ${depth}${trained})`, { known });
}

/** More than 2^5 forms are too many to compare. */
const maxFactors = 5;

function kindOf({ leaveOneOut, factorial, sensitivity, preset }: AblationPlanOptions): AblationQuery['kind'] {
  const named = [
    ...(leaveOneOut === true ? (['leave-one-out'] as const) : []),
    ...(factorial === undefined ? [] : (['factorial'] as const)),
    ...(sensitivity === true ? (['sensitivity'] as const) : []),
    ...(preset === undefined ? [] : [preset]),
  ];
  if (named.length > 1) {
    const flags = named.map((one) => (one === 'paper' ? '--preset' : `--${one}`));
    throw badOption('ablate', flags.join(' and '), 'one of them');
  }
  return named[0] ?? 'as-named';
}

function depthOf(named: Depth | undefined, kind: AblationQuery['kind']): Depth {
  const depth = named ?? (kind === 'paper' ? 'train' : 'propose');
  if (kind === 'sensitivity' && depth !== 'propose')
    throw badOption('--depth', depth, 'propose, together with --sensitivity');
  return depth;
}

function decisionsIn(
  decisions: AblationPlanOptions['decisions'],
  runs: readonly RunReference[],
): readonly number[] | null {
  if (decisions === undefined || decisions === 'all') return null;
  const named = runs.find(({ stage }) => stage !== null);
  if (named !== undefined)
    throw badOption('--decisions', decisions.join(','), `none together with ${named.run}@${named.stage}`);
  return [...new Set(decisions)].sort((one, other) => one - other);
}
