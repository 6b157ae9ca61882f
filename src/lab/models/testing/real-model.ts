// The real endpoint that tests may use, if ICECORE_TEST_MODEL_URL is set: ICECORE_TEST_MODEL is its model,
// ICECORE_TEST_MODEL_KEY the name of the variable with its key, ICECORE_TEST_MODEL_PARAMETERS its parameters.
import { type ModelEntry, modelEntriesOf } from '../entries.ts';
import { type Secret, secretOf } from '../secret.ts';

const environment = process.env;

/** Its address; undefined if tests may not use a real endpoint. */
export const realUrl: string | undefined = environment['ICECORE_TEST_MODEL_URL'];

export function realModel(): { readonly entry: ModelEntry; readonly secret: Secret | null } {
  const key = environment['ICECORE_TEST_MODEL_KEY'];
  const parameters: unknown = JSON.parse(environment['ICECORE_TEST_MODEL_PARAMETERS'] ?? '{}');
  const written = { url: realUrl, model: environment['ICECORE_TEST_MODEL'] ?? '', parameters };
  const entries = modelEntriesOf({ real: key === undefined ? written : { ...written, key } });
  const entry = entries.get('real') as ModelEntry;
  return { entry, secret: secretOf(entry, environment) };
}
