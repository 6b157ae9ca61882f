// A process of its own that is a member of a group: for each change it says which shards it has, a line each time.
import { openLedger } from '../open.ts';

const [, , url = '', group = ''] = process.argv;
const ledger = await openLedger(url, { readOnly: true });
for await (const own of ledger.shards().share(group, new AbortController().signal))
  process.stdout.write(`${JSON.stringify(own)}\n`);
