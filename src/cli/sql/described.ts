// Describes tables and columns for people: `icecore list tables`, and .tables and .schema at the prompt.
import type { ListTables } from '../../../schemas/tables-output.ts';
import { table } from '../../document/layout.ts';
import { tables } from '../../library/tables.ts';
import type { Context } from '../context.ts';

type Look = Pick<Context, 'paint' | 'io' | 'session'>;

/** All tables, each with the first sentence about it; `icecore list tables NAME` has the others. */
export async function tablesText({ paint, io, session }: Look): Promise<string> {
  const columns = [
    { title: 'table', paint: paint.bold },
    { title: 'from' },
    { title: 'what it has', wraps: true as const },
  ];
  const rows = (await tables(session)).rows.map(({ name, from, meaning }) => [
    name,
    from,
    firstSentence(withoutTitle(meaning)),
  ]);
  return table(columns, rows, io.stdout);
}

/** The columns of one table, or of all. */
export async function columnsText(look: Look, name: string | null): Promise<string> {
  return (await tables(look.session, name ?? undefined)).rows.map((one) => oneText(look, one)).join('\n');
}

function oneText({ paint, io }: Look, { name, meaning, columns }: ListTables['rows'][number]): string {
  const layout = [
    { title: '', paint: paint.bold },
    { title: '', paint: paint.dim },
    { title: '', wraps: true as const },
  ];
  const rows = columns.map((column) => [`  ${column.name}`, shortType(column.type), column.meaning]);
  const head = table(
    [
      { title: '', paint: paint.bold },
      { title: '', wraps: true },
    ],
    [[name, withoutTitle(meaning)]],
    io.stdout,
  );
  return head + table(layout, rows, io.stdout);
}

/** The fields of a struct are left out: a query shows examples. */
function shortType(type: string): string {
  return type.replace(/^STRUCT\(.*\)/, 'STRUCT(…)');
}

/** Ends where a sentence begins: not after an abbreviation within one. */
function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s+(?=[A-Z])/)[0] ?? text;
}

/** Without the title in `Runs: every run`, which repeats the name of the table. */
function withoutTitle(meaning: string): string {
  const [, first = '', rest = ''] = /^[A-Z][\w ]{0,24}: (.)(.*)$/s.exec(meaning) ?? [];
  return first === '' ? meaning : first.toUpperCase() + rest;
}
