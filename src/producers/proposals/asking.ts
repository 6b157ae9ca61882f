// Asks an engineer one question and returns a scored proposal, a rejection, or an error, which decides nothing.
import { codeOf, type EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { changedSettings, type Decision, decisionOn } from '../../lab/engineers/decision.ts';
import {
  type Answer,
  type Engineer,
  EngineerFailed,
  type NoProposal,
  type Proposal,
  type ProposalRequest,
  type ShownContext,
  type Spent,
} from '../../lab/engineers/engineer.ts';
import { boundedIssues, boundedRaw } from '../../lab/engineers/proposal-reading.ts';
import { ProgramRefused } from '../../lab/environments/command/faults.ts';
import { BadConfiguration, type Configuration, type Environment } from '../../lab/environments/environment.ts';
import { recordedConfiguration } from '../../lab/environments/knobs.ts';
import { type Clock, pause, systemClock } from '../../lab/models/clock.ts';
import { ModelFault } from '../../lab/models/faults.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { ProgramFault, ProgramNotStarted } from '../../lab/programs/program.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import { nameOfForm } from '../contexts/forms.ts';
import { scoresOf } from './scores.ts';

export class EngineerErrored extends IcecoreError {
  override readonly name = 'EngineerErrored';
  /** The data of its event. */
  readonly errored: EventData['ProposalErrored'];

  constructor(errored: EventData['ProposalErrored'], remedy: string) {
    const { engineer, error } = errored;
    super('unavailable', error.message, { facts: { engineer: engineer.name, error: error.kind }, remedy });
    this.errored = errored;
  }
}

/** The maximum number of tries, with pauses of 5, 15, 45 and 135 seconds. */
export const mostTries = 5;
const firstPauseMs = 5000;
const growth = 3;

interface Retrying {
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** Called before each pause. */
  readonly onRetry?: (why: string, seconds: number) => Promise<void>;
}

/** A crashed program or an unavailable endpoint, after the retries of its own client. */
function mayPass(fault: unknown): fault is IcecoreError {
  const isHopeless = fault instanceof ModelFault && fault.isHopeless;
  return fault instanceof IcecoreError && fault.kind === 'unavailable' && !isHopeless;
}

/** Throws the error of the last try, or the signal's reason. */
export async function retried<Result>(
  work: () => Promise<Result>,
  { signal, clock = systemClock, onRetry }: Retrying,
): Promise<Result> {
  for (let made = 1; ; made++) {
    try {
      return await work();
    } catch (fault) {
      if (!mayPass(fault) || made === mostTries) throw fault;
      signal.throwIfAborted();
      const wait = firstPauseMs * growth ** (made - 1);
      await onRetry?.(fault.message, wait / 1000);
      await pause(clock, wait, signal);
    }
  }
}

type Proposed = EventData['ProposalRecorded'];
type Rejected = EventData['ProposalRejected'];

export interface EngineerQuestion {
  readonly engineer: Engineer;
  readonly environment: Environment;
  readonly asked: ProposalRequest;
  /** The ContextRecorded event of the context, and its content; null if the engineer reads none. */
  readonly context: {
    readonly event: string;
    readonly recorded: EventData['ContextRecorded'];
    readonly shown: ShownContext;
  } | null;
  /** The checkpoint to ask, as events name it; null if there is none. */
  readonly snapshot: Checkpoint | null;
  /** Used to score proposals, and never shown. */
  readonly probeHoldout: EventData['EvaluationRecorded'] | null;
  /** Probe rates, whether they are shown or not. */
  readonly behaviour: EventData['SummaryRecorded']['facts'];
}

export type EngineerResult = { readonly proposed: Proposed } | { readonly rejected: Rejected };

/** Throws EngineerErrored if the engineer could not answer. */
export async function ask(asking: EngineerQuestion): Promise<EngineerResult> {
  const { asked } = asking;
  const begun = performance.now();
  const taken = (): number => Number(((performance.now() - begun) / 1000).toFixed(3));
  const answer = await answerOf(asking, taken);
  const seconds = taken();
  if ('rejected' in answer) return { rejected: rejectedBy(asking, answer.rejected, seconds) };
  const { proposal } = answer;
  const made = decidedBy(proposal, asked, asking.environment);
  if ('issues' in made) return { rejected: unusable(asking, proposal, 'invalid', made.issues, seconds) };
  const issues = await nothingComes(asking.environment, asked, made.decision.configuration);
  if (issues.length > 0) return { rejected: unusable(asking, proposal, 'impossible', issues, seconds) };
  return { proposed: proposedBy(asking, proposal, made.decision, seconds) };
}

/** The decision that a proposal amounts to, or its issues. */
export function decidedBy(
  proposal: Proposal,
  { descriptor, current }: Pick<ProposalRequest, 'descriptor' | 'current'>,
  environment: Environment,
): ReturnType<typeof decisionOn> {
  return decisionOn(descriptor, current, proposal, (configuration) => [
    ...changedSettings(descriptor, current, configuration),
    ...environment.check(configuration),
  ]);
}

async function answerOf(asking: EngineerQuestion, taken: () => number): Promise<Answer> {
  try {
    return await asking.engineer.propose(asking.asked);
  } catch (fault) {
    if (!(fault instanceof EngineerFailed)) throw fault;
    const { failure, message, raw, spent, remedy } = fault;
    const errored = { ...askedFields(asking, spent, taken()), error: { kind: failure, message }, raw: boundedRaw(raw) };
    throw new EngineerErrored(errored, remedy);
  }
}

/** The number of tasks generated to test a configuration. */
const tried = 16;

/**
 * Issues of a configuration that passes all checks but yields no tasks. A program that refuses the configuration or
 * crashes on it is one case; the next request restarts the program.
 */
export async function nothingComes(
  environment: Environment,
  { seed, signal }: Pick<ProposalRequest, 'seed' | 'signal'>,
  configuration: Configuration,
): Promise<readonly Issue[]> {
  const stop = signal === undefined ? {} : { signal };
  const tasks = environment.generate({ configuration, split: 'train', count: tried, seed, ...stop });
  try {
    for (;;) {
      const next = await tasks.next();
      if (next.done !== true) return [];
      const why = next.value.map(({ says }) => says);
      return nothing([...new Set(why)].join('; ') || 'no task was generated');
    }
  } catch (fault) {
    signal?.throwIfAborted();
    if (fault instanceof BadConfiguration) return fault.issues as readonly Issue[];
    if (fault instanceof ProgramRefused) return nothing(fault.says);
    if (fault instanceof ProgramFault && !(fault instanceof ProgramNotStarted)) return nothing(fault.message);
    throw fault;
  } finally {
    await tasks.return([]);
  }
}

function nothing(why: string): readonly Issue[] {
  const allowed = 'a configuration from which tasks can be generated';
  return [{ field: 'configuration', found: `no tasks: ${why}`, allowed }];
}

function proposedBy(asking: EngineerQuestion, proposal: Proposal, decision: Decision, seconds: number): Proposed {
  const { asked, context, probeHoldout, behaviour } = asking;
  const { configuration, ...adoption } = decision;
  return {
    ...askedFields(asking, proposal, seconds),
    configuration: recordedConfiguration(asked.descriptor, configuration),
    ...adoption,
    predictions: proposal.predictions,
    scores: scoresOf({
      descriptor: asked.descriptor,
      current: asked.current,
      decision,
      predictions: proposal.predictions,
      evidenceIds: context?.recorded.evidenceIds ?? null,
      behaviour,
      probeHoldout,
    }),
  };
}

function rejectedBy(asking: EngineerQuestion, rejected: NoProposal, seconds: number): Rejected {
  const { reason, issues, raw } = rejected;
  return { ...askedFields(asking, rejected, seconds), reason, issues: boundedIssues(issues), raw: boundedRaw(raw) };
}

/** For an answer with a valid form; its raw text is in the model's answers or is the configuration itself. */
function unusable(
  asking: EngineerQuestion,
  proposal: Proposal,
  reason: Rejected['reason'],
  issues: readonly Issue[],
  seconds: number,
): Rejected {
  const text = JSON.stringify(proposal.configuration) ?? 'undefined';
  return {
    ...askedFields(asking, proposal, seconds),
    reason,
    issues: boundedIssues(issues),
    raw: boundedRaw({ text }),
  };
}

function askedFields(
  { engineer, snapshot, context, asked: { sample } }: EngineerQuestion,
  spent: Spent,
  seconds: number,
) {
  const { answers, usage, cost, measured } = spent;
  const exemplars = context?.recorded.exemplars;
  return {
    engineer: { ...engineer.identity, ...(snapshot === null ? {} : { checkpoint: snapshot }) },
    context:
      context === null
        ? null
        : {
            digest: context.recorded.digest,
            event: context.event,
            contextForm: nameOfForm(context.recorded.contextForm),
            ...(exemplars === undefined ? {} : { exemplars: exemplars.shown }),
          },
    ...(answers === undefined ? {} : { answers: answers.map(withEvent) }),
    sample,
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    measured: { ...measured, seconds },
  };
}

/** The id of an answer's event follows from its key. */
function withEvent({ key }: NonNullable<Proposed['answers']>[number]): NonNullable<Proposed['answers']>[number] {
  return { key, event: eventId({ run: key, stage: 0, kind: codeOf('ModelAnswered'), index: 0 }) };
}
