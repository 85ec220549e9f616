/** Changes of deliveries that are recorded by one statement: those of so many milliseconds, and how many at most. */

export const LINGER_MS = 10;
export const MAX_RECORDS = 500;
