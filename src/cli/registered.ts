// What `icecore list` prints: one line per registered name.
import { listNames } from '../base/name-lists.ts';
import { amountsText } from '../base/quantity.ts';
import { table } from '../document/layout.ts';
import { contexts, engineers, environments } from '../library/list.ts';
import type { Listing } from '../library/listing.ts';
import type { Context } from './context.ts';

export async function listEngineers(context: Context): Promise<number> {
  return await print(context, await engineers(context.session), {
    titles: ['engineer', 'from', 'what it does'],
    cells: ({ name, from, does }) => [name, from, does],
  });
}

export async function listContexts(context: Context): Promise<number> {
  return await print(context, await contexts(context.session), {
    titles: ['context', 'kind', 'from', 'what it shows'],
    cells: ({ name, kind, from, shows }) => [name, kind, from, shows],
  });
}

export async function listEnvironments(context: Context): Promise<number> {
  return await print(context, await environments(context.session), {
    titles: ['environment', 'from', 'what it is'],
    cells: ({ name, is, from, families, knobs, benchmarks, trainer, budget }) => [
      name,
      from,
      `${is}. Families: ${families.join(', ')}. Knobs: ${knobNames(knobs, families)}. Benchmarks: ${benchmarks.join(', ') || 'none'}. Trainer: ${trainer}, ${amountsText(budget)} a stage.`,
    ],
  });
}

/** A knob that every family has is named once: `data, hole and wait of each family`. */
function knobNames(knobs: readonly string[], families: readonly string[]): string {
  const [first = ''] = families;
  const inFirst = knobs.flatMap((knob) => (knob.startsWith(`${first}.`) ? [knob.slice(first.length + 1)] : []));
  const shared = inFirst.filter((short) => families.every((family) => knobs.includes(`${family}.${short}`)));
  const others = knobs.filter(
    (knob) => !shared.some((short) => families.some((family) => knob === `${family}.${short}`)),
  );
  return [...(shared.length === 0 ? [] : [`${listNames(shared)} of each family`]), ...others].join(', ');
}

export async function listTables(context: Context, name: string | undefined): Promise<number> {
  const { columnsText, tablesText } = await import('./sql/described.ts');
  if (context.flags.json)
    await context.printJson(await (await import('../library/tables.ts')).tables(context.session, name));
  else await context.print(name === undefined ? await tablesText(context) : await columnsText(context, name));
  return 0;
}

interface Layout<Row> {
  readonly titles: readonly string[];
  readonly cells: (row: Row) => readonly string[];
}

/** The name is bold, and the last column wraps. */
async function print<Row>(
  { flags, paint, io, print, printJson }: Context,
  list: Listing<Row>,
  { titles, cells }: Layout<Row>,
): Promise<number> {
  if (flags.json) await printJson(list);
  else {
    const columns = titles.map((title, i) => ({
      title,
      ...(i === 0 ? { paint: paint.bold } : {}),
      ...(i === titles.length - 1 ? { wraps: true as const } : {}),
    }));
    await print(table(columns, list.rows.map(cells), io.stdout));
  }
  return 0;
}
