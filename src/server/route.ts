// A route: one declaration gives the path, the checks of parameters, the operation, and the OpenAPI document.
import { z } from 'zod';
import { asSchema } from '../../schemas/describe-schema.ts';
import { describeIssue, IcecoreError } from '../../schemas/errors.ts';
import { jsonOrUndefined } from '../../schemas/json-text.ts';
import { translate } from '../../schemas/translate.ts';
import { jsonText } from '../base/printable-json.ts';
import type { Workspace } from '../library/workspace.ts';
import type { Call, Operation, ThreadName } from './operation.ts';

/** What a token allows; each includes those before it. */
export const accesses = ['read', 'write', 'admin'] as const;
export type Access = (typeof accesses)[number];

/** The kind of answer: what limits it, and how long it may take. */
export type RouteKind = 'answer' | 'query' | 'ingest' | 'live';

export interface AnswerForm {
  /** The media type. */
  readonly media: string;
  /** The schema of the whole answer, or of each line of NDJSON. Null for bytes. */
  readonly schema: z.ZodType | null;
  readonly describe: string;
}

export interface BodyForm {
  readonly media: readonly string[];
  readonly describe: string;
  /** The parameter that the body is. */
  readonly parameter?: string;
  /** Of a body in JSON; bodies of other types are text. */
  readonly schema?: z.ZodType;
  /** The parameter that says whether it is a stream of lines: `ndjson` or `json`. */
  readonly form?: string;
}

/** What can be asked, as it is documented. */
export interface Endpoint {
  /** Also the operationId of OpenAPI. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** With parameters in braces: `/runs/{run}`. */
  readonly path: string;
  readonly summary: string;
  /** Null: without a token. */
  readonly access: Access | null;
  readonly kind: RouteKind;
  readonly parameters: z.ZodObject;
  readonly body: BodyForm | null;
  /** The possible forms of the answer; the first one unless the parameter `format` says otherwise. */
  readonly answers: readonly [AnswerForm, ...AnswerForm[]];
}

/** An endpoint that is answered by an operation. */
export interface Route<Parameters = Readonly<Record<string, unknown>>> extends Endpoint, Operation<Parameters> {
  readonly name: string;
  run(workspace: Workspace, parameters: Parameters, call: Call<Uint8Array>): Promise<void>;
}

type Shape = Readonly<Record<string, z.ZodType>>;
export type ParametersOf<Declared extends Shape> = z.infer<z.ZodObject<Declared>>;

interface Declaration<Declared extends Shape> {
  /** Also the operationId of OpenAPI. */
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: Declared;
}

const encoder = new TextEncoder();

/** One piece of text. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A route that answers with one JSON value, the same that the command prints with --json. */
export function jsonRoute<const Declared extends Shape, Answer>(
  declaration: Declaration<Declared> & {
    readonly method?: 'GET' | 'POST';
    readonly access?: Access;
    readonly thread?: ThreadName;
    readonly body?: BodyForm;
    readonly answer: z.ZodType<Answer>;
    readonly describe: string;
    run(workspace: Workspace, parameters: ParametersOf<Declared>, signal: AbortSignal): Promise<Answer>;
  },
): Route<ParametersOf<Declared>> {
  const { answer, describe, parameters, run, method = 'GET', access = 'read', ...more } = declaration;
  const { thread = 'queries', body = null } = declaration;
  return {
    ...more,
    ...{ method, access, kind: 'answer', thread, body },
    parameters: z.strictObject(parameters),
    answers: [{ media: 'application/json', schema: answer, describe }],
    run: async (workspace, given, { signal, write }) =>
      await write(bytesOf(`${jsonText(await run(workspace, given, signal))}\n`)),
  };
}

/** A route that writes its answer piece by piece. */
export function streamRoute<const Declared extends Shape>(
  declaration: Declaration<Declared> &
    Pick<Route, 'answers'> &
    Partial<Pick<Route, 'method' | 'access' | 'kind' | 'thread' | 'body'>> & {
      run(workspace: Workspace, parameters: ParametersOf<Declared>, call: Call<Uint8Array>): Promise<void>;
    },
): Route<ParametersOf<Declared>> {
  const { parameters, method = 'GET', access = 'read', kind = 'answer', thread = 'queries', body = null } = declaration;
  return { ...declaration, ...{ method, access, kind, thread, body }, parameters: z.strictObject(parameters) };
}

/** The parameters that the body gives, which the query of the URL cannot. */
export function ofBody({ body }: Pick<Endpoint, 'body'>): readonly string[] {
  return [body?.parameter, body?.form].filter((name) => name !== undefined);
}

/** Without members that are undefined. */
export function given<Values extends object>(
  values: Values,
): { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
}

// Types of parameters. All arrive as text.

export const text: z.ZodType<string> = z.string().min(1).max(1_000);

/** A run: a name, the start of one, `latest`, or with `@K` its stage K. */
export const run: z.ZodType<string> = text.describe(
  'RUN, or RUN@K for its stage K: a name, the start of one, or latest',
);

/** A stage: RUN@K. What it names is checked when it is looked for; here the pattern is only described. */
export const stage: z.ZodType<string> = text.meta({ pattern: '^.+@([1-9][0-9]{0,4}|next)$', description: 'RUN@K' });

/** An event: its id, the start of one, or STREAM@REVISION. */
export const eventReference: z.ZodType<string> = text.meta({
  pattern: '^([0-9a-fA-F]{4}[0-9a-fA-F-]*|.+@(0|[1-9][0-9]{0,14}))$',
  description: 'the id of its event, the start of it, or STREAM@REVISION',
});

export function whole(from: number, to: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(from).max(to));
}

export const number: z.ZodType<number> = z.string().transform(Number).pipe(z.number());

export const flag: z.ZodType<boolean> = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .pipe(z.boolean());

/** May be repeated in the query: `?run=a&run=b`. */
export const texts: z.ZodType<readonly string[]> = z
  .union([text.transform((one) => [one]), z.array(text).max(100)])
  .pipe(z.array(z.string().min(1).max(1_000)).max(100));

/** The parameters of a request. Throws an error that names the parameter. */
export function parametersIn<Parameters extends z.ZodObject>(
  { method, path, parameters }: Pick<Endpoint, 'method' | 'path'> & { readonly parameters: Parameters },
  values: Readonly<Record<string, unknown>>,
): z.infer<Parameters> {
  const read = parameters.safeParse(values);
  if (read.success) return read.data;
  const issues = translate(read.error.issues, values, asSchema(z.toJSONSchema(parameters, { io: 'output' })));
  const [first] = issues;
  const what = first === undefined ? 'a parameter is wrong' : describeIssue(first);
  throw new IcecoreError('usage', `${method} ${path}: ${what}`, {
    facts: { ...first, issues },
    remedy: 'GET /openapi.json describes the parameters of every route.',
  });
}

/** The JSON of a body that is a parameter. Throws an error that names the field. */
export function jsonOf<Schema extends z.ZodType>(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  schema: Schema,
  body: string,
): z.infer<Schema> {
  const value = jsonOrUndefined(body);
  if (value === undefined)
    throw new IcecoreError('bad-input', `${method} ${path}: the body is not JSON`, { facts: { field: 'body' } });
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issues = translate(read.error.issues, value, asSchema(z.toJSONSchema(schema, { io: 'output' })));
  const said = issues.map(describeIssue).join('; ');
  throw new IcecoreError('bad-input', `${method} ${path}: ${said}`, { facts: { ...issues[0], issues } });
}
