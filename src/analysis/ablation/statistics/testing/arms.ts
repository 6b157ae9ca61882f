// Arms with known outcomes: given value by value, or drawn around known means.
import type { ArmMade, Contrast, Material } from '../material.ts';

/** By arm, one value a unit; null where it has none. */
export type Outcomes = Readonly<Record<string, readonly (number | null)[]>>;

/** Arms are called engineer/module+module, or by an engineer that is blind. The first two are the primary contrast. */
export function materialOf(outcomes: Outcomes, more: Partial<Material> = {}): Material {
  const names = Object.keys(outcomes);
  const [arm = '', reference = '', ...others] = names;
  const most = Math.max(...Object.values(outcomes).map(({ length }) => length));
  const units = Array.from({ length: most }, (_, i) => `seed ${i + 1}`);
  return {
    depth: 'train',
    arms: names.map(armNamed),
    units,
    values: names.flatMap((name) =>
      units.map((unit, i) => ({ arm: name, unit, measure: 'valid', value: outcomes[name]?.[i] ?? null })),
    ),
    better: { valid: 'higher' },
    tested: { measure: 'valid', better: 'higher' },
    declared: [contrast(arm, reference)],
    contrasts: others.map((other) => contrast(other, reference)),
    level: 0.95,
    margin: null,
    same: [],
    ...more,
  };
}

export function armNamed(arm: string): ArmMade {
  const [engineer = '', form = null] = arm.split('/');
  const modules = form === null ? null : form.split('+');
  return { arm, engineer, form, modules, baseline: form === null, notApplicable: [], without: [] };
}

export function contrast(arm: string, reference: string): Contrast {
  return { arm, reference, kind: 'arms', of: [arm], less: [reference] };
}
