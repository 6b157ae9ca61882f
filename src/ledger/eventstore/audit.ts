// What is wrong with the store itself: streams that the server does not keep, events that were removed, ids that stand twice, and,
// looked at wholly, a mirror that has something else than the server.

import { placeOf } from '../event.ts';
import type { StoreFault } from '../ledger.ts';
import type { CatchingUp } from './catching-up.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { Arrived } from './wire.ts';

export async function* auditServer(
  mirror: Mirror,
  catchingUp: CatchingUp,
  wholly: boolean,
  signal: AbortSignal,
): AsyncGenerator<StoreFault> {
  await catchingUp.toNow(signal);
  yield* mirror.notKept();
  if (!wholly) return;
  yield* mirror.idsTwice();
  let seen = 0;
  const { events } = mirror.progress();
  for await (const page of catchingUp.again(signal)) {
    for (const arrived of page) {
      seen++;
      const what = differenceOf(mirror, arrived);
      if (what !== null) yield { where: placeOf(arrived), what };
    }
  }
  if (seen < events) {
    yield { where: 'the server', what: `has ${seen} events, of which ${events} were read before: events were removed` };
  }
}

function differenceOf(mirror: Mirror, { position, stream, revision, digest, body }: Arrived): string | null {
  const [found] = mirror.reading.page('position = ?', [position], 1).events;
  if (found === undefined) return `is missing from the mirror of this machine: delete its folder, it is made anew`;
  const isSame =
    found.stream === stream && found.revision === revision && found.digest === digest && found.body === body;
  return isSame ? null : `is another event than in the mirror of this machine: delete its folder, it is made anew`;
}
