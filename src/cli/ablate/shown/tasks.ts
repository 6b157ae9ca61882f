// The declared contrasts task by task, where rollouts of both arms are recorded.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { chanceText, differenceText } from './figures.ts';

/** In points: tasks are solved, or they are not. */
const share = { measure: '', better: 'higher', is: 'share', split: null, says: '' } as const;

export function tasksParts({ tasks }: Ablated, paint: Paint): readonly Part[] {
  const [first] = tasks;
  if (first === undefined) return [];
  const contrasts = new Set(tasks.map(({ arm, reference }) => `${arm} against ${reference}`));
  return [
    { kind: 'heading', text: `Task by task: ${[...contrasts].join(', ')}` },
    table(
      [
        { title: 'seed', paint: paint.bold, most: longestName, cells: tasks.map(({ unit }) => unit) },
        ...(contrasts.size === 1 ? [] : [{ title: 'arm', most: longestName, cells: tasks.map(({ arm }) => arm) }]),
        { title: 'tasks', align: 'right', cells: tasks.map((one) => String(one.tasks)) },
        { title: 'better', align: 'right', cells: tasks.map(({ better }) => `+${better}`) },
        { title: 'worse', align: 'right', cells: tasks.map(({ worse }) => `-${worse}`) },
        {
          title: 'points',
          align: 'right',
          cells: tasks.map(({ difference, low, high }) =>
            differenceText(share, difference, { low: low ?? undefined, high: high ?? undefined }),
          ),
        },
        { title: 'p', align: 'right', cells: tasks.map(({ p }) => chanceText(p)) },
      ],
      { repeats: true },
    ),
    note(
      `Of these checkpoints, on ${first.suites.join(', ')}: what would come of other seeds, only seeds can say. p: ${first.method}, not corrected.`,
    ),
  ];
}
