// Single requests by the library's protocol, and their answers. Records are sent and read in a way of our own.
import {
  type Connection,
  createTopicsV7,
  deleteTopicsV6,
  describeConfigsV4,
  findCoordinatorV4,
  heartbeatV4,
  initProducerIdV4,
  joinGroupV7,
  leaveGroupV5,
  listOffsetsV7,
  metadataV12,
  ResponseError,
  syncGroupV5,
} from '@platformatic/kafka';
import { Stumble } from '../../../remote/stumble.ts';
import type { Joined, Requests } from '../client.ts';
import { codes } from '../faults.ts';
import { sharingName } from '../group-messages.ts';
import type { TopicWanted } from '../transport.ts';
import { brokerFault } from './faults.ts';
import { askForRecords } from './fetch-request.ts';
import { sendBatch } from './produce-request.ts';

const ofTopics = 2;
/** Of a client, which keeps no replica. */
const noReplica = -1;
const readCommitted = 1;
const unknownEpoch = -1;
const timestamps = { start: -2n, end: -1n } as const;
const ofGroups = 0;
const protocolType = 'consumer';
const noFixedName = null;

export const requests: Requests<Connection> = {
  async metadata(connection, names) {
    const { brokers, controllerId, topics } = await metadataOf(connection, names);
    return {
      brokers: new Map(brokers.map(({ nodeId, host, port }) => [nodeId, `${host}:${port}`])),
      controller: controllerId,
      topics: topics.map(({ name, errorCode, partitions }) => ({
        name: name ?? '',
        code: errorCode,
        partitions: partitions.map(({ partitionIndex, leaderId, replicaNodes }) => {
          return { partition: partitionIndex, leader: leaderId, replicas: replicaNodes.length };
        }),
      })),
    };
  },

  async settings(connection, topics) {
    const resources = topics.map((resourceName) => ({ resourceType: ofTopics, resourceName }) as const);
    const { results } = await describeConfigsV4.api.async(connection, resources, false, false);
    return new Map(
      results.map(({ resourceName, configs }) => {
        const told = configs.flatMap(({ name, value }) => (value == null ? [] : [[name, value] as const]));
        return [resourceName, new Map(told)];
      }),
    );
  },

  create(connection, wanted, answerMs) {
    return createTopicsV7.api.async(connection, wanted.map(topicAsked), answerMs, false);
  },

  remove(connection, topics, answerMs) {
    const named = topics.map((name) => ({ name }));
    return deleteTopicsV6.api.async(connection, named, answerMs);
  },

  async offsets(connection, topic, partitions, edge) {
    const timestamp = timestamps[edge];
    const asked = partitions.map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: unknownEpoch, timestamp }));
    const wanted = [{ name: topic, partitions: asked }];
    const { topics } = await listOffsetsV7.api.async(connection, noReplica, readCommitted, wanted);
    const found = topics.flatMap((each) => each.partitions);
    return new Map(found.map(({ partitionIndex, offset }) => [partitionIndex, Number(offset)]));
  },

  fetch: askForRecords,

  async origin(connection, answerMs) {
    const answer = await initProducerIdV4.api.async(connection, null, answerMs, -1n, -1);
    return { producerId: answer.producerId, epoch: answer.producerEpoch, sequence: 0 };
  },

  append: sendBatch,

  async coordinator(connection, group) {
    const { coordinators } = await findCoordinatorV4.api.async(connection, ofGroups, [group]);
    const [found] = coordinators;
    if (found === undefined) throw new Stumble(`the group ${group} has no coordinator`, { maybeDone: false });
    return `${found.host}:${found.port}`;
  },

  async join(connection, { group, member, sessionMs, rebalanceMs, wishes }) {
    const ways = [{ name: sharingName, metadata: wishes }];
    const { api } = joinGroupV7;
    try {
      return joinedFrom(
        await api.async(connection, group, sessionMs, rebalanceMs, member, noFixedName, protocolType, ways),
      );
    } catch (error) {
      if (!(error instanceof ResponseError) || brokerFault(error).code !== codes.memberIdRequired) throw error;
      const answer: joinGroupV7.JoinGroupResponse = error['response'];
      return { ...joinedFrom(answer), generation: null };
    }
  },

  async sync(connection, group, { generation, member }, shares) {
    const given = [...shares].map(([memberId, assignment]) => ({ memberId, assignment }));
    const { api } = syncGroupV5;
    const sharing = [protocolType, sharingName] as const;
    const answer = await api.async(connection, group, generation, member, noFixedName, ...sharing, given);
    return answer.assignment;
  },

  heartbeat(connection, group, { generation, member }) {
    return heartbeatV4.api.async(connection, group, generation, member, noFixedName);
  },

  leave(connection, group, memberId) {
    return leaveGroupV5.api.async(connection, group, [{ memberId }]);
  },
};

/** The library throws the whole answer away when one topic in it is not there, or one partition has no leader. */
async function metadataOf(connection: Connection, names: readonly string[]): Promise<metadataV12.MetadataResponse> {
  try {
    return await metadataV12.api.async(connection, [...names]);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return error['response'];
  }
}

function topicAsked({ name, partitions, replicas, settings }: TopicWanted): createTopicsV7.CreateTopicsRequestTopic {
  const configs = Object.entries(settings).map(([setting, value]) => ({ name: setting, value }));
  return { name, numPartitions: partitions, replicationFactor: replicas, assignments: [], configs };
}

function joinedFrom({ generationId, memberId, leader, members }: joinGroupV7.JoinGroupResponse): Joined {
  return {
    generation: generationId,
    member: memberId ?? '',
    leader,
    members: new Map(members.flatMap(({ memberId: name, metadata }) => (metadata === null ? [] : [[name, metadata]]))),
  };
}
