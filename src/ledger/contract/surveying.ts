// The contract: seeing the whole without reading it. Which streams there are, the digests of all events, and the ledger
// cut into ranges for work in parallel.
import { describe, expect, it } from 'vitest';
import { sha256 } from '../identity/ids.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { type Bench, collect } from './fixture.ts';
import { evidenceStream, note, noteIn, notesStream, someRollouts, streams } from './samples.ts';

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

/** The order that digests and ranges come in: where not all is ordered, another one than events are read in. */
async function inOrder(ledger: Ledger): Promise<readonly StoredEvent[]> {
  const all = await collect(ledger.readAll());
  if (ledger.capabilities.totalOrder) return all;
  const digests = (await textOf(ledger.digests({}))).match(/.{64}/g) ?? [];
  const byDigest = new Map(all.map((event) => [event.digest, event]));
  const found = digests.map((digest) => byDigest.get(digest) as StoredEvent);
  expect(new Set(found)).toEqual(new Set(all));
  for (const stream of new Set(all.map((event) => event.stream))) {
    const revisions = found.filter((event) => event.stream === stream).map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.map((_, i) => i));
  }
  return found;
}

/** Of a stream, a part of these. */
const among = (some: readonly StoredEvent[], stream: string): readonly StoredEvent[] =>
  some.filter((event) => event.stream === stream);

export function surveying(bench: () => Bench): void {
  describe('surveying', () => {
    it('names the streams that begin with a prefix, in order, with their last revisions and where these stand', async () => {
      const ledger = await bench().fresh();
      for (const [i, stream] of streams.entries()) {
        await ledger.append(stream, [noteIn(stream, 0), noteIn(stream, 1)].slice(0, i === 1 ? 2 : 1), {
          expect: 'any',
        });
      }
      await ledger.append(evidenceStream, someRollouts(0, 3), { expect: 'any' });
      const last = (stream: string, revision: number) => collect(ledger.read(stream, { from: revision }));
      const end = async (stream: string, revision: number) => {
        return { stream, revision, cursor: (await last(stream, revision))[0]?.cursor };
      };
      const ends = await Promise.all(streams.map((stream, i) => end(stream, i === 1 ? 1 : 0)));
      expect(await collect(ledger.streams('notes-'))).toEqual(ends);
      expect(await collect(ledger.streams('notes-b'))).toEqual([ends[1]]);
      expect(await collect(ledger.streams())).toEqual([await end(evidenceStream, 2), ...ends]);
      expect(await collect(ledger.streams('run-'))).toEqual([]);
    });

    it('gives the digests of everything, of a part, and of a stream, in order', async () => {
      const ledger = await bench().fresh();
      const first = await ledger.append(evidenceStream, someRollouts(0, 4100), { expect: 'any' });
      await ledger.append(notesStream, [note(0), note(1)], { expect: 'any' });
      await ledger.append(evidenceStream, someRollouts(4100, 300), { expect: 'any' });
      const all = await inOrder(ledger);
      const join = (some: typeof all): string => some.map(({ body }) => sha256(body)).join('');
      expect(await textOf(ledger.digests({}))).toBe(join(all));
      const evidence = among(all, evidenceStream);
      const [before, behind] = [
        evidence.slice(0, 4100),
        all.filter((event) => !evidence.slice(0, 4100).includes(event)),
      ];
      expect(await textOf(ledger.digests({ after: first.cursor }))).toBe(join(behind));
      expect(await textOf(ledger.digests({ until: first.cursor }))).toBe(join(before));
      expect(await textOf(ledger.digests({ stream: evidenceStream }))).toBe(join(evidence));
      expect(await textOf(ledger.digests({ stream: evidenceStream, from: 5, to: 4200 }))).toBe(
        join(evidence.slice(5, 4201)),
      );
      expect(await textOf(ledger.digests({ stream: notesStream, from: 2 }))).toBe('');
      expect(await textOf(ledger.digests({ stream: 'run-none' }))).toBe('');
    });

    it('is cut into ranges that, read one by one, are the whole', async () => {
      const ledger = await bench().fresh();
      const { cursor } = await ledger.append(evidenceStream, someRollouts(0, 25), { expect: 'any' });
      await ledger.append(notesStream, [note(0), note(1)], { expect: 'any' });
      const ranges = await ledger.ranges(10);
      expect(ranges.map(({ events }) => events).reduce((sum, events) => sum + events)).toBe(27);
      const read: string[] = [];
      for (const { after, until, events } of ranges) {
        const part = await collect(ledger.readAll({ ...(after === null ? {} : { after }), until }));
        expect(part.length).toBe(events);
        read.push(...part.map(({ digest }) => digest));
      }
      expect(read).toEqual((await inOrder(ledger)).map(({ digest }) => digest));
      expect((await ledger.ranges(100, { after: cursor })).map(({ events }) => events)).toEqual([2]);
      expect((await ledger.ranges(100, { until: cursor })).map(({ events }) => events)).toEqual([25]);
      expect(await (await bench().fresh()).ranges(10)).toEqual([]);
    });

    it('finds nothing wrong with a store that is sound', async () => {
      const ledger = await bench().fresh();
      await ledger.append(evidenceStream, someRollouts(0, 300), { expect: 'any' });
      const faults = [];
      for await (const fault of ledger.audit()) faults.push(fault);
      expect(faults).toEqual([]);
    });
  });
}
