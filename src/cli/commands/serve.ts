import { integer, path, text } from '../../library/plugins/values.ts';
import { defineCommand, flag, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Serve the ledger over HTTP: runs, reasons, rollouts and SQL to read, events to append, and a live feed. GET / lists the routes,
GET /openapi.json describes them. docs/server.md has examples. The server keeps the SQL tables fresh while it runs.

It listens on this machine alone. From another machine, use a tunnel (the server prints the ssh command where you are connected
through SSH), or --host with a file of tokens. Anyone who can log in to this machine can reach a port on it: on a shared machine,
use --tokens as well.

Ctrl-C stops it: requests under way end first. The log goes to standard error, one JSON object per line.
`,
  examples: [
    ['icecore serve', 'On this machine, on port 7420 or a free one'],
    ['icecore serve --open', 'The same, and open it in a browser'],
    ['icecore serve --host 0.0.0.0 --tokens tokens.json', 'For other machines, with tokens'],
    ['curl -s localhost:7420/runs/latest/why', 'Ask it'],
  ],
  options: {
    port: option('--port <n>', 'the port', integer(0, 65_535), { otherwise: '7420, or a free one' }),
    host: option('--host <address>', 'the address to listen on; another than this machine needs --tokens', text, {
      default: '127.0.0.1',
    }),
    tokens: option('--tokens <file>', 'a file of tokens that only you can read (docs/server.md)', path),
    allowHost: option('--allow-host <name...>', 'further names it may be called by, for a proxy; needs --tokens', text),
    open: flag('--open', 'open it in a browser'),
  },
  run: async (context, _, options) => (await import('../serve/serve.ts')).serve(context, options),
});
