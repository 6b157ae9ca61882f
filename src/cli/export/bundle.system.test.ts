// Bundles in pipes, and an import that is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bare, bin, inFolder, shell, temporaryFolder } from '../testing/harness.ts';
import { bundle, placeWithRuns, said } from './testing/bundled.ts';

describe('icecore export bundle and icecore import bundle', () => {
  it('work through a pipe', async () => {
    const { cwd } = await placeWithRuns();
    const to = join(temporaryFolder(), 'far.db');
    const line = `icecore export bundle 'the a' --output - | icecore import bundle - --ledger "sqlite:${to}"`;
    expect(await shell(line, cwd)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the a: added 7 events/) });
  });

  it('resume with --extend an import that was killed at various times', async () => {
    const { cwd, look } = await placeWithRuns();
    await look('export', 'bundle', 'the fork');
    const folder = temporaryFolder();
    cpSync(join(cwd, bundle), join(folder, bundle));
    for (const milliseconds of [250, 400, 500]) {
      const child = spawn(process.execPath, [bin, 'import', 'bundle', bundle], {
        cwd: folder,
        env: bare(),
        stdio: 'ignore',
      });
      // On a fast machine it may have ended already.
      const over = once(child, 'exit');
      await sleep(milliseconds);
      child.kill('SIGKILL');
      await over;
    }
    const there = inFolder(folder);
    const taken = await there('import', 'bundle', bundle, '--extend');
    expect(taken.code, taken.stderr).toBe(0);
    expect(said(await there('verify', 'the fork', '--json'))).toBe(said(await look('verify', 'the fork', '--json')));
    expect(existsSync(join(folder, '.icecore-unfinished'))).toBe(false);
    expect(readdirSync(join(folder, '.icecore')).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
});
