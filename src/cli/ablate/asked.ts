// What an ablation was asked for on the command line.

import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { measuresAt } from '../../analysis/ablation/measures.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import { type Depth, type EngineerWord, recordedArm } from '../../producers/ablation/design.ts';
import { type Form, formNamed, isModule, modules, presetNames } from '../../producers/contexts/forms.ts';
import type { ProgramOptions } from '../consent/programs.ts';
import { nameOrProgram } from '../experiment/settings.ts';
import { wholeNumber } from '../lake/numbers.ts';
import { budgetFrom } from '../lake/training/budget.ts';
import { type RunReference, runReference } from '../runs/reference.ts';
import { checkedTag } from '../tags.ts';

export interface AblateOptions extends ProgramOptions {
  readonly runs?: string;
  readonly tag?: string;
  readonly contexts?: string;
  readonly engineers?: readonly string[];
  readonly stages?: string;
  readonly seeds?: string;
  readonly depth?: string;
  readonly leaveOneOut?: true;
  readonly factorial?: string;
  readonly sensitivity?: true;
  readonly preset?: string;
  readonly contrast?: readonly string[];
  readonly baselines?: string;
  readonly measure?: string;
  readonly level?: string;
  readonly margin?: string;
  readonly budget?: string;
  readonly spendCap?: string;
  readonly jobs?: string;
  readonly onError?: string;
  readonly name?: string;
  readonly notes?: string;
  readonly plan?: true;
  readonly show?: string;
  readonly md?: true;
  readonly html?: string | true;
}

/** What can be said without looking at any run. */
export interface Wanted {
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

const depths: readonly Depth[] = ['propose', 'train', 'run'];
const usualLevel = 0.95;

export function wantedBy(run: string | undefined, options: AblateOptions): Wanted {
  const listed = options.runs === undefined ? [] : listIn(options.runs, '--runs');
  const named = [...(run === undefined ? [] : [run]), ...listed];
  const references = (named.length === 0 && options.tag === undefined ? ['latest'] : named).map(runReference);
  const stages = stagesIn(options.stages);
  const kind = kindOf(options);
  const depth = depthOf(options.depth, kind);
  const forms = options.contexts === undefined ? null : listIn(options.contexts, '--contexts').flatMap(formsIn);
  requireFormsFor(kind, forms, options.contexts);
  requireMeasure(options.measure, depth);
  return {
    runs: references,
    tag: options.tag === undefined ? null : checkedTag(options.tag),
    depth,
    engineers: options.engineers === undefined ? null : options.engineers.flatMap(engineersIn),
    forms,
    kind,
    factors: options.factorial === undefined ? [] : factorsIn(options.factorial),
    stages: stages ?? stagesNamed(references),
    seeds: options.seeds === undefined ? null : seedsIn(options.seeds),
    contrasts: (options.contrast ?? []).flatMap((text) => listIn(text, '--contrast')),
    baselines: options.baselines === undefined ? null : baselinesIn(options.baselines),
    level:
      options.level === undefined
        ? usualLevel
        : shareIn(options.level, '--level', 'a share above 0.5 and below 1', 0.5),
    margin: options.margin === undefined ? null : shareIn(options.margin, '--margin', 'a share above 0 and below 1', 0),
    budget: options.budget === undefined ? null : { ...budgetFrom(options.budget, true) },
  };
}

function listIn(text: string, field: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.every((word) => word !== '')) return words;
  throw misused(field, text, 'names with commas between them');
}

const allBaselines: readonly string[] = [...blindNames, recordedArm];

function baselinesIn(text: string): readonly string[] {
  if (text === 'none') return [];
  const names = [...new Set(listIn(text, '--baselines'))];
  const stranger = names.find((one) => !allBaselines.includes(one));
  if (stranger === undefined) return names;
  throw misused(
    '--baselines',
    stranger,
    `none, or of ${allBaselines.join(', ')}`,
    nearestNames(stranger, ['none', ...allBaselines]),
  );
}

/** Commas part engineers, but not within quotes, so that a program may have them in its arguments. */
function engineersIn(text: string): readonly EngineerWord[] {
  const parts = Array.from(text.matchAll(/(?:^|,)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^,])*)/g), ([, part = '']) => part);
  if (parts.some((part) => part.trim() === '')) {
    throw misused('--engineers', text, 'names or programs with commas between them');
  }
  return parts.map((part) => nameOrProgram(unquoted(part.trim()), '--engineers'));
}

/** A program that stands in quotes as a whole, to keep its commas. */
function unquoted(text: string): string {
  const [, inner] = /^"((?:[^"\\]|\\.)*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text) ?? [];
  return inner ?? text;
}

/** `v4`, `failures+stats`, and `v1..v6` for all from the one to the other. */
function formsIn(text: string): readonly Form[] {
  const [, from, to] = /^(.+)\.\.(.+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return [formNamed(text.split('+').join(','))];
  const [first, last] = [presetNames.indexOf(from), presetNames.indexOf(to)];
  if (first >= 0 && last >= first) return presetNames.slice(first, last + 1).map(formNamed);
  throw misused('--contexts', text, `from one preset to a later one: ${presetNames.join(', ')}`);
}

/** What would be passed over in silence is refused. */
function requireFormsFor(kind: Wanted['kind'], forms: Wanted['forms'], text = ''): void {
  if (forms === null) return;
  if (kind === 'paper') throw misused('--contexts', text, 'none together with --preset paper, which has its own');
  const isOfOne = kind === 'factorial' || kind === 'sensitivity';
  if (isOfOne && forms.length > 1) throw misused('--contexts', text, `one form together with --${kind}`);
}

function requireMeasure(text: string | undefined, depth: Depth): void {
  const known = measuresAt(depth).map(({ measure }) => measure);
  if (text === undefined || known.includes(text)) return;
  throw misused('--measure', text, `at depth ${depth} ${known.join(', ')}`, nearestNames(text, known));
}

function factorsIn(text: string): readonly string[] {
  const factors = [...new Set(listIn(text, '--factorial'))];
  const stranger = factors.find((factor) => !isModule(factor));
  if (stranger !== undefined) {
    const near = nearestNames(stranger, modules);
    throw misused('--factorial', stranger, `modules: ${modules.join(', ')}`, near);
  }
  if (factors.length > mostFactors) throw misused('--factorial', text, `${mostFactors} modules at most`);
  return factors;
}

/** 2^5 forms are as many as anybody can tell apart. */
const mostFactors = 5;

function kindOf({ leaveOneOut, factorial, sensitivity, preset }: AblateOptions): Wanted['kind'] {
  const asked = [
    ...(leaveOneOut === undefined ? [] : (['leave-one-out'] as const)),
    ...(factorial === undefined ? [] : (['factorial'] as const)),
    ...(sensitivity === undefined ? [] : (['sensitivity'] as const)),
    ...(preset === undefined ? [] : [presetNamed(preset)]),
  ];
  if (asked.length > 1)
    throw misused(
      'ablate',
      asked.map((one) => (one === 'paper' ? '--preset' : `--${one}`)).join(' and '),
      'one of them',
    );
  return asked[0] ?? 'as-named';
}

function presetNamed(text: string): 'paper' {
  if (text === 'paper') return text;
  throw misused('--preset', text, 'paper');
}

function depthOf(text: string | undefined, kind: Wanted['kind']): Depth {
  const depth = text === undefined ? (kind === 'paper' ? 'train' : 'propose') : depths.find((one) => one === text);
  if (depth === undefined) throw misused('--depth', text ?? '', depths.join(', '), nearestNames(text ?? '', depths));
  if (kind === 'sensitivity' && depth !== 'propose')
    throw misused('--depth', depth, 'propose, together with --sensitivity');
  return depth;
}

function stagesIn(text: string | undefined): readonly number[] | null {
  if (text === undefined || text === 'all') return null;
  const stages = listIn(text, '--stages').map((word) => wholeNumber('--stages', word, { from: 1, to: 16383 }));
  return [...new Set(stages)].sort((one, other) => one - other);
}

/** RUN@2 means that decision. */
function stagesNamed(references: readonly RunReference[]): readonly number[] | null {
  const stages = [...new Set(references.flatMap(({ stage }) => stage ?? []))];
  return stages.length === 0 ? null : stages;
}

/** `1,2,3`, and `1..10`. */
function seedsIn(text: string): readonly RunSettings['seed'][] {
  const seeds = listIn(text, '--seeds').flatMap((word) => {
    const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(word) ?? [];
    if (from === undefined || to === undefined)
      return [wholeNumber('--seeds', word, { from: 0, to: Number.MAX_SAFE_INTEGER })];
    const [first, last] = [Number(from), Number(to)];
    if (last < first || last - first >= mostSeeds)
      throw misused('--seeds', word, `at most ${mostSeeds}, from the lower to the higher`);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return [...new Set(seeds)];
}

const mostSeeds = 1000;

function shareIn(text: string, field: string, allowed: string, above: number): number {
  const share = Number(text);
  if (text.trim() !== '' && share > above && share < 1) return share;
  throw misused(field, text, allowed);
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
