// Before any arm is trained, the history's own training is repeated: only if that reproduces the recorded checkpoint
// can trained arms be compared with the history. For a trainer that is not reproducible, the result is reported and
// nothing is refused.

import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { stageAt } from '../history/run-history.ts';
import { required, type StepInput, stageIn } from '../run/session.ts';
import { train as trained } from '../run/steps/train.ts';
import { historyWith } from './arm-history.ts';
import { type Design, type Replayed, recordedArm, type Unit } from './design.ts';
import type { Entry } from './journal.ts';
import { keyOf } from './record.ts';
import { restingOn, sealed, sealIndex, stepInputFor } from './train.ts';
import { indexOf, type Working } from './working.ts';

type Training = EventData['TrainingRecorded'];

/** A training of a history to repeat. */
export interface Repeated {
  /** The index of its history. */
  readonly place: number;
  readonly replayed: Replayed;
  /** The stage that was trained. */
  readonly stage: number;
  readonly recorded: Training;
  /** The unit, if it is also the training of the arm `actual`; null if it only tests reproducibility. */
  readonly own: Unit | null;
}

/** For each decision, the training that followed it; for one without a training yet, the stage before it. */
export function repeatedIn({ design }: Pick<Working, 'design'>): readonly Repeated[] {
  return design.histories.flatMap((replayed, place) => {
    const { history, stages } = replayed;
    const trainedIn = (stage: number): Training | null => stageAt(history, stage)?.training?.data ?? null;
    const wanted = new Map<number, Training>();
    for (const stage of stages) {
      const [next, before] = [trainedIn(stage + 1), trainedIn(stage)];
      if (next !== null) wanted.set(stage + 1, next);
      else if (before !== null && stage > 1) wanted.set(stage, before);
    }
    return Array.from(wanted, ([stage, recorded]) => {
      const own = stages.includes(stage - 1) ? ownUnit(design, place) : null;
      return { place, replayed, stage, recorded, own };
    });
  });
}

/** The unit in which arms train as the history did; null if there is none, or no arm `actual`. */
function ownUnit({ arms, units, histories, budget }: Design, place: number): Unit | null {
  if (budget !== null || arms.every(({ arm }) => arm !== recordedArm)) return null;
  const seed = histories[place]?.settings.seed;
  return units.find((unit) => unit.history === place && String(unit.seed) === String(seed)) ?? null;
}

/**
 * `isAlone` means that no other training runs meanwhile. Returns nothing if it was repeated before. Throws
 * NotReproduced.
 */
export async function repeat(working: Working, repeated: Repeated, isAlone: boolean): Promise<readonly Entry[]> {
  const { journal, about } = working;
  const { replayed, stage, recorded, own } = repeated;
  const unit = own?.unit ?? `${replayed.run} again`;
  if (journal.record.trainings.has(keyOf({ arm: recordedArm, unit, stage }))) return [];
  await working.tell({ kind: 'repeating', run: replayed.run, stage });
  const at = await stepInputOf(working, repeated, isAlone);
  const { data: again, rollouts } = restingOn<Training>(await trained(at, stage, about));
  const [wanted, got] = [recorded.checkpoint?.digest ?? null, again.checkpoint?.digest ?? null];
  const equal = wanted !== null && wanted === got;
  if (!equal && at.lab.trainer.isReproducible) throw new NotReproduced(replayed, stage, recorded, again);
  const index = indexIn(working, repeated);
  return [
    ...sealed(working.design, { stage, index: sealIndex(index, null) }, rollouts),
    {
      ...{ type: 'ArmTrained', run: replayed.run, stage, index, actor: 'producer/training', causes: [...rollouts] },
      data: {
        ...{ ...again, arm: recordedArm, unit },
        ...(wanted === null ? {} : { reproduces: { checkpoint: wanted, equal } }),
      },
    },
  ];
}

/** The input at the start of the stage. */
async function stepInputOf(working: Working, repeated: Repeated, isAlone: boolean): Promise<StepInput> {
  const { place, replayed, stage } = repeated;
  const { history, settings } = replayed;
  const before = required(stageIn(history, stage).started.data.configuration, 'a configuration');
  const unit = required(
    working.design.units.find((one) => one.history === place),
    'a unit',
  );
  const at = await stepInputFor(working, {
    ...{ unit, settings, history: historyWith(history, stage - 1, before) },
    folder: `again-${place}-${stage}`,
    index: indexIn(working, repeated),
  });
  if (!isAlone) return at;
  const station = await working.stationOf({ unit });
  return { ...at, lab: { ...at.lab, trainer: await station.trainer('alone') } };
}

function indexIn({ design }: Working, { place, own }: Repeated): number {
  const arm = design.arms.find((one) => one.arm === recordedArm);
  if (own !== null && arm !== undefined) return indexOf(design, { arm, unit: own });
  return design.units.length * design.arms.length + place;
}

/** Repeating the training gave another result, so that nothing trained here can be compared with the history. */
class NotReproduced extends IcecoreError {
  override readonly name = 'NotReproduced';

  constructor({ run, name }: Replayed, stage: number, recorded: Training, again: Training) {
    const [wanted, got] = [recorded.checkpoint?.digest ?? null, again.checkpoint?.digest ?? null];
    const [then, now] = [codeOf(recorded), codeOf(again)];
    const code = then === now ? `Both were trained by ${now}` : `It was trained by ${then}, here it is ${now}`;
    const named = (digest: string | null): string => (digest === null ? 'no checkpoint' : `${digest.slice(0, 12)}…`);
    super(
      'conflict',
      `stage ${stage} of ${name}, trained again, gives ${named(got)} instead of the recorded ${named(wanted)}`,
      {
        facts: { run, stage, recorded: wanted, again: got, then, now },
        remedy: `${code}. Use the icecore version that made it, or ablate with --depth propose, which trains nothing.`,
      },
    );
  }
}

function codeOf({ measured }: Training): string {
  const code = measured?.['code'] as { version?: string; commit?: string; modified?: boolean } | undefined;
  if (code === undefined) return 'an icecore of unknown version';
  const { version = 'unknown', commit, modified } = code;
  return `icecore ${version}${commit === undefined ? '' : ` at ${commit.slice(0, 7)}${modified === true ? ' with changes' : ''}`}`;
}
