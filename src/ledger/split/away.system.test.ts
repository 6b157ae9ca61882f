// A split ledger whose evidence is on brokers that do not answer: decisions work without it.
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, finished, note, notesStream, rollout, run } from '../contract/samples.ts';
import type { Ledger, Waiting } from '../ledger.ts';
import { SplitPlace } from './testing/place.ts';

/** Nothing listens there. */
const nowhere = 'kafka://127.0.0.1:1/lab?patience=2';

async function withoutEvidence(onWait: (waiting: Waiting) => void = () => {}): Promise<Ledger> {
  const place = new SplitPlace();
  await (await place.open()).close();
  return await place.open({ onWait }, `split:sqlite:${place.decisions}+${nowhere}`);
}

describe('decisions with unavailable evidence', () => {
  it('are read, written and followed', async () => {
    const reports: Waiting[] = [];
    const ledger = await withoutEvidence((waiting) => reports.push(waiting));
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    expect(await collect(ledger.read(notesStream))).toHaveLength(1);
    expect(await collect(ledger.readAll({ types: ['RunAnnotated'], backwards: true }))).toHaveLength(1);
    expect(await collect(ledger.streams('notes-'))).toHaveLength(1);
    const seen: string[] = [];
    for await (const delivery of ledger.subscribe({ types: ['RunAnnotated'] })) {
      seen.push(delivery.kind);
      expect(ledger.compareCursors(delivery.cursor, delivery.cursor)).toBe('equal');
      if (seen.length === 2) await ledger.append(notesStream, [note(1)], { expect: 'any' });
      if (seen.length === 4) break;
    }
    expect(seen).toEqual(['events', 'caught-up', 'events', 'caught-up']);
    // Evidence was not requested, so nothing waited for it.
    expect(reports).toEqual([]);
  });

  it('accept reports, while reads and appends of evidence wait and name the unavailable part', async () => {
    const reports: Waiting[] = [];
    const ledger = await withoutEvidence((waiting) => reports.push(waiting));
    const away = { name: 'PartUnavailable', kind: 'unavailable', facts: { part: 'evidence' } };
    await expect(ledger.append(evidenceStream, [rollout(0)], { expect: 'any' })).rejects.toMatchObject(away);
    expect(reports).toMatchObject([{ store: 'evidence', away: { seconds: 2 } }]);
    await ledger.append(streamOf.work(run), [finished({ stream: evidenceStream, count: 1, root: 'a'.repeat(64) })], {
      expect: 'none',
    });
    expect(await ledger.head()).toMatchObject({ events: 2 });
    expect(await collect(ledger.streams('evidence-'))).toMatchObject([{ stream: evidenceStream, revision: 0 }]);
    await expect(collect(ledger.readAll())).rejects.toMatchObject(away);
    await expect(collect(ledger.read(evidenceStream))).rejects.toMatchObject(away);
  });

  it('are closed without waiting for the evidence', async () => {
    const ledger = await withoutEvidence();
    const appended = ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
    const closed = expect(appended).rejects.toMatchObject({ name: 'LedgerClosed' });
    await ledger.close();
    await closed;
  });
});
