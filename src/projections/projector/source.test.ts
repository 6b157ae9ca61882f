import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../ledger/stored.ts';
import { ReadAhead, type Source } from './source.ts';

const body = 'x'.repeat(1000);

/** Pages of one event each; records from where it was read, how many pages were taken, and whether reading ended. */
class Pages implements Source {
  readonly id = 'pages';
  readonly from: unknown[] = [];
  taken = 0;
  ended = 0;
  fails = false;

  /** No single stream is read. */
  async *read(): AsyncGenerator<readonly StoredEvent[]> {}

  async *readAll(options: object): AsyncGenerator<readonly StoredEvent[]> {
    this.from.push(options);
    try {
      for (let revision = 0; revision < 5; revision++) {
        if (this.fails) throw new Error('the store is away');
        this.taken += 1;
        yield [{ revision, body } as StoredEvent];
      }
    } finally {
      this.ended += 1;
    }
  }
}

async function revisionsIn(pages: AsyncIterable<readonly StoredEvent[]>): Promise<number[]> {
  const found: number[] = [];
  for await (const page of pages) found.push(...page.map(({ revision }) => revision));
  return found;
}

function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

describe('read-ahead events', () => {
  it('are read before they are requested, and once', async () => {
    const source = new Pages();
    const ahead = new ReadAhead(source, 'a@1');
    await quiet();
    expect(source.taken).toBe(5);
    expect(await revisionsIn(ahead.readAll({ after: 'a@1' }))).toEqual([0, 1, 2, 3, 4]);
    expect(source.from).toEqual([{ after: 'a@1' }]);
    expect(await revisionsIn(ahead.readAll({ after: 'a@1' }))).toEqual([0, 1, 2, 3, 4]);
    expect(source.from.length).toBe(2);
  });

  it('are not used for another position or another filter', async () => {
    const source = new Pages();
    const ahead = new ReadAhead(source, 'a@1');
    for (const options of [{ after: 'a@2' }, {}, { after: 'a@1', until: 'a@3' }, { after: 'a@1', types: [] }]) {
      expect(await revisionsIn(ahead.readAll(options))).toEqual([0, 1, 2, 3, 4]);
      expect(source.from.at(-1)).toBe(options);
    }
  });

  it('fail when requested if the store still fails, and otherwise not', async () => {
    const source = new Pages();
    source.fails = true;
    const [first, second] = [new ReadAhead(source, 'a@1'), new ReadAhead(source, 'a@1')];
    await quiet();
    await expect(revisionsIn(first.readAll({ after: 'a@1' }))).rejects.toThrow('the store is away');
    source.fails = false;
    expect(await revisionsIn(second.readAll({ after: 'a@1' }))).toEqual([0, 1, 2, 3, 4]);
  });

  it('are stopped if never requested, and when the consumer stops early', async () => {
    const source = new Pages();
    const unwanted = new ReadAhead(source, 'a@1');
    unwanted.stop();
    await quiet();
    expect([source.taken, source.ended]).toEqual([1, 1]);
    const left = new ReadAhead(source, 'a@1');
    for await (const page of left.readAll({ after: 'a@1' })) if (page.length > 0) break;
    left.stop();
    await quiet();
    expect(source.ended).toBe(2);
  });
});
