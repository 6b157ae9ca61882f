// What a statement names, read from the tree that DuckDB's own parser makes of it. Names of common table expressions are
// known where they can be seen from, and only there: elsewhere the same word could be a file.

import { functionsOfTables, sourceArgument } from './vocabulary.ts';

export type Reference =
  | { readonly kind: 'table'; readonly qualifiers: readonly string[]; readonly name: string; readonly at: number }
  | { readonly kind: 'table function' | 'function'; readonly name: string; readonly at: number }
  /** What SHOW lists, when it is not a table. */
  | { readonly kind: 'listing'; readonly name: string; readonly at: number };

type Node = Readonly<Record<string, unknown>>;
type Names = ReadonlySet<string>;

export function referencesIn(tree: unknown): readonly Reference[] {
  const found: Reference[] = [];
  walk(tree, new Set(), found);
  return found;
}

function walk(value: unknown, visible: Names, found: Reference[]): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visible, found);
  else if (typeof value === 'object' && value !== null) walkNode(value as Node, visible, found);
}

function walkNode(node: Node, outer: Names, found: Reference[]): void {
  const visible = withExpressions(node, outer, found);
  const reference = referenceOf(node);
  const source = sourceOf(node);
  if (source !== null) found.push(source);
  else if (reference !== null && !(reference.kind === 'table' && isExpression(reference, visible)))
    found.push(reference);
  for (const [key, value] of Object.entries(node)) {
    if (key === 'cte_map') continue;
    const isCalledAsTable = key === 'function' && node['type'] === 'TABLE_FUNCTION';
    walk(isCalledAsTable ? (value as Node)['children'] : value, visible, found);
  }
}

/** Each expression sees those before it, and itself only where it is recursive. */
function withExpressions(node: Node, outer: Names, found: Reference[]): Names {
  const own = text(node, 'cte_name');
  const visible = new Set(outer);
  if (node['type'] === 'RECURSIVE_CTE_NODE' && own !== '') visible.add(own);
  for (const { key, value } of expressionsOf(node)) {
    walk(value, visible, found);
    visible.add(String(key).toLowerCase());
  }
  return visible;
}

function expressionsOf(node: Node): readonly { key: unknown; value: unknown }[] {
  const map = (node['cte_map'] as Node | undefined)?.['map'];
  return Array.isArray(map) ? map : [];
}

function isExpression(table: { qualifiers: readonly string[]; name: string }, visible: Names): boolean {
  return table.qualifiers.length === 0 && visible.has(table.name);
}

function referenceOf(node: Node): Reference | null {
  const at = typeof node['query_location'] === 'number' ? node['query_location'] : Number.NaN;
  if (node['type'] === 'BASE_TABLE') {
    const qualifiers = [text(node, 'catalog_name'), text(node, 'schema_name')].filter((name) => name !== '');
    return { kind: 'table', qualifiers, name: text(node, 'table_name'), at };
  }
  if (node['type'] === 'TABLE_FUNCTION')
    return { kind: 'table function', name: text(node['function'] as Node, 'function_name'), at };
  if (node['type'] === 'SHOW_REF' && node['query'] === null)
    return { kind: 'listing', name: text(node, 'table_name').replaceAll('"', ''), at };
  return 'function_name' in node ? { kind: 'function', name: text(node, 'function_name'), at } : null;
}

/** The table that a function reads which takes the name of one: nothing but a name, and no expression of the statement, as
 * the function does not see those. */
function sourceOf(node: Node): Reference | null {
  if (node['type'] !== 'TABLE_FUNCTION') return null;
  const called = node['function'] as Node;
  const [source, ...others] = called['children'] as readonly Node[];
  if (!functionsOfTables.has(text(called, 'function_name')) || source?.['type'] !== 'COLUMN_REF') return null;
  if ([source, ...others].some((argument) => text(argument, 'alias') === sourceArgument)) return null;
  const names = (source['column_names'] as readonly string[]).map((name) => name.toLowerCase());
  const at = typeof source['query_location'] === 'number' ? source['query_location'] : Number.NaN;
  return { kind: 'table', qualifiers: names.slice(0, -1), name: names.at(-1) ?? '', at };
}

function text(node: Node, key: string): string {
  return typeof node[key] === 'string' ? node[key].toLowerCase() : '';
}
