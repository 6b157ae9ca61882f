import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { placeWhere } from '../runs/testing/looking.ts';
import { inFolder, json, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { bundle, placeWithRuns, said } from './testing/bundled.ts';
import { leaveBehind } from './testing/left.ts';

describe('icecore export bundle and icecore import bundle', () => {
  it('transfer a fork and its parent: show, why, diff, verify and sql give the same results', async () => {
    const { cwd, look } = await placeWithRuns();
    expect(await look('export', 'bundle', 'the fork')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the fork has not ended: later events are not in the bundle'),
    });
    const there = inFolder(temporaryFolder());
    const opened = await there('import', 'bundle', join(cwd, bundle));
    expect(opened).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('with quiet-otter, whose history it shares'),
    });
    for (const argv of [
      ['show', 'the fork'],
      ['show', 'the fork@3'],
      ['show', 'quiet-otter@2'],
      ['why', 'the fork@3'],
      ['why', 'quiet-otter@2', '5.hole'],
      ['diff', 'the fork@2', 'the fork@3'],
      ['verify', 'the fork'],
      ['sql', "FROM stages WHERE run IN ('the fork', 'quiet-otter') ORDER BY ALL"],
      ['sql', "FROM knob_changes WHERE run IN ('the fork', 'quiet-otter') ORDER BY ALL"],
      ['sql', "FROM events WHERE run IN ('the fork', 'quiet-otter') ORDER BY stream, revision"],
    ]) {
      const here = await look(...argv, '--json');
      expect(here.code).toBe(0);
      expect([argv, said(await there(...argv, '--json'))]).toEqual([argv, said(here)]);
    }
    expect((await there('runs', '--json')).stdout).not.toContain('the a');
  });

  it('print JSON that matches its schema, and a second import adds nothing', async () => {
    const { cwd, look } = await placeWithRuns();
    const made = json(await look('export', 'bundle', 'the a', '--output', 'a.tar.zst', '--json'));
    expect(faultsAgainst('export-bundle', made)).toEqual([]);
    expect(made).toMatchObject({ run: { name: 'the a' }, events: 7, lost: 0, bundle: join(cwd, 'a.tar.zst') });
    const there = inFolder(temporaryFolder());
    const first = json(await there('import', 'bundle', join(cwd, 'a.tar.zst'), '--json'));
    expect(faultsAgainst('import-bundle', first)).toEqual([]);
    expect(first).toMatchObject({ made: true, added: 7, events: 7, sha256: made['sha256'], root: made['root'] });
    expect(json(await there('ledger', 'head', '--json'))).toMatchObject({ root: made['root'] });
    const again = await there('import', 'bundle', join(cwd, 'a.tar.zst'));
    expect(again.stdout).toMatch(/^the a: all 7 events were there, /);
    expect((await look('export', 'bundle', 'quiet-otter', '--output', 'b.zst')).stderr).not.toContain('has not ended');
    const into = json(await look('import', 'bundle', 'a.tar.zst', '--ledger', 'sqlite:other.db', '--json'));
    expect(into).toMatchObject({ made: true, added: 7, ledger: `sqlite:${join(cwd, 'other.db')}` });
  });

  it('do not warn that a completed run has not ended, even if a rejected proposal follows', async () => {
    const ended = wholeRun();
    ended.add('ProposalRejected', 3, {
      ...{ engineer: { name: 'gpt' }, context: null, reason: 'unreadable', issues: [], raw: null },
    });
    const { look } = await placeWhere((ledger) => ended.writeTo(ledger));
    const { code, stderr } = await look('export', 'bundle', 'quiet-otter', '--output', 'b.zst');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('has not ended') });
  });

  it('reject an altered bundle, and import nothing', async () => {
    const { cwd, look } = await placeWithRuns();
    await look('export', 'bundle', 'the a', '--output', 'a.tar.zst');
    const bytes = readFileSync(join(cwd, 'a.tar.zst'));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 50) ^ 1, bytes.length - 50);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.tar.zst'), bytes);
    const there = inFolder(folder);
    const refused = await there('import', 'bundle', 'a.tar.zst');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^icecore: the bundle is not as it was made: .*\n {2}Nothing was imported\./);
    expect(json(await there('import', 'bundle', 'a.tar.zst', '--json'))).toMatchObject({ error: { kind: 'damaged' } });
    expect(readdirSync(folder)).toEqual(['a.tar.zst']);
  });

  it('reject wrong arguments with a reason', async () => {
    const { look, cwd } = await placeWithRuns();
    expect(await look('export', 'bundle', 'the x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Did you mean the a/),
    });
    expect(await look('export', 'bundle')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/missing required argument 'run'/),
    });
    expect(await look('export', 'bundle', 'the a', '--output', '-', '--json')).toMatchObject({ code: 2 });
    expect(await look('export', 'bundle', 'the a', '--output', '.icecore/ledger.db')).toMatchObject({ code: 2 });
    expect(await look('import', 'bundle', 'nowhere.tar.zst')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/nowhere.tar.zst/),
    });
    expect(await look('import', 'bundle', '.icecore/ledger.db', '--ledger', 'sqlite:x.db')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no bundle/),
    });
    expect(readdirSync(cwd)).toEqual(['.icecore']);
  });

  it('import into an empty ledger file of a killed process, and remove its temporary files', async () => {
    const { cwd, look } = await placeWithRuns();
    await look('export', 'bundle', 'the fork');
    const folder = temporaryFolder();
    cpSync(join(cwd, bundle), join(folder, bundle));
    mkdirSync(join(folder, '.icecore'));
    writeFileSync(join(folder, '.icecore/ledger.db'), '');
    leaveBehind(folder);
    expect(await inFolder(folder)('import', 'bundle', bundle)).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, '.icecore-unfinished'))).toBe(false);
  });
});
