// The OpenAPI document, made from the declarations of the endpoints.
import { z } from 'zod';
import { parseJson } from '../../schemas/json-text.ts';
import { serverError } from '../../schemas/server-output.ts';
import { icecoreVersion } from '../library/version.ts';
import { type AnswerForm, type BodyForm, type Endpoint, ofBody } from './route.ts';

type Json = Record<string, unknown>;

export function openApi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  const schemas: Schemas = { Error: schemaOf(serverError) };
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? {};
    path[endpoint.method.toLowerCase()] = operation(endpoint, schemas);
    paths[endpoint.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'icecore',
      version: icecoreVersion(),
      description: 'Answers are what the commands print with --json. Lists are never cut silently.',
    },
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{}, { token: [] }],
  };
}

/** The schemas of answers by name. */
type Schemas = Record<string, Json>;

function operation(endpoint: Endpoint, schemas: Schemas): Json {
  const { name, summary, access, parameters, body, answers } = endpoint;
  return {
    operationId: name,
    summary,
    ...(access === null ? { security: [] } : { description: `Where tokens are needed: one for ${access}.` }),
    parameters: Object.entries(parameters.shape)
      .filter(([parameter]) => !ofBody(endpoint).includes(parameter))
      .map(([parameter, schema]) => parameterOf(endpoint, parameter, schema as z.ZodType)),
    ...(body === null ? {} : { requestBody: requestBody(name, body, schemas) }),
    responses: {
      200: {
        description: answers.map(({ describe }) => describe).join('; or '),
        content: contentOf(name, answers, schemas),
      },
      default: {
        description: 'an error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function parameterOf({ path, parameters }: Endpoint, name: string, schema: z.ZodType): Json {
  const isInPath = path.includes(`{${name}}`);
  const { description, ...described } = schemaOf(schema);
  return {
    name,
    in: isInPath ? 'path' : 'query',
    required: isInPath || !parameters.shape[name]?.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    schema: described,
  };
}

function requestBody(name: string, { media, describe, schema: declared }: BodyForm, schemas: Schemas): Json {
  const text = { type: 'string', minLength: 1 };
  const ofJson = declared === undefined ? text : named(`${name}Body`, declared, schemas);
  return {
    required: true,
    description: describe,
    content: Object.fromEntries(media.map((one) => [one, { schema: isJson(one) ? ofJson : text }])),
  };
}

function isJson(media: string): boolean {
  return media === 'application/json' || media.endsWith('+json');
}

function contentOf(name: string, answers: readonly AnswerForm[], schemas: Schemas): Json {
  const entries = answers.map(({ media, schema }, i) => {
    const described = schema === null ? binary : named(`${name}Answer${i === 0 ? '' : i + 1}`, schema, schemas);
    return [media, { schema: described }] as const;
  });
  return Object.fromEntries(entries);
}

const binary = { type: 'string', format: 'binary' };

/** A schema may refer to itself and to its definitions, which in a document have other addresses. */
function named(name: string, schema: z.ZodType, schemas: Schemas): Json {
  const text = JSON.stringify(schemaOf(schema))
    .replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${name}.`)
    .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`);
  const { $defs = {}, ...whole } = parseJson(text) as Json & { readonly $defs?: Readonly<Record<string, Json>> };
  schemas[name] = whole;
  for (const [part, definition] of Object.entries($defs)) schemas[`${name}.${part}`] = definition;
  return { $ref: `#/components/schemas/${name}` };
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'output' }) as Json;
  return rest;
}
