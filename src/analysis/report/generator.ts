/** What a report says it is made by: a file that does is one, and a newer one may take its place. */
export const generator = 'icecore report';
