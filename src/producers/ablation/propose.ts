// An arm decides after a stage: its engineer gets the context of its form and answers. The actual decisions form an arm
// too, which asks nobody.
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunHistory } from '../history/run-history.ts';
import { type EngineerResult, retried } from '../proposals/asking.ts';
import { askAfter } from '../run/question.ts';
import { required } from '../run/session.ts';
import { actorOf } from '../run/steps/propose.ts';
import { decisionIn } from './actual-decision.ts';
import { historyUntil } from './arm-history.ts';
import { replayedIn, settingsIn, type Task, type Unit } from './design.ts';
import type { Entry } from './journal.ts';
import { indexOf, type Working } from './working.ts';

/** Throws EngineerErrored, and errors of building the context. */
export async function propose(working: Working, task: Task): Promise<Entry> {
  const { design, blobs, signal, clock, onError } = working;
  const { arm, unit, stage } = task;
  const replayed = replayedIn(design, unit);
  const whole = await scoredHistory(working, unit);
  if (arm.engineer === null) return recordedDecision(working, task, whole);
  const station = await working.stationOf(task);
  const context = await working.contexts.to(task);
  const history = historyUntil(whole, stage);
  const lab = station.labOf(arm.engineer);
  const settings = settingsIn(design, unit);
  // An untrained checkpoint belongs to a history and is named only by its folder.
  const folder = join(working.folder, replayed.run);
  const asker = { history, settings, lab, folder, blobs, signal };
  const ask = (): Promise<EngineerResult> => askAfter(asker, stage, context, unit.sample);
  const onRetry = async (why: string, seconds: number): Promise<void> =>
    await working.tell({ kind: 'retrying', task, why, seconds });
  const came = onError === 'retry' ? await retried(ask, { signal, clock, onRetry }) : await ask();
  const of = { arm: arm.arm, unit: unit.unit };
  const common = {
    run: replayed.run,
    stage,
    index: indexOf(design, task),
    actor: actorOf(lab.engineer.identity.name),
    causes: context === null ? [] : [{ event: context.event }],
  };
  return 'proposed' in came
    ? { type: 'ArmProposed', ...common, data: { ...of, ...came.proposed } }
    : { type: 'ArmRejected', ...common, data: { ...of, ...came.rejected } };
}

/** Arms whose context needs a missing summary fail individually; the others are scored from what is recorded. */
async function scoredHistory({ design, contexts }: Working, unit: Unit): Promise<RunHistory> {
  try {
    return await contexts.historyOf(unit);
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    return replayedIn(design, unit).history;
  }
}

function recordedDecision({ design }: Working, task: Task, history: RunHistory): Entry {
  const { arm, unit, stage } = task;
  const decided = required(decisionIn(history, stage, arm.identity), 'a decision');
  const place = { run: replayedIn(design, unit).run, stage, index: indexOf(design, task) };
  return { ...place, ...decided, data: { arm: arm.arm, unit: unit.unit, ...decided.data } } as Entry;
}
