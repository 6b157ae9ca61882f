// What `icecore diff` does: two stages held against each other.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DiffResult } from '../../../schemas/run-output.ts';
import { difference, isIdentical, onlyChanged, type Side } from '../../analysis/history/difference.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { readRun, stageOf } from '../../producers/history/run-read.ts';
import type { Context } from '../context.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { diffText } from './diff-text.ts';
import { type StageReference, stageReference } from './reference.ts';

export interface DiffOptions {
  readonly all?: true;
}

export async function diff(
  context: Context,
  words: readonly [first: string, second: string | undefined],
  options: DiffOptions,
): Promise<number> {
  const all = options.all === true;
  const [first, second] = sidesAsked(words);
  return await withLedgerToAnswer(context, async (ledger) => {
    const [from, to] = await sidesOf(ledger, first, second);
    const whole = difference(from, to);
    const told = all ? whole : onlyChanged(whole);
    const result: DiffResult = { ledger: ledger.url, identical: isIdentical(whole), all, ...told };
    if (context.flags.json) await context.printJson(result);
    else await context.print(diffText(context, result));
    return 0;
  });
}

/** Of one stage alone, the one before it is what it is held against. */
function sidesAsked([first, second]: readonly [string, string | undefined]): readonly [StageReference, StageReference] {
  const asked = stageReference(first);
  if (second !== undefined) return [asked, stageReference(second)];
  if (asked.stage > 1) return [{ ...asked, stage: asked.stage - 1 }, asked];
  throw new IcecoreError('usage', `there is no stage before ${first}`, {
    facts: { found: first },
    remedy: `Name two stages: icecore diff ${shellWord(first)} ${shellWord(`${asked.run}@2`)}`,
  });
}

async function sidesOf(
  ledger: Ledger,
  first: StageReference,
  second: StageReference,
): Promise<readonly [from: Side, to: Side]> {
  const [one, other] = [await findRun(ledger, first.run), await findRun(ledger, second.run)];
  const read = await readRun(ledger, one);
  const from = { read, stage: first.stage };
  const to = { read: other.run === one.run ? read : await readRun(ledger, other), stage: second.stage };
  for (const side of [from, to]) stageOf(side.read, side.stage);
  return [from, to];
}
