// What the server says of itself: which calls it knows, and who is in its cluster.
import { randomUUID } from 'node:crypto';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Endpoint } from './refusals.ts';

const version = '24.10.0';
const streams = 'event_store.client.streams.streams';
const known: readonly (readonly [service: string, method: string, features: readonly string[]])[] = [
  [streams, 'read', ['position', 'events']],
  [streams, 'append', []],
  [streams, 'delete', []],
  [streams, 'tombstone', []],
  [streams, 'batchappend', ['deadline_duration']],
  ['event_store.client.gossip.gossip', 'read', []],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods', []],
];

export function supportedMethods(hasBatchAppend: boolean): features.SupportedMethods {
  const methods = known.filter(([, method]) => hasBatchAppend || method !== 'batchappend');
  return new features.SupportedMethods().setEventStoreServerVersion(version).setMethodsList(
    methods.map(([service, method, list]) =>
      new features.SupportedMethod()
        .setServiceName(service)
        .setMethodName(method)
        .setFeaturesList([...list]),
    ),
  );
}

/** Itself and, when that is another, the leader. */
export function clusterInfo(self: Endpoint, leader: Endpoint | null): gossip.ClusterInfo {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
  const members = leader === null ? [member(self, LEADER)] : [member(self, FOLLOWER), member(leader, LEADER)];
  return new gossip.ClusterInfo().setMembersList(members);
}

function member({ address, port }: Endpoint, state: gossip.MemberInfo.VNodeState): gossip.MemberInfo {
  return new gossip.MemberInfo()
    .setInstanceId(new shared.UUID().setString(randomUUID()))
    .setTimeStamp(`${Date.now() * 10_000}`)
    .setState(state)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port));
}
