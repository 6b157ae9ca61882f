// How many events, in words.

export function countedEvents(events: number): string {
  return events === 1 ? '1 event' : `${events} events`;
}
