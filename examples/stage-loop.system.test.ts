import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
const script = fileURLToPath(new URL('./stage-loop.sh', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.skipIf(!hasPython)('stage-loop.sh', () => {
  it('drives a run of two stages around a trainer that icecore does not start', { timeout: 60_000 }, () => {
    const cwd = mkdtempSync(join(tmpdir(), 'icecore-examples-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const env = { ...process.env, ICECORE: `${process.execPath} ${bin}`, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { cwd, env, encoding: 'utf8', stdio: 'pipe' } as const;
    expect(execFileSync('sh', [script, 'mine'], options)).toContain('stage 1 of mine is over; stage 2 is next');
    const shown = JSON.parse(execFileSync(process.execPath, [bin, 'show', 'mine', '--json'], options));
    expect(shown).toMatchObject({ name: 'mine', state: 'completed', done: 2, planned: 2 });
    const again = spawnSync('sh', [script, 'mine'], options);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('mine is completed: there is nothing left to train');
  });
});
