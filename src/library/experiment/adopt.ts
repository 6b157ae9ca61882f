// Records a person's decision on the next configuration, with its reasons.
import { z } from 'zod';
import type { AdoptResult } from '../../../schemas/by-hand-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { JsonSchema } from '../../../schemas/describe-schema.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { type NextFile, nextFile } from '../../../schemas/next-file.ts';
import type { ReadonlyDeep } from '../../../schemas/readonly.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { isExternal } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { translate } from '../../../schemas/translate.ts';
import { commandToContinue } from '../../base/continuing.ts';
import type { Reason } from '../../lab/engineers/engineer.ts';
import {
  adoption,
  type Decided,
  type Deciding,
  decided,
  requireDue,
  requireUsable,
  type Wished,
} from '../../producers/by-hand/deciding.ts';
import { requireSameEnvironment, written } from '../../producers/by-hand/forking.ts';
import { environmentOf } from '../../producers/run/opening.ts';
import { actorOf } from '../actor.ts';
import { ProgramGate, type ProgramOptions } from '../consent/programs.ts';
import { type RunReference, referenceTo } from '../reference.ts';
import { runNamed } from '../run-named.ts';
import { noticingHolder, type Session } from '../session.ts';
import { type NamedDecision, namedDecision } from './decision.ts';
import { type OpenExperiment, withExperiment } from './open.ts';
import { settingsOf } from './settings.ts';

/** Reasons for changing or keeping knobs, by knob: `{ '8.hole': { reason: 'too many falls', cites: ['F3'] } }`. */
export type Reasons = ReadonlyDeep<NonNullable<NextFile['reasons']>>;

/** The run to decide on, the actor, and the reasons. */
export interface AdoptOptions extends ProgramOptions {
  /** RUN or RUN@K (default: what the decision names, else the next decision of the latest run). */
  readonly run?: string | RunReference;
  /** Added to the decision's own reasons, which they override; a function receives the descriptor of the environment. */
  readonly reasons?: Reasons | ((descriptor: Descriptor) => Reasons);
  /** The actor, as `kind/identity` (default: the user of this process). */
  readonly actor?: string;
  /** The name of the decision in errors, such as the path of its file. */
  readonly source?: string;
}

/**
 * `decision`: a whole configuration, or an edited or unedited output of `propose`. It is used unchanged or refused: nothing is
 * filled in or clamped.
 */
export async function adopt(
  session: Session,
  decision: ReadonlyDeep<NextFile> | Readonly<Record<string, unknown>>,
  options: AdoptOptions = {},
): Promise<AdoptResult> {
  const actor = actorOf(options.actor);
  const { source = 'the decision', reasons = {} } = options;
  const gate = new ProgramGate(session, options);
  return await withExperiment(session, {}, async (experiment) => {
    const next = isNext(decision) ? checkedNext(decision, source) : null;
    const place = await stageOf(experiment, next, options.run, source);
    const settings = settingsOf(place.history);
    const descriptor = requireDescriptor(place);
    const given = reasonsIn(typeof reasons === 'function' ? reasons(descriptor) : reasons);
    const { history, stage } = place;
    const wished = wishedIn(next, decision, given);
    const deciding: Deciding = { history, stage, stages: settings.stages, descriptor, wished, from: source };
    const checked = decided(deciding);
    gate.require(experiment.ledger, await gate.of(settings, ['environment']));
    await requireEnvironmentTakes(session, gate, settings, deciding, checked.data);
    return await record(experiment, place, deciding, checked, actor);
  });
}

function requireDescriptor({ name, history }: NamedDecision): Descriptor {
  const descriptor = history.started?.data.descriptor;
  if (descriptor !== undefined) return descriptor;
  throw new IcecoreError('unsupported', `${name} has no descriptor of its environment, so no decision can be checked`, {
    facts: { run: history.run },
  });
}

/** The environment, as it is now, decides whether the configuration is valid. */
async function requireEnvironmentTakes(
  { plugins, signal, cwd }: Session,
  { allow }: ProgramGate,
  settings: RunSettings,
  { history, from }: Deciding,
  { configuration }: EventData['ConfigAdopted'],
): Promise<void> {
  const { registry } = await plugins.all();
  const environment = await environmentOf(settings, { allow, registry }, signal);
  try {
    requireSameEnvironment(history, environment, cwd);
    await requireUsable(environment, configuration, from, signal);
  } finally {
    await environment.close();
  }
}

/** A bare configuration has no key `configuration` next to others. */
function isNext(decision: unknown): boolean {
  return isObject(decision) && isObject(decision['configuration']);
}

function checkedNext(decision: unknown, source: string): NextFile {
  const { data, error } = nextFile.safeParse(decision);
  if (data !== undefined) return data;
  const issues = translate(error.issues, decision, z.toJSONSchema(nextFile) as JsonSchema);
  const all = issues.map(({ field, found, allowed }) => `${field}: found ${found}, allowed: ${allowed}`).join('; ');
  throw new IcecoreError('bad-input', `${source}: ${all}`, {
    facts: { path: source, issues },
    remedy: 'Write a whole configuration, or use what icecore propose --output writes.',
  });
}

/** The stage that the decision was made for; the last complete one if it names none. */
async function stageOf(
  { session, ledger }: OpenExperiment,
  next: NextFile | null,
  named: string | RunReference | undefined,
  source: string,
): Promise<NamedDecision> {
  const reference = named === undefined ? null : referenceTo(named);
  if (reference !== null && next?.run !== undefined) {
    const [one, other] = [await runNamed(session, ledger, reference.run), await runNamed(session, ledger, next.run)];
    if (one.run !== other.run) throw contradiction(reference, `run ${other.name}`, source);
  }
  const stage = reference?.stage ?? next?.stage ?? null;
  const place = await namedDecision(session, ledger, { run: reference?.run ?? next?.run ?? 'latest', stage });
  if (reference !== null && next?.stage !== undefined && next.stage !== place.decides) {
    throw contradiction(reference, `stage ${next.stage}`, source);
  }
  return place;
}

function contradiction({ run, stage }: RunReference, made: string, source: string): IcecoreError {
  const named = stage === null ? run : `${run}@${stage}`;
  return new IcecoreError('usage', `--run ${named}: ${source} was made for ${made}`, {
    facts: { field: '--run', found: named, path: source },
    remedy: 'Leave out the run, or ask again with icecore propose.',
    commandRemedy: 'Leave out --run, or ask again with icecore propose.',
  });
}

function wishedIn(next: NextFile | null, decision: unknown, given: readonly Reason[]): Wished {
  return {
    configuration: next === null ? decision : next.configuration,
    current: next?.current ?? null,
    context: next?.context ?? null,
    proposal: next?.proposal ?? null,
    reasons: [...given, ...reasonsIn(next?.reasons)],
    kept: [...given, ...reasonsIn(next?.kept)],
    rationale: next?.rationale ?? null,
  };
}

function reasonsIn(reasons: Reasons = {}): Reason[] {
  return Object.entries(reasons).map(([knob, { cites = null, reason = null }]) => ({ knob, cites, reason }));
}

async function record(
  { session, ledger, blobs }: OpenExperiment,
  { run, name, history, decides }: NamedDecision,
  deciding: Deciding,
  { data, leftOut }: Decided,
  actor: string,
): Promise<AdoptResult> {
  const { stage } = deciding.stage;
  const hand = { ledger, blobs, run, actor, signal: session.signal, onWait: noticingHolder(session) };
  const after = await written(hand, [
    (now) => {
      requireDue({ ...deciding, history: now });
      return adoption(data, deciding.stage, actor);
    },
  ]);
  const adopted = after.stages.find((one) => one.stage === stage)?.adopted;
  if (adopted === undefined || adopted === null) throw new Error('the adopted configuration is not in the history');
  const recorded = { event: adopted.id, stream: streamOf.run(run), revision: adopted.revision };
  const isTrainedElsewhere = isExternal(settingsOf(history).trainer);
  const next = commandToContinue(name, { isTrainedElsewhere, isTrained: false });
  return {
    ledger: ledger.url,
    run,
    name,
    stage: decides,
    adopted: adopted.data,
    leftOut: [...leftOut],
    recorded,
    next,
  };
}
