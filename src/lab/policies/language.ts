// A policy that is a model behind an endpoint: it is told the task in the words of its environment, and what it says is
// the answer. Whether a plan can be read out of it is for the environment to say.

import { IcecoreError } from '../../../schemas/errors.ts';
import { inOrder } from '../../base/in-order.ts';
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
  /** It may be asked by others too, and is not closed with the policy. */
  readonly model: Model;
  /** Whose tasks it plans for. */
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  /** The snapshot that is asked; null for a model that is not trained, or not yet. */
  readonly checkpoint: Checkpoint | null;
}

/** One try at a task that is to be made. */
interface Asked {
  readonly task: Task;
  readonly sample: number;
  /** Null for the best answer. */
  readonly seed: Seed | null;
}

interface Made {
  readonly planned: Planned;
  /** What kept the model from answering. */
  readonly fault?: ModelFault;
}

/** Tries in hand for each that is asked: a long answer, for which those after it wait, does not keep others from it. */
const inHandForEach = 4;
const mostInHand = 1000;

export class LanguagePolicy implements Policy {
  readonly component: PolicyComponent;
  readonly checkpoint: Checkpoint | null;
  readonly #model: Model;
  readonly #prompt: NonNullable<Environment['prompt']>;
  readonly #closing = new AbortController();

  /** Throws NoPrompt where the environment has nothing to say to whoever reads. */
  constructor({ model, environment, checkpoint }: LanguageSettings) {
    const { name, model: served, parameters, greedy } = model.entry;
    const { descriptor, prompt } = environment;
    if (prompt === undefined) throw new NoPrompt(descriptor.environment, name);
    this.component = { name, parameters: { kind: 'language', model: served, parameters, greedy } };
    this.checkpoint = checkpoint;
    this.#model = model;
    this.#prompt = prompt.bind(environment);
  }

  /** Ends with the fault where the endpoint answers nobody; where it fails one question, that try has the fault. */
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
    const make = (asked: Asked): Promise<Made> => {
      const made = this.#made(asked, ended).finally(() => underWay.delete(made));
      underWay.add(made);
      return made;
    };
    const streak = new FaultStreak();
    const inHand = Math.min(mostInHand, inHandForEach * this.#model.entry.concurrency);
    try {
      for await (const { planned, fault } of inOrder(
        askedOf(tasks, samples, greedy ? null : seed),
        inHand,
        make,
        ended,
      )) {
        yield* streak.next(planned, fault);
      }
      yield* streak.rest();
    } catch (error) {
      // What is being paid for is waited for, so that it is recorded and not asked again.
      if (error instanceof ModelFault) await Promise.allSettled(underWay);
      throw error;
    } finally {
      leaving.abort(new PolicyClosed(this.component.name));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new PolicyClosed(this.component.name));
  }

  async #made({ task, sample, seed }: Asked, signal: AbortSignal): Promise<Made> {
    const content = await this.#prompt(task);
    const { checkpoint } = this;
    const chance = seed === null ? { greedy: true } : { seed: luckOf(seed, task, sample) };
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

/** Endpoints take whole numbers of 31 bits everywhere. */
function luckOf(seed: Seed, task: Task, sample: number): number {
  return new Random(seed, 'policy', 'language', taskDigest(task), sample).below(2 ** 31);
}

async function* askedOf(
  tasks: PlanRequest['tasks'],
  samples: number,
  seed: Seed | null,
): AsyncGenerator<Asked, void, undefined> {
  for await (const task of tasks) for (let sample = 0; sample < samples; sample++) yield { task, sample, seed };
}

// What a model said as a try at a task. What it did itself is evidence, be it a refusal or a call of tools; what others
// held back is none.

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
      fault: { kind: 'content-filter', message: 'a content filter held the answer back' },
    };
  }
  return { ...common, answer: answered.answer, ...(isTruncated(answered) ? { truncated: true } : {}) };
}

function spokenFrom({ purpose, answer, measured, ...said }: Answered): Spoken {
  return { ...said, completion: answer ?? '' };
}

// Tries that were spoilt in sequence: a question may be more than an endpoint can bear, but not all of them. Then it is the
// endpoint, and asking on would only take time. Tries of a sequence are passed on once another one follows that was answered:
// what an endpoint that is away did to them is no result of a policy.

/** This many in sequence, and it is for nothing that was asked. */
const most = 16;

class FaultStreak {
  readonly #spoilt: { readonly planned: Planned; readonly fault: ModelFault }[] = [];
  #isAnswering = false;

  /** What can be passed on by now. Throws the fault that is one too many. */
  next(planned: Planned, fault: ModelFault | undefined): readonly Planned[] {
    if (fault === undefined) {
      this.#isAnswering = true;
      return [...this.#spoilt.splice(0).map((one) => one.planned), planned];
    }
    this.#spoilt.push({ planned, fault });
    if (this.#spoilt.length === most) throw fault;
    return [];
  }

  /** What is left at the end. Throws where nothing was answered and each question might have been at another time. */
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
    super('unsupported', `the environment ${environment} has nothing to say to ${policy}, a policy that reads`, {
      facts: { environment, policy },
      remedy: 'Let it understand "prompt": see docs/environments.md.',
    });
  }
}
