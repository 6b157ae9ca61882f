// Single requests by kafkajs's protocol, and their answers. Records are sent and read in a way of our own.
import type { Joined, Metadata, Requests } from '../client.ts';
import { codes } from '../faults.ts';
import { sharingName } from '../group-messages.ts';
import type { TopicWanted } from '../transport.ts';
import type * as answers from './answers.ts';
import { requireNone } from './faults.ts';
import { fetchExchange } from './fetch-exchange.ts';
import { type Broker, type Exchange, exchange } from './parts.ts';
import { produceExchange } from './produce-exchange.ts';

const topicResource = 2;
const readCommitted = 1;
const noReplica = -1;
const timestamps = { start: -2, end: -1 } as const;
const protocolType = 'consumer';
/** Of transactions, which are not used. */
const transactionTimeout = 60_000;

export const requests: Requests<Broker> = {
  async metadata(broker, topics) {
    const asked = { topics, allowAutoTopicCreation: false };
    return metadataFrom(await send(broker, exchange<answers.Metadata>('Metadata', 6, asked)));
  },

  async settings(broker, topics) {
    const resources = topics.map((name) => ({ type: topicResource, name }));
    const answer = await send(broker, exchange<answers.Configs>('DescribeConfigs', 2, { resources }));
    return new Map(
      answer.resources.map(({ errorCode, resourceName, configEntries }) => {
        requireNone(errorCode);
        const told = configEntries.flatMap(({ configName, configValue }) =>
          configValue === null ? [] : [[configName, configValue] as const],
        );
        return [resourceName, new Map(told)];
      }),
    );
  },

  async create(broker, wanted, answerMs) {
    const asked = { topics: wanted.map(topicAsked), validateOnly: false, timeout: answerMs };
    requireDone(await send(broker, exchange<answers.Topics>('CreateTopics', 3, asked)));
  },

  async remove(broker, topics, answerMs) {
    requireDone(await send(broker, exchange<answers.Topics>('DeleteTopics', 1, { topics, timeout: answerMs })));
  },

  async offsets(broker, topic, partitions, edge) {
    const timestamp = timestamps[edge];
    const topics = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }];
    const asked = { replicaId: noReplica, isolationLevel: readCommitted, topics };
    const answer = await send(broker, exchange<answers.Offsets>('ListOffsets', 3, asked));
    const found = answer.responses.flatMap((response) => response.partitions);
    for (const { errorCode } of found) requireNone(errorCode);
    return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]));
  },

  fetch(broker, wanted, options) {
    return send(broker, fetchExchange(wanted, options));
  },

  async origin(broker) {
    const asked = { transactionalId: null, transactionTimeout };
    const answer = await send(broker, exchange<answers.Origin>('InitProducerId', 1, asked));
    requireNone(answer.errorCode);
    return { producerId: BigInt(answer.producerId), epoch: answer.producerEpoch, sequence: 0 };
  },

  append(broker, where, batch, replicasMs) {
    return send(broker, produceExchange(where, batch, replicasMs));
  },

  async coordinator(broker, groupId) {
    const answer = await send(broker, exchange<answers.Coordinator>('GroupCoordinator', 2, { groupId }));
    requireNone(answer.errorCode);
    return `${answer.coordinator.host}:${answer.coordinator.port}`;
  },

  async join(broker, { group, member, sessionMs, rebalanceMs, wishes }) {
    const asked = {
      groupId: group,
      sessionTimeout: sessionMs,
      rebalanceTimeout: rebalanceMs,
      memberId: member,
      protocolType,
      groupProtocols: [{ name: sharingName, metadata: wishes }],
    };
    return joinedFrom(await send(broker, exchange<answers.Joined>('JoinGroup', 5, asked)));
  },

  async sync(broker, groupId, { generation, member }, shares) {
    const groupAssignment = [...shares].map(([memberId, memberAssignment]) => ({ memberId, memberAssignment }));
    const asked = { groupId, generationId: generation, memberId: member, groupAssignment };
    const { errorCode, memberAssignment } = await send(broker, exchange<answers.Share>('SyncGroup', 3, asked));
    requireNone(errorCode);
    return memberAssignment;
  },

  async heartbeat(broker, groupId, { generation, member }) {
    const asked = { groupId, groupGenerationId: generation, memberId: member, groupInstanceId: null };
    requireNone((await send(broker, exchange<answers.Plain>('Heartbeat', 3, asked))).errorCode);
  },

  async leave(broker, groupId, memberId) {
    requireNone((await send(broker, exchange<answers.Plain>('LeaveGroup', 3, { groupId, memberId }))).errorCode);
  },
};

function send<Answer>(broker: Broker, asked: Exchange<Answer>): Promise<Answer> {
  return broker.connectionPool.send(asked);
}

function topicAsked({ name, partitions, replicas, settings }: TopicWanted): object {
  const configEntries = Object.entries(settings).map(([setting, value]) => ({ name: setting, value }));
  return { topic: name, numPartitions: partitions, replicationFactor: replicas, configEntries };
}

function requireDone({ topicErrors }: answers.Topics): void {
  for (const { errorCode, errorMessage } of topicErrors) requireNone(errorCode, errorMessage);
}

function metadataFrom({ brokers, controllerId, topicMetadata }: answers.Metadata): Metadata {
  return {
    brokers: new Map(brokers.map(({ nodeId, host, port }) => [nodeId, `${host}:${port}`])),
    controller: controllerId,
    topics: topicMetadata.map(({ topic, topicErrorCode, partitionMetadata }) => ({
      name: topic,
      code: topicErrorCode,
      partitions: partitionMetadata.map(({ partitionId, leader, replicas }) => {
        return { partition: partitionId, leader, replicas: replicas.length };
      }),
    })),
  };
}

function joinedFrom({ errorCode, generationId, memberId, leaderId, members }: answers.Joined): Joined {
  if (errorCode !== codes.memberIdRequired) requireNone(errorCode);
  return {
    generation: errorCode === codes.memberIdRequired ? null : generationId,
    member: memberId,
    leader: leaderId,
    members: new Map(members.map((each) => [each.memberId, each.memberMetadata])),
  };
}
