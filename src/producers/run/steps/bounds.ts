// The first and last steps of a run and of its stages.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { totalOf } from '../../../base/quantity.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import { recordedConfiguration } from '../../../lab/environments/knobs.ts';
import { formNamed } from '../../contexts/forms.ts';
import { adoptionFor, type StageHistory, stageAt } from '../../history/run-history.ts';
import { withEndpoint } from '../../models/recorded.ts';
import type { ProgramFiles } from '../../programs.ts';
import { trainerInForce } from '../../trainers/trainers.ts';
import type { Decision } from '../journal.ts';
import { required, type StepInput, stageIn } from '../session.ts';
import { validation } from './evaluate.ts';

export const runActor = 'producer/run';

/** Further facts about a run that its first event records. */
export interface RunFacts extends Pick<EventData['RunStarted'], 'code' | 'measured' | 'parent' | 'arm'> {
  /** The files of its programs as they are now; without it, none are recorded. */
  readonly programs?: () => Promise<ProgramFiles>;
}

export function start({ settings, lab }: Pick<StepInput, 'settings' | 'lab'>, about: RunFacts): Decision {
  const { environment, trainer, trainerKnobs, engineer, learner } = lab;
  const { name, seed, stages, budget, tags, notes: says } = settings;
  const { descriptor } = environment;
  const { code, measured, parent, arm } = about;
  return {
    type: 'RunStarted',
    stage: null,
    index: 0,
    actor: runActor,
    data: {
      name,
      environment: {
        name: descriptor.environment,
        ...(descriptor.version === undefined ? {} : { version: descriptor.version }),
      },
      descriptor,
      options: { ...settings },
      seed,
      policy: withEndpoint(learner),
      trainer: trainerInForce(trainer.component, settings.configuration, trainerKnobs),
      engineer: engineer.identity,
      contextForm: formNamed(settings.context),
      suites: settings.suites.map((suite) => suiteOf(environment, suite)),
      stages,
      budget,
      ...(tags.length === 0 ? {} : { tags }),
      ...(says === undefined ? {} : { notes: says }),
      ...(parent === undefined ? {} : { parent }),
      ...(arm === undefined ? {} : { arm }),
      ...(code === undefined ? {} : { code }),
      ...(measured === undefined ? {} : { measured }),
    },
  };
}

function suiteOf({ suites }: Environment, name: string): NonNullable<EventData['RunStarted']['suites']>[number] {
  const found = suites.find((suite) => suite.name === name);
  if (found === undefined) return { name };
  const { tasks, seed, parameters } = found;
  return {
    name,
    tasks,
    ...(seed === undefined ? {} : { seed }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

/** The input that determines configurations. */
type Configuring = Pick<StepInput, 'history' | 'settings'> & {
  readonly lab: { readonly environment: Pick<Environment, 'descriptor'> };
};

export function adoptFirst({ settings, lab }: Omit<Configuring, 'history'>): Decision {
  return {
    type: 'ConfigAdopted',
    stage: null,
    index: 0,
    actor: runActor,
    data: {
      by: 'initial',
      proposal: null,
      context: null,
      configuration: recordedConfiguration(lab.environment.descriptor, settings.configuration),
      previous: null,
      changes: [],
      kept: null,
      clamps: [],
      rationale: null,
    },
  };
}

export function startStage({ history, settings, lab }: Configuring, stage: number): Decision {
  const before = stageAt(history, stage - 1);
  const adopted = required(adoptionFor(history, stage), `the configuration of stage ${stage}`);
  const { configuration } = adopted.data;
  return {
    type: 'StageStarted',
    stage,
    index: 0,
    actor: runActor,
    causes: [{ event: adopted.id }],
    data: {
      configuration: recordedConfiguration(lab.environment.descriptor, configuration.whole),
      adopted: adopted.id,
      ...(before === null ? {} : { checkpoint: before.completed?.data.checkpoint ?? null }),
      budget: settings.budget,
      shards: settings.shards ?? 1,
    },
  };
}

type Measurement = NonNullable<EventData['StageCompleted']['results']>[number];

export function completeStage({ history }: Pick<StepInput, 'history'>, stage: number): Decision {
  const before = stageIn(history, stage);
  const training = required(before.training, 'training');
  const alerts = before.summaries.flatMap(({ data }) => data.alerts ?? []);
  const { checkpoint = null, spent } = training.data;
  return {
    type: 'StageCompleted',
    stage,
    index: 0,
    actor: runActor,
    causes: before.summaries.map(({ id }) => ({ event: id })),
    data: {
      checkpoint,
      results: headlines(before),
      ...(alerts.length === 0 ? {} : { alerts }),
      ...(spent === undefined ? {} : { spent }),
    },
  };
}

/** In total over families: the validation results and the learning signal. */
function headlines({ evaluations, training }: StageHistory): Measurement[] {
  const results = evaluations.find(({ data }) => data.suite.name === validation)?.data.results ?? [];
  const signal = training?.data.learningSignal?.find(({ family }) => family === null);
  return [
    ...results.flatMap(({ family, ...measured }) => (family === null ? [measured] : [])),
    ...(signal === undefined
      ? []
      : [{ measure: 'signal', value: signal.share, count: signal.withVariance, of: signal.sampleGroups }]),
  ];
}

export function complete({ history }: Pick<StepInput, 'history'>): Decision {
  const last = required(history.stages.at(-1), 'a stage');
  const completed = required(last.completed, 'the end of the last stage');
  const spent = totalOf(history.stages.map(({ completed }) => completed?.data.spent ?? {}));
  const { checkpoint = null, results } = completed.data;
  return {
    type: 'RunCompleted',
    stage: null,
    index: 0,
    actor: runActor,
    causes: [{ event: completed.id }],
    data: {
      stages: history.stages.length,
      checkpoint,
      ...(results === undefined ? {} : { results }),
      spent,
    },
  };
}
