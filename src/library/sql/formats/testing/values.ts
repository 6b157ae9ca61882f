// Queries of random values of every type.
import fc from 'fast-check';

/** Characters with special meanings for terminals, CSV, JSON and Markdown. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        ...['"', "'", '\\', ',', ';', '\n', '\r\n', '\r', '\t', '\u001b[31m', '\u009b2J', '\u202e', '\u2028', '\ufeff'],
        ...[
          '👩‍👩‍👧',
          '好',
          'é',
          ' ',
          'NULL',
          '|',
          '`',
          '<b>',
          '{',
          '}',
          '[',
          ']',
          '=',
          ':',
          '(',
          ')',
          'a',
          '0',
          '\u007f',
        ],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
);

/** DuckDB accepts no U+0000 in SQL text. */
const text = hostileText.map((found) => found.replaceAll('\u0000', '').toWellFormed());

const big = (bits: number, signed: boolean): fc.Arbitrary<string> =>
  fc
    .bigInt(
      signed
        ? { min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }
        : { min: 0n, max: 2n ** BigInt(bits) - 1n },
    )
    .map(String);

const two = (most: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
const date = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
const time = (digits: number): fc.Arbitrary<string> =>
  fc
    .tuple(two(23), two(59), two(59), fc.integer({ min: 0, max: 10 ** digits - 1 }))
    .map(([h, m, s, rest]) => `${h}:${m}:${s}${digits === 0 ? '' : `.${String(rest).padStart(digits, '0')}`}`);
const moment = (digits: number): fc.Arbitrary<string> => fc.tuple(date, time(digits)).map((parts) => parts.join(' '));
const far = fc.constantFrom('infinity', '-infinity', '0044-03-15 (BC)', '20000-01-01');
const hex = fc
  .uint8Array({ maxLength: 20 })
  .map((bytes) => Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));

/** A literal cast to the type. */
const castOf = (type: string, found: fc.Arbitrary<string>): readonly [string, fc.Arbitrary<string>] => [
  type,
  found.map((value) => `CAST(${quoted(value)} AS ${type})`),
];

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

const texts: fc.Arbitrary<string> = text.map(quoted);
const integers = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => `CAST(${n} AS INTEGER)`);
const orNull = (value: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.option(value, { nil: 'NULL' });
const listOf = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(orNull(item), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`);
const castTo = (type: string, value: fc.Arbitrary<string>): readonly [string, fc.Arbitrary<string>] => [
  type,
  value.map((found) => `CAST(${found} AS ${type})`),
];

export const singleTypes: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ['VARCHAR', texts],
  castOf('BOOLEAN', fc.boolean().map(String)),
  castOf('TINYINT', big(8, true)),
  castOf('SMALLINT', big(16, true)),
  castOf('INTEGER', big(32, true)),
  castOf('BIGINT', big(64, true)),
  castOf('HUGEINT', fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(String)),
  castOf('UTINYINT', big(8, false)),
  castOf('USMALLINT', big(16, false)),
  castOf('UINTEGER', big(32, false)),
  castOf('UBIGINT', big(64, false)),
  castOf('UHUGEINT', big(128, false)),
  castOf('FLOAT', fc.float().map(String)),
  castOf('DOUBLE', fc.double().map(String)),
  castOf(
    'DECIMAL(4,1)',
    fc.integer({ min: -9999, max: 9999 }).map((n) => String(n / 10)),
  ),
  castOf(
    'DECIMAL(9,3)',
    fc.integer({ min: -999999, max: 999999 }).map((n) => String(n / 1000)),
  ),
  castOf('DECIMAL(18,6)', big(39, true)),
  castOf('DECIMAL(38,10)', big(90, true)),
  castOf('DATE', fc.oneof(date, far)),
  castOf('TIME', time(6)),
  castOf('TIMESTAMP', fc.oneof(moment(6), far)),
  castOf('TIMESTAMP_S', moment(0)),
  castOf('TIMESTAMP_MS', moment(3)),
  castOf(
    'TIMESTAMP_NS',
    fc.tuple(fc.constantFrom('1970-01-01', '2026-07-01', '1899-12-31'), time(9)).map((parts) => parts.join(' ')),
  ),
  castOf('TIMESTAMPTZ', fc.oneof(moment(6), far)),
  castOf(
    'TIMETZ',
    fc.tuple(time(6), fc.constantFrom('+00', '+02:30', '-11', '+15:59:59')).map((parts) => parts.join('')),
  ),
  castOf('UUID', fc.uuid()),
  castOf('BLOB', hex),
  castOf('BIT', fc.stringMatching(/^[01]{1,20}$/)),
  castOf(
    'INTERVAL',
    fc
      .tuple(
        fc.integer({ min: -900, max: 900 }),
        fc.integer({ min: -900, max: 900 }),
        fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
      )
      .map(([months, days, micros]) => `${months} months ${days} days ${micros} microseconds`),
  ),
  castOf("ENUM('a', 'b c', 'ü\"')", fc.constantFrom('a', 'b c', 'ü"')),
];

export const nestedTypes: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  castTo('VARCHAR[]', listOf(texts)),
  castTo('INTEGER[][]', listOf(listOf(integers))),
  castTo('DATE[]', listOf(castOf('DATE', date)[1])),
  castTo('TIMESTAMP[]', listOf(castOf('TIMESTAMP', moment(6))[1])),
  castTo(
    'INTEGER[3]',
    fc.array(orNull(integers), { minLength: 3, maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
  ),
  castTo(
    'STRUCT("a b" VARCHAR, n DOUBLE, l INTEGER[])',
    fc
      .tuple(
        orNull(texts),
        orNull(castOf('DOUBLE', fc.double({ noNaN: true }).map(String))[1]),
        orNull(listOf(integers)),
      )
      .map(([a, n, l]) => `{'a b': ${a}, 'n': ${n}, 'l': ${l}}`),
  ),
  castTo(
    'MAP(VARCHAR, INTEGER)',
    fc
      .uniqueArray(texts, { maxLength: 4 })
      .chain((keys) =>
        fc.tuple(fc.constant(keys), fc.array(orNull(integers), { minLength: keys.length, maxLength: keys.length })),
      )
      .map(([keys, values]) => `MAP([${keys.join(', ')}], [${values.join(', ')}])`),
  ),
];

export interface Generated {
  readonly types: readonly string[];
  readonly sql: string;
}

/** A column of each of these types, and a few rows with some NULL values. */
export function queriesOf(types: readonly (readonly [string, fc.Arbitrary<string>])[]): fc.Arbitrary<Generated> {
  const row = fc.tuple(
    ...types.map(([type, value]) =>
      fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(`CAST(NULL AS ${type})`) }),
    ),
  );
  return fc.array(row, { minLength: 1, maxLength: 5 }).map((rows) => {
    const values = rows.map((cells) => `(${cells.join(', ')})`).join(', ');
    const names = types.map((_, i) => `c${i}`).join(', ');
    return { types: types.map(([type]) => type), sql: `SELECT * FROM (VALUES ${values}) t(${names})` };
  });
}
