// A process of a tiny run, to be killed. It prints the kind of everything that happens.
import { conductTiny, tinyPlace, tinySettings } from './tiny.ts';

const [folder = '', run = '', seed = '1'] = process.argv.slice(2);
const place = await tinyPlace(folder);
await conductTiny(place, {
  run,
  settings: tinySettings({ seed: Number(seed), record: 'all' }),
  tell: async ({ kind }) => {
    process.stdout.write(`${kind}\n`);
  },
});
await place.ledger.close();
