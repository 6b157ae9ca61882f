// One broker that is its own controller; or three and a separate controller, so that any broker can be killed without an election of controllers.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brokersKnownAt } from './answering.ts';
import { makeCertificate } from './certificate.ts';
import { formattedWith, type Guarded, guardedAt } from './guarding.ts';
import { freePorts } from './ports.ts';
import { KafkaProcess } from './process.ts';
import { isBroker, type Node, settingsOf } from './settings.ts';

const startsWithinMs = 120_000;
const [brokerHeapMb, controllerHeapMb] = [400, 128];

export class Cluster {
  /** Brokers come first. */
  readonly #nodes: readonly Node[];
  readonly #processes: readonly KafkaProcess[];
  readonly #brokers: number;

  private constructor(nodes: readonly Node[], processes: readonly KafkaProcess[]) {
    this.#nodes = nodes;
    this.#processes = processes;
    this.#brokers = nodes.filter(isBroker).length;
  }

  static async make(folder: string, brokers: 1 | 3, java: readonly string[]): Promise<Cluster> {
    if (brokers === 1) await makeCertificate();
    const nodes = await nodesFor(brokers);
    const cluster = clusterId();
    const processes = nodes.map((node) => {
      return KafkaProcess.make({
        folder: join(folder, `${node.id}`),
        cluster,
        options: [...java, `-Xmx${node.plays === 'controller' ? controllerHeapMb : brokerHeapMb}m`],
        settings: (data) => settingsOf(node, nodes, data),
        formattedWith: node.plays === 'both' ? formattedWith : [],
      });
    });
    return new Cluster(nodes, await Promise.all(processes));
  }

  get places(): Places {
    const brokers = this.#nodes.slice(0, this.#brokers);
    return {
      brokers: brokers.map(({ plain }) => `127.0.0.1:${plain}`),
      proxies: brokers.map(({ advertised, behind }) => ({ listen: advertised, to: behind })),
      guarded: brokers.flatMap(({ plays, guarded }) => (plays === 'both' ? [guardedAt(guarded)] : []))[0] ?? null,
    };
  }

  /** Starts stopped brokers and resumes paused ones; returns when each broker answers and knows all others. */
  async start(): Promise<void> {
    for (const process of this.#processes) {
      process.resume();
      process.start();
    }
    for (let index = 0; index < this.#brokers; index++) await this.#answers(index, this.#brokers);
  }

  async kill(index: number): Promise<void> {
    await this.#broker(index).kill();
  }

  /** At the same address with the same data; returns when it answers. */
  async restart(index: number): Promise<void> {
    await this.kill(index);
    this.#broker(index).start();
    await this.#answers(index, 1);
  }

  pause(index: number): void {
    this.#broker(index).pause();
  }

  resume(index: number): void {
    this.#broker(index).resume();
  }

  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill(signal)));
  }

  async #answers(index: number, brokers: number): Promise<void> {
    const start = performance.now();
    while ((await brokersKnownAt(this.#nodes[index]?.plain ?? 0)) < brokers) {
      const fallen = this.#processes.find((process) => !process.runs && process !== this.#processes[index]);
      if (!this.#broker(index).runs || performance.now() - start > startsWithinMs)
        throw new Error(`broker ${index} does not start:\n${(fallen ?? this.#broker(index)).lastWords()}`);
      await pause(50);
    }
  }

  #broker(index: number): KafkaProcess {
    const found = index < this.#brokers ? this.#processes[index] : undefined;
    if (found === undefined) throw new Error(`no broker ${index}`);
    return found;
  }
}

async function nodesFor(brokers: 1 | 3): Promise<readonly Node[]> {
  const plays = brokers === 1 ? (['both'] as const) : (['broker', 'broker', 'broker', 'controller'] as const);
  const ports = await freePorts(plays.length * 5);
  return plays.map((part, index) => {
    const [plain = 0, behind = 0, advertised = 0, guarded = 0, control = 0] = ports.slice(index * 5);
    return { id: index + 1, plays: part, plain, behind, advertised, guarded, control };
  });
}

export interface Places {
  readonly brokers: readonly string[];
  /** Where a proxy before each must listen, and its target. */
  readonly proxies: readonly ProxyPlace[];
  /** Null with several brokers. */
  readonly guarded: Guarded | null;
}

interface ProxyPlace {
  readonly listen: number;
  readonly to: number;
}

/** It must not begin with a hyphen, or the program would read it as an option. */
function clusterId(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0);
  return bytes.toString('base64url');
}
