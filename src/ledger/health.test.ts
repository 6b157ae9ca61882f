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

  it('agrees with the time of the last event', async () => {
    expect(await checkClock(url)).toMatchObject({ name: 'clock', status: 'ok' });
    expect(await checkClock(url, Date.now() + hour)).toMatchObject({ status: 'ok' });
  });

  it('is behind if an event was recorded in its future', async () => {
    expect(await checkClock(url, Date.now() - hour)).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/and the last event was recorded 3[56]\d\d s after that$/),
      remedy: expect.stringContaining('clocks of all machines'),
    });
  });

  it('cannot be compared without a ledger', async () => {
    expect(await checkClock('sqlite:/no/such/folder/x.db')).toMatchObject({ status: 'failed' });
  });
});
