// Parses and resolves references: RUN, or RUN@K, which is stage K and the decision that configured it, made from history through stage
// K-1 only. With N complete stages, stage N+1 is the next decision, also written RUN@next.
import { IcecoreError } from '../../schemas/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { commandToComplete, nameOf } from '../producers/history/name.ts';
import type { RunHistory } from '../producers/history/run-history.ts';

/** A stage by its number, or the one after the last complete stage. */
export type StageName = number | 'next';

/** A run, or one stage of it. */
export interface RunReference {
  readonly run: string;
  /** Null for the run as a whole. */
  readonly stage: StageName | null;
}

export interface StageReference extends RunReference {
  readonly stage: StageName;
}

const withStage = /^(.+)@([1-9][0-9]{0,4}|next)$/;

/** A name may contain @; the text after the last one is a stage if it is a valid stage. */
export function runReference(text: string): RunReference {
  const [, run, stage] = withStage.exec(text) ?? [];
  if (run !== undefined) return { run, stage: stage === 'next' ? stage : Number(stage) };
  if (text === '' || /@(?:[0-9]*|next)$/.test(text)) throw noReference(text, 'RUN or RUN@K');
  return { run: text, stage: null };
}

/** A reference to a run or a stage, as text or parsed already. */
export function referenceTo(named: string | RunReference): RunReference {
  return typeof named === 'string' ? runReference(named) : named;
}

export function stageReference(text: string): StageReference {
  const { run, stage } = runReference(text);
  if (stage === null) throw noReference(text, 'RUN@K', run);
  return { run, stage };
}

function noReference(text: string, allowed: string, run = 'latest'): IcecoreError {
  return new IcecoreError('usage', `"${text}" names no stage`, {
    facts: { found: text, allowed },
    remedy: `Write ${allowed}, for example ${run}@2. Stages count from 1.`,
  });
}

type Stages = Pick<RunHistory, 'run' | 'started' | 'stages' | 'decisions'>;

/** The stage after the last complete one. */
export function nextStage({ stages }: Pick<RunHistory, 'stages'>): number {
  return (stages.findLast(({ completed }) => completed !== null)?.stage ?? 0) + 1;
}

/**
 * The last stage that a command can say anything about: the next decision, the last stage that is decided, or the last one that has
 * begun.
 */
type Reach = 'next' | 'decided' | 'begun';

/** The number of the stage. Throws BeyondLast. */
export function stageNamed(history: Stages, stage: StageName, reach: Reach = 'next'): number {
  const next = nextStage(history);
  if (stage === 'next') return next;
  const isRecorded =
    history.stages.some((one) => one.stage === stage) ||
    history.decisions.some(({ envelope }) => envelope.stage === stage);
  if (stage > next && !isRecorded) throw new BeyondLast(history, stage, reach);
  return stage;
}

/** Where nothing has begun, only the next decision can be named. */
function lastNameable(history: Stages, reach: Reach): number {
  const last = history.stages.at(-1);
  if (reach === 'next' || last === undefined) return nextStage(history);
  return reach === 'decided' && last.adopted !== null ? last.stage + 1 : last.stage;
}

/** The stage whose configuration is decided; null names the next one. Throws BeyondLast, GivenStage and NothingComplete. */
export function decisionNamed(history: Stages, stage: StageName | null): number {
  if (stage === null && nextStage(history) === 1) throw new NothingComplete(history);
  const named = stageNamed(history, stage ?? 'next');
  if (named === 1) throw new GivenStage(history);
  return named;
}

class BeyondLast extends IcecoreError {
  override readonly name = 'BeyondLast';

  constructor(history: Stages, stage: number, reach: Reach) {
    const name = nameOf(history);
    const [next, last] = [nextStage(history), lastNameable(history, reach)];
    const complete =
      next === 1 ? 'no stage is complete' : next === 2 ? '1 stage is complete' : `${next - 1} stages are complete`;
    super('usage', `${name} has no stage ${stage}: ${complete}${reasonFor({ complete: next - 1, last }, reach)}`, {
      facts: { run: history.run, found: stage, allowed: last },
      remedy: reach === 'next' ? beyondRemedy(name, next) : `icecore show ${shellWord(name)} shows its stages.`,
    });
  }
}

/** Commands reach different stages: some make the next decision, others need one that was made. */
function reasonFor({ complete, last }: { readonly complete: number; readonly last: number }, reach: Reach): string {
  if (last === 1 || last <= complete) return '';
  if (reach === 'begun') return `, and stage ${last} has begun`;
  return reach === 'next'
    ? `, and the next decision is for stage ${last}`
    : `, and the last decision was for stage ${last}`;
}

function beyondRemedy(name: string, next: number): string {
  const nextDecision = `${shellWord(`${name}@${next}`)} (or ${shellWord(`${name}@next`)}) is the next decision`;
  return next === 1
    ? `${nextDecision}.`
    : `${shellWord(`${name}@${next - 1}`)} is the last complete stage; ${nextDecision}.`;
}

class GivenStage extends IcecoreError {
  override readonly name = 'GivenStage';

  constructor(history: Stages) {
    const name = nameOf(history);
    super('usage', `${name}@1 is given, not decided: the run started with the configuration of stage 1`, {
      facts: { run: history.run, found: 1, allowed: 2 },
      remedy: `The first decision is ${shellWord(`${name}@2`)}, made when stage 1 is complete.`,
    });
  }
}

class NothingComplete extends IcecoreError {
  override readonly name = 'NothingComplete';

  constructor(history: Stages) {
    const name = nameOf(history);
    super('not-found', `no stage of ${name} is complete, so there is nothing to decide yet`, {
      facts: { run: history.run, complete: 0 },
      remedy: `The next decision follows when stage 1 is complete. If no process works on the run, continue it: ${commandToComplete(history)}`,
    });
  }
}
