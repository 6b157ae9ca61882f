// The messages of the protocol that icecore fills in itself, with the classes that the client brings along: so the bytes of an event go
// to the server and come back as they are. The client's own calls would parse them and write them anew.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export interface Proposed {
  readonly id: string;
  readonly type: string;
  /** JSON, both. */
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** `behind`: the revision that must be the last one there; -1 where there is none. */
export function appendRequest(
  correlation: string,
  stream: string,
  behind: number,
  events: readonly Proposed[],
): streams.BatchAppendReq {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(identifierOf(stream));
  if (behind < 0) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(String(behind));
  const request = new streams.BatchAppendReq();
  request.setOptions(options);
  request.setCorrelationId(uuidOf(correlation));
  request.setProposedMessagesList(events.map(messageOf));
  request.setIsFinal(true);
  return request;
}

function messageOf({ id, type, data, metadata }: Proposed): streams.BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuidOf(id));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  message.setData(data);
  message.setCustomMetadata(metadata);
  return message;
}

/** All that comes behind a position (null: from the beginning) in streams with these prefixes, and goes on coming. */
export function logRequest(behind: number | null, prefixes: readonly string[]): streams.ReadReq {
  const all = new streams.ReadReq.Options.AllOptions();
  if (behind === null) all.setStart(new shared.Empty());
  else all.setPosition(positionOf(behind));
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setPrefixList([...prefixes]);
  const filter = new streams.ReadReq.Options.FilterOptions();
  filter.setStreamIdentifier(expression);
  filter.setMax(searchedAtOnce);
  filter.setCheckpointintervalmultiplier(1);
  const uuids = new streams.ReadReq.Options.UUIDOption();
  uuids.setString(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setAll(all);
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  options.setFilter(filter);
  options.setUuidOption(uuids);
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
}

/** So many events of others are looked through at a time. */
const searchedAtOnce = 1000;

function positionOf(position: number): streams.ReadReq.Options.Position {
  const at = new streams.ReadReq.Options.Position();
  at.setCommitPosition(String(position));
  at.setPreparePosition(String(position));
  return at;
}

function identifierOf(stream: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
}

function uuidOf(id: string): shared.UUID {
  const uuid = new shared.UUID();
  uuid.setString(id);
  return uuid;
}
