import { integer, listOf, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { eventType, stream } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Print one line per event: its time (UTC), place, type, author and main facts. With --json, print NDJSON: the whole event and a
\`cursor\`; --after takes it to continue from there.

If evidence has its own store, the events of an attempt follow the run event that reports it. -f also shows them earlier, as they
arrive, marked \`unsealed\`.
`,
  examples: [
    ['icecore event tail', 'The last 20 events'],
    ['icecore event tail -f --type RolloutRecorded,FailureRecorded', 'Follow rollouts and failures live'],
    ['icecore event tail -5 --stream run-mine', 'The last 5 events of one stream'],
    [
      'icecore event tail -n 1000 --json | jq -r \'select(.type == "RolloutRecorded") | .data.outcome\'',
      'Outcomes, for a program',
    ],
    ['icecore event tail --after CURSOR --json', 'Everything since'],
    ['icecore event tail -f -n 5 --after CURSOR', 'At most the last 5 events since, and new ones'],
  ],
  args: { number: argument('[-NUMBER]', 'same as -n NUMBER; put it before --type and --stream', text) },
  options: {
    follow: flag('-f, --follow', 'continue with new events until Ctrl-C'),
    limit: option(
      '-n, --limit <n>',
      'maximum number of events: the last ones, or the first ones after a cursor',
      integer(0, 999_999_999),
      {
        otherwise: '20',
      },
    ),
    types: option('--type <type...>', 'only events of these types', listOf(eventType)),
    streams: option('--stream <stream...>', 'only events of these streams', stream),
    after: option('--after <cursor>', 'only events after this cursor', text),
    cloudevents: flag('--cloudevents', 'as CloudEvents 1.0, one per line'),
  },
  run: async (context, { number }, options) => (await import('../events/tail.ts')).tail(context, options, number),
});
