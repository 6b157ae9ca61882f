// The commands of plugins, and importers as commands. Help and completion need nothing else of plugins, so nothing else is loaded.
import { found, IcecoreError } from '../../../schemas/errors.ts';
import { PipeClosed } from '../../base/sink.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import type { ImporterEntry } from '../../lab/registry.ts';
import type { CommandEntry, CommandModule, Help } from './command.ts';
import { BadPlugin, NameTaken, partName } from './faults.ts';
import type { DefinedImporter } from './importer.ts';

/** The commands of a plugin, and its importers, which are commands. */
export interface PluginCommands {
  /** Its name in messages. */
  readonly name: string;
  readonly importers?: readonly DefinedImporter[];
  /** Commands with two words each; without a group, the heading is the plugin's name. */
  readonly commands?: readonly (Omit<CommandEntry, 'group'> & Partial<Pick<CommandEntry, 'group'>>)[];
  /** The help of a group of commands, by their first word. */
  readonly commandHelp?: Readonly<Record<string, Help>>;
}

/** First words that the command line uses itself; plugins cannot. */
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
    'audit',
    'show',
    'why',
  ],
  ...[
    'diff',
    'compare',
    'ablate',
    'report',
    'sql',
    'list',
    'lab',
    'event',
    'verify',
    'ledger',
    'tables',
    'import',
    'export',
  ],
  ...['serve', 'doctor', 'trust', 'demo', 'blob', 'completion', 'help'],
];

/** The commands of plugins, in order, with their plugins. Throws NameTaken and BadPlugin. */
export function commandsOf(plugins: readonly PluginCommands[]): readonly CommandEntry[] {
  return [...importCommands(plugins), ...definedCommands(plugins)];
}

/** One command per importer. */
function importCommands(plugins: readonly PluginCommands[]): readonly CommandEntry[] {
  return Array.from(importersOf(plugins).values(), ({ name, summary }) => ({
    ...{ name: `import ${name}`, group: 'in and out', summary: `Import runs: ${summary}` },
    load: async () => (await import('./import-command.ts')).importCommand(name),
  }));
}

function definedCommands(plugins: readonly PluginCommands[]): readonly CommandEntry[] {
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
      const who = partName('command', name, plugin);
      return { name, summary, group, load: async () => watchedCommand(await loaded(load, who), who) };
    }),
  );
}

type PluginCommand = NonNullable<PluginCommands['commands']>[number];

function requireEntry(entry: PluginCommand, plugin: string, at: string): PluginCommand {
  const { name, summary, group = plugin, load } = entry ?? {};
  const bad = (field: string, value: unknown, allowed: string): BadPlugin =>
    new BadPlugin(plugin, `${at}.${field}`, typeof value === 'string' ? JSON.stringify(value) : typeof value, allowed);
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31} [a-z][a-z0-9-]{0,31}$/.test(name))
    throw bad('name', name, 'two words of lower-case letters, digits and -, such as "acme greet"');
  if (ownWords.includes(name.split(' ')[0] ?? '')) throw bad('name', name, 'a first word that icecore does not use');
  for (const [field, value] of Object.entries({ summary, group }))
    if (typeof value !== 'string' || value === '') throw bad(field, value, 'a text');
  if (typeof load !== 'function') throw bad('load', load, 'a function');
  return entry;
}

async function loaded(load: CommandEntry['load'], who: string): Promise<CommandModule> {
  const module = (await callPlugin(load, who, 'load')) as Partial<CommandModule> | null | undefined;
  const wrong = (['run', 'args', 'options', 'examples'] as const).find((field) => {
    const value = module?.[field];
    return field === 'run' ? typeof value !== 'function' : typeof value !== 'object' || value === null;
  });
  if (wrong === undefined) return module as CommandModule;
  const issue = { field: wrong, found: typeof module?.[wrong], allowed: 'a command, made by defineCommand' };
  throw PluginFault.invalid(who, 'load', [issue]);
}

/** An unexpected error of the command is blamed on the plugin, not on icecore. */
function watchedCommand(module: CommandModule, who: string): CommandModule {
  return {
    ...module,
    async run(context, args, options) {
      const code = await callPlugin(async () => await module.run(context, args, options), who, 'run', context.signal);
      if (Number.isInteger(code) && (code as number) >= 0 && (code as number) <= 255) return code as number;
      throw PluginFault.invalid(who, 'run', [
        { field: 'exit code', found: String(code), allowed: 'a whole number from 0 to 255' },
      ]);
    },
  };
}

/** The names of icecore's own importers. */
const ownImporters = ['ndjson', 'bundle'];

export function importersOf(plugins: readonly PluginCommands[]): ReadonlyMap<string, ImporterEntry> {
  const owners = new Map<string, string>();
  const entries = plugins.flatMap(({ name: plugin, importers = [] }) =>
    importers.map((importer, i): ImporterEntry => {
      const { name, summary, records } = importer ?? {};
      const bad = (field: string, value: unknown, allowed: string): BadPlugin =>
        new BadPlugin(plugin, `importers[${i}].${field}`, found(value), allowed);
      if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(name))
        throw bad('name', name, 'at most 32 lower-case letters, digits and -');
      if (ownImporters.includes(name)) throw bad('name', name, `a name other than ${ownImporters.join(', ')}`);
      if (typeof summary !== 'string' || summary.trim() === '') throw bad('summary', summary, 'a text');
      if (typeof records !== 'function') throw bad('records', records, 'a function');
      const first = owners.get(name);
      if (first !== undefined) throw new NameTaken('importer', name, [first, plugin]);
      owners.set(name, plugin);
      return { name, summary, records: (given) => records(given, plugin) };
    }),
  );
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** Passes on errors that say what is wrong: those of icecore, of the operating system, and of an abort. */
export async function callPlugin(
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
