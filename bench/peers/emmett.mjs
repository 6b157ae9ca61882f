// Records rollouts with emmett's SQLite store: the same events, with the same ids, in one stream. Prints one line of JSON.
//   node emmett.mjs batches|single ROLLOUTS.ndjson COUNT FOLDER
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { recordWith, taskFrom } from './appending.ts';

// emmett is not a dependency of icecore: `node bench/peers/run.ts --install` installs it in a separate folder.
const packages = createRequire(new URL('../../.cache/peers/npm/package.json', import.meta.url));
const store = '@event-driven-io/emmett-sqlite';
const { getSQLiteEventStore } = await import(pathToFileURL(packages.resolve(store)));

const task = taskFrom(process.argv.slice(2));
const { version } = packages(join(packages.resolve(store), '../../package.json'));
const emmett = getSQLiteEventStore({ fileName: join(task.folder, 'emmett.db') });

const asMessage = ({ type, data, id, at, actor, run, stage }) => ({
  type,
  data,
  metadata: { messageId: id, at, actor, run, stage },
});

// Creates the tables, which is not measured.
const { streamExists } = await emmett.readStream('evidence-bench');
if (streamExists) throw new Error('The folder has been used before.');

let end = 0n;
const recorded = await recordWith(task, { tool: 'emmett', version }, async (events) => {
  ({ nextExpectedStreamVersion: end } = await emmett.appendToStream('evidence-bench', events.map(asMessage)));
});
if (end !== BigInt(recorded.events)) throw new Error(`emmett was given ${recorded.events} rollouts and holds ${end}`);
console.log(JSON.stringify(recorded));
