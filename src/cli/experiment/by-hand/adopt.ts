// What `icecore adopt` does: records a person's decision with its reasons, given as `--reason 'KNOB: TEXT'` and `--cite ID` or
// `--cite KNOB=ID`.

import { z } from 'zod';
import type { AdoptResult } from '../../../../schemas/by-hand-output.ts';
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { type NextFile, nextFile } from '../../../../schemas/next-file.ts';
import type { JsonSchema } from '../../../../schemas/phrase.ts';
import { evidenceId as evidenceIdSchema } from '../../../../schemas/primitives.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { translate } from '../../../../schemas/translate.ts';
import { duration } from '../../../base/quantity.ts';
import type { Reason } from '../../../lab/engineers/engineer.ts';
import { isObject, UnknownKnob } from '../../../lab/environments/knobs.ts';
import { findRun } from '../../../ledger/runs.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import { ProgramGate, type ProgramOptions } from '../../../library/consent/programs.ts';
import { jsonIn } from '../../../library/experiment/settings.ts';
import { type Workshop, withWorkshop } from '../../../library/experiment/workshop.ts';
import type { RunReference } from '../../../library/reference.ts';
import {
  adoption,
  type Deciding,
  decided,
  requireDue,
  requireUsable,
  type Wished,
} from '../../../producers/by-hand/deciding.ts';
import { requireSameEnvironment, written } from '../../../producers/by-hand/forking.ts';
import type { RunHistory } from '../../../producers/history/run-history.ts';
import { environmentOf } from '../../../producers/run/opening.ts';
import { isExternal } from '../../../producers/trainers/trainers.ts';
import { actorOf } from '../../actor.ts';
import type { Context } from '../../context.ts';
import { printDocument } from '../../output/print.ts';
import { adoptedDocument } from './decision-view.ts';
import { type Reached, reached, settingsReached } from './reached.ts';

interface Typed {
  readonly reason?: readonly string[];
  readonly cite?: readonly string[];
}

/** Throws UnknownKnob. */
function reasonsTyped({ reason = [], cite = [] }: Typed, descriptor: Descriptor): Reason[] {
  const { environment } = descriptor;
  const knobs = descriptor.knobs.map(({ name }) => name);
  const reasons = new Map<string, string[]>();
  for (const text of reason) {
    const { knob, why } = reasonIn(text, knobs, environment);
    reasons.set(knob, [...(reasons.get(knob) ?? []), why]);
  }
  const cited = cite.map((text) => citationIn(text, knobs));
  const common = cited.find(({ knob }) => knob === null);
  if (common !== undefined && reasons.size === 0) throw nothingCites(common.evidenceId);
  const ofKnobs = cited.flatMap(({ knob }) => knob ?? []);
  return [...new Set([...reasons.keys(), ...ofKnobs])].map((knob) => {
    const own = cited.filter((one) => one.knob === knob || (one.knob === null && reasons.has(knob)));
    const cites = [...new Set(own.map(({ evidenceId }) => evidenceId))];
    return { knob, cites: cites.length === 0 ? null : cites, reason: reasons.get(knob)?.join('; ') ?? null };
  });
}

/** The longest knob it begins with: a name may have colons of its own. */
function reasonIn(text: string, knobs: readonly string[], environment: string): { knob: string; why: string } {
  const knob = knobs
    .filter((one) => text.trimStart().startsWith(`${one}:`))
    .toSorted((a, b) => b.length - a.length)
    .at(0);
  if (knob === undefined) {
    const [before = '', ...rest] = text.split(':');
    if (rest.length > 0) throw new UnknownKnob(environment, before.trim(), knobs);
    throw notAReason(text);
  }
  const why = text
    .trimStart()
    .slice(knob.length + 1)
    .trim();
  if (why === '') throw notAReason(text);
  return { knob, why };
}

function citationIn(text: string, knobs: readonly string[]): { knob: string | null; evidenceId: string } {
  const knob = knobs.find((one) => text.startsWith(`${one}=`)) ?? null;
  const evidenceId = knob === null ? text : text.slice(knob.length + 1);
  if (evidenceIdSchema.safeParse(evidenceId).success) return { knob, evidenceId };
  throw new IcecoreError('usage', `--cite: found "${text}", allowed: ID or KNOB=ID`, {
    facts: { field: '--cite', found: text },
    remedy: 'An ID is an evidence id of the context, for example F3 or B8.valid.',
  });
}

function notAReason(text: string): IcecoreError {
  return new IcecoreError('usage', `--reason: found "${text}", allowed: KNOB: TEXT`, {
    facts: { field: '--reason', found: text },
    remedy: "For example --reason '8.hole: too many falls'.",
  });
}

function nothingCites(evidenceId: string): IcecoreError {
  return new IcecoreError('usage', `--cite ${evidenceId}: there is no reason that it could belong to`, {
    facts: { field: '--cite', found: evidenceId },
    remedy: `Give one with --reason, or name the knob: --cite ${shellWord(`KNOB=${evidenceId}`)}`,
  });
}

interface AdoptOptions extends ProgramOptions {
  readonly reason?: readonly string[];
  readonly cite?: readonly string[];
  readonly run?: RunReference;
  readonly actor?: string;
}

export async function adopt(context: Context, file: string, options: AdoptOptions): Promise<number> {
  const actor = actorOf(options.actor);
  const read = jsonIn(file, context.io.cwd, 'FILE');
  const gate = new ProgramGate(context.session, options);
  return await withWorkshop(context.session, { create: false, cap: null }, async (workshop) => {
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
