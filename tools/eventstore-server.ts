// A stand-in for EventStoreDB, for trying things where there is no engine for containers: the server of the tests, which
// speaks its protocol and is not it. `node tools/eventstore-server.ts` prints one line of JSON that says where it is, and
// runs until its standard input ends or it is told to stop. What it holds goes with it.
import { parseArgs } from 'node:util';
import { startTestServer } from '../src/ledger/eventstore/testing/server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '2113' } } });

const server = await startTestServer({ port: Number(values.port) });
const end = async (): Promise<never> => {
  await server.stop();
  process.exit();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
process.stdin.on('end', end).resume();
console.log(JSON.stringify({ url: `esdb://${server.address}/lab?tls=false` }));
