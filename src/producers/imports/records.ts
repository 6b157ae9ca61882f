// The records of an NDJSON import: a rollout, the configuration of a stage, or a measurement. A field map describes
// records of another shape.
import { z } from 'zod';
import { fieldOf, found, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { split } from '../../../schemas/evidence.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { nearestNames, suggestion } from '../../../schemas/nearest.ts';
import { count, details, json, moment, name, stageNumber, wideInteger } from '../../../schemas/primitives.ts';
import { translate } from '../../../schemas/translate.ts';
import { isShareOf } from '../../base/reported-share.ts';

const placed = { run: name, stage: stageNumber, at: moment.optional() } as const;

const rollout = z.strictObject({
  ...placed,
  outcome: name.optional(),
  success: z.boolean().optional(),
  family: name.optional(),
  task: z.union([name, details]).optional(),
  split: split.default('train'),
  policy: name.optional(),
  reward: z.number().optional(),
  failure: name.optional(),
  prompt: z.string().optional(),
  completion: z.string().optional(),
  answer: json.optional(),
  expected: json.optional(),
  seed: wideInteger.optional(),
  trainingStep: count.optional(),
  metrics: z.record(name, z.number().nullable()).optional(),
});

const configuration = z.strictObject({
  ...placed,
  config: z.record(name, z.union([z.number(), z.record(name, z.number())])),
  by: z.enum(['human', 'engineer']).optional(),
  engineer: name.optional(),
  reasons: z.record(name, z.string()).optional(),
  rationale: z.string().optional(),
});

const measurement = z.strictObject({
  ...placed,
  measure: name,
  value: z.number(),
  family: name.optional(),
  suite: name.default('validation'),
  count: count.optional(),
  of: count.optional(),
  low: z.number().optional(),
  high: z.number().optional(),
});

/** A rollout, a configuration of a stage, or a measurement, as the importer's user writes it. */
export type RecordToImport = z.input<typeof rollout> | z.input<typeof configuration> | z.input<typeof measurement>;

export type RolloutRecord = z.infer<typeof rollout>;
export type ConfigurationRecord = z.infer<typeof configuration>;
export type MeasurementRecord = z.infer<typeof measurement>;

export type ImportRecord =
  | { readonly kind: 'rollout'; readonly data: RolloutRecord }
  | { readonly kind: 'configuration'; readonly data: ConfigurationRecord }
  | { readonly kind: 'measurement'; readonly data: MeasurementRecord };

type Kind = ImportRecord['kind'];

const schemas = { rollout, configuration, measurement } as const;

/** The members that identify the kind of a record. */
const marks: Readonly<Record<Kind, readonly string[]>> = {
  rollout: ['outcome', 'success'],
  configuration: ['config'],
  measurement: ['measure', 'value'],
};

const kinds: readonly Kind[] = ['rollout', 'configuration', 'measurement'];
/** What tells the kind of a record. */
export const marked =
  'outcome or success of a rollout, config of a configuration, or measure and value of a measurement';
const members: readonly string[] = [...new Set(kinds.flatMap((kind) => Object.keys(schemas[kind].shape)))];

/**
 * The places of icecore's members in the records: a dotted path, the same value for all records, or nowhere, if a
 * member of that name means something else. Members not in the map are found by their own names.
 */
export type FieldMap = Readonly<Record<string, string | { readonly value: unknown } | null>>;

/** Reads records with a field map, and tracks which of its paths had values. */
export class RecordReader {
  readonly #map: ReadonlyMap<string, FieldMap[string]> | null;
  readonly #found = new Set<string>();

  /** `mapName` is the map's name in errors. Throws BadFieldMap. */
  constructor(map?: unknown, mapName = 'map') {
    this.#map = map === undefined ? null : checkedMap(map, mapName);
  }

  /** Throws RecordIssues. A run given for all records overrides theirs. */
  read(value: unknown, run?: string): ImportRecord {
    if (!isObject(value)) throw this.#issues([{ field: '', found: found(value), allowed: 'a JSON object' }]);
    const given = this.#given(value);
    const kind = this.#kindOf(given, value);
    const schema = schemas[kind];
    const known = this.#map === null ? given : pick(given, Object.keys(schema.shape));
    const record = { ...this.#constants(kind), ...known, ...(run === undefined ? {} : { run }) };
    const parsed = schema.safeParse(record);
    if (!parsed.success)
      throw this.#issues(translate(parsed.error.issues, record, z.toJSONSchema(schema, { io: 'input' })));
    const issues = contradictions({ kind, data: parsed.data } as ImportRecord);
    if (issues.length > 0) throw this.#issues(issues);
    return nestedKnobs({ kind, data: parsed.data } as ImportRecord);
  }

  /** The run that a record names, if any. */
  runIn(value: unknown): string | null {
    const run = isObject(value) ? this.#given(value)['run'] : undefined;
    return typeof run === 'string' ? run : null;
  }

  /** Members whose path had no value in any record. */
  get unused(): readonly { readonly member: string; readonly path: string }[] {
    return [...(this.#map ?? [])].flatMap(([member, path]) =>
      typeof path === 'string' && !this.#found.has(member) ? [{ member, path }] : [],
    );
  }

  /** The record's values by icecore's names; null counts as missing. */
  #given(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const looked = this.#map === null ? Object.keys(value) : members;
    const given = looked.flatMap((member): [string, unknown][] => {
      const place = this.#map?.get(member);
      if (typeof place === 'object') return [];
      const own = valueAt(value, place ?? member);
      if (own === undefined || own === null) return [];
      if (place !== undefined) this.#found.add(member);
      return [[member, own]];
    });
    return Object.fromEntries(given);
  }

  #constants(kind: Kind): Record<string, unknown> {
    const own = Object.keys(schemas[kind].shape);
    const constants = [...(this.#map ?? [])].flatMap(([member, place]): [string, unknown][] =>
      typeof place === 'object' && place !== null && own.includes(member) ? [[member, place.value]] : [],
    );
    return Object.fromEntries(constants);
  }

  #kindOf(given: Readonly<Record<string, unknown>>, value: object): Kind {
    const met = kinds.filter((kind) => marks[kind].some((mark) => Object.hasOwn(given, mark)));
    const [kind, other] = met;
    if (kind !== undefined && other === undefined) return kind;
    if (kind !== undefined && other !== undefined) {
      const [one, two] = [kind, other].map((each) => marks[each].find((mark) => Object.hasOwn(given, mark)) ?? '');
      throw this.#issues([
        { field: '', found: `${one} of a ${kind} together with ${two} of a ${other}`, allowed: 'a record of one kind' },
      ]);
    }
    const names = Object.keys(value);
    const wanted = kinds.flatMap((each) => marks[each]);
    const misspelt = names.find((each) => !members.includes(each) && nearestNames(each, wanted).length > 0);
    if (misspelt !== undefined) {
      const allowed = `the name of a member, ${suggestion(nearestNames(misspelt, wanted))}`;
      throw this.#issues([{ field: misspelt, found: 'an unknown member', allowed }]);
    }
    const has = names.length === 0 ? 'an empty object' : `only ${names.slice(0, 8).join(', ')}`;
    throw this.#issues([{ field: '', found: has, allowed: marked }]);
  }

  #issues(issues: readonly Issue[]): RecordIssues {
    return new RecordIssues(issues.map((issue) => ({ ...issue, from: this.#pathOf(issue.field) })));
  }

  /** The path of the member if it differs from its name. */
  #pathOf(field: string): string | null {
    const place = this.#map?.get(/^\w+/.exec(field)?.[0] ?? '');
    return typeof place === 'string' ? place : null;
  }
}

/** The issues of a record; the reader of the file adds the line. */
export class RecordIssues extends Error {
  readonly issues: readonly (Issue & { readonly from?: string | null })[];

  constructor(issues: readonly (Issue & { readonly from?: string | null })[]) {
    super(issues.map(({ field, found }) => `${field}: found ${found}`).join('; '));
    this.issues = issues;
  }
}

function pick(given: Readonly<Record<string, unknown>>, own: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([member]) => own.includes(member)));
}

/** A key may contain dots itself. */
function valueAt(value: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(value, path)) return value[path];
  let place: unknown = value;
  for (const step of path.split('.')) place = isObject(place) && Object.hasOwn(place, step) ? place[step] : undefined;
  return place;
}

/** Measures that are shares of tasks, whatever the environment. */
const shares: readonly string[] = ['valid', 'optimal'];

/** Figures that would be shown and compared although they cannot all be true. */
function contradictionsIn({ measure, value, count: successes, of, low, high }: MeasurementRecord): Issue[] {
  if (successes !== undefined && of !== undefined && successes > of)
    return [{ field: 'count', found: String(successes), allowed: `at most ${of}, which is what \`of\` says` }];
  if (low !== undefined && low > value)
    return [{ field: 'low', found: String(low), allowed: `at most the value, ${value}` }];
  if (high !== undefined && high < value)
    return [{ field: 'high', found: String(high), allowed: `at least the value, ${value}` }];
  if (!shares.includes(measure)) return [];
  const wrong = Object.entries({ value, low, high }).find(([, share = 0]) => share < 0 || share > 1);
  if (wrong !== undefined)
    return [{ field: wrong[0], found: String(wrong[1]), allowed: `a share from 0 to 1 for ${measure}: 50 % is 0.5` }];
  if (successes === undefined || of === undefined || of === 0) return [];
  return isShareOf(value, successes, of)
    ? []
    : [{ field: 'value', found: String(value), allowed: `${successes / of}, which is ${successes} of ${of}` }];
}

/** Combinations of valid members that are not allowed. */
function contradictions({ kind, data }: ImportRecord): Issue[] {
  if (/@[0-9]*$/.test(data.run) || data.run === 'latest') {
    return [
      { field: 'run', found: found(data.run), allowed: 'a name that does not end in "@" or "@1" and is not "latest"' },
    ];
  }
  if (kind === 'measurement') return contradictionsIn(data);
  if (kind === 'configuration') {
    const [clash] = Object.keys(data.config).flatMap((key) => clashOf(key, data.config));
    if (clash !== undefined) return [clash];
    if (data.by !== 'human' || data.engineer === undefined) return [];
    return [{ field: 'engineer', found: found(data.engineer), allowed: 'nothing if by is human' }];
  }
  if (data.success === true && data.failure !== undefined) {
    return [{ field: 'failure', found: found(data.failure), allowed: 'nothing if success is true' }];
  }
  const isMeasured = data.split !== 'train' && data.split !== 'probe';
  if (!isMeasured || data.success !== undefined || data.failure !== undefined) return [];
  return [
    { field: 'success', found: 'nothing', allowed: `true or false: rates of split ${data.split} are computed from it` },
  ];
}

type Config = ConfigurationRecord['config'];

/** `3.data` is the knob `data` of the family `3`, as in all that icecore prints. */
function dotted(key: string): readonly [family: string, knob: string] | null {
  const dot = key.lastIndexOf('.');
  return dot < 1 || dot === key.length - 1 ? null : [key.slice(0, dot), key.slice(dot + 1)];
}

/** A dotted knob that its family has already, or whose family is itself a knob. */
function clashOf(key: string, config: Config): Issue[] {
  const [family = '', knob = ''] = dotted(key) ?? [];
  const held = config[family];
  const isFree = held === undefined || (typeof held === 'object' && !Object.hasOwn(held, knob));
  if (typeof config[key] === 'object' || isFree) return [];
  const other = fieldOf(['config', family, ...(typeof held === 'object' ? [knob] : [])]);
  const allowed = `a separate place: the record also has ${other}`;
  return [{ field: fieldOf(['config', key]), found: String(config[key]), allowed }];
}

function nestedKnobs(record: ImportRecord): ImportRecord {
  if (record.kind !== 'configuration') return record;
  const config: Config = {};
  for (const [key, value] of Object.entries(record.data.config)) {
    const [family, knob] = (typeof value === 'number' ? dotted(key) : null) ?? [key, null];
    const held = config[family];
    const own = typeof held === 'object' ? held : {};
    if (typeof value === 'object') config[family] = { ...own, ...value };
    else if (knob === null) config[key] = value;
    else config[family] = { ...own, [knob]: value };
  }
  return { kind: record.kind, data: { ...record.data, config } };
}

const fieldMap = z.record(z.string(), z.union([z.string().min(1), z.strictObject({ value: json }), z.null()]));

function checkedMap(map: unknown, mapName: string): ReadonlyMap<string, FieldMap[string]> {
  const parsed = fieldMap.safeParse(map);
  if (!parsed.success) {
    const [issue] = translate(parsed.error.issues, map, z.toJSONSchema(fieldMap));
    throw new BadFieldMap(mapName, issue ?? { field: '', found: found(map), allowed: 'an object' });
  }
  for (const member of Object.keys(parsed.data)) {
    if (members.includes(member)) continue;
    const near = nearestNames(member, members);
    const allowed = near.length > 0 ? `the name of a member, ${suggestion(near)}` : members.join(', ');
    throw new BadFieldMap(mapName, { field: member, found: 'an unknown member', allowed });
  }
  return new Map(Object.entries(parsed.data));
}

export class BadFieldMap extends IcecoreError {
  override readonly name = 'BadFieldMap';

  constructor(mapName: string, { field, found: what, allowed }: Issue) {
    super('bad-input', `${mapName}: ${field === '' ? 'the map' : field}: found ${what}, allowed: ${allowed}`, {
      facts: { field, found: what, allowed },
      remedy: 'Each member has a dotted path, {"value": ...} for the same value in all records, or null for none.',
    });
  }
}
