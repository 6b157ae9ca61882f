// What `icecore stage finish` does: takes what came of a training, and does all that follows from it, up to the next one.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { StageFinished } from '../../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { visible } from '../../../base/visible.ts';
import type { Trained } from '../../../lab/trainers/trainer.ts';
import { findRun } from '../../../ledger/runs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import { nameOf } from '../../../producers/by-hand/stage-over.ts';
import type { Conducted } from '../../../producers/run/conduct.ts';
import type { RunHistory, StageHistory } from '../../../producers/run/history.ts';
import { readHistory } from '../../../producers/run/reading.ts';
import { openExternal } from '../../../producers/trainers/external.ts';
import { ProgramGate, type ProgramOptions } from '../../consent/programs.ts';
import type { Context } from '../../context.ts';
import type { RunReference } from '../../runs/reference.ts';
import { showRun } from '../at-the-end.ts';
import { carryOn } from '../carry-on.ts';
import { settingsOf } from '../run.ts';
import { type Workshop, withWorkshop } from '../workshop.ts';
import { requireElsewhere } from './elsewhere.ts';
import { type HandedOptions, handedIn, handsIn } from './handed-in.ts';

export interface StageFinishOptions extends HandedOptions, ProgramOptions {
  readonly onError?: NonNullable<RunSettings['onError']>;
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export async function stageFinish(
  context: Context,
  named: RunReference | undefined,
  options: StageFinishOptions,
): Promise<number> {
  const { spendingCap: cap = null, jobs: threads = availableParallelism(), onError } = options;
  const reference = named ?? { run: 'latest', stage: null };
  const gate = new ProgramGate(context, options);
  return await withWorkshop(context, { create: false, cap }, async (workshop) => {
    const { ledger, folderOf } = workshop;
    const { run } = await findRun(ledger, reference.run);
    const history = await readHistory(ledger, run);
    const settings = { ...settingsOf(history), ...(onError === undefined ? {} : { onError }) };
    requireElsewhere(settings);
    const stage = underWay(history, reference.stage);
    gate.require(ledger, gate.of(settings, ['environment', 'engineer', 'policy']));
    const trained = await trainedBy(context, { options, settings, history, stage, folder: folderOf(run) });
    const until = (step: { readonly do: string }): boolean => step.do === 'start-stage';
    const again = `icecore stage finish ${shellWord(settings.name)}`;
    const carrying = {
      run,
      settings,
      about: {},
      threads,
      gate,
      again,
      until,
      trainer: openExternal(settings.name, trained),
    };
    return await carryOn(context, workshop, carrying, async (done) => await tell(context, workshop, done, stage.stage));
  });
}

/** The stage that has begun and is not over. */
function underWay(history: RunHistory, asked: number | null): StageHistory {
  const last = history.stages.at(-1);
  const name = nameOf(history);
  if (last === undefined || (last.completed !== null && last.adopted !== null))
    throw notStarted(name, last?.stage ?? 0);
  if (history.completed !== null) throw over(name);
  if (asked === null || asked === last.stage) return last;
  throw new IcecoreError('usage', `stage ${asked} of ${name} is not under way: stage ${last.stage} is`, {
    facts: { run: history.run, found: asked, allowed: last.stage },
    remedy: `icecore stage finish ${shellWord(`${name}@${last.stage}`)}`,
  });
}

interface Handing {
  readonly options: HandedOptions;
  readonly settings: RunSettings;
  readonly history: RunHistory;
  readonly stage: StageHistory;
  readonly folder: string;
}

/** Null where it was handed in before: what follows was stopped then, and goes on. */
async function trainedBy(context: Context, handing: Handing): Promise<Trained | null> {
  const { options, settings, history, stage } = handing;
  const folder = resolve(handing.folder, `stage-${stage.stage}`);
  if (stage.training === null) {
    const families = history.started?.data.descriptor?.families.map(({ family }) => family) ?? [];
    const at = { folder, families, policy: history.started?.data.policy?.name };
    return await handedIn(context, options, settings, at);
  }
  if (!handsIn(options)) return null;
  const given = await handedIn(context, options, settings, { folder, families: null, policy: undefined });
  const before = stage.training.data.checkpoint ?? null;
  const isSame = (given.checkpoint?.digest ?? given.checkpoint?.reference) === (before?.digest ?? before?.reference);
  if (isSame) return null;
  throw new IcecoreError('conflict', `the training of stage ${stage.stage} of ${settings.name} was handed in before`, {
    facts: { run: history.run, stage: stage.stage, found: given.checkpoint, recorded: before },
    remedy: `Go on with what was: icecore stage finish ${shellWord(settings.name)}`,
  });
}

function notStarted(name: string, stage: number): IcecoreError {
  return new IcecoreError('conflict', `stage ${stage + 1} of ${name} has not begun`, {
    facts: { name, stage: stage + 1 },
    remedy: `icecore stage start ${shellWord(name)} begins it, and prints what is to be trained.`,
  });
}

function over(name: string): IcecoreError {
  return new IcecoreError('conflict', `${name} is completed`, {
    facts: { name },
    remedy: `icecore show ${shellWord(name)} shows what came of it.`,
  });
}

async function tell(context: Context, { ledger }: Workshop, done: Conducted, stage: number): Promise<number> {
  const result = resultOf(done, ledger.url, stage);
  if (context.flags.json) {
    await context.printJson(result);
    return 0;
  }
  if (result.ended === 'completed') return await showRun(context, result.name);
  const { name, next } = result;
  const what = result.ended === 'waiting' ? 'a person is to decide how it goes on' : `stage ${stage + 1} is due`;
  await context.print(`stage ${stage} of ${visible(name)} is over; ${what}\n`);
  if (next !== null) await context.hint(`next: ${next}`);
  return 0;
}

function resultOf({ ended, history }: Conducted, ledger: string, stage: number): StageFinished {
  const name = nameOf(history);
  const of = history.stages.find((one) => one.stage === stage);
  const completed = of?.completed?.data;
  const come = ended === 'completed' ? ended : of?.adopted === null ? 'waiting' : 'stage';
  const next = {
    completed: null,
    waiting: `icecore context ${shellWord(`${name}@${stage}`)}`,
    stage: `icecore stage start ${shellWord(name)}`,
  };
  return {
    ledger,
    run: history.run,
    name,
    stage,
    ended: come,
    checkpoint: completed?.checkpoint?.reference ?? null,
    results: [...(completed?.results ?? [])],
    spent: { ...completed?.spent },
    next: next[come],
  };
}
