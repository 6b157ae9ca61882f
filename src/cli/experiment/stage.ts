// What `icecore stage start` and `icecore stage finish` print.
import type { StageFinished } from '../../../schemas/by-hand-output.ts';
import { escapeControls } from '../../base/escape.ts';
import {
  finishStage,
  type StageFinishOptions,
  type StageStartOptions,
  startStage,
} from '../../library/experiment/stage.ts';
import type { RunReference } from '../../library/reference.ts';
import type { Context } from '../context.ts';
import { printSpec, showRun } from './run.ts';
import { watchingRun } from './watch.ts';

export async function stageStart(
  context: Context,
  name: string | undefined,
  options: StageStartOptions,
): Promise<number> {
  const spec = await watchingRun(context, (onProgress) =>
    startStage(context.session, name, { ...options, onProgress }),
  );
  await printSpec(context, spec);
  return 0;
}

export async function stageFinish(
  context: Context,
  run: RunReference | undefined,
  options: StageFinishOptions,
): Promise<number> {
  const result = await watchingRun(
    context,
    (onProgress) => finishStage(context.session, run, { ...options, onProgress }),
    { isAnnounced: false },
  );
  if (context.flags.json) {
    await context.printJson(result);
    return 0;
  }
  if (result.ended === 'completed') return await showRun(context, result.name);
  await printFinished(context, result);
  return 0;
}

async function printFinished(context: Context, { name, stage, ended, next }: StageFinished): Promise<void> {
  const due = ended === 'waiting' ? `a person is to decide on stage ${stage + 1}` : `stage ${stage + 1} is next`;
  await context.print(`stage ${stage} of ${escapeControls(name)} is over; ${due}\n`);
  if (next !== null) await context.hint(`next: ${next}`);
}
