import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copies, recordedRun } from '../../producers/recompute/testing/again.ts';
import type { TinyPlace } from '../../producers/run/testing/tiny.ts';
import { summaryModules } from '../../producers/summaries/modules.ts';
import { inFolder, json, type Ran } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { sealedLedger } from './testing/sealed-ledger.ts';

const copies = new Copies();
let place: TinyPlace;

beforeAll(async () => {
  place = await recordedRun({ stages: 1 });
}, 60_000);

afterAll(async () => {
  await copies.close();
  await place.close();
});

/** `icecore verify` of a ledger whose blobs are those of the run. */
function verify(ledger: string, ...argv: readonly string[]): Promise<Ran> {
  const env = { ICECORE_LEDGER: ledger, ICECORE_BLOBS: `folder:${join(place.folder, 'blobs')}` };
  return inFolder(place.folder, { env })('verify', ...argv);
}

describe('icecore verify --recompute', () => {
  it('reports how much of a run it recomputed, and that the results are equal', async () => {
    const ran = await verify(place.ledger.url, 'tiny', '--recompute');
    expect(ran.code).toBe(0);
    const summaries = summaryModules.length;
    expect(ran.stdout).toMatch(/^recomputed \d+ rollouts, the figures of 1 training, 2 evaluations, /m);
    expect(ran.stdout).toContain(`, ${summaries} summaries, 0 contexts, 0 proposals, 4 other events of 1 run; `);
    expect(ran.stdout).toContain('sound: every event is as it was recorded, and recomputing gives the same results');
    const report = json(await verify(place.ledger.url, '--recompute', '--json'));
    expect(faultsAgainst('verify', report)).toEqual([]);
    expect(report).toMatchObject({ status: 'sound', recomputed: { runs: 1, summaries, skipped: 0 }, total: 0 });
    expect(json(await verify(place.ledger.url, '--json'))).toMatchObject({ recomputed: null });
  });

  it('fails and names the event and the field that differ when recomputed', async () => {
    const forged = await copies.forged(place, ({ type }, data) =>
      type === 'RunCompleted' ? { ...data, spent: { 'agent-steps': 7 } } : data,
    );
    expect((await verify(forged.url)).code).toBe(0);
    const ran = await verify(forged.url, '--recompute');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /FAULT\s+recomputed-decision\s+run-tiny00000000@\d+\s+RunCompleted data\.spent\.agent-steps: recorded 7, computed again \d+/,
    );
    expect(ran.stdout).toContain('NOT sound: ');
    const report = json(await verify(forged.url, '--recompute', '--json'));
    expect(faultsAgainst('verify', report)).toEqual([]);
    expect(report).toMatchObject({ status: 'faulty', rows: [{ kind: 'recomputed-decision', fault: true }] });
  });

  it('skips runs that other tools recorded', async () => {
    const { ic } = await sealedLedger();
    expect(json(await ic('verify', '--recompute', '--json'))).toMatchObject({
      status: 'sound',
      recomputed: { runs: 0 },
    });
  });

  it.each([[['--programs'], '--programs without --recompute']])('rejects the flags %j', async (argv, says) => {
    const ran = await verify(place.ledger.url, ...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
  });
});
