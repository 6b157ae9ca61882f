import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { rolloutIn } from '../contract/samples.ts';
import type { ReadOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import type { Lane } from './lanes.ts';
import { ModelLane } from './testing/model.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { loggedStreams, randomLog, writeLog } from './testing/random-logs.ts';
import { partitionsOf } from './topics.ts';

async function read({ reading }: PartsInMemory, stream: string, options: ReadOptions = {}): Promise<StoredEvent[]> {
  return await collect(reading.read(stream, options, onAndOn));
}

/** What a list of events would give. */
function sliced<Event>(
  events: readonly Event[],
  { from = 0, to = events.length, limit, backwards }: ReadOptions,
): Event[] {
  const some = events.filter((_, revision) => revision >= from && revision <= to);
  return (backwards === true ? some.reverse() : some).slice(0, limit);
}

const options: fc.Arbitrary<ReadOptions> = fc.record(
  {
    from: fc.integer({ min: -2, max: 25 }),
    to: fc.integer({ min: -1, max: 25 }),
    limit: fc.nat({ max: 25 }),
    backwards: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe('a stream', () => {
  it('is read from anywhere to anywhere, in either direction, as a list of its events would be', async () => {
    const manyOptions = fc.array(options, { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(randomLog, manyOptions, fc.constantFrom(1, 1_000, 100_000), async (log, asked, answerBytes) => {
        const topics = ledgerTopics();
        const parts = new PartsInMemory(topics, { answerBytes });
        writeLog(topics, parts.lanes, log);
        for (const stream of loggedStreams) {
          const events = new ModelLane(parts.lanes, parts.lanes.ofStream(stream) as Lane, log).of(stream);
          for (const one of [{}, ...asked]) {
            const found = (await read(parts, stream, one)).map(({ revision, body }) => ({ revision, body }));
            expect(found).toEqual(sliced(events, one).map(({ revision, body }) => ({ revision, body })));
          }
        }
        parts.index.close();
      }),
      { numRuns: 60 },
    );
  });

  it('that does not exist has no events, nor has what no stream can be called', async () => {
    const parts = new PartsInMemory(ledgerTopics());
    expect(await read(parts, 'notes-nobody')).toEqual([]);
    expect(await read(parts, 'nothing')).toEqual([]);
  });
});

const [stream = '', other = ''] = loggedStreams;
const wide = 500;

/** Two streams in one lane, an event of each in turn, every one of them in a batch of its own. */
async function interleaved(): Promise<PartsInMemory> {
  const topics = ledgerTopics(partitionsOf(1));
  const parts = new PartsInMemory(topics, { partitions: partitionsOf(1) });
  for (let index = 0; index < wide; index++) {
    for (const each of [stream, other])
      await parts.writing.append(each, [rolloutIn(each, index)], { expect: 'any' }, onAndOn);
  }
  return parts;
}

describe('a stream that lies among others', () => {
  it('is found in few answers', async () => {
    const parts = await interleaved();
    await read(parts, stream, { limit: 1 });
    const fetch = parts.transport.fetch.bind(parts.transport);
    let answers = 0;
    parts.transport.fetch = async (...asked) => {
      answers++;
      return await fetch(...asked);
    };
    const found = await read(parts, stream, { from: wide - 2, to: wide - 2 });
    expect(found.map(({ revision }) => revision)).toEqual([wide - 2]);
    expect(answers).toBeLessThan(12);
  });

  it('is read in both directions, however many spans it has', async () => {
    const topics = ledgerTopics(partitionsOf(1));
    const parts = new PartsInMemory(topics, { partitions: partitionsOf(1) });
    const { topic, partition } = parts.lanes.ofStream(stream) as Lane;
    const spans = 300;
    for (let index = 0; index < spans; index++) {
      await parts.writing.append(stream, [rolloutIn(stream, index)], { expect: 'any' }, onAndOn);
      topics.partition(topic, partition).skip(65);
    }
    const revisions = (await read(parts, stream)).map(({ revision }) => revision);
    expect(revisions).toEqual([...Array(spans).keys()]);
    const backwards = (await read(parts, stream, { backwards: true })).map(({ revision }) => revision);
    expect(backwards).toEqual(revisions.reverse());
    expect(parts.index.spans(parts.index.stream(stream)?.number ?? 0, 0, spans, spans + 1)).toHaveLength(spans);
  });
});
