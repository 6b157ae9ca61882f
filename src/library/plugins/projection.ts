// The definition of a plugin's table: which events it shows, and which of their fields. It is data and not code, so that tables are
// filled the same way with and without the plugin.
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DataSchema, EventType } from '../../../schemas/family.ts';
import type { ColumnType, OwnColumn, OwnTable } from '../../../schemas/own-tables.ts';

/** A field of an event's data, which may be nested: `gpu`, `measured.seconds`. */
export type FieldOf<Data> = Data extends readonly unknown[]
  ? never
  : Data extends object
    ? { [Key in keyof Data & string]: Key | `${Key}.${FieldOf<NonNullable<Data[Key]>>}` }[keyof Data & string]
    : never;

/** A column of a plugin's table. */
export interface ColumnDefinition<Field extends string> {
  /** The field to show (default: the field with the column's name). Further fields are those of former versions; the first present one counts. */
  readonly from?: Field | readonly [Field, ...string[]];
  /** Default: the description of the field in the schema. */
  readonly meaning?: string;
  /** Default: derived from the schema of the field. */
  readonly type?: ColumnType;
}

type ColumnsOf<Current extends DataSchema> = Readonly<Record<string, ColumnDefinition<FieldOf<z.infer<Current>>>>>;

/** What `defineProjection` takes. */
export interface ProjectionDefinition<Current extends DataSchema, Columns = ColumnsOf<Current>> {
  /** Words of lower-case letters joined by _, at least two: `acme_throttling`. */
  readonly table: string;
  /** What a row is, in a few words. */
  readonly summary: string;
  /** The events that become rows. */
  readonly from: EventType<Current>;
  /** Default: every field of the data, with its name in lower case. */
  readonly columns?: Columns;
}

/** The table as plain data, as it is registered. */
export type ProjectionEntry = Omit<OwnTable, 'plugin'>;

/** The result of `defineProjection`, which knows the shape of its rows. */
export interface DefinedProjection<Row> extends ProjectionEntry {
  /** For type inference only, by `rowOf`. */
  readonly row?: Row;
}

/** The columns of every table, in addition to its own. */
export interface SharedRow {
  readonly run: string | null;
  readonly stage: number | null;
  readonly happened_at: string;
  readonly actor: string;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly version: number;
  readonly run_id: string | null;
}

interface Cells {
  readonly VARCHAR: string;
  readonly BIGINT: number;
  readonly DOUBLE: number;
  readonly BOOLEAN: boolean;
  readonly TIMESTAMP: string;
  readonly JSON: unknown;
}

type CellOf<Type> = Type extends keyof Cells
  ? Cells[Type]
  : Type extends `${infer One}[]`
    ? readonly CellOf<One>[]
    : never;

type ValueAt<Data, Field> = Field extends keyof Data
  ? NonNullable<Data[Field]>
  : Field extends `${infer Key}.${infer Rest}`
    ? Key extends keyof Data
      ? ValueAt<NonNullable<Data[Key]>, Rest>
      : unknown
    : unknown;

type FirstField<From, Name> = From extends readonly [infer Field, ...unknown[]]
  ? Field
  : From extends string
    ? From
    : Name;

type RowOf<Current extends DataSchema, Columns> = {
  readonly [Name in keyof Columns]:
    | (Columns[Name] extends { readonly type: infer Type extends ColumnType }
        ? CellOf<Type>
        : ValueAt<
            z.infer<Current>,
            FirstField<Columns[Name] extends { readonly from: infer From } ? From : Name, Name>
          >)
    | null;
} & SharedRow;

/** Thrown for an invalid table. */
export class BadProjection extends IcecoreError {
  override readonly name = 'BadProjection';

  constructor(table: string, field: string, found: string, allowed: string) {
    super('usage', `table ${JSON.stringify(table)}, ${field}: found ${found}, allowed: ${allowed}`, {
      facts: { table, field, found, allowed },
    });
  }
}

/** Throws BadProjection. */
export function defineProjection<Current extends DataSchema, const Columns extends ColumnsOf<Current>>(
  definition: ProjectionDefinition<Current, Columns>,
): DefinedProjection<RowOf<Current, Columns>> {
  const { table, summary, from, columns } = definition;
  const schema = from?.versions?.at(-1);
  if (schema === undefined) throw new BadProjection(table, 'from', typeof from, 'what defineEvent returned');
  const data = z.toJSONSchema(schema) as JsonSchema;
  const named: Readonly<Record<string, ColumnDefinition<string>>> =
    columns ?? Object.fromEntries(Object.keys(data.properties ?? {}).map((name) => [columnOf(name), { from: name }]));
  const all = Object.entries(named).map(([name, column]) => columnFrom(table, name, column, data));
  return { table, summary, type: from.type, columns: all };
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

function columnOf(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

function columnFrom(table: string, name: string, column: ColumnDefinition<string>, data: JsonSchema): OwnColumn {
  const { from = name, meaning, type } = column;
  const fields = typeof from === 'string' ? [from] : from;
  const [current = name] = fields;
  const schema = fieldIn(data, current);
  if (schema === null) {
    const allowed = Object.keys(data.properties ?? {}).join(', ');
    throw new BadProjection(table, `columns.${name}.from`, JSON.stringify(current), `a field of the data: ${allowed}`);
  }
  return {
    name,
    type: type ?? typeOf(schema),
    meaning: meaning ?? schema.description ?? `${current} of the event`,
    from: fields.map(pointerTo),
  };
}

/** Null if there is none. A record or a union may have any field. */
function fieldIn(data: JsonSchema, field: string): JsonSchema | null {
  let schema: JsonSchema | undefined = data;
  for (const name of field.split('.')) {
    const inner: JsonSchema | undefined = schema.properties?.[name];
    if (inner === undefined && schema.properties !== undefined) return null;
    schema = someIn(inner ?? {});
  }
  return schema;
}

/** Without null, which JSON Schema writes as one of several types or of several schemas. */
function someIn(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : types };
  }
  const [only, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (only === undefined || others.length > 0) return schema;
  return schema.description === undefined ? only : { ...only, description: schema.description };
}

function typeOf({ type, format, items }: JsonSchema): ColumnType {
  switch (type) {
    case 'string':
      return format === 'date-time' ? 'TIMESTAMP' : 'VARCHAR';
    case 'integer':
      return 'BIGINT';
    case 'number':
      return 'DOUBLE';
    case 'boolean':
      return 'BOOLEAN';
    case 'array': {
      const one = typeOf(someIn(items ?? {}));
      return one.endsWith('[]') ? 'JSON' : (`${one}[]` as ColumnType);
    }
    default:
      return 'JSON';
  }
}

function pointerTo(field: string): string {
  return field
    .split('.')
    .map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** The schema of a whole row, for `workspace.sql('FROM acme_throttling', { schema: rowOf(throttling) })`. */
export function rowOf<Row>({ columns }: DefinedProjection<Row>): z.ZodType<Row> {
  const own = columns.map(({ name, type }) => [name, cellOf(type).nullable()] as const);
  const { run, stage } = { run: z.string().nullable(), stage: z.int().nullable() };
  const shared = { happened_at: z.string(), actor: z.string(), id: z.string(), stream: z.string() };
  const numbers = { revision: z.int(), version: z.int(), run_id: z.string().nullable() };
  return z.object({ run, stage, ...Object.fromEntries(own), ...shared, ...numbers }) as unknown as z.ZodType<Row>;
}

const cells: Readonly<Record<string, z.ZodType>> = {
  VARCHAR: z.string(),
  BIGINT: z.number(),
  DOUBLE: z.number(),
  BOOLEAN: z.boolean(),
  TIMESTAMP: z.string(),
  JSON: z.unknown(),
};

function cellOf(type: ColumnType): z.ZodType {
  const one = cells[type.replace('[]', '')] ?? z.unknown();
  return type.endsWith('[]') ? z.array(one.nullable()) : one;
}
