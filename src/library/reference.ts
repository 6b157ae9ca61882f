// Parses references to a run or a stage: RUN, or RUN@STAGE.
import { IcecoreError } from '../../schemas/errors.ts';

/** A run, or one stage of it. */
export interface RunReference {
  readonly run: string;
  /** Null for the run as a whole. */
  readonly stage: number | null;
}

export interface StageReference extends RunReference {
  readonly stage: number;
}

const withStage = /^(.+)@([1-9][0-9]{0,4})$/;

/** A name may contain @; the text after the last one is a stage if it is a valid stage number. */
export function runReference(asked: string): RunReference {
  const [, run, stage] = withStage.exec(asked) ?? [];
  if (run !== undefined) return { run, stage: Number(stage) };
  if (asked === '' || /@[0-9]*$/.test(asked)) throw noReference(asked, 'RUN or RUN@STAGE');
  return { run: asked, stage: null };
}

/** A reference to a run or a stage, as text or parsed already. */
export function referenceTo(named: string | RunReference): RunReference {
  return typeof named === 'string' ? runReference(named) : named;
}

export function stageReference(asked: string): StageReference {
  const { run, stage } = runReference(asked);
  if (stage === null) throw noReference(asked, 'RUN@STAGE');
  return { run, stage };
}

function noReference(asked: string, allowed: string): IcecoreError {
  return new IcecoreError('usage', `"${asked}" names no stage`, {
    facts: { found: asked, allowed },
    remedy: `Write ${allowed}, for example latest@1; stages start at 1.`,
  });
}
