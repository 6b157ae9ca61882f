// icecore export events: events as they were recorded, for other programs and other ledgers.
import { Option } from 'commander';
import type { CommandModule } from '../../command.ts';

const formats = ['ndjson', 'cloudevents', 'parquet', 'arrow'];

const notes = `
NDJSON is a line an event, as icecore append takes it: into another ledger, it gives the same events with the same ids and
digests. CloudEvents are those of version 1.0, a line of JSON each, which append takes as well. Parquet and Arrow have a
column for each field, and what an event says as JSON. Events come in the order in which they were recorded.

Without --to, they go to standard output; with it to a file, where it has an ending (.ndjson, .parquet, .arrow), and else into
a folder, cut by run and stage: events/run=first/stage=2/events.ndjson.

Texts that are kept as blobs are named by their SHA-256. --texts writes them beside: into texts/ in the folder, or into
FILE.texts. Put them into another ledger's store first (icecore blob put), and the events that name them can be appended.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore export events > all.ndjson', 'Everything, a line an event'],
    ['icecore export events --runs first-run | icecore append --ledger sqlite:other.db', 'A run into another ledger'],
    ['icecore export events --format cloudevents --types ProposalRecorded,ConfigAdopted', 'Decisions as CloudEvents'],
    [
      'icecore export events --to evidence --format parquet --types RolloutRecorded --stages 2-3',
      'Rollouts as Parquet',
    ],
    ['icecore export events --to run.arrow --runs latest', 'A run as one Arrow file'],
  ],
  declare: (command) =>
    command
      .option('--to <path>', 'a file or a folder; standard output where this is missing')
      .addOption(
        new Option('--format <format>', `${formats.join(', ')}; by the ending of the file, else ndjson`).choices(
          formats,
        ),
      )
      .option('--runs <run,...>', 'only these runs, with the recorded answers they rest on')
      .option('--tag <tag>', 'only runs with this tag')
      .option('--types <type,...>', 'only events of these types')
      .option('--stages <stage,...>', 'only events of these stages: 1,3-5')
      .option('--texts', 'write texts that are kept as blobs beside the events; needs --to'),
  run: async (context, command) => {
    const { exportEvents } = await import('../../export/events.ts');
    return await exportEvents(context, command.opts());
  },
};
