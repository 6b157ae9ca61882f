// A process of a tiny run, to be killed. It prints the kind of each progress report. With a type it suspends itself by
// SIGSTOP between the check and the append of the first such event.

import { usualLimits } from '../../evidence/reported.ts';
import { heldUp } from './held-up.ts';
import { runTiny, tinyPlace, tinySettings } from './tiny.ts';

const [folder = '', run = '', seed = '1', stopsBefore = '', lease = '60'] = process.argv.slice(2);
const place = await tinyPlace(folder);
const held = heldUp(place.ledger, stopsBefore);
void held.reached.then(async () => {
  process.kill(process.pid, 'SIGSTOP');
  await held.goOn();
});
await runTiny(
  { folder, ledger: held.ledger },
  {
    run,
    settings: tinySettings({ seed: Number(seed), record: 'all' }),
    leaseSeconds: Number(lease),
    limits: { ...usualLimits, rollouts: 20 },
    tell: async ({ kind }) => {
      process.stdout.write(`${kind}\n`);
    },
  },
);
await place.ledger.close();
