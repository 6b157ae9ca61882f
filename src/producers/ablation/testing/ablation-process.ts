// A process that conducts an ablation of a tiny run, and says every thing it is told on the way: to be killed.
import { tinyPlace } from '../../run/testing/tiny.ts';
import { askedWhenKilled } from './killed.ts';
import { ablateTiny } from './tiny-ablation.ts';

const [folder = ''] = process.argv.slice(2);
const place = await tinyPlace(folder);
await ablateTiny(place, {
  ...askedWhenKilled,
  tell: async ({ kind }) => {
    process.stdout.write(`${kind}\n`);
  },
});
await place.ledger.close();
