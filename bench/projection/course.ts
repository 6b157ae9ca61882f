// One run of a generated history, to its end or to where it is stopped: the steps of the loop with the loop's own code; only training, playing
// and the clock are simulated.
import type { EventData } from '../../schemas/index.ts';
import type { RunSettings } from '../../schemas/run-file.ts';
import { evaluate, type Subject } from '../../src/lab/evaluation/evaluate.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { Reports } from '../../src/producers/evidence/reported.ts';
import type { Parent } from '../../src/producers/history/run-history.ts';
import type { Decision } from '../../src/producers/run/journal.ts';
import { poolSeed, seedOf } from '../../src/producers/run/pools.ts';
import { type Lab, required, type StepInput, stageIn } from '../../src/producers/run/session.ts';
import {
  adoptFirst,
  complete,
  completeStage,
  runActor,
  start,
  startStage,
} from '../../src/producers/run/steps/bounds.ts';
import { probeHoldout, validation } from '../../src/producers/run/steps/evaluate.ts';
import { adopt, propose, show } from '../../src/producers/run/steps/propose.ts';
import { summarise } from '../../src/producers/run/steps/summarise.ts';
import type { Clock } from './clock.ts';
import { type Gathered, gather } from './evidence.ts';
import { asPolicy, type Player } from './player.ts';
import type { Pools } from './pools.ts';
import type { Scribe } from './scribe.ts';
import { Skill } from './skill.ts';
import { Sums } from './sums.ts';
import { trainingOf } from './training.ts';

const samplesProbeHoldout = 2;
const notedEvery = 5;

export interface Course {
  readonly ledger: Ledger;
  readonly run: string;
  readonly settings: RunSettings;
  readonly lab: Lab;
  readonly pools: Pools;
  readonly scribe: Scribe;
  readonly clock: Clock;
  readonly parent: Parent | null;
  /** An attempt at the evidence of this stage starts, is lost, and is repeated. */
  readonly losesAttemptIn: number;
  /** The remaining number of rollouts. */
  readonly quota: { left: number };
}

/** False if no rollouts were left and the run is in the middle of a stage. */
export async function follow(course: Course): Promise<boolean> {
  const { settings, lab, scribe, parent } = course;
  await scribe.claim(1, 60);
  await scribe.decide(start({ settings, lab }, { code: { version: '0.1.0' }, ...(parent === null ? {} : { parent }) }));
  if (parent === null) await scribe.decide(adoptFirst({ settings, lab }));
  else await decided(course, parent.stage);
  const skill = new Skill(lab.environment.descriptor.families.map(({ family }) => family));
  for (let stage = 1; stage <= (parent?.stage ?? 0); stage++) learn(course, stage, skill);
  for (let stage = (parent?.stage ?? 0) + 1; stage <= settings.stages; stage++) {
    if (!(await stageOf(course, stage, skill))) return false;
  }
  await scribe.decide(complete({ history: scribe.history }));
  await scribe.claim(1, 0);
  return true;
}

async function stageOf(course: Course, stage: number, skill: Skill): Promise<boolean> {
  const { settings, scribe } = course;
  await scribe.decide(startStage(positionOf(course), stage));
  const player = await trained(course, stage, skill);
  for (const name of [validation, probeHoldout, ...settings.suites]) {
    await scribe.decide(await evaluated(course, stage, name, player), 1);
  }
  if (!(await evidence(course, stage, player))) return false;
  await scribe.decide(completeStage({ history: scribe.history }, stage));
  if (stage % notedEvery === 0) await scribe.note(stage, 'Look at the larger lakes: they hardly move.');
  if (stage < settings.stages) await decided(course, stage);
  return true;
}

function learn({ scribe, settings }: Course, stage: number, skill: Skill): EventData['ConfigAdopted']['configuration'] {
  const configuration = required(stageIn(scribe.history, stage).started.data.configuration, 'a configuration');
  skill.train(configuration, seedOf(settings.seed, 'skill', stage));
  return configuration;
}

async function trained(course: Course, stage: number, skill: Skill): Promise<Player> {
  const { run, settings, lab, scribe, pools } = course;
  const configuration = learn(course, stage, skill);
  const { started } = stageIn(scribe.history, stage);
  const data = trainingOf({
    run,
    stage,
    configuration,
    families: lab.environment.descriptor.families.map(({ family }) => family),
    from: started.data.checkpoint ?? null,
    seed: seedOf(settings.seed, 'train', stage),
    skill,
    components: { trainer: lab.trainer.component, policy: lab.learner.component },
  });
  const causes = [{ event: started.id }];
  await scribe.decide({ type: 'TrainingRecorded', stage, index: 0, actor: 'producer/training', causes, data }, 240);
  return { component: lab.learner.component, checkpoint: data.checkpoint ?? null, attempts: pools.attempts, skill };
}

async function evaluated(course: Course, stage: number, name: string, player: Player): Promise<Decision> {
  const { settings, lab, scribe, pools } = course;
  const { training, evaluations } = stageIn(scribe.history, stage);
  const isPlayed = name === probeHoldout;
  const rollouts = evaluate(lab.environment, asPolicy(player), {
    ...subjectOf(pools, settings, name),
    samples: isPlayed ? samplesProbeHoldout : 1,
    greedy: !isPlayed,
    seed: seedOf(settings.seed, `evaluate ${name}`, stage),
  });
  for (;;) {
    const next = await rollouts.next();
    if (next.done !== true) continue;
    const causes = [{ event: required(training, 'training').id }];
    const index = evaluations.length;
    return { type: 'EvaluationRecorded', stage, index, actor: 'producer/evaluation', causes, data: next.value };
  }
}

function subjectOf({ validation: tasks, probeHoldout: hidden }: Pools, settings: RunSettings, name: string): Subject {
  if (name === validation) {
    return { tasks: { name, split: validation, tasks, parameters: { count: settings.validation, seed: poolSeed } } };
  }
  if (name === probeHoldout) {
    return {
      tasks: { name, split: probeHoldout, tasks: hidden, parameters: { perCell: settings.perCell, seed: poolSeed } },
    };
  }
  return { suites: [name] };
}

/** False if there are not enough rollouts left for a whole stage: its evidence is not sealed. */
async function evidence(course: Course, stage: number, player: Player): Promise<boolean> {
  const { ledger, run, settings, lab, pools, scribe, clock, quota, losesAttemptIn } = course;
  const { training, started } = stageIn(scribe.history, stage);
  const whole = perStage(pools, settings);
  const gathered = async (attempt: number, most: number, sums: Sums | null): Promise<Gathered> => {
    const made = await gather({
      ledger,
      place: { run, stage, part: 0, attempt },
      player,
      clock,
      seed: seedOf(settings.seed, 'evidence', stage),
      probe: pools.probe,
      samples: settings.samples,
      train: pools.trainedOn(required(started.data.configuration, 'a configuration'), settings, stage),
      most,
      sums,
    });
    quota.left -= made.rollouts;
    return made;
  };
  const lost = stage === losesAttemptIn ? Math.floor(whole / 4) : 0;
  if (quota.left <= whole + lost) {
    await gathered(0, quota.left, null);
    return false;
  }
  if (lost > 0) await gathered(0, lost, null);
  const sums = new Sums(lab.environment);
  const sealed = await (await gathered(lost > 0 ? 1 : 0, whole, sums)).seal();
  const causes = [{ event: required(training, 'training').id }];
  const data = { attempts: [sealed] };
  await scribe.decide({ type: 'EvidenceSealed', stage, index: 0, actor: runActor, causes, data });
  const seal = required(stageIn(scribe.history, stage).sealed, 'evidence');
  for (const [index, summary] of (await sums.summaries(scribe.history, stage)).entries()) {
    const from = { actor: 'producer/summaries', causes: [{ event: seal.id }] };
    await scribe.decide({ type: 'SummaryRecorded', stage, index, ...from, data: summary });
  }
  // This module reads no rollouts.
  await scribe.decide(await summarise(positionOf(course), stage, 'training'));
  return true;
}

async function decided(course: Course, stage: number): Promise<void> {
  const { lab, scribe, run } = course;
  if (lab.engineer.reads.length > 0) await scribe.decide(await show(positionOf(course), stage));
  await scribe.decide(withSeconds(await propose(positionOf(course), stage)), 3);
  await scribe.decide(adopt({ run, history: scribe.history }, stage));
}

/** Replaces the real duration, which differs every time. */
function withSeconds(decision: Decision): Decision {
  if (decision.type === 'ProposalRecorded') {
    return { ...decision, data: { ...decision.data, measured: { seconds: 2.5 } } };
  }
  if (decision.type === 'ProposalRejected') {
    return { ...decision, data: { ...decision.data, measured: { seconds: 2.5 } } };
  }
  return decision;
}

/** The number of rollouts in a stage. */
function perStage(
  { probe }: Pick<Pools, 'probe'>,
  { samples, trained }: Pick<RunSettings, 'samples' | 'trained'>,
): number {
  return probe.length * samples + trained;
}

function positionOf({ run, settings, lab, ledger, scribe }: Course): StepInput {
  return {
    run,
    settings,
    history: scribe.history,
    lab,
    ledger,
    blobs: noBlobs,
    folder: '',
    check: async () => {},
    reports: withoutReports,
    signal: new AbortController().signal,
    tell: async () => {},
  };
}

/** Evidence in the ledger itself is not reported. */
const withoutReports = new Reports({
  fencingToken: 1,
  check: async () => {},
  finishedAt: async () => [],
  write: async () => {},
});

function noBlobs(): never {
  throw new Error('a generated history has all its texts in its events');
}
