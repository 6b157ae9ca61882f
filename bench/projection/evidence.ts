// Gathers the evidence of a stage like the loop: several attempts at the probe tasks, then some training tasks; appended in batches and never
// held in memory.
import type { NewEvent, NewEventOf } from '../../schemas/index.ts';
import { streamOf } from '../../schemas/streams.ts';
import type { Task } from '../../src/lab/environments/environment.ts';
import { Random } from '../../src/lab/random.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { AttemptTree, type SealedAttempt } from '../../src/ledger/seal/attempt.ts';
import type { Place } from '../../src/producers/evidence/attempt.ts';
import { RolloutEvents } from '../../src/producers/evidence/rollout-events.ts';
import type { Clock } from './clock.ts';
import { type Player, play } from './player.ts';
import type { Sums } from './sums.ts';

export interface Gathering {
  readonly ledger: Ledger;
  readonly place: Place;
  readonly player: Player;
  readonly clock: Clock;
  readonly seed: string;
  readonly probe: readonly Task[];
  readonly samples: number;
  readonly train: readonly Task[];
  /** Stops after this number of rollouts, as if it had been killed. */
  readonly most: number;
  /** The sums that its rollouts are added to. */
  readonly sums: Sums | null;
}

const batch = 1000;
/** Separates the ids of attempts. */
const idsOfAnAttempt = 2 ** 30;
const betweenEvents = 2;

export interface Gathered {
  readonly rollouts: number;
  seal(): Promise<SealedAttempt>;
}

export async function gather(gathering: Gathering): Promise<Gathered> {
  const { ledger, place, sums, most } = gathering;
  const stream = streamOf.evidence(place.run, place.stage, place.part, place.attempt);
  const tree = new AttemptTree(ledger, stream);
  let waiting: NewEvent[] = [];
  let rollouts = 0;
  const append = async (): Promise<void> => {
    if (waiting.length > 0) tree.appended(await ledger.append(stream, waiting, { expect: 'any' }));
    waiting = [];
  };
  for (const events of eventsOf(gathering)) {
    if (rollouts === most) break;
    rollouts += 1;
    const [rollout, failure] = events;
    sums?.add(rollout as NewEventOf<'RolloutRecorded'>, (failure as NewEventOf<'FailureRecorded'>) ?? null);
    waiting.push(...events);
    if (waiting.length >= batch) await append();
  }
  await append();
  return { rollouts, seal: () => tree.seal() };
}

function* eventsOf(gathering: Gathering): Generator<readonly NewEvent[]> {
  const { place, player, clock, seed, probe, samples, train } = gathering;
  const random = new Random(seed, 'evidence', place.attempt);
  const eventsFor = (split: 'probe' | 'train', begin: number): RolloutEvents =>
    new RolloutEvents(
      {
        run: place.run,
        stage: place.stage,
        environment: 'lake',
        split,
        policy: player,
        actor: 'producer/rollouts',
        now: () => clock.after(betweenEvents),
      },
      begin,
    );
  const probed = eventsFor('probe', place.attempt * idsOfAnAttempt);
  for (const task of probe) {
    for (let sample = 0; sample < samples; sample++) yield probed.of(play(player, task, sample, false, random))(0);
  }
  const trained = eventsFor('train', probed.next);
  for (const task of train) yield trained.of(play(player, task, 0, false, random))(0);
}
