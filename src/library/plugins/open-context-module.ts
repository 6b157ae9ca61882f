// What a module of a plugin says of a history, checked.
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ContextContent, ContextHistory } from '../../lab/context-modules.ts';
import type { AnyContextModuleDefinition } from './context-module.ts';
import { blamed, called, frozen, issuesOf, PluginFault } from './faults.ts';

const usualSeconds = 60;

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
  { name, on, seconds = usualSeconds, build }: AnyContextModuleDefinition,
  history: ContextHistory,
  plugin: string | undefined,
): Promise<ContextContent> {
  const who = blamed('context module', name, plugin);
  const { environment } = history.descriptor;
  if (on !== undefined && on.name !== environment) {
    throw new IcecoreError('usage', `${who} is for the environment ${on.name}, not ${environment}`, {
      facts: { who, found: environment, allowed: on.name },
      remedy: 'Take another form.',
    });
  }
  const { signal } = new AbortController();
  const given = await called(who, 'build', () => build(frozen(structuredClone(history))), { signal, seconds });
  const parsed = contentSchema.safeParse(given);
  if (!parsed.success) throw PluginFault.rubbish(who, 'build', issuesOf(parsed.error, given, ''));
  requireSense(who, parsed.data as ContextContent, history);
  return parsed.data as ContextContent;
}

/** Each item once, of families that there are, resting on events that the module was handed. */
function requireSense(who: string, { items }: ContextContent, { descriptor, stages }: ContextHistory): void {
  const families = descriptor.families.map(({ family }) => family);
  const events = new Set(stages.flatMap(eventsOf));
  const ids = new Set<string>();
  for (const [i, { id, events: named, family, measure, value }] of items.entries()) {
    const refuse = (field: string, found: unknown, allowed: string): PluginFault =>
      PluginFault.rubbish(who, 'build', [{ field: `items[${i}].${field}`, found: JSON.stringify(found), allowed }]);
    if (ids.has(id)) throw refuse('id', id, 'an id that no other item has');
    ids.add(id);
    if (family !== undefined && !families.includes(family)) throw refuse('family', family, families.join(', '));
    if ((measure === undefined) !== (value === undefined))
      throw refuse('value', value ?? null, 'both a measure and a value, or neither');
    const strange = named.find((event) => !events.has(event));
    if (strange !== undefined) throw refuse('events', strange, 'ids of events in the history that it was handed');
  }
}

function eventsOf({ adopted, training, validation, summaries }: ContextHistory['stages'][number]): readonly string[] {
  return [adopted, training, validation, ...summaries].flatMap((event) => event?.id ?? []);
}
