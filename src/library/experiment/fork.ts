// Forks a run: a new run shares the history of another one up to the end of a stage and continues with other settings.

import { isDeepStrictEqual } from 'node:util';
import type { StageSpec } from '../../../schemas/by-hand-output.ts';
import type { RunFile, RunSettings } from '../../../schemas/run-file.ts';
import { isExternal } from '../../../schemas/run-file.ts';
import type { RunResult } from '../../../schemas/run-result.ts';
import { newRunId } from '../../ledger/identity/ids.ts';
import { parentAt, requireSameEnvironment, requireStagesLeft } from '../../producers/by-hand/forking.ts';
import { environmentOf } from '../../producers/run/opening.ts';
import { ProgramGate } from '../consent/programs.ts';
import type { RunReference } from '../reference.ts';
import type { Session } from '../session.ts';
import type { ProgressOptions, RunProgress, RunToAdvance, WorkOptions } from './advance.ts';
import { type NamedDecision, namedDecision } from './decision.ts';
import { checkedName, nameFor, namesTaken } from './names.ts';
import { type OpenExperiment, withExperiment } from './open.ts';
import { advanceToEnd, requirePrograms } from './run.ts';
import { runFileFrom, type SettingsOptions, settingsOf } from './settings.ts';
import { advanceToTraining } from './stage.ts';

type Changes = 'engineer' | 'context' | 'contextTokens' | 'stages' | 'seed' | 'onError' | 'name' | 'tags' | 'notes';

/** Options that are left out are taken from the parent, except its name and notes. */
export interface ForkOptions extends Pick<SettingsOptions, Changes>, WorkOptions, ProgressOptions<RunProgress> {}

/** `run`: RUN@K, the stage to decide again, or RUN for the next one. For a run that is trained elsewhere, advances to its next training. */
export async function fork(
  session: Session,
  run: string | RunReference,
  options: ForkOptions = {},
): Promise<RunResult | StageSpec> {
  const { spendingCap, onProgress } = options;
  const changes = await runFileFrom(options, session);
  const gate = new ProgramGate(session, options);
  await requirePrograms(gate, changes, { options: {}, defaults: null, cwd: session.cwd });
  return await withExperiment(session, { spendingCap }, async (experiment) => {
    const parent = await namedDecision(session, experiment.ledger, run);
    const child = await forkedFrom(parent, experiment, gate, changes);
    const { name, trainer } = child.settings;
    const same = repetition(parent, child.settings);
    // An engineer that cannot be opened is an error before anything is forked.
    const announced = async (progress: RunProgress): Promise<void> => {
      if (progress.kind === 'opened') {
        await onProgress?.({ kind: 'forked', name, from: { name: parent.name, stage: parent.decides } });
        if (same !== null) await session.notify({ kind: 'note', text: same });
      }
      await onProgress?.(progress);
    };
    const work = { ...options, onProgress: announced };
    if (isExternal(trainer)) return await advanceToTraining(experiment, gate, child, work);
    return await advanceToEnd(experiment, gate, child, work);
  });
}

/** What lets a fork decide or train otherwise than its parent. */
const decisive = ['engineer', 'context', 'contextTokens', 'stages', 'seed'] as const;

/** A sentence if the fork only repeats its parent; null otherwise. A person may decide otherwise each time. */
function repetition({ history, name, decides }: NamedDecision, settings: RunSettings): string | null {
  const before = settingsOf(history);
  const isSame = decisive.every((setting) => isDeepStrictEqual(before[setting], settings[setting]));
  if (!isSame || settings.engineer === 'human') return null;
  return `${settings.name} has the settings of ${name} and repeats it from stage ${decides} on; --engineer, --context or --seed would change something`;
}

/** All errors are found before anything is written. */
async function forkedFrom(
  { history, stage }: NamedDecision,
  { session, ledger }: OpenExperiment,
  gate: ProgramGate,
  changes: RunFile,
): Promise<RunToAdvance> {
  const run = newRunId();
  const taken = await namesTaken(ledger);
  const name = changes.name === undefined ? nameFor(run, taken) : checkedName(changes.name, taken);
  // The notes say what the parent was for.
  const { notes: _, ...inherited } = settingsOf(history);
  const settings: RunSettings = { ...inherited, ...changes, name };
  requireStagesLeft(history, stage.stage, settings);
  const parent = await parentAt(ledger, history, stage.stage);
  gate.require(ledger, await gate.of(settings, ['environment', 'trainer', 'engineer', 'policy']));
  gate.remember(ledger);
  const { registry } = await session.plugins.all();
  const environment = await environmentOf(settings, { allow: gate.allow, registry }, session.signal);
  try {
    requireSameEnvironment(history, environment, session.cwd);
  } catch (fault) {
    await environment.close();
    throw fault;
  }
  return { run, settings, parent, environment };
}
