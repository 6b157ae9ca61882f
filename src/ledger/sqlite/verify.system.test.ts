// Damage to every byte of an event of each type, and verifications of many events.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerHead } from '../../../schemas/head.ts';
import { golden, goldenFiles } from '../../../schemas/testing/golden.ts';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, noteIn, notesStream, runStream, seal, someRollouts } from '../contract/samples.ts';
import { eventId } from '../identity/ids.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { makeHead } from '../seal/head.ts';
import type { Finding } from '../verify/findings.ts';
import { type Interrupted, type VerifyOptions, verifyLedger, verifyOpened } from '../verify/verify.ts';
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

/** For several events with the same content. */
interface Copy {
  readonly nth: number;
  readonly of: number;
}

interface GoldenLedger {
  readonly path: string;
  readonly head: LedgerHead;
  /** By position, like the next one. */
  readonly places: readonly string[];
  readonly copies: readonly Copy[];
}

/** An event of every version of every type, each in an allowed stream, with the given number of copies; and the head of them all. */
async function goldenLedger(times: (event: object) => number = () => 1): Promise<GoldenLedger> {
  const path = fresh();
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  const copies: Copy[] = [];
  for (const { stream, event } of goldenFiles.map(golden)) {
    for (let nth = 0, of = times(event); nth < of; nth++) {
      const id = eventId({ run: 'golden', stage: 0, kind: 1, index: copies.length });
      await ledger.append(stream, [{ ...event, id }], { expect: 'any' });
      copies.push({ nth, of });
    }
  }
  const places = (await collect(ledger.readAll())).map(({ stream, revision }) => `${stream}@${revision}`);
  const head = await makeHead(ledger);
  await ledger.close();
  return { path, head, places, copies };
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g;

/** The positions of the keys and values of an event in its text. */
function placesOf(body: Buffer): readonly number[] {
  return Array.from(body.toString('latin1').matchAll(tokens), ({ index, 0: token }) => index + (token.length >> 1));
}

function flipped(body: Buffer, at: number): Buffer {
  const other = Buffer.from(body);
  other[at] = (other[at] as number) ^ 1;
  return other;
}

describe('one byte flipped in any field of any event of any type', () => {
  it('is found and named', { timeout: 60_000 }, async () => {
    // A large event exists several times, and each copy has a share of its keys and values damaged, which needs fewer rounds.
    const share = 80;
    // Of more than a few hundred faults not all are listed.
    const atOnce = 60;
    const placesIn = (event: object): number => placesOf(Buffer.from(JSON.stringify(event))).length;
    const { path, places, copies } = await goldenLedger((event) => Math.ceil(placesIn(event) / share));
    const tampering = new Tampering(path);
    const events = tampering.bodies().map((event) => {
      const { nth, of } = copies[event.position - 1] ?? { nth: 0, of: 1 };
      return { ...event, left: placesOf(event.body).filter((_, i) => i % of === nth) };
    });
    const unnoticed: string[] = [];
    // Each round damages one key or value of some events, until each of each was damaged.
    for (let isLeft = true; isLeft; isLeft = events.some(({ left }) => left.length > 0)) {
      const some = events.toSorted((one, other) => other.left.length - one.left.length).slice(0, atOnce);
      const spoilt = some.flatMap(({ position, body, digest, left }) => {
        const at = left.pop();
        return at === undefined ? [] : [{ position, body, digest, other: flipped(body, at) }];
      });
      for (const { position, digest, other } of spoilt) tampering.rewrite(position, other, digest);
      const found = new Set(kindsAt(await findingsOf(path)));
      for (const { position, body, digest, other } of spoilt) {
        if (!found.has(`altered ${places[position - 1]}`)) unnoticed.push(other.toString());
        tampering.rewrite(position, body, digest);
      }
    }
    tampering.close();
    expect(unnoticed).toEqual([]);
  });

  it('is found by chain or head if the digest was changed to match', { timeout: 60_000 }, async () => {
    const { path, head } = await goldenLedger();
    const ledger = await openLedger(`sqlite:${path}`, { readOnly: true });
    const look = async () => kindsAt((await verifyOpened(ledger, { ...everything, head })).findings);
    const before = new Set(await look());
    expect([...before].filter((found) => /^(chain-broken|head-differs)/.test(found))).toEqual([]);
    const tampering = new Tampering(path);
    const unnoticed: string[] = [];
    for (const { position, body, digest } of tampering.bodies()) {
      const all = placesOf(body);
      const step = Math.min(all.length, 25);
      for (const at of all.filter((_, i) => (i + position) % step === 0)) {
        const forged = flipped(body, at);
        tampering.rewrite(position, forged, createHash('sha256').update(forged).digest());
        const found = await look();
        if (!found.some((one) => /^(chain-broken|head-differs)/.test(one))) unnoticed.push(forged.toString());
      }
      tampering.rewrite(position, body, digest);
    }
    tampering.close();
    await ledger.close();
    expect(unnoticed).toEqual([]);
  });
});

describe('a verification of many events', () => {
  it('by several threads finds the same as one thread, and can be resumed after an interruption', {
    timeout: 120_000,
  }, async () => {
    const path = fresh();
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    const tree = new AttemptTree(ledger, evidenceStream);
    for (let i = 0; i < 35_000; i += 5000) {
      tree.appended(await ledger.append(evidenceStream, someRollouts(i, 5000), { expect: 'any' }));
      await ledger.append(notesStream, [noteIn(notesStream, i)], { expect: 'any' });
    }
    await ledger.append(runStream, [seal([await tree.seal()])], { expect: 'none' });
    const head = await makeHead(ledger);
    await ledger.close();
    const byThreads = { ...everything, head, threads: 2 };
    const whole = await verifyLedger(`sqlite:${path}`, byThreads);
    expect(await verifyLedger(`sqlite:${path}`, { ...everything, head, threads: 1 })).toEqual(whole);
    expect(whole).toMatchObject({ findings: [], attempts: 1, tally: { events: 35_008 } });

    const states: Interrupted[] = [];
    const stop = new AbortController();
    const onState: VerifyOptions['onState'] = async (state) => {
      states.push(JSON.parse(JSON.stringify(state())));
      if (states.length === 2) stop.abort('stopped');
    };
    const stopped = verifyLedger(`sqlite:${path}`, { ...byThreads, onState, signal: stop.signal });
    await expect(stopped).rejects.toBe('stopped');
    const tampering = new Tampering(path);
    const victim = tampering.bodies()[30_000];
    tampering.rewrite(30_001, Buffer.from(victim?.body ?? ''), Buffer.alloc(32));
    tampering.close();
    const resumed = await verifyLedger(`sqlite:${path}`, { ...byThreads, from: states[1] ?? null });
    expect(resumed.tally).toEqual(whole.tally);
    expect(resumed.findings.map(({ kind }) => kind)).toEqual(['altered']);

    const removing = new Tampering(path);
    removing.run('DELETE FROM events WHERE position = 4000');
    removing.close();
    const holed = await verifyLedger(`sqlite:${path}`, byThreads);
    expect(new Set(holed.findings.map(({ kind }) => kind))).toEqual(
      new Set(['missing', 'store', 'altered', 'seal-broken', 'head-differs']),
    );
  });
});
