// The digest of a suite while its tasks go by, so that nobody has to hold them.
import { createHash } from 'node:crypto';
import { type Task, taskDigest } from '../environments/task.ts';

/** Tells at its end what `suiteDigest` says of the tasks: the digest of the canonical JSON of the list of their digests. */
export class RunningDigest {
  readonly #hash = createHash('sha256');
  #tasks = 0;

  get tasks(): number {
    return this.#tasks;
  }

  add(task: Task): void {
    this.#hash.update(`${this.#tasks === 0 ? '[' : ','}"${taskDigest(task)}"`);
    this.#tasks += 1;
  }

  digest(): string {
    return this.#hash
      .copy()
      .update(this.#tasks === 0 ? '[]' : ']')
      .digest('hex');
  }
}
