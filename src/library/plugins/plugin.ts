// A plugin: named additions to icecore. It is plain data and cheap to import; heavy code is loaded when something of it is opened.
// A registry is built from plugins, completely or not at all.
import { engineers as ownEngineers } from '../../lab/engineers/registry.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import type { EngineerEntry, EnvironmentEntry, PolicyEntry, Registry, TrainerEntry } from '../../lab/registry.ts';
import { callPlugin, commandsOf, importersOf, type PluginCommands } from './commands.ts';
import { BadPlugin, blaming, NameTaken, partName } from './faults.ts';
import { contextModulesOf, eventTypesOf, type PluginParts, tablesOf } from './parts.ts';

/** Additions to icecore: environments, policies, trainers, engineers, commands and more. */
export interface Plugin extends PluginParts, PluginCommands {
  readonly environments?: readonly EnvironmentEntry[];
  readonly policies?: readonly PolicyEntry[];
  readonly trainers?: readonly TrainerEntry[];
  readonly engineers?: readonly EngineerEntry[];
}

export { BadPlugin, NameTaken };

/** Returns its argument; the compiler checks its type. */
export function definePlugin<const Defined extends Plugin>(plugin: Defined): Defined {
  return plugin;
}

/** In the order of the plugins. Throws NameTaken and BadPlugin. */
export function registryOf(plugins: readonly Plugin[]): Registry {
  const names = new Map<string, Plugin>();
  for (const plugin of plugins) {
    requireName('?', 'name', plugin.name);
    if (names.has(plugin.name)) throw new NameTaken('plugin', plugin.name, [plugin.name, plugin.name]);
    names.set(plugin.name, plugin);
  }
  commandsOf(plugins);
  return {
    environments: byName(plugins, 'environment', 'environments', [], ['descriptor', 'generate', 'judge', 'close']),
    policies: byName(plugins, 'policy', 'policies', ['base'], ['component', 'plan', 'close']),
    engineers: byName(plugins, 'engineer', 'engineers', Object.keys(ownEngineers), ['propose', 'close']),
    trainers: byName(plugins, 'trainer', 'trainers', ['external'], ['component', 'train', 'close']),
    contextModules: contextModulesOf(plugins),
    importers: importersOf(plugins),
    eventTypes: eventTypesOf(plugins),
    tables: tablesOf(plugins),
    plugins: [...names.keys()],
  };
}

type Part = 'environments' | 'policies' | 'trainers' | 'engineers';

type EntryOf<Name extends Part> = NonNullable<Plugin[Name]>[number];

/** `reserved`: words with another meaning where such a name is used. `has`: the members of an opened port. */
function byName<Name extends Part>(
  plugins: readonly Plugin[],
  kind: string,
  part: Name,
  reserved: readonly string[],
  has: readonly string[],
): ReadonlyMap<string, EntryOf<Name>> {
  const found = new Map<string, { readonly entry: EntryOf<Name>; readonly plugin: string }>();
  for (const { name: plugin, [part]: entries = [] } of plugins) {
    for (const [i, entry] of (entries as readonly EntryOf<Name>[]).entries()) {
      const field = `${part}[${i}]`;
      requireName(plugin, `${field}.name`, entry?.name);
      if (reserved.includes(entry.name))
        throw new BadPlugin(plugin, `${field}.name`, entry.name, `a name other than ${reserved.join(', ')}`);
      if (typeof entry.open !== 'function')
        throw new BadPlugin(plugin, `${field}.open`, typeof entry.open, 'a function');
      const before = found.get(entry.name);
      if (before !== undefined) throw new NameTaken(kind, entry.name, [before.plugin, plugin]);
      found.set(entry.name, { entry, plugin });
    }
  }
  return new Map(
    Array.from(found, ([name, { entry, plugin }]) => [name, watched(entry, plugin, partName(kind, name, plugin), has)]),
  );
}

/** Blames errors and invalid results of `open` on the plugin. */
function watched<Entry extends EntryOf<Part>>(
  entry: Entry,
  plugin: string,
  who: string,
  has: readonly string[],
): Entry {
  const open = async (options: never): Promise<unknown> => {
    const opened: unknown = await callPlugin(
      () => (entry.open as Open)({ ...(options as object), plugin }),
      who,
      'open',
    );
    const missing = has.find((member) => (opened as Readonly<Record<string, unknown>> | null)?.[member] === undefined);
    if (missing === undefined) return blaming(opened as object, who);
    throw PluginFault.invalid(who, 'open', [
      { field: missing, found: 'nothing', allowed: `something with ${has.join(', ')}` },
    ]);
  };
  return { ...entry, open };
}

type Open = (options: object) => Promise<unknown>;

/** A name with a blank or a slash would be read as a program or a path. */
const allowedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function requireName(plugin: string, field: string, name: unknown): void {
  if (typeof name === 'string' && allowedName.test(name)) return;
  const found = typeof name === 'string' ? JSON.stringify(name) : typeof name;
  throw new BadPlugin(plugin, field, found, 'letters, digits, . _ and -, at most 64');
}
