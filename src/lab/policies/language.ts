// A policy that is a model behind an endpoint: the environment describes the task, and the model's text is the answer.
// The environment parses and judges it.

import { IcecoreError } from '../../../schemas/errors.ts';
import { mapInOrder } from '../../base/in-order.ts';
import { type Environment, type Seed, type Task, taskDigest } from '../environments/environment.ts';
import { type Answered, isTruncated, type Question } from '../models/conversation.ts';
import { ModelFault } from '../models/faults.ts';
import type { Model } from '../models/model.ts';
import { Random } from '../random.ts';
import {
  type Checkpoint,
  type Planned,
  type PlanRequest,
  type Policy,
  PolicyClosed,
  type PolicyComponent,
  type Spoken,
} from './policy.ts';

interface LanguageSettings {
  /** Shared with other users, so the policy does not close it. */
  readonly model: Model;
  /** The environment that provides the tasks. */
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  /** The checkpoint to ask; null for an untrained model. */
  readonly checkpoint: Checkpoint | null;
}

/** One try at a task. */
interface PendingTry {
  readonly task: Task;
  readonly sample: number;
  /** Null for the most likely answer. */
  readonly seed: Seed | null;
}

interface Made {
  readonly planned: Planned;
  /** Why the model did not answer. */
  readonly fault?: ModelFault;
}

/** Buffered tries per concurrent question, so that a long answer does not block those after it. */
const inHandForEach = 4;
const mostInHand = 1000;

export class LanguagePolicy implements Policy {
  readonly component: PolicyComponent;
  readonly checkpoint: Checkpoint | null;
  readonly #model: Model;
  readonly #prompt: NonNullable<Environment['prompt']>;
  readonly #closing = new AbortController();

  /** Throws NoPrompt if the environment has no prompts. */
  constructor({ model, environment, checkpoint }: LanguageSettings) {
    const { name, model: served, parameters, greedy } = model.entry;
    const { descriptor, prompt } = environment;
    if (prompt === undefined) throw new NoPrompt(descriptor.environment, name);
    this.component = { name, parameters: { kind: 'language', model: served, parameters, greedy } };
    this.checkpoint = checkpoint;
    this.#model = model;
    this.#prompt = prompt.bind(environment);
  }

  /** Throws the fault if the endpoint fails for every question; if it fails for one, that try carries the fault. */
  async *plan({
    tasks,
    samples = 1,
    greedy = false,
    seed,
    signal,
  }: PlanRequest): AsyncGenerator<Planned, void, undefined> {
    const leaving = new AbortController();
    const signals = [this.#closing.signal, leaving.signal, ...(signal === undefined ? [] : [signal])];
    const ended = AbortSignal.any(signals);
    const underWay = new Set<Promise<unknown>>();
    const make = (asked: PendingTry): Promise<Made> => {
      const made = this.#made(asked, ended).finally(() => underWay.delete(made));
      underWay.add(made);
      return made;
    };
    const streak = new FaultStreak();
    const inHand = Math.min(mostInHand, inHandForEach * this.#model.entry.concurrency);
    try {
      for await (const { planned, fault } of mapInOrder(
        askedOf(tasks, samples, greedy ? null : seed),
        inHand,
        make,
        ended,
      )) {
        yield* streak.next(planned, fault);
      }
      yield* streak.rest();
    } catch (error) {
      // Questions in progress are paid for, so they are awaited and recorded.
      if (error instanceof ModelFault) await Promise.allSettled(underWay);
      throw error;
    } finally {
      leaving.abort(new PolicyClosed(this.component.name));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new PolicyClosed(this.component.name));
  }

  async #made({ task, sample, seed }: PendingTry, signal: AbortSignal): Promise<Made> {
    const content = await this.#prompt(task);
    const { checkpoint } = this;
    const chance = seed === null ? { greedy: true } : { seed: seedNumberOf(seed, task, sample) };
    const question: Question = { messages: [{ role: 'user', content }], sample, checkpoint, purpose: 'plan', signal };
    try {
      const answered = await this.#model.ask({ ...question, ...chance });
      return { planned: plannedFrom(task, sample, answered) };
    } catch (fault) {
      if (!(fault instanceof ModelFault) || fault.isHopeless) throw fault;
      const { fault: kind, message } = fault;
      return { planned: { task, sample, answer: null, fault: { kind, message } }, fault };
    }
  }
}

/** All endpoints accept 31-bit integers. */
function seedNumberOf(seed: Seed, task: Task, sample: number): number {
  return new Random(seed, 'policy', 'language', taskDigest(task), sample).below(2 ** 31);
}

async function* askedOf(
  tasks: PlanRequest['tasks'],
  samples: number,
  seed: Seed | null,
): AsyncGenerator<PendingTry, void, undefined> {
  for await (const task of tasks) for (let sample = 0; sample < samples; sample++) yield { task, sample, seed };
}

// Converts a model's answer to a try. A refusal or a tool call by the model is evidence; an answer blocked by a filter
// is not.

function plannedFrom(task: Task, sample: number, answered: Answered): Planned {
  const { usage, measured } = answered;
  const common = {
    task,
    sample,
    spoken: spokenFrom(answered),
    ...(usage?.output === undefined ? {} : { agentSteps: usage.output }),
    ...(measured === undefined ? {} : { measured }),
  };
  if (answered.finishReason === 'content_filter') {
    return {
      ...common,
      answer: null,
      fault: { kind: 'content-filter', message: 'a content filter blocked the answer' },
    };
  }
  return { ...common, answer: answered.answer, ...(isTruncated(answered) ? { truncated: true } : {}) };
}

function spokenFrom({ purpose, answer, measured, ...said }: Answered): Spoken {
  return { ...said, completion: answer ?? '' };
}

// Detects an endpoint that fails on every question: single questions may fail, but not many in a row. Failed tries are
// held back until an answered one follows, because an unavailable endpoint says nothing about a policy.

/** This many failures in a row mean that the endpoint is at fault. */
const most = 16;

class FaultStreak {
  readonly #spoilt: { readonly planned: Planned; readonly fault: ModelFault }[] = [];
  #isAnswering = false;

  /** The tries that can be passed on now. Throws the fault when there are too many. */
  next(planned: Planned, fault: ModelFault | undefined): readonly Planned[] {
    if (fault === undefined) {
      this.#isAnswering = true;
      return [...this.#spoilt.splice(0).map((one) => one.planned), planned];
    }
    this.#spoilt.push({ planned, fault });
    if (this.#spoilt.length === most) throw fault;
    return [];
  }

  /** The remaining tries. Throws if nothing was answered and every fault may be temporary. */
  rest(): readonly Planned[] {
    const last = this.#spoilt.at(-1);
    if (last !== undefined && !this.#isAnswering && this.#spoilt.every(({ fault }) => fault.isPassing))
      throw last.fault;
    return this.#spoilt.map(({ planned }) => planned);
  }
}

export class NoPrompt extends IcecoreError {
  override readonly name = 'NoPrompt';

  constructor(environment: string, policy: string) {
    super('unsupported', `the environment ${environment} has no prompts for ${policy}, a language policy`, {
      facts: { environment, policy },
      remedy: 'Implement "prompt" in the environment: see docs/environments.md.',
    });
  }
}
