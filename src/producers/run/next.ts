// The next step of a run, determined only by the recorded history. Each step appends its result to the run's stream,
// and is not repeated once the result is recorded.
import type { TypeName } from '../../../schemas/catalogue.ts';
import type { RunHistory, StageHistory } from '../history/run-history.ts';
import { idOf } from './ids.ts';

/** The settings that determine the order of steps. */
export interface Course {
  readonly stages: number;
  /** The evaluations after each training, in order. */
  readonly evaluations: readonly string[];
  /** The summary modules, in order. */
  readonly summaries: readonly string[];
  /** Whether its engineer reads a context. */
  readonly hasContext: boolean;
  /** A person decides between stages, and the run waits. */
  readonly isByHand: boolean;
  /** If the engineer cannot answer, the configuration stays; otherwise the engineer is asked again. */
  readonly keepsOnError: boolean;
}

export type Step =
  | { readonly do: 'start' }
  | { readonly do: 'adopt-first' }
  | { readonly do: 'start-stage'; readonly stage: number }
  | { readonly do: 'train'; readonly stage: number }
  | { readonly do: 'evaluate'; readonly stage: number; readonly evaluation: string }
  | { readonly do: 'gather'; readonly stage: number }
  | { readonly do: 'summarise'; readonly stage: number; readonly module: string }
  | { readonly do: 'complete-stage'; readonly stage: number }
  | { readonly do: 'show'; readonly stage: number }
  | { readonly do: 'propose'; readonly stage: number }
  | { readonly do: 'wait'; readonly stage: number }
  | { readonly do: 'adopt'; readonly stage: number }
  | { readonly do: 'complete' };

/** Null if everything is done. */
export function nextStep(history: RunHistory, course: Course): Step | null {
  if (history.completed !== null) return null;
  if (history.started === null) return { do: 'start' };
  if (history.initial === null) return { do: 'adopt-first' };
  const last = history.stages.at(-1);
  if (last === undefined) return { do: 'start-stage', stage: 1 };
  const { stage } = last;
  const within = stepWithin(last, course) ?? (stage < course.stages ? stepAfter(history.run, last, course) : null);
  if (within !== null) return within;
  return stage < course.stages ? { do: 'start-stage', stage: stage + 1 } : { do: 'complete' };
}

function stepWithin(history: StageHistory, { evaluations, summaries }: Course): Step | null {
  const { stage } = history;
  if (history.completed !== null) return null;
  if (history.training === null) return { do: 'train', stage };
  const evaluation = evaluations.find((name) => !history.evaluations.some(({ data }) => data.suite.name === name));
  if (evaluation !== undefined) return { do: 'evaluate', stage, evaluation };
  if (history.sealed === null) return { do: 'gather', stage };
  const module = summaries.find((name) => !history.summaries.some(({ data }) => data.module === name));
  if (module !== undefined) return { do: 'summarise', stage, module };
  return { do: 'complete-stage', stage };
}

/**
 * Between two stages: one question, one answer, one decision. Questions asked by hand do not count: the run's own
 * question is the first of its kind.
 */
function stepAfter(run: string, history: StageHistory, course: Course): Step | null {
  const { hasContext, isByHand, keepsOnError } = course;
  const { stage } = history;
  const isOwn = (type: TypeName, events: readonly { readonly id: string }[]): boolean =>
    events.some(({ id }) => id === idOf(run, { type, stage, index: 0 }));
  if (history.adopted !== null) return null;
  if (isOwn('ProposalRecorded', history.proposals)) return { do: 'adopt', stage };
  if (isOwn('ProposalRejected', history.rejections)) return { do: 'adopt', stage };
  if (keepsOnError && isOwn('ProposalErrored', history.errors)) return { do: 'adopt', stage };
  if (hasContext && !isOwn('ContextRecorded', history.contexts)) return { do: 'show', stage };
  return isByHand ? { do: 'wait', stage } : { do: 'propose', stage };
}
