import { choice, listOf, path, text } from '../../library/plugins/values.ts';
import { defineCommand, flag, option } from '../command.ts';
import { eventType, run, stageRange } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Write events. NDJSON has one event per line, as icecore event append takes them: another ledger then has the same events with the
same ids and digests. CloudEvents 1.0 have one event per line and can be appended, too. Parquet and Arrow have one column per
field, and the data of an event as JSON. Events come in the order in which they were recorded.

Without --output, they go to standard output. A path with an ending (.ndjson, .parquet, .arrow) is a file. Any other path is a
folder, partitioned by run and stage: events/run=first/stage=2/events.ndjson.

Texts in blobs are named by their SHA-256. --texts writes them too: to texts/ in the folder, or to FILE.texts. Store them in the
other ledger first (icecore blob put), then append the events that name them.
`,
  examples: [
    ['icecore export events > all.ndjson', 'Everything, one event per line'],
    [
      'icecore export events --run first-run | icecore event append --ledger sqlite:other.db',
      'A run to another ledger',
    ],
    ['icecore export events --format cloudevents --type ProposalRecorded,ConfigAdopted', 'Decisions as CloudEvents'],
    [
      'icecore export events --output evidence --format parquet --type RolloutRecorded --stage 2-3',
      'Rollouts as Parquet',
    ],
    ['icecore export events --output run.arrow --run latest', 'A run as one Arrow file'],
  ],
  options: {
    output: option('--output <path>', 'a file or a folder', path, { otherwise: 'standard output' }),
    format: option(
      '--format <format>',
      'ndjson, cloudevents, parquet or arrow',
      choice(['ndjson', 'cloudevents', 'parquet', 'arrow']),
      {
        otherwise: 'by the ending of the file, else ndjson',
      },
    ),
    runs: option('--run <run,...>', 'only these runs, with the recorded answers they depend on', listOf(run)),
    tag: option('--tag <tag>', 'only runs with this tag', text),
    types: option('--type <type...>', 'only events of these types', listOf(eventType)),
    stages: option('--stage <stage,...>', 'only events of these stages: 1,3-5', listOf(stageRange)),
    texts: flag('--texts', 'also write the texts in blobs; needs --output'),
  },
  run: async (context, _, options) => (await import('../export/events.ts')).exportEventsTo(context, options),
});
