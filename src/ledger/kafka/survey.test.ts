import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, noteIn, rolloutIn, someRollouts } from '../contract/samples.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';

const any = { expect: 'any' } as const;

describe('the streams of a ledger', () => {
  it('are told in the order of their names, each with where it ends, however many there are', async () => {
    const parts = new PartsInMemory(ledgerTopics());
    const names = Array.from({ length: 1_200 }, (_, shard) => evidenceStream.replace('-0-1', `-${shard}-1`)).sort();
    await Promise.all(names.map((name) => parts.writing.append(name, [rolloutIn(name, 0)], any, onAndOn)));
    await parts.writing.append('notes-a', [noteIn('notes-a', 0), noteIn('notes-a', 1)], any, onAndOn);
    const found = await collect(parts.survey.streams('', onAndOn));
    expect(found.map(({ stream }) => stream)).toEqual([...names, 'notes-a']);
    const [last] = await collect(parts.reading.read('notes-a', { from: 1 }, onAndOn));
    expect(found.at(-1)).toEqual({ stream: 'notes-a', revision: 1, cursor: last?.cursor });
    expect(await collect(parts.survey.streams('notes-', onAndOn))).toEqual(found.slice(-1));
  });
});

describe('who reads while the ledger is closed', () => {
  it.each([
    ['a stream', (parts: PartsInMemory, end: AbortSignal) => parts.reading.read(evidenceStream, {}, end)],
    ['the names of streams', (parts, end) => parts.survey.streams('', end)],
    ['the ledger', (parts, end) => parts.feeds.ofAll({}, end)],
  ] satisfies [string, (parts: PartsInMemory, end: AbortSignal) => AsyncGenerator<readonly unknown[]>][])(
    'is told so: %s',
    async (_, begin) => {
      const parts = new PartsInMemory(ledgerTopics(), { answerBytes: 1_000 });
      for (let from = 0; from < 2_200; from += 100)
        await parts.writing.append(evidenceStream, someRollouts(from, 100), any, onAndOn);
      const end = new AbortController();
      const reading = begin(parts, end.signal);
      await reading.next();
      end.abort(new Error('closed'));
      await parts.transport.close();
      parts.index.close();
      await expect(collect(reading)).rejects.toThrow('closed');
    },
  );
});
