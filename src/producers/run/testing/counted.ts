// The results of a run, independent of its shards and workers: all decisions, and the rollouts that count in order.
// Everything specific to shards and attempts is left out.
import { streamOf } from '../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { lasting } from './run-facts.ts';

type EventFacts = Readonly<Record<string, unknown>>;

export interface Counted {
  readonly decisions: readonly unknown[];
  /** By stage and split. */
  readonly rollouts: Readonly<Record<string, readonly unknown[]>>;
}

export async function countedOf(ledger: Ledger, run: string): Promise<Counted> {
  const decisions: unknown[] = [];
  const rollouts: unknown[] = [];
  for await (const events of ledger.read(streamOf.run(run))) {
    for (const event of events) {
      const { reading } = event;
      if (event.type !== 'RunTakenOver') decisions.push(ofOneShard(lasting(event)));
      if (!reading.known || reading.type !== 'EvidenceSealed') continue;
      for (const attempt of reading.data.attempts) rollouts.push(...(await rolloutsIn(ledger, attempt)));
    }
  }
  const bySplit = Map.groupBy(rollouts as Rollout[], ({ stage, data }) => `${stage} ${data.split}`);
  return { decisions, rollouts: Object.fromEntries(bySplit) };
}

interface Rollout {
  readonly stage: number;
  readonly data: { readonly split: string };
}

async function rolloutsIn(ledger: Ledger, attempt: { stream: string; count: number }): Promise<unknown[]> {
  const rollouts: unknown[] = [];
  for await (const events of ledger.read(attempt.stream, { to: attempt.count - 1 })) {
    rollouts.push(...events.map((event) => ofOneShard(lasting(event))));
  }
  return rollouts;
}

/** As if its stage had one shard, and each shard one attempt. */
function ofOneShard(facts: object): unknown {
  const { type, stream: _, revision: __, causes, data, ...events } = facts as EventFacts;
  const cited = (causes as readonly object[]).filter((cause) => !('stream' in cause));
  const rest = { ...events, causes: cited };
  const { shards: ___, attempts: ____, options, ...content } = data as EventFacts;
  const { shards: _____, ...settings } = (options ?? {}) as EventFacts;
  const place = type === 'RunStarted' ? { data: { ...content, options: settings } } : { data: content };
  return JSON.parse(JSON.stringify({ type, ...rest, ...place }).replaceAll(rolloutId, firstAttempt));
}

/** The identity of a rollout or a failure: its prefix and its index. */
const rolloutId = /([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-1[45])([0-9a-f]{10})/g;
const idsOfAnAttempt = 2 ** 30;

function firstAttempt(_: string, before: string, index: string): string {
  return before + (Number.parseInt(index, 16) % idsOfAnAttempt).toString(16).padStart(10, '0');
}
