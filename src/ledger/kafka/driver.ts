// The Kafka store in the registry of stores: `kafka://HOST:PORT/PREFIX`, the evidence of a split ledger.
import { mapCertificates, type StoreDriver, withShortPatience } from '../driver.ts';
import { type KafkaUrl, loginVariables, nameOf, parseKafkaUrl } from './place.ts';

export const kafkaDriver: StoreDriver<KafkaUrl> = {
  scheme: 'kafka',
  prefixes: ['kafka'],
  form: 'kafka://HOST:PORT/PREFIX',
  isEvidenceOnly: true,
  parse: (url) => ({ scheme: 'kafka', url, place: parseKafkaUrl(url) }),
  text: ({ url }) => url,
  name: ({ place }) => nameOf(place),
  mapPaths: (url, { certificates }) => mapCertificates(url, certificates),
  files: () => [],
  contacts: ({ place: { brokers, tls, ca, login } }) =>
    brokers.map((host) => ({ host, tls, ca, variables: login === null ? [] : loginVariables })),
  password: () => null,
  open: async (url, options) => (await import('./store.ts')).openKafka(url, options),
  check: async (url) => (await import('./store.ts')).checkKafka(withShortPatience(url)),
};
