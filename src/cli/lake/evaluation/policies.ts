// Where the answers of models are recorded while policies are evaluated: the ledger of this folder, which is made when the
// first question is asked. Rules and networks need none.
import { count, counted, money } from '../../../base/quantity.ts';
import type { Environment, Task } from '../../../lab/environments/environment.ts';
import type { Subject } from '../../../lab/evaluation/evaluate.ts';
import type { Answered, Book } from '../../../lab/models/conversation.ts';
import type { ModelEntry } from '../../../lab/models/entries.ts';
import { mostCost, Spending } from '../../../lab/models/spending.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { LedgerBook } from '../../../producers/answers/ledger-book.ts';
import { keepingTexts } from '../../../producers/intake/text-keeping.ts';
import { Models } from '../../../producers/models/models.ts';
import { chosen } from '../../../producers/policies/choice.ts';
import { openPolicy } from '../../../producers/policies/open.ts';
import { blobsUrl, OpenedBlobs } from '../../blobs.ts';
import type { Context } from '../../context.ts';
import { ensureHomeFor, findPlace } from '../../home.ts';
import { projectModels } from '../../models.ts';
import { textPlaceOf } from '../../texts.ts';
import { sayingWaits } from '../../waiting.ts';
import type { Evaluating } from './evaluation.ts';

class Answers implements Book {
  readonly #context: Context;
  #opened: Promise<Opened> | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  async find(key: string): Promise<Answered | null> {
    return await (await this.#book()).find(key);
  }

  async keep(answered: Answered): Promise<void> {
    await (await this.#book()).keep(answered);
  }

  /** Waits for what was answered to be recorded, and says what there is now. */
  async close(isDone: boolean): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    if (opened === null || opened === undefined) return;
    const { book, ledger, blobs, madeHome } = opened;
    await book.settled();
    await ledger.close();
    await blobs.close();
    if (madeHome !== null) await this.#context.say(`made ${madeHome}`);
    const there = book.found === 0 ? '' : `, ${count(book.found)} ${book.found === 1 ? 'was' : 'were'} there already`;
    const goesOn = isDone || book.recorded + book.found === 0 ? '' : '; the same command goes on from there';
    await this.#context.say(`recorded ${counted(book.recorded, 'answer')} in ${ledger.url}${there}${goesOn}`);
  }

  async #book(): Promise<LedgerBook> {
    this.#opened ??= this.#open();
    return (await this.#opened).book;
  }

  async #open(): Promise<Opened> {
    const { io, flags } = this.#context;
    const place = findPlace(io, flags);
    const texts = textPlaceOf(this.#context) ?? 'inline';
    const madeHome = ensureHomeFor(place) ? place.home.path : null;
    const ledger = await openLedger(place.ledger.url, { create: true, onWait: sayingWaits(this.#context) });
    const blobs = new OpenedBlobs(blobsUrl(this.#context));
    keepingTexts(ledger, texts, () => blobs.toWrite());
    return { book: new LedgerBook(ledger, blobs), ledger, blobs, madeHome };
  }
}

interface Opened {
  readonly book: LedgerBook;
  readonly ledger: Ledger;
  readonly blobs: OpenedBlobs;
  /** The home that was made for it; null where it was there, or none is needed. */
  readonly madeHome: string | null;
}

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

const afterMs = 15_000;

/** What is returned calls it off. */
export function headsUp(context: Context, { word, entry }: Named, ms: number = afterMs): () => void {
  if (entry === null) return () => {};
  const says =
    `no answer from ${word} yet: it thinks for long, or its endpoint is away, which is asked again for some minutes. ` +
    'icecore doctor tells which';
  const timer = setTimeout(() => void context.hint(says), ms);
  return () => clearTimeout(timer);
}

export interface Named {
  /** As somebody typed it. */
  readonly word: string;
  readonly policy: Policy;
  /** Null where nobody is asked. */
  readonly entry: ModelEntry | null;
}

interface Wanted {
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
  const { entries, permit } = projectModels(context.io);
  const choices = [...new Set(words)].map((word) => ({
    word,
    choice: chosen(word, { cwd: context.io.cwd, entries }),
  }));
  const asked = choices.flatMap(({ choice }) => (choice.kind === 'model' ? [choice.entry] : []));
  const spending = cap === null ? {} : { spending: new Spending({ currency: currencyOf(asked), most: cap }) };
  const book = new Answers(context);
  const models = new Models({ entries, environment: context.io.env, permit, book, ...spending });
  const opened: Named[] = [];
  let isDone = false;
  try {
    for (const { word, choice } of choices) {
      const policy = await openPolicy(choice, { environment, threads: jobs, models });
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
