import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('the examples', () => {
  it.skipIf(!hasPython)('rollouts.py records the same rollouts only once when it runs again', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'icecore-examples-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const program = fileURLToPath(new URL('./rollouts.py', import.meta.url));
    const appended = (): unknown => {
      const input = execFileSync('python3', [program]);
      const said = execFileSync(process.execPath, [bin, 'event', 'append', '--json'], {
        cwd,
        input,
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return JSON.parse(said);
    };
    expect(appended()).toMatchObject({ appended: 80, existed: 0, rejected: 0 });
    expect(appended()).toMatchObject({ appended: 0, existed: 80, rejected: 0 });
  });

  describe.skipIf(!hasPython)('lake_reward.py', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const env = { ...process.env, ICECORE: `'${process.execPath}' '${bin}'`, PYTHONDONTWRITEBYTECODE: '1' };
    const python = (...argv: string[]): string =>
      execFileSync('python3', argv, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });

    it('judges eight plans for each of eight lakes', () => {
      const printed = python('lake_reward.py').trim().split('\n');
      expect(printed.slice(0, 8)).toEqual(
        Array.from({ length: 8 }, (_, i) => expect.stringMatching(new RegExp(`^train-${i}( (0\\.0|1\\.0|1\\.2)){8}$`))),
      );
      expect(printed[8]).toMatch(/^mean reward (0\.[1-9]|1\.)/);
      const outcomes = [...(printed[9] ?? '').matchAll(/[a-z-]+ (\d+)/g)].map(([, count]) => Number(count));
      expect(outcomes.reduce((sum, count) => sum + count, 0)).toBe(64);
      expect(python('lake_reward.py').trim().split('\n')).toEqual(printed);
    });

    it('accepts batches of any size, and describes the fault of an invalid lake', () => {
      const program = `
import lake_reward as lake
lakes = lake.generate(1, "any") * 5000
print(sum(lake.reward(["U" * 30] * 5000, lakes)), len(lake.judge(lakes, [None] * 5000)))
try:
    lake.reward([""], [{"size": 3}])
except ValueError as error:
    print(error)
lake.judge.process.terminate()
try:
    for _ in range(3): lake.reward([""], lakes[:1])
except (RuntimeError, BrokenPipeError):
    print("gone")
`;
      expect(python('-c', program)).toMatch(/^0\.0 5000\nline 10001: holes: found nothing, allowed: .*\ngone\n$/);
    });
  });
});
