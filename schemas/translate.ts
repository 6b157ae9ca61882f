// Translates zod's issues into messages for people: which field, what was found, what is allowed.
import type { z } from 'zod';
import { asSchema, describeSchema, type JsonSchema } from './describe-schema.ts';
import { fieldOf, found, type Issue } from './errors.ts';
import { nearestNames, suggestion } from './nearest.ts';

type Finding = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Translates the issues of a value; `schema` is the JSON Schema it was validated with. */
export function translate(findings: readonly Finding[], value: unknown, schema: JsonSchema): Issue[] {
  const worded = unknownKeysFirst(findings).slice(0, mostWorded);
  const issues = worded.flatMap((finding) => translateOne(finding, [], value, schema));
  const more = findings.length - worded.length;
  return more > 0 ? [...issues, { field: '', found: `${more} more faults`, allowed: 'none' }] : issues;
}

/** The number of issues that are described; describing a huge number of them would take too long. */
const mostWorded = 100;

/** An unknown key is often the reason why another one is missing. */
function unknownKeysFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings.filter(isUnknownKeys), ...findings.filter((finding) => !isUnknownKeys(finding))];
}

const isUnknownKeys = ({ code }: Finding): boolean => code === 'unrecognized_keys';

function translateOne(finding: Finding, above: Path, value: unknown, schema: JsonSchema): Issue[] {
  const path = [...above, ...finding.path];
  switch (finding.code) {
    case 'unrecognized_keys':
      return unknownKeys(finding.keys, path, schema);
    case 'invalid_key':
      return [badKey(path, schema)];
    case 'invalid_union':
      return ofUnion(finding.errors, path, value, schema);
    default:
      return [plain(path, value, schema)];
  }
}

function plain(path: Path, value: unknown, schema: JsonSchema): Issue {
  return { field: fieldOf(path), found: found(valueAt(value, path)), allowed: describeSchema(schemaAt(schema, path)) };
}

/** The number of unknown keys that are listed. */
const mostListed = 12;

function unknownKeys(keys: readonly string[], path: Path, schema: JsonSchema): Issue[] {
  const known = knownKeys(schemaAt(schema, path));
  const others = known.length > mostListed ? ` and ${known.length - mostListed} more` : '';
  const list = known.slice(0, mostListed).join(', ') + others;
  const issues = keys.slice(0, mostWorded).map((key) => {
    const near = nearestNames(key, known);
    const allowed = near.length > 0 ? `a known one, ${suggestion(near)}` : list;
    return { field: fieldOf([...path, key]), found: 'an unknown key', allowed };
  });
  const more = keys.length - issues.length;
  return more > 0 ? [...issues, { field: fieldOf(path), found: `${more} more unknown keys`, allowed: list }] : issues;
}

function badKey(path: Path, schema: JsonSchema): Issue {
  const { propertyNames } = schemaAt(schema, path.slice(0, -1));
  const key = String(path.at(-1));
  return {
    field: fieldOf(path),
    found: `the key ${JSON.stringify(key)}`,
    allowed: describeSchema(asSchema(propertyNames ?? {})),
  };
}

/** Describes the alternative that comes closest to the value, which is more helpful than listing all of them. */
function ofUnion(ways: readonly Finding[][], path: Path, value: unknown, schema: JsonSchema): Issue[] {
  const [best, next] = ways.filter(isOfRightKind).toSorted(nearestFirst);
  if (best === undefined || (next !== undefined && nearestFirst(best, next) === 0)) return [plain(path, value, schema)];
  return unknownKeysFirst(best).flatMap((finding) => translateOne(finding, path, value, schema));
}

/** An alternative with the right keys is nearer than one whose keys are wrong. */
function nearestFirst(one: readonly Finding[], other: readonly Finding[]): number {
  return ownFaults(one) - ownFaults(other) || one.length - other.length;
}

const ownFaults = (findings: readonly Finding[]): number => findings.filter(({ path }) => path.length <= 1).length;

const isOfRightKind = (findings: readonly Finding[]): boolean =>
  findings.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return at;
}

/** All alternatives of the schema at this path. */
function schemaAt(schema: JsonSchema, path: Path): JsonSchema {
  let at = options(schema);
  for (const step of path) at = at.flatMap((option) => below(option, step)).flatMap(options);
  const [first, ...others] = at;
  return first === undefined || others.length === 0 ? (first ?? {}) : { anyOf: at };
}

function below(option: JsonSchema, step: PropertyKey): JsonSchema[] {
  const property = option.properties;
  if (property !== undefined && Object.hasOwn(property, step)) return [asSchema(property[String(step)] ?? {})];
  if (typeof step === 'number' && option.items !== undefined) return [asSchema(option.items as JsonSchema)];
  return typeof option.additionalProperties === 'object' ? [option.additionalProperties] : [];
}

function options(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap((option) => options(asSchema(option)));
}

function knownKeys(schema: JsonSchema): string[] {
  return options(schema).flatMap(({ properties }) => Object.keys(properties ?? {}));
}
