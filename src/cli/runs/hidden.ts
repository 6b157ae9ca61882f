// How it is said that figures are left out while a person decides.
import { shellWord } from '../../ledger/shell-word.ts';

/** `handle` is what was asked for; empty where nothing is missing. */
export function leftOut(missing: number, handle: string): string {
  if (missing === 0) return '';
  return `Benchmarks and probe-holdout figures are left out while a person decides, for no engineer is shown them: icecore show ${shellWord(handle)} --all has them.`;
}
