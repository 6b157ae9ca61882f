// Converts plugin tables from their plain definitions to tables like icecore's. The definitions are stored in a file
// next to the tables, and every process uses it to fill tables, with or without the plugin.
import { join } from 'node:path';
import { parseJson } from '../../../schemas/json-text.ts';
import { type OwnColumn, type OwnTable, ownTables, sharedColumns } from '../../../schemas/own-tables.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { quote, quoteName } from '../../base/sql-quoting.ts';
import { writeWhole } from '../../base/write-whole.ts';
import type { Registry } from '../../lab/registry.ts';
import { sharedFolder } from '../warehouse/settings-part.ts';
import { type TableCatalogue, tableCatalogue } from './catalogue.ts';
import type { TableDefinition } from './definition.ts';
import { tableNames } from './names.ts';

/** All settings share the definitions: whoever looks without the plugin has its tables. */
function fileIn(folder: string): string {
  return join(sharedFolder(folder), 'own-tables.json');
}

const mostBytes = 1 << 22;

/** Null if there is no such file, or if another version of icecore wrote it in another form. */
function textIn(folder: string): string | null {
  try {
    return readRegularFile(fileIn(folder), mostBytes).toString();
  } catch {
    return null;
  }
}

function parsed(text: string | null): readonly OwnTable[] {
  if (text === null) return [];
  try {
    return ownTables.parse(parseJson(text)).tables.filter(({ table }) => !isIcecores(table));
  } catch {
    return [];
  }
}

export function isIcecores(table: string): boolean {
  return (tableNames as readonly string[]).includes(table);
}

/** The loaded plugins and their tables. */
export type Declared = Pick<Registry, 'plugins' | 'tables'>;

/** A table of a plugin that is not loaded stays; one that its plugin no longer has is removed. */
function merged(kept: readonly OwnTable[], { plugins, tables }: Declared): readonly OwnTable[] {
  const names = new Set(tables.map(({ table }) => table));
  const others = kept.filter(({ plugin, table }) => !plugins.includes(plugin) && !names.has(table));
  return [...others, ...tables].sort((one, other) => (one.table < other.table ? -1 : 1));
}

/** Stores the tables that plugins declare. */
export async function keepOwnTables(folder: string, declared: Declared): Promise<void> {
  const text = textIn(folder);
  const tables = merged(parsed(text), declared);
  const wanted = `${JSON.stringify({ format: 1, tables })}\n`;
  if (wanted !== text && (text !== null || tables.length > 0)) await writeWhole(fileIn(folder), wanted);
}

/** The definitions for a folder of tables with the loaded plugins; null if the folder does not exist. */
export function catalogueOf(folder: string | null, declared: Declared): TableCatalogue {
  return catalogueWith(merged(parsed(folder === null ? null : textIn(folder)), declared));
}

let last: { readonly text: string; readonly catalogue: TableCatalogue } | undefined;

/** The definitions for the tables in a folder. */
export function catalogueIn(folder: string): TableCatalogue {
  const text = textIn(folder);
  if (text === null) return tableCatalogue();
  if (last?.text !== text) last = { text, catalogue: catalogueWith(parsed(text)) };
  return last.catalogue;
}

/** icecore's tables followed by those of plugins. */
function catalogueWith(own: readonly OwnTable[]): TableCatalogue {
  const icecores = tableCatalogue();
  if (own.length === 0) return icecores;
  return {
    ...icecores,
    definitions: [...icecores.definitions, ...own.map(definitionOf)],
    ownTypes: new Set(own.map(({ type }) => type)),
  };
}

const sharedTypes: Readonly<Record<Exclude<keyof typeof sharedColumns, 'run'>, string>> = {
  stage: 'BIGINT',
  happened_at: 'TIMESTAMP',
  actor: 'VARCHAR',
  id: 'UUID',
  stream: 'VARCHAR',
  revision: 'BIGINT',
  version: 'USMALLINT',
  run_id: 'VARCHAR',
};

function definitionOf({ plugin, table, summary, type, columns }: OwnTable): TableDefinition {
  const stored = `own_${table}`;
  const shared = Object.entries(sharedTypes);
  const [before, after] = [shared.slice(0, 1), shared.slice(1)];
  const own = columns.map((column) => [quoteName(column.name), column.type] as const);
  const all = [...before, ...own, ...after];
  const meaningOf = (name: string) => ({ name, meaning: sharedColumns[name as keyof typeof sharedColumns] });
  const values = [...before.map(([name]) => name), ...columns.map(valueFrom), ...after.map(([name]) => name)];
  return {
    name: table,
    meaning: summary,
    plugin,
    columns: [
      meaningOf('run'),
      ...before.map(([name]) => meaningOf(name)),
      ...columns.map(({ name, meaning }) => ({ name, meaning })),
      ...after.map(([name]) => meaningOf(name)),
    ],
    stored: new Map([[stored, `CREATE TABLE log.${stored} (${all.map((column) => column.join(' ')).join(', ')})`]]),
    fills: [
      {
        from: { types: [type], but: false },
        sql: `INSERT INTO log.${stored} SELECT ${values.join(', ')} FROM batch`,
      },
    ],
    tallies: [],
    modelled: [],
    made: [
      `CREATE VIEW ${table} AS SELECT n.run, ${all.map(([name]) => `t.${name}`).join(', ')}
FROM log.${stored} AS t LEFT JOIN log.run_names AS n ON n.run_id = t.run_id`,
    ],
  };
}

/** The first place with a value. A value of another type than the column is null. */
function valueFrom({ type, from }: OwnColumn): string {
  const found = from.map((pointer) => {
    const [json, text] = [`(data -> ${quote(pointer)})`, `(data ->> ${quote(pointer)})`];
    if (type === 'VARCHAR') return text;
    if (type === 'JSON') return `nullif(${json}, 'null')`;
    if (type === 'TIMESTAMP') return `make_timestamp(epoch_us(TRY_CAST(${text} AS TIMESTAMPTZ)))`;
    if (type === 'TIMESTAMP[]') return `TRY_CAST(TRY_CAST(${json} AS TIMESTAMPTZ[]) AS TIMESTAMP[])`;
    return `TRY_CAST(${type.endsWith('[]') ? json : text} AS ${type})`;
  });
  return found.length === 1 ? String(found[0]) : `coalesce(${found.join(', ')})`;
}
