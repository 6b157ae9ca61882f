// Which differences the seeds of a plan can find, and how many seeds a difference takes, by the tests of each family of contrasts.
import type { AblationPlan, SeedsPlan } from '../../../../schemas/ablation-output.ts';
import { measuresAt } from '../../../analysis/ablation/measures.ts';
import { listed } from '../../../base/listed.ts';
import { mostNeeded } from '../../../lab/statistics/power.ts';
import { note, type Part, table } from '../../output/page/page.ts';
import { count, counted } from '../../output/quantity.ts';

const names = { declared: 'declared', 'main-effects': 'main effects', others: 'others' } as const;

export function seedsParts({ seeds, contrasts, depth }: AblationPlan): readonly Part[] {
  const { families, needed } = seeds;
  if (families.length === 0) return [];
  const [first] = contrasts;
  const isShare = measuresAt(depth).find(({ measure }) => measure === first?.measure)?.is === 'share';
  const sizeText: SizeText = (effect, difference) => {
    const sd = `${Number(effect.toFixed(2))} sd`;
    if (difference === null) return sd;
    return `${sd} (${isShare ? `${(100 * difference).toFixed(1)} points` : Number(difference.toPrecision(3))})`;
  };
  return [
    { kind: 'heading', text: 'Seeds it takes' },
    table([
      { title: 'difference', cells: needed.map(({ effect, difference }) => sizeText(effect, difference)) },
      ...families.map(({ family, contrasts: together }, i) => ({
        title: together > 1 ? `${names[family]} (${together})` : names[family],
        align: 'right' as const,
        cells: needed.map(({ units }) => seedsText(units[i] ?? null)),
      })),
    ]),
    note([...families.map((family) => findsText(family, seeds, sizeText)), ...legend(seeds, first?.measure)].join(' ')),
  ];
}

type SizeText = (effect: number, difference: number | null) => string;

function seedsText(units: number | null): string {
  return units === null ? `> ${count(mostNeeded)}` : count(units);
}

function findsText(
  { family, finds, findsBy, least }: SeedsPlan['families'][number],
  { units }: SeedsPlan,
  sizeText: SizeText,
): string {
  const find = `${names[family]}: ${counted(units, 'seed')} ${units === 1 ? 'finds' : 'find'}`;
  if (finds === null) return `${find} no difference, however large; ${counted(least, 'seed')} are the least.`;
  return `${find} ${sizeText(finds, findsBy)} and more.`;
}

function legend({ power, alpha, deviation }: SeedsPlan, measure: string | undefined): readonly string[] {
  const by = measure === undefined ? '' : ` by ${measure}`;
  return [
    `sd: standard deviation of the differences${by} between two arms, paired by seed.`,
    deviation === null
      ? 'How large that is in points is known from no earlier ablation.'
      : `In brackets: as pairs varied in ${listed(deviation.ablations)}, the median of ${counted(deviation.contrasts, 'contrast')}.`,
    `Find: significant at ${Number(alpha.toFixed(6))}, after Holm within a family, in ${Number((100 * power).toFixed(3))} of 100 cases.`,
  ];
}
