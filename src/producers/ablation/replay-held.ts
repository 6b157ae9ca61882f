// Whether a context that was really shown is built again to the same bytes, and where it is not, why.
import { EvidenceMissing } from '../../ledger/errors.ts';
import { type Built, builder, ContextTooSmall } from '../contexts/build.ts';
import { NothingToLeaveOut } from '../contexts/module.ts';
import { differenceWords } from '../recompute/difference.ts';
import type { Recorded, RunHistory } from '../run/history.ts';
import { contextFrom, ErasedText, neededFor, type Replaying, type Sight } from './replay.ts';
import { NoDescriptor, SummaryMissing, summedUp } from './summed.ts';

export type Held =
  | { readonly is: 'equal' }
  /** Another builder made it: that its bytes are others is no fault. */
  | { readonly is: 'other-builder'; readonly builder: string | null; readonly here: string }
  /** Something that it was built from is no more, or never was recorded. */
  | { readonly is: 'missing'; readonly says: string }
  | { readonly is: 'different'; readonly says: string };

/** The context is one that was recorded after this stage. */
export async function heldAgainst(
  history: RunHistory,
  stage: number,
  { data }: Pick<Recorded<'ContextRecorded'>, 'data'>,
  of: Replaying,
): Promise<Held> {
  const { contextForm: form, budget, without = [] } = data;
  const otherwise: Held | null =
    data.builder === builder ? null : { is: 'other-builder', builder: data.builder ?? null, here: builder };
  let built: Built;
  try {
    built = await builtAgain(history, stage, { form, budget, without }, data.digest, of);
  } catch (fault) {
    if (!isLoss(fault)) throw fault;
    return otherwise ?? { is: 'missing', says: fault.message };
  }
  if (built.recorded.digest === data.digest) return { is: 'equal' };
  if (otherwise !== null) return otherwise;
  const text = await of.textOf(data.text);
  if (text === null) return { is: 'missing', says: 'its own text was erased, and it is built otherwise here' };
  return {
    is: 'different',
    says: differenceWords(text, built.shown.text, 'text') ?? 'its digest is not that of its text',
  };
}

/** What was not recorded was not shown either; only where that gives other bytes, or none, is it added up. */
async function builtAgain(
  history: RunHistory,
  stage: number,
  sight: Sight,
  digest: string,
  of: Replaying,
): Promise<Built> {
  const bare = await contextFrom(history, stage, sight, of).catch((fault: unknown) => {
    if (isLoss(fault)) return null;
    throw fault;
  });
  if (bare?.recorded.digest === digest) return bare;
  const whole = await summedUp(history, neededFor([stage], [sight]), of);
  return await contextFrom(whole.history, stage, sight, of);
}

const losses = [ErasedText, NoDescriptor, SummaryMissing, EvidenceMissing, ContextTooSmall, NothingToLeaveOut] as const;

function isLoss(fault: unknown): fault is Error {
  return losses.some((loss) => fault instanceof loss);
}
