// Records rollouts with icecore, as any program would: opens a ledger and appends. Prints one line of JSON.
//   node icecore.ts batches|single ROLLOUTS.ndjson COUNT FOLDER
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../../src/ledger/open.ts';
import { stream } from '../rollouts.ts';
import { recordWith, taskFrom } from './appending.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const task = taskFrom(process.argv.slice(2));
const ledger = await openLedger(`sqlite:${join(task.folder, 'ledger.db')}`, { create: true });
const recorded = await recordWith(task, { tool: 'icecore', version }, (events) =>
  ledger.append(stream, events, { expect: 'any' }),
);
const { events } = await ledger.head();
await ledger.close();
if (events !== recorded.events) throw new Error(`icecore was given ${recorded.events} rollouts and holds ${events}`);
console.log(JSON.stringify(recorded));
