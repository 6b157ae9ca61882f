// The EventStoreDB store in the registry of stores: `esdb://HOST:PORT/PREFIX`.
import { mapCertificates, type StoreDriver, withShortPatience } from '../driver.ts';
import {
  type EventStoreUrl,
  hostText,
  nameOf,
  parseEventStoreUrl,
  passwordVariable,
  variablesFor,
  withoutPassword,
} from './place.ts';

export const eventStoreDriver: StoreDriver<EventStoreUrl> = {
  scheme: 'esdb',
  prefixes: ['esdb', 'esdb+discover'],
  form: 'esdb://HOST:PORT/PREFIX',
  isEvidenceOnly: false,
  parse: (url) => ({ scheme: 'esdb', url: withoutPassword(url), place: parseEventStoreUrl(url) }),
  text: ({ url }) => url,
  name: ({ place }) => nameOf(place),
  mapPaths: (url, { certificates }) => mapCertificates(url, certificates),
  files: () => [],
  contacts: ({ place }) =>
    place.hosts.map((host) => ({
      host: hostText(host),
      tls: place.tls,
      variables: variablesFor(place),
      ca: place.ca,
    })),
  password: ({ place: { password } }) => (password === null ? null : { variable: passwordVariable, value: password }),
  open: async (url, options) => (await import('./store.ts')).openEventStore(url, options),
  check: async (url) => (await import('./store.ts')).checkEventStore(withShortPatience(url)),
};
