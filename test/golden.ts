// The content of a golden ledger, according to its tables.
import { createHash } from 'node:crypto';
import { openLedger } from '../src/ledger/open.ts';
import { rowsOf } from '../src/projections/projector/layout.ts';
import { project } from '../src/projections/projector/projector.ts';
import { reading, within } from '../src/projections/warehouse/holding.ts';

export interface Expectation {
  /** Number of events in the ledger. */
  readonly events: number;
  /** Number of rows in each table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Digests of the rows of some tables, in the columns they had. */
  readonly content: Readonly<Record<string, Content>>;
}

interface Content {
  readonly columns: readonly string[];
  readonly sha256: string;
}

const digested = ['runs', 'stages', 'rollouts'];

/** `before`: the expectation recorded with the ledger, which determines the columns to check. */
export async function expectationOf(path: string, tables: string, before?: Expectation): Promise<Expectation> {
  const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
  try {
    const done = await project(ledger, tables);
    return await within(done.path, reading, {}, async (connection) => {
      const ask = async (sql: string): Promise<readonly Record<string, unknown>[]> => await rowsOf(connection, sql);
      const views = await ask(
        "SELECT view_name AS name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal ORDER BY name",
      );
      const rows: Record<string, number> = {};
      for (const name of before === undefined ? views.map(({ name }) => String(name)) : Object.keys(before.tables))
        rows[name] = Number((await ask(`SELECT count(*) AS n FROM ${name}`))[0]?.['n']);
      const content: Record<string, Content> = {};
      for (const name of digested) {
        const columns = before?.content[name]?.columns ?? (await columnsOf(ask, name));
        content[name] = { columns, sha256: await digestOf(ask, name, columns) };
      }
      return { events: done.events, tables: rows, content };
    });
  } finally {
    await ledger.close();
  }
}

type Ask = (sql: string) => Promise<readonly Record<string, unknown>[]>;

async function columnsOf(ask: Ask, table: string): Promise<readonly string[]> {
  const rows = await ask(`SELECT column_name AS name FROM (DESCRIBE ${table})`);
  return rows.map(({ name }) => String(name));
}

async function digestOf(ask: Ask, table: string, columns: readonly string[]): Promise<string> {
  const rows = await ask(`SELECT to_json(r)::VARCHAR AS line FROM (SELECT ${columns.join(', ')} FROM ${table}) AS r`);
  const lines = rows.map(({ line }) => String(line)).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
