// The options of `icecore ablate`, and the query that they come to.
import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { OnError, RunSettings } from '../../../schemas/run-file.ts';
import { measuresAt } from '../../analysis/ablation/values.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import type { Budget } from '../../lab/trainers/trainer.ts';
import type { ProgramOptions } from '../../library/consent/programs.ts';
import type { RunReference } from '../../library/reference.ts';
import { type Depth, type EngineerWord, recordedArm } from '../../producers/ablation/design.ts';
import { type Form, type Module, nameOfForm } from '../../producers/contexts/forms.ts';

export interface AblateOptions extends ProgramOptions {
  readonly tag?: string;
  readonly context?: readonly Form[];
  readonly engineer?: readonly EngineerWord[];
  readonly decisions?: 'all' | readonly number[];
  readonly seed?: readonly RunSettings['seed'][];
  readonly depth?: Depth;
  readonly leaveOneOut?: true;
  readonly factorial?: readonly Module[];
  readonly sensitivity?: true;
  readonly preset?: 'paper';
  readonly contrast?: readonly string[];
  readonly baselines?: 'none' | readonly string[];
  readonly measure?: string;
  readonly level: number;
  readonly margin?: number;
  readonly budget?: Budget;
  readonly spendingCap?: number;
  readonly jobs?: number;
  readonly onError?: OnError;
  readonly name?: string;
  readonly notes?: string;
  readonly plan?: true;
  readonly show?: string;
  readonly format?: 'text' | 'md' | 'html';
  readonly output?: string;
}

export const allBaselines: readonly string[] = [...blindNames, recordedArm];

/** What can be said without looking at any run. */
export interface AblationQuery {
  readonly runs: readonly RunReference[];
  readonly tag: string | null;
  readonly depth: Depth;
  readonly engineers: readonly EngineerWord[] | null;
  readonly forms: readonly Form[] | null;
  readonly kind: AblationOptions['choice']['kind'];
  readonly factors: readonly string[];
  /** Null: all that were decided after. */
  readonly stages: readonly number[] | null;
  readonly seeds: readonly RunSettings['seed'][] | null;
  readonly contrasts: readonly string[];
  /** Null: all there are. */
  readonly baselines: readonly string[] | null;
  readonly level: number;
  readonly margin: number | null;
  /** Read again where the trainer is known. */
  readonly budget: RunSettings['budget'] | null;
}

export function queryFrom(named: readonly RunReference[], options: AblateOptions): AblationQuery {
  const { tag = null, context: forms = null, engineer: engineers = null, seed: seeds = null, margin = null } = options;
  const { decisions, factorial = [], contrast: contrasts = [], baselines, level, budget } = options;
  const runs = named.length === 0 && tag === null ? [{ run: 'latest', stage: null }] : named;
  const kind = kindOf(options);
  const depth = depthOf(options.depth, kind);
  requireFormsFor(kind, forms);
  requireMeasure(options.measure, depth);
  if (factorial.length > mostFactors)
    throw misused('--factorial', factorial.join(','), `${mostFactors} modules at most`);
  return {
    ...{ runs, tag, depth, engineers, forms, kind, seeds, contrasts, level, margin },
    factors: [...new Set(factorial)],
    stages: stagesIn(decisions) ?? stagesNamed(runs),
    baselines: baselines === undefined ? null : baselines === 'none' ? [] : [...new Set(baselines)],
    budget: budget === undefined ? null : { ...budget },
  };
}

/** What would be passed over in silence is refused. */
function requireFormsFor(kind: AblationQuery['kind'], forms: AblationQuery['forms']): void {
  if (forms === null) return;
  const text = forms.map(nameOfForm).join(',');
  if (kind === 'paper') throw misused('--context', text, 'none together with --preset paper, which has its own');
  const isOfOne = kind === 'factorial' || kind === 'sensitivity';
  if (isOfOne && forms.length > 1) throw misused('--context', text, `one form together with --${kind}`);
}

function requireMeasure(text: string | undefined, depth: Depth): void {
  const known = measuresAt(depth).map(({ measure }) => measure);
  if (text === undefined || known.includes(text)) return;
  throw misused('--measure', text, `at depth ${depth} ${known.join(', ')}`, nearestNames(text, known));
}

/** 2^5 forms are as many as anybody can tell apart. */
const mostFactors = 5;

function kindOf({ leaveOneOut, factorial, sensitivity, preset }: AblateOptions): AblationQuery['kind'] {
  const asked = [
    ...(leaveOneOut === undefined ? [] : (['leave-one-out'] as const)),
    ...(factorial === undefined ? [] : (['factorial'] as const)),
    ...(sensitivity === undefined ? [] : (['sensitivity'] as const)),
    ...(preset === undefined ? [] : [preset]),
  ];
  if (asked.length > 1)
    throw misused(
      'ablate',
      asked.map((one) => (one === 'paper' ? '--preset' : `--${one}`)).join(' and '),
      'one of them',
    );
  return asked[0] ?? 'as-named';
}

function depthOf(named: Depth | undefined, kind: AblationQuery['kind']): Depth {
  const depth = named ?? (kind === 'paper' ? 'train' : 'propose');
  if (kind === 'sensitivity' && depth !== 'propose')
    throw misused('--depth', depth, 'propose, together with --sensitivity');
  return depth;
}

function stagesIn(decisions: AblateOptions['decisions']): readonly number[] | null {
  if (decisions === undefined || decisions === 'all') return null;
  return [...new Set(decisions)].sort((one, other) => one - other);
}

/** RUN@2 means that decision. */
function stagesNamed(references: readonly RunReference[]): readonly number[] | null {
  const stages = [...new Set(references.flatMap(({ stage }) => stage ?? []))];
  return stages.length === 0 ? null : stages;
}

function misused(field: string, found: string, allowed: string, near: readonly string[] = []): IcecoreError {
  return new IcecoreError(
    'usage',
    `${field}: found ${found.startsWith('--') ? found : `"${found}"`}, allowed: ${allowed}`,
    {
      facts: { field, found, allowed, nearest: near },
      remedy: near.length === 0 ? '' : `Did you mean ${near.join(' or ')}?`,
    },
  );
}
