// The contract: shards, and the groups that have them between them.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import type { Cursor } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { decisionsShard } from '../shards.ts';
import type { StoredEvent } from '../stored.ts';
import { type Bench, collect } from './fixture.ts';
import { Members } from './members.ts';
import { note, notesStream, rolloutIn, run } from './samples.ts';

const shardsAtMost = 12;

export function sharing(bench: () => Bench): void {
  describe('shards', () => {
    let members = new Members();
    afterEach(async () => {
      await members.stop();
      members = new Members();
    });

    /** Null where the store refuses to be shared. */
    async function shared(): Promise<Ledger | null> {
      const ledger = await bench().fresh();
      if (ledger.capabilities.shares) return ledger;
      expect(() => ledger.shards()).toThrow(expect.objectContaining({ name: 'UnsupportedByStore' }));
      return null;
    }

    it('hold every event once, and each stream whole', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      const shards = ledger.shards();
      await append(ledger, 0, 3);
      const found = await Promise.all(shards.names.map((name) => collect(shards.readAll(name))));
      const all = await collect(ledger.readAll());
      expect(places(found.flat()).sort()).toEqual(places(all).sort());
      const streams = found.flatMap((events) => [...new Set(events.map(({ stream }) => stream))]);
      expect(new Set(streams).size).toBe(streams.length);
      const decisions = found[shards.names.indexOf(decisionsShard)] ?? [];
      expect(places(decisions)).toEqual([`${notesStream}@0`]);
    });

    it('are read on from a cursor, without loss or repetition', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      const shards = ledger.shards();
      await append(ledger, 0, 5);
      for (const name of shards.names) {
        const whole = await collect(shards.readAll(name));
        const seen: StoredEvent[] = [];
        while (seen.length < whole.length) {
          const after = seen.at(-1)?.cursor;
          seen.push(...(await collect(shards.readAll(name, { ...(after === undefined ? {} : { after }), limit: 2 }))));
        }
        expect(places(seen)).toEqual(places(whole));
        const [before, until] = [seen.at(-2)?.cursor, seen.at(-1)?.cursor];
        if (before === undefined || until === undefined) continue;
        expect(places(await collect(shards.readAll(name, { after: before, until })))).toEqual(places(whole.slice(-1)));
      }
    });

    it('say how much is behind a cursor', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      const shards = ledger.shards();
      const behind = (cursors: ReadonlyMap<string, Cursor>): Promise<number[]> =>
        Promise.all(shards.names.map((name) => shards.behind(name, cursors.get(name) ?? null)));
      expect(sum(await behind(new Map()))).toBe(0);
      await append(ledger, 0, 3);
      expect(sum(await behind(new Map()))).toBe(3 * shardsAtMost + 1);
      const ends = new Map<string, Cursor>();
      for (const name of shards.names) {
        const last = (await collect(shards.readAll(name))).at(-1);
        if (last !== undefined) ends.set(name, last.cursor);
      }
      expect(sum(await behind(ends))).toBe(0);
      await append(ledger, 3, 2);
      expect(sum(await behind(ends))).toBe(2 * shardsAtMost);
    });

    it('are all those of a group that has one member, and go to the one that stays when another leaves', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      const group = randomUUID();
      const names = [...ledger.shards().names].sort();
      members.join('stays', ledger, group);
      await members.until(() => members.of('stays').length === names.length);
      const leave = members.join('leaves', await bench().open(ledger.url), group);
      await members.until(() => members.of('leaves').length > 0 && members.all.length === names.length);
      expect(members.all).toEqual(names);
      expect(members.of('stays').length).toBeGreaterThan(0);
      await leave();
      await members.until(() => members.of('stays').length === names.length);
      expect(members.all).toEqual(names);
    });

    it('come back from a member that was killed', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      const group = randomUUID();
      const names = [...ledger.shards().names].sort();
      members.join('stays', ledger, group);
      const kill = members.joinAsProcess('killed', ledger.url, group);
      await members.until(() => members.of('killed').length > 0 && members.of('stays').length > 0);
      await kill();
      await members.until(() => members.of('stays').length === names.length);
      expect([...members.of('stays')].sort()).toEqual(names);
    });

    it('of a group are not those of another', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      const { names } = ledger.shards();
      members.join('one', ledger, randomUUID());
      members.join('other', ledger, randomUUID());
      await members.until(() => members.all.length === 2 * names.length);
      expect([...members.of('one')].sort()).toEqual([...names].sort());
    });

    it('are given to nobody when the group is left before it was joined', async () => {
      const ledger = await shared();
      if (ledger === null) return;
      for await (const _ of ledger.shards().share(randomUUID(), AbortSignal.abort()))
        expect.unreachable('it was over before');
    });
  });
}

/** Some of each of many streams of evidence, and at first a note. */
async function append(ledger: Ledger, from: number, count: number): Promise<void> {
  if (from === 0) await ledger.append(notesStream, [note(0)], { expect: 'any' });
  for (let shard = 0; shard < shardsAtMost; shard++) {
    const stream = streamOf.evidence(run, 2, shard, 1);
    const events = Array.from({ length: count }, (_, index) => rolloutIn(stream, from + index));
    await ledger.append(stream, events, { expect: 'any' });
  }
}

function places(events: readonly StoredEvent[]): string[] {
  return events.map(({ stream, revision }) => `${stream}@${revision}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
