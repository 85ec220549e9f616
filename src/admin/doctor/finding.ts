/** What a check of the doctor found, and how long a check may take. */

export interface Finding {
  readonly check: string;
  /** `wrong` needs a change; `warning` may be intended. */
  readonly status: 'ok' | 'warning' | 'wrong';
  readonly found: string;
  readonly cure?: string;
}

/** A check that takes longer does not work. */
export const CHECK_MS = 8_000;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
