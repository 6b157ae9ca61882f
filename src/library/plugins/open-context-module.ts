// Checks what a plugin's module says about a history.
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ContextContent, ContextHistory } from '../../lab/context-modules.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import type { AnyContextModuleDefinition } from './context-module.ts';
import { callWithLimits, deepFreeze, issuesOf, partName } from './faults.ts';

const defaultSeconds = 60;

const itemSchema = z.strictObject({
  id: z.string().regex(/^[\w.%-]{1,64}$/, 'letters, digits, . _ % and -, at most 64'),
  text: z.string().min(1),
  events: z.array(z.string()).min(1),
  family: z.string().optional(),
  measure: z.string().min(1).optional(),
  value: z.number().optional(),
});

const contentSchema = z.strictObject({ opening: z.string().optional(), items: z.array(itemSchema) });

export async function contentOf(
  { name, on, seconds = defaultSeconds, build }: AnyContextModuleDefinition,
  history: ContextHistory,
  plugin: string | undefined,
): Promise<ContextContent> {
  const who = partName('context module', name, plugin);
  const { environment } = history.descriptor;
  if (on !== undefined && on.name !== environment) {
    throw new IcecoreError('usage', `${who} is for the environment ${on.name}, not ${environment}`, {
      facts: { who, found: environment, allowed: on.name },
      remedy: 'Choose another form.',
    });
  }
  const { signal } = new AbortController();
  const given = await callWithLimits(who, 'build', () => build(deepFreeze(structuredClone(history))), {
    signal,
    seconds,
  });
  const parsed = contentSchema.safeParse(given);
  if (!parsed.success) throw PluginFault.invalid(who, 'build', issuesOf(parsed.error, given, ''));
  requireSense(who, parsed.data as ContextContent, history);
  return parsed.data as ContextContent;
}

/** Ids must be unique, families must exist, and events must be in the history given to the module. */
function requireSense(who: string, { items }: ContextContent, { descriptor, stages }: ContextHistory): void {
  const families = descriptor.families.map(({ family }) => family);
  const events = new Set(stages.flatMap(eventsOf));
  const ids = new Set<string>();
  for (const [i, { id, events: named, family, measure, value }] of items.entries()) {
    const refuse = (field: string, found: unknown, allowed: string): PluginFault =>
      PluginFault.invalid(who, 'build', [{ field: `items[${i}].${field}`, found: JSON.stringify(found), allowed }]);
    if (ids.has(id)) throw refuse('id', id, 'a unique id');
    ids.add(id);
    if (family !== undefined && !families.includes(family)) throw refuse('family', family, families.join(', '));
    if ((measure === undefined) !== (value === undefined))
      throw refuse('value', value ?? null, 'both a measure and a value, or neither');
    const strange = named.find((event) => !events.has(event));
    if (strange !== undefined) throw refuse('events', strange, 'ids of events in its history');
  }
}

function eventsOf({ adopted, training, validation, summaries }: ContextHistory['stages'][number]): readonly string[] {
  return [adopted, training, validation, ...summaries].flatMap((event) => event?.id ?? []);
}
