import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('the examples', () => {
  it.skipIf(!hasPython)('rollouts.py records the same rollouts once, however often it runs', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'icecore-examples-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const program = fileURLToPath(new URL('./rollouts.py', import.meta.url));
    const appended = (): unknown => {
      const input = execFileSync('python3', [program]);
      const said = execFileSync(process.execPath, [bin, 'append', '--json'], {
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
});
