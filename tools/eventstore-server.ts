// A stand-in for EventStoreDB, for machines without a container engine: the test server, which speaks its protocol.
// `node tools/eventstore-server.ts` prints one line of JSON with its address, and runs until its standard input ends or it receives a signal. Its
// data is in memory.
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
