import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { LedgerHead } from '../../../schemas/head.ts';
import { streamOf } from '../../../schemas/streams.ts';
import {
  evidenceStream,
  note,
  notesStream,
  rolloutIn,
  run,
  runStream,
  seal,
  someRollouts,
} from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { makeHead } from '../seal/head.ts';
import type { Finding } from '../verify/findings.ts';
import { type VerifyOptions, verifyLedger } from '../verify/verify.ts';
import { isOrderedId } from './layout.ts';
import { Tampering } from './testing/tamper.ts';

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-verify-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fresh = (): string => join(folder, `${made++}.db`);

const everything: VerifyOptions = { blobs: null, run: null, head: null };

async function findingsOf(path: string, options: Partial<VerifyOptions> = {}): Promise<readonly Finding[]> {
  return (await verifyLedger(`sqlite:${path}`, { ...everything, ...options })).findings;
}

const kindsAt = (findings: readonly Finding[]) => findings.map(({ kind, where }) => `${kind} ${where}`);

async function sealedLedger(): Promise<{ path: string; head: LedgerHead }> {
  const path = fresh();
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  const tree = new AttemptTree(ledger, evidenceStream);
  await ledger.append(notesStream, [note(0), note(1), note(2)], { expect: 'none' });
  tree.appended(await ledger.append(evidenceStream, someRollouts(0, 40), { expect: 'any' }));
  await ledger.append(runStream, [seal([await tree.seal()])], { expect: 'none' });
  const head = await makeHead(ledger);
  await ledger.close();
  return { path, head };
}

async function tampered(change: (tampering: Tampering) => void): Promise<readonly Finding[]> {
  const { path, head } = await sealedLedger();
  expect(await findingsOf(path, { head })).toEqual([]);
  const tampering = new Tampering(path);
  change(tampering);
  tampering.close();
  return findingsOf(path, { head });
}

describe('an altered ledger', () => {
  it('that lost its last event is detected by its head', async () => {
    const found = await tampered((ledger) => ledger.run('DELETE FROM events WHERE position = 44'));
    expect(found).toEqual([
      expect.objectContaining({ kind: 'cut-off', says: expect.stringContaining('the last 1 were cut off') }),
      expect.objectContaining({ kind: 'unsealed' }),
    ]);
  });

  it('that lost the end of a sealed attempt is detected by the seal, without a head', async () => {
    const { path } = await sealedLedger();
    const tampering = new Tampering(path);
    tampering.run('DELETE FROM events WHERE position = 43');
    tampering.close();
    const found = await findingsOf(path);
    expect(found.map(({ kind }) => kind).sort()).toEqual(['missing', 'seal-broken', 'store', 'store']);
    expect(found.find(({ kind }) => kind === 'seal-broken')?.says).toContain('40 events, 39 of which exist');
  });

  it('that lost an event in the middle names it', async () => {
    const found = await tampered((ledger) => ledger.run('DELETE FROM events WHERE position = 10'));
    expect(kindsAt(found)).toEqual(
      expect.arrayContaining([`missing ${evidenceStream}@6`, 'store position 10', `seal-broken ${evidenceStream}`]),
    );
  });

  it('in which two events were swapped names both as misfiled', async () => {
    const found = await tampered((ledger) => {
      const [, , , fourth, fifth] = ledger.bodies();
      if (fourth === undefined || fifth === undefined) throw new Error('too few events');
      ledger.rewrite(fourth.position, fifth.body, fifth.digest);
      ledger.rewrite(fifth.position, fourth.body, fourth.digest);
    });
    expect(kindsAt(found)).toEqual(
      expect.arrayContaining([`misfiled ${evidenceStream}@0`, `misfiled ${evidenceStream}@1`]),
    );
  });

  it('in which two whole rows were swapped is detected by the order and the head', async () => {
    const found = await tampered((ledger) => {
      for (const [from, to] of [
        [4, 99],
        [5, 4],
        [99, 5],
      ]) {
        ledger.run('UPDATE events SET position = ? WHERE position = ?', to as number, from as number);
      }
    });
    expect(kindsAt(found)).toEqual([`reordered ${evidenceStream}@1`, 'head-differs ledger']);
  });

  it('in which a decision was rewritten with a matching digest is detected by the chain and the head', async () => {
    const found = await tampered((ledger) => {
      const [, second] = ledger.bodies();
      const forged = Buffer.from(second?.body.toString().replace('note 1', 'note X') ?? '');
      ledger.rewrite(2, forged, createHash('sha256').update(forged).digest());
    });
    expect(kindsAt(found)).toEqual([`chain-broken ${notesStream}@2`, 'head-differs ledger']);
  });

  it('in which sealed evidence was rewritten with a matching digest is detected by the seal, without a head', async () => {
    const { path } = await sealedLedger();
    const tampering = new Tampering(path);
    const victim = tampering.bodies()[9];
    const forged = Buffer.from(victim?.body.toString().replace('"split":"probe"', '"split":"train"') ?? '');
    tampering.rewrite(10, forged, createHash('sha256').update(forged).digest());
    tampering.close();
    expect(await findingsOf(path)).toEqual([
      expect.objectContaining({
        kind: 'seal-broken',
        where: evidenceStream,
        says: expect.stringContaining('other events'),
      }),
    ]);
  });

  it.each([
    ['id', 'UPDATE events SET id = zeroblob(16) WHERE position = 7', 'its bytes say id'],
    ['type', 'UPDATE events SET type = 1 WHERE position = 7', 'its bytes say type'],
    ['revision', 'UPDATE events SET revision = 400 WHERE position = 7', 'its bytes say revision'],
    ['stream', "UPDATE streams SET name = 'evidence-x-1-0-0' WHERE name LIKE 'evidence%'", 'its bytes say stream'],
  ])('that files an event under another %s is detected', async (_, sql, says) => {
    const found = await tampered((ledger) => ledger.run(sql));
    expect(found).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'misfiled', says: expect.stringContaining(says) })]),
    );
  });

  it('whose index hides an event is detected', async () => {
    const { path } = await sealedLedger();
    const tampering = new Tampering(path);
    // An index over fewer rows, passed off as an index over all.
    tampering.run('DROP INDEX events_by_stream');
    tampering.run('CREATE UNIQUE INDEX events_by_stream ON events (stream, revision) WHERE position <> 20');
    tampering.run('PRAGMA writable_schema = ON');
    tampering.run(
      `UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX events_by_stream ON events (stream, revision)'
       WHERE name = 'events_by_stream'`,
    );
    tampering.close();
    const found = await findingsOf(path);
    expect(found.filter(({ kind }) => kind === 'store').map(({ says }) => says)).toEqual(
      expect.arrayContaining([expect.stringContaining('missing from index events_by_stream')]),
    );
  });

  it.each([
    ['events_by_stream', 'stream, revision', true, null],
    ['events_by_type', 'type', false, null],
    ['events_by_id', 'id', true, isOrderedId],
  ])(
    'whose index %s hides an event of a run is detected, even by a verification of that run only',
    async (index, columns, unique, condition) => {
      const { path } = await sealedLedger();
      const fewer = `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${index} ON events (${columns})`;
      const create = condition === null ? fewer : `${fewer} WHERE ${condition}`;
      const tampering = new Tampering(path);
      // The last event of its stream, so nothing that is read reveals its absence.
      tampering.run(`DROP INDEX ${index}`);
      tampering.run(`${fewer} WHERE position <> 43`);
      tampering.run('PRAGMA writable_schema = ON');
      tampering.run('UPDATE sqlite_schema SET sql = ? WHERE name = ?', create, index);
      tampering.close();
      const found = await findingsOf(path, { run });
      expect(found).toContainEqual(
        expect.objectContaining({
          kind: 'store',
          where: `${evidenceStream}@39`,
          says: `missing from index ${index}`,
        }),
      );
    },
  );

  it('whose index has an event that the table lacks is detected, even by a verification of that run only', async () => {
    const { path } = await sealedLedger();
    const tampering = new Tampering(path);
    // An index built from another table: of all rows, and one more.
    tampering.run('CREATE TABLE more AS SELECT * FROM events');
    tampering.run(
      'INSERT INTO more SELECT 99, stream, 40, zeroblob(16), type, 0, digest, body FROM events WHERE position = 43',
    );
    tampering.run('CREATE TABLE other (position INTEGER PRIMARY KEY, stream INTEGER, revision INTEGER)');
    tampering.run('INSERT INTO other SELECT position, stream, revision FROM more');
    tampering.run('CREATE UNIQUE INDEX others ON other (stream, revision)');
    tampering.run('PRAGMA writable_schema = ON');
    tampering.run(
      `UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'others')
       WHERE name = 'events_by_stream'`,
    );
    tampering.closeAsIs();
    const found = await findingsOf(path, { run });
    expect(found).toContainEqual(
      expect.objectContaining({
        where: `${evidenceStream}@40`,
        says: 'index events_by_stream has it, the table does not',
      }),
    );
  });

  it.each([
    ['streams', 'stream', evidenceStream, evidenceStream],
    ['types', 'type', 'RolloutRecorded', 'type RolloutRecorded'],
  ])(
    'whose index of the names of %s lacks one is detected, even by a verification of one run',
    async (table, column, name, where) => {
      const { path } = await sealedLedger();
      const tampering = new Tampering(path);
      // An index built from another table: of all names but one.
      tampering.run(`CREATE TABLE other (${column} INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)`);
      tampering.run(`INSERT INTO other SELECT * FROM ${table} WHERE name <> ?`, name);
      tampering.run('PRAGMA writable_schema = ON');
      tampering.run(
        `UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_other_1')
       WHERE name = 'sqlite_autoindex_${table}_1'`,
      );
      tampering.closeAsIs();
      expect(await findingsOf(path, { run })).toContainEqual(
        expect.objectContaining({ kind: 'store', where, says: 'its name is missing from the index of names' }),
      );
    },
  );

  it('without a head and a seal can have lost its end without a finding', async () => {
    const path = fresh();
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    await ledger.close();
    const tampering = new Tampering(path);
    tampering.run('DELETE FROM events WHERE position = 2');
    tampering.close();
    expect(await findingsOf(path)).toEqual([]);
  });
});

describe('the evidence of a ledger', () => {
  it('gives notices of lost attempts, events after a seal, and unsealed attempts', async () => {
    const path = fresh();
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    const [first, second] = [0, 1].map((attempt) => streamOf.evidence(run, 2, 7, attempt)) as [string, string];
    const other = streamOf.evidence(run, 3, 0, 0);
    for (const stream of [first, second, other]) {
      await ledger.append(stream, [rolloutIn(stream, 0), rolloutIn(stream, 1)], { expect: 'any' });
    }
    await ledger.append(runStream, [seal([await new AttemptTree(ledger, second).seal()])], { expect: 'none' });
    await ledger.append(second, [rolloutIn(second, 2)], { expect: 'any' });
    await ledger.close();
    const found = await findingsOf(path);
    expect(kindsAt(found).sort()).toEqual([`after-seal ${second}`, `lost-attempt ${first}`, `unsealed ${other}`]);
    expect(await findingsOf(path, { run })).toEqual(found);
  });

  it('has a fault if a seal contradicts an earlier one', async () => {
    const path = fresh();
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    const attempt = await new AttemptTree(ledger, evidenceStream).seal();
    await ledger.append(runStream, [seal([attempt]), seal([{ ...attempt, count: 2 }], 1)], { expect: 'none' });
    await ledger.close();
    expect(kindsAt(await findingsOf(path))).toEqual([`seal-broken ${runStream}@1`]);
  });

  it('has a fault if a stage is sealed twice, even equally, and additions do not count', async () => {
    const path = fresh();
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    const other = streamOf.evidence(run, 2, 7, 0);
    await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    await ledger.append(other, [rolloutIn(other, 0)], { expect: 'any' });
    const attempt = await new AttemptTree(ledger, evidenceStream).seal();
    const more = await new AttemptTree(ledger, other).seal();
    await ledger.append(runStream, [seal([attempt]), seal([attempt], 1), seal([more], 2)], { expect: 'none' });
    await ledger.close();
    expect(kindsAt(await findingsOf(path)).sort()).toEqual([
      `lost-attempt ${other}`,
      `seal-broken ${runStream}@1`,
      `seal-broken ${runStream}@2`,
    ]);
  });

  it('is checked against the root of a cited range', async () => {
    const path = fresh();
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await ledger.append(evidenceStream, someRollouts(0, 5), { expect: 'any' });
    const { root } = await new AttemptTree(ledger, evidenceStream).seal();
    const causes = [{ stream: evidenceStream, from: 0, to: 4, root }];
    await ledger.append(notesStream, [{ ...note(0), causes }], { expect: 'none' });
    await ledger.append(notesStream, [{ ...note(1), causes: [{ ...causes[0], to: 3 }] } as NewEvent], { expect: 0 });
    await ledger.close();
    const found = await findingsOf(path);
    expect(kindsAt(found.filter(({ kind }) => kind === 'cause-broken'))).toEqual([`cause-broken ${notesStream}@1`]);
  });
});
