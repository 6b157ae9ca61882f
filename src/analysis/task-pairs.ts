// Checkpoints compared task by task, in several seeds: of a single contrast seed by seed, of several what the seeds come to.
import { count } from '../base/quantity.ts';
import { type Block, type ColumnOf, longestName, note, type Section, section, table } from '../document/document.ts';
import { chanceText } from '../document/figures.ts';
import { differenceText, meanOf, signedText } from './ablation/view/figures.ts';

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
    isSingle ? bySeed(pairs) : byContrast([...contrasts.values()]),
    note(`Compares these checkpoints on ${suites}; other seeds may give other results. ${tested}`),
  ]);
}

function bySeed(pairs: readonly TaskPairs[]): Block {
  const columns: readonly ColumnOf<TaskPairs>[] = [
    { title: 'seed', mark: 'strong', limit: longestName, cell: ({ seed }) => seed },
    { title: 'tasks', ...right, cell: ({ tasks }) => count(tasks) },
    { title: 'better', ...right, cell: ({ better }) => `+${better}` },
    { title: 'worse', ...right, cell: ({ worse }) => `-${worse}` },
    {
      title: 'points',
      ...right,
      cell: ({ difference, low, high }) =>
        differenceText(share, difference, { low: low ?? undefined, high: high ?? undefined }),
    },
    { title: 'p', ...right, cell: ({ p }) => chanceText(p) },
  ];
  return table(pairs, columns, { repeats: true });
}

/** A row a contrast, with what its seeds come to. */
function byContrast(contrasts: readonly (readonly TaskPairs[])[]): Block {
  const sum = (own: readonly TaskPairs[], of: 'tasks' | 'better' | 'worse'): string =>
    count(own.reduce((all, one) => all + one[of], 0));
  const columns: readonly ColumnOf<readonly TaskPairs[]>[] = [
    { title: 'contrast', mark: 'strong', limit: 2 * longestName, cell: ([first]) => first?.contrast ?? '' },
    { title: 'seeds', ...right, cell: ({ length }) => count(length) },
    { title: 'tasks', ...right, cell: (own) => sum(own, 'tasks') },
    { title: 'better', ...right, cell: (own) => `+${sum(own, 'better')}` },
    { title: 'worse', ...right, cell: (own) => `-${sum(own, 'worse')}` },
    { title: 'points', ...right, cell: (own) => signedText(share, meanOf(own.map(({ difference }) => difference))) },
    {
      title: `p < ${chance}`,
      ...right,
      cell: (own) => `${own.filter(({ p }) => p !== null && p < chance).length} of ${own.length}`,
    },
  ];
  return table(contrasts, columns, { repeats: true });
}
