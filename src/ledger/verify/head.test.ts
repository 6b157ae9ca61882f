// A head is of the ledger's events in their order, not of its store: it fits every copy in the same order.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerHead } from '../../../schemas/head.ts';
import { type EventStorePrefixes, eventStorePrefixes } from '../contract/eventstore-fixture.ts';
import { evidenceStream, note, notesStream, runStream, seal, someRollouts } from '../contract/samples.ts';
import { copyLedger } from '../copy/copy.ts';
import type { Cursor } from '../event.ts';
import { eventAt, type Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { makeHead } from '../seal/head.ts';
import { isIncluded } from '../seal/inclusion.ts';
import { Tampering } from '../sqlite/testing/tamper.ts';
import { type Finding, isFault } from './findings.ts';
import { endOf } from './head-place.ts';
import { proveEvent } from './prove.ts';
import { type VerifyOptions, verifyLedger } from './verify.ts';

let folder: string;
let prefixes: EventStorePrefixes;
let made = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-heads-'));
  prefixes = await eventStorePrefixes();
});
afterAll(async () => {
  await prefixes.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const path = (): string => join(folder, `${made++}.db`);
const places = {
  SQLite: () => `sqlite:${path()}`,
  EventStoreDB: () => prefixes.url(),
  split: () => `split:sqlite:${path()}+sqlite:${path()}`,
} as const;
type Store = keyof typeof places;

async function using<Result>(ledger: Promise<Ledger>, body: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const opened = await ledger;
  try {
    return await body(opened);
  } finally {
    await opened.close();
  }
}

/** Evidence, the notes that were written meanwhile, and a seal: a split ledger has the notes first. */
function sealed(store: Store, rollouts = 40): Promise<{ url: string; head: LedgerHead }> {
  const url = places[store]();
  return using(openLedger(url, { create: true }), async (ledger) => {
    await ledger.append(evidenceStream, someRollouts(0, rollouts), { expect: 'any' });
    await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    const attempt = await new AttemptTree(ledger, evidenceStream).seal();
    await ledger.append(runStream, [seal([attempt])], { expect: 'none' });
    return { url, head: await makeHead(ledger) };
  });
}

function addNote(url: string, index: number): Promise<unknown> {
  return using(openLedger(url), (ledger) => ledger.append(notesStream, [note(index)], { expect: 'exists' }));
}

/** The URL of the copy. */
function copied(url: string, store: Store, copy = places[store]()): Promise<string> {
  return using(openLedger(url, { readOnly: true }), (from) =>
    using(openLedger(copy, { create: true, createAs: from.id }), async (to) => {
      await copyLedger({ from, to, fromBlobs: null, toBlobs }, { run: null });
      return copy;
    }),
  );
}

const toBlobs = { has: async () => true, put: async () => {}, erase: async () => {} };

async function faults(url: string, options: Partial<VerifyOptions>): Promise<readonly Finding[]> {
  const { findings } = await verifyLedger(url, { blobs: null, run: null, head: null, ...options });
  return findings.filter(isFault);
}

function tamper(url: string, change: (ledger: Tampering) => void): void {
  const tampering = new Tampering(url.slice('sqlite:'.length));
  change(tampering);
  tampering.close();
}

/** Rewrites the last note, which nothing follows, so that only a head can detect it. */
function forgeLastNote(ledger: Tampering): void {
  const { position, body } = ledger.bodies().findLast((event) => event.body.includes('"note 1"')) ?? {};
  const forged = Buffer.from(String(body).replace('note 1', 'note X'));
  ledger.rewrite(Number(position), forged, createHash('sha256').update(forged).digest());
}

const copies: readonly (readonly [Store, Store])[] = [
  ['EventStoreDB', 'SQLite'],
  ['SQLite', 'EventStoreDB'],
  ['split', 'SQLite'],
];

describe('the place of a head', () => {
  it.each(['SQLite', 'EventStoreDB', 'split'] as const)(
    'is after the number of events that it covers: %s',
    async (store) => {
      const { url, head } = await sealed(store);
      await addNote(url, 2);
      await using(openLedger(url), async (ledger) => {
        expect(await endOf(head, ledger)).toBe(head.cursor);
        const ends: (Cursor | null)[] = [null];
        for await (const events of ledger.readAll()) ends.push(...events.map(({ cursor }) => cursor));
        for (const [events, end] of [...ends, null].entries())
          expect(await endOf({ ...head, events }, ledger)).toBe(end);
      });
    },
  );

  it('of this store proves that differing events were altered', async () => {
    const { url, head } = await sealed('SQLite');
    tamper(url, forgeLastNote);
    const says = expect.stringMatching(
      /^the first 43 events differ from those of the head of \S+: events were altered/,
    );
    expect(await faults(url, { head })).toEqual([expect.objectContaining({ kind: 'head-differs', says })]);
  });
});

describe('the head of a ledger in another store', () => {
  it.each(copies)('of %s fits its copy in %s, however that has grown', async (store, other) => {
    const { url, head } = await sealed(store);
    const copy = await copied(url, other);
    expect(await faults(copy, { head })).toEqual([]);
    await addNote(copy, 2);
    expect(await faults(copy, { head })).toEqual([]);
  });

  it.each(['EventStoreDB', 'split'] as const)('of %s fits what was restored from a backup in SQLite', async (store) => {
    const { url, head } = await sealed(store);
    await addNote(url, 2);
    const restored = await copied(await copied(url, 'SQLite'), store);
    expect(await faults(restored, { head })).toEqual([]);
  });

  it('fits in the middle of a range, with several threads and after an interruption', async () => {
    const { url, head } = await sealed('split', 10_500);
    const copy = await copied(url, 'SQLite');
    await addNote(copy, 2);
    expect(await faults(copy, { head, threads: 2 })).toEqual([]);
    const stop = new AbortController();
    const states: Parameters<NonNullable<VerifyOptions['onState']>>[0][] = [];
    const onState: VerifyOptions['onState'] = async (state) => {
      states.push(state);
      stop.abort();
    };
    await expect(faults(copy, { head, signal: stop.signal, onState })).rejects.toThrow();
    const from = states.at(-1)?.() ?? null;
    expect(from?.account.tally.events).toBe(10_000);
    expect(await faults(copy, { head, from })).toEqual([]);
  });

  it.each(['EventStoreDB', 'split'] as const)('of %s detects a forged event in the copy', async (store) => {
    const { url, head } = await sealed(store);
    const copy = await copied(url, 'SQLite');
    await addNote(copy, 3);
    tamper(copy, forgeLastNote);
    const found = await faults(copy, { head });
    expect(found.map(({ kind }) => kind)).toContain('head-differs');
    expect(found.at(-1)?.says).toMatch(/copy into a split ledger.*otherwise events were altered/);
  });

  it.each(['EventStoreDB', 'split'] as const)('of %s detects a copy that was cut off', async (store) => {
    const { url, head } = await sealed(store);
    const copy = await copied(url, 'SQLite');
    tamper(copy, (ledger) => ledger.run('DELETE FROM events WHERE position = (SELECT max(position) FROM events)'));
    expect((await faults(copy, { head })).at(-1)).toMatchObject({
      kind: 'cut-off',
      says: expect.stringContaining('has 43 events, the ledger 42: the last 1 were cut off'),
    });
  });

  it('cannot be compared with a split copy, which has another order', async () => {
    const { url, head } = await sealed('SQLite');
    const says = expect.stringContaining('the order of events differs and they cannot be compared');
    expect(await faults(await copied(url, 'split'), { head })).toEqual([
      expect.objectContaining({ kind: 'head-differs', says }),
    ]);
  });

  it('mentions unreported evidence as a possible cause if a split copy seems cut off', async () => {
    const url = places.SQLite();
    const head = await using(openLedger(url, { create: true }), async (ledger) => {
      await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      await ledger.append(notesStream, [note(0)], { expect: 'none' });
      return await makeHead(ledger);
    });
    const [fault] = await faults(await copied(url, 'split'), { head });
    expect(fault).toMatchObject({ kind: 'cut-off', says: expect.stringContaining('or no run event reports them') });
  });
});

describe('a proof against the head of another store', () => {
  it.each(copies)('of %s is made from its copy in %s', async (store, other) => {
    const { url, head } = await sealed(store);
    const copy = await copied(url, other);
    await addNote(copy, 2);
    await using(openLedger(copy), async (ledger) => {
      const event = await eventAt(ledger, { stream: evidenceStream, revision: 7 });
      if (event === null) return expect.fail('it is not there');
      const { seal: by, ledger: within } = await proveEvent(ledger, event, head);
      expect(isIncluded(by?.by.digest ?? '', within.inclusion)).toBe(true);
      expect(within.inclusion).toMatchObject({ size: 43, root: head.root });
      const later = await eventAt(ledger, { stream: notesStream, revision: 2 });
      if (later === null) return expect.fail('it is not there');
      await expect(proveEvent(ledger, later, head)).rejects.toThrow(/it was recorded after the head/);
    });
  });
});
