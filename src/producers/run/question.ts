// The question to an engineer after a stage, the same in a run and by hand; and texts of events, inline or from blobs.

import { join } from 'node:path';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import { formNamed } from '../contexts/forms.ts';
import type { ContextInput } from '../contexts/module.ts';
import { descriptorOf, type StageHistory, stageAt } from '../history/run-history.ts';
import { ask, type EngineerQuestion, type EngineerResult } from '../proposals/asking.ts';
import { checkpointForPolicy, recordedCheckpoint } from './learner.ts';
import { seedOf } from './pools.ts';
import { required, type StepInput, stageIn } from './session.ts';
import { probeHoldout } from './steps/evaluate.ts';

type Text = NonNullable<EventData['RolloutRecorded']['prompt']>;

/** Null if a text was erased, or if there is no blob store. */
export function textReader(blobs: () => Promise<Blobs | null>): (text: Text) => Promise<string | null> {
  return async (text) => {
    if ('text' in text) return text.text;
    try {
      const store = await blobs();
      return store === null ? null : Buffer.from(await store.get(text.blob)).toString('utf8');
    } catch (fault) {
      if (fault instanceof BlobMissing) return null;
      throw fault;
    }
  };
}

export type Asker = Pick<StepInput, 'history' | 'settings' | 'lab' | 'folder' | 'blobs' | 'signal'>;

/** The input of the context builder: the form and length in the settings. */
export function buildingAfter(asker: Omit<Asker, 'folder' | 'signal'>, stage: number): ContextInput {
  const { history, settings, lab, blobs } = asker;
  return {
    descriptor: descriptorOf(history, lab.environment),
    history,
    stage,
    form: formNamed(settings.context),
    budget: settings.contextTokens,
    textOf: textReader(blobs),
    ...(lab.contextModules === undefined ? {} : { own: lab.contextModules }),
  };
}

/** `sample` is 0 for the first question of its kind. */
export async function askAfter(
  asker: Asker,
  stage: number,
  context: EngineerQuestion['context'],
  sample: number,
): Promise<EngineerResult> {
  const { history, settings, lab, blobs, signal } = asker;
  const before = stageIn(history, stage);
  const checkpoint = await snapshotFor(asker, stage);
  return await ask({
    engineer: lab.engineer,
    environment: lab.environment,
    asked: {
      descriptor: descriptorOf(history, lab.environment),
      stage,
      stages: settings.stages,
      current: required(before.started.data.configuration, 'a configuration').whole,
      first: required(history.initial?.data.configuration, 'a configuration').whole,
      context: context?.shown ?? null,
      checkpoint,
      sample,
      seed: seedOf(settings.seed, 'propose', stage),
      signal,
    },
    context,
    snapshot: checkpoint === null ? null : await recordedCheckpoint(checkpoint, null, blobs),
    ...scoringIn(before),
  });
}

/** The data that scores of a proposal after this stage depend on, apart from its context. */
export function scoringIn({
  evaluations,
  summaries,
}: StageHistory): Pick<EngineerQuestion, 'probeHoldout' | 'behaviour'> {
  return {
    probeHoldout: evaluations.find(({ data }) => data.suite.name === probeHoldout)?.data ?? null,
    behaviour: summaries.find(({ data }) => data.module === 'behaviour')?.data.facts ?? [],
  };
}

/** The checkpoint that the engineer asks, in readable form. */
async function snapshotFor({ lab, history, folder, blobs }: Asker, stage: number): Promise<Checkpoint | null> {
  const asks = lab.engineerAsks;
  if (asks === null) return null;
  if (asks === 'base') return await lab.learner.base(join(folder, 'base'));
  const of = asks === 'latest' ? stage : Math.min(asks, stage);
  return await checkpointForPolicy(stageAt(history, of)?.training?.data.checkpoint ?? null, lab.learner, {
    folder: join(folder, 'checkpoints'),
    blobs,
  });
}
