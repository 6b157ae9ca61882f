// What is compared with what: what was declared; every arm with the reference; in a design that leaves things out, each with
// the whole; in a factorial, the effect of each module over all others; and over a matrix the main effects.
import type { EventData } from '../../../schemas/catalogue.ts';
import { cellOf, type Factor } from '../../producers/ablation/cells.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { mainEffect, mainEffects } from './statistics/main-effects.ts';
import type { ArmMade, Contrast, Tested } from './statistics/material.ts';

type Started = EventData['AblationStarted'];

export interface Declared extends Tested {
  /** Of a main effect; null: of two arms. */
  readonly factor: Factor | null;
  readonly arm: string;
  readonly reference: string;
}

/** Every contrast that was declared. */
export function declaredIn({ primary, contrasts }: Pick<Started, 'primary' | 'contrasts'>): readonly Declared[] {
  const all = contrasts ?? (primary === null ? [] : [primary]);
  return all.map((one) => ({ ...one, factor: 'factor' in one ? (one.factor ?? null) : null }));
}

export function declaredContrasts(declared: readonly Declared[], arms: readonly ArmMade[]): readonly Contrast[] {
  return declared.map(({ factor, arm, reference }) =>
    factor === null ? ofArms(arm, reference, 'arms') : mainEffect(factor, { arm, reference }, arms),
  );
}

interface Made {
  readonly arms: readonly ArmMade[];
  readonly declared: readonly Declared[];
  readonly depth: Started['depth'];
  readonly preset: string | null;
  /** Of a factorial. */
  readonly factors?: readonly string[];
}

/** All that were not declared. */
export function contrastsAmong({ arms, declared, depth, preset, factors }: Made): readonly Contrast[] {
  if (factors !== undefined) return effectsOf(arms, factors);
  const effects = preset === 'sensitivity' ? [] : mainEffects(arms);
  const ended = arms.filter(({ isErrored = false }) => !isErrored);
  const named = referenceOf(ended, declared);
  const reference = ended.find(({ arm }) => arm === named)?.arm;
  if (reference === undefined) return effects;
  const kind = preset === 'leave-one-out' || preset === 'sensitivity' ? 'leave-one-out' : 'arms';
  const others = ended
    .filter(({ arm }) => arm !== reference)
    // What is scored is what was made of a context: who is shown none has no such score.
    .filter(({ form }) => depth !== 'propose' || form !== null)
    .map(({ arm }) => ofArms(arm, reference, kind));
  return [...effects, ...others];
}

/** What the first declared contrast of two arms is against; where there is none, the first arm of the matrix. */
function referenceOf(arms: readonly ArmMade[], declared: readonly Declared[]): string | null {
  const first = declared.find(({ factor }) => factor === null);
  if (first !== undefined) return first.reference;
  return declared.length === 0 ? null : (arms.find((arm) => cellOf(arm) !== null)?.arm ?? null);
}

function ofArms(arm: string, reference: string, kind: Contrast['kind']): Contrast {
  return { arm, reference, kind, of: [arm], less: [reference] };
}

export function contrastsOf({ started, options }: AblationRecord, arms: readonly ArmMade[]): readonly Contrast[] {
  if (started === null) return [];
  const { depth, preset = null } = started.data;
  const choice = options?.choice;
  const factors = choice?.kind === 'factorial' ? choice.factors : undefined;
  const declared = declaredIn(started.data);
  return contrastsAmong({ arms, declared, depth, preset, ...(factors === undefined ? {} : { factors }) });
}

/** Of every factor by itself, and of every two together: how much more the one does where the other is shown. */
function effectsOf(arms: readonly ArmMade[], factors: readonly string[]): readonly Contrast[] {
  const shown = arms.filter(({ form, baseline }) => form !== null && !baseline);
  return [...new Set(shown.map(({ engineer }) => engineer))].flatMap((engineer) => {
    const own = shown.filter((arm) => arm.engineer === engineer);
    const has = ({ modules }: ArmMade, factor: string): boolean => modules?.includes(factor) === true;
    const named = (all: readonly ArmMade[]): string[] => all.map(({ arm }) => arm);
    const effect = (name: string, isOf: (arm: ArmMade) => boolean): Contrast => ({
      arm: `${engineer}: ${name}`,
      reference: `${engineer}: without`,
      kind: 'effect',
      of: named(own.filter(isOf)),
      less: named(own.filter((arm) => !isOf(arm))),
    });
    const pairs = factors.flatMap((one, i) => factors.slice(i + 1).map((other) => [one, other] as const));
    return [
      ...factors.map((factor) => effect(factor, (arm) => has(arm, factor))),
      ...pairs.map(([one, other]) => effect(`${one} x ${other}`, (arm) => has(arm, one) === has(arm, other))),
    ];
  });
}
