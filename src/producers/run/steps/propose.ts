// Between two stages: what the engineer is shown, what it proposes, and what is decided.
import { join } from 'node:path';
import type { Configuration } from '../../../lab/environments/environment.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { asRecorded } from '../../contexts/as-recorded.ts';
import { buildContext } from '../../contexts/build.ts';
import { formNamed } from '../../contexts/forms.ts';
import { ask } from '../../proposals/asking.ts';
import { type At, known, stageIn } from '../at.ts';
import { kept, toPlanWith } from '../checkpoints.ts';
import type { RunHistory } from '../history.ts';
import { idOf } from '../ids.ts';
import type { Decision } from '../journal.ts';
import { seedOf } from '../seeds.ts';
import { textReader } from '../texts.ts';
import { heldBack } from './evaluate.ts';
import { runActor } from './start.ts';

export async function show(at: At, stage: number): Promise<Decision> {
  const { recorded } = await built(at, stage);
  return {
    type: 'ContextRecorded',
    stage,
    index: 0,
    actor: 'producer/contexts',
    causes: stageIn(at.history, stage).summaries.map(({ id }) => ({ event: id })),
    data: recorded,
  };
}

/** The same whenever it is built by the same icecore: from the history as far as the stage, and from nothing else. */
async function built(
  { lab, history, settings, blobs }: At,
  stage: number,
): Promise<Awaited<ReturnType<typeof buildContext>>> {
  return await buildContext({
    descriptor: history.started?.data.descriptor ?? lab.environment.descriptor,
    history,
    stage,
    form: formNamed(settings.context),
    budget: settings.contextTokens,
    textOf: textReader(blobs),
  });
}

export async function propose(at: At, stage: number): Promise<Decision> {
  const { run, lab, history, settings, signal } = at;
  const { contexts, started, evaluations, summaries } = stageIn(history, stage);
  const contextId = idOf(run, { type: 'ContextRecorded', stage, index: 0 });
  const recorded = contexts.find(({ id }) => id === contextId) ?? null;
  const textOf = textReader(at.blobs);
  const shown = recorded === null ? null : await asRecorded(recorded.data, await built(at, stage), textOf);
  const checkpoint = await snapshotFor(at, stage);
  const came = await ask({
    engineer: lab.engineer,
    environment: lab.environment,
    asked: {
      descriptor: history.started?.data.descriptor ?? lab.environment.descriptor,
      stage,
      stages: settings.stages,
      current: configurationOf(started.data.configuration),
      first: configurationOf(history.initial?.data.configuration),
      context: shown,
      checkpoint,
      sample: 0,
      seed: seedOf(settings.seed, 'propose', stage),
      signal,
    },
    context: recorded === null || shown === null ? null : { event: recorded.id, recorded: recorded.data, shown },
    snapshot: checkpoint === null ? null : await kept(checkpoint, null, at.blobs),
    forStage: stage + 1,
    heldBack: evaluations.find(({ data }) => data.suite.name === heldBack)?.data ?? null,
    behaviour: summaries.find(({ data }) => data.module === 'behaviour')?.data.facts ?? [],
  });
  const common = {
    stage,
    index: 0,
    actor: actorOf(lab.engineer.identity.name),
    causes: recorded === null ? [] : [{ event: recorded.id }],
  };
  if ('rejected' in came) return { type: 'ProposalRejected', ...common, data: came.rejected };
  return { type: 'ProposalRecorded', ...common, data: came.proposed };
}

function configurationOf(recorded: { readonly whole: Configuration } | undefined): Configuration {
  return known(recorded, 'a configuration').whole;
}

/** The snapshot the engineer asks, where it can be read from here. */
export async function snapshotFor(
  { lab, history, folder, blobs }: Pick<At, 'lab' | 'history' | 'folder' | 'blobs'>,
  stage: number,
): Promise<Checkpoint | null> {
  const asks = lab.engineerAsks;
  if (asks === null) return null;
  if (asks === 'base') return await lab.learner.base(join(folder, 'base'));
  const of = asks === 'latest' ? stage : Math.min(asks, stage);
  return await toPlanWith(checkpointOf(history, of), lab.learner, join(folder, 'checkpoints'), blobs);
}

function checkpointOf({ stages }: RunHistory, stage: number): Checkpoint | null {
  return stages.find((one) => one.stage === stage)?.training?.data.checkpoint ?? null;
}

/** Identities may be models with any name; an actor is one word. */
export function actorOf(engineer: string): string {
  return `engineer/${engineer.replaceAll(/[\s/]+/g, '-') || 'unnamed'}`;
}

/** What was proposed is adopted; where nothing could be used, the configuration stays. */
export function adopt({ run, history }: Pick<At, 'run' | 'history'>, stage: number): Decision {
  const { proposals, started, rejections } = stageIn(history, stage);
  const own = idOf(run, { type: 'ProposalRecorded', stage, index: 0 });
  const proposal = proposals.find(({ id }) => id === own);
  const current = known(started.data.configuration, 'a configuration');
  const place = { type: 'ConfigAdopted', stage, index: 0, actor: runActor } as const;
  if (proposal === undefined) {
    const ownRejection = idOf(run, { type: 'ProposalRejected', stage, index: 0 });
    const rejection = rejections.find(({ id }) => id === ownRejection);
    return {
      ...place,
      causes: rejection === undefined ? [] : [{ event: rejection.id }],
      data: {
        forStage: stage + 1,
        by: 'carried-over',
        proposal: null,
        context: rejection?.data.context ?? null,
        configuration: current,
        previous: current.digest,
        changes: [],
        kept: null,
        clamps: [],
        says: null,
      },
    };
  }
  const { context, configuration, changes, kept: keptKnobs, clamps, says } = proposal.data;
  return {
    ...place,
    causes: [{ event: proposal.id }],
    data: {
      forStage: stage + 1,
      by: 'engineer',
      proposal: proposal.id,
      context,
      configuration,
      previous: current.digest,
      changes,
      kept: keptKnobs,
      clamps,
      says,
    },
  };
}
