// The checked records of an importer that a plugin defined.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import type { ImportRequest } from '../../lab/registry.ts';
import { callWithLimits, deepFreeze, issuesOf, partName } from './faults.ts';
import type { AnyImporterDefinition } from './importer.ts';

const defaultSeconds = 60;

export async function* recordsBy(
  { name, settings: schema = z.strictObject({}), seconds = defaultSeconds, records }: AnyImporterDefinition,
  { path, settings, signal, bytes }: ImportRequest,
  plugin: string | undefined,
): AsyncGenerator<object> {
  const who = partName('importer', name, plugin);
  const lines = () => createInterface({ input: Readable.from(bytes()), crlfDelay: Number.POSITIVE_INFINITY });
  const request = { path, settings: settingsIn(schema, settings, name), signal, bytes, lines };
  const given = await callWithLimits(who, 'records', () => records(request), { signal, seconds });
  const iterator = iteratorOf(given);
  if (iterator === null) {
    const issue = { field: 'records', found: typeof given, allowed: 'an iterable' };
    throw PluginFault.invalid(who, 'records', [issue]);
  }
  try {
    for (;;) {
      const next = await callWithLimits(who, 'records', () => iterator.next(), { signal, seconds });
      if (next.done === true) return;
      yield next.value as object;
    }
  } catch (fault) {
    // An IcecoreError is the importer's report about the file, not a fault of the importer.
    const said = fault instanceof PluginFault ? fault.cause : null;
    throw said instanceof IcecoreError ? said : fault;
  } finally {
    await iterator.return?.();
  }
}

function settingsIn(schema: z.ZodType<unknown>, settings: ImportRequest['settings'], importer: string): unknown {
  const parsed = schema.safeParse(settings);
  if (parsed.success) return deepFreeze(parsed.data);
  const [{ field, found, allowed } = { field: 'settings', found: '', allowed: '' }] = issuesOf(
    parsed.error,
    settings,
    'settings',
  );
  throw new IcecoreError('usage', `import ${importer}, ${field}: found ${found}, allowed: ${allowed}`, {
    facts: { field, found, allowed },
  });
}

function iteratorOf(given: unknown): Iterator<unknown> | AsyncIterator<unknown> | null {
  if (typeof given !== 'object' || given === null) return null;
  if (Symbol.asyncIterator in given) return (given as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return Symbol.iterator in given ? (given as Iterable<unknown>)[Symbol.iterator]() : null;
}
