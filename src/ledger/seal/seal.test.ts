import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isThorough, tries } from '../../../schemas/testing/tries.ts';
import { sha256 } from '../identity/ids.ts';
import { InclusionProof, isIncluded } from './inclusion.ts';
import { Span } from './span.ts';

// The reference: the definitions of RFC 6962, section 2.1, implemented literally over bytes.
const h = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const split = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);

function treeHash(entries: readonly Buffer[]): Buffer {
  if (entries.length === 0) return h();
  if (entries.length === 1) return h(Buffer.of(0), entries[0] as Buffer);
  const k = split(entries.length);
  return h(Buffer.of(1), treeHash(entries.slice(0, k)), treeHash(entries.slice(k)));
}

function auditPath(m: number, entries: readonly Buffer[]): Buffer[] {
  if (entries.length <= 1) return [];
  const k = split(entries.length);
  return m < k
    ? [...auditPath(m, entries.slice(0, k)), treeHash(entries.slice(k))]
    : [...auditPath(m - k, entries.slice(k)), treeHash(entries.slice(0, k))];
}

const digests = Array.from({ length: 2001 }, (_, i) => sha256(`event ${i}`));
const entries = digests.map((digest) => Buffer.from(digest, 'hex'));

function spanOf(from: number, to: number): Span {
  const span = new Span(from);
  for (const digest of digests.slice(from, to)) span.add(digest);
  return span;
}

function proofOf(index: number, size: number) {
  const proof = new InclusionProof(index, size);
  for (const digest of digests.slice(0, size)) proof.add(digest);
  return proof.proof();
}

describe('a Merkle tree over events', () => {
  test('has the root of RFC 6962, for every size up to 2,000', () => {
    const grown = new Span();
    const wrong: number[] = [];
    for (let size = 0; size <= 2000; size++) {
      // The reference recomputes everything; every size up to 130 and then every 37th cover all shapes.
      if ((size <= 130 || size % 37 === 0) && grown.root() !== treeHash(entries.slice(0, size)).toString('hex'))
        wrong.push(size);
      grown.add(digests[size] as string);
    }
    expect(wrong).toEqual([]);
  });

  test('does not depend on how its leaves were added: one by one, in ranges, or through JSON', () => {
    const cuts = fc.array(fc.nat(2000), { maxLength: 12 }).map((at) => [...new Set(at)].sort((a, b) => a - b));
    fc.assert(
      fc.property(cuts, fc.integer({ min: 0, max: 2000 }), (at, size) => {
        const edges = [0, ...at.filter((cut) => cut > 0 && cut < size), size];
        const ranges = edges.slice(1).map((to, i) => spanOf(edges[i] as number, to));
        const joined = new Span();
        for (const next of ranges) joined.join(Span.of(JSON.parse(JSON.stringify(next))));
        expect(joined.root()).toBe(spanOf(0, size).root());
      }),
      { numRuns: tries(60) },
    );
  });

  test('is not joined with a range after missing leaves', () => {
    expect(() => spanOf(0, 3).join(spanOf(4, 5))).toThrow('leaves up to 3 cannot be followed by 4');
  });
});

describe('an inclusion proof', () => {
  test('holds for every size up to 2,000, with the path of RFC 6962', () => {
    for (let size = 1; size <= 2000; size++) {
      const isGiven = size <= 66 || size % 97 === 0;
      if (!isGiven && !isThorough) continue;
      const index = Math.floor(((size * 0.618) % 1) * size);
      const proof = proofOf(index, size);
      if (!isIncluded(digests[index] as string, proof)) expect.fail(`leaf ${index} of ${size}`);
      if (isGiven)
        expect(proof.path).toEqual(auditPath(index, entries.slice(0, size)).map((hash) => hash.toString('hex')));
    }
  });

  test('holds for any leaf, and only for that one', () => {
    const leafAndSize = fc
      .integer({ min: 1, max: 2000 })
      .chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)));
    fc.assert(
      fc.property(leafAndSize, fc.nat(2000), ([index, size], other) => {
        const proof = proofOf(index, size);
        expect(isIncluded(digests[index] as string, proof)).toBe(true);
        expect(isIncluded(digests[other] as string, proof)).toBe(other === index);
      }),
      { numRuns: tries(100) },
    );
  });

  test('does not hold after any change', () => {
    const change = fc.constantFrom('index', 'size', 'root', 'flip', 'drop', 'add');
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(), change, (size, some, what) => {
        const index = some % size;
        const proof = proofOf(index, size);
        const { path } = proof;
        const at = some % path.length;
        const changed = {
          // Another size can have the same path only if the leaf's path to the root is the same.
          index: { ...proof, index: (index + 1) % size },
          size: { ...proof, size: index },
          root: { ...proof, root: sha256(proof.root) },
          flip: { ...proof, path: path.with(at, sha256(path[at] as string)) },
          drop: { ...proof, path: path.toSpliced(at, 1) },
          add: { ...proof, path: [...path, proof.root] },
        }[what];
        expect(isIncluded(digests[index] as string, changed as typeof proof)).toBe(false);
      }),
    );
  });
});
