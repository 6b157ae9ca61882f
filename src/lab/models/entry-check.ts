// What is wrong with the entry of a model beyond its shape: an address that hides a secret, a key in the place of its
// name, a parameter that is not the user's to set.
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import type { Issue } from '../../../schemas/errors.ts';
import { fieldOf } from '../../../schemas/phrase.ts';

type Fields = Readonly<Record<string, unknown>>;

export function checkEntry(name: string, entry: unknown): Issue[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const fields = entry as Fields;
  const at = (...path: string[]): string => fieldOf(['models', name, ...path]);
  return [
    ...checkUrl(at('url'), fields['url']),
    ...checkKey(at('key'), fields['key']),
    ...checkBase(at('base'), fields),
    ...['parameters', 'greedy'].flatMap((group) => [
      ...checkParameters((key) => at(group, key), fields[group]),
      ...checkRecordable(at(group), fields[group]),
    ]),
  ];
}

const addressForm = 'an address like https://api.openai.com/v1';

/** Addresses are shown in messages and events: there must be nothing in them that is nobody's business. */
function checkUrl(field: string, url: unknown): Issue[] {
  if (typeof url !== 'string') return [];
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    return [{ field, found: 'what is no address', allowed: addressForm }];
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return [{ field, found: 'an address with a password', allowed: `${addressForm}, and the password under "key"` }];
  }
  // Also where nothing follows them: what is added to the address would be taken for a query or a fragment.
  if (/[?#]/.test(url)) {
    return [{ field, found: 'an address with more behind its path', allowed: addressForm }];
  }
  if (!/\/chat\/completions\/*$/.test(parsed.pathname)) return [];
  return [{ field, found: 'an address with /chat/completions', allowed: 'the same without it, for it is added' }];
}

/** Keys are hardly ever written in capitals alone, names of variables are. */
function checkKey(field: string, key: unknown): Issue[] {
  if (typeof key !== 'string' || /^[A-Z][A-Z0-9_]*$/.test(key)) return [];
  const allowed = 'the name of an environment variable in capitals, like OPENAI_API_KEY';
  return [{ field, found: 'what is not such a name (it is not shown: it may be a secret)', allowed }];
}

function checkBase(field: string, { base, model }: Fields): Issue[] {
  if (base === undefined || typeof model !== 'string' || model.includes('{checkpoint}')) return [];
  return [{ field, found: 'a base', allowed: 'none, for the model has no {checkpoint} in its name' }];
}

/** They become part of the record of every answer. */
function checkRecordable(field: string, parameters: unknown): Issue[] {
  try {
    canonicalJson(parameters ?? null);
    return [];
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    return [{ field, found: fault.found, allowed: 'what an event can hold' }];
  }
}

/** Set by icecore, or not for texts: with these, what comes back would be something else. */
const notTheirs: ReadonlyMap<string, string> = new Map([
  ['model', 'none here: it stands beside'],
  ['messages', 'none here: they are what is asked'],
  ['stream', 'none here: it stands beside'],
  ['stream_options', 'none here: "stream" beside sees to them'],
  ['seed', 'none here: every answer has its own; "seeds" beside says whether it is sent'],
  ['n', 'none here: every answer is asked for alone'],
  ['tools', 'none: answers are texts'],
  ['tool_choice', 'none: answers are texts'],
  ['functions', 'none: answers are texts'],
  ['api_key', 'none here: "key" beside names the variable that has it'],
]);

function checkParameters(at: (key: string) => string, parameters: unknown): Issue[] {
  if (typeof parameters !== 'object' || parameters === null) return [];
  return Object.keys(parameters).flatMap((key) => {
    const allowed = notTheirs.get(key);
    return allowed === undefined ? [] : [{ field: at(key), found: 'a setting', allowed }];
  });
}
