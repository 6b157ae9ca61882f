// Where things stand in a record batch, Kafka's own format on disk and on the wire (message format 2).

/** What comes before the records, from the first offset on. */
export const headBytes = 61;

export const at = {
  firstOffset: 0,
  /** Of what comes behind it. */
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  checksum: 17,
  /** The checksum is of all from here on. */
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  lastTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  firstSequence: 53,
  count: 57,
} as const;

/** The bytes of a batch that its length does not count. */
export const bytesBeforeLength = 12;

export const currentMagic = 2;

export const attribute = { codec: 7, logAppendTime: 8, transactional: 16, control: 32 } as const;
