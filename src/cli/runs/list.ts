// What `icecore runs` does: runs, the newest first.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { RunRow, RunsResult } from '../../../schemas/run-output.ts';
import { type Block, table } from '../../analysis/document/document.ts';
import { rateText } from '../../analysis/figures.ts';
import { listRuns, type RunsListed } from '../../analysis/history/runs.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { withLedgerToAnswer } from '../../library/opening/ledger.ts';
import type { Context } from '../context.ts';
import { moment } from '../events/event-lines.ts';
import { type FormatOption, printDocument, requireOneForm } from '../output/print.ts';

interface RunsOptions extends FormatOption {
  readonly tag?: string;
  readonly environment?: string;
  readonly limit: number;
  readonly arms?: true;
}

export async function runs(context: Context, options: RunsOptions): Promise<number> {
  requireOneForm(context, options);
  return await withLedgerToAnswer(context.session, async (ledger) => {
    const asOf = new Date().toISOString();
    const listed = await listRuns(ledger, options);
    requireKnown('--tag', options.tag, listed.tags);
    requireKnown('--environment', options.environment, listed.environments);
    const { total, rows, armsLeftOut } = listed;
    const result: RunsResult = { as_of: asOf, total, rows: [...rows], truncated: rows.length < total, armsLeftOut };
    if (context.flags.json) await context.printJson(result);
    else await printRuns(context, listed, options);
    await sayDamaged(context, listed);
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
async function sayDamaged(context: Context, { damaged }: RunsListed): Promise<void> {
  if (damaged.length === 0) return;
  const names = damaged.slice(0, mostNamed).map((run) => visible(run));
  const more = damaged.length > mostNamed ? ', ...' : '';
  await context.say(
    `${counted(damaged.length, 'run')} cannot be read, as events are damaged: ${names.join(', ')}${more}`,
  );
  await context.hint('icecore verify says which');
}

async function printRuns(context: Context, listed: RunsListed, options: FormatOption): Promise<void> {
  const { rows, total, armsLeftOut, damaged } = listed;
  if (rows.length === 0) {
    if (damaged.length === 0) await context.say('no runs yet');
    return;
  }
  await printDocument(context, { title: null, blocks: [runsTable(rows)], sections: [] }, options);
  if (rows.length + damaged.length < total) {
    await context.say(`${count(rows.length)} of ${counted(total, 'run')}; --limit ${total} shows all`);
  }
  if (armsLeftOut > 0) await context.say(`${counted(armsLeftOut, 'run')} of ablations beside; --arms shows them`);
}

function runsTable(rows: RunsListed['rows']): Block {
  return table(rows, [
    { title: 'run', mark: 'strong', cell: ({ name }) => name },
    { title: 'began', mark: 'quiet', cell: ({ at }) => (at === null ? '' : minute(at)) },
    { title: 'environment', cell: ({ environment }) => environment ?? '' },
    { title: 'engineer', cell: ({ engineer }) => engineer ?? '' },
    { title: 'form', cell: ({ form }) => form ?? '' },
    { title: 'stages', align: 'right', cell: stagesText },
    { title: 'valid', align: 'right', cell: ({ validation }) => (validation ? rateText(validation.valid) : '') },
    { title: 'optimal', align: 'right', cell: ({ validation }) => (validation ? rateText(validation.optimal) : '') },
    { title: 'state', cell: ({ state, holder }) => (holder === null ? state : `${state}: ${holder}`) },
    { title: 'tags', cell: ({ tags }) => tags.join(' ') },
  ]);
}

/** To the minute, in UTC. */
function minute(at: string): string {
  return moment(at).replace(/T(\d\d:\d\d):\d\dZ$/, ' $1');
}

function stagesText({ done, planned }: RunRow): string {
  return planned === null ? count(done) : `${count(done)}/${count(planned)}`;
}
