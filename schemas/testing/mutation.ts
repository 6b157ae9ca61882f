// Mutations of JSON values: one change in one place, of the kinds that people and programs get wrong.
import fc from 'fast-check';
import { anyJson } from './arbitrary.ts';

type Container = Record<string, unknown>;

const strangeKeys = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'Id',
  ' id',
  'text',
  'value',
  '',
  '0',
  '😀',
];

const strangeValues = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    '',
    ' ',
    '\n',
    'a\u0000b',
    '\u007f',
    '😀',
    'e\u0301',
    '\u2028',
    '__proto__',
  ),
  fc.constantFrom<unknown>(0, -0, -1, 1, 0.5, 1.5, 2, 16384, 1e21, -1e21, 2 ** 53, 2 ** 53 + 2, 1e308, 5e-324),
  fc.constantFrom<unknown>(
    '0',
    '-0',
    '007',
    '9'.repeat(39),
    '9'.repeat(40),
    'A'.repeat(64),
    'a'.repeat(64),
    'a'.repeat(63),
  ),
  fc.constantFrom<unknown>(
    '2026-02-29T00:00:00Z',
    '2028-02-29T24:00:00Z',
    '2026-07-01T12:00:00',
    'human/',
    'human/a b',
  ),
  fc.constantFrom<unknown>([], {}, [null], [[]], { text: 1 }, { value: null }, { value: 0, reason: 'x' }, { any: [] }),
  anyJson,
);

const proto = JSON.parse('{"__proto__": {"text": "x"}}') as unknown;

type Change = (at: { container: Container; key: string }) => void;

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>(({ container, key }) => {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
  }),
  strangeValues.map<Change>((value) => ({ container, key }) => {
    put(container, key, value);
  }),
  fc.tuple(fc.constantFrom(...strangeKeys), strangeValues).map<Change>(([extra, value]) => ({ container, key }) => {
    const held = container[key];
    put(isContainer(held) && !Array.isArray(held) ? held : container, extra, value);
  }),
  fc.constant<Change>(({ container, key }) => put(container, key, proto)),
);

/** The value with one mutation; rarely the mutated value is still valid. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(value, []);
  return fc.tuple(fc.nat(places.length - 1), changes).map(([chosen, change]) => {
    const copy = structuredClone(value);
    const path = places[chosen] ?? [];
    let container = copy as Container;
    for (const key of path.slice(0, -1)) container = container[key] as Container;
    const key = path.at(-1);
    if (key !== undefined) change({ container, key });
    return copy;
  });
}

/** Every place in a value as a path of keys. */
function placesIn(value: unknown, path: readonly string[]): string[][] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [[...path, key], ...placesIn(member, [...path, key])]);
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Sets a member as JSON.parse does: __proto__ becomes an ordinary key. */
function put(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}
