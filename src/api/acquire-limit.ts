/** How long this process waits for a connection to the database. After this time, clients get 503. */
export const ACQUIRE_MS = 5_000;
