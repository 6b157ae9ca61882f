// The registry of event types, including those of plugins. A plugin declares its event types with `defineEvent` and registers them
// when a ledger is opened: they are then checked as strictly on writing and upcast on reading as icecore's own. Events of unregistered
// types are opaque: they are stored, verified, copied, exported and shown, but cannot be written.
import { checkEvent, checkEventFields, eventTypes } from './catalogue.ts';
import { type Check, checkAgainst, type EventTypes } from './check.ts';
import { BadEventType, typeName } from './define-event.ts';
import type { EventType } from './family.ts';

const registries = new WeakMap<readonly EventType[], EventTypes>();

/** The catalogue with these plugin types. The same list gives the same registry. Throws BadEventType. */
export function eventTypesWith(own: readonly EventType[] = []): EventTypes {
  if (own.length === 0) return eventTypes;
  const made = registries.get(own) ?? registryOf(own);
  registries.set(own, made);
  return made;
}

function registryOf(own: readonly EventType[]): EventTypes {
  const types = new Map<string, EventType>(eventTypes);
  for (const declared of own) {
    const { type } = declared;
    if (!typeName.test(type)) throw new BadEventType(type, 'this name', 'what defineEvent declared');
    if (types.has(type)) throw new BadEventType(type, 'two of this name', 'one declaration of each type');
    types.set(type, declared);
  }
  return types;
}

/** The strict checks on writing: of a whole event, and the same without the search for keys named `__proto__`, which its text shows. */
export interface Checks {
  readonly event: Check;
  readonly fields: Check;
}

const checks = new WeakMap<EventTypes, Checks>([[eventTypes, { event: checkEvent, fields: checkEventFields }]]);

export function checksOf(types: EventTypes): Checks {
  const made = checks.get(types) ?? { event: checkAgainst(types), fields: checkAgainst(types, () => false) };
  checks.set(types, made);
  return made;
}
