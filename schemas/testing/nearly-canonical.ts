// JSON texts that are canonical or nearly canonical: with repeated or unsorted keys, or numbers and letters in another notation
// that JSON allows.
import fc from 'fast-check';

/** Chooses 0 where the text should be canonical. */
type Choose = () => number;

const fewFaults = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 }));

export function nearlyCanonical(value: unknown): fc.Arbitrary<string> {
  const faults = fc.oneof(
    fc.constant<number[]>([]),
    fc.array(fewFaults, { minLength: 10, maxLength: 300 }),
    fc.tuple(fc.nat(120), fc.integer({ min: 1, max: 6 })).map(([at, fault]) => [...Array(at).fill(0), fault]),
  );
  return faults.map((chosen) => {
    let at = 0;
    return written(value, () => chosen[at++] ?? 0);
  });
}

function written(value: unknown, choose: Choose): string {
  if (typeof value === 'string') return string(value, choose());
  if (typeof value === 'number') return number(value, choose());
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => written(one, choose)).join(',')}]`;
  return object(value as Record<string, unknown>, choose);
}

function object(value: Record<string, unknown>, choose: Choose): string {
  const keys = Object.keys(value).sort();
  const fault = choose();
  const at = fault % Math.max(keys.length, 1);
  if (fault === 1 || fault === 2) keys.splice(at, 0, ...keys.slice(at, at + 1));
  if (fault === 3 || fault === 4) keys.push(...keys.splice(0, 1));
  if (fault === 5) keys.reverse();
  const members = keys.map((key) => `${string(key, choose())}:${written(value[key], choose)}`);
  return `{${members.join(fault === 6 ? ', ' : ',')}}`;
}

function number(value: number, fault: number): string {
  const text = JSON.stringify(value);
  const isPlain = !text.includes('e');
  if (fault === 1) return value.toExponential();
  if (fault === 2 && isPlain) return text.includes('.') ? `${text}0` : `${text}.0`;
  if (fault === 3) return '-0';
  if (fault === 4) return `${text.includes('.') && isPlain ? `${text}00` : '2.10'}e1`;
  if (fault === 5 && isPlain) return `${text}e0`;
  return fault === 6 ? '0.10000000000000001' : text;
}

function string(value: string, fault: number): string {
  const text = JSON.stringify(value);
  const inner = text.slice(1, -1);
  if (fault === 1) return `"${inner}\\u000a"`;
  if (fault === 2) return `"${inner}\\u001F"`;
  if (fault === 3) return `"\\u0061${inner}"`;
  if (fault === 4) return `"${inner}\\/"`;
  if (fault === 5) return `"${inner}\ud800"`;
  return fault === 6 ? `"${inner}\\n\\u001f\\"\u007f\u2028"` : text;
}
