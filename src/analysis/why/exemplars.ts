// The rollouts that stand for many, each with how it failed and what it looked like then. A drawing that was recorded is
// shown as it was; where there is none, the environment draws again, if it is one that is known here.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { WhyExemplar } from '../../../schemas/why-output.ts';
import type { Drawer, Named } from './drawing.ts';
import type { Events } from './events.ts';
import type { TextOf } from './told.ts';

type Rollout = EventData['RolloutRecorded'];
type Failure = EventData['FailureRecorded'];

export interface Looking {
  readonly events: Events;
  readonly textOf: TextOf;
  readonly drawer: Drawer;
}

export async function exemplarSeen(named: Named, looking: Looking): Promise<WhyExemplar> {
  const { events } = looking;
  const { evidenceId, rollout: id, failure: failureId } = named;
  const [stored, rollout] = [await events.at(id), await events.dataOf(id, 'RolloutRecorded')];
  const failure = failureId === undefined ? null : await events.dataOf(failureId, 'FailureRecorded');
  const drawing = await drawingOf(named, rollout, failure, looking);
  const [first] = failure?.failures ?? [];
  return {
    evidenceId,
    family: named.family ?? rollout?.family ?? null,
    class: named.class ?? rollout?.failureClass ?? first?.class ?? null,
    says: named.description ?? first?.message ?? null,
    rollout: await events.placed(id),
    failure: failureId === undefined ? null : await events.placed(failureId),
    stage: stored?.envelope.stage ?? null,
    split: rollout?.split ?? null,
    outcome: rollout?.outcome ?? null,
    failures: failuresIn(failure),
    ...drawing,
    note: await missingOf(stored === null, rollout, looking),
  };
}

function failuresIn(failure: Failure | null): WhyExemplar['failures'] {
  return (failure?.failures ?? []).map((one) => ({
    class: one.class,
    step: one.step ?? null,
    says: one.message ?? null,
  }));
}

async function drawingOf(
  named: Named,
  rollout: Rollout | null,
  failure: Failure | null,
  { drawer }: Looking,
): Promise<Pick<WhyExemplar, 'drawing' | 'drawn'>> {
  if (named.drawing !== undefined) return { drawing: named.drawing, drawn: 'recorded' };
  const drawing = rollout === null ? null : await drawer.draw(named, rollout, failure);
  return drawing === null ? { drawing: null, drawn: null } : { drawing, drawn: 'again' };
}

/** Null where nothing is. */
async function missingOf(
  isGone: boolean,
  rollout: Rollout | null,
  { events, textOf }: Looking,
): Promise<string | null> {
  if (isGone) return events.canFind ? 'its rollout is not in this ledger' : 'this ledger finds no event by its id';
  if (rollout === null) return 'its rollout is one that this icecore cannot read';
  const { completion } = rollout;
  const isErased = completion !== undefined && (await textOf(completion)) === null;
  return isErased ? 'what the policy answered was erased, or its blob is missing' : null;
}
