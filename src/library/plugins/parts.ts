// Registers the parts of plugins that are data or single functions. Names must be unique.

import { typeName } from '../../../schemas/define-event.ts';
import { found } from '../../../schemas/errors.ts';
import type { EventType } from '../../../schemas/family.ts';
import { type OwnTable, ownTable } from '../../../schemas/own-tables.ts';
import { type ContextModuleEntry, type ContextModules, isOwnModule } from '../../lab/context-modules.ts';
import { tableNames } from '../../projections/tables/names.ts';
import type { DefinedContextModule } from './context-module.ts';
import { BadPlugin, issuesOf, NameTaken } from './faults.ts';
import type { ProjectionEntry } from './projection.ts';

export interface PluginParts {
  /** Its name in messages. */
  readonly name: string;
  /** Made by `defineEvent`. */
  readonly events?: readonly EventType[];
  readonly projections?: readonly ProjectionEntry[];
  readonly contextModules?: readonly DefinedContextModule[];
}

/** In the order of the plugins. */
export function eventTypesOf(plugins: readonly PluginParts[]): readonly EventType[] {
  const owners = new Map<string, string>();
  return plugins.flatMap(({ name: plugin, events = [] }) =>
    events.map((declared, i) => {
      requireEventType(plugin, `events[${i}]`, declared);
      const first = owners.get(declared.type);
      if (first !== undefined) throw new NameTaken('event type', declared.type, [first, plugin]);
      owners.set(declared.type, plugin);
      return declared;
    }),
  );
}

/** Finds entries that were not made, and so not checked, by `defineEvent`. */
function requireEventType(plugin: string, field: string, declared: Partial<EventType> | null | undefined): void {
  const { type, versions, upcasts, categories } = declared ?? {};
  const isWhole = Array.isArray(versions) && Array.isArray(upcasts) && Array.isArray(categories);
  if (typeof type === 'string' && typeName.test(type) && isWhole && versions.length === upcasts.length + 1) return;
  throw new BadPlugin(plugin, field, found(declared), 'what defineEvent returned');
}

export function contextModulesOf(plugins: readonly PluginParts[]): ContextModules {
  const modules = new Map<string, { readonly plugin: string; readonly entry: ContextModuleEntry }>();
  for (const { name: plugin, contextModules = [] } of plugins) {
    for (const [i, module] of contextModules.entries()) {
      const { name, version, meaning, build } = module ?? {};
      const bad = (field: string, value: unknown, allowed: string): BadPlugin =>
        new BadPlugin(plugin, `contextModules[${i}].${field}`, found(value), allowed);
      if (typeof name !== 'string' || !isOwnModule(name))
        throw bad('name', name, 'words of lower-case letters, digits, _ and -, joined by dots: acme.trend');
      for (const [field, value] of Object.entries({ version, meaning }))
        if (typeof value !== 'string' || value.trim() === '') throw bad(field, value, 'a text');
      if (typeof build !== 'function') throw bad('build', build, 'a function');
      const before = modules.get(name);
      if (before !== undefined) throw new NameTaken('context module', name, [before.plugin, plugin]);
      modules.set(name, { plugin, entry: { name, version, meaning, build: (history) => build(history, plugin) } });
    }
  }
  return new Map(Array.from(modules, ([name, { entry }]) => [name, entry]));
}

export function tablesOf(plugins: readonly PluginParts[]): readonly OwnTable[] {
  const owners = new Map<string, string>(tableNames.map((name) => [name, 'icecore']));
  return plugins.flatMap(({ name: plugin, projections = [] }) =>
    projections.map((entry, i) => {
      const table = { ...entry, plugin };
      const [issue] = issuesOf(ownTable.safeParse(table).error ?? { issues: [] }, table, `projections[${i}]`);
      if (issue !== undefined) throw new BadPlugin(plugin, issue.field, issue.found, issue.allowed);
      const first = owners.get(entry.table);
      if (first === 'icecore')
        throw new BadPlugin(plugin, `projections[${i}].table`, entry.table, 'a name that no table of icecore has');
      if (first !== undefined) throw new NameTaken('table', entry.table, [first, plugin]);
      owners.set(entry.table, plugin);
      return table;
    }),
  );
}
