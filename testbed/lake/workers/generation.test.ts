import { describe, expect, it } from 'vitest';
import type { LakeConfiguration } from '../configuration.ts';
import { fill, type LakeShortage } from '../generator/generate.ts';
import { instanceOf } from '../line.ts';
import { generation } from './generation.ts';
import { batchFor, countOf, type GenerateRequest } from './pool.ts';

/** On 3x3 without holes, instances with a wait are rare, and those without one are soon exhausted. */
const scarce: LakeConfiguration = {
  agents: 2,
  sizes: { 3: { data: 0.6, hole: 0, wait: 0.2 }, 5: { data: 0.4, hole: 0.2, wait: 0.5 } },
};

const requests: readonly GenerateRequest[] = [
  { kind: 'configuration', configuration: scarce, count: 90, split: 'test', seed: 'x' },
  { kind: 'configuration', configuration: scarce, count: 200, split: 'train', seed: 'x' },
  { kind: 'configuration', configuration: scarce, count: 0, split: 'train', seed: 'x' },
];

interface Generated {
  readonly lines: readonly string[];
  readonly shortages: readonly LakeShortage[];
}

async function generated(request: GenerateRequest, jobs: number): Promise<Generated> {
  const lines: string[] = [];
  const generating = generation({ request, jobs }, new AbortController().signal);
  for (;;) {
    const next = await generating.next();
    if (next.done === true) return { lines, shortages: next.value };
    lines.push(...next.value);
  }
}

function filled(request: GenerateRequest): { digests: readonly string[]; shortages: readonly LakeShortage[] } {
  const digests: string[] = [];
  const filling = fill(batchFor(request));
  for (;;) {
    const next = filling.next();
    if (next.done === true) return { digests, shortages: next.value };
    digests.push(next.value.digest);
  }
}

describe('generating with threads', () => {
  it.each(requests)('gives the same result as without them: %j', async (request) => {
    const { digests, shortages } = filled(request);
    const alone = await generated(request, 1);
    expect(alone.lines.map((line) => (JSON.parse(line) as { digest: string }).digest)).toEqual(digests);
    expect(alone.shortages).toEqual(shortages);
    expect(await generated(request, 3)).toEqual(alone);
  });

  it('numbers instances by split or suite', async () => {
    const { lines } = await generated(requests[0] as GenerateRequest, 2);
    expect(lines.map((line) => instanceOf(JSON.parse(line)).id)).toEqual(lines.map((_, i) => `test-${i}`));
    expect(lines.length).toBeLessThan(90);
  });

  it('ends with the reason when it is aborted', async () => {
    const stop = new AbortController();
    const request = { ...(requests[1] as GenerateRequest), count: 1_000_000 };
    const generating = generation({ request, jobs: 2 }, stop.signal);
    await generating.next();
    stop.abort('enough');
    await expect(async () => {
      for (;;) await generating.next();
    }).rejects.toBe('enough');
    await expect(generation({ request, jobs: 2 }, stop.signal).next()).rejects.toBe('enough');
  });

  it('may be abandoned early', async () => {
    const request = { ...(requests[1] as GenerateRequest), count: 1_000_000 };
    for await (const lines of generation({ request, jobs: 2 }, new AbortController().signal)) {
      expect(lines.length).toBeGreaterThan(0);
      break;
    }
  });

  it('computes the requested number in advance', () => {
    expect(requests.map(countOf)).toEqual([90, 200, 0]);
    expect(countOf({ kind: 'probe', agents: 2, perKind: 3, split: 'probe', seed: 'x' })).toBe(8 * 2 * 4 * 3);
  });
});
