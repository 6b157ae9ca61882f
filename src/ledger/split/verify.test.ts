// Verifies split ledgers: each part by itself, seals of one part over the other, and heads over both.
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import {
  evidenceStream,
  finished,
  note,
  notesStream,
  report,
  rollout,
  run,
  runStream,
  seal,
  someRollouts,
  workStream,
} from '../contract/samples.ts';
import { checkLedger } from '../health.ts';
import type { Ledger } from '../ledger.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { makeHead } from '../seal/head.ts';
import { isIncluded } from '../seal/inclusion.ts';
import { openSqlite } from '../sqlite/store.ts';
import { Tampering } from '../sqlite/testing/tamper.ts';
import { isFault } from '../verify/findings.ts';
import { proveEvent } from '../verify/prove.ts';
import { type Verification, type VerifyOptions, verifyLedger } from '../verify/verify.ts';
import { SplitPlace } from './testing/place.ts';

const later = evidenceStream.replace(/1$/, '2');

/** Notes, this number of rollouts, and their seal. */
async function sealed(place: SplitPlace, rollouts = 40): Promise<Ledger> {
  const ledger = await place.open();
  await ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
  await ledger.append(evidenceStream, someRollouts(0, rollouts), { expect: 'any' });
  const attempt = await new AttemptTree(ledger, evidenceStream).seal();
  await ledger.append(runStream, [seal([attempt])], { expect: 'none' });
  return ledger;
}

/** Both parts, in their own order. */
async function grow(ledger: Ledger): Promise<void> {
  await ledger.append(later, [rollout(1000)], { expect: 'any' });
  await ledger.append(notesStream, [note(2)], { expect: 'exists' });
  await ledger.append(later, [rollout(1001)], { expect: 'any' });
  await report(ledger, later);
}

function verify({ url }: SplitPlace, options: Partial<VerifyOptions> = {}): Promise<Verification> {
  return verifyLedger(url, { blobs: null, run: null, head: null, ...options });
}

function tamper(path: string, sql: string, ...parameters: (string | number)[]): void {
  const tampering = new Tampering(path);
  tampering.run(sql, ...parameters);
  tampering.close();
}

const faults = ({ findings }: Verification) => findings.filter(isFault);

describe('verifying a split ledger', () => {
  it('finds no faults in a sound one, with several threads, and checks its seals across both parts', async () => {
    const place = new SplitPlace();
    await sealed(place, 10_500);
    expect(await verify(place)).toMatchObject({ faults: 0, attempts: 1, tally: { events: 10_503 } });
  });

  it('compares it with a stored head, however both parts have grown since', async () => {
    const place = new SplitPlace();
    const ledger = await sealed(place);
    const head = await makeHead(ledger);
    expect(head.events).toBe(43);
    await grow(ledger);
    expect(await verify(place, { head })).toMatchObject({ faults: 0, tally: { events: 47 } });
    expect((await makeHead(ledger)).root).not.toBe(head.root);
  });

  it('is resumed after an interruption, with the same head', async () => {
    const place = new SplitPlace();
    const head = await makeHead(await sealed(place, 10_500));
    const stop = new AbortController();
    const states: Parameters<NonNullable<VerifyOptions['onState']>>[0][] = [];
    const onState: VerifyOptions['onState'] = async (state) => {
      states.push(state);
      stop.abort();
    };
    await expect(verify(place, { head, signal: stop.signal, onState })).rejects.toThrow();
    const from = states.at(-1)?.() ?? null;
    expect(from?.account.tally.events).toBeLessThan(10_503);
    expect(await verify(place, { head, from })).toMatchObject({ faults: 0, tally: { events: 10_503 } });
  });

  it('detects that the last run events are missing', async () => {
    const place = new SplitPlace();
    const ledger = await sealed(place);
    await ledger.append(notesStream, [note(2)], { expect: 'exists' });
    const head = await makeHead(ledger);
    await ledger.close();
    tamper(place.decisions, 'DELETE FROM events WHERE position = (SELECT max(position) FROM events)');
    expect(faults(await verify(place, { head }))).toEqual([expect.objectContaining({ kind: 'cut-off' })]);
    // As many events as before, but one event of the head is not among them.
    const again = await place.open();
    await again.append(notesStream, [note(3)], { expect: 'any' });
    expect(faults(await verify(place, { head }))).toEqual([expect.objectContaining({ kind: 'head-differs' })]);
  });

  it.each([
    [1, 39],
    [40, 0],
  ])('detects that %i reported events of evidence are missing', async (missing, left) => {
    const place = new SplitPlace();
    const ledger = await sealed(place);
    await grow(ledger);
    const head = await makeHead(ledger);
    await ledger.close();
    tamper(place.evidence, `DELETE FROM events WHERE position BETWEEN ${left + 1} AND 40`);
    const found = await verify(place, { head });
    expect(faults(found).map(({ kind, where }) => [kind, where])).toEqual(
      expect.arrayContaining([
        ['missing', evidenceStream],
        ['store', `evidence: ${evidenceStream}`],
        ['seal-broken', evidenceStream],
        ['head-differs', 'ledger'],
      ]),
    );
    const [lacking] = faults(found).filter(({ kind }) => kind === 'missing');
    expect(lacking?.says).toBe(`${evidenceStream} lacks ${missing} of the 40 events that ${runStream}@0 reports`);
    expect(found.tally.events).toBe(47 - missing);
  });

  it('finds an attempt that differs from its report', async () => {
    const place = new SplitPlace();
    const ledger = await place.open();
    await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
    const other = finished({ stream: evidenceStream, count: 3, root: 'b'.repeat(64) });
    await ledger.append(workStream, [other], { expect: 'none' });
    expect(faults(await verify(place)).map(({ where, says }) => `${where}: ${says}`)).toEqual([
      `evidence: ${evidenceStream}: it has another Merkle root than ${workStream}@0 reports`,
    ]);
    expect(faults(await verify(place, { run }))).toHaveLength(1);
    expect(faults(await verify(place, { run: 'another' }))).toEqual([]);
  });

  it('finds altered evidence, and the seal that no longer holds', async () => {
    const place = new SplitPlace();
    await (await sealed(place)).close();
    tamper(place.evidence, 'UPDATE events SET body = replace(body, \'"seed":7,\', \'"seed":8,\')');
    const found = faults(await verify(place));
    expect(found.map(({ kind, where }) => [kind, where])).toEqual([
      ['altered', `${evidenceStream}@7`],
      ['seal-broken', evidenceStream],
    ]);
  });

  it('finds faults between the parts: a stream in the wrong one, and an id in both', async () => {
    const place = new SplitPlace();
    await (await sealed(place)).close();
    // A part cannot be opened this way through its URL.
    const evidence = await openSqlite(place.evidence, {});
    const [stray] = await collect(
      (await place.open({ readOnly: true }, `sqlite:${place.decisions}`)).read(notesStream),
    );
    await evidence.replicate(stray === undefined ? [] : [stray]);
    await evidence.close();
    expect(faults(await verify(place)).map(({ kind, where, says }) => `${kind} ${where}: ${says}`)).toEqual([
      `store evidence: ${notesStream}: it belongs to the decisions`,
      `store evidence: ${notesStream}@0: its id ${stray?.id} is also that of a run event`,
    ]);
  });
});

it('the checks of a split ledger fail if its evidence is empty, although run events report some', async () => {
  const place = new SplitPlace();
  await (await sealed(place)).close();
  const failures = async () => (await checkLedger(place.url)).filter(({ status }) => status === 'failed');
  expect(await failures()).toEqual([]);
  tamper(place.evidence, 'DELETE FROM events');
  expect(await failures()).toContainEqual(
    expect.objectContaining({ name: 'evidence history', found: `${evidenceStream} is reported and not there` }),
  );
});

describe('a proof from a split ledger', () => {
  it.each([
    ['a decision', notesStream, 1],
    ['evidence, by its seal', evidenceStream, 33],
  ])('shows that %s is in a stored head, although both parts have grown', async (_, stream, revision) => {
    const ledger = await sealed(new SplitPlace());
    const head = await makeHead(ledger);
    await grow(ledger);
    const [event] = await collect(ledger.read(stream, { from: revision, to: revision }));
    if (event === undefined) throw new Error(`${stream}@${revision} is not there`);
    const { ledger: within, seal: by } = await proveEvent(ledger, event, head);
    expect(within.head.root).toBe(within.inclusion.root);
    expect(isIncluded(by?.by.digest ?? event.digest, within.inclusion)).toBe(true);
    expect(by === null || isIncluded(event.digest, by.inclusion)).toBe(true);
  });

  it('is refused for events after the head', async () => {
    const ledger = await sealed(new SplitPlace());
    const head = await makeHead(ledger);
    await grow(ledger);
    for (const [stream, revision] of [
      [notesStream, 2],
      [later, 0],
    ] as const) {
      const [event] = await collect(ledger.read(stream, { from: revision, to: revision }));
      if (event === undefined) throw new Error(`${stream}@${revision} is not there`);
      await expect(proveEvent(ledger, event, head)).rejects.toThrow(/it was recorded after the head/);
    }
  });
});
