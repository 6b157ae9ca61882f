// A run begins: with everything it was asked for, as it was resolved, so that it can go on from its record alone.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import { recordedConfiguration } from '../../../lab/environments/knobs.ts';
import { formNamed } from '../../contexts/forms.ts';
import { withEndpoint } from '../../models/recorded.ts';
import { trainerInForce } from '../../trainers/knobs.ts';
import { type At, known } from '../at.ts';
import type { Decision } from '../writing.ts';

export const runActor = 'producer/run';

/** What else a run tells of itself when it begins. */
export type About = Pick<EventData['RunStarted'], 'code' | 'measured' | 'parent' | 'arm'>;

export function start({ settings, lab }: Pick<At, 'settings' | 'lab'>, about: About): Decision {
  const { environment, trainer, engineer, learner } = lab;
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
      trainer: trainerInForce(trainer.component, settings.configuration, settings.trainer),
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

export function adoptFirst({ settings, lab }: Pick<At, 'settings' | 'lab'>): Decision {
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

export function startStage({ history, settings, lab }: At, stage: number): Decision {
  const before = history.stages.find((one) => one.stage === stage - 1) ?? null;
  const adopted = known(stage === 1 ? history.initial : before?.adopted, `the configuration of stage ${stage}`);
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
