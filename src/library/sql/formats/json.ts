// Answers as lossless JSON, generated in SQL: integers beyond a double's precision and decimals of more than 15 digits are strings,
// as are NaN and the infinities. Timestamps are RFC 3339 in UTC, bytes are base64, a MAP is an object, a UNION an object with one
// member, and values of type JSON are embedded. DuckDB's own JSON loses digits and writes NaN, which is not JSON.
import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { escapeControlsInJson, jsonText } from '../../../base/printable-json.ts';
import { quote, quoteName } from '../../../base/sql-quoting.ts';
import type { Answer, Column } from '../../../projections/query/questions.ts';
import { apart } from '../../../projections/query/scratch.ts';
import { cellName, eachText, type Options, textsOf, type Written } from './batches.ts';

/** One row per line. */
export async function writeNdjson(answer: Answer, options: Options): Promise<Written> {
  const { columns } = answer;
  const sql = `string_agg(${objectOf(columns)} || chr(10), '')`;
  return await eachText(answer, options, jsonTypes(columns), sql, async (bytes) => {
    for (const text of textsOf(bytes)) await options.out.write(escapeControlsInJson(text));
  });
}

/** One object with the rows, in the envelope of all lists of icecore. It is written when the query is done, so that a failed query
 * prints only its error. */
export async function writeJson(answer: Answer, options: Options): Promise<Written> {
  const { columns } = answer;
  const { out, asOf, behind, unknown } = options;
  const rows: Uint8Array[] = [];
  const written = await eachText(
    answer,
    options,
    jsonTypes(columns),
    `string_agg(${objectOf(columns)}, ',')`,
    (bytes) => {
      rows.push(bytes);
    },
  );
  const total = written.truncated ? null : written.rows;
  const names = apart(columns.map(({ name }) => name));
  const described = columns.map(({ type }, i) => ({ name: names[i], type: type.alias ?? String(type) }));
  const head = jsonText({ as_of: asOf, behind, unknown, total, columns: described });
  await out.write(`${head.slice(0, -1)},"rows":[`);
  for (const [i, some] of rows.entries()) {
    if (i > 0) await out.write(',');
    for (const text of textsOf(some)) await out.write(escapeControlsInJson(text));
  }
  await out.write(`],"truncated":${written.truncated}}\n`);
  return written;
}

function jsonTypes(columns: readonly Column[]): readonly string[] {
  return columns.map(({ type }) => scratchType(type));
}

/** The second of two columns with one name becomes name_1. */
function objectOf(columns: readonly Column[]): string {
  const names = apart(columns.map(({ name }) => name));
  return object(columns.map(({ type }, i) => [names[i] ?? '', inside(type, cellName(i))]));
}

function object(members: readonly (readonly [name: string, sql: string])[]): string {
  const parts = members.map(([name, sql], i) => `${quote(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`)}, ${sql}`);
  return `concat('{', ${parts.join(', ')}, '}')`;
}

/** Fields of `row(1, 2)` have no names; their keys are their positions. */
export function fieldNames(names: readonly string[]): readonly string[] {
  return isNameless(names) ? names.map((_, i) => String(i + 1)) : names;
}

function isNameless(names: readonly string[]): boolean {
  return names.every((name) => name === '');
}

/** The type of values in the scratch table: text where JSON uses DuckDB's own text. */
export function scratchType(type: DuckDBType, leaf: (type: DuckDBType) => string = jsonLeaf): string {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
      return `${scratchType(type.valueType, leaf)}[]`;
    case DuckDBTypeId.ARRAY:
      return `${scratchType(type.valueType, leaf)}[${type.length}]`;
    case DuckDBTypeId.MAP:
      return `MAP(${scratchType(type.keyType, leaf)}, ${scratchType(type.valueType, leaf)})`;
    case DuckDBTypeId.STRUCT:
      return `STRUCT(${fieldsOf(fieldNames(type.entryNames), type.entryTypes, leaf)})`;
    case DuckDBTypeId.UNION:
      return `UNION(${fieldsOf(type.memberTags, type.memberTypes, leaf)})`;
    default:
      return leaf(type);
  }
}

function fieldsOf(names: readonly string[], types: readonly DuckDBType[], leaf: (type: DuckDBType) => string): string {
  return types.map((type, i) => `${quoteName(names[i] ?? '')} ${scratchType(type, leaf)}`).join(', ');
}

const numbers: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
]);
const wideIntegers: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
]);
const measures: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE]);
const moments: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

function jsonLeaf(type: DuckDBType): string {
  const { typeId } = type;
  if (typeId === DuckDBTypeId.BIGNUM) return 'VARCHAR';
  if (typeId === DuckDBTypeId.VARIANT) return 'JSON';
  if (moments.has(typeId)) return 'TIMESTAMP';
  const isKept = [DuckDBTypeId.BLOB, DuckDBTypeId.DECIMAL, DuckDBTypeId.TIMESTAMP_NS].includes(typeId);
  return isKept || numbers.has(typeId) || wideIntegers.has(typeId) || measures.has(typeId) ? String(type) : 'VARCHAR';
}

function inside(type: DuckDBType, value: string): string {
  return `CASE WHEN ${value} IS NULL THEN 'null' ELSE ${jsonOf(type, value)} END`;
}

const safest = Number.MAX_SAFE_INTEGER;

/** The number of digits that survive a round trip through a double. */
const exactDigits = 15;

/** The JSON of a value that is not NULL, as SQL. */
export function jsonOf(type: DuckDBType, value: string): string {
  const { typeId } = type;
  const text = `${value}::VARCHAR`;
  if (numbers.has(typeId)) return text;
  if (wideIntegers.has(typeId))
    return `CASE WHEN TRY_CAST(${value} AS HUGEINT) BETWEEN -${safest} AND ${safest} THEN ${text} ELSE concat('"', ${text}, '"') END`;
  if (measures.has(typeId))
    return `CASE WHEN isfinite(${value}) THEN ${text} WHEN isnan(${value}) THEN '"NaN"' WHEN ${value} > 0 THEN '"Infinity"' ELSE '"-Infinity"' END`;
  if (moments.has(typeId)) return momentOf(value, '%f', typeId === DuckDBTypeId.TIMESTAMP_TZ);
  switch (typeId) {
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return `concat('[', ${joined(value, (item) => inside(type.valueType, item))}, ']')`;
    case DuckDBTypeId.MAP: {
      const entry = (item: string): string =>
        `concat(${keyOf(jsonOf(type.keyType, `${item}.key`))}, ':', ${inside(type.valueType, `${item}.value`)})`;
      return `concat('{', ${joined(`map_entries(${value})`, entry)}, '}')`;
    }
    case DuckDBTypeId.STRUCT: {
      const names = fieldNames(type.entryNames);
      const fields = type.entryTypes.map((field, i) =>
        inside(field, `struct_extract(${value}, ${quote(names[i] ?? '')})`),
      );
      if (isNameless(type.entryNames)) return `concat('[', ${fields.join(`, ',', `)}, ']')`;
      return object(fields.map((field, i) => [names[i] ?? '', field]));
    }
    case DuckDBTypeId.UNION: {
      const members = type.memberTypes.map((member, i) => {
        const tag = type.memberTags[i] ?? '';
        const found = inside(member, `union_extract(${value}, ${quote(tag)})`);
        return `WHEN ${quote(tag)} THEN ${object([[tag, found]])}`;
      });
      return `CASE union_tag(${value})::VARCHAR ${members.join(' ')} END`;
    }
    case DuckDBTypeId.DECIMAL:
      if (type.width <= exactDigits) return text;
      return `CASE WHEN length(regexp_replace(${text}, '^-?0*\\.?0*|\\.', '', 'g')) <= ${exactDigits} THEN ${text} ELSE concat('"', ${text}, '"') END`;
    case DuckDBTypeId.TIMESTAMP_NS:
      return momentOf(value, '%n', false);
    case DuckDBTypeId.BLOB:
      return `concat('"', base64(${value}), '"')`;
    case DuckDBTypeId.VARIANT:
      return text;
    default:
      return type.alias === 'JSON' ? asItIs(text) : `to_json(${text})::VARCHAR`;
  }
}

function joined(list: string, item: (name: string) => string): string {
  // A nested lambda needs a parameter name of its own.
  const name = `x${list.length}`;
  return `array_to_string(list_transform(${list}, lambda ${name}: ${item(name)}), ',')`;
}

/** A text is used as a key unchanged. */
const keyOf = (json: string): string =>
  `CASE WHEN starts_with(${json}, '"') THEN ${json} ELSE to_json(${json})::VARCHAR END`;

/** At least three digits of fractional seconds. Years outside 1 to 9999, which RFC 3339 does not allow, are written as DuckDB
 * does. */
function momentOf(value: string, digits: '%f' | '%n', isZoned: boolean): string {
  const most = digits === '%f' ? 3 : 6;
  const exact = `regexp_replace(strftime(${value}, '%Y-%m-%dT%H:%M:%S.${digits}'), '0{1,${most}}$', '')`;
  const far = `concat('"', ${value}::VARCHAR, CASE WHEN isfinite(${value}) THEN '${isZoned ? '+00' : ''}' ELSE '' END, '"')`;
  return `CASE WHEN year(${value}) BETWEEN 1 AND 9999 THEN concat('"', ${exact}, '${isZoned ? 'Z' : ''}"') ELSE ${far} END`;
}

/** On one line. DuckDB accepts some texts that are not JSON, such as NaN and [1,]; these become strings. */
function asItIs(text: string): string {
  const bare = `regexp_replace(${text}, '"(?:[^"\\\\]|\\\\.)*"|true|false|null', '', 'g')`;
  const isJson = `json_valid(${text}) AND NOT regexp_matches(${bare}, '(?i)nan|inf|,\\s*[\\]}]')`;
  return `CASE WHEN ${isJson} THEN regexp_replace(${text}, '[\\n\\r\\t]', ' ', 'g') ELSE to_json(${text})::VARCHAR END`;
}
