// What `icecore adopt` does: records what a person decided on the configuration of the next stage, and why.

import { z } from 'zod';
import type { AdoptResult } from '../../../../schemas/by-hand-output.ts';
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { type NextFile, nextFile } from '../../../../schemas/next-file.ts';
import type { JsonSchema } from '../../../../schemas/phrase.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { translate } from '../../../../schemas/translate.ts';
import { duration } from '../../../base/quantity.ts';
import type { Reason } from '../../../lab/engineers/engineer.ts';
import { isObject } from '../../../lab/environments/knobs.ts';
import { findRun } from '../../../ledger/runs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import {
  adoption,
  type Deciding,
  decided,
  requireDue,
  requireUsable,
  type Wished,
} from '../../../producers/by-hand/deciding.ts';
import { written } from '../../../producers/by-hand/in-hand.ts';
import { requireSameEnvironment } from '../../../producers/by-hand/same-environment.ts';
import type { RunHistory } from '../../../producers/run/history.ts';
import { environmentOf } from '../../../producers/run/opening.ts';
import { isExternal } from '../../../producers/trainers/external.ts';
import { actorOf } from '../../actor.ts';
import { ProgramGate, type ProgramOptions } from '../../consent/programs.ts';
import type { Context } from '../../context.ts';
import { printDocument } from '../../output/print.ts';
import type { RunReference } from '../../runs/reference.ts';
import { jsonIn } from '../json-file.ts';
import { type Workshop, withWorkshop } from '../workshop.ts';
import { adoptedDocument } from './decision-view.ts';
import { type Reached, reached, settingsReached } from './reached.ts';
import { reasonsTyped } from './reasons-typed.ts';

export interface AdoptOptions extends ProgramOptions {
  readonly reason?: readonly string[];
  readonly cite?: readonly string[];
  readonly run?: RunReference;
  readonly actor?: string;
}

export async function adopt(context: Context, file: string, options: AdoptOptions): Promise<number> {
  const actor = actorOf(options.actor);
  const read = jsonIn(file, context.io.cwd, 'FILE');
  const gate = new ProgramGate(context, options);
  return await withWorkshop(context, { create: false, cap: null }, async (workshop) => {
    const next = isNext(read) ? checked(read, file) : null;
    const place = await meant(workshop, next, options.run, file);
    const settings = settingsReached(place);
    const descriptor = descriptorOf(place);
    const typed = reasonsTyped(options, descriptor);
    const { history, stage } = place;
    const wished = wishedIn(next, read, typed);
    const deciding: Deciding = { history, stage, stages: settings.stages, descriptor, wished, from: file };
    const data = decided(deciding);
    gate.require(workshop.ledger, gate.of(settings, ['environment']));
    await requireTakes(context, gate, settings, history, data, file);
    const result = await record(context, workshop, place, deciding, data, actor);
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result, isExternal(settings.trainer));
    return 0;
  });
}

function descriptorOf({ name, history }: Reached): Descriptor {
  const descriptor = history.started?.data.descriptor;
  if (descriptor !== undefined) return descriptor;
  throw new IcecoreError('unsupported', `${name} does not say what its environment is: nobody can decide for it`, {
    facts: { run: history.run },
  });
}

/** The environment has the last word, as it is now. */
async function requireTakes(
  { signal }: Context,
  { allow }: ProgramGate,
  settings: RunSettings,
  history: RunHistory,
  { configuration }: EventData['ConfigAdopted'],
  file: string,
): Promise<void> {
  const environment = await environmentOf(settings, allow, signal);
  try {
    requireSameEnvironment(history, environment);
    await requireUsable(environment, configuration, file, signal);
  } finally {
    await environment.close();
  }
}

/** A configuration alone has no key of that name beside the others. */
function isNext(read: unknown): boolean {
  return isObject(read) && isObject(read['configuration']);
}

function checked(read: unknown, file: string): NextFile {
  const { data, error } = nextFile.safeParse(read);
  if (data !== undefined) return data;
  const issues = translate(error.issues, read, z.toJSONSchema(nextFile) as JsonSchema);
  const told = issues.map(({ field, found, allowed }) => `${field}: found ${found}, allowed: ${allowed}`).join('; ');
  throw new IcecoreError('bad-input', `${file}: ${told}`, {
    facts: { path: file, issues },
    remedy: 'It is a whole configuration, or what icecore propose --output writes.',
  });
}

/** The stage that a file was made for; where it says nothing of that, the last that is over. */
async function meant(
  { ledger }: Workshop,
  next: NextFile | null,
  asked: RunReference | undefined,
  file: string,
): Promise<Reached> {
  if (asked !== undefined && next?.run !== undefined) {
    const [one, other] = [await findRun(ledger, asked.run), await findRun(ledger, next.run)];
    if (one.run !== other.run) throw contradiction(asked, `run ${other.name}`, file);
  }
  if (asked !== undefined && asked.stage !== null && next?.stage !== undefined && asked.stage !== next.stage) {
    throw contradiction(asked, `stage ${next.stage}`, file);
  }
  const stage = asked?.stage ?? next?.stage ?? null;
  const run = asked?.run ?? next?.run ?? 'latest';
  return await reached(ledger, { run, stage });
}

function contradiction({ run, stage }: RunReference, made: string, file: string): IcecoreError {
  const named = stage === null ? run : `${run}@${stage}`;
  return new IcecoreError('usage', `--run ${named}: ${file} was made for ${made}`, {
    facts: { field: '--run', found: named, path: file },
    remedy: 'Leave --run out, or ask anew with icecore propose.',
  });
}

function wishedIn(next: NextFile | null, read: unknown, typed: readonly Reason[]): Wished {
  return {
    configuration: next === null ? read : next.configuration,
    current: next?.current ?? null,
    context: next?.context ?? null,
    proposal: next?.proposal ?? null,
    reasons: [...typed, ...reasonsIn(next?.reasons)],
    kept: [...typed, ...reasonsIn(next?.kept)],
    rationale: next?.rationale ?? null,
  };
}

function reasonsIn(reasons: NextFile['reasons'] = {}): Reason[] {
  return Object.entries(reasons).map(([knob, { cites = null, reason = null }]) => ({ knob, cites, reason }));
}

async function record(
  context: Context,
  { ledger, blobs }: Workshop,
  { run, name }: Reached,
  deciding: Deciding,
  data: EventData['ConfigAdopted'],
  actor: string,
): Promise<AdoptResult> {
  const onWait = (holder: string, seconds: number): void =>
    void context.say(`${holder} has the run; waiting ${duration(seconds)} to see whether it still works on it`);
  const { stage } = deciding.stage;
  const history = await written({ ledger, blobs, run, actor, signal: context.signal, onWait }, [
    (now) => {
      requireDue({ ...deciding, history: now });
      return adoption(data, deciding.stage, actor);
    },
  ]);
  const adopted = history.stages.find((one) => one.stage === stage)?.adopted;
  if (adopted === undefined || adopted === null) throw new Error('what was adopted is not in the history');
  const recorded = { event: adopted.id, stream: streamOf.run(run), revision: adopted.revision };
  return { ledger: ledger.url, run, name, stage, adopted: adopted.data, recorded };
}

async function tell(context: Context, result: AdoptResult, isTrainedElsewhere: boolean): Promise<void> {
  await printDocument(context, adoptedDocument(result));
  const name = shellWord(result.name);
  await context.hint(isTrainedElsewhere ? `next: icecore stage start ${name}` : `next: icecore resume ${name}`);
}
