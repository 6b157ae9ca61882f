// Threads that all have the same duty, for when there is more to do than one can do quickly.
import { sibling } from '../../../base/sibling.ts';
import { Threads } from '../../../base/threads.ts';
import type { Answered, Duty } from './duty.ts';

/** What a thread makes lives for a line: V8 need not let as much garbage lie as the machine has room for. */
const room = { maxYoungGenerationSizeMb: 16 };

export class Crew<Item, Reply> extends Threads<readonly Item[], Answered<Reply>> {
  constructor(duty: Duty, threads: number) {
    super(sibling('thread', import.meta.url), duty, threads, room);
  }
}
