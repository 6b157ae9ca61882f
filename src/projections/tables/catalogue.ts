// All tables, in the order in which they are documented.
import { readFileSync } from 'node:fs';
import { parseDefinition, type TableDefinition } from './definition.ts';

const names = [
  'runs',
  'evaluations',
  'rollouts',
  'failures',
  'ablations',
  'arms',
  'attempts',
  'events',
  'macros',
] as const;

let read: readonly TableDefinition[] | undefined;

export function tableDefinitions(): readonly TableDefinition[] {
  read ??= names.map((name) =>
    parseDefinition(name, readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8').replaceAll('\r\n', '\n')),
  );
  return read;
}
