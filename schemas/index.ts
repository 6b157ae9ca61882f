// The event catalogue, for everyone who writes or reads events.
export {
  checkEvent,
  codeOf,
  type EventData,
  eventTypes,
  type NewEventOf,
  type Reading,
  type RecordedEventOf,
  readEvent,
  type TypeName,
  versionOf,
} from './catalogue.ts';
export type { Check, EventTypes } from './check.ts';
export { BadEventType, defineEvent, type FormerVersion, type OwnData, type OwnEvent } from './define-event.ts';
export type { Cause, Envelope, NewEvent, RecordedEvent } from './envelope.ts';
export type { Condition, Descriptor, Knob, Pick } from './environment.ts';
export {
  describeIssue,
  type ErrorKind,
  errorKinds,
  type Facts,
  IcecoreError,
  type Issue,
  type Remedies,
} from './errors.ts';
export type { CatalogueType, DataSchema, EventType, Place, StageRule } from './family.ts';
export { nearest, nearestNames } from './nearest.ts';
export { eventTypesWith } from './own-events.ts';
export { published } from './published.ts';
export type { KnownReading, Opaqueness, OpaqueReading } from './reading.ts';
export { type Category, categories, isChained, isShard, parseStream, type StreamName, streamOf } from './streams.ts';
