// The conditions under which two stores are one ledger.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout, runStream, seal } from '../contract/samples.ts';
import { LedgerClosed, ledgerBusy } from '../errors.ts';
import { openLedger } from '../open.ts';
import { failureOf } from './parts.ts';
import { SplitPlace } from './testing/place.ts';

describe('a new split ledger', () => {
  it('has two parts with the given id', async () => {
    const place = new SplitPlace();
    const ledger = await place.open({ create: true, createAs: 'c0py0fan0ld1' });
    const parts = [place.decisions, place.evidence].map((path) => place.open({ readOnly: true }, `sqlite:${path}`));
    expect([ledger.id, ...(await Promise.all(parts)).map(({ id }) => id)]).toEqual(Array(3).fill('c0py0fan0ld1'));
  });

  it('stores evidence in one part and everything else in the other', async () => {
    const place = new SplitPlace();
    const ledger = await place.open();
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    await ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
    await ledger.append(runStream, [seal([{ stream: evidenceStream, count: 1, root: 'a'.repeat(64) }])], {
      expect: -1,
    });
    const streams = async (path: string) =>
      (await collect((await place.open({ readOnly: true }, `sqlite:${path}`)).streams())).map(({ stream }) => stream);
    expect(await streams(place.decisions)).toEqual([notesStream, runStream]);
    expect(await streams(place.evidence)).toEqual([evidenceStream]);
  });

  it('has marked parts, neither of which can be written alone', async () => {
    const place = new SplitPlace();
    await (await place.open()).close();
    for (const [path, part] of [
      [place.decisions, 'decisions'],
      [place.evidence, 'evidence'],
    ] as const) {
      expect((await place.open({ readOnly: true }, `sqlite:${path}`)).part).toBe(part);
      await expect(place.open({}, `sqlite:${path}`)).rejects.toMatchObject({
        name: 'PartAlone',
        message: expect.stringContaining(`has only the ${part} of a split ledger`),
      });
    }
  });

  it('does not start new evidence in another place if its decisions seal some', async () => {
    const place = new SplitPlace();
    const ledger = await place.open();
    await ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
    await ledger.append(runStream, [seal([{ stream: evidenceStream, count: 1, root: 'a'.repeat(64) }])], {
      expect: -1,
    });
    await ledger.close();
    const elsewhere = `${place.evidence}.other`;
    for (const options of [{ create: true }, {}, { readOnly: true }]) {
      await expect(place.open(options, `split:sqlite:${place.decisions}+sqlite:${elsewhere}`)).rejects.toMatchObject({
        name: 'EvidenceElsewhere',
        message: expect.stringContaining(`${runStream}@0`),
      });
    }
    expect(existsSync(elsewhere)).toBe(false);
  });

  it('is created once by many concurrent processes', async () => {
    const place = new SplitPlace();
    const ledgers = await Promise.all(Array.from({ length: 6 }, () => place.open()));
    expect(new Set(ledgers.map(({ id }) => id)).size).toBe(1);
  });

  it('is completed by the next process if its creation was interrupted', async () => {
    const place = new SplitPlace();
    const { id } = await place.open({ create: true }, `sqlite:${place.decisions}`);
    await expect(openLedger(place.url)).rejects.toMatchObject({
      name: 'PartMissing',
      kind: 'not-found',
      facts: { part: 'evidence' },
    });
    writeFileSync(place.evidence, '');
    expect((await place.open()).id).toBe(id);
    expect((await place.open({ readOnly: true })).id).toBe(id);
  });
});

describe('opening a split ledger is refused', () => {
  it('if both parts are missing, and nothing is created', async () => {
    const place = new SplitPlace();
    await expect(openLedger(place.url)).rejects.toMatchObject({ name: 'LedgerMissing', facts: { url: place.url } });
    await expect(openLedger(place.url, { create: true, readOnly: true })).rejects.toMatchObject({
      name: 'LedgerMissing',
    });
    expect([place.decisions, place.evidence].filter(existsSync)).toEqual([]);
  });

  it('if its evidence exists without its decisions', async () => {
    const place = new SplitPlace();
    await (await place.open()).close();
    rmSync(place.decisions);
    for (const create of [false, true]) {
      await expect(openLedger(place.url, { create })).rejects.toMatchObject({
        name: 'PartMissing',
        facts: { part: 'decisions' },
      });
    }
    expect(existsSync(place.decisions)).toBe(false);
  });

  it('if its parts belong to different ledgers', async () => {
    const [place, other] = [new SplitPlace(), new SplitPlace()];
    const [one, two] = [await place.open(), await other.open()];
    const mixed = `split:sqlite:${place.decisions}+sqlite:${other.evidence}`;
    await expect(openLedger(mixed, { create: true })).rejects.toMatchObject({
      name: 'NotOneLedger',
      kind: 'conflict',
      facts: { decisions: { ledger: one.id }, evidence: { ledger: two.id } },
    });
  });

  it('if both parts are in the same place', async () => {
    const { decisions } = new SplitPlace();
    await expect(openLedger(`split:sqlite:${decisions}+sqlite:${decisions}`, { create: true })).rejects.toMatchObject({
      name: 'SamePlace',
    });
    expect(existsSync(decisions)).toBe(false);
  });

  it('if a part is a whole ledger, even with the same id', async () => {
    const place = new SplitPlace();
    const { id } = await place.open();
    const path = join(place.folder, 'whole.db');
    const whole = await place.open({ create: true, createAs: id }, `sqlite:${path}`);
    await whole.append(evidenceStream, [rollout(0)], { expect: 'any' });
    await whole.append(runStream, [seal([{ stream: evidenceStream, count: 1, root: 'a'.repeat(64) }])], { expect: -1 });
    for (const url of [
      `split:sqlite:${path}+sqlite:${place.evidence}`,
      `split:sqlite:${place.decisions}+sqlite:${path}`,
    ]) {
      await expect(openLedger(url)).rejects.toMatchObject({ name: 'WholeLedger', kind: 'conflict' });
    }
  });
});

describe('a part that does not answer', () => {
  it('is named, with the advice of the part', () => {
    const busy = ledgerBusy('/data/evidence.db', 30);
    expect(failureOf('evidence', 'sqlite:/data/evidence.db', busy)).toMatchObject({
      name: 'PartUnavailable',
      kind: 'unavailable',
      message: `the evidence of the ledger: ${busy.message}`,
      remedy: busy.remedy,
      facts: { part: 'evidence', url: 'sqlite:/data/evidence.db', seconds: 30 },
    });
  });

  it('is not blamed for other failures', () => {
    const closed = new LedgerClosed('sqlite:/data/evidence.db');
    expect(failureOf('evidence', 'sqlite:/data/evidence.db', closed)).toBe(closed);
  });
});
