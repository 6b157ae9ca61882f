// The settings of test brokers: small, fast to start and to elect, without automatic topics.

import { guarding } from './guarding.ts';

/** A process of the cluster, and the loopback ports it listens on. */
export interface Node {
  readonly id: number;
  readonly plays: 'broker' | 'controller' | 'both';
  /** For clients. */
  readonly plain: number;
  /** For a proxy: its clients are referred to the address `advertised`. */
  readonly behind: number;
  readonly advertised: number;
  /** For clients with encryption and authentication. */
  readonly guarded: number;
  /** For brokers, to reach the controller. */
  readonly control: number;
}

export const isBroker = (node: Node): boolean => node.plays !== 'controller';
const isController = (node: Node): boolean => node.plays !== 'broker';

export function settingsOf(node: Node, nodes: readonly Node[], data: string): string {
  const settings = {
    'node.id': node.id,
    'process.roles': node.plays === 'both' ? 'broker,controller' : node.plays,
    'controller.quorum.voters': nodes.filter(isController).map(({ id, control }) => `${id}@127.0.0.1:${control}`),
    'log.dirs': data,
    ...listenersOf(node),
    ...copiesAmong(nodes.filter(isBroker).length),
    'auto.create.topics.enable': false,
    'log.retention.ms': -1,
    'group.initial.rebalance.delay.ms': 0,
    // How long after a kill another broker takes the lead; until then the killed one cannot come back.
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 250,
    // Compaction happens within a test; its default buffer would fill a third of the heap.
    'log.cleaner.backoff.ms': 200,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  return lines.join('');
}

function listenersOf(node: Node): Readonly<Record<string, string>> {
  const at = (name: string, port: number): string => `${name}://127.0.0.1:${port}`;
  const control = isController(node) ? [at('CONTROLLER', node.control)] : [];
  const guarded = node.plays === 'both' ? [at('GUARDED', node.guarded)] : [];
  const clients = isBroker(node) ? [at('PLAIN', node.plain), at('BEHIND', node.behind), ...guarded] : [];
  const advertised = [at('PLAIN', node.plain), at('BEHIND', node.advertised), ...guarded];
  return {
    listeners: [...clients, ...control].join(','),
    ...(isBroker(node) ? { 'advertised.listeners': advertised.join(',') } : {}),
    ...(node.plays === 'both' ? guarding : {}),
    'inter.broker.listener.name': 'PLAIN',
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,BEHIND:PLAINTEXT,GUARDED:SASL_SSL,CONTROLLER:PLAINTEXT',
  };
}

function copiesAmong(brokers: number): Readonly<Record<string, number>> {
  const inSync = Math.min(2, brokers);
  const settings: Record<string, number> = { 'default.replication.factor': brokers, 'min.insync.replicas': inSync };
  for (const topic of ['offsets.topic', 'transaction.state.log', 'share.coordinator.state.topic']) {
    settings[`${topic}.replication.factor`] = brokers;
    // By default 50, each of which has to be created, replicated and loaded.
    settings[`${topic}.num.partitions`] = 4;
  }
  settings['transaction.state.log.min.isr'] = inSync;
  settings['share.coordinator.state.topic.min.isr'] = inSync;
  return settings;
}
