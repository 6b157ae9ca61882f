// What came of single tasks, from the rollouts of a stage: looked through only where pairs of tasks are wanted, for there may
// be very many.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Rate } from '../../../schemas/run-output.ts';
import { isShard, parseStream, streamOf } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { partNamed } from '../../producers/evidence/parts.ts';
import { unknownRate } from '../../producers/history/figures.ts';
import { ShardLeases } from '../../producers/run/shards/leases.ts';
import { type Entrant, type Point, stageAt } from './entrants.ts';

interface Tried {
  readonly family: string | null;
  /** Of how many of the tries it was so. */
  count: number;
  /** Tries that could be judged. */
  of: number;
}

/** By task. */
export type Tally = ReadonlyMap<string, Tried>;

interface Attempt {
  readonly stream: string;
  readonly count: number;
}

/** Of the evaluation itself where it recorded its rollouts, and otherwise of the shards. */
export async function attemptsOf(
  ledger: Ledger,
  entrant: Entrant,
  point: Point,
  suite: string,
): Promise<{ readonly attempts: readonly Attempt[]; readonly isOfSuite: boolean }> {
  const all = await allAttempts(ledger, entrant, point);
  const own = all.filter(({ stream }) => partIn(stream) === partNamed(suite));
  if (own.length > 0) return { attempts: own, isOfSuite: true };
  return { attempts: all.filter(({ stream }) => isShard(partIn(stream))), isOfSuite: false };
}

function partIn(stream: string): string {
  const name = parseStream(stream);
  return name?.category === 'evidence' ? name.part : '';
}

/** Those that a seal names; where nothing is sealed, what was reported of each part, or else its last attempt. */
async function allAttempts(ledger: Ledger, { read }: Entrant, point: Point): Promise<readonly Attempt[]> {
  const stage = stageAt(read, point);
  if (stage === null) return [];
  if (stage.sealed !== null) return stage.sealed.data.attempts;
  const board = new ShardLeases(ledger, read.run);
  await board.read();
  const last = new Map<string, Attempt & { readonly attempt: number }>();
  for await (const ends of ledger.streams(`evidence-${read.run}-${stage.stage}-`)) {
    for (const { stream, revision } of ends) {
      const name = parseStream(stream);
      if (name?.category !== 'evidence' || name.run !== read.run || name.stage !== stage.stage) continue;
      const { part, attempt } = name;
      if ((last.get(part)?.attempt ?? -1) < attempt) last.set(part, { stream, count: revision + 1, attempt });
    }
  }
  return Array.from(last).flatMap(([part, newest]) => {
    const finished = board.finishedAt(stage.stage, part);
    if (finished.length === 0) return [newest];
    return finished.map(({ attempt, counting }) => ({
      stream: streamOf.evidence(read.run, stage.stage, part, attempt),
      count: counting,
    }));
  });
}

/** The number of places of an attempt that are read to find its splits. */
const peeks = 12;

/** Whether there seem to be rollouts of a split, without looking through all of them. */
export async function seemsToHold(ledger: Ledger, attempts: readonly Attempt[], split: string): Promise<boolean> {
  for (const { stream, count } of attempts) {
    for (let i = 0; i < peeks; i++) {
      const from = Math.floor((i * Math.max(0, count - 1)) / (peeks - 1));
      for await (const events of ledger.read(stream, { from, limit: 2 })) {
        if (events.some((event) => rolloutIn(event, split) !== null)) return true;
      }
    }
  }
  return false;
}

/** Events of a stream, from one to another. */
export interface Span {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

export function wholeOf({ stream, count }: Attempt): Span {
  return { stream, from: 0, to: count - 1 };
}

/** How tasks of a split came out. A task without an identity cannot be found again, and is left out. */
export async function tallyOf(ledger: Ledger, spans: readonly Span[], split: string, measure: string): Promise<Tally> {
  const tally = new Map<string, Tried>();
  for (const { stream, from, to } of spans) {
    for await (const events of ledger.read(stream, { from, to })) {
      for (const event of events) {
        const rollout = rolloutIn(event, split);
        const task = rollout?.task?.digest ?? rollout?.task?.id;
        if (rollout === null || task === undefined) continue;
        const is = outcomeOf(rollout, measure);
        if (is === null) continue;
        const tried = tally.get(task) ?? { family: rollout.family ?? null, count: 0, of: 0 };
        tried.of += 1;
        tried.count += is;
        tally.set(task, tried);
      }
    }
  }
  return tally;
}

/** Several added up, task by task. */
export function tallied(tallies: readonly Tally[]): Tally {
  const sum = new Map<string, Tried>();
  for (const tally of tallies) {
    for (const [task, { family, count, of }] of tally) {
      const tried = getOrCreate(sum, task, () => ({ family, count: 0, of: 0 }));
      tried.count += count;
      tried.of += of;
    }
  }
  return sum;
}

type Rollout = EventData['RolloutRecorded'];

/** Of the split; most of the others are passed over without being parsed. */
function rolloutIn(event: StoredEvent, split: string): Rollout | null {
  if (event.type !== 'RolloutRecorded' || !event.body.includes(`"split":"${split}"`)) return null;
  const { reading } = event;
  return reading.known && reading.type === 'RolloutRecorded' && reading.data.split === split ? reading.data : null;
}

/** Null where nothing can be said; what failed is not as good as can be, whether or not that was said. */
function outcomeOf({ success, error, metrics = {} }: Rollout, measure: string): number | null {
  if (error !== undefined || success === undefined) return null;
  if (measure === 'valid') return Number(success);
  const value = metrics[measure];
  if (typeof value === 'number') return value;
  return success ? null : 0;
}

/** Of a family, or of all. Tries at one task are alike: how sure it is follows from the number of tasks. */
export function rateIn(tally: Tally, family: string | null = null): Rate {
  const tried = [...tally.values()].filter((one) => family === null || one.family === family);
  const count = tried.reduce((sum, one) => sum + one.count, 0);
  const of = tried.reduce((sum, one) => sum + one.of, 0);
  if (of === 0) return { ...unknownRate };
  const tries = of / tried.length;
  return { value: count / of, count, of, ...wilson(count / tries, of / tries) };
}
