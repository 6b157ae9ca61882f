// The policy's self-summary: its model gets the context of form v4 and summarises it. Form v5 is v4 plus this text: if
// the model saw more than v4, a comparison of the two forms would mix both effects. The prompt is in self-summary.txt.

import { readFileSync } from 'node:fs';
import { escapeControlsInLines } from '../../base/escape.ts';
import { isTruncated } from '../../lab/models/conversation.ts';
import { CalledTools, Filtered, Refused } from '../../lab/models/faults.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { buildContext } from '../contexts/build.ts';
import { formNamed } from '../contexts/forms.ts';
import { descriptorOf, stageAt } from '../history/run-history.ts';
import { NothingToSummarise, type Summarising, summaryVersion } from './summarise.ts';
import type { Summary } from './summary.ts';

/** The form of the model's context. */
const shownForm = 'v4';

interface SelfSummarising extends Omit<Summarising, 'ledger' | 'exemplars'> {
  readonly model: Model;
  /** The checkpoint after the stage; null for the model before any training. */
  readonly checkpoint: Checkpoint | null;
  /** The maximum number of tokens of the run's contexts; 0 means no limit. */
  readonly budget: number;
}

/** There is no text if the model refused. Throws a ModelFault if it could not be asked. */
export async function selfSummary(of: SelfSummarising): Promise<Summary> {
  const { model, checkpoint, signal } = of;
  const answered = await model.ask({
    messages: [{ role: 'user', content: await questionOn(of) }],
    sample: 0,
    checkpoint,
    greedy: true,
    purpose: 'self-summary',
    ...(signal === undefined ? {} : { signal }),
  });
  const text = said(() => model.textOf(answered));
  return {
    module: 'self-summary',
    version: summaryVersion,
    parameters: { model: model.entry.name, truncated: isTruncated(answered) },
    splits: ['probe', 'validation'],
    facts: [],
    exemplars: [],
    text: text === null ? null : { text },
    answer: { key: answered.key },
  };
}

async function questionOn(of: SelfSummarising): Promise<string> {
  const { history, stage, budget, textOf } = of;
  if (!stageAt(history, stage)?.summaries.some(({ data }) => data.module === 'failures')) {
    throw new NothingToSummarise(history.run, stage, 'summary of how the policy fails');
  }
  const descriptor = descriptorOf(of.history, of.environment);
  const { shown } = await buildContext({ descriptor, history, stage, form: formNamed(shownForm), budget, textOf });
  return template().replace('{context}', () => shown.text.trimEnd());
}

/** Null if it contains no answer. */
function said(textOf: () => string): string | null {
  try {
    const text = escapeControlsInLines(textOf()).trim();
    return text === '' ? null : text;
  } catch (error) {
    if (error instanceof Refused || error instanceof Filtered || error instanceof CalledTools) return null;
    throw error;
  }
}

let read: string | undefined;

function template(): string {
  read ??= readFileSync(new URL('./self-summary.txt', import.meta.url), 'utf8').trimEnd();
  return read;
}
