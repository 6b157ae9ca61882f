import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { fromAscii } from '../ascii.ts';
import type { Instance } from '../instance.ts';
import { exhaustive } from '../testing/exhaustive.ts';
import { canArrange } from './arrangement.ts';
import { Terrain } from './terrain.ts';
import { canEverArrive } from './testing/joint-moves.ts';
import { allKinds, fullLakes, trees } from './testing/lakes.ts';

const terrain = new Terrain();
const enough = 10_000_000;
const lake = (...lines: readonly string[]): Instance => fromAscii(lines.join('\n'));

const everybody = ({ agents }: Instance): number[] => [...agents.keys()];

function arranges(
  instance: Instance,
  members: readonly number[] = everybody(instance),
  limit = enough,
): boolean | null {
  terrain.load(instance);
  return canArrange(terrain, members, limit);
}

describe('whether agents can reach their goals at all', () => {
  it.each([
    ['two and three', fc.oneof(...[2, 3].map((agents) => allKinds({ agents, sizes: [3] }))), 300],
    ['four with hardly any room', fullLakes({ agents: 4, sizes: [3] }), 300],
    ['five with hardly any room', fullLakes({ agents: 5, sizes: [3] }), 80],
    ['six with hardly any room', fullLakes({ agents: 6, sizes: [3] }), 8],
    ['four among corridors', trees({ agents: 4, sizes: [3, 4] }), 30],
  ])('agrees with an exhaustive search of joint moves: %s', (_, lakes, numRuns) => {
    fc.assert(
      fc.property(lakes, (instance) => {
        expect(arranges(instance)).toBe(canEverArrive(instance, everybody(instance)));
      }),
      { numRuns: tries(numRuns) },
    );
  });

  it('agrees with the existence of a plan', () => {
    fc.assert(
      fc.property(fc.oneof(...[2, 3].map((agents) => allKinds({ agents, sizes: [3, 4] }))), (instance) => {
        expect(arranges(instance)).toBe(exhaustive(instance) !== null);
      }),
      { numRuns: tries(300) },
    );
  });

  it('ignores agents that are not asked about', () => {
    const groups = fc.constantFrom([0, 1], [1, 2], [0, 2, 3], [3], [1, 2, 3]);
    fc.assert(
      fc.property(allKinds({ agents: 4, sizes: [3] }), groups, (instance, members) => {
        expect(arranges(instance, members)).toBe(canEverArrive(instance, members));
      }),
      { numRuns: tries(300) },
    );
  });

  it.each([
    ['four turn in a full ring', lake('aD bA ##', 'dC cB ##', '## ## ##'), true],
    ['four turn in a full ring the other way', lake('aB bC ##', 'dA cD ##', '## ## ##'), true],
    ['four in a full ring keep their order', lake('aB bA ##', 'dD cC ##', '## ## ##'), false],
    ['three in a ring with room keep it, too', lake('aB bA ##', '.. cC ##', '## ## ##'), false],
    ['six turn in a full ring', lake('aF bA cB', 'fE eD dC', '## ## ##'), true],
    ['six in two rings that share a side change their order', lake('aB bA cC', 'fF eE dD', '## ## ##'), true],
    ['eight turn round a hole', lake('aH bA cB', 'hG ## dC', 'gF fE eD'), true],
    ['eight round a hole keep their order', lake('aB bA cC', 'hH ## dD', 'gG fF eE'), false],
    ['a ring with a way out lets two swap', lake('aB bA ##', '.. cC ..', '## ## ##'), true],
    [
      'a full ring with a full way out turns, and does not change its order',
      lake('aB bA ##', 'dD cC eE', '## ## ##'),
      false,
    ],
    ['no agent has to move', lake('aA bB ..', '.. .. ..', '.. .. ..'), true],
    ['a goal is behind holes', lake('a. ## .A', '.. ## ..', '.. ## ..'), false],
  ])('%s', (_, instance, answer) => {
    expect(canEverArrive(instance, everybody(instance))).toBe(answer);
    expect(arranges(instance)).toBe(answer);
  });

  it('is unknown after the limit of arrangements', () => {
    const instance = lake('aB bA ##', '.. cC ##', '## ## ##');
    expect(arranges(instance, [0, 1, 2], 3)).toBeNull();
    expect(arranges(instance, [0, 1, 2], 12)).toBe(false);
  });

  it('is unknown for too many possible arrangements', () => {
    const size = 32;
    const agents = [0, 1, 2].map((start) => ({ start, goal: start }));
    expect(arranges({ size, holes: new Uint8Array(size ** 2), agents })).toBeNull();
  });
});
