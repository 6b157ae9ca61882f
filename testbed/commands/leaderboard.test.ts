import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/base/terminal.ts';
import { icecore, inFolder, lines, ownColour, type Ran, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { wilson } from '../../src/lab/statistics/distributions.ts';
import { untrainedIn } from '../../src/producers/policies/testing/checkpoints.ts';
import { corridor, crossing, line } from './testing/lines.ts';
import { leaderboardIn, shareIn } from './testing/printed.ts';

const small = ['--suite', 'agents-2-wait-25-of-4', '--suite', 'agents-3-wait-50-of-4'];

function leaderboard(...argv: string[]): Promise<Ran> {
  return inFolder(temporaryFolder())('lake', 'leaderboard', ...argv);
}

describe('icecore lake leaderboard', () => {
  it('without policies compares the rules, sorted by valid plans, with differences from the first', async () => {
    const result = leaderboardIn(await leaderboard(...small, '--json'));
    expect(result.rows.map(({ named }) => named)).toEqual(['optimal', 'greedy', 'random']);
    expect(result).toMatchObject({ total: 3, baseline: 'optimal', suite: { tasks: 64 }, decoding: { greedy: true } });
    const [optimal, greedy, random] = result.rows;
    expect(shareIn(optimal?.valid ?? expect.fail())).toBe('64 of 64');
    expect(optimal?.against).toBe(null);
    const lost = 64 - (greedy?.valid.count ?? 0);
    expect(greedy?.against?.valid).toMatchObject({ value: -lost / 64, better: 0, worse: lost, of: 64 });
    expect(random?.against?.optimal).toMatchObject({ value: -1, better: 0, worse: 64, of: 64 });
  });

  it('reports rates by agents and by waits', async () => {
    const { rows } = leaderboardIn(await leaderboard('optimal', ...small, '--json'));
    expect(rows[0]?.cells.map(({ conditions, valid }) => [conditions, shareIn(valid)])).toEqual([
      [{ agents: 2 }, '32 of 32'],
      [{ agents: 3 }, '32 of 32'],
      [{ wait: 0.25 }, '32 of 32'],
      [{ wait: 0.5 }, '32 of 32'],
    ]);
  });

  it('compares with the named baseline', async () => {
    const result = leaderboardIn(await leaderboard('optimal', 'greedy', '--baseline', 'greedy', ...small, '--json'));
    expect(result.baseline).toBe('greedy');
    expect(result.rows.map(({ against }) => against?.valid?.worse ?? null)).toEqual([0, null]);
  });

  it('computes differences and intervals by lakes, not attempts', async () => {
    const { rows } = leaderboardIn(
      await leaderboard('greedy', 'optimal', ...small, '--sampled', '--samples', '3', '--json'),
    );
    expect(rows.map(({ rollouts }) => rollouts)).toEqual([192, 192]);
    expect(rows[1]?.against?.valid?.of).toBe(64);
    for (const { valid } of rows) {
      const { low, high } = wilson((valid.value ?? 0) * 64, 64);
      expect([valid.low, valid.high]).toEqual([expect.closeTo(low, 9), expect.closeTo(high, 9)]);
    }
  });

  it('evaluates all policies on the same lakes', async () => {
    const cwd = temporaryFolder();
    const checkpoint = await untrainedIn(cwd);
    const fresh = ['--agents', '2', '--count', '16'];
    const run = inFolder(cwd);
    const together = leaderboardIn(await run('lake', 'leaderboard', checkpoint, 'greedy', ...fresh, '--json'));
    const alone = leaderboardIn(await run('lake', 'leaderboard', 'greedy', ...fresh, '--json', '--jobs', '1'));
    expect(alone.suite).toEqual(together.suite);
    expect(alone.rows[0]?.valid).toEqual(together.rows.find(({ named }) => named === 'greedy')?.valid);
    writeFileSync(join(cwd, 'mine.ndjson'), line(crossing) + line(corridor));
    const own = leaderboardIn(await run('lake', 'leaderboard', '--lakes', 'mine.ndjson', '--json'));
    expect(own.rows.map(({ valid }) => shareIn(valid))).toEqual(['1 of 2', expect.any(String), expect.any(String)]);
  });

  it('prints a table', async () => {
    const { stdout, stderr } = await leaderboard(...small);
    expect(stderr).toBe('');
    expect(stdout).toBe(`2 suites, 64 lakes (d9eff46aeea6), one try each, the best answer, seed icecore

policy                 valid              optimal              difference  +better -worse  2 agents  3 agents  25 % wait  50 % wait
optimal  100.0 [94.3, 100.0]  100.0 [94.3, 100.0]                baseline                     100.0     100.0      100.0      100.0
greedy     46.9 [35.2, 58.9]    46.9 [35.2, 58.9]    -53.1 [-63.9, -39.1]          +0 -34      65.6      28.1       65.6       28.1
random        0.0 [0.0, 5.7]       0.0 [0.0, 5.7]  -100.0 [-100.0, -91.9]          +0 -64       0.0       0.0        0.0        0.0

Shares in %, with 95 % intervals in brackets. Differences from optimal are paired, lake by lake; +better -worse are lakes with more and fewer valid plans.
`);
  });

  it.each([80, 100, 140])(
    'has as many columns as a terminal of %i is wide, and never breaks a line of the table',
    async (terminal) => {
      const { stdout } = await icecore(['lake', 'leaderboard', ...small], { cwd: temporaryFolder(), terminal });
      const table = lines(stdout.replaceAll(ownColour, '')).slice(1, 5);
      for (const row of table) expect(displayWidth(row)).toBeLessThanOrEqual(terminal);
      expect(stdout).not.toContain('…');
      expect(table[0]?.includes('50 % wait')).toBe(terminal === 140);
    },
  );

  it('prints a Markdown table on request', async () => {
    const { stdout } = await leaderboard('greedy', 'optimal', ...small, '--format', 'md');
    const [head, rule, ...rows] = lines(stdout).filter((one) => one.startsWith('|'));
    const columns = head?.split('|').length;
    expect(head).toContain('| policy | valid | optimal | difference |');
    expect([rule, ...rows].map((row) => row?.split('|').length)).toEqual([columns, columns, columns]);
  });
});

describe('invalid comparisons are refused', () => {
  it.each([
    [['greedy', 'optimel'], 2, 'there is no policy "optimel"', 'Did you mean optimal?'],
    [['greedy', '--baseline', 'gredy'], 2, '--baseline: found "gredy", allowed: greedy', 'Did you mean greedy?'],
    [
      ['greedy', '--baseline', 'optimal'],
      2,
      '--baseline: found "optimal", allowed: greedy',
      'Name one of the compared policies',
    ],
    [['--suite', 'agents-9-wait-25'], 2, 'lake has no suite "agents-9-wait-25"', 'Did you mean'],
  ])('%j', async (argv, code, message, remedy) => {
    const ran = await leaderboard(...argv);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(remedy);
  });
});
