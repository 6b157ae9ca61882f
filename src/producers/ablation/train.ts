// Trains an arm for one stage on its decision, from the recorded checkpoint with the recorded budget and seed, and
// evaluates it; at depth run the arm continues to the last stage as a run of its own. Equal decisions are trained once
// if training is deterministic.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { runIdFrom } from '../../ledger/identity/ids.ts';
import { parentAt } from '../by-hand/forking.ts';
import { nameOfForm } from '../contexts/forms.ts';
import { armOwner } from '../evidence/parts.ts';
import type { RolloutSpan, RunHistory } from '../history/run-history.ts';
import type { Decision } from '../run/journal.ts';
import { orchestrate } from '../run/orchestrate.ts';
import { required, type StepInput, stageIn } from '../run/session.ts';
import { evaluate as evaluated, probeHoldout, validation } from '../run/steps/evaluate.ts';
import { train as trained } from '../run/steps/train.ts';
import { decisionIn } from './actual-decision.ts';
import { historyTrained, historyWith } from './arm-history.ts';
import { type Design, replayedIn, settingsIn, type Task, type Unit } from './design.ts';
import { keptIndex } from './errored.ts';
import type { Entry } from './journal.ts';
import { keyOf, type OfArm } from './record.ts';
import { ablationActor, indexOf, type Working } from './working.ts';

type Training = EventData['TrainingRecorded'];
type Evaluation = EventData['EvaluationRecorded'];

/** The configuration an arm trains on: its proposal, or the current one if there was no usable proposal. */
export function configurationOf(working: Working, task: Task): EventData['ConfigAdopted']['configuration'] {
  const proposal = working.journal.record.proposals.get(decidedAt(task));
  if (proposal !== undefined) return proposal.data.configuration;
  const { started } = stageIn(replayedIn(working.design, task.unit).history, task.stage);
  return required(started.data.configuration, 'a configuration');
}

/** The key of an arm's decision. */
export function decidedAt({ arm, unit, stage }: Task): string {
  return keyOf({ arm: arm.arm, unit: unit.unit, stage });
}

/** The key of its training. */
export function trainedAt(task: Task): string {
  return decidedAt({ ...task, stage: task.stage + 1 });
}

/** The training of another arm with the same configuration, which counts for this one as well. */
function twinOf({ journal, design }: Working, task: Task, digest: string): OfArm<'ArmTrained'> | null {
  for (const arm of design.arms) {
    const training = journal.record.trainings.get(trainedAt({ ...task, arm }));
    if (training?.data.configuration === digest) return training;
  }
  return null;
}

/** Trains an arm and returns the seal of its rollouts followed by the training. */
export async function train(working: Working, task: Task): Promise<readonly Entry[]> {
  const { design } = working;
  const replayed = replayedIn(design, task.unit);
  const configuration = configurationOf(working, task);
  const { isReproducible } = await (await working.stationOf(task)).trainer();
  const twin = isReproducible ? twinOf(working, task, configuration.digest) : null;
  const { data, rollouts } = twin === null ? await trainedOn(working, task, configuration) : sharedBy(twin);
  const decided = required(decisionOf(working, task), 'what the arm decided');
  const stage = task.stage + 1;
  const index = indexOf(design, task);
  return [
    ...(twin === null ? sealed(design, { stage, index: sealIndex(index, null) }, rollouts) : []),
    {
      ...{ type: 'ArmTrained', run: replayed.run, stage, index, actor: 'producer/training' },
      causes: [{ event: decided }, ...rollouts],
      data: { ...data, arm: task.arm.arm, unit: task.unit.unit },
    },
  ];
}

/** The seal of an arm's rollouts; none if nothing was recorded. */
export function sealed(
  { ablation }: Design,
  at: { readonly stage: number; readonly index: number },
  rollouts: readonly RolloutSpan[],
): readonly Entry[] {
  if (rollouts.length === 0) return [];
  const attempts = rollouts.map(({ stream, to, root }) => ({ stream, count: to + 1, root }));
  return [{ type: 'EvidenceSealed', run: ablation, ...at, actor: ablationActor, data: { attempts } }];
}

function decisionOf({ journal: { record } }: Working, task: Task): string | null {
  const key = decidedAt(task);
  return (record.proposals.get(key) ?? record.rejections.get(key))?.id ?? null;
}

/** The training of another arm, at no cost here. */
function sharedBy({
  data: { arm, unit: _, reproduces: __, ...data },
  rollouts = [],
}: OfArm<'ArmTrained'>): WithRollouts<Training> {
  return { data: { ...data, measured: { sharedWith: arm } }, rollouts };
}

/** A recorded result and the rollouts it is based on. */
interface WithRollouts<Data> {
  readonly data: Data;
  readonly rollouts: readonly RolloutSpan[];
}

export function restingOn<Data>({ data, causes = [] }: Decision): WithRollouts<Data> {
  return { data: data as Data, rollouts: causes.filter((cause) => 'stream' in cause) };
}

async function trainedOn(
  working: Working,
  task: Task,
  configuration: EventData['ConfigAdopted']['configuration'],
): Promise<WithRollouts<Training>> {
  const { design, about } = working;
  const history = historyWith(replayedIn(design, task.unit).history, task.stage, configuration);
  const at = await stepInputFor(working, { ...placeFor(working, task), history });
  return restingOn(await trained(at, task.stage + 1, about));
}

/** The parts of a step's input that depend on the training. */
interface Place extends Pick<StepInput, 'history' | 'settings'> {
  readonly unit: Unit;
  /** Separate for each concurrent training. */
  readonly folder: string;
  /** Unique among everything recorded in the same stage. */
  readonly index: number;
}

/** The input of a single step of a run in which no engineer is asked. */
export async function stepInputFor(
  working: Working,
  { unit, history, settings, folder, index }: Place,
): Promise<StepInput> {
  const { design, ledger, blobs, check, reports, signal } = working;
  const station = await working.stationOf({ unit });
  return {
    run: replayedIn(design, unit).run,
    ...{ settings, history, lab: station.labOf(null, await station.trainer()), ledger, blobs },
    folder: join(working.folder, folder),
    ...{ check, reports, signal, evidence: armOwner(design.ablation, index) },
    tell: async () => {},
  };
}

function placeFor({ design }: Working, task: Task): Omit<Place, 'history'> {
  const { unit, stage } = task;
  const index = indexOf(design, task);
  return { unit, settings: settingsIn(design, unit), folder: `${index}-${stage}`, index };
}

/** The suites an arm is evaluated on after training: those that measure its quality, not those that score engineers. */
export function suitesOf(design: Design, { unit }: Pick<Task, 'unit'>): readonly string[] {
  return [validation, ...replayedIn(design, unit).settings.suites];
}

/** Evaluates an arm and returns the seal of its rollouts followed by the evaluation. */
export async function evaluate(working: Working, task: Task, suite: string): Promise<readonly Entry[]> {
  const { design, journal } = working;
  const replayed = replayedIn(design, task.unit);
  const training = required(journal.record.trainings.get(trainedAt(task)), 'training');
  const { arm: _, unit: __, reproduces: ___, ...trained } = training.data;
  const { isReproducible } = await (await working.stationOf(task)).trainer();
  const twin = isReproducible ? evaluatedTwin(working, task, suite) : null;
  const { data, rollouts } = twin ?? (await measured(working, task, suite, trained));
  const stage = task.stage + 1;
  const ofArm = indexOf(design, task);
  const place = suitesOf(design, task).indexOf(suite);
  return [
    ...(twin === null ? sealed(design, { stage, index: sealIndex(ofArm, place) }, rollouts) : []),
    {
      ...{ type: 'ArmEvaluated', run: replayed.run, stage, index: evaluationIndex(ofArm, place) },
      actor: 'producer/evaluation',
      causes: [{ event: training.id }, ...rollouts],
      data: { ...data, arm: task.arm.arm, unit: task.unit.unit },
    },
  ];
}

/** The maximum number of evaluations of an arm, one for each suite. */
const mostSuites = 2 ** 12;

function evaluationIndex(ofArm: number, suite: number): number {
  return ofArm * mostSuites + suite;
}

/** The index of the seal of a training (suite null) or of an evaluation. */
export function sealIndex(ofArm: number, suite: number | null): number {
  return evaluationIndex(ofArm, suite === null ? 0 : suite + 1);
}

/** The evaluation of the same checkpoint on the same suite. */
function evaluatedTwin({ journal, design }: Working, task: Task, suite: string): WithRollouts<Evaluation> | null {
  const { record } = journal;
  const own = record.trainings.get(trainedAt(task))?.data.checkpoint;
  for (const arm of design.arms) {
    const key = trainedAt({ ...task, arm });
    const theirs = record.trainings.get(key)?.data.checkpoint;
    if (own === undefined || own === null || !isDeepStrictEqual(own, theirs)) continue;
    const found = record.evaluations.get(key)?.find(({ data }) => data.suite.name === suite);
    if (found === undefined) continue;
    const { arm: _, unit: __, armRun: ___, ...data } = found.data;
    return { data, rollouts: found.rollouts ?? [] };
  }
  return null;
}

async function measured(
  working: Working,
  task: Task,
  suite: string,
  training: Training,
): Promise<WithRollouts<Evaluation>> {
  const { history } = replayedIn(working.design, task.unit);
  const begun = historyWith(history, task.stage, configurationOf(working, task));
  const at = await stepInputFor(working, {
    ...placeFor(working, task),
    history: historyTrained(begun, task.stage, training),
  });
  return restingOn(await evaluated(at, task.stage + 1, suite));
}

/** The run of an arm: the same each time the ablation resumes. */
function armRunOf({ ablation }: Design, { arm, unit }: Task): string {
  return armRunIn(ablation, arm.arm, unit.unit);
}

/** By the names of the arm and the unit. */
export function armRunIn(ablation: string, arm: string, unit: string): string {
  return runIdFrom([ablation, arm, unit]);
}

/** Throws the errors of the run. */
export async function continueAsRun(working: Working, task: Task): Promise<readonly Entry[]> {
  const { design } = working;
  const { arm, unit, stage } = task;
  const { history } = replayedIn(design, unit);
  if (arm.engineer === null) return entriesOf(working, task, history, null);
  const run = armRunOf(design, task);
  const station = await working.stationOf(task);
  const { history: came } = await orchestrate({
    ledger: working.ledger,
    blobs: working.blobs,
    run,
    settings: { ...settingsOfRun(design, task), onError: working.onError ?? 'stop' },
    lab: station.labOf(arm.engineer, await station.trainer()),
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

/** Names of runs must be easy to type. */
function wordOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}.]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
}

/** All decisions from the stage on, with their trainings and evaluations. */
function entriesOf({ design }: Working, task: Task, came: RunHistory, run: string | null): readonly Entry[] {
  const { arm, unit, stage } = task;
  const replayed = replayedIn(design, unit);
  const place = { run: replayed.run, index: indexOf(design, task) };
  const of = { arm: arm.arm, unit: unit.unit, ...(run === null ? {} : { armRun: run }) };
  const suites = suitesOf(design, task);
  return came.stages.flatMap((one): Entry[] => {
    const decided = one.stage >= stage ? decisionIn(came, one.stage, arm.identity) : null;
    // The actual trainings cost the ablation nothing.
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
