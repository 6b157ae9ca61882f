// The random values of histories: probabilities, and texts as odd as the catalogue allows.
import fc, { type GeneratorValue } from 'fast-check';

/** Shrinks towards `false`, the first of a list, and 0. */
export class Draw {
  readonly #value: GeneratorValue;

  constructor(value: GeneratorValue) {
    this.#value = value;
  }

  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** From 0, less than `end`. */
  below(end: number): number {
    return this.#value(fc.nat, Math.max(0, end - 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  some<Item>(items: readonly Item[], percent: number): Item[] {
    return items.filter(() => this.chance(percent));
  }

  many<Item>(most: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    return items.flatMap(() => left.splice(this.below(left.length), 1));
  }

  /** Each member may be left out independently. */
  optional<Fields extends object>(percent: number, fields: Fields): Partial<Fields> {
    return Object.fromEntries(Object.entries(fields).filter(() => this.chance(percent))) as Partial<Fields>;
  }

  name(): string {
    return this.pick(names);
  }

  text(): string {
    return this.pick(texts);
  }

  number(): number {
    return this.pick(numbers);
  }

  /** A number, or the reason why there is none. */
  score(value = this.number()): number | { value: null; reason: string } {
    return this.chance(85) ? value : { value: null, reason: this.name() };
  }

  share(): number {
    return this.below(101) / 100;
  }

  count(): number {
    return this.chance(95) ? this.below(40) : this.pick([2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]);
  }

  wide(): number | string {
    return this.pick([7, 0, -1, Number.MAX_SAFE_INTEGER, '18446744073709551615', '-99999999999999999999999999999999']);
  }

  digest(): string {
    return this.pick(['a', 'b', 'c', 'd']).repeat(64);
  }

  free(): Record<string, unknown> {
    return Object.fromEntries(this.many(2, () => [this.text(), this.pick<unknown>([1, 'two', null, [3], { a: {} }])]));
  }

  amounts(): Record<string, number> {
    return Object.fromEntries(
      this.some(['agent-steps', 'updates', 'tokens', 'input', 'output', ...names.slice(0, 4)], 25).map((unit) => [
        unit,
        unit === 'tokens' ? 0.5 : this.below(1000),
      ]),
    );
  }

  scores(): Record<string, number | { value: null; reason: string }> {
    return Object.fromEntries(this.some(['valid', 'kl', ...names.slice(0, 5)], 25).map((one) => [one, this.score()]));
  }
}

const names = [
  'plain',
  'select',
  'a.b',
  "it's",
  'say "no"',
  'größe',
  '日本',
  'null',
  'a/b',
  '$.x',
  ' spaced ',
  '🦆',
  '\\',
  '%_',
  "'; DROP VIEW runs; --",
  '{"reason":"x"}',
];

const texts = [...names, '', 'two\nlines', '\t', 'NUL \u0000 within', '\u2028', 'long '.repeat(50), 'true', '12'];

const numbers = [0, 1, 0.1, 1 / 3, -2.5, 1e-12, 1e300, 3, 0.30000000000000004];
