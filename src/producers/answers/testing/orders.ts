// The instructions of a process that asks a model, in one JSON argument.

export interface Orders {
  readonly ledger: string;
  readonly blobs: string;
  readonly endpoint: string;
  readonly questions: number;
}

export function questionOf(index: number): string {
  return `How much is ${index} and one?`;
}
