import { describe, expect, it } from 'vitest';
import { inFolder, json, lines, temporaryFolder, withDefaults } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';

describe('icecore lake bench', () => {
  const bench = (...options: string[]) =>
    inFolder(temporaryFolder())('lake', 'bench', ...withDefaults(options, { '--count': '20' }));

  it('measures every size with every number of agents', async () => {
    const ran = await bench('--sizes', '3,4', '--agents', '1, 2', '--json');
    expect(faultsAgainst('lake-bench', json(ran))).toEqual([]);
    const shape = (size: number, agents: number) => ({
      size,
      agents,
      lakes: 20,
      undecided: 0,
      solvedPerSecond: expect.any(Number),
    });
    expect(json(ran)).toMatchObject({ total: 4, rows: [shape(3, 1), shape(3, 2), shape(4, 1), shape(4, 2)] });
  });

  it('reports no generation speed for sizes that are not generated', async () => {
    const rows = (json(await bench('--sizes', '11', '--agents', '1', '--json')) as { rows: unknown[] }).rows;
    expect(rows).toMatchObject([{ size: 11, lakes: 20, generatedPerSecond: null }]);
  });

  it('prints a table', async () => {
    const { code, stdout } = await bench('--sizes', '4', '--agents', '2');
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([
      expect.stringMatching(
        /^size +agents +solved\/s +median +p99 +worst +undecided +judged agent-steps\/s +generated\/s$/,
      ),
      expect.stringMatching(/^ 4x4 +2 +[\d,]+ +[\d.]+ us/),
    ]);
  });

  it.each([
    [['--sizes', '2'], '--sizes: found "2", allowed: a whole number from 3 to 32'],
    [['--agents', '2;3'], '--agents: found "2;3", allowed: a whole number from 1 to 26'],
    [['--count', '0'], '--count: found "0"'],
    [['--sizes', '3,8', '--agents', '9'], '9 agents on 3x3: not enough room'],
  ])('refuses %j', async (options, said) => {
    expect(await bench(...options)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  });
});
