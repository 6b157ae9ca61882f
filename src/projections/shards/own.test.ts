// What a member of a group has, as it is told.
import { describe, expect, it } from 'vitest';
import { OwnShards } from './own.ts';

describe('the shards of a member', () => {
  it('are those it was told last, and one that goes is told of to who fills it', async () => {
    const told = assignments();
    const own = new OwnShards(told.all());
    told.tell(['one', 'two']);
    await own.joined();
    const [one, two] = own.all;
    const changed = own.changed();
    told.tell(['two', 'three']);
    await changed;
    expect(own.all.map(({ name }) => name)).toEqual(['two', 'three']);
    expect([one?.gone.aborted, two?.gone.aborted]).toEqual([true, false]);
  });

  it('come in the order in which they were filled, and begin anew when they come back', async () => {
    const told = assignments();
    const own = new OwnShards(told.all());
    told.tell(['one', 'two']);
    await own.joined();
    const [one] = own.all;
    if (one === undefined) return expect.unreachable('it was given two');
    own.noteFilled(one, 'a cursor');
    expect(own.all.map((shard) => [shard.name, own.filledTo(shard)])).toEqual([
      ['two', undefined],
      ['one', 'a cursor'],
    ]);
    for (const names of [['two'], ['one', 'two']]) {
      const changed = own.changed();
      told.tell(names);
      await changed;
    }
    own.noteFilled(one, 'of before');
    expect(own.all.map((shard) => own.filledTo(shard))).toEqual([undefined, undefined]);
  });

  it('may be none', async () => {
    const told = assignments();
    const own = new OwnShards(told.all());
    told.tell([]);
    await own.joined();
    expect(own.all).toEqual([]);
    expect(own.isLeft).toBe(false);
  });

  it('are gone when the group is left, also before it was joined', async () => {
    const told = assignments();
    const own = new OwnShards(told.all());
    told.end();
    await own.joined();
    expect(own.isLeft).toBe(true);
    await own.left();
  });

  it('are gone when the group is lost, which whoever waits is told', async () => {
    const told = assignments();
    const own = new OwnShards(told.all());
    told.tell(['one']);
    await own.joined();
    const [one] = own.all;
    const changed = own.changed();
    told.end(new Error('no broker answers'));
    await expect(changed).rejects.toThrow('no broker answers');
    await expect(own.left()).rejects.toThrow('no broker answers');
    expect(one?.gone.aborted).toBe(true);
    expect(own.all).toEqual([]);
  });
});

interface Told {
  tell(names: readonly string[]): void;
  end(error?: Error): void;
  all(): AsyncIterable<readonly string[]>;
}

function assignments(): Told {
  const stream = new TransformStream<readonly string[], readonly string[]>(
    {},
    { highWaterMark: 9 },
    { highWaterMark: 9 },
  );
  const writer = stream.writable.getWriter();
  return {
    tell: (names) => void writer.write(names),
    end: (error) => void (error === undefined ? writer.close() : writer.abort(error)),
    all: () => stream.readable,
  };
}
