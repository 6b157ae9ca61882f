// Numbers, times and truth values for Arrow: DuckDB's bytes, but for truth values, which are bits there, and for decimals,
// which always have 16 bytes there.
import { Bool, BufferType, Data, type DataType, Decimal, makeData, Null } from 'apache-arrow';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { ArrowColumn } from './arrow-column.ts';
import { bitsOf, fixedBytes, nullBits } from './arrow-rows.ts';

export class TooWideForArrow extends IcecoreError {
  override readonly name = 'TooWideForArrow';

  constructor(value: bigint) {
    super('usage', `${value} has more digits than a decimal of Arrow, which has 38`, {
      facts: { value: String(value) },
      remedy: 'Cast it, as in x::DOUBLE or x::VARCHAR, or ask for another format.',
    });
  }
}

/** The library counts the bits itself when it has to know. */
const unknown = -1;

/** A type of so many bytes that are the same in both. */
export function plainColumn(type: DataType, width: number): ArrowColumn {
  return {
    type,
    data(vector, taking) {
      const values = new type.ArrayType(fixedBytes(vector, taking, width).buffer);
      const nulls = nullBits(vector, taking);
      return new Data(type, 0, taking.rows.length, nulls === null ? 0 : unknown, {
        [BufferType.DATA]: values,
        ...(nulls === null ? {} : { [BufferType.VALIDITY]: nulls }),
      });
    },
  };
}

export function booleanColumn(): ArrowColumn {
  const type = new Bool();
  return {
    type,
    data(vector, taking) {
      const { length } = taking.rows;
      const bytes = fixedBytes(vector, taking, 1);
      const data = bitsOf(length, (i) => bytes[i] !== 0);
      return makeData({ type, length, nullBitmap: nullBits(vector, taking), data });
    },
  };
}

export function nothingColumn(): ArrowColumn {
  const type = new Null();
  return { type, data: (_, { rows }) => makeData({ type, length: rows.length }) };
}

const decimalBytes = 16;

export function decimalColumn(digits: number, scale: number): ArrowColumn {
  const type = new Decimal(scale, digits, 8 * decimalBytes);
  const width = widthOf(digits);
  return {
    type,
    data(vector, taking) {
      const bytes = fixedBytes(vector, taking, width);
      const data = new Uint32Array(width === decimalBytes ? bytes.buffer : widened(bytes, width).buffer);
      return makeData({ type, length: taking.rows.length, nullBitmap: nullBits(vector, taking), data });
    },
  };
}

const hugeDigits = 38;
const firstBeyond = 10n ** BigInt(hugeDigits);
/** Of which no number with a 39th digit has less above its lower 64 bits. */
const highBeyond = firstBeyond >> 64n;

/** Of HUGEINT, as sums of integers are: its bytes are those of a decimal, which has a digit less. */
export function hugeColumn(): ArrowColumn {
  const { type, data } = decimalColumn(hugeDigits, 0);
  return {
    type,
    data(vector, taking) {
      refuseBeyond(fixedBytes(vector, taking, decimalBytes), nullBits(vector, taking));
      return data(vector, taking);
    },
  };
}

function refuseBeyond({ buffer }: Uint8Array, present: Uint8Array | null): void {
  const words = new BigInt64Array(buffer);
  for (let i = 0; 2 * i < words.length; i++) {
    const high = words[2 * i + 1] ?? 0n;
    if (high < highBeyond && high > -highBeyond) continue;
    if (present !== null && ((present[i >> 3] ?? 0) & (1 << (i & 7))) === 0) continue;
    const value = (high << 64n) + BigInt.asUintN(64, words[2 * i] ?? 0n);
    if (value >= firstBeyond || value <= -firstBeyond) throw new TooWideForArrow(value);
  }
}

/** In how many bytes DuckDB holds a decimal of so many digits. */
function widthOf(digits: number): number {
  if (digits <= 4) return 2;
  if (digits <= 9) return 4;
  return digits <= 18 ? 8 : decimalBytes;
}

function widened(bytes: Uint8Array, width: number): BigInt64Array {
  const narrow = integersIn(bytes, width);
  const wide = new BigInt64Array(narrow.length * 2);
  for (let i = 0; i < narrow.length; i++) {
    const value = BigInt(narrow[i] ?? 0);
    wide[2 * i] = value;
    wide[2 * i + 1] = value < 0n ? -1n : 0n;
  }
  return wide;
}

function integersIn({ buffer }: Uint8Array, width: number): ArrayLike<number | bigint> {
  if (width === 2) return new Int16Array(buffer);
  return width === 4 ? new Int32Array(buffer) : new BigInt64Array(buffer);
}
