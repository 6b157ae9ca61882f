// Loopback ports that stay available while a broker is down: below those that systems use for outgoing connections.
import { once } from 'node:events';
import { createServer } from 'node:net';

const [first, last] = [20_000, 29_999];

export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = first + Math.floor(Math.random() * (last - first + 1));
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
