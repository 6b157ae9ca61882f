// What `icecore list ablations` prints: one line per ablation, newest first.
import type { ListAblations } from '../../../schemas/list-output.ts';
import { rangeText } from '../../base/name-lists.ts';
import { count } from '../../base/quantity.ts';
import { table } from '../../document/document.ts';
import { ablations } from '../../library/ablation/list.ts';
import { findPlace } from '../../library/place/place.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { Context } from '../context.ts';
import { requireOneForm } from '../output/print.ts';

type Row = ListAblations['rows'][number];

export async function listAblations(context: Context, options: FormatOption): Promise<number> {
  requireOneForm(context, options);
  const list = await ablations(context.session);
  if (context.flags.json) await context.printJson(list);
  else if (list.rows.length === 0) await context.say(`no ablations yet in ${findPlace(context.session).ledger.url}`);
  else await context.print({ title: null, blocks: [ablationsTable(list.rows)], sections: [] }, options);
  return 0;
}

function ablationsTable(rows: readonly Row[]): ReturnType<typeof table> {
  const right = { align: 'right' } as const;
  return table(rows, [
    { title: 'ablation', mark: 'strong', cell: ({ name }) => name },
    { title: 'of', cell: decisionsText },
    { title: 'depth', cell: ({ depth }) => depth ?? '' },
    { title: 'arms', ...right, cell: ({ arms }) => count(arms.length) },
    { title: 'seeds', ...right, cell: ({ seeds }) => (seeds === null ? '' : count(seeds)) },
    { title: 'state', cell: ({ state }) => state },
    { title: 'conclusion', cell: ({ conclusion }) => conclusion ?? '', wraps: true },
  ]);
}

const mostRuns = 2;

/** `mine@2`, `mine@2-4`, and how many more runs there are. */
function decisionsText({ histories }: Row): string {
  const texts = histories
    .slice(0, mostRuns)
    .map(({ run, name, decisions }) => `${name ?? run}@${rangeText(decisions)}`);
  const more = histories.length - texts.length;
  return `${texts.join(', ')}${more > 0 ? `, ${count(more)} more` : ''}`;
}
