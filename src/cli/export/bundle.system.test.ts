import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addDecision, addStage, evenly, Recording, sizes, wholeRun } from '../../analysis/history/testing/recording.ts';
import { recordRuns } from '../../ledger/copy/testing/history.ts';
import { lastOf } from '../../ledger/ledger.ts';
import { type Place, placeWhere } from '../runs/testing/looking.ts';
import { bare, bin, inFolder, type Ran, shell, temporaryFolder } from '../testing/harness.ts';

/** `quiet-otter`, its fork `the fork`, and two other runs with evidence. */
async function placeWithRuns(): Promise<Place> {
  return await placeWhere(async (ledger) => {
    const parent = wholeRun();
    await parent.writeTo(ledger);
    await recordRuns(ledger, ['a', 'b']);
    const last = await lastOf(ledger, `run-${parent.run}`);
    const fork = new Recording('f0rk');
    fork.add('RunStarted', null, {
      name: 'the fork',
      environment: { name: 'lake', version: '1' },
      parent: { run: parent.run, stage: 2, revision: last?.revision ?? 0, digest: last?.digest ?? '' },
    });
    const knobs = evenly(sizes, { '5.hole': 0.4 });
    addDecision(fork, 2, { knobs, by: 'kept' });
    addStage(fork, 3, { knobs, valid: { 3: 80, 4: 40, 5: 10 }, failures: { 3: { hole: 5 } }, signal: 0.5 });
    await fork.writeTo(ledger);
  });
}

const bundle = 'the-fork.icecore.tar.zst';

/** What is said, without what differs from place to place and from time to time. */
function said({ code, stdout }: Ran): string {
  return `${code} ${stdout.replaceAll(/"(?:as_of|seconds|perSecond|ledger|ledgerId)":(?:"[^"]*"|[0-9.e-]+),?/g, '')}`;
}

describe('icecore export bundle and icecore import bundle', () => {
  it('go through a pipe', async () => {
    const { cwd } = await placeWithRuns();
    const to = join(temporaryFolder(), 'far.db');
    const line = `icecore export bundle 'the a' --output - | icecore import bundle - --ledger "sqlite:${to}"`;
    expect(await shell(line, cwd)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the a: added 7 events/) });
  });

  it('killed anywhere, the import is taken up by the next', async () => {
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
      // On a quick machine it may have come to its end before.
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
