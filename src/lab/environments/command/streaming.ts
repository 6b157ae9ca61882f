// A request that is answered by many replies, as a generator. Whoever stops reading in the middle has the program ended,
// for there is no other way to make it stop; the next request starts another.
import { Inbox } from '../../programs/inbox.ts';
import type { Fields, Program, Request } from './program.ts';
import type { Programs } from './programs.ts';

/** How the replies to one request are read; each method throws what the program said that cannot be meant. */
export interface Reading<Item, Result> {
  item(fields: Fields, program: Program): Item;
  /** The last reply, the one with `"done": true`. */
  end(fields: Fields, program: Program): Result;
}

export async function* streamed<Item, Result>(
  programs: Programs,
  request: Request,
  reading: Reading<Item, Result>,
  signal?: AbortSignal,
): AsyncGenerator<Item, Result, undefined> {
  signal?.throwIfAborted();
  const { program, release } = programs.hold();
  let isOver = false;
  const inbox = new Inbox<Item, Result>({
    pause: () => program.pause(),
    resume: () => isOver || program.resume(),
  });
  /** The program has said all: it is free for others, however much of it is still to be read here. */
  const over = (): true => {
    if (!isOver) release();
    isOver = true;
    return true;
  };
  const abort = (): void => inbox.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  program.send(request, {
    reply: (fields, length) => {
      try {
        if (fields['done'] === undefined) {
          inbox.put(reading.item(fields, program), length);
          return false;
        }
        inbox.finish(reading.end(fields, program));
        return over();
      } catch (error) {
        void program.kill(error as Error);
        return true;
      }
    },
    fail: (error) => {
      over();
      inbox.fail(error);
    },
  });
  try {
    for (;;) {
      const next = await inbox.next();
      if (next.done === true) return next.value;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!isOver) await program.kill();
  }
}
