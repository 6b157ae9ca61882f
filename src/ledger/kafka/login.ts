// Who one is to Kafka: named by the environment, never by a URL.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment, Login } from '../driver.ts';

const userVariable = 'ICECORE_KAFKA_USER';
const passwordVariable = 'ICECORE_KAFKA_PASSWORD';
export const loginVariables: readonly string[] = [userVariable, passwordVariable];

export function kafkaLogin(env: Environment): Login {
  const [user, password] = [env[userVariable], env[passwordVariable]];
  if (user && password) return { user, password };
  throw new IcecoreError('usage', 'the URL says that Kafka asks who one is, and the environment does not say it', {
    remedy: `Set ${userVariable} and ${passwordVariable}.`,
  });
}
