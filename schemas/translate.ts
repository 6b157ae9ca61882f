// zod's findings in the words of a person: which field, what was found, what is allowed.
import type { z } from 'zod';
import { fieldOf, found, type Issue } from './errors.ts';
import { nearestNames, perhaps } from './nearest.ts';
import { asSchema, type JsonSchema, phrase } from './phrase.ts';

type Finding = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Translates the findings about a value; `schema` is the JSON Schema it was held against. */
export function translate(findings: readonly Finding[], value: unknown, schema: JsonSchema): Issue[] {
  const worded = unknownKeysFirst(findings).slice(0, mostWorded);
  const issues = worded.flatMap((finding) => translateOne(finding, [], value, schema));
  const more = findings.length - worded.length;
  return more > 0 ? [...issues, { field: '', found: `${more} more faults`, allowed: 'none' }] : issues;
}

/** Of more than this only the number is said: to word each of very many takes longer than anybody waits. */
const mostWorded = 100;

/** A key that is unknown is often the reason why another is missing. */
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
  return { field: fieldOf(path), found: found(valueAt(value, path)), allowed: phrase(schemaAt(schema, path)) };
}

/** Of more keys than this only the number is told. */
const mostListed = 12;

function unknownKeys(keys: readonly string[], path: Path, schema: JsonSchema): Issue[] {
  const known = knownKeys(schemaAt(schema, path));
  const others = known.length > mostListed ? ` and ${known.length - mostListed} more` : '';
  const list = known.slice(0, mostListed).join(', ') + others;
  const issues = keys.slice(0, mostWorded).map((key) => {
    const near = nearestNames(key, known);
    const allowed = near.length > 0 ? `a known one, ${perhaps(near)}` : list;
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
    allowed: phrase(asSchema(propertyNames ?? {})),
  };
}

/** Of several ways to write a value, the one that was nearly met says more than all of them together. */
function ofUnion(ways: readonly Finding[][], path: Path, value: unknown, schema: JsonSchema): Issue[] {
  const [best, next] = ways.filter(isOfRightKind).toSorted(nearestFirst);
  if (best === undefined || (next !== undefined && nearestFirst(best, next) === 0)) return [plain(path, value, schema)];
  return unknownKeysFirst(best).flatMap((finding) => translateOne(finding, path, value, schema));
}

/** A way whose own keys are met is nearer than one of which only the keys are wrong. */
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

/** Of several ways to write a value, all that have something at this path. */
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
