// Before any arm is trained, what the history trained is trained again: only where the same comes of it can arms be held
// against what was. Where a trainer does not promise that, what came is reported and nothing is refused.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { stageIn } from '../run/at.ts';
import { train as trained } from '../run/steps/train.ts';
import { historyUntil, historyWith } from './arm-history.ts';
import { type Replayed, recordedArm, type Unit } from './design.ts';
import type { Entry } from './journal.ts';
import { keyOf } from './record.ts';
import { atFor } from './train.ts';
import { indexOf, type Working } from './working.ts';

type Training = EventData['TrainingRecorded'];

/** A training of a history that is to be repeated. */
export interface Repeated {
  readonly place: number;
  readonly replayed: Replayed;
  /** The stage that was trained. */
  readonly stage: number;
  readonly recorded: Training;
  /** The unit of the history's own seed, at its own budget; null where no arm is in one. */
  readonly own: Unit | null;
}

/** Of each decision what it was trained on then; of one that nothing was trained on yet, the stage before it. */
export function repeatedIn({ design }: Pick<Working, 'design'>): readonly Repeated[] {
  return design.histories.flatMap((replayed, place) => {
    const { history, settings, stages } = replayed;
    const own =
      design.budget === null
        ? (design.units.find((unit) => unit.history === place && String(unit.seed) === String(settings.seed)) ?? null)
        : null;
    const trainedIn = (stage: number): Training | null =>
      history.stages.find((one) => one.stage === stage)?.training?.data ?? null;
    const wanted = new Map<number, Training>();
    for (const stage of stages) {
      const [next, before] = [trainedIn(stage + 1), trainedIn(stage)];
      if (next !== null) wanted.set(stage + 1, next);
      else if (before !== null && stage > 1) wanted.set(stage, before);
    }
    return Array.from(wanted, ([stage, recorded]) => ({ place, replayed, stage, recorded, own }));
  });
}

/** Null where it was repeated before. Throws NotReproduced. */
export async function repeat(
  working: Working,
  { place, replayed, stage, recorded, own }: Repeated,
): Promise<Entry | null> {
  const { design, journal, about } = working;
  const arm = design.arms.find((one) => one.arm === recordedArm) ?? null;
  const isOfArm = arm !== null && own !== null && replayed.stages.includes(stage - 1);
  const unit = isOfArm ? own.unit : null;
  const key = keyOf({ arm: recordedArm, unit: unit ?? `${replayed.run} again`, stage });
  if (journal.record.trainings.has(key)) return null;
  await working.tell({ kind: 'repeating', run: replayed.run, stage });
  const before = stageIn(replayed.history, stage).started.data.configuration;
  if (before === undefined) return null;
  const history = historyWith(historyUntil(replayed.history, stage - 1), stage - 1, before);
  const some = { arm: arm ?? design.arms[0], unit: own ?? design.units[0], stage: stage - 1 };
  if (some.arm === undefined || some.unit === undefined) return null;
  const at = await atFor(working, { arm: some.arm, unit: some.unit, stage: stage - 1 }, history);
  const { lab } = at;
  const { data } = await trained({ ...at, settings: replayed.settings, run: replayed.run }, stage, about);
  const again = data as Training;
  const wanted = recorded.checkpoint?.digest ?? null;
  const got = again.checkpoint?.digest ?? null;
  const isEqual = wanted !== null && wanted === got;
  if (!isEqual && lab.trainer.isReproducible) throw new NotReproduced(replayed, stage, recorded, again);
  return {
    type: 'ArmTrained',
    run: replayed.run,
    stage,
    index:
      isOfArm && arm !== null ? indexOf(design, { arm, unit: own }) : design.units.length * design.arms.length + place,
    actor: 'producer/training',
    data: {
      ...again,
      arm: recordedArm,
      unit: unit ?? `${replayed.run} again`,
      ...(wanted === null ? {} : { reproduces: { checkpoint: wanted, equal: isEqual } }),
    },
  };
}

/** Training again gave something else: nothing that is trained here can be held against what was. */
export class NotReproduced extends IcecoreError {
  override readonly name = 'NotReproduced';

  constructor({ run, name }: Replayed, stage: number, recorded: Training, again: Training) {
    const [wanted, got] = [recorded.checkpoint?.digest ?? null, again.checkpoint?.digest ?? null];
    const [then, now] = [codeOf(recorded), codeOf(again)];
    const code = then === now ? `Both were trained by ${now}` : `It was trained by ${then}, here it is ${now}`;
    const named = (digest: string | null): string => (digest === null ? 'no checkpoint' : `${digest.slice(0, 12)}…`);
    super(
      'conflict',
      `stage ${stage} of ${name}, trained again, gives ${named(got)}, and ${named(wanted)} is recorded`,
      {
        facts: { run, stage, recorded: wanted, again: got, then, now },
        remedy: `${code}. Take the icecore that made it, or ablate at --depth propose, which trains nothing.`,
      },
    );
  }
}

function codeOf({ measured }: Training): string {
  const code = measured?.['code'] as { version?: string; commit?: string; modified?: boolean } | undefined;
  if (code === undefined) return 'an icecore that did not say which';
  const { version = 'unknown', commit, modified } = code;
  return `icecore ${version}${commit === undefined ? '' : ` at ${commit.slice(0, 7)}${modified === true ? ' with changes' : ''}`}`;
}
