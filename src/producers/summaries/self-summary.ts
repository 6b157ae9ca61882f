// What the policy says of itself: its model is shown what was measured of it in the stage, and asked to sum that up. The
// words of the question stand in self-summary.txt.
import { readFileSync } from 'node:fs';
import { visibleLines } from '../../base/visible.ts';
import { isTruncated } from '../../lab/models/conversation.ts';
import { CalledTools, Filtered, Refused } from '../../lab/models/faults/answers.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { sheetText } from './sheet.ts';
import { sheetOf } from './sheets.ts';
import { descriptorOf, NothingToSumUp, type Summarising, stageOf, summaryVersion } from './summarise.ts';
import type { Summary } from './summary.ts';

/** What it is shown, in this order, as far as it was recorded. */
const about = ['behaviour', 'failures'];

export interface SelfSummarising extends Summarising {
  readonly model: Model;
  /** The snapshot after the stage; null: the model before any training. */
  readonly checkpoint: Checkpoint | null;
}

/** Where the model would not answer there is no text. Throws a ModelFault where it could not be asked. */
export async function selfSummary(of: SelfSummarising): Promise<Summary> {
  const { model, checkpoint, signal } = of;
  const answered = await model.ask({
    messages: [{ role: 'user', content: questionOn(of) }],
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
    splits: ['probe'],
    facts: [],
    exemplars: [],
    text: text === null ? null : { text },
    answer: { key: answered.key },
  };
}

function questionOn(of: SelfSummarising): string {
  const descriptor = descriptorOf(of);
  const summaries = stageOf(of.history, of.stage)?.summaries ?? [];
  const sheets = about.flatMap((module) => {
    const summary = summaries.find(({ data }) => data.module === module);
    return summary === undefined ? [] : [`## ${module}\n\n${sheetText(sheetOf(descriptor, summary.data))}`];
  });
  if (sheets.length === 0) throw new NothingToSumUp(of.history.run, of.stage, 'summary of what the policy did');
  const parts: Readonly<Record<string, string>> = {
    environment: visibleLines(descriptor.meaning ?? descriptor.environment),
    summaries: sheets.join('\n\n'),
  };
  return template().replace(/\{(\w+)\}/g, (place, name: string) => parts[name] ?? place);
}

/** Null where there is no answer in it. */
function said(textOf: () => string): string | null {
  try {
    const text = visibleLines(textOf()).trim();
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
