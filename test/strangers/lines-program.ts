// Runs command lines one after another in this process, each with its own folder, environment and input, as if each had a process of its own.
import { Readable } from 'node:stream';
import type { Sink } from '../../src/base/sink.ts';
import { main } from '../../src/cli/main.ts';
import type { Order, Reply } from './lines-process.ts';

process.on('message', async ({ words, cwd, env, stdin }: Order) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const texts: string[] = [];
  const sink: Sink = {
    isTTY: false,
    columns: 80,
    write: async (text) => void texts.push(typeof text === 'string' ? text : Buffer.from(text).toString()),
  };
  const streams = { stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), stdout: sink, stderr: sink };
  const code = await main(words, { ...streams, env: process.env, cwd, signal: new AbortController().signal });
  process.send?.({ code, output: texts.join('') } satisfies Reply);
});
process.send?.('ready');
