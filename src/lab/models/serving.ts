// Checkpoints that are LoRA adapters, loaded into the server of a model before they are asked: vLLM and SGLang do so at a path of their own.
// An adapter is ready when the server lists it among its models.
import { fieldsOf, textIn } from './answers.ts';
import { type Clock, pause } from './clock.ts';
import type { ModelEntry, ServeSettings } from './entries.ts';
import { exchange, type Received } from './exchange.ts';
import { NotServed } from './faults.ts';
import { jsonIn } from './reading.ts';
import { headersOf, placeOf } from './request.ts';
import { type Secret, scrubbedLine } from './secret.ts';

/** A server, and what reaching it takes. */
export interface Server {
  readonly entry: ModelEntry;
  readonly secret: Secret | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Adapter {
  /** The name by which it is asked. */
  readonly name: string;
  /** Its folder, as the server sees it. */
  readonly path: string;
}

/** How often to look whether an adapter is ready. */
const lookMs = 1000;

/** The names of the models that a server has; null if it has no such list. Throws a ModelFault, or the signal's reason. */
export async function servedModels(server: Server): Promise<readonly string[] | null> {
  const { entry, secret, clock } = server;
  const received = await request(server, 'models', null);
  if (received.status === 404 || received.status === 405) return null;
  const { data } = fieldsOf(jsonIn(placeOf(entry), received, secret, clock.now()));
  return Array.isArray(data) ? data.flatMap((one) => textIn(fieldsOf(one)['id']) ?? []) : null;
}

/**
 * Returns once the server serves the adapter, which it may have done before. Throws NotServed, other ModelFaults, or the signal's
 * reason.
 */
export async function loadAdapter(server: Server, adapter: Adapter, { path, timeoutMs }: ServeSettings): Promise<void> {
  const { entry, clock, signal } = server;
  const place = placeOf(entry);
  if ((await servedModels(server))?.includes(adapter.name) === true) return;
  const until = clock.now() + timeoutMs;
  const body = { lora_name: adapter.name, lora_path: adapter.path };
  const limits = { ...entry.limits, firstByteMs: timeoutMs, wholeMs: timeoutMs };
  const loaded = await request({ ...server, entry: { ...entry, limits } }, path, body);
  const says = answerOf(loaded, server.secret);
  for (;;) {
    const models = await servedModels(server);
    if (models?.includes(adapter.name) === true) return;
    if (loaded.status < 200 || loaded.status > 299) throw new NotServed(place, adapter.name, says, remedyFor(loaded));
    if (models === null) return;
    if (clock.now() >= until) {
      const why = `it answered ${says}, but did not list it within ${timeoutMs / 1000} s`;
      throw new NotServed(place, adapter.name, why, 'Give it more time: "serve": {"timeout": 1200}.');
    }
    await pause(clock, lookMs, signal);
  }
}

async function request(
  { entry, secret, clock, signal }: Server,
  path: string,
  value: object | null,
): Promise<Received> {
  const body = value === null ? null : Buffer.from(JSON.stringify(value));
  const content = body === null ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) };
  const headers = { accept: 'application/json', ...content, ...headersOf(secret) };
  const url = new URL(path, `${entry.url}/`);
  return await exchange({ place: placeOf(entry), secret, url, headers, body, limits: entry.limits, clock, signal });
}

function answerOf({ status, body }: Received, secret: Secret | null): string {
  const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
  const line = scrubbedLine(text.slice(0, 1000), secret).slice(0, 200);
  return line === '' ? `status ${status}` : `status ${status}: ${line}`;
}

function remedyFor({ status }: Received): string {
  return status === 404 || status === 405
    ? 'vLLM loads adapters if it runs with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True. For another server, set "serve": {"path": ...}.'
    : 'The server must see the folder: set "serve": {"root": ...} to its path there. docs/models.md explains it.';
}
