// A process that conducts an ablation of a tiny run, and says every thing it is told on the way: to be killed, and to be there
// beside another one.
import { tinyPlace } from '../../run/testing/tiny.ts';
import { ablateTiny } from './tiny-ablation.ts';

const [folder = '', asked = ''] = process.argv.slice(2);
const place = await tinyPlace(folder);
await ablateTiny(place, {
  ...JSON.parse(asked),
  tell: async ({ kind }) => {
    process.stdout.write(`${kind}\n`);
  },
});
await place.ledger.close();
