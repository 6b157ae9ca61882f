import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin/icecore.cjs');
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.skipIf(!hasPython)('loop.py', () => {
  it('has icecore record two stages with their training rollouts, and ends when it is started again', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'icecore-own-loop-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    for (const name of ['loop.py', 'environment.py']) cpSync(join(root, 'examples/own-loop', name), join(cwd, name));
    const env = { ...process.env, ICECORE: `'${process.execPath}' '${bin}'`, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { cwd, env, encoding: 'utf8', stdio: 'pipe' } as const;
    expect(execFileSync('python3', ['loop.py'], options)).toMatch(/^own-loop: done 2\/2, valid \d+ → \d+ %, parity/);
    const icecore = (...words: string[]) =>
      JSON.parse(execFileSync(process.execPath, [bin, ...words, '--json'], options));
    expect(icecore('show', 'own-loop')).toMatchObject({ state: 'completed', done: 2, asked: { unrecorded: null } });
    const counted =
      "SELECT stage, count(*) AS rollouts FROM rollouts WHERE part = 'training' GROUP BY ALL ORDER BY stage";
    expect(icecore('sql', counted).rows).toEqual([
      { stage: 1, rollouts: 240 },
      { stage: 2, rollouts: 240 },
    ]);
    const verified = icecore('verify', 'own-loop', '--recompute', '--programs');
    expect(verified).toMatchObject({ faults: 0, recomputed: { rollouts: 1382, skipped: 0 } });
    const again = spawnSync('python3', ['loop.py'], options);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('own-loop is completed: there is nothing left to train');
  });

  it.each([
    ['loop.py', 'docs/runs.md'],
    ['environment.py', 'docs/environments.md'],
  ])('%s is the program that %s prints', (name, page) => {
    const program = readFileSync(join(root, 'examples/own-loop', name), 'utf8');
    expect(readFileSync(join(root, page), 'utf8')).toContain(`\`\`\`python\n${program}\`\`\``);
  });
});
