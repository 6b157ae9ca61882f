// What tables and columns mean, for people: `icecore list tables`, and .tables and .schema at the prompt.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { table } from '../../document/layout.ts';
import { knownTables } from '../../library/opening/tables.ts';
import type { Session } from '../../library/session.ts';
import { type DocumentedTable, documentedTables } from '../../projections/documentation.ts';
import type { Context } from '../context.ts';

type Look = Pick<Context, 'paint' | 'io' | 'session'>;

/** All tables, a line each. */
export async function tablesText({ paint, io, session }: Look): Promise<string> {
  const tables = await tablesIn(session);
  const columns = [
    { title: '', paint: paint.bold },
    { title: '', wraps: true as const },
  ];
  return table(
    columns,
    tables.map(({ name, meaning }) => [name, withoutTitle(meaning)]),
    io.stdout,
  );
}

/** The columns of one table, or of all. */
export async function columnsText(look: Look, name: string | null): Promise<string> {
  const tables = name === null ? await tablesIn(look.session) : [await tableNamed(look.session, name)];
  return tables.map((one) => oneText(look, one)).join('\n');
}

export async function tablesIn(session: Session): Promise<readonly DocumentedTable[]> {
  return await documentedTables(await knownTables(session));
}

export async function tableNamed(session: Session, name: string): Promise<DocumentedTable> {
  const tables = await tablesIn(session);
  const found = tables.find((one) => one.name === name.toLowerCase());
  if (found !== undefined) return found;
  const near = nearestNames(
    name,
    tables.map((one) => one.name),
  );
  throw new IcecoreError('not-found', `there is no table "${name}"`, {
    facts: { found: name, nearest: near },
    remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'icecore list tables lists them.',
  });
}

function oneText({ paint, io }: Look, { name, meaning, columns }: DocumentedTable): string {
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

/** Of what stands in brackets, people see an example when they ask. */
function shortType(type: string): string {
  return type.replace(/^STRUCT\(.*\)/, 'STRUCT(…)');
}

/** `Runs: every run there is` stands beside the name already. */
function withoutTitle(meaning: string): string {
  const [, first = '', rest = ''] = /^[A-Z][\w ]{0,24}: (.)(.*)$/s.exec(meaning) ?? [];
  return first === '' ? meaning : first.toUpperCase() + rest;
}
