// What an experiment can name: engineers, context forms and modules, environments.

import { basename } from 'node:path';
import type { ListContexts, ListEngineers, ListEnvironments } from '../../schemas/list-output.ts';
import { engineers as builtIn } from '../lab/engineers/registry.ts';
import { formNamed, meanings, modules, nameOfForm, presetNames } from '../producers/contexts/forms.ts';
import { Untrusted } from './consent/gate.ts';
import { usualTraining } from './experiment/settings.ts';
import { listOf } from './listing.ts';
import { badOption } from './option-error.ts';
import { findConfig, modelsIn } from './place/config.ts';
import type { LoadedPlugins, Session } from './session.ts';

/** Built-in engineers, those of plugins, and models of the settings. */
export async function engineers(session: Session): Promise<ListEngineers> {
  const own = Object.entries(builtIn).map(([name, does]) => ({ name, does, from, model: null }));
  const loaded = await pluginsToList(session);
  const registered = Array.from(loaded.registry.engineers.values(), ({ name, summary }) => ({
    ...{ name, does: summary, from: sourceOf(loaded, 'engineers', name), model: null },
  }));
  const config = findConfig(session);
  const models = Array.from(modelsIn(config).values(), ({ name, model }) => ({
    name,
    does: `asks the model ${model ?? name}`,
    from: basename(config?.path ?? ''),
    model: model ?? name,
  }));
  return listOf([...own, ...registered, ...models]);
}

/** The source of what icecore itself brings. */
const from = 'icecore';

/** Includes plugins of a settings file only if its code was allowed before: listing asks no questions. */
export async function pluginsToList({ plugins, notify }: Session): Promise<LoadedPlugins> {
  try {
    return await plugins.all();
  } catch (fault) {
    if (!(fault instanceof Untrusted)) throw fault;
    const text = `Plugins of the settings file are not listed: ${fault.message}. ${fault.remedy}`;
    await notify({ kind: 'hint', text });
    return await plugins.current();
  }
}

/** The plugin with an entry of that name, and the settings file that registers it. */
function sourceOf(
  { plugins, config }: LoadedPlugins,
  part: 'engineers' | 'environments' | 'contextModules',
  name: string,
): string {
  const plugin = plugins.find((one) => one[part]?.some((entry) => entry.name === name));
  if (plugin === undefined) return from;
  return config?.plugins.includes(plugin) === true ? `${plugin.name} (${basename(config.path)})` : plugin.name;
}

/** What an engineer can be shown: forms, and the modules they consist of. */
export async function contexts(session: Session): Promise<ListContexts> {
  const forms = presetNames.map((name) => {
    const { modules: own, parameters } = formNamed(name);
    const history: { readonly first?: unknown } = parameters?.['history'] ?? {};
    const first = history.first === true ? ' with the first configuration' : '';
    return { name, kind: 'form' as const, shows: `${own.join(' + ')}${first}`, from, modules: [...own] };
  });
  const single = modules.map((name) => ({
    ...{ name, kind: 'module' as const, shows: meanings[name], from, modules: [name] },
  }));
  const loaded = await pluginsToList(session);
  const own = Array.from(loaded.registry.contextModules.values(), ({ name, meaning }) => ({
    ...{
      name,
      kind: 'module' as const,
      shows: meaning,
      from: sourceOf(loaded, 'contextModules', name),
      modules: [name],
    },
  }));
  return listOf([...forms, ...single, ...own]);
}

/** The forms that a text names: one by its name, modules joined by `+`, or a range `v1-v6`, also written `v1..v6`. */
export function formsNamed(text: string, field: string): readonly string[] {
  const [, from, to] = /^(v\d+)-(v\d+)$/.exec(text) ?? /^(.+)\.\.(.+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return [nameOfForm(formNamed(text))];
  const [first, last] = [presetNames.indexOf(from), presetNames.indexOf(to)];
  if (first >= 0 && last >= first) return presetNames.slice(first, last + 1);
  throw badOption(field, text, `from one preset to a later one, as v1-v3: ${presetNames.join(', ')}`);
}

export async function environments(session: Session): Promise<ListEnvironments> {
  const rows: ListEnvironments['rows'] = [];
  const loaded = await pluginsToList(session);
  for (const entry of loaded.registry.environments.values()) {
    const { name, summary } = entry;
    const environment = await entry.open({ knobs: [], signal: session.signal });
    const { descriptor, suites, start } = environment;
    await environment.close();
    rows.push({
      name,
      is: summary,
      from: sourceOf(loaded, 'environments', name),
      families: descriptor.families.map(({ family }) => family),
      knobs: descriptor.knobs.map((knob) => knob.name),
      benchmarks: suites.map((suite) => suite.name),
      ...usualTraining(entry),
      configuration: start,
    });
  }
  return listOf(rows);
}
