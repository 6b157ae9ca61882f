// An arm goes on to the end as a run of its own: a fork that shares the history as far as the stage, and is decided upon by
// the arm's engineer from then on. What it comes to is told in the stream of the ablation as well.
import type { RunSettings } from '../../../schemas/run-file.ts';
import { runIdFrom } from '../../ledger/identity/ids.ts';
import { parentAt } from '../by-hand/forking.ts';
import { nameOfForm } from '../contexts/forms.ts';
import { conduct } from '../run/conduct.ts';
import type { RunHistory } from '../run/history.ts';
import { probeHoldout } from '../run/steps/evaluate.ts';
import { decisionIn } from './decided.ts';
import { type Design, replayedIn, settingsIn, type Task } from './design.ts';
import { keptIndex } from './errored.ts';
import type { Entry } from './journal.ts';
import { evaluationIndex, suitesOf } from './train.ts';
import { indexOf, type Working } from './working.ts';

/** The run that an arm is: the same whenever the ablation goes on. */
export function armRunOf({ ablation }: Design, { arm, unit }: Task): string {
  return armRunIn(ablation, arm.arm, unit.unit);
}

/** By the names of the arm and the unit. */
export function armRunIn(ablation: string, arm: string, unit: string): string {
  return runIdFrom([ablation, arm, unit]);
}

/** Throws what the run does. */
export async function goOn(working: Working, task: Task): Promise<readonly Entry[]> {
  const { design } = working;
  const { arm, unit, stage } = task;
  const { history } = replayedIn(design, unit);
  if (arm.engineer === null) return entriesOf(working, task, history, null);
  const run = armRunOf(design, task);
  const station = await working.stationOf(task);
  const { history: came } = await conduct({
    ledger: working.ledger,
    blobs: working.blobs,
    run,
    settings: { ...settingsOfRun(design, task), onError: working.onError ?? 'stop' },
    lab: station.labOf(arm.engineer),
    folder: `${working.folder}/${run}`,
    about: {
      ...working.about,
      parent: await parentAt(working.ledger, history, stage),
      arm: { ablation: design.ablation, arm: arm.arm },
    },
    signal: working.signal,
    ...(working.clock === undefined ? {} : { clock: working.clock }),
    tell: async () => await working.check(),
  });
  return entriesOf(working, task, came, run);
}

function settingsOfRun(design: Design, { arm, unit, stage }: Task): RunSettings {
  const { notes: _, ...settings } = settingsIn(design, unit);
  const { form, engineer } = arm;
  return {
    ...settings,
    engineer: engineer ?? settings.engineer,
    context: form === null ? settings.context : nameOfForm(form),
    name: `${design.name ?? design.ablation}-${wordOf(arm.arm)}-${wordOf(unit.unit)}-${stage}`,
    tags: [`ablation-${design.ablation}`],
  };
}

/** Names of runs are typed. */
function wordOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}.]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
}

/** Every decision from the stage on, and every training and everything that was measured after it. */
function entriesOf({ design }: Working, task: Task, came: RunHistory, run: string | null): readonly Entry[] {
  const { arm, unit, stage } = task;
  const replayed = replayedIn(design, unit);
  const place = { run: replayed.run, index: indexOf(design, task) };
  const of = { arm: arm.arm, unit: unit.unit, ...(run === null ? {} : { armRun: run }) };
  const suites = suitesOf(design, task);
  return came.stages.flatMap((one): Entry[] => {
    const decided = one.stage >= stage ? decisionIn(came, one.stage, arm.identity) : null;
    // What was really done cost the ablation nothing.
    const training = run !== null && one.stage > stage ? one.training : null;
    const evaluations = one.stage > stage ? one.evaluations.filter(({ data }) => data.suite.name !== probeHoldout) : [];
    return [
      ...(decided === null
        ? []
        : [
            {
              ...{ ...place, ...decided, stage: one.stage, data: { ...of, ...decided.data } },
              index: decided.type === 'ArmErrored' ? keptIndex(place.index) : place.index,
            } as Entry,
          ]),
      ...(training === null
        ? []
        : [
            {
              ...{ ...place, stage: one.stage, type: 'ArmTrained', actor: 'producer/training' },
              causes: [{ event: training.id }, ...(training.rollouts ?? [])],
              data: { ...of, ...training.data },
            } as Entry,
          ]),
      ...evaluations.map(
        ({ id, data, rollouts = [] }): Entry => ({
          type: 'ArmEvaluated',
          run: place.run,
          stage: one.stage,
          index: evaluationIndex(place.index, suites.indexOf(data.suite.name)),
          actor: 'producer/evaluation',
          causes: [{ event: id }, ...rollouts],
          data: { ...of, ...data },
        }),
      ),
    ];
  });
}
