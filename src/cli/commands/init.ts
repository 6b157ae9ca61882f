import { text } from '../../library/plugins/values.ts';
import { defineCommand, option } from '../command.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Create a workspace, which is the folder .icecore here or the one that ICECORE_WORKSPACE names. With --ledger, the ledger is
created there and icecore.config.json names it from then on, unless this folder already uses another ledger. What exists stays as
it is, so the command can be repeated.

With --split, run events and evidence go to two stores. Without URLs these are EventStoreDB and Kafka as docker-compose.yml
starts them: esdb://localhost:2113/NAME?tls=false and kafka://localhost:9092/NAME. The command waits 30 seconds for a server
that does not answer, unless its URL says otherwise.

With --blobs, checkpoints and long texts go to folder:PATH or s3://BUCKET/PREFIX?endpoint=URL&region=NAME.

Passwords are never written to a file. The output lists the environment variables that every command needs.
`,
  examples: [
    ['icecore init', 'In this folder'],
    ['icecore init --ledger sqlite:/data/experiments.db', 'With the ledger on another disk'],
    ['icecore init --split', 'In EventStoreDB and Kafka, after docker compose up --wait'],
    ['icecore init --split --name maze', 'Another ledger on the same servers'],
    [
      "icecore init --split --blobs 's3://icecore/lab?endpoint=http://localhost:7070'",
      'With blobs that other machines can reach',
    ],
    ['icecore init --split sqlite:decisions.db kafka://broker:9092/lab', 'Run events in a file, evidence in Kafka'],
  ],
  options: {
    split: option('--split [urls...]', 'use two stores, one for run events and one for evidence', text),
    name: option('--name <name>', 'name of the ledger in both stores: letters, digits, underscores', text, {
      otherwise: 'lab',
    }),
    blobs: option('--blobs <url>', 'where checkpoints and long texts go', text),
  },
  run: async (context, _, options) => (await import('../init.ts')).init(context, options),
});
