// A process that runs an ablation of a tiny run and prints its progress, for tests that kill it or run it concurrently.
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
