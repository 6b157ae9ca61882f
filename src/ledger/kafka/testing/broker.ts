// A real Kafka for tests: the one in ICECORE_TEST_KAFKA, or one that is started here.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { KafkaProxy, type ProxyPlace } from './proxy.ts';

export interface Kafka {
  /** Each `host:port`. */
  readonly brokers: readonly string[];
  /** Operations that are possible only on brokers started here. */
  readonly own: OwnBrokers | null;
  stop(): Promise<void>;
}

export interface KafkaOptions {
  readonly brokers?: 1 | 3;
  /** For benchmarks: it takes longer to start, and is faster afterwards. */
  readonly lasting?: boolean;
}

/** Brokers are numbered from 0. */
export interface OwnBrokers {
  /** Immediately, like a power failure. */
  kill(index: number): Promise<void>;
  /** At the same address with the same data; resolves when it answers. */
  restart(index: number): Promise<void>;
  /** It no longer answers, but its connections stay. */
  pause(index: number): Promise<void>;
  resume(index: number): Promise<void>;
  /** A proxy between client and broker; to its clients, the broker appears to be at the proxy's address. One at a time per broker. */
  proxy(index: number): Promise<KafkaProxy>;
  /** The address of a single broker for TLS with a login. */
  readonly guarded: Guarded | null;
}

export interface Guarded {
  readonly broker: string;
  /** The file with the certificate to trust. */
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}

const program = fileURLToPath(new URL('../../../../tools/kafka-server.ts', import.meta.url));
let shared: Promise<Server> | null = null;
/** Of the shared one. */
let users = 0;
let lacking: string | null = null;
const given = process.env['ICECORE_TEST_KAFKA'];

/** Why there is no Kafka to test with; null: there is one. */
export function whyNoKafka(): string | null {
  if (given) return null;
  lacking ??= spawnSync(process.execPath, [program, '--ready'], { encoding: 'utf8' }).stderr.trim();
  return lacking || null;
}

/**
 * One broker is shared by all test files of this process, and ends with it: use separate topics. It is running from each start
 * to the next stop, whatever earlier tests did to it. A cluster of three is started for the caller alone.
 */
export async function startKafka({ brokers = 1, lasting = false }: KafkaOptions = {}): Promise<Kafka> {
  if (given) return { brokers: given.split(','), own: null, stop: async () => {} };
  if (brokers === 3) return kafkaOf(await Server.start({ brokers, lasting }), true);
  shared ??= Server.start({ brokers, lasting }).catch((error: unknown) => {
    // The next caller may be luckier.
    shared = null;
    throw error;
  });
  const server = await shared;
  users += 1;
  await server.order('start');
  return kafkaOf(server, false);
}

function kafkaOf(server: Server, alone: boolean): Kafka {
  const { brokers, proxies, guarded } = server.places;
  return {
    brokers,
    own: {
      kill: (index) => server.order(`kill ${index}`),
      restart: (index) => server.order(`restart ${index}`),
      pause: (index) => server.order(`pause ${index}`),
      resume: (index) => server.order(`resume ${index}`),
      proxy: (index) => KafkaProxy.start(placeOf(proxies, index)),
      guarded,
    },
    stop: async () => {
      if (alone) return await server.end();
      // A broker that nobody uses would still take a part of a core until the tests of this process end.
      users -= 1;
      if (users === 0) await server.order('pause 0');
    },
  };
}

function placeOf(proxies: readonly ProxyPlace[], index: number): ProxyPlace {
  const place = proxies[index];
  if (place === undefined) throw new Error(`there is no broker ${index}`);
  return place;
}

interface Places {
  readonly brokers: readonly string[];
  readonly proxies: readonly ProxyPlace[];
  readonly guarded: Guarded | null;
}

/** The program that runs the brokers. When it has no pending request, it does not keep this process alive. */
class Server {
  readonly places: Places;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: Answers;
  #turn: Promise<void> = Promise.resolve();

  private constructor(child: ChildProcessWithoutNullStreams, answers: Answers, places: Places) {
    this.#child = child;
    this.#answers = answers;
    this.places = places;
    hold(child, false);
  }

  static async start({ brokers, lasting }: Required<KafkaOptions>): Promise<Server> {
    const argv = [program, '--brokers', `${brokers}`, ...(lasting ? ['--lasting'] : [])];
    // Separate pipes, because a reader of this process's output would otherwise wait until the server has shut down.
    const child = spawn(process.execPath, argv, { stdio: 'pipe' });
    const answers = answersOf(child);
    return new Server(child, answers, JSON.parse(await next(answers)));
  }

  /** One at a time, in the order of the calls. */
  order(what: string): Promise<void> {
    const done = this.#turn.then(() => this.#obeyed(what));
    this.#turn = done.catch(() => {});
    return done;
  }

  async end(): Promise<void> {
    hold(this.#child, true);
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    await ended;
  }

  async #obeyed(what: string): Promise<void> {
    hold(this.#child, true);
    this.#child.stdin.write(`${what}\n`);
    const { failed }: { failed: string | null } = JSON.parse(await next(this.#answers));
    hold(this.#child, false);
    if (failed !== null) throw new Error(failed);
  }
}

type Answers = AsyncGenerator<string, never>;

/** When its output ends, throws its error output. */
async function* answersOf({ stdout, stderr }: ChildProcessWithoutNullStreams): Answers {
  let complaint = '';
  stderr.on('data', (text: Buffer) => {
    complaint += text.toString();
  });
  yield* createInterface(stdout);
  throw new Error(`the Kafka server ended: ${complaint}`);
}

async function next(answers: Answers): Promise<string> {
  return (await answers.next()).value;
}

function hold(child: ChildProcessWithoutNullStreams, held: boolean): void {
  const pipes = [child.stdin, child.stdout, child.stderr].filter((pipe) => pipe instanceof Socket);
  for (const each of [child, ...pipes]) {
    if (held) each.ref();
    else each.unref();
  }
}
