// The next decision of a run: what a person needs to make it, and a decision that says only what changes.
import type { AdoptResult } from '../../../schemas/by-hand-output.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { NextFile } from '../../../schemas/next-file.ts';
import type { DecisionSent, NextDecision } from '../../../schemas/next-output.ts';
import type { ReadonlyDeep } from '../../../schemas/readonly.ts';
import { standingOf } from '../../analysis/history/runs.ts';
import { differences } from '../../lab/environments/configuration.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import { knobNamed, knobValue, withKnob } from '../../lab/environments/knobs.ts';
import { requireDue } from '../../producers/by-hand/deciding.ts';
import { nameOfForm } from '../../producers/contexts/forms.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';
import { withLedgerToAnswer } from '../opening/ledger.ts';
import type { RunReference } from '../reference.ts';
import type { Session } from '../session.ts';
import { adopt, type Reasons } from './adopt.ts';
import { type NamedDecision, namedDecision } from './decision.ts';
import { recordedSettings } from './settings.ts';

/** `run`: RUN, or RUN@K for its decision about stage K; defaults to the latest run. */
export async function nextDecision(session: Session, run?: string | RunReference): Promise<NextDecision> {
  return await withLedgerToAnswer(session, async (ledger) => {
    const place = await namedDecision(session, ledger, run);
    const { state, holder, waiting } = await standingOf(ledger, place.history);
    const { history, stage } = place;
    const descriptor = descriptorOf(place);
    const current = configurationOf(place);
    const settings = recordedSettings(history);
    const stages = settings?.stages ?? history.started?.data.stages ?? stage.stage;
    const note = settings === null ? ofAnother(place) : whyNotDue(() => requireDue({ history, stage, stages }));
    return {
      ledger: ledger.url,
      ...{ run: place.run, name: place.name, environment: descriptor.environment },
      engineer: history.started?.data.engineer?.name ?? null,
      ...{ state, stage: place.decides, stages, due: note === null, note },
      own: settings !== null,
      waiting: waiting?.for === 'decision' && waiting.stage === place.decides,
      holder,
      current: current.digest,
      configuration: { ...current.whole },
      knobs: descriptor.knobs.map((knob) => ({
        ...{ knob: knob.name, meaning: knob.meaning, family: knob.family },
        value: knobValue(current.whole, knob) ?? null,
        ...{ min: knob.range.min, max: knob.range.max, step: knob.step, integer: knob.integer ?? false },
        harder: knob.harder ?? null,
        may_change: knob.range.min < knob.range.max,
      })),
      shares: (descriptor.sharesSum ?? []).map(({ knobs, total }) => ({ knobs: [...knobs], total })),
      proposals: proposalsOf(stage),
      contexts: stage.contexts.map(({ id, data }) => ({
        ...{ event: id, digest: data.digest, form: nameOfForm(data.contextForm) },
        evidence_ids: Object.keys(data.evidenceIds).length,
      })),
    };
  });
}

function descriptorOf(place: NamedDecision): Descriptor {
  const descriptor = place.history.started?.data.descriptor;
  if (descriptor !== undefined) return descriptor;
  throw noDecision(place, 'its environment is recorded without a descriptor');
}

type StageConfiguration = NonNullable<StageHistory['started']['data']['configuration']>;

function configurationOf(place: NamedDecision): StageConfiguration {
  const { stage, started } = place.stage;
  const current = started.data.configuration;
  if (current !== undefined) return current;
  throw noDecision(place, `nothing is recorded of the configuration of stage ${stage}`);
}

function noDecision({ run, name, decides }: NamedDecision, why: string): IcecoreError {
  return new IcecoreError('not-found', `${name} has no next decision: ${why}`, { facts: { run, stage: decides } });
}

function ofAnother({ name }: NamedDecision): string {
  return `another program recorded ${name}, so icecore cannot continue it`;
}

function whyNotDue(require: () => void): string | null {
  try {
    require();
    return null;
  } catch (fault) {
    if (fault instanceof IcecoreError) return fault.message;
    throw fault;
  }
}

function proposalsOf({ proposals }: StageHistory): NextDecision['proposals'] {
  return proposals.map(({ id, envelope, data }) => ({
    ...{ event: id, at: envelope.at, actor: envelope.actor, engineer: data.engineer.name },
    context: data.context?.digest ?? null,
    configuration: mutable(data.configuration),
    changes: data.changes.map(({ knob, from, to, reason, cites }) => ({
      ...{ knob, from, to, reason },
      cites: cites === null ? null : [...cites],
    })),
    rationale: data.rationale,
  }));
}

function mutable({ digest, whole, knobs }: StageConfiguration): NextDecision['proposals'][number]['configuration'] {
  return { digest, whole: { ...whole }, knobs: knobs.map((knob) => ({ ...knob })) };
}

/** Records a decision that may say only what changes, as `adopt` records a whole configuration. */
export async function decide(
  session: Session,
  run: string | RunReference,
  decision: ReadonlyDeep<DecisionSent>,
): Promise<AdoptResult> {
  const { changes, reason, cites, actor, ...given } = decision;
  requireOne('configuration', given.configuration, 'changes', changes);
  if (reason !== undefined && given.rationale !== undefined) throw notOne('both of reason and rationale', 'reason');
  const place = await withLedgerToAnswer(session, (ledger) => namedDecision(session, ledger, run));
  if (recordedSettings(place.history) === null)
    throw new IcecoreError('conflict', ofAnother(place), {
      facts: { run: place.run, stage: place.decides },
      remedy: 'Decide where the run is made, and send its events to the ledger.',
    });
  const descriptor = descriptorOf(place);
  const current = configurationOf(place);
  const configuration = given.configuration ?? changed(current.whole, changes ?? {}, descriptor);
  const touched = differences(descriptor, current.whole, configuration).map(({ knob }) => knob);
  const file: ReadonlyDeep<NextFile> = {
    ...given,
    ...{ configuration, run: place.run, stage: given.stage ?? place.decides },
    current: given.current ?? current.digest,
    reasons: citing(given.reasons ?? {}, touched, cites),
    rationale: given.rationale ?? reason ?? null,
  };
  return await adopt(session, file, { run, ...(actor === undefined ? {} : { actor }) });
}

function requireOne(one: string, found: unknown, other: string, otherFound: unknown): void {
  if ((found === undefined) !== (otherFound === undefined)) return;
  throw notOne(`${found === undefined ? 'neither' : 'both'} of ${one} and ${other}`, one);
}

function notOne(found: string, field: string): IcecoreError {
  return new IcecoreError('bad-input', `the decision: found ${found}, allowed: one of them`, {
    facts: { field, found, allowed: 'one of them' },
  });
}

/** Throws UnknownKnob. */
function changed(
  current: Configuration,
  changes: Readonly<Record<string, number>>,
  descriptor: Descriptor,
): Configuration {
  return Object.entries(changes).reduce(
    (whole, [knob, value]) => withKnob(whole, knobNamed(descriptor, knob), value),
    current,
  );
}

/** The reasons, with evidence for each change that has none of its own. */
function citing(reasons: Reasons, touched: readonly string[], cites: readonly string[] | undefined): Reasons {
  if (cites === undefined) return reasons;
  const cited = touched.map((knob) => {
    const own = reasons[knob];
    return [knob, { reason: own?.reason ?? null, cites: own?.cites ?? cites }] as const;
  });
  return { ...reasons, ...Object.fromEntries(cited) };
}
