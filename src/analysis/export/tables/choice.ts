// Which tables are exported, of which runs, and how each is cut.
import type { BundledRun } from '../../../../schemas/bundle.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../../schemas/nearest.ts';
import { quote, quoteName } from '../../../base/sql-quoting.ts';
import type { DocumentedTable } from '../../../projections/documentation.ts';

export interface ChosenTable {
  readonly table: DocumentedTable;
  /** Of its columns, those that name folders. */
  readonly partitions: readonly string[];
  /** What is asked for, as SQL. */
  readonly query: string;
}

export interface Choice {
  readonly tables: readonly ChosenTable[];
  /** Tables that are not of single runs, where runs were asked for. */
  readonly leftOut: readonly string[];
}

/** Of these there are many rows in each stage of a run. To cut the others so far would leave files of a few rows each. */
const cutByStage: readonly string[] = ['rollouts', 'failures', 'events'];

/** Of all tables those that are named, or all; cut into partitions, or whole. Throws NoSuchTable, NotOfRuns. */
export function chosenTables(
  all: readonly DocumentedTable[],
  named: readonly string[],
  runs: readonly BundledRun[] | null,
  isCut: boolean,
): Choice {
  const wanted = named.length === 0 ? all : named.map((name) => tableNamed(name, all));
  const isOfRuns = ({ columns }: DocumentedTable): boolean => columns.some(({ name }) => name === 'run_id');
  const others = runs === null ? [] : wanted.filter((table) => !isOfRuns(table));
  const [first] = others;
  if (named.length > 0 && first !== undefined) throw new NotOfRuns(first.name);
  const tables = new Map(
    wanted.filter((table) => !others.includes(table)).map((table) => [table.name, chosen(table, runs, isCut)] as const),
  );
  return { tables: [...tables.values()], leftOut: others.map(({ name }) => name) };
}

function chosen(table: DocumentedTable, runs: readonly BundledRun[] | null, isCut: boolean): ChosenTable {
  const partitions = isCut ? partitionsOf(table) : [];
  const where = runs === null ? '' : ` WHERE run_id IN (${runs.map(({ run }) => quote(run)).join(', ')})`;
  return { table, partitions, query: `SELECT * FROM ${quoteName(table.name)}${where}` };
}

function partitionsOf({ name, columns }: DocumentedTable): readonly string[] {
  const wanted = cutByStage.includes(name) ? ['run', 'stage'] : ['run'];
  return wanted.filter((one) => columns.some((column) => column.name === one));
}

function tableNamed(name: string, all: readonly DocumentedTable[]): DocumentedTable {
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new NoSuchTable(
    name,
    all.map((one) => one.name),
  );
}

class NoSuchTable extends IcecoreError {
  override readonly name = 'NoSuchTable';

  constructor(found: string, allowed: readonly string[]) {
    const near = nearestNames(found, allowed);
    super('usage', `there is no table "${found}"`, {
      facts: { found, allowed, nearest: near },
      remedy: didYouMean(near, 'icecore list tables lists them.'),
    });
  }
}

class NotOfRuns extends IcecoreError {
  override readonly name = 'NotOfRuns';

  constructor(table: string) {
    super('usage', `${table} is not of single runs: no runs can be chosen from it`, {
      facts: { table },
      remedy: 'Export it without --run and --tag, or the other tables with them.',
    });
  }
}
