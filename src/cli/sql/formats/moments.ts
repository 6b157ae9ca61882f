// Dates and times as text. Moments with a time zone are written in UTC, wherever this runs.
import {
  DuckDBDateValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api';

export interface Style {
  /** Between date and time. */
  readonly between: ' ' | 'T';
  /** Behind a moment with a time zone. */
  readonly utc: '+00' | 'Z';
  /** Digits behind the seconds, at least. */
  readonly digits: number;
}

/** As DuckDB itself writes them. */
export const asDuckDB: Style = { between: ' ', utc: '+00', digits: 0 };

/** RFC 3339; without a zone where DuckDB has none. */
export const asRfc3339: Style = { between: 'T', utc: 'Z', digits: 3 };

const farthest = { date: 2 ** 31 - 1, moment: 2n ** 63n - 1n };

export function dateText(value: DuckDBValue): string {
  if (!(value instanceof DuckDBDateValue)) return String(value);
  if (Math.abs(value.days) === farthest.date) return value.days < 0 ? '-infinity' : 'infinity';
  return value.toString();
}

/** What is not in the years 1 to 9999 is written as DuckDB does in any style: no other knows how. */
const years1to9999 = { from: -62_135_596_800, to: 253_402_300_799 };

export function momentText(value: DuckDBValue, style: Style): string {
  const { count, perSecond, zone } = counted(value, style);
  if (count === farthest.moment) return 'infinity';
  if (count === -farthest.moment) return '-infinity';
  const rest = ((count % perSecond) + perSecond) % perSecond;
  const seconds = Number((count - rest) / perSecond);
  if (seconds < years1to9999.from || seconds > years1to9999.to) return farText(value);
  const [date, time] = new Date(seconds * 1000).toISOString().slice(0, -5).split('T');
  return `${date}${style.between}${time}${fraction(rest, perSecond, style.digits)}${zone}`;
}

interface Counted {
  readonly count: bigint;
  readonly perSecond: bigint;
  readonly zone: string;
}

function counted(value: DuckDBValue, { utc }: Style): Counted {
  if (value instanceof DuckDBTimestampTZValue) return { count: value.micros, perSecond: 1_000_000n, zone: utc };
  if (value instanceof DuckDBTimestampNanosecondsValue) {
    return { count: value.nanos, perSecond: 1_000_000_000n, zone: '' };
  }
  if (value instanceof DuckDBTimestampMillisecondsValue) return { count: value.millis, perSecond: 1000n, zone: '' };
  if (value instanceof DuckDBTimestampSecondsValue) return { count: value.seconds, perSecond: 1n, zone: '' };
  if (value instanceof DuckDBTimestampValue) return { count: value.micros, perSecond: 1_000_000n, zone: '' };
  throw new TypeError(`${String(value)} is no moment`);
}

function farText(value: DuckDBValue): string {
  const isZoned = value instanceof DuckDBTimestampTZValue;
  return isZoned ? `${new DuckDBTimestampValue(value.micros)}${asDuckDB.utc}` : String(value);
}

function fraction(rest: bigint, perSecond: bigint, digits: number): string {
  if (rest === 0n) return digits === 0 ? '' : `.${'0'.repeat(digits)}`;
  const all = String(rest + perSecond).slice(1);
  return `.${all.replace(/0+$/, '').padEnd(digits, '0')}`;
}
