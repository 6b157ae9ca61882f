// An arm decides after a stage of a history: its engineer is shown what its form has, and answers. What was really decided
// is an arm, too, of which nobody is asked.
import { join } from 'node:path';
import { known, stageIn } from '../run/at.ts';
import type { RunHistory } from '../run/history.ts';
import { askAfter } from '../run/question.ts';
import { actorOf } from '../run/steps/propose.ts';
import { historyUntil } from './arm-history.ts';
import { decisionIn } from './decided.ts';
import { replayedIn, settingsIn, type Task } from './design.ts';
import type { Entry } from './journal.ts';
import { indexOf, type Working } from './working.ts';

export async function propose(working: Working, task: Task): Promise<Entry> {
  const { design, blobs, signal } = working;
  const { arm, unit, stage } = task;
  const replayed = replayedIn(design, unit);
  if (arm.engineer === null) return recordedDecision(working, task, replayed.history);
  const station = await working.stationOf(task);
  const context = await working.contexts.to(task);
  const history = historyUntil(replayed.history, stage);
  const lab = station.labOf(arm.engineer);
  const settings = settingsIn(design, unit);
  // An untrained snapshot is that of a history, and lies in a folder by its name only.
  const folder = join(working.folder, replayed.run);
  const came = await askAfter({ history, settings, lab, folder, blobs, signal }, stage, context, unit.sample);
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

function recordedDecision({ design }: Working, task: Task, history: RunHistory): Entry {
  const { arm, unit, stage } = task;
  const decided = known(decisionIn(stageIn(history, stage), arm.identity), 'a decision');
  const place = { run: replayedIn(design, unit).run, stage, index: indexOf(design, task) };
  return { ...place, ...decided, data: { arm: arm.arm, unit: unit.unit, ...decided.data } } as Entry;
}
