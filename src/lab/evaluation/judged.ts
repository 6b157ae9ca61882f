// Combines plans with their verdicts, in the order of the plans. Tries with a fault and tries that were judged already
// skip the judge but keep their place. The number of buffered tries is bounded.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment, Task, Try, Verdict } from '../environments/environment.ts';
import type { Planned } from '../policies/policy.ts';

/** A try with its verdict. */
export interface Evaluated {
  readonly planned: Planned;
  readonly verdict: Verdict;
  /** The conditions of the task's cell other than the family, if known. */
  readonly conditions?: NonNullable<Task['conditions']>;
}

/** More than any environment reads ahead, so that an environment never deadlocks waiting for more. */
const mostHeld = 2048;

export async function* judged(
  environment: Pick<Environment, 'judge' | 'descriptor'>,
  plans: AsyncIterable<Planned>,
  signal?: AbortSignal,
): AsyncGenerator<Evaluated, void, undefined> {
  const held = new Held(environment.descriptor.environment);
  const verdicts = environment.judge(triesOf(plans, held), signal);
  const asked = new NextVerdict(verdicts, () => held.wake());
  try {
    for (;;) {
      const known = knownVerdict(held.first);
      if (known !== undefined) yield { planned: held.take(), verdict: known };
      else if (asked.has) {
        const next = asked.take();
        if (next.done === true) return;
        yield { planned: held.take(), verdict: next.value };
      } else await held.woken();
    }
  } finally {
    held.leave();
    await verdicts.return();
  }
}

async function* triesOf(plans: AsyncIterable<Planned>, held: Held): AsyncGenerator<Try, void, undefined> {
  for await (const planned of plans) {
    await held.put(planned);
    if (held.isLeft) return;
    const { task, answer, truncated } = planned;
    if (knownVerdict(planned) === undefined) yield { task, answer, ...(truncated === undefined ? {} : { truncated }) };
  }
}

/** The verdict of a try that needs no judging. */
function knownVerdict({ fault, verdict }: Partial<Planned> = {}): Verdict | undefined {
  return fault === undefined ? verdict : { spoilt: fault };
}

/** Plans that wait for their verdicts. */
class Held {
  readonly #environment: string;
  readonly #plans: Planned[] = [];
  #wake: () => void = () => {};
  #room: () => void = () => {};
  isLeft = false;

  constructor(environment: string) {
    this.#environment = environment;
  }

  get first(): Planned | undefined {
    return this.#plans[0];
  }

  /** Waits for space, then adds the plan. */
  async put(planned: Planned): Promise<void> {
    while (this.#plans.length >= mostHeld && !this.isLeft) {
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
    }
    this.#plans.push(planned);
    if (knownVerdict(planned) !== undefined) this.wake();
  }

  take(): Planned {
    const planned = this.#plans.shift();
    if (planned === undefined) throw new TooManyVerdicts(this.#environment);
    this.#room();
    return planned;
  }

  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  leave(): void {
    this.isLeft = true;
    this.#room();
  }
}

type Arrived = { readonly result: IteratorResult<Verdict, void> } | { readonly error: unknown };

/** The pending request for the next verdict. */
class NextVerdict {
  readonly #verdicts: AsyncGenerator<Verdict, void, undefined>;
  readonly #arrived: () => void;
  #next: Arrived | undefined;

  constructor(verdicts: AsyncGenerator<Verdict, void, undefined>, arrived: () => void) {
    this.#verdicts = verdicts;
    this.#arrived = arrived;
    this.#ask();
  }

  get has(): boolean {
    return this.#next !== undefined;
  }

  /** Throws what judging threw. */
  take(): IteratorResult<Verdict, void> {
    const next = this.#next;
    if (next === undefined) throw new Error('the next verdict is not there yet');
    if ('error' in next) throw next.error;
    this.#next = undefined;
    if (next.result.done !== true) this.#ask();
    return next.result;
  }

  #ask(): void {
    const arrive = (next: Arrived): void => {
      this.#next = next;
      this.#arrived();
    };
    this.#verdicts.next().then(
      (result) => arrive({ result }),
      (error) => arrive({ error }),
    );
  }
}

// Contract violations by a policy or an environment: continuing would assign results to the wrong tasks.

export class OutOfOrder extends IcecoreError {
  override readonly name = 'OutOfOrder';

  constructor(planned: string, expected: string | null) {
    super('internal', `a policy planned for the task ${planned} out of order`, { facts: { planned, expected } });
  }
}

export class EndedEarly extends IcecoreError {
  override readonly name = 'EndedEarly';

  constructor(rollouts: number, task: string | null) {
    const where = task === null ? '' : `, and none for the task ${task}`;
    super('internal', `plans and verdicts ended before the tasks did: there are ${rollouts}${where}`, {
      facts: { rollouts, task },
    });
  }
}

class TooManyVerdicts extends IcecoreError {
  override readonly name = 'TooManyVerdicts';

  constructor(environment: string) {
    super('internal', `the environment ${environment} gave more verdicts than there were tries`, {
      facts: { environment },
    });
  }
}
