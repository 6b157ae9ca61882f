// Before a model is asked thousands of questions, how many these are and what they may cost at most is said, while there is
// time to stop.
import { counted, money } from '../../../base/quantity.ts';
import type { Environment, Task } from '../../../lab/environments/environment.ts';
import type { Subject } from '../../../lab/evaluation/evaluate.ts';
import { mostCost } from '../../../lab/models/spending.ts';
import type { Context } from '../../context.ts';
import type { Evaluating } from './evaluation.ts';
import type { Named } from './policies.ts';

/** What stands around the prompt in a request. */
const aroundPrompt = 300;

/** Nothing is said of rules and networks. */
export async function tellPrice(context: Context, { word, entry }: Named, asked: Evaluating): Promise<void> {
  if (entry === null) return;
  const { environment, subject, samples, greedy } = asked;
  const parameters = { ...entry.parameters, ...(greedy ? entry.greedy : {}) };
  let questions = 0;
  let cost = 0;
  for await (const task of tasksOf(environment, subject)) {
    const prompt = (await environment.prompt?.(task)) ?? '';
    const bytes = Buffer.byteLength(JSON.stringify(prompt)) + aroundPrompt;
    questions += samples;
    if (entry.prices !== null) cost += samples * mostCost(bytes, parameters, entry.prices);
  }
  const price = entry.prices === null || cost === 0 ? '' : `, for ${amount(cost, entry.prices.currency)}`;
  await context.say(
    `${word} has ${counted(questions, 'question')} to answer${price}; recorded answers cost nothing again`,
  );
}

function amount(cost: number, currency: string): string {
  return Number.isFinite(cost) ? `${money(cost, currency)} at most` : 'any amount: no max_tokens limits its answers';
}

async function* tasksOf(environment: Environment, { suites, tasks }: Subject): AsyncGenerator<Task, void, undefined> {
  if (tasks !== undefined) yield* tasks.tasks;
  else for (const suite of suites) yield* environment.suite(suite);
}
