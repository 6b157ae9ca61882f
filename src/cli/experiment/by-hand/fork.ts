// What `icecore fork` does: a new run that shares the history of another as far as a stage, and goes on otherwise.
import { availableParallelism } from 'node:os';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { newRunId } from '../../../ledger/identity/ids.ts';
import { ProgramGate, type ProgramOptions } from '../../../library/consent/programs.ts';
import {
  checkedName,
  fileFrom,
  nameFor,
  namesTaken,
  type SettingsOptions,
  settingsIn,
} from '../../../library/experiment/settings.ts';
import { type Workshop, withWorkshop } from '../../../library/experiment/workshop.ts';
import type { RunReference } from '../../../library/reference.ts';
import {
  type Parent,
  parentAt,
  requireSameEnvironment,
  requireStagesLeft,
} from '../../../producers/by-hand/forking.ts';
import { environmentOf } from '../../../producers/run/opening.ts';
import { isExternal } from '../../../producers/trainers/trainers.ts';
import type { Context } from '../../context.ts';
import { type Begun, conducted, requireAsked } from '../run.ts';
import { type Reached, reached, settingsReached } from './reached.ts';
import { started } from './stage.ts';

export interface ForkOptions
  extends Pick<SettingsOptions, 'engineer' | 'context' | 'stages' | 'seed' | 'onError' | 'name' | 'tag' | 'notes'>,
    ProgramOptions {
  readonly maxTokens?: number;
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export async function fork(context: Context, asked: RunReference, options: ForkOptions): Promise<number> {
  const { jobs: threads = availableParallelism(), spendingCap: cap = null, maxTokens } = options;
  const changes = settingsIn(options);
  const change = {
    ...fileFrom(changes, context.io.cwd),
    ...(maxTokens === undefined ? {} : { contextTokens: maxTokens }),
  };
  const gate = new ProgramGate(context.session, options);
  requireAsked(gate, change, changes, context.io.cwd);
  return await withWorkshop(context.session, { create: false, cap }, async (workshop) => {
    const place = await reached(workshop.ledger, asked);
    const begun = await forked(context, workshop, gate, place, change);
    const { name } = begun.settings;
    await context.say(`${name} goes off from ${place.name}@${place.stage.stage}, whose history it shares`);
    if (!isExternal(begun.settings.trainer)) return await conducted(context, workshop, begun, { threads, gate });
    return await started(context, workshop, begun, { threads, gate });
  });
}

/** Everything that can be wrong with it is known before anything is written. */
async function forked(
  context: Context,
  { ledger }: Workshop,
  gate: ProgramGate,
  place: Reached,
  change: Partial<RunSettings>,
): Promise<Begun> {
  const { history, stage } = place;
  const run = newRunId();
  const taken = await namesTaken(ledger);
  const name = change.name === undefined ? nameFor(run, taken) : checkedName(change.name, taken);
  // What its parent was for is not what it is for.
  const { notes: _, ...inherited } = settingsReached(place);
  const settings: RunSettings = { ...inherited, ...change, name };
  requireStagesLeft(history, stage.stage, settings);
  const parent: Parent = await parentAt(ledger, history, stage.stage);
  const about = { parent };
  gate.require(ledger, gate.of(settings, ['environment', 'trainer', 'engineer', 'policy']));
  gate.remember(ledger);
  const environment = await environmentOf(settings, gate.allow, context.signal);
  try {
    requireSameEnvironment(history, environment);
  } catch (fault) {
    await environment.close();
    throw fault;
  }
  return { run, settings, about, environment };
}
