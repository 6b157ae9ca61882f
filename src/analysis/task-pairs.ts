// Checkpoints compared task by task, in several seeds: of a single contrast seed by seed, of several what the seeds come to.

import { count } from '../base/quantity.ts';
import { chanceText, differenceText, meanOf, signedText } from './ablation/view/figures.ts';
import { type Column, longestName, note, type Section, section, table } from './document/document.ts';

/** One contrast in one seed. */
interface TaskPairs {
  /** `rules against base` */
  readonly contrast: string;
  readonly seed: string;
  readonly tasks: number;
  readonly better: number;
  readonly worse: number;
  readonly difference: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly p: number | null;
  readonly method: string;
}

/** In points: tasks are solved, or they are not. */
const share = { measure: '', better: 'higher', is: 'share', split: null, says: '' } as const;

const right = { align: 'right' } as const;

/** Below it, two checkpoints differ by more than chance would have it. */
const chance = 0.05;

/** `suites`: of which the tasks are. Empty where there are none. */
export function taskPairsSection(pairs: readonly TaskPairs[], suites: string): Section {
  const [first] = pairs;
  if (first === undefined) return section(null, []);
  const contrasts = Map.groupBy(pairs, ({ contrast }) => contrast);
  const isSingle = contrasts.size === 1;
  const methods = [...new Set(pairs.map(({ method }) => method))].join('; ');
  const tested = isSingle
    ? `p: ${methods}, not corrected.`
    : `p < ${chance}: in how many seeds, not corrected (${methods}). --json has each seed.`;
  return section(isSingle ? `Task by task: ${first.contrast}` : 'Task by task', [
    table(isSingle ? bySeed(pairs) : byContrast(contrasts), { repeats: true }),
    note(`Of these checkpoints, on ${suites}: what would come of other seeds, only seeds can say. ${tested}`),
  ]);
}

function bySeed(pairs: readonly TaskPairs[]): readonly Column[] {
  return [
    { title: 'seed', mark: 'strong', limit: longestName, cells: pairs.map(({ seed }) => seed) },
    { title: 'tasks', ...right, cells: pairs.map(({ tasks }) => count(tasks)) },
    { title: 'better', ...right, cells: pairs.map(({ better }) => `+${better}`) },
    { title: 'worse', ...right, cells: pairs.map(({ worse }) => `-${worse}`) },
    {
      title: 'points',
      ...right,
      cells: pairs.map(({ difference, low, high }) =>
        differenceText(share, difference, { low: low ?? undefined, high: high ?? undefined }),
      ),
    },
    { title: 'p', ...right, cells: pairs.map(({ p }) => chanceText(p)) },
  ];
}

function byContrast(contrasts: ReadonlyMap<string, readonly TaskPairs[]>): readonly Column[] {
  const rows = [...contrasts.values()];
  const sum = (of: (one: TaskPairs) => number): readonly number[] =>
    rows.map((own) => own.reduce((all, one) => all + of(one), 0));
  return [
    { title: 'contrast', mark: 'strong', limit: 2 * longestName, cells: [...contrasts.keys()] },
    { title: 'seeds', ...right, cells: rows.map(({ length }) => count(length)) },
    { title: 'tasks', ...right, cells: sum(({ tasks }) => tasks).map(count) },
    { title: 'better', ...right, cells: sum(({ better }) => better).map((all) => `+${count(all)}`) },
    { title: 'worse', ...right, cells: sum(({ worse }) => worse).map((all) => `-${count(all)}`) },
    {
      title: 'points',
      ...right,
      cells: rows.map((own) => signedText(share, meanOf(own.map(({ difference }) => difference)))),
    },
    {
      title: `p < ${chance}`,
      ...right,
      cells: rows.map((own) => `${own.filter(({ p }) => p !== null && p < chance).length} of ${own.length}`),
    },
  ];
}
