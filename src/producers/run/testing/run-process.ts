// A process that conducts a tiny run, and says every thing it is told on the way: to be killed.
import { conductTiny, tinyPlace, tinySettings } from './tiny.ts';

const [folder = '', run = '', seed = '1'] = process.argv.slice(2);
const place = await tinyPlace(folder);
await conductTiny(place, {
  run,
  settings: tinySettings({ seed: Number(seed) }),
  tell: async ({ kind }) => {
    process.stdout.write(`${kind}\n`);
  },
});
await place.ledger.close();
