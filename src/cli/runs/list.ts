// What `icecore runs` does: runs, the newest first.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { RunRow, RunsResult } from '../../../schemas/run-output.ts';
import { listRuns, type RunsListed } from '../../analysis/history/runs.ts';
import type { Context } from '../context.ts';
import { moment } from '../events/forms.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { count, counted } from '../output/quantity.ts';
import { table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { rateText } from './figures.ts';

export interface RunsOptions {
  readonly tag?: string;
  readonly environment?: string;
  readonly limit: number;
  readonly arms?: true;
}

export async function runs(context: Context, options: RunsOptions): Promise<number> {
  return await withLedgerToAnswer(context, async (ledger) => {
    const asOf = new Date().toISOString();
    const listed = await listRuns(ledger, options);
    requireKnown('--tag', options.tag, listed.tags);
    requireKnown('--environment', options.environment, listed.environments);
    const { total, rows, armsLeftOut } = listed;
    const result: RunsResult = { as_of: asOf, total, rows: [...rows], truncated: rows.length < total, armsLeftOut };
    if (context.flags.json) await context.printJson(result);
    else await tell(context, listed);
    await tellDamaged(context, listed);
    return 0;
  });
}

/** A word that no run has is a slip, which an empty list would hide. */
function requireKnown(field: string, word: string | undefined, known: readonly string[]): void {
  if (word === undefined || known.includes(word)) return;
  const near = nearestNames(word, known);
  const there = known.length === 0 ? 'No run has any.' : `There are ${known.slice(0, 20).join(', ')}.`;
  throw new IcecoreError('not-found', `${field}: no run has "${word}"`, {
    facts: { field, found: word, known, nearest: near },
    remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : there,
  });
}

const mostNamed = 3;

/** Also for programs: a list that leaves out what cannot be read would seem whole. */
async function tellDamaged(context: Context, { damaged }: RunsListed): Promise<void> {
  if (damaged.length === 0) return;
  const names = damaged.slice(0, mostNamed).map((run) => visible(run));
  const more = damaged.length > mostNamed ? ', ...' : '';
  await context.say(
    `${counted(damaged.length, 'run')} cannot be read, as events are damaged: ${names.join(', ')}${more}`,
  );
  await context.hint('icecore verify says which');
}

async function tell(context: Context, { rows, total, armsLeftOut, damaged }: RunsListed): Promise<void> {
  if (rows.length === 0) {
    if (damaged.length === 0) await context.say('no runs yet');
    return;
  }
  const { paint, io } = context;
  const right = { align: 'right' } as const;
  const all = [
    { title: 'run', paint: paint.bold, cells: rows.map(({ name }) => name) },
    { title: 'began', paint: paint.dim, cells: rows.map(({ at }) => (at === null ? '' : minute(at))) },
    { title: 'environment', cells: rows.map(({ environment }) => environment ?? '') },
    { title: 'engineer', cells: rows.map(({ engineer }) => engineer ?? '') },
    { title: 'form', cells: rows.map(({ form }) => form ?? '') },
    { title: 'stages', ...right, cells: rows.map(stagesText) },
    { title: 'valid', ...right, cells: rows.map(({ validation }) => (validation ? rateText(validation.valid) : '')) },
    {
      title: 'optimal',
      ...right,
      cells: rows.map(({ validation }) => (validation ? rateText(validation.optimal) : '')),
    },
    { title: 'state', cells: rows.map(({ state, holder }) => (holder === null ? state : `${state}: ${holder}`)) },
    { title: 'tags', cells: rows.map(({ tags }) => tags.join(' ')) },
  ];
  const columns = all.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const lines = rows.map((_, i) => columns.map(({ cells }) => visible(cells[i] ?? '')));
  await context.print(table(columns, lines, io.stdout));
  if (rows.length + damaged.length < total) {
    await context.say(`${count(rows.length)} of ${counted(total, 'run')}; --limit ${total} shows all`);
  }
  if (armsLeftOut > 0) await context.say(`${counted(armsLeftOut, 'run')} of ablations beside; --arms shows them`);
}

/** To the minute, in UTC. */
function minute(at: string): string {
  return moment(at).replace(/T(\d\d:\d\d):\d\dZ$/, ' $1');
}

function stagesText({ done, planned }: RunRow): string {
  return planned === null ? count(done) : `${count(done)}/${count(planned)}`;
}
