// The policies that are named on the command line, opened. What is wrong with any of them is known before the first of
// them plans, and before anything is made.
import type { Environment } from '../../../lab/environments/environment.ts';
import type { ModelEntry } from '../../../lab/models/entries.ts';
import { Spending } from '../../../lab/models/spending.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { projectModels } from '../../../library/opening/models.ts';
import { Models } from '../../../producers/models/models.ts';
import { chosen, openPolicy } from '../../../producers/policies/policies.ts';
import type { Context } from '../../context.ts';
import { Answers } from './answers.ts';

export interface Named {
  /** As somebody typed it. */
  readonly word: string;
  readonly policy: Policy;
  /** Null where nobody is asked. */
  readonly entry: ModelEntry | null;
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
  const { registry } = await context.session.plugins.all();
  const { entries, permit } = projectModels(context.io);
  const choices = [...new Set(words)].map((word) => ({
    word,
    choice: chosen(word, { cwd: context.io.cwd, entries, registry }),
  }));
  const asked = choices.flatMap(({ choice }) => (choice.kind === 'model' ? [choice.entry] : []));
  const spending = cap === null ? {} : { spending: new Spending({ currency: currencyOf(asked), most: cap }) };
  const book = new Answers(context);
  const models = new Models({ entries, environment: context.io.env, permit, book, ...spending });
  const opened: Named[] = [];
  let isDone = false;
  try {
    for (const { word, choice } of choices) {
      const policy = await openPolicy(choice, { environment, threads: jobs, models, registry });
      opened.push({ word, policy, entry: choice.kind === 'model' ? choice.entry : null });
    }
    const result = await body(opened);
    isDone = true;
    return result;
  } finally {
    await Promise.all(opened.map(({ policy }) => policy.close()));
    await models.close();
    await book.close(isDone);
  }
}

/** That of the first model that costs something; where there are several currencies, models say so. */
function currencyOf(models: readonly ModelEntry[]): string {
  return models.find(({ prices }) => prices !== null)?.prices?.currency ?? 'USD';
}
