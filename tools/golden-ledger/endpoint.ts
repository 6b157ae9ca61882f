// A model that answers every question with the same text, which is not a proposal.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

const answer = {
  id: 'golden',
  object: 'chat.completion',
  created: 0,
  model: 'golden',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Make it easier.' } }],
  usage: { prompt_tokens: 100, completion_tokens: 4, total_tokens: 104 },
};

export async function openEndpoint(): Promise<Endpoint> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
