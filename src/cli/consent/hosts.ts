// One name for one host, however it is written: lower case, no dot at its end, addresses in their usual form, and the port
// where it is not the usual one of https.

/** The name of a host as a person types it, `HOST`, `HOST:PORT` or a URL; null where it is none. */
export function hostIn(text: string): string | null {
  const isUrl = text.includes('://');
  const url = URL.parse(
    isUrl ? text.replace(/^[^:]*/, (scheme) => (scheme === 'http' ? 'http' : 'https')) : `https://${text}`,
  );
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return null;
  if (!isUrl && (url.pathname !== '/' || url.search !== '' || url.hash !== '')) return null;
  return hostOf(url);
}

/**
 * A host, or what is below a path of it: `api.example.org`, `gateway.example.org/v1/TEAM`. One gateway may serve many tenants,
 * each below a path of its own. Null where the text names no host.
 */
export function serverIn(text: string): string | null {
  const [, authority = '', path = ''] = /^((?:[^/]*:\/\/)?[^/?#]*)(\/[^?#]*)?$/.exec(text) ?? [];
  const host = hostIn(authority);
  if (host === null) return null;
  // As a URL has it, without segments that lead upward.
  return `${host}${pathOf(`https://${host}${path}`)}`;
}

/** The path of a URL without the slashes at its end. */
export function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** The name of the host of an http or https URL. Two hosts are the same when their names are. */
export function hostOf({ hostname, port }: Pick<URL, 'hostname' | 'port'>): string {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return port === '' ? name : `${name}:${port}`;
}

/** Whether it is certainly this machine. A name that only begins like it, or that a server elsewhere decides on, is not. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]+$/, '');
  if (name === 'localhost' || name === '[::1]') return true;
  return (
    /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/.test(name) || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(name)
  );
}
