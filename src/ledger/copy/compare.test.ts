import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../identity/ids.ts';
import { Span } from '../seal/span.ts';
import { compare } from './compare.ts';

/** Digests in pages of any length, as a ledger may return them. */
async function* pages(digests: readonly string[], sizes: readonly number[]): AsyncGenerator<string> {
  for (let at = 0, page = 0; at < digests.length; page++) {
    const size = sizes[page % sizes.length] ?? 1;
    yield digests.slice(at, at + size).join('');
    at += size;
  }
}

const digests = fc.array(
  fc.nat(3).map((number) => sha256(String(number))),
  { maxLength: 12 },
);
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });

describe('comparing two lists of digests', () => {
  it('finds where they first differ or end, and the tree of their common beginning, for any pages', async () => {
    await fc.assert(
      fc.asyncProperty(digests, digests, digests, sizes, sizes, async (common, left, right, some, others) => {
        const [here, there] = [
          [...common, ...left],
          [...common, ...right],
        ];
        const differs = here.findIndex((digest, i) => digest !== there[i]);
        const same = differs < 0 ? here.length : differs;
        const [tree, wanted] = [new Span(), new Span()];
        wanted.addAll(here.slice(0, same).join(''));
        expect(await compare(pages(here, some), pages(there, others), tree)).toEqual({
          same,
          next: { here: here[same] ?? null, there: there[same] ?? null },
        });
        expect(tree.root()).toBe(wanted.root());
      }),
    );
  });
});
