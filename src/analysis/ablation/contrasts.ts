// What is compared with what: every arm with the one that the declared contrast is against; in a design that leaves things
// out, each with the whole; in a factorial, the effect of each module over all others.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import type { Contrast } from './statistics/material.ts';

type Started = EventData['AblationStarted'];
type Arm = Started['arms'][number];

export function contrastsOf({ started, options }: AblationRecord): readonly Contrast[] {
  if (started === null) return [];
  const { arms, preset = null, ...asked } = started.data;
  if (options?.choice.kind === 'factorial') return effectsOf(arms, options.choice.factors);
  return contrastsAmong(arms, { ...asked, preset });
}

interface Named {
  readonly arm: string;
  readonly form: unknown;
}

/** All but the declared one. */
export function contrastsAmong(
  arms: readonly Named[],
  { primary, preset, depth }: Pick<Started, 'primary' | 'depth'> & { readonly preset: string | null },
): readonly Contrast[] {
  if (primary === null) return [];
  const kind = preset === 'leave-one-out' || preset === 'sensitivity' ? 'leave-one-out' : 'reference';
  return (
    arms
      .filter(({ arm }) => arm !== primary.against && arm !== primary.arm)
      // What is scored is what was made of a context: who is shown none has no such score.
      .filter(({ form }) => depth !== 'propose' || form !== null)
      .map(({ arm }) => ({ arm, against: primary.against, kind, of: [arm], less: [primary.against] }))
  );
}

/** Of every factor by itself, and of every two together: how much more the one does where the other is shown. */
function effectsOf(arms: readonly Arm[], factors: readonly string[]): readonly Contrast[] {
  const engineers = new Set(
    arms.filter(({ form, baseline }) => form !== null && !baseline).map(({ engineer }) => engineer.name),
  );
  return [...engineers].flatMap((engineer) => {
    const own = arms.filter((arm) => arm.engineer.name === engineer && arm.form !== null && !arm.baseline);
    const has = ({ form }: Arm, factor: string): boolean => form?.modules.includes(factor) === true;
    const named = (all: readonly Arm[]): string[] => all.map(({ arm }) => arm);
    const effect = (name: string, isOf: (arm: Arm) => boolean): Contrast => ({
      arm: `${engineer}: ${name}`,
      against: `${engineer}: without`,
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
