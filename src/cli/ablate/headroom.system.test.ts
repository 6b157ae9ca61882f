import { expect, it } from 'vitest';
import { inFolder, json, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const small = ['lab', 'headroom', 'dungeon', '--seed', '1..4', '--validation-tasks', '60', '--jobs', '1'];

it('icecore lab headroom measures the gain of the oracle, and a repetition starts no new runs', async () => {
  const ic = inFolder(temporaryFolder());
  const first = await ic(...small, '--json');
  expect(first.code).toBe(0);
  const headroom = json(first);
  expect(faultsAgainst('lab-headroom', headroom)).toEqual([]);
  expect(headroom).toMatchObject({
    environment: 'dungeon',
    seeds: 4,
    oracle: { arm: 'oracle' },
    measure: 'validation',
  });
  expect((headroom['oracle'] as { gain: number }).gain).toBeGreaterThan(0.3);
  const before = json(await ic('runs', '--json'));
  expect(json(await ic(...small, '--json'))).toEqual(headroom);
  expect(json(await ic('runs', '--json'))['rows']).toEqual(before['rows']);
  const shown = json(await ic('ablate', '--show', 'latest', '--json'));
  expect(shown['arms']).toContainEqual(expect.objectContaining({ arm: 'oracle', upperBound: true }));
  expect(shown['conclusions']).toContain(
    'oracle is an upper bound: its engineer cheats by reading what the environment hides.',
  );
  expect((await ic('ablate', '--show', 'latest')).stdout).toMatch(/^oracle \(upper bound\) /m);
  const { name } = headroom as { readonly name: string };
  const plan = await ic('ablate', `${name.slice(0, name.lastIndexOf('-'))}-1`, '--depth', 'train', '--plan');
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toContain(`in ${name} the best of 6 arms, oracle, was`);
});

it('icecore lab headroom refuses a single seed', async () => {
  const refused = await inFolder(temporaryFolder())('lab', 'headroom', 'dungeon', '--seed', '1');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('at least two seeds') });
});
