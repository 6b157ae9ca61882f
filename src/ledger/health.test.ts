import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { note } from './contract/samples.ts';
import { checkClock } from './health.ts';
import { openLedger } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-clock-'));
const url = `sqlite:${join(folder, 'ledger.db')}`;
const hour = 3_600_000;

describe('the clock of this machine', () => {
  beforeAll(async () => {
    const ledger = await openLedger(url, { create: true });
    await ledger.append('notes-c0ntractc0nt', [note(0)], { expect: 'any' });
    await ledger.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('agrees with whoever recorded the last event, as far as can be seen', async () => {
    expect(await checkClock(url)).toMatchObject({ name: 'clock', status: 'ok' });
    expect(await checkClock(url, Date.now() + hour)).toMatchObject({ status: 'ok' });
  });

  it('is behind where an event was recorded in its future', async () => {
    expect(await checkClock(url, Date.now() - hour)).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/and the last event was recorded 3[56]\d\d s after that$/),
      remedy: expect.stringContaining('servers for the time'),
    });
  });

  it('cannot be compared with those of a ledger that is not there', async () => {
    expect(await checkClock('sqlite:/no/such/folder/x.db')).toMatchObject({ status: 'failed' });
  });
});
