// Writers of the same streams whose requests reach the log in any order: whatever one is told is so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../contract/fixture.ts';
import { noteIn, rolloutIn } from '../contract/samples.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { partitionsOf } from './topics.ts';
import { OutcomeUnknown } from './transport/errors.ts';

const partitions = partitionsOf(1);
const streams = [streamOf.evidence('a', 1, 0, 1), streamOf.evidence('a', 1, 1, 1), streamOf.notes('a')];

interface Step {
  readonly stream: number;
  readonly count: number;
}

/** What an append was told: the last revision of its stream, or why it failed. */
interface Told {
  readonly stream: string;
  readonly ids: readonly string[];
  readonly answer: number | string;
}

const steps = fc.array(
  fc.record({ stream: fc.nat({ max: streams.length - 1 }), count: fc.integer({ min: 1, max: 3 }) }),
  { maxLength: 5 },
);

/** What becomes of records that are sent: of all but the first, the sender hears nothing. */
type Fate = 'stored' | 'stored unheard' | 'stored late' | 'lost';

const usualFate = fc.constant<Fate>('stored');
const otherFate = fc.constantFrom<Fate[]>('stored unheard', 'stored late', 'lost');
const anyFate = fc.oneof({ weight: 5, arbitrary: usualFate }, { weight: 1, arbitrary: otherFate });

/** Each request waits for its turn. */
function takingTurns(parts: PartsInMemory, turns: fc.Scheduler, fates: Iterator<Fate>): PartsInMemory {
  const { transport } = parts;
  const [ends, fetch] = [transport.ends.bind(transport), transport.fetch.bind(transport)];
  const produce = transport.produce.bind(transport);
  const turn = (): Promise<void> => turns.schedule(Promise.resolve());
  transport.ends = async (...asked) => await turn().then(() => ends(...asked));
  transport.fetch = async (...asked) => await turn().then(() => fetch(...asked));
  transport.produce = async (topic, partition, records) => {
    await turn();
    const fate = fates.next().value;
    if (fate === 'stored') return await produce(topic, partition, records);
    if (fate === 'stored unheard') await produce(topic, partition, records);
    if (fate === 'stored late') turn().then(() => produce(topic, partition, records));
    throw new OutcomeUnknown(topic, partition, fate);
  };
  return parts;
}

async function write({ writing }: PartsInMemory, first: number, todo: readonly Step[]): Promise<readonly Told[]> {
  const told: Told[] = [];
  let index = first;
  for (const { stream: number, count } of todo) {
    const stream = streams[number] as string;
    const make = stream.startsWith('notes-') ? noteIn : rolloutIn;
    const events = Array.from({ length: count }, () => make(stream, index++));
    const ids = events.map(({ id }) => id);
    const answer = await writing.append(stream, events, { expect: 'any' }, onAndOn).then(
      ({ revision }) => revision,
      ({ name }: { name: string }) => name,
    );
    told.push({ stream, ids, answer });
  }
  return told;
}

async function race(turns: fc.Scheduler, writers: readonly (readonly Step[])[], fates: Iterator<Fate>): Promise<void> {
  const topics = ledgerTopics(partitions);
  const all = writers.map(() => takingTurns(new PartsInMemory(topics, { partitions }), turns, fates));
  // The ids of a later writer are lower: it cannot tell by their order that they are new.
  const writings = all.map((parts, writer) => write(parts, 1_000 * (writers.length - writer), writers[writer] ?? []));
  const told = (await turns.waitFor(Promise.all(writings))).flat();
  await turns.waitIdle();
  const reader = new PartsInMemory(topics, { partitions });
  const stored = new Map<string, readonly string[]>();
  for (const stream of streams) {
    const events = await collect(reader.reading.read(stream, {}, onAndOn));
    stored.set(
      stream,
      events.map(({ id }) => id),
    );
  }
  let counted = 0;
  for (const { stream, ids, answer } of told) {
    const there = stored.get(stream) ?? [];
    const at = there.indexOf(ids[0] ?? '');
    const found = at < 0 ? [] : there.slice(at, at + ids.length);
    counted += found.length;
    if (typeof answer === 'number') {
      expect(found).toEqual(ids);
      expect(at + ids.length).toBeLessThanOrEqual(answer + 1);
    } else {
      expect(['TakenOver', 'OutcomeUnknown']).toContain(answer);
      expect([answer === 'TakenOver' ? 'none' : ids, []]).toContainEqual(found);
    }
  }
  expect([...stored.values()].flat()).toHaveLength(counted);
  for (const { index } of [...all, reader]) index.close();
}

describe('writers of the same streams', () => {
  const writers = fc.array(steps, { minLength: 2, maxLength: 3 });

  it('have what they are told is stored, in one piece and once, and nothing of what is refused', async () => {
    const heard = fc.infiniteStream(usualFate);
    await fc.assert(fc.asyncProperty(fc.scheduler(), writers, heard, race), { numRuns: 200 });
  });

  it('have it so also where answers are lost, and what was given up arrives late', async () => {
    const fates = fc.infiniteStream(anyFate);
    await fc.assert(fc.asyncProperty(fc.scheduler(), writers, fates, race), { numRuns: 300 });
  });
});
