// What the library throws, in words of ours.
import { AuthenticationError, NetworkError, ProtocolError, ResponseError, TimeoutError } from '@platformatic/kafka';
import { IcecoreError } from '../../../../../schemas/errors.ts';
import { Stumble } from '../../../remote/stumble.ts';
import { BrokerUntrusted, KafkaRefused } from '../errors.ts';
import { BrokerFault } from '../faults.ts';
import { isUntrusted } from '../untrusted.ts';

/** What a broker answered instead of an answer; of several faults in it, the first. */
export function brokerFault(error: ResponseError): BrokerFault {
  // What is wrong with single records comes first, and has no name of its own.
  const named = error.errors.find(({ path }) => !path.includes('/record_errors/'));
  const { apiCode, apiId, message, canRetry } = named ?? error.errors[0];
  const said = error.errors[0].serverErrorMessage ?? named?.serverErrorMessage ?? message;
  return new BrokerFault(apiCode, `${apiId}: ${said}`, canRetry, error);
}

/** What a code in an answer says. */
export function faultOf(code: number): BrokerFault {
  const { apiId, message, canRetry } = new ProtocolError(code);
  return new BrokerFault(code, `${apiId}: ${message}`, canRetry);
}

export function inWords(error: unknown, sent: boolean): unknown {
  if (sent && error instanceof ResponseError) return brokerFault(error);
  return error instanceof BrokerFault ? error : stumbleOf(error, sent);
}

/** What the library throws where no answer came. */
function stumbleOf(error: unknown, sent: boolean): Error {
  if (error instanceof IcecoreError || error instanceof Stumble) return error;
  const reasons = [...causes(error)];
  const first = reasons.at(-1);
  const answer = reasons.find((reason) => reason instanceof ResponseError);
  const answered = answer === undefined ? undefined : brokerFault(answer).message;
  const said = answered ?? (first instanceof Error && first.message !== '' ? first.message : String(first));
  const untrusted = reasons.find(isUntrusted);
  if (untrusted instanceof Error) return new BrokerUntrusted(untrusted.message, error);
  const unknown = reasons.some((reason) => reason instanceof AuthenticationError);
  const broken = reasons.slice(1).some((reason) => reason instanceof NetworkError || reason instanceof TimeoutError);
  return unknown && !broken ? new KafkaRefused(said, error) : new Stumble(said, { maybeDone: sent, cause: error });
}

/** From the outermost to what it began with; of several at once, the first. */
function* causes(error: unknown): Generator<unknown> {
  yield error;
  if (error instanceof AggregateError) yield* causes(error.errors[0]);
  else if (error instanceof Error && error.cause !== undefined) yield* causes(error.cause);
}
