// A ledger file changed by an expert in SQLite: readers must get only recorded events.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { evidenceStream, note, notesStream, rolloutIn, run, someRollouts } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { type Verification, verifyLedger } from '../verify/verify.ts';
import { crashed, flipBit, inFrame } from './testing/crashed.ts';
import { Tampering } from './testing/tamper.ts';

async function ledgerFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-forged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  await ledger.append(evidenceStream, someRollouts(0, 6), { expect: 'any' });
  await ledger.append(notesStream, [note(0), note(1), note(2)], { expect: 'none' });
  await ledger.close();
  return path;
}

const verified = (path: string, run: string | null = null): Promise<Verification> =>
  verifyLedger(`sqlite:${path}`, { blobs: null, run, head: null });

const faultsOf = ({ findings }: Verification) =>
  findings.filter(({ kind }) => kind !== 'unsealed').map(({ kind, where }) => `${kind} ${where}`);

async function foundAfter(change: (tampering: Tampering) => void, run: string | null = null): Promise<string[]> {
  const path = await ledgerFile();
  expect(faultsOf(await verified(path, run))).toEqual([]);
  const tampering = new Tampering(path);
  change(tampering);
  tampering.close();
  return faultsOf(await verified(path, run));
}

/** Writes an event's content in another form, with a matching digest. */
function rewrite(tampering: Tampering, position: number, change: (body: string) => string): void {
  const found = tampering.bodies().find((event) => event.position === position);
  const body = Buffer.from(change(found?.body.toString() ?? ''));
  tampering.rewrite(position, body, createHash('sha256').update(body).digest());
}

describe('a file with another layout than a ledger', () => {
  it.each([
    ['an index is missing', ['DROP INDEX events_by_stream'], 'store index events_by_stream'],
    ['there is an additional table', ['CREATE TABLE more (x)'], 'store table more'],
    [
      'a trigger forges appended events',
      ["CREATE TRIGGER t AFTER INSERT ON events BEGIN UPDATE events SET body = ''; END"],
      'store trigger t',
    ],
  ])('is found: %s', async (_, statements, fault) => {
    const path = await ledgerFile();
    const tampering = new Tampering(path);
    for (const sql of statements) tampering.run(sql);
    tampering.closeAsIs();
    for (const whole of [await verified(path), await verified(path, run)]) expect(faultsOf(whole)).toContain(fault);
  });

  it('is found if the triggers that refuse changes are missing', async () => {
    const path = await ledgerFile();
    new Tampering(path).closeAsIs();
    expect(faultsOf(await verified(path))).toContain('store trigger events_refuse_update');
  });

  it('is found if a stream has lost its name', async () => {
    const found = await foundAfter((ledger) => ledger.run("DELETE FROM streams WHERE name LIKE 'notes%'"));
    expect(found).toContain('store stream number 2');
  });
});

describe('a type or stream number without a name', () => {
  it.each([
    ['type', `${notesStream}@1`, 'its bytes say type RunAnnotated, it is filed as type number 77 (no row names it)'],
    ['stream', 'stream number 77 (no row names it)@1', `its bytes say stream ${notesStream}`],
  ])('is reported for the %s of an event', async (column, where, says) => {
    const path = await ledgerFile();
    const tampering = new Tampering(path);
    tampering.run(`UPDATE events SET ${column} = 77 WHERE position = 8`);
    tampering.close();
    const { findings } = await verified(path);
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'misfiled', where, says }));
    expect(JSON.stringify(findings)).not.toContain('undefined');
  });
});

describe('a nonsensical event', () => {
  const senseless: [string, (body: string) => string][] = [
    ['null data', (body) => body.replace(/"data":\{.*?\},"id"/, '"data":null,"id"')],
    ['a cause that is null', (body) => body.replace('"causes":[]', '"causes":[null]')],
    [
      'a cause of objects',
      (body) => body.replace('"causes":[]', '"causes":[{"from":{},"root":"","stream":[],"to":{}}]'),
    ],
    ['an id that is an object', (body) => body.replace(/"id":"[^"]*"/, '"id":{}')],
    ['a type of another kind', (body) => body.replace('"RunAnnotated"', '"Redacted"')],
    ['a version beyond all', (body) => body.replace('"version":1', '"version":1e300')],
  ];

  it.each(senseless)('is named, and does not hide later faults: %s', async (_, change) => {
    const found = await foundAfter((ledger) => {
      rewrite(ledger, 7, change);
      const last = ledger.bodies().at(-1);
      ledger.rewrite(
        9,
        Buffer.from(last?.body.toString().replace('note 2', 'note 9') ?? ''),
        last?.digest ?? Buffer.alloc(32),
      );
    });
    expect(found.some((one) => one.endsWith(`${notesStream}@0`))).toBe(true);
    expect(found).toContain(`altered ${notesStream}@2`);
  });

  it('is named if its bytes are not canonical', async () => {
    const indented = await foundAfter((ledger) =>
      rewrite(ledger, 9, (body) => JSON.stringify(JSON.parse(body), null, 1)),
    );
    expect(indented).toContain(`malformed ${notesStream}@2`);
    const twice = await foundAfter((ledger) =>
      rewrite(ledger, 9, (body) => body.replace('{"note":"note 2"}', '{"note":"other","note":"note 2"}')),
    );
    expect(twice).toContain(`malformed ${notesStream}@2`);
  });

  it.each([
    ['more digits than needed', '"reward":1.2,', '"reward":1.20,'],
    ['minus zero', '"seed":0', '"seed":-0'],
    ['a name twice', '"reward":1.2,', '"reward":1.2,"rewards":{"a":1,"a":1},'],
    ['names out of order', '"reward":1.2,', '"reward":1.2,"rewards":{"b":1,"a":1},'],
    ['another escape', '"outcome":"valid"', '"measured":{"a":"\\u000a"},"outcome":"valid"'],
  ])('is named if it is non-canonical evidence: %s', async (_, written, forged) => {
    const change = (body: string) => body.replace(written, forged);
    const found = await foundAfter((ledger) => rewrite(ledger, 1, change));
    expect(found).toEqual([`malformed ${evidenceStream}@0`]);
    expect(await foundAfter((ledger) => rewrite(ledger, 1, change), run)).toEqual(found);
  });

  it('is named if its stage is invalid', async () => {
    const path = await ledgerFile();
    const strange = streamOf.evidence(run, 99_999, 0, 0);
    const tampering = new Tampering(path);
    tampering.run('UPDATE streams SET name = ? WHERE name = ?', strange, evidenceStream);
    for (let position = 1; position <= 6; position++) {
      rewrite(tampering, position, (body) => canonicalJson({ ...JSON.parse(body), stream: strange, stage: 99_999 }));
    }
    tampering.close();
    expect(faultsOf(await verified(path))).toEqual(
      [0, 1, 2, 3, 4, 5].map((revision) => `malformed ${strange}@${revision}`),
    );
  });
});

describe('an impossible number', () => {
  it.each([
    ['position', Number.MAX_SAFE_INTEGER],
    ['position', 2 ** 40],
    ['position', '9223372036854775807'],
    ['revision', Number.MAX_SAFE_INTEGER - 1],
    ['revision', '9007199254740993'],
  ])('as a %s of %s ends a verification with a finding, in finite time', async (column, value) => {
    for (const one of [null, run]) {
      const path = await ledgerFile();
      const tampering = new Tampering(path);
      tampering.run(`UPDATE events SET ${column} = CAST(? AS INTEGER) WHERE position = 9`, String(value));
      tampering.close();
      const outcome = await verified(path, one).then(faultsOf, (error: unknown) => [String((error as Error).name)]);
      // The verification of one run does not concern an event's position in the ledger.
      if (one === null || column === 'revision') expect(outcome.length).toBeGreaterThan(0);
      expect(outcome.join()).not.toMatch(/RangeError|TypeError/);
    }
  });
});

describe('a torn log', () => {
  it('is a fault if commits after the tear are lost', async () => {
    const path = await crashed();
    flipBit(`${path}-wal`, inFrame(12, 100));
    expect(faultsOf(await verified(path))).toContain('store log');
  });
});

describe('many findings', () => {
  it('never hide a fault behind notices', async () => {
    const path = await ledgerFile();
    const ledger = await openLedger(`sqlite:${path}`);
    for (let i = 0; i < 1200; i++) {
      const stream = streamOf.evidence('many', 1, i, 0);
      await ledger.append(stream, [rolloutIn(stream, 0)], { expect: 'any' });
    }
    await ledger.append(notesStream, [note(3)], { expect: 2 });
    await ledger.close();
    const tampering = new Tampering(path);
    const last = tampering.bodies().at(-1);
    tampering.rewrite(last?.position ?? 0, last?.body ?? Buffer.alloc(0), Buffer.alloc(32));
    tampering.close();
    const { findings, total, faults } = await verified(path);
    expect({ total, faults }).toEqual({ total: 1202, faults: 1 });
    expect(findings[0]).toMatchObject({ kind: 'altered', where: `${notesStream}@3` });
  });
});

describe('a cited range', () => {
  it('of a stream that is not in this ledger is a notice and not a fault', async () => {
    const path = await ledgerFile();
    const ledger = await openLedger(`sqlite:${path}`);
    const { root } = await new AttemptTree(ledger, evidenceStream).seal();
    const cites = (stream: string): NewEvent => ({ ...note(3), causes: [{ stream, from: 0, to: 5, root }] });
    await ledger.append(notesStream, [cites('evidence-elsewhere-1-0-0')], { expect: 2 });
    await ledger.close();
    expect(faultsOf(await verified(path))).toEqual([`cited-elsewhere ${notesStream}@3`]);
    expect((await verified(path)).faults).toBe(0);
  });
});
