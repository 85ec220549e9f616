/** What comes of one HTTP request to a target, before anything is made of it. */

/** Why there was no answer, and whose fault that is held to be: the target's. */
export type SendFailure = 'time-out' | 'dns' | 'tls' | 'refused' | 'connection' | 'blocked';

export type SendResult =
  | {
      readonly kind: 'answered';
      readonly statusCode: number;
      /** The header as it came. */
      readonly retryAfter: string | null;
      /** The beginning of the body. */
      readonly response: string;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'failed';
      readonly failure: SendFailure;
      readonly message: string;
      readonly durationMs: number;
    }
  /** Nothing can be said of the target: we were told to stop, or lacked something of our own. */
  | { readonly kind: 'not-sent'; readonly message: string };
