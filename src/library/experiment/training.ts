// The result of a training that happened outside of icecore: its checkpoint, its curve and its cost.
import { existsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nameIn, type RunSettings } from '../../../schemas/run-file.ts';
import { realPathOf } from '../../base/real-path.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { PolicyCheckpoints } from '../../lab/registry.ts';
import { InvalidMessage, type Snapshot, savedFrom } from '../../lab/trainers/command/messages.ts';
import type { KnownWords } from '../../lab/trainers/command/progress.ts';
import type { Budget, Signal, Trained } from '../../lab/trainers/trainer.ts';
import {
  emptyReport,
  readTrainingReport,
  reportedRollouts,
  type TrainingReport,
} from '../../producers/by-hand/training-report.ts';
import type { RunHistory, StageHistory } from '../../producers/history/run-history.ts';
import { BadCheckpoint } from '../../producers/policies/policies.ts';
import { anyCheckpoint, type ExternalTraining, ownCheckpoint } from '../../producers/trainers/trainers.ts';
import { badOption } from '../option-error.ts';
import type { Session } from '../session.ts';

export interface TrainingOptions {
  /** The product of the training: a file, a folder, or a name that a server knows. */
  readonly checkpoint?: string;
  /** A file with the output of the trainer. The other options override it. */
  readonly curve?: string;
  /** What training consumed, by unit: `{ 'agent-steps': 30_000 }`. */
  readonly spent?: Budget;
  /** Sample groups whose rewards differ, by task family; `family: null` counts all families. */
  readonly learningSignal?: readonly Signal[];
}

/** The stage that was trained. */
interface TrainedStage {
  readonly settings: RunSettings;
  readonly history: RunHistory;
  readonly stage: StageHistory;
  /** The folder of the run. */
  readonly folder: string;
}

interface Expectation {
  /** Where the training was expected to leave its checkpoint. */
  readonly folder: string;
  /** Families and outcomes of the environment; absent if they do not matter. */
  readonly words: KnownWords;
  /** The registered policy that is trained; null if another one is. */
  readonly policy: { readonly name: string; readonly checkpoints: PolicyCheckpoints } | null;
}

/** Null if it was recorded before and the run was stopped after that. */
export async function trainingOf(
  session: Session,
  trained: TrainedStage,
  options: TrainingOptions,
): Promise<ExternalTraining | null> {
  const { settings, history, stage } = trained;
  const folder = resolve(trained.folder, `stage-${stage.stage}`);
  if (stage.training === null) {
    const words = wordsOf(history);
    const { registry } = await session.plugins.all();
    const entry = registry.policies.get(history.started?.data.policy?.name ?? '');
    const policy = entry?.checkpoints === undefined ? null : { name: entry.name, checkpoints: entry.checkpoints };
    const { curve } = options;
    return {
      trained: await readTraining(session, options, settings, { folder, words, policy }),
      rollouts: () => (curve === undefined ? none() : reportedRollouts(curve, session)),
    };
  }
  const { checkpoint, curve, spent, learningSignal } = options;
  if ([checkpoint, curve, spent, learningSignal].every((option) => option === undefined)) return null;
  const given = await readTraining(session, options, settings, { folder, words: {}, policy: null });
  const before = stage.training.data.checkpoint ?? null;
  const isSame = (given.checkpoint?.digest ?? given.checkpoint?.reference) === (before?.digest ?? before?.reference);
  if (isSame) return null;
  throw new IcecoreError('conflict', `the training of stage ${stage.stage} of ${settings.name} is recorded already`, {
    facts: { run: history.run, stage: stage.stage, found: given.checkpoint, recorded: before },
    remedy: `Continue with the recorded one: icecore stage finish ${shellWord(settings.name)}`,
  });
}

/** Options override the output of the trainer. */
async function readTraining(
  session: Session,
  options: TrainingOptions,
  settings: RunSettings,
  expectation: Expectation,
): Promise<Trained> {
  const { name } = settings;
  const { left, ...output } =
    options.curve === undefined ? emptyReport : await readTrainingReport(options.curve, session, expectation.words);
  const { spent = output.spent, learningSignal: signal = output.signal } = options;
  for (const { family } of options.learningSignal ?? []) requireFamily(family, expectation);
  const step = output.curve.at(-1)?.step;
  const isNamed = options.checkpoint !== undefined;
  const found = await (isNamed
    ? checkpointNamed(session, options.checkpoint, expectation)
    : checkpointLeft(left, expectation, step ?? 0, name)
  ).catch((fault: unknown) => {
    if (!(fault instanceof BadCheckpoint) || expectation.policy === null) throw fault;
    throw new NotPlayable(fault, isNamed ? '--checkpoint' : '--curve', settings, expectation.policy.name);
  });
  const checkpoint = step === undefined || found.step !== undefined ? found : { ...found, step };
  return { ...output, spent, signal, checkpoint };
}

/** The environment of the run cannot play what was handed in. */
class NotPlayable extends IcecoreError {
  override readonly name = 'NotPlayable';

  constructor(
    { path, what, facts }: BadCheckpoint,
    option: string,
    { name, environment }: RunSettings,
    policy: string,
  ) {
    const plays = `${nameIn(environment) ?? 'its environment'} plays only checkpoints of the policy ${policy}`;
    super('bad-input', `${option}: ${name} cannot use ${path}, because ${plays}: ${what}`, {
      facts: { ...facts, field: option, run: name, policy },
      remedy: `Hand in a checkpoint that ${policy} wrote. For a policy of your own, start a run whose environment plays it: icecore stage start NAME --environment "python3 environment.py" --policy mine (docs/environments.md).`,
    });
  }
}

function wordsOf({ started }: RunHistory): KnownWords {
  const { families, outcomes } = started?.data.descriptor ?? {};
  return {
    ...(families === undefined ? {} : { families: families.map(({ family }) => family) }),
    ...(outcomes === undefined ? {} : { outcomes: outcomes.map(({ outcome }) => outcome) }),
  };
}

function requireFamily(family: string | null, { words: { families } }: Expectation): void {
  if (family === null || families === undefined || families.includes(family)) return;
  throw badOption('--signal', family, `the families ${families.join(', ')}`, { known: families });
}

async function checkpointNamed(session: Session, word: string, { policy }: Expectation): Promise<Checkpoint> {
  const { cwd } = session;
  if (policy !== null) return await ownCheckpoint(word, cwd, policy.checkpoints);
  const checkpoint = await anyCheckpoint(word, cwd);
  const isName = checkpoint.digest === undefined && checkpoint.reference === word;
  if (isName && /[/\\]/.test(word) && !word.includes('://')) {
    const text = `there is no file or folder ${resolve(cwd, word)}: ${word} is used as a name on a server`;
    await session.notify({ kind: 'note', text });
  }
  return checkpoint;
}

async function checkpointLeft(
  left: TrainingReport['left'],
  { folder, policy }: Expectation,
  step: number,
  run: string,
): Promise<Checkpoint> {
  if (left === null) {
    throw new IcecoreError('usage', `the training of ${run} left no checkpoint that can be found`, {
      facts: { field: '--checkpoint' },
      remedy: 'Name it with --checkpoint: a file, a folder, or a name that a server knows.',
    });
  }
  const path = pathIn(left, policy !== null);
  if (path !== null) requireInside(path, folder);
  try {
    const { checkpoint } = await savedFrom(left, folder, step);
    if (policy === null) return checkpoint;
    const own = await ownCheckpoint(checkpoint.reference, folder, policy.checkpoints);
    requireInside(own.reference, folder);
    return own;
  } catch (fault) {
    if (!(fault instanceof InvalidMessage)) throw fault;
    throw new IcecoreError('bad-input', `--curve: the checkpoint named there: ${fault.message}`, {
      facts: { field: '--curve', left },
      remedy: 'Name the right one with --checkpoint.',
      cause: fault,
    });
  }
}

/** The file to read it from; null for a name on a server. A checkpoint with a digest is read if it is a file. */
function pathIn(left: Snapshot, isNeural: boolean): string | null {
  if ('file' in left) return left.file;
  if (left.digest !== undefined && existsSync(left.reference)) return resolve(left.reference);
  return isNeural ? left.reference : null;
}

/**
 * A checkpoint in the folder of the stage is safe to read. The author of the lines could name any other file of the user,
 * which would become a blob. Throws if the real path is elsewhere.
 */
function requireInside(path: string, folder: string): void {
  const [real, inside] = [realPathOf(resolve(folder, path)), realPathOf(folder)];
  if (real.startsWith(`${inside}${sep}`)) return;
  throw new IcecoreError('bad-input', `--curve: the checkpoint that it names, ${real}, is not in ${inside}`, {
    facts: { field: '--curve', found: real, allowed: inside },
    remedy: 'If it is the right one, name it yourself: --checkpoint FILE',
  });
}

async function* none(): AsyncGenerator<never> {}
