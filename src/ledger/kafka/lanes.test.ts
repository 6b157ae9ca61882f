import { describe, expect, it } from 'vitest';
import { categories, streamOf } from '../../../schemas/streams.ts';
import { Lanes } from './lanes.ts';
import { partitionsOf } from './topics.ts';

const lanes = new Lanes('lab', partitionsOf(7));
const everyStream = [
  streamOf.run('a'),
  streamOf.evidence('a', 1, 0, 0),
  streamOf.work('a'),
  streamOf.notes('a'),
  streamOf.answer('0'.repeat(64)),
  streamOf.ablation('a'),
];

describe('the lanes of a ledger', () => {
  it('are all partitions of all categories, numbered through', () => {
    expect(lanes.count).toBe(categories.length - 1 + 7);
    expect(lanes.all.map(({ number }) => number)).toEqual([...lanes.all.keys()]);
    expect(lanes.of('evidence').map(({ partition }) => partition)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('hold each stream in the topic of its category', () => {
    expect(everyStream.map((stream) => lanes.ofStream(stream)?.topic)).toEqual(
      categories.map((category) => `lab.${category}`),
    );
  });

  it('share the streams of evidence between them', () => {
    const found = Array.from({ length: 200 }, (_, shard) => lanes.ofStream(streamOf.evidence('a', 1, shard, 0)));
    expect(new Set(found.map((lane) => lane?.partition)).size).toBe(7);
  });

  it('hold nothing that no stream can be called', () => {
    for (const name of ['', '-', 'run', 'runs', 'notes', 'other-a']) expect(lanes.ofStream(name)).toBeNull();
  });

  it('are found by the beginning of names', () => {
    expect(lanes.ofPrefix('')).toEqual(lanes.all);
    expect(lanes.ofPrefix('ev')).toEqual(lanes.of('evidence'));
    expect(lanes.ofPrefix('evidence-a-1')).toEqual(lanes.of('evidence'));
    expect(lanes.ofPrefix('a').map(({ category }) => category)).toEqual(['answer', 'ablation']);
    expect(lanes.ofPrefix('x')).toEqual([]);
    expect(lanes.ofPrefix('ev-')).toEqual([]);
  });
});
