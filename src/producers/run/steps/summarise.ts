// Summarises the evidence of a stage for one module of a context.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { selfSummary } from '../../summaries/self-summary.ts';
import { summarise as summed } from '../../summaries/summarise.ts';
import type { Decision } from '../journal.ts';
import { textReader } from '../question.ts';
import { required, type StepInput, stageIn } from '../session.ts';

type Summed = Parameters<typeof summed>[0];

export async function summarise(at: StepInput, stage: number, module: string): Promise<Decision> {
  const { lab, history, ledger, settings, signal, blobs } = at;
  const { sealed, summaries, training } = stageIn(history, stage);
  const of = {
    ledger,
    textOf: textReader(blobs),
    environment: lab.environment,
    history,
    stage,
    exemplars: settings.exemplars,
    signal,
  };
  const checkpoint = training?.data.checkpoint ?? null;
  const data =
    module === 'self-summary'
      ? await selfSummary({
          ...of,
          model: narratorOf(at),
          checkpoint: narratorSnapshot(at, checkpoint),
          budget: settings.contextTokens,
        })
      : await summed(module as Summed, of);
  return {
    type: 'SummaryRecorded',
    stage,
    index: summaries.length,
    actor: 'producer/summaries',
    causes: [{ event: required(sealed, 'evidence').id }],
    data,
  };
}

function narratorOf({ lab }: StepInput): NonNullable<StepInput['lab']['narrator']> {
  if (lab.narrator !== null) return lab.narrator;
  throw new NoNarrator();
}

/** The policy writes its self-summary with its current checkpoint; another model is asked as configured. */
function narratorSnapshot({ lab }: StepInput, checkpoint: Checkpoint | null): Checkpoint | null {
  return lab.narrator === lab.learner.model ? checkpoint : null;
}

class NoNarrator extends IcecoreError {
  override readonly name = 'NoNarrator';

  constructor() {
    super('usage', 'a self-summary is written by a model, and neither the policy nor the engineer of this run is one', {
      remedy: 'Use a form without self-summary, or a model as policy or engineer.',
    });
  }
}
