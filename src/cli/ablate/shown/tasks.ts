// The declared contrasts task by task, where rollouts of their arms are recorded: of a single one seed by seed, of several what
// the seeds come to.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { type Column, longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { count } from '../../output/quantity.ts';
import { chanceText, differenceText, meanOf, signedText } from './figures.ts';

type Tasks = Ablated['tasks'][number];

/** In points: tasks are solved, or they are not. */
const share = { measure: '', better: 'higher', is: 'share', split: null, says: '' } as const;

const right = { align: 'right' } as const;

/** Below it, two checkpoints differ by more than chance would have it. */
const chance = 0.05;

export function tasksParts({ tasks }: Ablated, paint: Paint): readonly Part[] {
  const [first] = tasks;
  if (first === undefined) return [];
  const contrasts = Map.groupBy(tasks, contrastText);
  const isSingle = contrasts.size === 1;
  const methods = [...new Set(tasks.map(({ method }) => method))].join('; ');
  const tested = isSingle
    ? `p: ${methods}, not corrected.`
    : `p < ${chance}: in how many seeds, not corrected (${methods}). --json has each seed.`;
  return [
    { kind: 'heading', text: isSingle ? `Task by task: ${contrastText(first)}` : 'Task by task' },
    table(isSingle ? bySeed(tasks, paint) : byContrast(contrasts, paint), { repeats: true }),
    note(
      `Of these checkpoints, on ${first.suites.join(', ')}: what would come of other seeds, only seeds can say. ${tested}`,
    ),
  ];
}

function contrastText({ factor, arm, against }: Tasks): string {
  return `${factor === null ? '' : `${factor} `}${arm} against ${against}`;
}

function bySeed(tasks: readonly Tasks[], paint: Paint): readonly Column[] {
  return [
    { title: 'seed', paint: paint.bold, most: longestName, cells: tasks.map(({ unit }) => unit) },
    { title: 'tasks', ...right, cells: tasks.map((one) => count(one.tasks)) },
    { title: 'better', ...right, cells: tasks.map(({ better }) => `+${better}`) },
    { title: 'worse', ...right, cells: tasks.map(({ worse }) => `-${worse}`) },
    {
      title: 'points',
      ...right,
      cells: tasks.map(({ difference, low, high }) =>
        differenceText(share, difference, { low: low ?? undefined, high: high ?? undefined }),
      ),
    },
    { title: 'p', ...right, cells: tasks.map(({ p }) => chanceText(p)) },
  ];
}

function byContrast(contrasts: ReadonlyMap<string, readonly Tasks[]>, paint: Paint): readonly Column[] {
  const rows = [...contrasts.values()];
  const sum = (of: (one: Tasks) => number): readonly number[] =>
    rows.map((own) => own.reduce((all, one) => all + of(one), 0));
  return [
    { title: 'contrast', paint: paint.bold, most: 2 * longestName, cells: [...contrasts.keys()] },
    { title: 'seeds', ...right, cells: rows.map(({ length }) => count(length)) },
    { title: 'tasks', ...right, cells: sum((one) => one.tasks).map(count) },
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
