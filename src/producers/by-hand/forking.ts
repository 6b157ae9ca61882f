// Forks a run at the end of a stage, sharing its history by reference, after checking that the environment is still the
// one that the run started with.
import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { commandIn, type RunSettings } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { nameOf as programText } from '../../lab/programs/program.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { nameOf } from '../history/name.ts';
import { readHistory } from '../history/reading.ts';
import type { RunHistory } from '../history/run-history.ts';
import { Claim, isHeld, lastClaim, RunHeld } from '../run/claim.ts';
import { type Decision, Journal } from '../run/journal.ts';
import { stageOver } from './asking.ts';

/** A run that has not started accepts any environment. `folder` is that of its program. Throws EnvironmentChanged. */
export function requireSameEnvironment(
  history: RunHistory,
  { descriptor }: Pick<Environment, 'descriptor'>,
  folder: string | null = null,
): void {
  const recorded = history.started?.data.descriptor;
  if (recorded === undefined) return;
  const [before, now] = [decisive(recorded), decisive(descriptor)];
  const changed = Object.keys(before).filter((key) => !isDeepStrictEqual(before[key], now[key]));
  if (changed.length > 0) throw new EnvironmentChanged(history, changed, folder);
}

/** The fields that change the meaning of knobs or the reading of rollouts. */
export function decisive(descriptor: Descriptor): Readonly<Record<string, unknown>> {
  const { environment, version, knobs, sharesSum, families, failed, failureClass, family } = descriptor;
  return {
    environment,
    version,
    knobs: knobs.map(({ name, path, family: of, range, step, integer }) => [
      name,
      path,
      of,
      { ...range },
      step,
      integer,
    ]),
    sharesSum,
    families: families.map((one) => one.family),
    failed,
    failureClass,
    family,
  };
}

export class EnvironmentChanged extends IcecoreError {
  override readonly name = 'EnvironmentChanged';

  constructor(history: RunHistory, changed: readonly string[], folder: string | null) {
    const name = nameOf(history);
    const command = commandIn(history.started?.data.options?.['environment'] as RunSettings['environment']);
    const isElsewhere = command !== null && folder !== null;
    const program = isElsewhere ? ` (${programText(command)} in ${folder})` : '';
    super('conflict', `the environment has changed since ${name} started: ${changed.join(', ')}${program}`, {
      facts: { run: history.run, changed, ...(isElsewhere ? { command, folder } : {}) },
      remedy: isElsewhere
        ? 'If the run was started in another folder, run icecore there. Otherwise continue with the original environment, or start another run with the current one.'
        : 'Continue with the original environment, or start another run with the current one.',
    });
  }
}

interface Hand {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly run: string;
  readonly actor: string;
  readonly signal: AbortSignal;
  /** Called when another process's lease has to be waited for. */
  readonly onWait: (holder: string, seconds: number) => void;
}

/** Fails early, before anything is paid for. Throws RunHeld. */
export async function requireNotHeld(ledger: Ledger, run: string): Promise<void> {
  const last = await lastClaim(ledger, run);
  if (last !== null && isHeld(last) === true) throw new RunHeld(run, last);
}

/** Writes decisions one after the other, each computed from the current history. Throws RunHeld. */
export async function written(
  { ledger, blobs, run, actor, signal, onWait }: Hand,
  decisions: readonly ((history: RunHistory) => Decision | null)[],
): Promise<RunHistory> {
  const claim = await Claim.take({ ledger, run, stream: streamOf.run(run), actor, leaseSeconds: 60, signal, onWait });
  try {
    const journal = await Journal.open(run, { ledger, blobs, check: () => claim.check() });
    for (const decide of decisions) await append(journal, decide);
    return journal.history;
  } finally {
    await claim.release();
  }
}

async function append(journal: Journal, decide: (history: RunHistory) => Decision | null): Promise<void> {
  for (;;) {
    const decision = decide(journal.history);
    if (decision === null || (await journal.append(decision))) return;
  }
}

export type Parent = NonNullable<EventData['RunStarted']['parent']>;

/** Of what a fork shares itself, the run that recorded it. Throws StageNotOver and ParentMissing. */
export async function parentAt(ledger: Ledger, history: RunHistory, stage: number): Promise<Parent> {
  const over = stageOver(history, stage);
  const parent = history.started?.data.parent;
  if (parent !== undefined && over.stage <= parent.stage) {
    return await parentAt(ledger, await readHistory(ledger, parent.run), over.stage);
  }
  if (over.completed === null) throw new Error(`stage ${over.stage} is not complete`);
  const { revision, digest } = over.completed;
  return { run: history.run, stage: over.stage, revision, digest };
}

/** A fork must have stages left to run. */
export function requireStagesLeft(history: RunHistory, stage: number, { stages }: RunSettings): void {
  if (stages > stage) return;
  const name = nameOf(history);
  throw new IcecoreError('usage', `no stages are left after stage ${stage} of ${name}, which has ${stages} stages`, {
    facts: { run: history.run, stage, stages },
    remedy: `Set the total number of stages: --stages ${stage + 1}`,
  });
}
