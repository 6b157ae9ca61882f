// What Node says of a connection that could not be made or broke, in codes and words.

/** ECONNREFUSED and the like; the first of several addresses that were tried speaks for all. */
export function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : error.name;
}

const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection broke before there was an answer',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no network',
  EPIPE: 'the connection broke while the question was sent',
  EPROTO: 'it does not speak TLS there: http instead of https?',
};

export function wordsOf(error: Error): string {
  const code = codeOf(error);
  const said =
    error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0].message : error.message;
  return code in meanings
    ? `${meanings[code]} (${code})`
    : `no connection (${code === said ? code : `${code}: ${said}`})`;
}
