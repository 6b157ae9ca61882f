// icecore init: a home and a ledger, ready to be written to.
import type { CommandModule } from '../command.ts';

const notes = `
The home is the folder .icecore here, or ICECORE_HOME. With --ledger, the ledger is made there instead, and
icecore.config.json says so from now on; not in a folder that uses another ledger already. What exists already is left
as it is, so that the same again does no harm.

With --split, decisions go to one store and evidence to another: EventStoreDB and Kafka where docker-compose.yml starts
them, esdb://localhost:2113/NAME?tls=false and kafka://localhost:9092/NAME, or the two that are named. A server that does
not answer is waited for, 30 seconds unless its URL says otherwise.

With --blobs, checkpoints and long texts go there: folder:PATH, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME.

No password is ever written down. Which variables have to be set for every command is said at the end.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore init', 'Here'],
    ['icecore init --ledger sqlite:/data/experiments.db', 'With the ledger on another disk'],
    ['icecore init --split', 'In EventStoreDB and Kafka, after docker compose up --wait'],
    ['icecore init --split --name maze', 'Another ledger beside it, on the same servers'],
    [
      "icecore init --split --blobs 's3://icecore/lab?endpoint=http://localhost:7070'",
      'And blobs that other machines reach',
    ],
    ['icecore init --split sqlite:decisions.db kafka://broker:9092/lab', 'Decisions in a file, evidence in Kafka'],
  ],
  declare: (command) =>
    command
      .option('--split [urls...]', 'decisions and evidence in two stores: their URLs, or none for docker-compose.yml')
      .option('--name <name>', 'what the ledger is called in both stores; lab. Letters, digits, underscores')
      .option('--blobs <url>', 'where checkpoints and long texts go, for every command here'),
  run: async (context, command) => {
    const { init } = await import('../init.ts');
    return await init(context, command.opts());
  },
};
