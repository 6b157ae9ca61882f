// What `icecore list` shows: what is registered under a name, one line each.

import type { ListContexts, ListEngineers, ListEnvironments } from '../../schemas/list-output.ts';
import { table } from '../document/layout.ts';
import { projectModels } from '../library/opening/models.ts';
import { formNamed, meanings, modules, presetNames } from '../producers/contexts/forms.ts';
import { engineers } from '../producers/engineers/engineers.ts';
import type { Context } from './context.ts';

export async function listEngineers(context: Context): Promise<number> {
  const builtIn = Object.entries(engineers).map(([name, does]) => ({ name, does, model: null }));
  const registered = Array.from(context.session.registry.engineers.values(), ({ name, summary }) => ({
    ...{ name, does: summary, model: null },
  }));
  const models = Array.from(projectModels(context.io).entries.values(), ({ name, model }) => ({
    name,
    does: `asks the model ${model ?? name}`,
    model: model ?? name,
  }));
  return await list(
    context,
    [...builtIn, ...registered, ...models] satisfies ListEngineers['rows'],
    ({ name, does }) => [name, does],
  );
}

export async function listContexts(context: Context): Promise<number> {
  const forms = presetNames.map((name) => {
    const own = formNamed(name).modules;
    return { name, kind: 'form' as const, shows: own.join(' + '), modules: [...own] };
  });
  const single = modules.map((name) => ({
    name,
    kind: 'module' as const,
    shows: meanings[name],
    modules: [name],
  }));
  return await list(context, [...forms, ...single] satisfies ListContexts['rows'], ({ name, kind, shows }) => [
    name,
    kind,
    shows,
  ]);
}

export async function listEnvironments(context: Context): Promise<number> {
  const rows: ListEnvironments['rows'] = [];
  for (const { name, summary, open } of context.session.registry.environments.values()) {
    const environment = await open({ knobs: [], signal: context.signal });
    const { descriptor, suites } = environment;
    await environment.close();
    rows.push({
      name,
      is: summary,
      families: descriptor.families.map(({ family }) => family),
      knobs: descriptor.knobs.map((knob) => knob.name),
      benchmarks: suites.map((suite) => suite.name),
    });
  }
  return await list(context, rows, ({ name, is, families, knobs, benchmarks }) => [
    name,
    `${is}: ${families.length} families, ${knobs.length} knobs, ${benchmarks.length} benchmarks`,
  ]);
}

export async function listTables(context: Context, name: string | undefined): Promise<number> {
  const { columnsText, tablesText } = await import('./sql/described.ts');
  if (context.flags.json) await context.printJson(await (await import('../library/tables.ts')).tables(name));
  else await context.print(name === undefined ? await tablesText(context) : await columnsText(context, name));
  return 0;
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
