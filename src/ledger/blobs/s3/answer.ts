// What a server answered.
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}
