// What changes when events of a type are read otherwise than before: by another schema, by one more version, or by an upcast
// that makes something else of the same data. Tables that were filled by other fingerprints are filled anew. They are made
// where the sources are (schemas/fingerprints.ts is generated), since what a function does cannot be seen from its text: that is
// another one in the published package. So an upcast is known by what it makes of examples.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from './canonical.ts';
import type { EventType } from './family.ts';
import { readAgainst } from './reading.ts';

export interface Example {
  readonly version: number;
  readonly data: unknown;
}

/** `examples` are data of its former versions; those of the current version are read as they are. */
export function fingerprintOf(declared: EventType, examples: readonly Example[]): string {
  const types = new Map([[declared.type, declared]]);
  const schemas = declared.versions.map((schema) => withoutWords(z.toJSONSchema(schema)));
  const former = examples.filter(({ version }) => version < declared.versions.length);
  const read = former.flatMap((example) =>
    variants(declared, example).map((data) => readAgainst(types, declared.type, example.version, data)),
  );
  const upcast = read.map((reading) => (reading.known ? reading.data : reading.why));
  return createHash('sha256')
    .update(canonicalJson([schemas, upcast]))
    .digest('hex')
    .slice(0, 32);
}

/** The example, and the example without each part that may be absent: an upcast has to do something about that, too. */
function variants({ versions }: EventType, { version, data }: Example): readonly unknown[] {
  const schema = versions[version - 1];
  return [data, ...withoutOne(data)].filter((variant) => schema?.safeParse(variant).success === true);
}

function withoutOne(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => withoutOne(item).map((less) => value.with(i, less)));
  }
  return Object.entries(value).flatMap(([key, member]) => {
    const { [key]: _, ...others } = value as Record<string, unknown>;
    return [others, ...withoutOne(member).map((less) => ({ ...value, [key]: less }))];
  });
}

/** What a field means may be said in other words without any event being read otherwise. */
function withoutWords(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => wordless(value));
}

function wordless(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { description, ...rest } = value as Record<string, unknown>;
  // A field may be called so as well: then it is a schema, and no text.
  return typeof description === 'string' ? rest : value;
}
