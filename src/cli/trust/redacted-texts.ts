// Redacted texts that a copy or an import found here, in --json and in lines.
import type { RedactedTextsResult } from '../../../schemas/export-output.ts';
import { counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { RedactedText, RedactedTexts } from '../../ledger/copy/blob-copy.ts';
import type { Context } from '../context.ts';

const mostInJson = 1000;
const mostShown = 20;

export function redactedResult({ erased, erasable, left }: RedactedTexts): RedactedTextsResult {
  return {
    erased: erased.slice(0, mostInJson),
    erasable: erasable.slice(0, mostInJson),
    left: left.slice(0, mostInJson),
  };
}

export async function tellOfRedacted(context: Context, { erased, erasable, left }: RedactedTextsResult): Promise<void> {
  await lines(context, 'ERASED', erased, () => '');
  await lines(context, 'REDACTED', erasable, () => ', its text is still here');
  await lines(context, 'LEFT', left, ({ why }) => `: ${why}`);
  if (erasable.length === 0) return;
  await context.say(`to erase ${counted(erasable.length, 'text')} that were redacted: the same again with --erase`);
}

async function lines<Text extends RedactedText>(
  context: Context,
  word: string,
  texts: readonly Text[],
  more: (text: Text) => string,
): Promise<void> {
  for (const text of texts.slice(0, mostShown)) {
    const { event, stream, field, by } = text;
    await context.print(`${visible(`${word}  ${field} of ${event} in ${stream}, see ${by}${more(text)}`)}\n`);
  }
  if (texts.length > mostShown) await context.print(`${word}  ${counted(texts.length - mostShown, 'more text')}\n`);
}
