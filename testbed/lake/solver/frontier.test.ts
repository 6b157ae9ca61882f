import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { fromAscii } from '../ascii.ts';
import type { Instance } from '../instance.ts';
import { type Frontier, Frontiers } from './pairs.ts';
import { Terrain, unreachable } from './terrain.ts';
import { canArrive } from './testing/joint-moves.ts';
import { allKinds, trees } from './testing/lakes.ts';

const terrain = new Terrain();
const waiting = new Frontiers(terrain, true);
const unwaiting = new Frontiers(terrain, false);

function frontierOf(instance: Instance, mayWait: boolean, latest: number): readonly (readonly [number, number])[] {
  terrain.load(instance);
  const frontiers = mayWait ? waiting : unwaiting;
  frontiers.forget();
  return entries(frontiers.of(0, 1, latest));
}

function entries({ arrivals }: Frontier): readonly (readonly [number, number])[] {
  return Array.from({ length: arrivals.length / 2 }, (_, i) => [
    arrivals[2 * i] as number,
    arrivals[2 * i + 1] as number,
  ]);
}

/** The minimal pairs of arrival times up to `latest`, found by walking along their boundary. */
function expected(instance: Instance, mayWait: boolean, latest: number): [number, number][] {
  const least: [number, number][] = [];
  let [first, second] = [0, latest];
  while (first <= latest && second >= 0) {
    if (!canArrive(instance, [0, 1], [first, second], mayWait)) {
      first++;
      continue;
    }
    if (least.at(-1)?.[0] === first) least.pop();
    least.push([first, second]);
    second--;
  }
  return least;
}

const reachable = (instance: Instance): boolean => {
  terrain.load(instance);
  return terrain.distance(0) < unreachable && terrain.distance(1) < unreachable;
};

describe('the frontier of two agents', () => {
  // More cells need more steps until a plain search has seen everything.
  const lakes = fc.oneof(allKinds({ agents: 2, sizes: [3] }), trees({ agents: 2, sizes: [4] })).filter(reachable);
  const late = 12;

  it.each([
    ['with waits', true],
    ['without waits', false],
  ])('has the minimal pairs of arrival times: %s', (_, mayWait) => {
    fc.assert(
      fc.property(lakes, (instance) => {
        const latest = mayWait ? Number.POSITIVE_INFINITY : late;
        const found = frontierOf(instance, mayWait, latest).filter((pair) => pair.every((time) => time <= late));
        expect(found).toEqual(expected(instance, mayWait, late));
      }),
      { numRuns: tries(300) },
    );
  });

  it('does not depend on the limit of arrival times below it', () => {
    fc.assert(
      fc.property(lakes, fc.boolean(), fc.nat(14), (instance, mayWait, latest) => {
        const isOfInterest = (pair: readonly [number, number]): boolean => pair.every((time) => time <= latest);
        const found = frontierOf(instance, mayWait, latest).filter(isOfInterest);
        expect(found).toEqual(frontierOf(instance, mayWait, 15).filter(isOfInterest));
      }),
      { numRuns: tries(500) },
    );
  });

  it('is sorted from the earliest first arrival to the earliest second one', () => {
    fc.assert(
      fc.property(lakes, (instance) => {
        const found = frontierOf(instance, true, Number.POSITIVE_INFINITY);
        for (const [i, [first, second]] of found.slice(1).entries()) {
          expect(first).toBeGreaterThan(found[i]?.[0] as number);
          expect(second).toBeLessThan(found[i]?.[1] as number);
        }
      }),
    );
  });
});

describe('frontiers of several agents', () => {
  const lake = fromAscii(['aB .. bA', '## cC ##', '## ## ##'].join('\n'));
  const corridor = fromAscii(['aB .. bA', '## ## ##', 'cC ## ##'].join('\n'));

  it('concern two agents each, and are cached', () => {
    terrain.load(lake);
    waiting.forget();
    expect(waiting.known(0, 1)).toBeUndefined();
    const frontier = waiting.of(0, 1, Number.POSITIVE_INFINITY);
    expect(frontier).toEqual({ first: 0, second: 1, arrivals: [3, 4, 4, 3] });
    expect(waiting.known(0, 1)).toBe(frontier);
    expect(waiting.known(0, 2)).toBeUndefined();
    expect(waiting.of(0, 2, Number.POSITIVE_INFINITY).arrivals).toEqual([2, 0]);
    expect(waiting.hopeless()).toBeNull();
    waiting.forget();
    expect([waiting.known(0, 1), waiting.work]).toEqual([undefined, 0]);
  });

  it('report two agents without a joint path', () => {
    terrain.load(corridor);
    waiting.forget();
    expect(waiting.hopeless()).toBeNull();
    expect(waiting.of(0, 1, Number.POSITIVE_INFINITY).arrivals).toEqual([]);
    expect(waiting.hopeless()).toEqual([0, 1]);
  });
});
