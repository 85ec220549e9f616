/** What exports of what has changed say of a record: it is there, or it is gone. */
export const UPSERTED = 'UPSERT';
export const DELETED = 'DELETE';
