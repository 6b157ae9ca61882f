// What answers are once kafkajs has taken them apart.

export interface Metadata {
  readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
  readonly controllerId: number;
  readonly topicMetadata: readonly {
    readonly topicErrorCode: number;
    readonly topic: string;
    readonly partitionMetadata: readonly {
      readonly partitionId: number;
      readonly leader: number;
      readonly replicas: readonly number[];
    }[];
  }[];
}

export interface Configs {
  readonly resources: readonly {
    readonly errorCode: number;
    readonly resourceName: string;
    readonly configEntries: readonly { readonly configName: string; readonly configValue: string | null }[];
  }[];
}

/** Of topics that were to be made or removed. */
export interface Topics {
  readonly topicErrors: readonly { readonly errorCode: number; readonly errorMessage?: string | null }[];
}

export interface Offsets {
  readonly responses: readonly {
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number; readonly offset: string }[];
  }[];
}

export interface Origin {
  readonly errorCode: number;
  readonly producerId: string;
  readonly producerEpoch: number;
}

export interface Coordinator {
  readonly errorCode: number;
  readonly coordinator: { readonly host: string; readonly port: number };
}

export interface Joined {
  readonly errorCode: number;
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

export interface Share {
  readonly errorCode: number;
  readonly memberAssignment: Buffer;
}

export interface Plain {
  readonly errorCode: number;
}
