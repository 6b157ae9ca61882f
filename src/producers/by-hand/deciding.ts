// Records the configuration that a person chose for the next stage. It is used unchanged or refused: nothing is filled
// in or clamped. Its reasons cite a context that was recorded for that decision.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { shellWord } from '../../base/shell-word.ts';
import { changedSettings, decisionOn } from '../../lab/engineers/decision.ts';
import type { Reason } from '../../lab/engineers/engineer.ts';
import { checkConfiguration, differences } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { knobNamed, recordedConfiguration } from '../../lab/environments/knobs.ts';
import { nameOfForm } from '../contexts/forms.ts';
import { editedIn, givenIn, hasReason } from '../history/decisions.ts';
import { nameOf } from '../history/name.ts';
import { type Recorded, type RunHistory, type StageHistory, stageAt } from '../history/run-history.ts';
import { nothingComes } from '../proposals/asking.ts';
import type { Decision } from '../run/journal.ts';

type Context = Recorded<'ContextRecorded'>;

/** `decision`: RUN@K. The one with this digest is tried first; null where nothing is cited and none was named. Throws UnknownEvidenceIds. */
function contextCited(
  decision: string,
  { contexts }: StageHistory,
  reasons: readonly Reason[],
  digest: string | null,
): Context | null {
  const cited = new Set(reasons.flatMap(({ cites }) => cites ?? []));
  const named = contexts.find(({ data }) => data.digest === digest) ?? null;
  if (cited.size === 0) return named;
  const inOrder = named === null ? contexts : [named, ...contexts];
  const hasAll = ({ data }: Context): boolean =>
    [...cited].every((evidenceId) => Object.hasOwn(data.evidenceIds, evidenceId));
  const found = inOrder.find(hasAll);
  if (found === undefined) throw new UnknownEvidenceIds(decision, [...cited], inOrder);
  return found;
}

class UnknownEvidenceIds extends IcecoreError {
  override readonly name = 'UnknownEvidenceIds';

  constructor(decision: string, cited: readonly string[], contexts: readonly Context[]) {
    const [first] = contexts;
    const known = Object.keys(first?.data.evidenceIds ?? {});
    const missing = cited.filter((evidenceId) => !known.includes(evidenceId));
    const near = nearestNames(missing[0] ?? '', known);
    const form = first?.data.contextForm.name ?? first?.data.contextForm.modules.join(',');
    const where =
      first === undefined
        ? 'no context is recorded for this decision, so nothing can be cited'
        : `not ${missing.length === 1 ? 'an evidence id' : 'evidence ids'} of the context ${form} recorded for it`;
    super('not-found', `${decision}: ${missing.join(', ')}: ${where}`, {
      facts: { decision, missing, nearest: near, form: form ?? null },
      remedy: remedyFor(decision, near, form),
    });
  }
}

function remedyFor(decision: string, near: readonly string[], form: string | undefined): string {
  if (form === undefined)
    return `icecore propose ${shellWord(decision)} asks an engineer and records what it is shown.`;
  return didYouMean(near, `icecore context ${shellWord(decision)} shows them.`);
}

export interface Wished {
  readonly configuration: unknown;
  /** The digest of the configuration that it is based on; null if it does not say. */
  readonly current: string | null;
  readonly context: string | null;
  readonly proposal: string | null;
  /** Of changed or kept knobs; the first of several for the same knob counts. */
  readonly reasons: readonly Reason[];
  /** The kept knobs, if it lists them. */
  readonly kept: readonly Reason[];
  readonly rationale: string | null;
}

export interface Deciding {
  readonly history: RunHistory;
  /** The last complete stage: the one after it is decided. */
  readonly stage: StageHistory;
  /** The total number of stages. */
  readonly stages: number;
  readonly descriptor: Descriptor;
  readonly wished: Wished;
  /** The source of the configuration as the user named it. */
  readonly from: string;
}

type Adopted = EventData['ConfigAdopted'];

export interface Decided {
  readonly data: Adopted;
  /** The knobs whose reasons in the proposal were left out, because the person set other values. */
  readonly leftOut: readonly string[];
}

/**
 * Checks what the run's record allows to check. Throws NotDue, MadeForAnother, NotAdoptable, UnknownKnob and
 * UnknownLabels.
 */
export function decided(deciding: Deciding): Decided {
  const { history, stage, descriptor, wished, from } = deciding;
  requireDue(deciding);
  const current = stage.started.data.configuration;
  if (current === undefined) throw new Error(`nothing is recorded of the configuration of stage ${stage.stage}`);
  if (wished.current !== null && wished.current !== current.digest) throw new MadeForAnother(deciding);
  for (const { knob } of wished.reasons) knobNamed(descriptor, knob);
  const { configuration, reasons, kept: keptOnPurpose, rationale } = wished;
  const issues = checkConfiguration(descriptor, configuration, current.whole);
  if (issues.length > 0) throw new NotAdoptable(from, issues);
  const proposed = { configuration, reasons, kept: [...reasons, ...keptOnPurpose], predictions: null, rationale };
  const made = decisionOn(descriptor, current.whole, proposed, (whole) =>
    changedSettings(descriptor, current.whole, whole),
  );
  if ('issues' in made) throw new NotAdoptable(from, made.issues);
  const adopted = recordedConfiguration(descriptor, made.decision.configuration);
  const proposal = stage.proposals.find(({ id }) => id === wished.proposal) ?? null;
  const edited = editedIn(descriptor, proposal, adopted);
  const said = { ...made.decision, rationale };
  const { changes, kept, leftOut, ...stated } =
    proposal === null || edited === null ? { ...said, leftOut: [] } : withoutOutdated(said, proposal, edited);
  const cited = contextCited(decisionAfter(history, stage), stage, [...changes, ...(kept ?? [])], wished.context);
  const data: Adopted = {
    by: 'human',
    proposal: proposal?.id ?? null,
    context: cited === null ? null : referenceTo(cited),
    configuration: adopted,
    previous: current.digest,
    changes,
    kept: kept === null || kept.length === 0 ? null : kept,
    // Of the values that came from the proposal as it was clamped.
    clamps: proposal?.data.clamps.filter(({ knob }) => edited?.includes(knob) !== true) ?? [],
    rationale: stated.rationale,
  };
  return { data, leftOut };
}

type Stated = Pick<Adopted, 'changes' | 'kept' | 'rationale'>;

/** Without what the engineer said of values that the person then edited; the person's own reasons stay. */
function withoutOutdated(
  { changes, kept, rationale }: Stated,
  proposal: Recorded<'ProposalRecorded'>,
  edited: readonly string[],
): Stated & Pick<Decided, 'leftOut'> {
  const { data } = proposal;
  const isGiven = givenIn(data);
  const isOutdated = (one: Reason): boolean => edited.includes(one.knob) && hasReason(one) && isGiven(one);
  return {
    changes: changes.map((one) => (isOutdated(one) ? { ...one, cites: null, reason: null } : one)),
    kept: kept?.filter((one) => !isOutdated(one)) ?? null,
    rationale: rationale === data.rationale ? null : rationale,
    leftOut: [...changes, ...(kept ?? [])].filter(isOutdated).map(({ knob }) => knob),
  };
}

function referenceTo({
  id,
  data: { digest, contextForm: form },
}: Recorded<'ContextRecorded'>): NonNullable<Adopted['context']> {
  return { digest, event: id, contextForm: nameOfForm(form) };
}

/** The check by the environment itself. Throws NotAdoptable. */
export async function requireUsable(
  environment: Environment,
  { whole }: Adopted['configuration'],
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const issues = environment.check(whole);
  if (issues.length > 0) throw new NotAdoptable(from, issues);
  const none = await nothingComes(environment, { seed: 'adopt', signal }, whole);
  if (none.length > 0) throw new NotAdoptable(from, none);
}

/** `mine@3`: the decision made from history through this stage. */
function decisionAfter(history: RunHistory, { stage }: StageHistory): string {
  return `${nameOf(history)}@${stage + 1}`;
}

/** The run's decision after the stage: one. */
export function adoption(data: Adopted, { stage }: StageHistory, actor: string): Decision {
  const causes = data.proposal === null ? [] : [{ event: data.proposal }];
  return { type: 'ConfigAdopted', stage, index: 0, actor, causes, data };
}

/** Checked again once the run is claimed, because another process may have decided meanwhile. */
export function requireDue({ history, stage, stages }: Pick<Deciding, 'history' | 'stage' | 'stages'>): void {
  const now = stageAt(history, stage.stage) ?? stage;
  if (now.adopted !== null)
    throw new NotDue(history, now, `${next(now)} is decided already: ${describeDecision(now.adopted.data)}`);
  if (history.completed !== null) throw new NotDue(history, now, `${nameOf(history)} is completed`);
  if (now.stage >= stages) throw new NotDue(history, now, `stage ${now.stage} is the last of ${nameOf(history)}`);
}

function next({ stage }: StageHistory): string {
  return `the configuration of stage ${stage + 1}`;
}

const mostListed = 4;

function describeDecision({ by, changes }: Pick<Adopted, 'by' | 'changes'>): string {
  return `by ${by}, ${changes.length === 0 ? 'nothing changes' : listed(changes)}`;
}

type Turn = Pick<Adopted['changes'][number], 'knob' | 'from' | 'to'>;

function listed(turns: readonly Turn[]): string {
  const listed = turns.slice(0, mostListed).map(({ knob, from, to }) => `${knob} ${shortly(from)} → ${shortly(to)}`);
  return [...listed, ...(turns.length > mostListed ? [`${turns.length - mostListed} more`] : [])].join(', ');
}

function shortly(value: number | null): string {
  return value === null ? 'none' : String(Number(value.toPrecision(4)));
}

/** The decision was made before, or the run has no stage left for it. */
class NotDue extends IcecoreError {
  override readonly name = 'NotDue';

  constructor(history: RunHistory, before: StageHistory, what: string) {
    const decision = shellWord(decisionAfter(history, before));
    super('conflict', what, {
      facts: { run: history.run, stage: before.stage + 1 },
      remedy: `To decide it differently, make another run: icecore fork ${decision} --engineer human`,
    });
  }
}

/** A file that is based on a configuration that is no longer current. */
class MadeForAnother extends IcecoreError {
  override readonly name = 'MadeForAnother';

  constructor({ history, stage, descriptor, wished, from }: Deciding) {
    const decision = decisionAfter(history, stage);
    const now = stage.started.data.configuration;
    const before = history.stages.find(({ started }) => started.data.configuration?.digest === wished.current);
    const since = before?.started.data.configuration?.whole;
    const changed = since === undefined || now === undefined ? [] : differences(descriptor, since, now.whole);
    const what =
      before === undefined ? 'that this run never had' : `of stage ${before.stage}; since then ${listed(changed)}`;
    super('conflict', `${from} was made for a configuration that ${decision} does not start from, one ${what}`, {
      facts: { run: history.run, stage: stage.stage + 1, found: wished.current, allowed: now?.digest ?? null, changed },
      remedy: `Ask again: icecore propose ${shellWord(decision)} --output ${shellWord(from)}`,
    });
  }
}

const mostIssues = 8;

class NotAdoptable extends IcecoreError {
  override readonly name = 'NotAdoptable';
  readonly issues: readonly Issue[];

  constructor(from: string, issues: readonly Issue[]) {
    const listed = issues
      .slice(0, mostIssues)
      .map(({ field, found, allowed }) => `${field === '' ? 'the whole' : field}: found ${found}, allowed: ${allowed}`);
    const more = issues.length > mostIssues ? [`and ${issues.length - mostIssues} more`] : [];
    super('bad-input', `${from}: ${[...listed, ...more].join('; ')}`, {
      facts: { path: from, issues },
      remedy: 'Give the complete configuration; nothing is filled in or clamped.',
    });
    this.issues = issues;
  }
}
