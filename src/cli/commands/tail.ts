// icecore tail: the last events, and new ones as they come.
import type { CommandModule } from '../command.ts';

const notes = `
People get one line an event: when it happened (UTC), where it stands, its type, who did it, and the heart of it. Programs
get NDJSON with --json: the whole event and a \`cursor\`, which --after takes to go on from there.

Where evidence has a store of its own, events of an attempt come after the run event that reports it. -f also shows them as they
arrive before that, marked \`unsealed\`.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore tail', 'The last 20 events'],
    ['icecore tail -f --type RolloutRecorded FailureRecorded', 'Follow rollouts and failures live'],
    ['icecore tail -5 --stream run-mine', 'The last 5 events of one stream'],
    [
      'icecore tail -n 1000 --json | jq -r \'select(.type == "RolloutRecorded") | .data.outcome\'',
      'Outcomes, for a program',
    ],
    ['icecore tail --after CURSOR --json', 'Everything since'],
    ['icecore tail -f -n 5 --after CURSOR', 'At most the last 5 events since, and what comes'],
  ],
  declare: (command) =>
    command
      .argument('[-NUMBER]', 'the same as -n NUMBER; stands before --type and --stream')
      .option('-f, --follow', 'go on with new events as they come, until Ctrl-C')
      .option('-n, --number <n>', 'show at most so many: the last ones; with --after and no -f, the first ones')
      .option('--type <type...>', 'only events of these types')
      .option('--stream <stream...>', 'only events of these streams')
      .option('--after <cursor>', 'only events after this cursor')
      .option('--cloudevents', 'as CloudEvents 1.0, one a line'),
  run: async (context, command) => {
    const { tail } = await import('../events/tail.ts');
    return await tail(context, command.opts(), command.args[0]);
  },
};
