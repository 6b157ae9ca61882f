// A plugin: what somebody adds to icecore, under names. It is plain data and cheap to import; what is heavy is loaded when something
// of it is opened. A registry is made of plugins, whole or not at all.
import { IcecoreError } from '../../../schemas/errors.ts';
import { PipeClosed } from '../../base/sink.ts';
import type { EngineerEntry, EnvironmentEntry, PolicyEntry, Registry, TrainerEntry } from '../../lab/registry.ts';
import type { CommandEntry, CommandModule, Help } from './command.ts';
import { BadPlugin, blamed, NameTaken, PluginFault } from './faults.ts';
import { contextModulesOf, eventTypesOf, importersOf, type PluginParts, tablesOf } from './parts.ts';

/** What somebody adds to icecore: environments, policies, trainers, engineers, commands and more. */
export interface Plugin extends PluginParts {
  readonly environments?: readonly EnvironmentEntry[];
  readonly policies?: readonly PolicyEntry[];
  readonly trainers?: readonly TrainerEntry[];
  readonly engineers?: readonly EngineerEntry[];
  /** Of `icecore`, with two words each; one without a group has a heading of the plugin's name. */
  readonly commands?: readonly (Omit<CommandEntry, 'group'> & Partial<Pick<CommandEntry, 'group'>>)[];
  /** By the first word of commands: what help says of all that begin with it. */
  readonly commandHelp?: Readonly<Record<string, Help>>;
}

export { BadPlugin, NameTaken };

/** Returns the plugin as it is; the compiler checks its type. */
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
    engineers: byName(plugins, 'engineer', 'engineers', ownEngineers, ['propose', 'close']),
    trainers: byName(plugins, 'trainer', 'trainers', ['external'], ['component', 'train', 'close']),
    contextModules: contextModulesOf(plugins),
    importers: importersOf(plugins),
    eventTypes: eventTypesOf(plugins),
    tables: tablesOf(plugins),
    plugins: [...names.keys()],
  };
}

type Part = 'environments' | 'policies' | 'trainers' | 'engineers';

/** Those of icecore itself. */
const ownEngineers = ['fixed', 'uniform', 'random', 'static-small', 'schedule', 'rules', 'base', 'checkpoint', 'human'];
type EntryOf<Name extends Part> = NonNullable<Plugin[Name]>[number];

/** `reserved`: words that mean something else wherever such a name may stand. `has`: what is opened has these members. */
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
    Array.from(found, ([name, { entry, plugin }]) => [name, watched(entry, plugin, blamed(kind, name, plugin), has)]),
  );
}

/** Whatever it throws or gives is known for whose it is. */
function watched<Entry extends EntryOf<Part>>(
  entry: Entry,
  plugin: string,
  who: string,
  has: readonly string[],
): Entry {
  const open = async (options: never): Promise<unknown> => {
    const opened: unknown = await called(() => (entry.open as Open)({ ...(options as object), plugin }), who, 'open');
    const missing = has.find((member) => (opened as Readonly<Record<string, unknown>> | null)?.[member] === undefined);
    if (missing === undefined) return opened;
    throw PluginFault.rubbish(who, 'open', [
      { field: missing, found: 'nothing', allowed: `something with ${has.join(', ')}` },
    ]);
  };
  return { ...entry, open };
}

type Open = (options: object) => Promise<unknown>;

/** Faults that say what is wrong stay as they are: of icecore, of the operating system, and of whoever stopped it. */
async function called(
  body: () => Promise<unknown>,
  who: string,
  call: 'open' | 'load' | 'run',
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    return await body();
  } catch (fault) {
    const isKnown = fault instanceof IcecoreError || fault instanceof PipeClosed || signal?.aborted === true;
    const isOfSystem = call === 'run' && (fault as NodeJS.ErrnoException | null)?.syscall !== undefined;
    throw isKnown || isOfSystem ? fault : PluginFault.threw(who, call, fault);
  }
}

/** What has a blank or a slash in it would be read as a program or a path. */
const allowedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function requireName(plugin: string, field: string, name: unknown): void {
  if (typeof name === 'string' && allowedName.test(name)) return;
  const found = typeof name === 'string' ? JSON.stringify(name) : typeof name;
  throw new BadPlugin(plugin, field, found, 'letters, digits, . _ and -, at most 64');
}

/** First words that mean something to the command line already: no plugin can have a command that begins with one. */
export const ownWords: readonly string[] = [
  ...[
    'init',
    'run',
    'resume',
    'runs',
    'fork',
    'worker',
    'stage',
    'context',
    'propose',
    'adopt',
    'annotate',
    'show',
    'why',
  ],
  ...['diff', 'compare', 'ablate', 'report', 'sql', 'list', 'event', 'verify', 'ledger', 'tables', 'import', 'export'],
  ...['doctor', 'trust', 'demo', 'blob', 'completion', 'help'],
];

/** The commands of plugins, in their order, with whose they are. Throws NameTaken and BadPlugin. */
export function commandsOf(plugins: readonly Plugin[]): readonly CommandEntry[] {
  return [...importCommands(plugins), ...definedCommands(plugins)];
}

/** One for each importer. */
function importCommands(plugins: readonly Plugin[]): readonly CommandEntry[] {
  return Array.from(importersOf(plugins).values(), ({ name, summary }) => ({
    ...{ name: `import ${name}`, group: 'in and out', summary: `Import runs: ${summary}` },
    load: async () => (await import('./import-command.ts')).importCommand(name),
  }));
}

function definedCommands(plugins: readonly Plugin[]): readonly CommandEntry[] {
  const owners = new Map<string, string>();
  const names = new Set<string>();
  return plugins.flatMap(({ name: plugin, commands = [] }) =>
    commands.map((entry, i) => {
      const { name, summary, group = plugin, load } = requireEntry(entry, plugin, `commands[${i}]`);
      const [word = ''] = name.split(' ');
      const owner = owners.get(word) ?? plugin;
      if (owner !== plugin) throw new NameTaken('first word of commands', word, [owner, plugin]);
      if (names.has(name)) throw new NameTaken('command', name, [plugin, plugin]);
      owners.set(word, plugin);
      names.add(name);
      const who = blamed('command', name, plugin);
      return { name, summary, group, load: async () => watchedCommand(await loaded(load, who), who) };
    }),
  );
}

type PluginCommand = NonNullable<Plugin['commands']>[number];

function requireEntry(entry: PluginCommand, plugin: string, at: string): PluginCommand {
  const { name, summary, group = plugin, load } = entry ?? {};
  const bad = (field: string, value: unknown, allowed: string): BadPlugin =>
    new BadPlugin(plugin, `${at}.${field}`, typeof value === 'string' ? JSON.stringify(value) : typeof value, allowed);
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31} [a-z][a-z0-9-]{0,31}$/.test(name))
    throw bad('name', name, 'two words of small letters, digits and -, such as "acme greet"');
  if (ownWords.includes(name.split(' ')[0] ?? ''))
    throw bad('name', name, 'a first word that icecore itself does not have');
  for (const [field, value] of Object.entries({ summary, group }))
    if (typeof value !== 'string' || value === '') throw bad(field, value, 'a text');
  if (typeof load !== 'function') throw bad('load', load, 'a function');
  return entry;
}

async function loaded(load: CommandEntry['load'], who: string): Promise<CommandModule> {
  const module = (await called(load, who, 'load')) as Partial<CommandModule> | null | undefined;
  const wrong = (['run', 'args', 'options', 'examples'] as const).find((field) => {
    const value = module?.[field];
    return field === 'run' ? typeof value !== 'function' : typeof value !== 'object' || value === null;
  });
  if (wrong === undefined) return module as CommandModule;
  const issue = { field: wrong, found: typeof module?.[wrong], allowed: 'a command, as defineCommand makes it' };
  throw PluginFault.rubbish(who, 'load', [issue]);
}

/** What it throws that says neither what is wrong nor that it was stopped is the plugin's fault, not one of icecore. */
function watchedCommand(module: CommandModule, who: string): CommandModule {
  return {
    ...module,
    async run(context, args, options) {
      const code = await called(async () => await module.run(context, args, options), who, 'run', context.signal);
      if (Number.isInteger(code) && (code as number) >= 0 && (code as number) <= 255) return code as number;
      throw PluginFault.rubbish(who, 'run', [
        { field: 'exit code', found: String(code), allowed: 'a whole number from 0 to 255' },
      ]);
    },
  };
}
