// What a number of seeds can find, before anything is trained: the smallest difference of each family of contrasts, and how many
// seeds a difference takes. Differences are in standard deviations of the pairs; where earlier ablations measured the same,
// their pairs say what that is in points.
import type { SeedsPlan } from '../../../schemas/ablation-output.ts';
import { correction } from '../../lab/statistics/distributions.ts';
import { effectFound, unitsNeeded, usualPower } from '../../lab/statistics/power.ts';
import { alphaOf, fewestPairs } from '../../lab/statistics/significance.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Design } from '../../producers/ablation/design.ts';
import { madeOf, testedBy } from './conclude.ts';
import { contrastsAmong, declaredContrasts } from './contrasts.ts';
import { measuresAt } from './measures.ts';
import { isNullByConstruction } from './statistics/alike.ts';
import { familiesOf } from './statistics/compared.ts';
import { median } from './statistics/results.ts';

/** In standard deviations of the pairs: from a difference that shows at once to one that hardly does. */
const effects = [2, 1.5, 1, 0.8, 0.5, 0.3];

type Family = SeedsPlan['families'][number]['family'];

export async function seedsPlanned(ledger: Ledger, design: Design): Promise<SeedsPlan> {
  const alpha = alphaOf(design.level);
  const deviation = await deviationIn(ledger, design);
  const inUnits = (effect: number | null): number | null =>
    effect === null || deviation === null ? null : effect * deviation.value;
  const families = sizesOf(design).filter(({ contrasts }) => contrasts > 0);
  const units = design.units.length;
  return {
    ...{ units, power: usualPower, alpha, deviation },
    families: families.map(({ family, contrasts }) => {
      const finds = effectFound(units, { alpha: alpha / contrasts, power: usualPower });
      return { family, contrasts, finds, findsBy: inUnits(finds), least: fewestPairs(alpha / contrasts) };
    }),
    needed: effects.map((effect) => ({
      effect,
      difference: inUnits(effect),
      units: families.map(({ contrasts }) => unitsNeeded({ effect, alpha: alpha / contrasts, power: usualPower })),
    })),
  };
}

/** How many contrasts of each family are tested: nulls by construction are not. */
function sizesOf({
  arms,
  declared,
  depth,
  preset,
  options: { choice },
}: Design): readonly { family: Family; contrasts: number }[] {
  const made = arms.map((one) =>
    madeOf({
      ...one,
      engineer: one.identity,
      contextForm: one.form,
      notApplicable: [...one.notApplicable],
      without: [...one.without],
    }),
  );
  const factors = choice.kind === 'factorial' ? { factors: choice.factors } : {};
  const families = familiesOf({
    declared: declaredContrasts(declared, made),
    contrasts: contrastsAmong({ arms: made, declared, depth, preset, ...factors }),
  });
  const tested = (contrasts: (typeof families)['declared']): number =>
    contrasts.filter((one) => !isNullByConstruction(one, made)).length;
  return [
    { family: 'declared', contrasts: tested(families.declared) },
    { family: 'main-effects', contrasts: tested(families.mainEffects) },
    { family: 'others', contrasts: tested(families.others) },
  ];
}

/** Of contrasts of two arms, in ablations of the same environment, as deep and by the same measure. */
async function deviationIn(
  ledger: Ledger,
  { ablation, depth, declared, histories }: Design,
): Promise<SeedsPlan['deviation']> {
  const measure = testedBy(declared)?.measure ?? measuresAt(depth)[0]?.measure;
  const environment = histories[0]?.history.started?.data.environment.name;
  const names = new Map<string, string>();
  const found: { readonly of: string; readonly deviation: number }[] = [];
  for await (const events of ledger.readAll({ types: ['AblationStarted', 'AblationCompleted'] })) {
    for (const { stream, reading } of events) {
      if (!reading.known) continue;
      const id = stream.slice('ablation-'.length);
      if (reading.type === 'AblationStarted' && id !== ablation) {
        const { data } = reading;
        if (data.depth === depth && data.environment?.name === environment) names.set(stream, data.name ?? id);
      }
      const of = names.get(stream);
      if (reading.type !== 'AblationCompleted' || of === undefined) continue;
      for (const { effect, difference, units, factor, measure: by } of reading.data.contrasts) {
        if (by !== measure || factor !== undefined || units < 3) continue;
        if (typeof effect !== 'number' || typeof difference !== 'number' || effect === 0) continue;
        found.push({ of, deviation: correction(units - 1) * Math.abs(difference / effect) });
      }
    }
  }
  if (found.length === 0) return null;
  return {
    value: median(found.map(({ deviation }) => deviation)),
    ablations: [...new Set(found.map(({ of }) => of))],
    contrasts: found.length,
  };
}
