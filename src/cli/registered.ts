// What `icecore list` shows: what is registered under a name, one line each.

import { basename } from 'node:path';
import type { ListContexts, ListEngineers, ListEnvironments } from '../../schemas/list-output.ts';
import { table } from '../document/layout.ts';
import { Untrusted } from '../library/consent/gate.ts';
import { findConfig, modelsIn } from '../library/place/config.ts';
import type { LoadedPlugins } from '../library/session.ts';
import { formNamed, meanings, modules, presetNames } from '../producers/contexts/forms.ts';
import { engineers } from '../producers/engineers/engineers.ts';
import type { Context } from './context.ts';

export async function listEngineers(context: Context): Promise<number> {
  const builtIn = Object.entries(engineers).map(([name, does]) => ({ name, does, from: icecore, model: null }));
  const loaded = await pluginsToList(context);
  const registered = Array.from(loaded.registry.engineers.values(), ({ name, summary }) => ({
    ...{ name, does: summary, from: sourceOf(loaded, 'engineers', name), model: null },
  }));
  const config = findConfig(context.session);
  const models = Array.from(modelsIn(config).values(), ({ name, model }) => ({
    name,
    does: `asks the model ${model ?? name}`,
    from: basename(config?.path ?? ''),
    model: model ?? name,
  }));
  return await list(
    context,
    [...builtIn, ...registered, ...models] satisfies ListEngineers['rows'],
    ({ name, does, from }) => [name, from, does],
  );
}

export async function listContexts(context: Context): Promise<number> {
  const forms = presetNames.map((name) => {
    const own = formNamed(name).modules;
    return { name, kind: 'form' as const, shows: own.join(' + '), from: icecore, modules: [...own] };
  });
  const single = modules.map((name) => ({
    name,
    kind: 'module' as const,
    shows: meanings[name],
    from: icecore,
    modules: [name],
  }));
  return await list(context, [...forms, ...single] satisfies ListContexts['rows'], ({ name, kind, from, shows }) => [
    name,
    kind,
    from,
    shows,
  ]);
}

export async function listEnvironments(context: Context): Promise<number> {
  const rows: ListEnvironments['rows'] = [];
  const loaded = await pluginsToList(context);
  for (const { name, summary, open } of loaded.registry.environments.values()) {
    const environment = await open({ knobs: [], signal: context.signal });
    const { descriptor, suites } = environment;
    await environment.close();
    rows.push({
      name,
      is: summary,
      from: sourceOf(loaded, 'environments', name),
      families: descriptor.families.map(({ family }) => family),
      knobs: descriptor.knobs.map((knob) => knob.name),
      benchmarks: suites.map((suite) => suite.name),
    });
  }
  return await list(context, rows, ({ name, is, from, families, knobs, benchmarks }) => [
    name,
    from,
    `${is}: ${families.length} families, ${knobs.length} knobs, ${benchmarks.length} benchmarks`,
  ]);
}

export async function listTables(context: Context, name: string | undefined): Promise<number> {
  const { columnsText, tablesText } = await import('./sql/described.ts');
  if (context.flags.json) await context.printJson(await (await import('../library/tables.ts')).tables(name));
  else await context.print(name === undefined ? await tablesText(context) : await columnsText(context, name));
  return 0;
}

/** Where what comes with icecore itself is from. */
const icecore = 'icecore';

/** With those of a settings file whose code was allowed before: to list asks nobody. */
async function pluginsToList({ session, hint }: Context): Promise<LoadedPlugins> {
  try {
    return await session.plugins.all();
  } catch (fault) {
    if (!(fault instanceof Untrusted)) throw fault;
    await hint(`What a settings file registers is not listed: ${fault.message}. ${fault.remedy}`);
    return await session.plugins.current();
  }
}

/** The plugin that has an entry of that name, and the settings file that brought it. */
function sourceOf({ plugins, config }: LoadedPlugins, part: 'engineers' | 'environments', name: string): string {
  const plugin = plugins.find((one) => one[part]?.some((entry) => entry.name === name));
  if (plugin === undefined) return icecore;
  return config?.plugins.includes(plugin) === true ? `${plugin.name} (${basename(config.path)})` : plugin.name;
}

async function list<Row>(
  context: Context,
  rows: readonly Row[],
  cells: (row: Row) => readonly string[],
): Promise<number> {
  if (context.flags.json) await context.printJson(envelope(rows));
  else {
    const lines = rows.map(cells);
    const columns = lines[0]?.map((_, i) => (i === 0 ? { title: '', paint: context.paint.bold } : { title: '' })) ?? [];
    const last = columns.pop();
    await context.print(
      table(last === undefined ? [] : [...columns, { ...last, wraps: true }], lines, context.io.stdout),
    );
  }
  return 0;
}

function envelope<Row>(rows: readonly Row[]) {
  return { as_of: new Date().toISOString(), total: rows.length, rows, truncated: false };
}
