// How plugins declare event types. own-events.ts registers them next to icecore's own.
import { z } from 'zod';
import { IcecoreError, type Issue } from './errors.ts';
import type { DataSchema, EventType, StageRule } from './family.ts';

/**
 * Plugin events may be written to streams of their own and among the notes on a run. The other streams are folded into
 * decisions, and seals count evidence: an event that only its plugin understands would stop or falsify icecore there.
 */
const ownCategories = ['x', 'notes'] as const;

/** The declaration that `defineEvent` takes. */
export interface OwnEvent<Current extends DataSchema> {
  /** Must contain a dot: `acme.GpuThrottled`. Names without a dot are reserved for icecore. */
  readonly type: string;
  readonly summary: string;
  /** The schema of the data in the current version. Unknown members are refused even if the schema is not strict. */
  readonly data: Current;
  /** The former versions, oldest first, each with a function that upcasts its data to the next version. */
  readonly before?: readonly FormerVersion[];
  /** The streams it may be written to (default: x- streams). */
  readonly in?: readonly (typeof ownCategories)[number][];
  /** Whether it belongs to a stage (default: `maybe`). */
  readonly stage?: StageRule;
}

/** A version of an event type that is no longer written but can still be read. */
export interface FormerVersion<Data extends DataSchema = DataSchema> {
  readonly data: Data;
  /** Converts data of this version to the next one. It gets a copy and may change it. */
  upcast(data: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** The declaration of an event type is not allowed: its name, its streams or the schema of its data. */
export class BadEventType extends IcecoreError {
  override readonly name = 'BadEventType';

  constructor(type: string, found: string, allowed: string) {
    super('usage', `event type ${JSON.stringify(type)}: found ${found}, allowed: ${allowed}`, {
      facts: { type, found, allowed },
    });
  }
}

export const typeName = /^(?!icecore\.)[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)+$/;
const longestName = 128;

/** Declares an event type of a plugin. Throws BadEventType. */
export function defineEvent<Current extends DataSchema>(declared: OwnEvent<Current>): EventType<Current> {
  const { type, summary, data, before = [], in: categories = ['x'], stage = 'maybe' } = declared;
  if (!typeName.test(type) || type.length > longestName) {
    const allowed = 'words of letters, digits, _ and - with dots between them, like acme.GpuThrottled; not icecore.…';
    throw new BadEventType(type, 'this name', allowed);
  }
  const strange = categories.find((category) => !ownCategories.includes(category));
  if (strange !== undefined || categories.length === 0) {
    throw new BadEventType(type, `in: ${strange ?? 'no kind of stream'}`, ownCategories.join(', '));
  }
  for (const schema of [...before.map((former) => former.data), data]) requireJson(type, schema);
  const current = data.strict() as unknown as Current;
  return {
    type,
    summary,
    categories,
    stage,
    versions: [...before.map((former) => former.data.strict()), current],
    // The recorded data is shown unchanged, even if an upcast changes its copy.
    upcasts: before.map((former) => (given) => former.upcast(structuredClone(given))),
    crossCheck: (given) => changedBy(current, given),
  };
}

/** Refuses dates, transforms and the like: the data that is written must be the data that is stored. */
function requireJson(type: string, schema: Partial<DataSchema> & z.core.$ZodType): void {
  // A schema of zod 3, or one from untyped JavaScript, may be anything.
  if (schema?._zod?.def?.type !== 'object')
    throw new BadEventType(type, 'data of another kind', 'z.object(...) of zod 4');
  try {
    z.toJSONSchema(schema);
  } catch (fault) {
    throw new BadEventType(
      type,
      `a schema that JSON Schema cannot express (${(fault as Error).message})`,
      'schemas of JSON',
    );
  }
}

/** Members that the schema would fill in, convert or drop: the stored data would then differ from the data that is read. */
function changedBy(schema: DataSchema, data: Members): readonly Issue[] {
  const parsed: Members = schema.parse(data);
  const changed = Object.keys({ ...data, ...parsed }).filter((name) => !isSame(data[name], parsed[name]));
  const issue = { found: 'a value that its schema would change', allowed: 'data that the schema leaves unchanged' };
  return changed.map((name) => ({ field: `data.${name}`, ...issue }));
}

type Members = Readonly<Record<string, unknown>>;

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [members, others] = [one as Members, other as Members];
  const names = Object.keys(members);
  return names.length === Object.keys(others).length && names.every((name) => isSame(members[name], others[name]));
}

/** The data of an event type that `defineEvent` declared. */
export type OwnData<Declared> = Declared extends EventType<infer Schema> ? z.infer<Schema> : never;
