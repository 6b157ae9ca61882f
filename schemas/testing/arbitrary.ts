// Arbitrary values that a zod schema accepts, for property tests. It walks zod's internal representation of the schema.
import fc from 'fast-check';
import { z } from 'zod';

type Schema = z.core.$ZodType;

/** Any JSON value, as returned by JSON.parse. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2, stringUnit: 'binary', noUnicodeString: false })
  .map(parsed)
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'));

/** A value as parsed from JSON text: its objects are plain and all keys are own. */
export function parsed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return objects(def.shape);
    case 'array':
      return fc.array(valuesOf(def.element), { minLength: minLengthOf(schema), maxLength: 3 });
    case 'record':
      return fc.array(fc.tuple(keysOf(def.keyType), valuesOf(def.valueType)), { maxLength: 3 }).map(Object.fromEntries);
    case 'union':
      return fc.oneof(...def.options.map(valuesOf));
    case 'nullable':
      return fc.oneof(fc.constant(null), valuesOf(def.innerType));
    case 'optional':
      return valuesOf(def.innerType);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'string':
      return strings(schema);
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'unknown':
      return anyJson;
    default:
      throw new Error(`valuesOf does not support ${def.type}: add it here`);
  }
}

function objects(shape: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  const required = Object.keys(shape).filter((key) => shape[key]?._zod.optin !== 'optional');
  const members = Object.fromEntries(Object.entries(shape).map(([key, member]) => [key, valuesOf(member)]));
  return fc.record(members, { requiredKeys: required, noNullPrototype: true });
}

const keysOf = (schema: Schema): fc.Arbitrary<string> =>
  (valuesOf(schema) as fc.Arbitrary<string>).filter((key) => key !== '__proto__');

function strings(schema: Schema): fc.Arbitrary<string> {
  const { pattern } = z.toJSONSchema(schema);
  if (pattern === undefined) return fc.string({ unit: 'binary' });
  const matching = new RegExp(pattern);
  const odd = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => matching.test(text));
  return matching.test('odd 😀') ? odd : fc.stringMatching(matching);
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const { type, minimum, exclusiveMinimum, maximum } = z.toJSONSchema(schema) as Record<string, number | string>;
  const above = exclusiveMinimum as number | undefined;
  if (type === 'integer')
    return fc.integer({ min: Number(minimum ?? (above ?? -9) + 1), max: Math.min(Number(maximum), 2 ** 31) });
  return fc.double({
    min: Number(minimum ?? above ?? -1e9),
    max: Number(maximum ?? 1e9),
    noNaN: true,
    minExcluded: above !== undefined,
  });
}

const minLengthOf = (schema: Schema): number => z.toJSONSchema(schema).minItems ?? 0;
