// Any log, in any pages, by whomever: the index says of it what the rule says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lanes } from '../lanes.ts';
import { ModelLane, type Verdict } from '../testing/model.ts';
import { foundAt, type Logged, loggedStreams, randomLog } from '../testing/random-logs.ts';
import { partitionsOf } from '../topics.ts';
import type { FoundRecord } from '../transport/transport.ts';
import type { Admitted, Page } from './admitting.ts';
import { Index } from './index.ts';
import { contentsOf, databaseInMemory } from './testing/index-in-memory.ts';

const lanes = new Lanes('lab', partitionsOf(2));
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });

function modelsOf(log: readonly Logged[]): readonly ModelLane[] {
  return lanes.all.map((lane) => new ModelLane(lanes, lane, log));
}

/** A lane in pages, cut before these offsets. */
function* pages(lane: number, { records }: ModelLane, at: readonly number[]): Generator<Page> {
  const found = records.map((record, offset) => (record === null ? null : foundAt(offset, record)));
  const ends = [...new Set([...at, records.length])].filter((end) => end <= records.length).sort((a, b) => a - b);
  let from = 0;
  for (const next of ends) {
    if (next === from) continue;
    const some = found.slice(from, next).filter((record): record is FoundRecord => record !== null);
    yield { lane, from, next, records: some, unreadable: [] };
    from = next;
  }
}

interface TakenIn {
  readonly index: Index;
  readonly contents: unknown;
  readonly admitted: readonly (readonly Admitted[])[];
}

/** By two readers in turn, who come too late for what the other has taken in. */
function takenIn(models: readonly ModelLane[], at: readonly number[]): TakenIn {
  const db = databaseInMemory(lanes);
  let [reader, other] = [new Index(db, lanes), new Index(db, lanes)];
  const admitted = models.map((model, lane) => {
    return [...pages(lane, model, at)].flatMap((page) => {
      const taken = reader.admitting.admit(page);
      expect(other.admitting.admit(page)).toBeNull();
      [reader, other] = [other, reader];
      return taken?.events ?? [];
    });
  });
  return { index: reader, contents: contentsOf(db), admitted };
}

function verdictsIn(index: Index, lane: number, length: number): readonly Verdict[] {
  const verdicts = new Array<Verdict>(length).fill('counts');
  for (const { first, count, why } of index.refused(lane, -1)) verdicts.fill(why as Verdict, first, first + count);
  return verdicts;
}

function ofAnyLog(property: (taken: TakenIn, models: readonly ModelLane[], at: readonly number[]) => void): void {
  fc.assert(
    fc.property(randomLog, cuts, (log, at) => {
      const models = modelsOf(log);
      const taken = takenIn(models, at);
      property(taken, models, at);
      taken.index.close();
    }),
    { numRuns: 100 },
  );
}

describe('any log, in any pages', () => {
  it('holds the events that the rule says, and tells of all else why it does not count', () => {
    ofAnyLog(({ index, admitted }, models) => {
      for (const [lane, { verdicts, events }] of models.entries()) {
        expect(verdictsIn(index, lane, verdicts.length)).toEqual(verdicts);
        expect(index.lane(lane)).toMatchObject({ next: verdicts.length, events: events.length });
        expect(admitted[lane]?.map(({ record }) => record.offset)).toEqual(events.map(({ offset }) => offset));
      }
    });
  });

  it('leaves the same index as in one page', () => {
    ofAnyLog(({ contents }, models) => {
      const whole = takenIn(models, []);
      expect(contents).toEqual(whole.contents);
      whole.index.close();
    });
  });

  it('is counted between any two offsets', () => {
    ofAnyLog(({ index }, models, at) => {
      for (const [lane, { verdicts }] of models.entries()) {
        for (const from of at) {
          for (const to of [...at, verdicts.length]) {
            const offsets = [...verdicts.keys()].slice(from, Math.max(from, to));
            const refused = offsets.filter((offset) => verdicts[offset] !== 'counts');
            expect(index.countIn(lane, from, Math.min(to, verdicts.length))).toBe(
              from < verdicts.length ? offsets.length - refused.length : 0,
            );
            expect([...index.refusedIn(lane, from, to)].sort((a, b) => a - b)).toEqual(refused);
          }
        }
      }
    });
  });

  it('has its streams where they end', () => {
    ofAnyLog(({ index }, models) => {
      for (const name of loggedStreams) {
        const lane = lanes.ofStream(name)?.number ?? 0;
        const events = models[lane]?.of(name) ?? [];
        const last = events.at(-1);
        const known = { name, lane, next: events.length, last: last?.digest, at: last?.offset };
        if (last === undefined) expect(index.stream(name)).toBeNull();
        else expect(index.stream(name)).toMatchObject(known);
      }
    });
  });

  it('has its streams in spans, each event in one', () => {
    ofAnyLog(({ index }, models) => {
      for (const { stream, revision, offset } of models.flatMap(({ events }) => events)) {
        const number = index.stream(stream)?.number ?? 0;
        const [span, ...more] = index.spans(number, revision, revision, 9);
        expect(more).toEqual([]);
        expect(index.spansBackwards(number, revision, revision, 9)).toEqual([span]);
        expect(span?.firstOffset).toBeLessThanOrEqual(offset);
        expect(span?.lastOffset).toBeGreaterThanOrEqual(offset);
        const { firstOffset: first, lastOffset: last } = span ?? {};
        expect(index.offsets(number, offset, offset + 1)).toEqual([{ first, last }]);
      }
    });
  });

  it('has its ids where they are, whatever their order', () => {
    ofAnyLog(({ index }, models) => {
      for (const { stream, id } of models.flatMap(({ events }) => events)) {
        // What icecore writes has an id once in a stream; of what others write, one is found.
        const those = models.flatMap((model) => model.of(stream)).filter((event) => event.id === id);
        const isOfThem = ({ from, to }: { from: number; to: number }): boolean =>
          those.some(({ revision }) => from <= revision && revision <= to);
        const place = index.placeOfId(index.stream(stream)?.number ?? 0, id);
        expect(place).toSatisfy(isOfThem);
        const candidates = index.candidates(id, id, 9).filter((candidate) => candidate.stream === stream);
        expect(candidates.filter(isOfThem)).not.toEqual([]);
      }
    });
  });

  it('has times that never fall along a lane, and a first offset behind any of them', () => {
    ofAnyLog(({ index, admitted }, models) => {
      for (const [lane, { verdicts }] of models.entries()) {
        const blocks = index.blocks(lane, 0, verdicts.length);
        const times = blocks.map(({ time }) => time);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        for (const { record, time } of admitted[lane] ?? [])
          expect(index.blocks(lane, record.offset, record.offset + 1)[0]?.time).toBe(time);
        for (const { time } of blocks) {
          for (const of of lanes.all.map(({ number }) => number).filter((number) => number !== lane)) {
            const behind = index.blocks(of, 0, Number.MAX_SAFE_INTEGER).find((one) => {
              return one.time > time || (one.time === time && of > lane);
            });
            expect(index.firstBehind(of, time, lane)).toBe(behind?.first ?? null);
          }
        }
      }
    });
  });
});
