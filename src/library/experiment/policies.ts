// Policies by name, to evaluate outside of runs: rules, checkpoints, and models. Answers of models are recorded in the ledger
// before they are judged. The ledger is opened, or created, with the first question: rules and networks need none.
import { count, counted, money } from '../../base/quantity.ts';
import type { Environment, Task } from '../../lab/environments/environment.ts';
import { type EvaluateRequest, type Evaluation, evaluate, type Pool } from '../../lab/evaluation/evaluate.ts';
import type { Evaluated } from '../../lab/evaluation/judged.ts';
import type { Book } from '../../lab/models/conversation.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { mostCost } from '../../lab/models/spending.ts';
import type { Policy } from '../../lab/policies/policy.ts';
import { LedgerBook } from '../../producers/answers/answers.ts';
import { Models } from '../../producers/models/models.ts';
import { chosen, openPolicy } from '../../producers/policies/policies.ts';
import { projectModels } from '../opening/models.ts';
import { type LedgerWriter, openWriter } from '../opening/writer.ts';
import type { Session } from '../session.ts';
import { spendingOn } from './open.ts';

/** What policies are opened for. */
export interface PoliciesOptions {
  /** The environment whose tasks they plan. */
  readonly environment: Environment;
  /** Number of threads (default: one per core). */
  readonly threads?: number;
  /** Limit of the total cost of all models, in the currency of their prices. */
  readonly spendingCap?: number;
}

/** An open policy. */
export interface NamedPolicy {
  /** The name it was given. */
  readonly name: string;
  /** For a model, announces the number of questions and their maximum cost, while there is time to stop. */
  announce(environment: Environment, request: EvaluateRequest): Promise<void>;
  /** Tries all tasks and returns the totals of the rollouts. */
  evaluate(environment: Environment, request: EvaluateRequest): AsyncGenerator<Evaluated, Evaluation, undefined>;
}

/** Errors in any policy are thrown before the body is called, and before anything is created. */
export async function withPolicies<Result>(
  session: Session,
  names: readonly string[],
  { environment, threads, spendingCap }: PoliciesOptions,
  body: (policies: readonly NamedPolicy[]) => Promise<Result>,
): Promise<Result> {
  const { cwd, env } = session;
  const { registry } = await session.plugins.all();
  const { entries, permit } = projectModels(session);
  const choices = [...new Set(names)].map((name) => ({ name, choice: chosen(name, { cwd, entries, registry }) }));
  const asked = choices.flatMap(({ choice }) => (choice.kind === 'model' ? [choice.entry] : []));
  const book = new BookWhenNeeded(session);
  const models = new Models({ entries, environment: env, permit, book, ...spendingOn(asked, spendingCap) });
  const opened: Opened[] = [];
  let isDone = false;
  try {
    for (const { name, choice } of choices) {
      const policy = await openPolicy(choice, {
        environment,
        models,
        registry,
        ...(threads === undefined ? {} : { threads }),
      });
      opened.push(new Opened(session, name, policy, choice.kind === 'model' ? choice.entry : null));
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

class Opened implements NamedPolicy {
  readonly name: string;
  readonly policy: Policy;
  readonly #session: Session;
  /** Null if no model is asked. */
  readonly #entry: ModelEntry | null;

  constructor(session: Session, name: string, policy: Policy, entry: ModelEntry | null) {
    this.name = name;
    this.policy = policy;
    this.#session = session;
    this.#entry = entry;
  }

  async announce(
    environment: Environment,
    { samples = 1, greedy = false, ...subject }: EvaluateRequest,
  ): Promise<void> {
    const entry = this.#entry;
    if (entry === null) return;
    const parameters = { ...entry.parameters, ...(greedy ? entry.greedy : {}) };
    let [questions, cost] = [0, 0];
    for await (const task of tasksOf(environment, subject)) {
      const prompt = (await environment.prompt?.(task)) ?? '';
      const bytes = Buffer.byteLength(JSON.stringify(prompt)) + aroundPrompt;
      questions += samples;
      if (entry.prices !== null) cost += samples * mostCost(bytes, parameters, entry.prices);
    }
    const price = entry.prices === null || cost === 0 ? '' : `, for ${amountText(cost, entry.prices.currency)}`;
    const text = `${this.name} has ${counted(questions, 'question')} to answer${price}; recorded answers cost nothing again`;
    await this.#session.notify({ kind: 'note', text });
  }

  async *evaluate(
    environment: Environment,
    request: EvaluateRequest,
  ): AsyncGenerator<Evaluated, Evaluation, undefined> {
    const callOff = this.#entry === null ? () => {} : noticingSilence(this.#session, this.name);
    try {
      const rollouts = evaluate(environment, this.policy, request);
      for (;;) {
        const next = await rollouts.next();
        callOff();
        if (next.done === true) return next.value;
        yield next.value;
      }
    } finally {
      callOff();
    }
  }
}

/** The characters around the prompt in a request. */
const aroundPrompt = 300;

function amountText(cost: number, currency: string): string {
  return Number.isFinite(cost) ? `${money(cost, currency)} at most` : 'any amount: no max_tokens limits its answers';
}

async function* tasksOf(
  environment: Environment,
  { suites, tasks }: { readonly suites?: readonly string[]; readonly tasks?: Pool },
): AsyncGenerator<Task, void, undefined> {
  if (tasks !== undefined) yield* tasks.tasks;
  else for (const suite of suites ?? []) yield* environment.suite(suite);
}

const silentMs = 15_000;

/** An unreachable endpoint is retried for minutes without any other output. The returned function cancels the notice. */
export function noticingSilence(session: Pick<Session, 'notify'>, name: string, ms: number = silentMs): () => void {
  const text =
    `no answer from ${name} yet: it needs a long time, or its endpoint is unreachable and is retried for some minutes. ` +
    'icecore doctor says which';
  const timer = setTimeout(() => void session.notify({ kind: 'hint', text }), ms);
  return () => clearTimeout(timer);
}

interface OpenBook {
  readonly book: LedgerBook;
  readonly writer: LedgerWriter;
}

class BookWhenNeeded implements Book {
  readonly #session: Session;
  #opened: Promise<OpenBook> | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  find: Book['find'] = async (key) => (await this.#open()).book.find(key);

  keep: Book['keep'] = async (answered) => (await this.#open()).book.keep(answered);

  /** Waits until answers are recorded, and reports their number. */
  async close(isDone: boolean): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    if (opened === null || opened === undefined) return;
    const { book, writer } = opened;
    await book.settled();
    await writer.close();
    const { recorded, found } = book;
    const there = found === 0 ? '' : `, ${count(found)} ${found === 1 ? 'was' : 'were'} recorded already`;
    const goesOn = isDone || recorded + found === 0 ? '' : '; the same command continues from there';
    const text = `recorded ${counted(recorded, 'answer')} in ${writer.ledger.url}${there}${goesOn}`;
    await this.#session.notify({ kind: 'note', text });
  }

  #open(): Promise<OpenBook> {
    this.#opened ??= openWriter(this.#session, { create: true }).then((writer) => ({
      writer,
      book: new LedgerBook(writer.ledger, writer.blobs),
    }));
    return this.#opened;
  }
}
