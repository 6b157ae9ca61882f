// The policies that are named on the command line, opened. What is wrong with any of them is known before the first of
// them plans, and before anything is made.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import type { ModelEntry } from '../../../lab/models/entries.ts';
import { secretOf } from '../../../lab/models/secret.ts';
import { Spending } from '../../../lab/models/spending.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { chosen } from '../../../producers/policies/choice.ts';
import { openPolicy } from '../../../producers/policies/open.ts';
import { findConfig, modelsIn } from '../../config.ts';
import type { Context } from '../../context.ts';
import { Answers } from './answers.ts';

export interface Named {
  /** As somebody typed it. */
  readonly word: string;
  readonly policy: Policy;
}

export interface Wanted {
  readonly words: readonly string[];
  readonly environment: Environment;
  readonly jobs: number;
  /** What all models together may cost, in the currency of their prices. */
  readonly cap: number | null;
}

export async function withPolicies<Result>(
  context: Context,
  { words, environment, jobs, cap }: Wanted,
  body: (policies: readonly Named[]) => Promise<Result>,
): Promise<Result> {
  const entries = modelsIn(findConfig(context.io.cwd));
  const choices = [...new Set(words)].map((word) => ({
    word,
    choice: chosen(word, { cwd: context.io.cwd, entries }),
  }));
  const asked = choices.flatMap(({ choice }) => (choice.kind === 'model' ? [choice.entry] : []));
  const spending = spendingUnder(cap, asked);
  for (const entry of asked) secretOf(entry, context.io.env);
  const answers = new Answers(context, entries, spending);
  const opened: Named[] = [];
  try {
    for (const { word, choice } of choices) {
      const policy = await openPolicy(choice, { environment, threads: jobs, models: answers.models });
      opened.push({ word, policy });
    }
    return await body(opened);
  } finally {
    await Promise.all(opened.map(({ policy }) => policy.close()));
    await answers.close();
  }
}

/** Throws CostUnknown where a model may cost any amount. */
function spendingUnder(cap: number | null, models: readonly ModelEntry[]): Spending | undefined {
  if (cap === null) return undefined;
  const currency = models.find(({ prices }) => prices !== null)?.prices?.currency ?? 'USD';
  const spending = new Spending({ currency, most: cap });
  for (const entry of models) spending.check(entry, entry.parameters);
  return spending;
}

export function capOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const cap = Number(text);
  if (/^[0-9]+(\.[0-9]+)?$/.test(text) && Number.isFinite(cap)) return cap;
  const allowed = 'an amount of money, like 5 or 0.50';
  throw new IcecoreError('usage', `--spending-cap: found "${text}", allowed: ${allowed}`, {
    facts: { field: '--spending-cap', found: text, allowed },
  });
}
