// What `icecore runs` does: runs, the newest first.
import type { RunRow, RunsResult } from '../../../schemas/run-output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted } from '../../base/quantity.ts';
import { type Block, note, table } from '../../document/document.ts';
import { rateText } from '../../document/figures.ts';
import { moment } from '../../document/gist.ts';
import { findPlace } from '../../library/place/place.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import { runs as listRuns } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { requireOneForm } from '../output/print.ts';

interface RunsOptions extends FormatOption {
  readonly tag?: string;
  readonly environment?: string;
  readonly limit: number;
  readonly arms?: true;
}

export async function runs(context: Context, options: RunsOptions): Promise<number> {
  requireOneForm(context, options);
  const { result, damaged } = await listRuns(context.session, options);
  if (context.flags.json) await context.printJson(result);
  else await printRuns(context, result, damaged, options);
  await sayDamaged(context, damaged);
  return 0;
}

const mostNamed = 3;

/** Also for programs: a list that leaves out what cannot be read would seem whole. */
async function sayDamaged(context: Context, damaged: readonly string[]): Promise<void> {
  if (damaged.length === 0) return;
  const names = damaged.slice(0, mostNamed).map((run) => escapeControls(run));
  const more = damaged.length > mostNamed ? ', ...' : '';
  await context.say(
    `${counted(damaged.length, 'run')} cannot be read, as events are damaged: ${names.join(', ')}${more}`,
  );
  await context.hint('icecore verify says which');
}

async function printRuns(
  context: Context,
  { rows, total, armsLeftOut }: RunsResult,
  damaged: readonly string[],
  options: FormatOption,
): Promise<void> {
  if (rows.length === 0) {
    if (damaged.length === 0) await context.say(`no runs yet in ${findPlace(context.session).ledger.url}`);
    return;
  }
  const isMarked = rows.some(({ validation, done }) => validation !== null && validation.stage > done);
  const legend = isMarked ? [note('…: of a stage that is not complete.')] : [];
  await context.print({ title: null, blocks: [runsTable(rows), ...legend], sections: [] }, options);
  if (rows.length + damaged.length < total) {
    await context.say(`${count(rows.length)} of ${counted(total, 'run')}; --limit ${total} shows all`);
  }
  if (armsLeftOut > 0) await context.say(`${counted(armsLeftOut, 'run')} of ablations beside; --arms shows them`);
}

function runsTable(rows: readonly RunRow[]): Block {
  return table(rows, [
    { title: 'run', mark: 'strong', cell: ({ name }) => name },
    { title: 'began', mark: 'quiet', minor: true, cell: ({ at }) => (at === null ? '' : minute(at)) },
    { title: 'environment', cell: ({ environment }) => environment ?? '' },
    { title: 'engineer', cell: ({ engineer }) => engineer ?? '' },
    { title: 'context', minor: true, cell: ({ form }) => form ?? '' },
    { title: 'stages', align: 'right', cell: stagesText },
    { title: 'valid', align: 'right', cell: (row) => validationText(row, 'valid') },
    { title: 'optimal', align: 'right', cell: (row) => validationText(row, 'optimal') },
    { title: 'state', cell: stateText },
    { title: 'tags', cell: ({ tags }) => tags.join(' ') },
  ]);
}

/** Marks the validation of a stage that is not over, as `show` does. */
function validationText({ validation, done }: RunRow, measure: 'valid' | 'optimal'): string {
  if (validation === null) return '';
  const text = rateText(validation[measure]);
  return text !== '' && validation.stage > done ? `…${text}` : text;
}

function stateText({ state, holder, waiting }: RunRow): string {
  if (waiting !== null) return `waiting: ${waiting.for}`;
  return holder === null ? state : `${state}: ${holder}`;
}

/** To the minute, in UTC. */
function minute(at: string): string {
  return moment(at).replace(/T(\d\d:\d\d):\d\dZ$/, ' $1');
}

function stagesText({ done, planned }: RunRow): string {
  return planned === null ? count(done) : `${count(done)}/${count(planned)}`;
}
